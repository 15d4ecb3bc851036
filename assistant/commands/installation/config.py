"""``sizewright config``: settings in force and where each comes from."""

from __future__ import annotations

import argparse
import os
from typing import Any

from assistant.output import print_json


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Options of ``config``."""
    parser: argparse.ArgumentParser = subparsers.add_parser("config", help="settings and where they come from")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    return parser


def settings(db: str | None, overlay: str | None) -> list[dict[str, str | None]]:
    """Each setting with its value and origin."""
    from assistant.store import default_path

    return [
        _setting("database", db, "SIZEWRIGHT_DB", "--db", str(default_path())),
        _setting("overlay", overlay, "SIZEWRIGHT_OVERLAY", "--overlay", None),
        _setting("engine", os.environ.get("SIZEWRIGHT_ENGINE"), "SIZEWRIGHT_ENGINE", "", "auto"),
    ]


def _setting(name: str, value: str | None, variable: str, option: str, default: str | None) -> dict[str, str | None]:
    if value is None:
        return {
            "name": name,
            "value": default,
            "origin": "default",
            "set_by": " or ".join(filter(None, (option, variable))),
        }
    origin = variable if os.environ.get(variable) == value else option
    return {"name": name, "value": value, "origin": origin, "set_by": " or ".join(filter(None, (option, variable)))}


def run(args: argparse.Namespace) -> int:
    """Print the settings."""
    rows = settings(args.db, args.overlay)
    if args.json:
        print_json(rows)
    else:
        for row in rows:
            print(f"{row['name']:<10} {row['value'] or 'none'}  ({row['origin']}; set by {row['set_by']})")
    return 0
