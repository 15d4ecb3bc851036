"""``sizewright export ID --to FILE``: a saved session as a document."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from assistant.export import FORMATS, PICTURES, render_file, suffix_of, write
from assistant.export.document import build_document
from assistant.messages import LANGUAGES
from assistant.output import say
from assistant.service import Assistant
from assistant.session import Session
from assistant.store import Store
from knowledge.errors import BadInput


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Options of ``export``."""
    parser: argparse.ArgumentParser = subparsers.add_parser("export", help="write a saved session to a file")
    parser.add_argument("id", metavar="ID", help="session")
    parser.add_argument(
        "--to",
        metavar="FILE",
        required=True,
        help=f"format by ending ({', '.join((*FORMATS, *PICTURES))}); --to=-.md writes to standard output",
    )
    parser.add_argument("--lang", choices=LANGUAGES, help="language (default: the session's)")
    parser.add_argument("--force", action="store_true", help="replace the file if it exists")
    return parser


def run(args: argparse.Namespace) -> int:
    """Write the document whole, or nothing."""
    path = Path(args.to)
    suffix_of(path.name)
    if path.is_dir():
        raise BadInput("--to", args.to, "a file is expected, this is a folder")
    with Store(args.db) as store:
        session = store.session(args.id)
        assistant = Assistant(args.overlay)
        sizing = Session(assistant, store, session.id).sizing
        if sizing is None:
            raise BadInput("session", session.id, "it has no sizing yet; answer a question or use `sizewright size`")
        document = build_document(sizing, session.label, store.checklist(session.id), args.lang or session.lang)
    text = render_file(path.name, sizing, document, assistant.catalogue)
    if path.name.startswith("-."):
        _print(text)
        return 0
    write(path, text, args.force)
    say(f"Wrote {path}")
    return 0


def _print(text: str | bytes) -> None:
    """To standard output, an archive byte by byte."""
    if isinstance(text, str):
        print(text, end="")
    else:
        sys.stdout.buffer.write(text)
