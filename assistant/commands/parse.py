"""``sizewright parse TEXT``: what is understood of a free-text message."""

from __future__ import annotations

import argparse
from typing import Any

from assistant.output import harmless, print_json


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Options of ``parse``."""
    parser: argparse.ArgumentParser = subparsers.add_parser("parse", help="what the parser understands of a message")
    parser.add_argument("text", metavar="TEXT", help="the message, or - for standard input")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    return parser


def run(args: argparse.Namespace) -> int:
    """Parse and print; a message that states nothing is a result too."""
    from assistant.catalogue import open_catalogue
    from assistant.interview.parser import parse
    from assistant.requests import read_text

    text = read_text("-", "TEXT") if args.text == "-" else args.text
    result = parse(harmless(text), open_catalogue(args.overlay))
    if args.json:
        print_json(result.as_json())
        return 0
    from assistant.interview.questions import question
    from assistant.interview.wording import show_value

    for field, mention in result.fields.items():
        print(harmless(f'{field}: {show_value(question(field), mention.value, "en")}  from "{mention.text}"'))
    for field, derived in result.derived.items():
        print(f"{field}: {show_value(question(field), derived.value, 'en')}  (follows: {derived.because})")
    for doubt in result.ambiguous:
        print(harmless(f'{doubt.field}? "{doubt.span.text}": {doubt.question}'))
    for out in result.excluded:
        print(harmless(f'not {out.field}: {out.value}  from "{out.span.text}"'))
    if not (result.fields or result.ambiguous or result.excluded):
        print("Nothing stated that a sizing could use.")
    return 0
