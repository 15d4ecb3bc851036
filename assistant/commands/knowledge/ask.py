"""``sizewright ask TEXT``: consult the knowledge base and the rules."""

from __future__ import annotations

import argparse
from typing import Any

from assistant.output import harmless, print_json


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
    from assistant.asking.text import lines
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
