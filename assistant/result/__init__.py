"""The sizing document and its parts, each loaded with the first of its module: an answer of `ask` needs no plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from knowledge.lazily import names_of

if TYPE_CHECKING:
    from assistant.planning.building.build import ServerCount
    from assistant.planning.count.fleet import ServerGroup
    from assistant.planning.count.packing import AfterFailure
    from assistant.result.advised import (
        ChecklistEntry,
        Decision,
        Dissent,
        Expected,
        Flip,
        Notice,
        Obligation,
        Reason,
        SourceEntry,
    )
    from assistant.result.sizing import (
        Assumption,
        AtRatio,
        Compared,
        Effect,
        LoadRatio,
        Name,
        NextQuestion,
        NotUsed,
        Plan,
        Reply,
        Sizing,
        Workload,
    )
    from assistant.result.why import Why
    from assistant.sizing.bill.lines import BillLine

__getattr__ = names_of(
    __name__,
    {
        "assistant.result.advised": (
            "ChecklistEntry Decision Dissent Expected Flip Notice Obligation Reason SourceEntry"
        ),
        "assistant.result.why": "Why",
        "assistant.result.sizing": (
            "Assumption AtRatio Compared Effect LoadRatio Name NextQuestion NotUsed Plan Reply Sizing Workload"
        ),
        "assistant.planning.building.build": "ServerCount",
        "assistant.planning.count.fleet": "ServerGroup",
        "assistant.planning.count.packing": "AfterFailure",
        "assistant.sizing.bill.lines": "BillLine",
    },
)
