"""The command line. Standard output is data, standard error is narration.

Exit status: 0 done (also for "does not fit", which is a result), 2 bad input, 1 anything else, 130 interrupted.
Only the module of the command that was asked for is imported, so that each starts as fast as it can.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import io
import os
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from assistant.messages import LANGUAGES
from knowledge.errors import SizewrightError

COMMANDS = {
    "size": "first sizing from a brief, from free text, or both",
    "parse": "what the parser understands of a message",
    "estimate": "one part of the arithmetic alone: serve, train, finetune, fabric, storage, facility, reliability",
    "ask": "a question to the knowledge base and the rules",
    "checklist": "show and maintain the checklist of a saved session",
    "export": "write a saved session to a file: md, json, csv",
    "sessions": "list, show, diff, delete and import saved sessions",
    "replay": "replay recorded interviews and compare",
    "catalogue": "specifications, with their sources; check an overlay",
    "rules": "the rule base, with its sources",
    "validate": "predict every shipped measurement and print the errors, worst first",
    "triage": "diagnose kernel, NCCL, PyTorch, Slurm or Kubernetes log text",
    "alerts": "write the operations rules as a Prometheus rule file",
    "simulate": "play a training run: failures, checkpoints, restarts, spares, spot nodes",
    "sweep": "evaluate a design space: every combination of some fields, one result a line",
    "watch": "evaluate the operations rules on live metrics",
    "runbook": "failure modes as pages; a job's environment; a health check for nodes",
    "doctor": "state of the installation: engine, versions, paths",
    "config": "settings and where they come from",
    "backup": "copy the database to a file",
    "schema": "JSON Schema of an input or output",
}
"""Command -> one line of help. Its module in a room of ``assistant.commands`` has ``add_parser`` and ``run``."""

ROOMS = {
    "planning": ("size", "parse", "interview", "estimate", "simulate", "sweep", "validate"),
    "sessions": ("sessions", "checklist", "export", "replay", "backup"),
    "operations": ("triage", "alerts", "watch", "runbook"),
    "knowledge": ("ask", "catalogue", "rules", "schema"),
    "installation": ("doctor", "config"),
}
"""Room of ``assistant.commands`` -> the commands in it."""

PLANNED: tuple[str, ...] = ()
"""Commands of the contract that are not built yet; naming one lists those that are."""


class Parser(argparse.ArgumentParser):
    """Options are written out: an abbreviation that works today would break with the next option."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"allow_abbrev": False, **kwargs})


def module_of(command: str) -> ModuleType:
    """The module of a command, imported."""
    room = next(room for room, commands in ROOMS.items() if command in commands)
    return importlib.import_module(f"assistant.commands.{room}.{command}")


def _common() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    group = common.add_argument_group("common options")
    group.add_argument("--db", metavar="PATH", help="the database (else SIZEWRIGHT_DB, else the user data directory)")
    group.add_argument("--overlay", metavar="DIR", help="company catalogue overlay (else SIZEWRIGHT_OVERLAY)")
    group.add_argument("--debug", action="store_true", help="show the traceback of an error")
    return common


def _add_common(parser: argparse.ArgumentParser) -> None:
    """Give a parser and all its sub-parsers the common options they do not define themselves."""
    taken = {option for action in parser._actions for option in action.option_strings}
    for action in _common()._actions:
        if not taken.intersection(action.option_strings):
            parser._add_action(action)
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for sub in dict.fromkeys(action.choices.values()):
                _add_common(sub)


