"""What the handlers of figures share: one part of the arithmetic, and the models and hardware that a question names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assistant.asking.answer import AskedClaim
from assistant.asking.desk import Desk
from knowledge.errors import SizewrightError
from knowledge.schema import Accelerator, Server


def estimate(part: str, request: Mapping[str, Any], desk: Desk) -> dict[str, Any] | None:
    """One part of the arithmetic; None where the question does not say enough for it."""
    from assistant.output import plain
    from assistant.requests.estimates import load
    from assistant.requests.fields import build

    model, function = load(part)
    try:
        result: dict[str, Any] = plain(function(build(model, dict(request)), desk.library.catalogue, None))
    except SizewrightError:
        return None
    return result


def named_model(desk: Desk) -> str | None:
    """The first model of the question."""
    models = desk.stated("models")
    return str(models[0]) if models else None


def named_gpus(desk: Desk) -> tuple[str, int | None] | None:
    """The first accelerator of the question and how many of it."""
    row = next((row for row in desk.stated("gpus") or () if row.get("gpu")), None)
    if row is None:
        return None
    return str(row["gpu"]), int(row["count"]) if row.get("count") else None


def named_server(desk: Desk) -> Server | None:
    """The server that the question names."""
    name = desk.stated("server")
    return desk.library.catalogue.server(str(name)) if name else None


def sources_of(desk: Desk, gpu: str) -> tuple[str, ...]:
    """The sources of an accelerator's memory and rate."""
    card: Accelerator = desk.library.catalogue.accelerator(gpu)
    return tuple(dict.fromkeys((*card.memory_bytes.sources, *card.bandwidth_gb_per_s.sources)))[:3]


def related(desk: Desk, *prefixes: str) -> list[AskedClaim]:
    """Up to two claims of these kinds that cover the question."""
    hits = desk.library.search(desk.text, prefixes, ("claims",), 2)
    return [desk.library.claim(hit.document.id) for hit in hits if hit.coverage > 0.3]
