"""``sizewright parse TEXT``: what is understood of a free-text message."""

from __future__ import annotations

import argparse
from typing import Any

from assistant.commands.shared.second_reading import add_helper_options, as_json, described, read_again, wanted
from assistant.output import harmless, print_json


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Options of ``parse``."""
    parser: argparse.ArgumentParser = subparsers.add_parser("parse", help="what the parser understands of a message")
    parser.add_argument("text", metavar="TEXT", help="the message, or - for standard input")
    add_helper_options(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    return parser


def run(args: argparse.Namespace) -> int:
    """Parse and print; a message that states nothing is a result too."""
    from assistant.catalogue import open_catalogue
    from assistant.interview.parser import OWNED, parse, to_answers
    from assistant.requests.files import read_text

    text = harmless(read_text("-", "TEXT") if args.text == "-" else args.text)
    catalogue = open_catalogue(args.overlay)
    result = parse(text, catalogue)
    helped = read_again(text, to_answers(result), args, catalogue) if wanted(args) else None
    if args.json:
        print_json(result.as_json() | ({"helper": as_json(helped)} if helped else {}))
        return 0
    from assistant.interview.questions import question
    from assistant.interview.wording import show_value

    for field, mention in result.fields.items():
        print(harmless(f'{field}: {show_value(question(field), mention.value, "en")}  from "{mention.text}"'))
    for field, derived in result.derived.items():
        asked = field != OWNED  # which no question asks for
        value = show_value(question(field), derived.value, "en") if asked else derived.value
        print(harmless(f"{field}: {value}  (follows: {derived.because})"))
    for number, group in enumerate(result.groups if len(result.groups) > 1 else (), 1):
        told = ", ".join(f"{field} {mention.value}" for field, mention in group.fields.items())
        load = f", {group.amount.text}" if group.amount else ""
        print(harmless(f'demand {number}: {told}{load}  from "{group.text}"'))
    for doubt in result.ambiguous:
        print(harmless(f'{doubt.field}? "{doubt.span.text}": {doubt.question}'))
    for out in result.excluded:
        print(harmless(f'not {out.field}: {out.value}  from "{out.span.text}"'))
    for one in result.unused:
        print(harmless(f'heard, not used: "{one.text}" ({one.reason})'))
    for one in result.context:
        print(harmless(f'no sizing fact: "{one.text}" ({one.kind})'))
    for proposal in helped.proposals if helped else ():
        print(f"proposed, not confirmed: {described(proposal.answer)}")
    for gone in helped.dropped if helped else ():
        print(harmless(f"not kept: {gone.what} ({gone.why})"))
    if not (result.fields or result.ambiguous or result.excluded):
        print("Nothing stated that a sizing could use.")
    return 0
