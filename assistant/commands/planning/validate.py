"""``sizewright validate``: every shipped published measurement beside our prediction of it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from assistant.output import print_json
from assistant.validation.report import Group, Report, validate

TABLES = ("model", "gpu", "engine", "precision", "cell")
HEAD = ("points", "refused", "median", "mean", "p90", "bias", "in band", "p90/p10")


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Options of ``validate``."""
    text = "predict every shipped measurement and print the errors, worst first"
    parser: argparse.ArgumentParser = subparsers.add_parser("validate", help=text, description=text)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument(
        "--metric", metavar="NAME", help="memory, speed, throughput, training, intake, triage, questions, or a metric"
    )
    parser.add_argument("--by", choices=TABLES, action="append", help="tables beside the summary (default: all)")
    parser.add_argument("--worst", type=int, default=20, metavar="N", help="how many of the worst points (default 20)")
    return parser


def run(args: argparse.Namespace) -> int:
    """Predict, and print tables or one JSON document."""
    from assistant.catalogue import open_catalogue

    if args.metric == "intake":
        return _intake(args)
    if args.metric == "questions":
        return _questions(args)
    report = validate(open_catalogue(args.overlay), args.metric, max(args.worst, 0))
    if args.json:
        print_json(report)
    else:
        _print(report, args.by or TABLES)
    return 0


def _intake(args: argparse.Namespace) -> int:
    from assistant.catalogue import open_catalogue
    from assistant.validation.intake import Row, measure  # which parses every shipped message

    report = measure(open_catalogue(args.overlay))
    if args.json:
        print_json(report)
        return 0
    print("messages understood; part unseen: never looked at while a reading was written\n")
    head = ("part", "of", "messages", "found", "invented", "unaccounted figures", "groups right", "exclusions")

    def line(row: Row) -> tuple[str, ...]:
        pairs = ((row.found, row.stated), (row.invented, row.states))
        shares = (_percent(a / b if b else None) for a, b in pairs)
        several, out = f"{row.groups_right}/{row.groups}", f"{row.excluded_right}/{row.excluded}"
        return (row.part, row.name, str(row.messages), *shares, str(row.unaccounted), several, out)

    for rows in (report.parts, report.by_language, report.by_kind):
        _columns([head, *map(line, rows)])
        print()
    return 0


def _questions(args: argparse.Namespace) -> int:
    from assistant.asking.library import Library
    from assistant.service import Assistant
    from assistant.validation.asked import measure  # which asks every shipped question

    report = measure(Library(Assistant(args.overlay)))
    if args.json:
        print_json(report)
        return 0
    print("questions answered; part later: scored once after all was written, then mended by kind\n")
    head = ("part", "of", "questions", "right", "declined", "wrong")
    for rows in (report.parts, report.by_kind):
        _columns([head, *(tuple(map(str, row.model_dump().values())) for row in rows)])
        print()
    return 0


def _print(report: Report, tables: Sequence[str]) -> None:
    print(f"{report.points} published figures, errors as |predicted / measured - 1|; test: held back from every fit\n")
    _table(report.metrics)
    for name, v in (("serving", report.verdicts), ("training", report.training_verdicts)):
        if v:
            print(f"\n{name}: ran {v.ran}, called fit {v.ran_called_fit}; ", end="")
            print(f"out of memory {v.out_of_memory}, called unfit {v.out_of_memory_called_unfit}")
            print(f"wrong: {', '.join(v.wrong) or 'none'}")
    for part in report.healthy_logs:
        print(f"\ntriage, healthy logs, {part.part}: {part.false_findings} false findings", end=" ")
        print(f"in {part.lines:,} lines ({part.per_1000_lines:g} per 1,000)")
    if not report.points:
        return
    for name in tables:
        groups = report.cells if name == "cell" else getattr(report, f"by_{name}")
        print(f"\nby {name}")
        _table(groups)
    print("\nworst points")
    rows = [("metric", "part", "id", "model", "gpu", "engine", "measured", "predicted")]
    rows += [
        (p.metric, p.part, p.id, p.model, p.gpu, p.engine, f"{p.measured:.4g}", _number(p.predicted))
        for p in report.worst
    ]
    _columns(rows)


def _number(value: float | None) -> str:
    return "refused" if value is None else f"{value:.4g}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"


def _table(groups: Sequence[Group]) -> None:
    if not groups:
        print("none")
        return
    rows = [(*groups[0].keys, *HEAD)]
    for group in groups:
        s = group.spread
        errors = (s.median_error, s.mean_error, s.p90_error, s.bias, s.covered)
        width = "-" if s.band_width is None else f"{s.band_width:.2f}"
        rows.append((*group.keys.values(), str(s.points), str(s.refused), *map(_percent, errors), width))
    _columns(rows)


def _columns(rows: Sequence[tuple[str, ...]]) -> None:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip())
