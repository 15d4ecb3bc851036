"""One point: the same calls as ``size``, ``estimate`` and ``simulate``, its errors as a result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from assistant.output import plain
from assistant.requests.fields import build, counted_gpus
from assistant.sweep.space import SIMULATE, SIZE, Space
from knowledge.errors import BadInput, SizewrightError

if TYPE_CHECKING:
    from assistant.result import Sizing
    from assistant.service import Assistant

PLAN_FIELDS = ("gpus", "accelerator", "fits", "why_not", "binding")
FACILITY_FIELDS = ("nominal_it_kw", "it_kw", "racks", "rack_kw")


def evaluate_all(
    space: Space, points: Sequence[Mapping[str, Any]], overlay: str | None, full: bool
) -> list[dict[str, Any]]:
    """A few points in a row: what a worker is given at a time."""
    return [evaluate(space, point, overlay, full) for point in points]


def evaluate(space: Space, point: Mapping[str, Any], overlay: str | None, full: bool) -> dict[str, Any]:
    """``point`` with its ``result``, or with the ``error`` that a single request would have ended with."""
    try:
        result = _ANSWERS.get(space.part, _estimated)(space, {**space.base, **point}, _assistant(overlay), full)
    except BadInput as error:
        return {"point": dict(point), "error": plain(error.as_dict())}
    except SizewrightError as error:
        return {"point": dict(point), "error": {"message": str(error)}}
    return {"point": dict(point), "result": result}


def ready(overlay: str | None) -> None:
    """Read the catalogue before any point needs it, and before processes are forked. Raises BadInput where broken."""
    assert _assistant(overlay).catalogue.version


@lru_cache(maxsize=2)
def _assistant(overlay: str | None) -> Assistant:
    """Catalogue and rules, read once a process."""
    from assistant.service import Assistant

    return Assistant(overlay)


Answer = Callable[[Space, dict[str, Any], "Assistant", bool], Any]


def _sized(space: Space, fields: dict[str, Any], assistant: Assistant, full: bool) -> Any:
    from assistant.interview.brief import Brief
    from assistant.interview.validation import validate

    understood = assistant.understand(space.said) if space.said else []
    stated = [validate(field, value, assistant.catalogue) for field, value in fields.items()]
    sizing = assistant.size(Brief().with_answers([*understood, *stated]), questions=False)
    return plain(sizing) if full else plain(main_figures(sizing))


def main_figures(sizing: Sizing) -> dict[str, Any]:
    """What one compares first: the recommended plan's hardware, power and racks, and the decisions."""
    plan = sizing.plan()
    return {
        **{name: getattr(plan, name) for name in PLAN_FIELDS},
        "servers": {server.id: server.count for server in plan.servers if server.role == "gpu"},
        **{name: getattr(plan.facility, name) for name in FACILITY_FIELDS},
        "decisions": {decision.id: decision.choice for decision in sizing.decisions},
    }


def _simulated(space: Space, fields: dict[str, Any], assistant: Assistant, full: bool) -> Any:
    from assistant.operations.simulator import simulate
    from assistant.operations.simulator.words import request_of

    result = plain(simulate(request_of(fields), assistant.catalogue))
    return result if full else {name: value for name, value in result.items() if name not in ("timeline", "strip")}


def _estimated(space: Space, fields: dict[str, Any], assistant: Assistant, full: bool) -> Any:
    from assistant.requests.estimates import load

    request, function = load(space.part)
    return plain(function(build(request, counted_gpus(fields, assistant.catalogue)), assistant.catalogue, None))


_ANSWERS: Mapping[str, Answer] = {SIZE: _sized, SIMULATE: _simulated}
