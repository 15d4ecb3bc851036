"""Hardware that the customer names."""

from __future__ import annotations

from assistant.planning.count.knobs import trays
from assistant.planning.view import Answers
from assistant.sizing.equipment.nodes import choose_server
from knowledge.catalogue import Catalogue
from knowledge.evidence import Frozen
from knowledge.message import Message, say


class Named(Frozen):
    """Hardware that the customer names: the accelerator, and how many where a number was given."""

    accelerator: str
    gpus: int | None
    also: tuple[Message, ...] = ()


def named_hardware(brief: Answers, catalogue: Catalogue) -> Named | None:
    """What the brief names, the largest group first; None where it names nothing."""
    groups = brief.value("gpus") or ()
    if isinstance(groups, dict):
        groups = (groups,)
    known = [g for g in groups if g.get("gpu")]
    if known:
        known.sort(key=lambda g: -(g.get("count") or 0))
        also = tuple(_also(g.get("count"), str(g["gpu"])) for g in known[1:])
        count = known[0].get("count")
        card = catalogue.accelerator(str(known[0]["gpu"])).id
        if count is None and brief.stated("nodes"):
            count = trays(brief, choose_server(card, catalogue, 8))
        return Named(accelerator=card, gpus=int(count) if count else None, also=also)
    if brief.value("server"):
        server = catalogue.server(str(brief.value("server")))
        if server.accelerator is not None:
            fixed = trays(brief, choose_server(server.accelerator, catalogue, 8)) if brief.stated("nodes") else None
            return Named(accelerator=server.accelerator, gpus=fixed)
    if brief.value("accelerator"):
        card = catalogue.accelerator(str(brief.value("accelerator"))).id
        gpus = trays(brief, choose_server(card, catalogue, 8)) if brief.stated("nodes") else None
        return Named(accelerator=card, gpus=gpus)
    return None


def _also(count: int | None, card: str) -> Message:
    return say("planning.also_counted", count=int(count), card=card) if count else say("planning.also", card=card)
