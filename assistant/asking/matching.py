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
            "airflow",
            "rack_units",
            "depth",
            "coolant_flow",
        )
    ),
    "busbw": frozenset(("busbw",)),
    "inlet": frozenset(("temperature",)),
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

_OPEN = frozenset(("size", "compare", "air", "pue", "link_rate", "ports", "rack", "licence", "capability"))
"""Kinds that also answer a question for no quantity: they say yes or no, or compare."""

_SOFT = frozenset(
    ("price", "latency", "share", "length", "temperature", "memory_bandwidth", "link_rate", "busbw", "memory", "iops")
)
"""Quantities that a question may name without asking for them ("is memory bandwidth the limit?")."""

_OF_LAW = ("duration", "training_compute", "peak_rate", "power", "energy", "facility_power")
"""Quantities that laws set thresholds and terms for."""

_BESIDE = ("price", "latency", "memory", "memory_bandwidth", "link_rate")
"""Quantities that a question to choose names as its reason."""

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
        if asked is None and kind == "size" and desk.query.kind == "how_many":
            return False  # so many of something that is not sized
        return asked is None and (kind in _OPEN or draft.verdict is not None) and _value_wanted(desk, draft)
    if kind == "choice":
        return _may_choose(desk)
    if kind == "term":
        return asked is None or is_soft(asked)
    if kind == "law":
        return asked is None or is_soft(asked) or asked in _OF_LAW
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
    asked = desk.query.quantity
    return desk.query.kind not in _NUMBERS and (asked is None or asked in _BESIDE or desk.query.kind == "fits")


def _statement_fits(desk: Desk, draft: Draft) -> bool:
    """A statement answers a number only with one in it, and speaks of a model or card that the question names."""
    asked, text = desk.query.quantity, draft.first.casefold()
    if asked is not None and asked not in _SOFT and not any(sign.isdigit() for sign in text):
        return False
    return desk.query.kind not in ("fits",)


def is_soft(quantity: str) -> bool:
    """Whether a question may name the quantity without asking for it."""
    return quantity in _SOFT
