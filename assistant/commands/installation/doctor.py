"""``sizewright doctor``: state of the installation."""

from __future__ import annotations

import argparse
import platform
import sys
from typing import Any

from assistant.output import print_json
from knowledge.errors import SizewrightError


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Options of ``doctor``."""
    parser: argparse.ArgumentParser = subparsers.add_parser("doctor", help="state of the installation")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    return parser


def run(args: argparse.Namespace) -> int:
    """Print the state; status 1 when something is broken."""
    rows = state(args)
    if args.json:
        print_json(rows)
    else:
        for name, value in rows.items():
            print(f"{name:<20} {value}")
    return 0 if rows["problems"] == "none" else 1


def state(args: argparse.Namespace) -> dict[str, str]:
    """Versions, paths, engine, and what is wrong."""
    from assistant.catalogue import open_catalogue
    from assistant.store import Store, default_path
    from assistant.version import version
    from rules import load_rules
    from rules.engine import engine_name

    problems = []
    rows = {"sizewright": version(), "python": sys.version.split()[0], "platform": platform.platform()}
    rows["engine"] = engine_name()
    if rows["engine"] == "plain":
        rows["engine_note"] = "durable-rules is not in use (it does not import on Python 3.13); results are the same"
    try:
        rows["catalogue_version"] = open_catalogue(args.overlay).version
        rows["rules_version"] = load_rules().version
    except SizewrightError as error:
        problems.append(str(error))
    path = args.db or str(default_path())
    rows["database"] = path
    try:
        with Store(path) as store:
            rows["sessions"] = str(len(store.sessions()))
    except SizewrightError as error:
        problems.append(str(error))
    rows["problems"] = "; ".join(problems) or "none"
    return rows
