"""``sizewright simulate``: a training run, played with failures, checkpoints, spares and spot nodes."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from assistant.output import harmless, plain, print_json
from assistant.requests.fields import add_model_options, options_given

if TYPE_CHECKING:
    from assistant.operations.simulator import SimulateRequest
    from assistant.result import Sizing
    from knowledge.catalogue import Catalogue


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Options of ``simulate``: those of a run, and those of ``estimate train`` for the model behind it."""
    from assistant.operations.simulator.request import SimulateRequest
    from assistant.sizing.training.parts.request import TrainRequest

    text = "play a training run: failures, checkpoints, restarts, spares, spot nodes"
    parser: argparse.ArgumentParser = subparsers.add_parser("simulate", help=text, description=text)
    parser.add_argument("--session", metavar="ID", help="the training job of a saved session")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--why", action="store_true", help="with formula, inputs and sources of the figures behind it")
    add_model_options(parser, SimulateRequest, "run", skip={"job"})
    add_model_options(parser, TrainRequest, "model and layout, as estimate train", skip=SimulateRequest.model_fields)
    return parser


def run(args: argparse.Namespace) -> int:
    """Play and print."""
    from assistant.catalogue import open_catalogue
    from assistant.operations.simulator.inputs import of_sizing, played
    from assistant.operations.simulator.study import simulate_played
    from assistant.operations.simulator.text import report
    from assistant.operations.simulator.words import request_of

    catalogue = open_catalogue(args.overlay)
    request = request_of(options_given(args))
    if args.session:
        request = of_sizing(request, _saved(args), args.session)
    game = played(request, catalogue)
    result = simulate_played(game, request)
    document: dict[str, Any] = plain(result)
    if args.why:
        document["why"] = _why(game.request, catalogue)
    if args.json:
        print_json(document)
        return 0
    for line in report(result):
        print(harmless(line))
    for why in document.get("why", ()):
        print(harmless(f"{why['name']} = {why['value']}: {why['statement']} [{', '.join(why['sources'])}]"))
    return 0


def _saved(args: argparse.Namespace) -> Sizing:
    from assistant.store import Store
    from knowledge.errors import BadInput

    with Store(args.db) as store:
        sizing = store.last_sizing(store.session(args.session).id)
    if sizing is None:
        raise BadInput("--session", args.session, "a session that has been sized")
    return sizing


def _why(request: SimulateRequest, catalogue: Catalogue) -> Any:
    """The figures of ``estimate reliability`` for the same run, explained."""
    from assistant.conclusions.explained import explained
    from assistant.sizing.reliability import ReliabilityRequest, estimate_reliability
    from assistant.sizing.trace import Trace

    trace = Trace()
    fields = set(ReliabilityRequest.model_fields) & request.model_fields_set
    said = {name: getattr(request, name) for name in fields}
    estimate_reliability(ReliabilityRequest(**said), catalogue, trace)
    return plain(explained(trace, catalogue))
