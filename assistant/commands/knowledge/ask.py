"""``sizewright ask TEXT``: consult the knowledge base and the rules."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from assistant.asking.understood import understood
from assistant.output import harmless, print_json

if TYPE_CHECKING:
    from assistant.asking.answer import Against, Answer, AskedClaim


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Options of ``ask``."""
    parser: argparse.ArgumentParser = subparsers.add_parser("ask", help="consult the knowledge base and the rules")
    parser.add_argument("text", metavar="TEXT", help="the question, or - for standard input")
    parser.add_argument("--after", metavar="TEXT", help='the question before, which TEXT continues ("and in BF16?")')
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument(
        "--computed", dest="plain_answer", action="store_true", help="as computed, also where a language model is set"
    )
    return parser


def run(args: argparse.Namespace) -> int:
    """Answer and print; "not in the knowledge base" is an answer too."""
    from assistant.asking.ask import ask
    from assistant.asking.library import Library
    from assistant.asking.phrasing import phrased
    from assistant.requests.files import read_text
    from assistant.service import Assistant

    text = read_text("-", "TEXT") if args.text == "-" else args.text
    answer = ask(harmless(text), Library(Assistant(args.overlay)), harmless(args.after) if args.after else None)
    if not args.plain_answer:
        answer = phrased(answer)
    if args.json:
        print_json(answer)
    else:
        print(harmless("\n".join(lines(answer))))
    return 0


def lines(answer: Answer) -> list[str]:
    """The answer for a terminal: sentence, claims, who disagrees, sources."""
    shown = [answer.answer]
    if answer.phrased is not None and answer.phrased.text:
        shown = [answer.phrased.text, "", f"(worded by {answer.phrased.model}; as computed:)", answer.answer]
    if line := understood(answer):
        shown += ["", f"{'Verstanden als' if answer.language == 'de' else 'Understood as'}: {line}"]
    if answer.claims:
        shown += ["", "Rests on", *(f"  {claim_text(claim)}" for claim in answer.claims)]
    if answer.disagreements:
        shown += ["", "Says otherwise", *(f"  {against_text(item)}" for item in answer.disagreements)]
    if answer.sources:
        shown += [
            "",
            "Sources",
            *(f"  {s.id}: {s.title}. {s.address or 'no address'} ({_words(s.grade)})" for s in answer.sources),
        ]
    return shown


def claim_text(claim: AskedClaim) -> str:
    """A claim in a line: id, statement, grade, sources."""
    return (
        f"[{claim.id}] {claim.text} ({_words(claim.grade)}{': ' + ', '.join(claim.sources) if claim.sources else ''})"
    )


def against_text(item: Against) -> str:
    """What says otherwise in a line, and which side is followed for what reason."""
    side = "neither is followed" if item.side == "neither" else f"{item.side} is followed"
    return f"against [{item.of}]: {item.says} ({_words(item.grade)}; {side}: {item.why})"


def _words(name: str) -> str:
    return name.replace("_", " ")
