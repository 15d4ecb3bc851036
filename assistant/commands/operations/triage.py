"""``sizewright triage``: log text in, what it means and what to do now out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assistant.output import harmless, print_json, say
from knowledge.errors import BadInput

if TYPE_CHECKING:
    from knowledge.catalogue import Catalogue


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Options of ``triage``."""
    text = "diagnose kernel, NCCL, PyTorch, Slurm or Kubernetes log text"
    parser: argparse.ArgumentParser = subparsers.add_parser("triage", help=text, description=text)
    parser.add_argument("files", nargs="*", metavar="FILE", help="logs, folders or patterns; - or none: standard input")
    parser.add_argument("--symptom", metavar="TEXT", help='no log, but this: "slow at 64 nodes but fine at 8"')
    parser.add_argument(
        "--answer", action="append", default=[], metavar="QUESTION=ANSWER", help="to a question it asks"
    )
    parser.add_argument("--check", action="append", default=[], metavar="COMMAND=ok|not", help="how a check came out")
    parser.add_argument("--interview", action="store_true", help="ask about an incident, line by line")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    return parser


def run(args: argparse.Namespace) -> int:
    """Diagnose and print; a log without a fault is a result too."""
    from assistant.catalogue import open_catalogue
    from assistant.operations.triage.archives import NotALog
    from assistant.operations.triage.diagnose import triage_files, triage_stream
    from assistant.operations.triage.files import log_files
    from assistant.operations.triage.text import lines

    catalogue = open_catalogue(args.overlay)
    if args.symptom is not None or args.interview or args.answer or args.check:
        return _symptom(args, catalogue)
    if args.files in ([], ["-"]):
        if sys.stdin.isatty():
            say("Paste the log, then end with ctrl+d.")
        try:
            result = triage_stream(sys.stdin.buffer, catalogue)
        except NotALog as error:
            raise BadInput("FILE", "standard input", f"log text, packed or not; this is {error}") from error
    else:
        if "-" in args.files:
            raise BadInput("FILE", "-", "standard input alone, or files")
        result = triage_files(log_files(args.files), catalogue, _progress if sys.stderr.isatty() else None)
        for problem in result.unreadable:
            say(harmless(f"not read: {problem}"))
        if result.files_read == 0:
            raise BadInput("FILE", args.files[0], "a file of log text that can be read")
    for what in result.cut:
        say(harmless(f"not read to its end: {what}"))
    if args.json:
        print_json(result)
    else:
        for line in lines(result):
            print(harmless(line))
    return 0


def _symptom(args: argparse.Namespace, catalogue: Catalogue) -> int:
    from assistant.operations.incident.dialogue import Incident, said, talk

    if args.files:
        raise BadInput("FILE", args.files[0], "a symptom and answers, or files, not both")
    if args.symptom is not None and not args.symptom.strip():
        raise BadInput("--symptom", args.symptom, "what is seen, in a few words")
    incident = Incident(harmless(args.symptom or ""), _pairs("--answer", args.answer), _checks(args.check))
    if args.interview:
        return talk(incident, catalogue, input, print)
    result = incident.assess(catalogue)
    if args.json:
        print_json(result)
    else:
        print(harmless("\n".join(said(result))))
    return 0


def _pairs(option: str, given: Sequence[str]) -> dict[str, str]:
    for text in given:
        if "=" not in text:
            raise BadInput(option, text, "a name, an equals sign and a value")
    return {name.strip(): value.strip() for name, _, value in (text.rpartition("=") for text in given)}


def _checks(given: Sequence[str]) -> dict[str, bool]:
    pairs = _pairs("--check", given)
    for command, outcome in pairs.items():
        if outcome not in ("ok", "not"):
            raise BadInput(f"--check {command}", outcome, "ok where it came out as expected, else not", ("ok", "not"))
    return {command: outcome == "ok" for command, outcome in pairs.items()}


def _progress(done: int, total: int) -> None:
    print(f"\r{done / 1e6:,.0f} of {total / 1e6:,.0f} MB read", end="" if done < total else "\n", file=sys.stderr)