def build_parser(command: str | None = None) -> argparse.ArgumentParser:
    """The parser, with the options of ``command`` filled in; with None, all commands by name only."""
    parser = Parser(
        prog="sizewright",
        description="Sizing and operations assistant for GPU clusters: sizing, reasons with sources, checklist.",
        epilog="Without a command, in a terminal: the app. With --plain: the same interview line by line.",
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    parser.add_argument(
        "--plain", action="store_true", help="the interview line by line, for scripts and screen readers"
    )
    parser.add_argument("--resume", metavar="ID", help="open a saved session")
    parser.add_argument("--lang", choices=LANGUAGES, help="language of the interview (default: from the locale)")
    parser.add_argument("--theme", metavar="NAME", help="theme of the app: dark, light, ansi, ansi-light, mono")
    parser.add_argument(
        "--audience", choices=("presales", "engineer"), default="presales", help="wording of the questions"
    )
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name, text in COMMANDS.items():
        if name == command:
            module_of(name).add_parser(subparsers)
        elif command is None:
            subparsers.add_parser(name, help=text)
    _add_common(parser)
    return parser


def _command_in(argv: Sequence[str]) -> str | None:
    """The first word that is not an option or an option's value."""
    takes_value = {"--db", "--overlay", "--resume", "--lang", "--audience", "--theme"}
    skip = False
    for word in argv:
        if skip:
            skip = False
        elif word in takes_value:
            skip = True
        elif not word.startswith("-"):
            return word
    return None


def _refuse_unknown(word: str) -> int:
    import difflib

    known = sorted(COMMANDS)
    state = "is not built yet" if word in PLANNED else "is not a command"
    near = difflib.get_close_matches(word, known, n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    print(f"sizewright: {word!r} {state}.{hint} Commands: {', '.join(known)}.", file=sys.stderr)
    return 2


App = Callable[[argparse.Namespace], int]
"""Starts the full-screen app; given by the layer above, since this one must not import it."""


def _interactive(args: argparse.Namespace, app: App | None) -> int:
    if args.plain:
        return int(importlib.import_module("assistant.commands.planning.interview").run(args))
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        print(
            "sizewright: the app needs a terminal. Use --plain for the interview line by line, "
            "or `sizewright size --say TEXT` for an answer at once.",
            file=sys.stderr,
        )
        return 2
    if app is None:
        print("sizewright: this entry has no app; use --plain", file=sys.stderr)
        return 2
    return app(args)


def run(argv: Sequence[str], app: App | None = None) -> int:
    """Parse and dispatch; errors of the project's own kind become a message and a status."""
    command = _command_in(argv)
    if command is not None and command not in COMMANDS:
        return _refuse_unknown(command)
    args = build_parser(command).parse_args(argv)
    if args.version:
        from assistant.version import version

        print(version())
        return 0
    args.db = getattr(args, "db", None) or os.environ.get("SIZEWRIGHT_DB")
    args.overlay = getattr(args, "overlay", None) or os.environ.get("SIZEWRIGHT_OVERLAY")
    if command is None:
        return _interactive(args, app)
    return int(module_of(command).run(args))


def _report(error: BaseException, debug: bool) -> None:
    if debug:
        import traceback

        traceback.print_exception(error)
    else:
        print(f"sizewright: {error}", file=sys.stderr)


def _open_to_all_signs() -> None:
    """Whatever the locale, a strange byte or sign is no reason to stop; what is typed in an ASCII locale is UTF-8."""
    import codecs

    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            ascii_input = stream is sys.stdin and codecs.lookup(stream.encoding).name == "ascii"
            stream.reconfigure(encoding="utf-8" if ascii_input else None, errors="replace")


def start_lean() -> None:
    """Leave out what a short run pays for and has no use of.

    pydantic looks through all installed packages for plugins, which would also run code that nobody here asked for. The
    cyclic collector walks all that was just imported again and again; at a higher threshold it still bounds memory.
    """
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    gc.set_threshold(100_000, 50, 100)


def main(argv: Sequence[str] | None = None, app: App | None = None) -> int:
    """Entry point of the console script; returns the exit status and never lets a traceback through."""
    words = list(sys.argv[1:] if argv is None else argv)
    debug = "--debug" in words
    start_lean()
    _open_to_all_signs()
    try:
        return run(words, app)
    except SizewrightError as error:
        _report(error, debug)
        return error.exit_status
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader went away (`| head`): silence the flush at exit too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        _report(SizewrightError(f"{error.strerror or error}{where}"), debug)
        return 1
    except Exception as error:  # the one boundary of this face
        if debug:
            raise
        print(
            f"sizewright: internal error: {type(error).__name__}: {error}. "
            "Nothing was lost; run again with --debug to see where.",
            file=sys.stderr,
        )
        return 1


if __name__ == "__main__":
    sys.exit(main())
