"""``sizewright watch --prometheus URL``: which nodes to drain, and why."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from assistant.operations.watch.options import add_options, asker
from assistant.output import harmless, print_json, say
from knowledge.errors import BadInput, SizewrightError

if TYPE_CHECKING:
    from assistant.operations.watch.live import Watch


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Options of ``watch``."""
    text = "evaluate the operations rules on live metrics; nothing is changed on the cluster"
    parser: argparse.ArgumentParser = subparsers.add_parser("watch", help=text, description=text)
    add_options(parser)
    return parser


def run(args: argparse.Namespace) -> int:
    """Evaluate once, or until interrupted; a server that fails in between is said and asked again."""
    import time

    from assistant.catalogue import open_catalogue
    from assistant.operations.watch.live import watch_once

    ask = asker(args)
    if args.insecure:
        say("--insecure: the server's certificate is not checked")
    catalogue = open_catalogue(args.overlay)
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


def _show(result: Watch, args: argparse.Namespace) -> None:
    if args.json:
        print_json(result, indent=2 if args.once else None)
        return
    from assistant.operations.watch.text import lines

    for line in lines(result):
        print(harmless(line))
