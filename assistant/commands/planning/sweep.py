"""``sizewright sweep PART``: every combination of some fields, one result a line, on all cores or on a Dask cluster."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from assistant.output import say
from assistant.requests.estimates import PARTS
from assistant.sweep.evaluate import ready
from assistant.sweep.results import ONE_LINE, kept
from assistant.sweep.space import SIMULATE, SIZE, Space, space_of
from assistant.sweep.workers import on_cores, on_dask
from knowledge.errors import BadInput

SAID = 20
"""Times that progress is told in a sweep."""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Options of ``sweep``."""
    text = "evaluate a design space: every combination of the values of some fields"
    parser: argparse.ArgumentParser = subparsers.add_parser("sweep", help=text, description=text)
    parts = (SIZE, SIMULATE, *PARTS)
    parser.add_argument("part", metavar="PART", help=f"one of {', '.join(parts)}")
    parser.add_argument("--say", metavar="TEXT", help="what the customer said, the same for all points (size)")
    parser.add_argument("--set", metavar="FIELD=VALUE", action="append", default=[], help="a field that stays")
    parser.add_argument(
        "--vary", metavar="FIELD=VALUES", action="append", default=[], help="a,b,c or low:high:step or a JSON list"
    )
    parser.add_argument("--to", metavar="FILE", help="write there; run again to go on where it was interrupted")
    parser.add_argument("--full", action="store_true", help="whole documents, not the main figures (size, simulate)")
    parser.add_argument("--workers", type=int, metavar="N", help="processes (left out: one a core)")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask cluster, as in tcp://host:8786")
    parser.set_defaults(parts=parts)
    return parser


def run(args: argparse.Namespace) -> int:
    """Evaluate, one JSON object a line in the order of the points; progress goes to standard error."""
    if args.part not in args.parts:
        raise BadInput("PART", args.part, f"one of {', '.join(args.parts)}")
    if args.workers is not None and args.workers < 1:
        raise BadInput("--workers", args.workers, "at least 1", ["1"])
    space = space_of(args.part, args.say, args.set, args.vary)
    ready(args.overlay)
    if args.to is None:
        _write(sys.stdout, space, 0, args)
        return 0
    path = Path(args.to)
    done = kept(path, space)
    if done:
        say(f"{done:,} of {space.total:,} are there already")
    with path.open("a", encoding="utf-8", newline="\n") as file:
        _write(file, space, done, args)
    return 0


def _write(file: IO[str], space: Space, done: int, args: argparse.Namespace) -> None:
    each = max(1, space.total // SAID)
    for row in _rows(space, done, args):
        file.write(ONE_LINE(row) + "\n")
        file.flush()
        done += 1
        if done % each == 0 or done == space.total:
            say(f"{done:,} of {space.total:,}")


def _rows(space: Space, done: int, args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    if args.scheduler:
        return on_dask(space, done, args.overlay, args.full, args.scheduler)
    return on_cores(space, done, args.overlay, args.full, args.workers)
