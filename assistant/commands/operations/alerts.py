"""``sizewright alerts``: the operations rules as a Prometheus rule file, and the dashboard beside them."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from knowledge.errors import BadInput


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Options of ``alerts``."""
    text = "write the operations rules as a Prometheus rule file"
    parser: argparse.ArgumentParser = subparsers.add_parser("alerts", help=text, description=text)
    parser.add_argument("--dashboard", action="store_true", help="a Grafana dashboard (JSON) instead of the rules")
    parser.add_argument("--to", metavar="FILE", help="write there instead of to standard output")
    parser.add_argument("--force", action="store_true", help="replace a file that exists")
    parser.add_argument("--json", action="store_true", help="print one JSON document, which Prometheus reads as well")
    return parser


def run(args: argparse.Namespace) -> int:
    """Write the rule file or the dashboard."""
    import json

    import yaml

    from assistant.catalogue import open_catalogue
    from assistant.operations.watch.alerts import rule_file
    from assistant.operations.watch.dashboard import dashboard
    from assistant.output import print_json, say

    catalogue = open_catalogue(args.overlay)
    made = dashboard(catalogue) if args.dashboard else rule_file(catalogue)
    if args.json:
        print_json(made)
        return 0
    if args.dashboard:
        text, count = json.dumps(made, indent=2, ensure_ascii=False) + "\n", f"{len(made['panels'])} panels"
    else:
        text = yaml.safe_dump(made, sort_keys=False, allow_unicode=True, width=120)
        count = f"{sum(len(group['rules']) for group in made['groups'])} rules"
    if args.to is None:
        print(text, end="")
        return 0
    target = Path(args.to)
    if target.exists() and not args.force:
        raise BadInput("--to", args.to, "a file that does not exist yet, or --force")
    target.write_text(text, encoding="utf-8")
    say(f"{count} written to {target}")
    return 0
