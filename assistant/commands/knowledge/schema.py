"""``sizewright schema NAME``: JSON Schema of an input or output, from the pydantic model itself."""

from __future__ import annotations

import argparse
import difflib
import importlib
from typing import Any

from pydantic import BaseModel

from assistant.output import print_json
from assistant.requests.estimates import PARTS
from knowledge.errors import BadInput

MODELS = {
    "size": "assistant.result:Sizing",
    "brief": "assistant.interview.brief:Brief",
    "answer": "assistant.interview.brief:Answer",
    "parse": "assistant.interview.parser:ParseResult",
    "ask": "assistant.asking.answer:Answer",
    "triage": "assistant.operations.triage.findings:Triage",
    "simulate": "assistant.operations.simulator:SimulateResult",
    "simulate-input": "assistant.operations.simulator:SimulateRequest",
    "watch": "assistant.operations.watch.live:Watch",
    "transcript": "assistant.transcript:Transcript",
    **{f"{part}-request": f"assistant.sizing.{spec.module}:{spec.request}" for part, spec in PARTS.items()},
    **{
        f"{part}-result": f"assistant.sizing.{spec.module}:{spec.request.replace('Request', 'Result')}"
        for part, spec in PARTS.items()
    },
}
"""Name -> module and class of each public input and output."""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Options of ``schema``."""
    parser: argparse.ArgumentParser = subparsers.add_parser("schema", help="JSON Schema of an input or output")
    parser.add_argument("name", metavar="NAME", nargs="?", help=f"one of {', '.join(MODELS)}")
    return parser


def model_of(name: str) -> type[BaseModel]:
    """The pydantic model of a schema name. Raises BadInput for an unknown one."""
    if name not in MODELS:
        near = difflib.get_close_matches(name, MODELS, n=3, cutoff=0.4)
        raise BadInput("NAME", name, f"one of {', '.join(MODELS)}", near)
    module, _, attribute = MODELS[name].partition(":")
    model: type[BaseModel] = getattr(importlib.import_module(module), attribute)
    return model


def run(args: argparse.Namespace) -> int:
    """Print the schema, or the names without one."""
    print_json(model_of(args.name).model_json_schema() if args.name else sorted(MODELS))
    return 0
