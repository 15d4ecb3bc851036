"""``sizewright estimate PART``: one part of the arithmetic alone, from options or from JSON lines."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Iterator
from typing import Any

from pydantic import BaseModel

from assistant.commands.shared.fetching import HELP, fetched
from assistant.output import plain, print_json
from assistant.requests.estimates import PARTS, load
from assistant.requests.fields import add_model_options, build, counted_gpus, options_given
from knowledge.errors import BadInput, SizewrightError

FETCHING = ("serve", "train", "finetune", "rl")
"""Parts whose model may be a repository of a hub."""

ABSENT = frozenset(
    {
        "why_not",
        "nearest_fix",
        "mig_profile",
        "without_rack_domain",
        "failures",
        "spot",
        "deadline",
        "rollout_tpot_ms",
        "targets_met",
    }
)
"""Fields that are null where there is nothing of the kind; any other null is a figure that is not known."""

ONE_LINE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """``estimate`` with one sub-command a part; only the part that is asked for is imported."""
    parser: argparse.ArgumentParser = subparsers.add_parser("estimate", help="one part of the arithmetic alone")
    parts = parser.add_subparsers(dest="part", metavar="PART", required=True)
    words = sys.argv[sys.argv.index("estimate") + 1 :] if "estimate" in sys.argv else []
    asked = next((word for word in words if word in PARTS), None)
    for name, spec in PARTS.items():
        part = parts.add_parser(name, help=spec.help)
        part.add_argument("--json", action="store_true", help="print one JSON document")
        part.add_argument("--why", action="store_true", help="with formula, inputs and sources of each figure")
        part.add_argument(
            "--jsonl", metavar="FILE", help="one request a line, one result a line (- for standard input)"
        )
        if name in FETCHING:
            part.add_argument("--fetch", action="store_true", help=HELP)
        if name == asked or asked is None:
            add_model_options(part, load(name)[0])
    return parser


def run(args: argparse.Namespace) -> int:
    """Estimate and print; a bad line of ``--jsonl`` becomes an error object in its place."""
    from assistant.catalogue import open_catalogue

    request_model, function = load(args.part)
    catalogue = open_catalogue(args.overlay)
    prepare = _fetched if getattr(args, "fetch", False) else counted_gpus
    if args.jsonl:
        broken = 0
        for line in _lines(args.jsonl):
            answer = _answer(line, request_model, function, catalogue, prepare, getattr(args, "debug", False))
            broken += "internal" in answer.get("error", {})
            _print_line(answer)
        return 1 if broken else 0
    request = build(request_model, prepare(options_given(args), catalogue))
    result = _estimate(request, function, catalogue, args.why)
    if args.json:
        print_json(result)
    else:
        _print_table(result)
    return 0


def _estimate(request: BaseModel, function: Callable[..., BaseModel], catalogue: Any, why: bool) -> dict[str, Any]:
    if not why:
        return dict(plain(function(request, catalogue, None)))
    from assistant.conclusions.explained import explained  # the records of a whole sizing, and Trace: only for this
    from assistant.sizing.trace import Trace

    trace = Trace()
    result: dict[str, Any] = plain(function(request, catalogue, trace))
    return result | {"why": plain(explained(trace, catalogue))}


def _lines(path: str) -> Iterator[bytes]:
    if path == "-":
        yield from sys.stdin.buffer
        return
    try:
        with open(path, "rb") as file:
            yield from file
    except FileNotFoundError:
        raise BadInput("--jsonl", path, "no such file") from None
    except IsADirectoryError:
        raise BadInput("--jsonl", path, "a file is expected, this is a folder") from None


Prepare = Callable[[dict[str, Any], Any], dict[str, Any]]


def _fetched(raw: dict[str, Any], catalogue: Any) -> dict[str, Any]:
    """``raw`` with a model that is no catalogue entry but owner/name replaced by the path of its fetched config."""
    raw = counted_gpus(raw, catalogue)
    return raw | {"model": fetched(raw["model"], catalogue)} if "model" in raw else raw


def _answer(
    line: bytes,
    model: type[BaseModel],
    function: Callable[..., BaseModel],
    catalogue: Any,
    prepare: Prepare,
    debug: bool,
) -> dict[str, Any]:
    """The result of one line. A slip of the program's own spoils that line alone, never the answers after it."""
    try:
        return dict(plain(function(build(model, prepare(_request(line), catalogue)), catalogue, None)))
    except BadInput as error:
        return {"error": plain(_finite(error.as_dict()))}
    except SizewrightError as error:
        return {"error": {"message": str(error)}}
    except Exception as error:
        if debug:
            raise
        return {"error": {"internal": type(error).__name__, "message": f"internal error: {error}"}}


def _request(line: bytes) -> dict[str, Any]:
    """One line as a request's fields. Raises BadInput where it is no JSON object in UTF-8."""
    shown = line.strip()[:80].decode("utf-8", errors="replace")
    try:
        raw = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise BadInput("line", shown, f"not valid JSON: {error}") from None
    if not isinstance(raw, dict):
        raise BadInput("line", shown, "one JSON object a line is expected")
    return raw


def _finite(error: dict[str, Any]) -> dict[str, Any]:
    """JSON knows no infinity, and a refused value may be one."""
    value = error["value"]
    return error | {"value": str(value)} if isinstance(value, float) and not math.isfinite(value) else error


def _print_line(result: dict[str, Any]) -> None:
    sys.stdout.write(ONE_LINE(result) + "\n")


def _print_table(result: dict[str, Any], indent: int = 0) -> None:
    result = {key: value for key, value in result.items() if value is not None or key not in ABSENT}
    width = max((len(k) for k in result), default=0)
    for key, value in result.items():
        if isinstance(value, dict) and value:
            print(f"{' ' * indent}{key}:")
            _print_table(value, indent + 2)
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            print(f"{' ' * indent}{key}:")
            for item in value:
                print(f"{' ' * (indent + 2)}- " + ", ".join(f"{k} {_shown(v)}" for k, v in item.items()))
        else:
            print(f"{' ' * indent}{key:<{width}}  {_shown(value)}")


def _shown(value: Any) -> str:
    if value is None:
        return "unknown"
    if value is True or value is False:
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)
