"""The result of a triage, as it leaves the program."""

from __future__ import annotations

from typing import Literal

from knowledge.evidence import Frozen
from knowledge.schema.operations import Action, Category, Kind, Opinion, Recipient, Scope

State = Literal["open", "closed"]
Confidence = Literal["high", "medium", "low"]


class Check(Frozen):
    """A command, what it should say, and what is ruled out when it does."""

    command: str
    expected: str
    rules_out: str | None = None


class Authority(Frozen):
    """A source with its address."""

    id: str
    title: str
    address: str | None
    grade: str


class Disagreement(Opinion):
    """Somebody else's advice; ``address`` is the first of its sources'."""

    address: str | None = None


class Finding(Frozen):
    """One kind of fault, wherever it was seen.

    ``state`` closed: the log shows that it ended, by the line ``closed``; ``opened`` is the line that began it.
    ``gpus``, ``ports`` and ``devices`` are what the lines name; ``told`` is for what somebody says in their own words.

    ``first_line`` is a line number from 1 in ``file``; ``lines`` are up to five of the lines. ``because_of`` names the
    finding that explains this one. ``we_follow`` says whom we side with where sources disagree, and why.
    """

    kind: Kind
    code: str
    mode: str
    name: str
    count: int
    first_line: int
    file: str | None
    lines: tuple[str, ...]
    meaning: str
    likely_cause: str
    causes: tuple[str, ...]
    category: Category
    action: Action
    scope: Scope
    at_fault: str
    because_of: str | None
    nodes: tuple[str, ...]
    gpus: tuple[str, ...]
    ports: tuple[str, ...] = ()
    devices: tuple[str, ...] = ()
    state: State = "open"
    opened: str | None = None
    closed: str | None = None
    told: bool = False
    notes: tuple[str, ...]
    checks: tuple[Check, ...]
    fix: tuple[str, ...]
    confirm: str
    return_when: str | None
    sources: tuple[Authority, ...]
    disagreements: tuple[Disagreement, ...]
    we_follow: str | None


class Verdict(Frozen):
    """What to do now, and where. ``finding`` is the code of the finding that it follows, the cause of the others.

    ``unknown`` is no order: nothing was recognised, and ``send`` says what to collect and for whom.
    """

    action: Action | Literal["unknown"]
    scope: Scope
    confidence: Confidence
    category: Category | None
    finding: str | None
    at_fault: str | None
    nodes: tuple[str, ...]
    gpus: tuple[str, ...]
    why: str
    send: tuple[Recipient, ...] = ()


class Triage(Frozen):
    """The diagnosis of one or more logs, causes before their consequences.

    ``cut`` tells what could not be read to its end; what stands beyond is not diagnosed.
    """

    findings: tuple[Finding, ...]
    verdict: Verdict
    unrecognised: int
    unrecognised_lines: tuple[str, ...]
    lines_read: int
    files_read: int
    unreadable: tuple[str, ...]
    cut: tuple[str, ...] = ()
