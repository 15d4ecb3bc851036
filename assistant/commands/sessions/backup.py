"""``sizewright backup TO``: a consistent copy of the database."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from assistant.output import say
from assistant.store import Store
from knowledge.errors import BadInput


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Options of ``backup``."""
    parser: argparse.ArgumentParser = subparsers.add_parser("backup", help="copy the database to a file")
    parser.add_argument("to", metavar="TO", help="a file that does not exist yet")
    return parser


def run(args: argparse.Namespace) -> int:
    """Copy; a running app does not disturb it. Raises BadInput where the target cannot be made."""
    target = Path(args.to)
    if not target.parent.is_dir():
        raise BadInput("TO", args.to, f"the folder {target.parent} does not exist")
    with Store(args.db) as store:
        store.backup(target)
    say(f"Copied to {args.to}")
    return 0
