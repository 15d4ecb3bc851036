"""``sizewright size``: first sizing from a brief, from free text, or both."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant.commands.shared.fetching import HELP, fetched
from assistant.commands.shared.second_reading import accepted, add_helper_options, read_again, wanted
from assistant.interview.brief import Answer, Brief
from assistant.messages import LANGUAGES
from assistant.output import harmless, print_json, say
from assistant.requests.answers import answers_of
from assistant.requests.files import read_mapping
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput, SizewrightError

if TYPE_CHECKING:
    from assistant.result import Sizing

SUFFIXES = (".yaml", ".yml", ".json")


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Options of ``size``."""
    parser: argparse.ArgumentParser = subparsers.add_parser("size", help="first sizing from a brief or free text")
    parser.add_argument("brief", nargs="?", metavar="BRIEF", help="YAML or JSON file of answers, - for standard input")
    parser.add_argument("--say", metavar="TEXT", help="what the customer said, in their words")
    parser.add_argument(
        "--set", metavar="FIELD=VALUE", action="append", default=[], help="one answer; stands above BRIEF and TEXT"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--why", action="store_true", help="with formula, inputs and sources of each figure")
    parser.add_argument("--full", action="store_true", help="the whole document, not the short form")
    parser.add_argument("--fetch", action="store_true", help=HELP)
    add_helper_options(parser)
    parser.add_argument("--lang", choices=LANGUAGES, help="language of the text (default: the message's, else English)")
    parser.add_argument("--accept", metavar="FIELDS", help="take these proposals of the helper: all, or fields, commas")
    parser.add_argument("--save", metavar="LABEL", help="keep it as a session, for checklist and export")
    return parser


def run(args: argparse.Namespace) -> int:
    """Size and print; saves only when asked to. The answer is printed also where it could not be saved."""
    from assistant.service import Assistant

    assistant = Assistant(args.overlay)
    brief = gather(args, assistant.catalogue)
    sizing = assistant.size(brief, why=args.why)
    problem = None if args.save is None else _save(args, brief, sizing)
    _print(args, sizing)
    if problem is not None:
        raise problem
    return 0


def _save(args: argparse.Namespace, brief: Brief, sizing: Sizing) -> SizewrightError | None:
    from assistant.store import Store

    try:
        with Store(args.db) as store:
            session = store.keep(harmless(args.save), list(brief.every()), sizing)
    except SizewrightError as error:
        return error
    say(f"Saved as {session}: `sizewright checklist {session}`, `sizewright export {session} --to FILE.md`")
    return None


def _print(args: argparse.Namespace, sizing: Sizing) -> None:
    if args.json:
        print_json(sizing)
        return
    from assistant.export import text
    from assistant.export.document import build_document
    from assistant.export.short import build_short

    label, lang = args.save or "", args.lang or "en"
    whole = args.full or args.why
    document = build_document(sizing, label, lang=lang) if whole else build_short(sizing, label, lang)
    print(harmless(text.render(document)), end="")


def gather(args: argparse.Namespace, catalogue: Catalogue) -> Brief:
    """The brief from file, text and ``--set``, later ones above earlier. Raises BadInput where nothing was said."""
    if args.brief is None and args.say is None and not args.set:
        raise BadInput(
            "size", "nothing", 'a BRIEF file, --say "what the customer said", or --set FIELD=VALUE is expected'
        )
    brief, said = args.brief, args.say
    if said is None and brief is not None and _is_a_sentence(brief):
        brief, said = None, brief
    answers: list[Answer] = []
    if brief is not None:
        answers.extend(answers_of(_hubbed(read_mapping(brief, "BRIEF"), args, catalogue), catalogue))
    if said is not None:
        from assistant.interview.parser import parse, to_answers

        heard = parse(harmless(said), catalogue)
        understood = to_answers(heard)
        if args.lang is None and heard.language in LANGUAGES:
            args.lang = heard.language
        if wanted(args):
            understood += accepted(read_again(harmless(said), understood, args, catalogue), args.accept)
        if not understood:
            say("Nothing of the message was understood; everything below is assumed.")
        answers.extend(understood)
    answers.extend(_set_answer(text, args, catalogue) for text in args.set)
    return Brief().with_answers(answers)


def _is_a_sentence(text: str) -> bool:
    """Whether somebody typed a message where a file is expected."""
    return " " in text.strip() and Path(text).suffix.lower() not in SUFFIXES and not os.path.lexists(text)


def _hubbed(fields: dict[str, Any], args: argparse.Namespace, catalogue: Catalogue) -> dict[str, Any]:
    """The fields with models of a hub replaced by the paths of their configurations, where fetching was asked for."""
    names = fields.get("models")
    if not getattr(args, "fetch", False) or not names:
        return fields
    split = [name.strip() for name in names.split(",")] if isinstance(names, str) else names
    return fields | {"models": [fetched(name, catalogue) for name in split]}


def _set_answer(text: str, args: argparse.Namespace, catalogue: Catalogue) -> Answer:
    from assistant.interview.validation import validate

    field, sign, value = text.partition("=")
    if not sign or not field.strip():
        raise BadInput("--set", text, "FIELD=VALUE is expected, as in users_total=500")
    said = _of_file(value.strip()) if field.strip() == "prices" else value.strip()
    given = _hubbed({field.strip(): said}, args, catalogue)
    return validate(field.strip(), given[field.strip()], catalogue)


def _of_file(value: str) -> str:
    """A price list may be named by its file."""
    path = Path(value)
    return path.read_text(encoding="utf-8") if path.suffix.lower() in (*SUFFIXES, ".txt") and path.is_file() else value
