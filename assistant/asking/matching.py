"""Whether a draft answers what was asked: the same quantity, the same kind, and things that the question names."""

from __future__ import annotations

from assistant.asking.desk import Desk
from assistant.asking.draft import Draft

_OF_KIND: dict[str, frozenset[str]] = {
    "size": frozenset(("gpus", "servers")),
    "racks": frozenset(("racks",)),
    "rack": frozenset(("servers_per_rack", "servers", "gpus", "racks")),
    "users": frozenset(("users",)),
    "kv_cache": frozenset(("kv_cache", "memory")),
    "duration": frozenset(("training_time", "transfer_time")),
    "checkpoint": frozenset(("checkpoint_size", "memory")),
    "reliability": frozenset(("failures", "checkpoint_interval", "servers", "gpus")),
    "specification": frozenset(
        (
            "link_rate",
            "memory",
            "memory_bandwidth",
            "peak_rate",
            "power",
            "weight",
            "heat",
            "temperature",
            "decode_speed",
        )
    ),
    "busbw": frozenset(("busbw",)),
    "switches": frozenset(("switches", "cables")),
    "mig": frozenset(("mig",)),
    "power": frozenset(("power", "energy")),
    "pue": frozenset(("facility_power",)),
    "air": frozenset(("power", "servers_per_rack")),
    "ports": frozenset(("fabric_ports",)),
    "compare": frozenset(("speed_ratio", "memory_bandwidth")),
    "link_rate": frozenset(("link_rate", "busbw")),
}
"""Quantities that a kind of answer gives; a kind that is not named answers none."""

_OPEN = frozenset(
    ("size", "compare", "air", "pue", "link_rate", "ports", "rack", "specification", "licence", "capability")
)
"""Kinds that also answer a question for no quantity: they say yes or no, or compare."""

_SOFT = frozenset(
    ("price", "latency", "share", "length", "temperature", "memory_bandwidth", "link_rate", "busbw", "memory", "iops")
)
"""Quantities that a question may name without asking for them ("is memory bandwidth the limit?")."""

_NUMBERS = ("how_many", "how_much", "how_fast", "how_long")


def matches(desk: Desk, draft: Draft) -> bool:
    """Whether the draft answers the question on the desk."""
    asked = desk.query.quantity
    if draft.quantity is not None:
        return draft.quantity == asked
    kind = draft.kind.partition(":")[0]
    if kind in _OF_KIND:
        if asked in _OF_KIND[kind]:
            return _value_wanted(desk, draft)
        return asked is None and kind in _OPEN and _value_wanted(desk, draft)
    if kind == "choice":
        return _may_choose(desk)
    if kind == "found":
        return _statement_fits(desk, draft)
    return True


def _value_wanted(desk: Desk, draft: Draft) -> bool:
    """A bare figure answers no question for yes or no, for a reason or for a way."""
    if draft.kind != "specification" or draft.verdict is not None:
        return True
    return desk.query.kind not in ("whether", "why", "how_to", "what_if")


def _may_choose(desk: Desk) -> bool:
    """A choice is no answer to "how many", "how long" and the like."""
    if desk.query.kind in ("fits", "how_many", "how_long", "how_fast"):
        return desk.query.quantity is None or desk.query.kind not in _NUMBERS
    return desk.query.quantity is None or desk.query.quantity in _SOFT


def _statement_fits(desk: Desk, draft: Draft) -> bool:
    """A statement answers a number only with one in it, and speaks of a model or card that the question names."""
    asked, text = desk.query.quantity, draft.first.casefold()
    if asked is not None and asked not in _SOFT and not any(sign.isdigit() for sign in text):
        return False
    return desk.query.kind not in ("fits",)


def is_soft(quantity: str) -> bool:
    """Whether a question may name the quantity without asking for it."""
    return quantity in _SOFT
