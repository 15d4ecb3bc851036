"""``sizewright watch --prometheus URL``: which nodes to drain, and why."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from assistant.output import harmless, print_json, say
from knowledge.errors import BadInput, SizewrightError

if TYPE_CHECKING:
    from assistant.operations.watch import NodeState, Watch

TOKEN = "SIZEWRIGHT_PROMETHEUS_TOKEN"


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Options of ``watch``."""
    text = "evaluate the operations rules on live metrics; nothing is changed on the cluster"
    parser: argparse.ArgumentParser = subparsers.add_parser("watch", help=text, description=text)
    parser.add_argument("--prometheus", metavar="URL", required=True, help=f"the server; a bearer token in {TOKEN}")
    parser.add_argument("--once", action="store_true", help="evaluate once and end")
    parser.add_argument("--interval", type=float, default=30.0, metavar="SECONDS", help="between evaluations (30)")
    parser.add_argument("--ca-file", metavar="FILE", help="authorities to trust instead of the system's")
    parser.add_argument("--json", action="store_true", help="print JSON: one document with --once, else one a line")
    return parser


def run(args: argparse.Namespace) -> int:
    """Evaluate once, or until interrupted; a server that fails in between is said and asked again."""
    import time

    from assistant.catalogue import open_catalogue
    from assistant.operations.watch import watch_once
    from assistant.remote import get_json

    address = _address(args.prometheus)
    if not args.interval >= 1:
        raise BadInput("--interval", args.interval, "at least one second", ("30",))
    catalogue = open_catalogue(args.overlay)
    token = os.environ.get(TOKEN, "").strip() or None

    def ask(path: str, question: dict[str, str]) -> object:
        return get_json(address + path, question, token=token, ca_file=args.ca_file)

    while True:
        try:
            result = watch_once(ask, catalogue)
        except BadInput:
            raise
        except SizewrightError as error:
            if args.once:
                raise
            say(f"not evaluated: {error}")
        else:
            _show(result, args)
        if args.once:
            return 0
        time.sleep(args.interval)


def _address(given: str) -> str:
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(given)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and not parts.query
    except ValueError:
        usable = False
    if not usable:
        raise BadInput("--prometheus", given, "an address such as http://prometheus:9090")
    return given.rstrip("/")


def _show(result: Watch, args: argparse.Namespace) -> None:
    if args.json:
        print_json(result, indent=2 if args.once else None)
        return
    print("drain: " + (", ".join(state.node or "?" for state in result.drain) or "no node"))
    for state in (*result.drain, *result.watch):
        _show_state(state)
    print(f"{result.evaluated} rules evaluated, {len(result.not_evaluated)} not:")
    for missing in result.not_evaluated:
        print(harmless(f"  {missing.alert}: {missing.why} ({', '.join(missing.metrics)})"))


def _show_state(state: NodeState) -> None:
    print(harmless(f"\n{state.node or 'the cluster'}: {state.action.replace('_', ' ')}"))
    for item in state.because:
        value = "" if item.value is None else f" = {item.value:g}"
        print(harmless(f"  [{item.severity}] {item.summary}{f' ({item.where})' if item.where else ''}{value}"))
        print(harmless(f"      {item.alert}, threshold {item.threshold}; {item.source or 'our judgement'}"))
