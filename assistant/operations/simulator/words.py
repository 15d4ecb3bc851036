"""A request from options, from a line of them, and back: the same in the app and on the command line."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from assistant.operations.simulator.request import SimulateRequest
from assistant.requests.fields import build, option_of
from assistant.sizing.training.parts.request import TrainRequest
from knowledge.errors import BadInput


def request_of(given: Mapping[str, Any]) -> SimulateRequest:
    """Options by field as a request; what only a training job has goes to its job. Raises BadInput."""
    own = {name: value for name, value in given.items() if name in SimulateRequest.model_fields}
    job = {name: value for name, value in given.items() if name not in own}
    unknown = next((name for name in job if name not in TrainRequest.model_fields), None)
    if unknown is not None:
        return build(SimulateRequest, {unknown: given[unknown]})  # names the field, and the ones there are
    request = build(SimulateRequest, own)
    return request.model_copy(update={"job": build(TrainRequest, job)}) if job else request


def request_from(line: str) -> SimulateRequest:
    """A line such as ``--gpus 4096 --days 60 --fleet rsc1`` as a request. Raises BadInput."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise BadInput("options", line, f"options such as --gpus 2048 --days 30: {error}") from None
    return request_of(dict(_pairs(words)))


def _pairs(words: list[str]) -> Iterator[tuple[str, str]]:
    rest = iter(words)
    for word in rest:
        if not word.startswith("--"):
            raise BadInput("options", word, "options such as --gpus 2048 --days 30", [f"--gpus {word}"])
        name, equals, value = word[2:].partition("=")
        given = value if equals else next(rest, None)
        if given is None:
            raise BadInput(name, "nothing", "a value after the option")
        yield name.replace("-", "_"), given


def options_line(request: SimulateRequest) -> str:
    """The options that make this request."""
    said = _said(request) | (_said(request.job) if request.job else {})
    return " ".join(f"{option_of(name)} {shlex.quote(_shown(value))}" for name, value in said.items())


def _said(request: SimulateRequest | TrainRequest) -> dict[str, Any]:
    values = request.model_dump(mode="json", exclude={"job"})
    return {name: values[name] for name in type(request).model_fields if name in request.model_fields_set - {"job"}}


def _shown(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ",".join(_shown(one) for one in value)
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.12g}" if isinstance(value, float) else str(value)
