"""``sizewright runbook``: failure modes as pages, a job's environment, checks of nodes, and maintenance."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

from assistant.operations.handbook.health import FORMS
from assistant.output import say
from knowledge.errors import BadInput


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Options of ``runbook``."""
    text = "failure modes as pages; a job's environment; checks of nodes; maintenance at fixed times"
    parser: argparse.ArgumentParser = subparsers.add_parser("runbook", help=text, description=text)
    parser.add_argument("mode", nargs="?", metavar="MODE", help="a failure mode (without one: the list of them)")
    parser.add_argument("--to", metavar="DIR", help="write all pages into this folder")
    parser.add_argument("--environment", choices=("env", "slurm", "kubernetes"), help="variables of a training job")
    parser.add_argument("--session", metavar="ID", help="fabric, GPUs and ports of this saved sizing")
    parser.add_argument("--fabric", choices=("infiniband", "roce", "nvlink_only"))
    parser.add_argument("--interface", default="eth0", metavar="NAME", help="interface that joins the nodes (eth0)")
    parser.add_argument("--hcas", default="", metavar="LIST", help="adapters of the compute fabric, with commas")
    forms = "a shell script (script), a Slurm prolog, or a Kubernetes job or daemonset"
    parser.add_argument("--health-check", nargs="?", const="script", choices=FORMS, help=forms)
    parser.add_argument("--calendar", choices=("table", "ics"), help="maintenance at fixed times")
    parser.add_argument("--from", dest="start", metavar="DATE", help="first day of --calendar ics, as 2027-01-04")
    parser.add_argument("--corruption-check", action="store_true", help="a reference run for silent data corruption")
    parser.add_argument("--gpus", type=int, metavar="N", help="GPUs a node (8)")
    parser.add_argument("--ports", type=int, metavar="N", help="active fabric ports a node (0: not checked)")
    return parser


def run(args: argparse.Namespace) -> int:
    """Print or write what was asked for."""
    from assistant.catalogue import open_catalogue
    from assistant.operations.handbook import health, pages
    from assistant.operations.triage import corruption

    catalogue = open_catalogue(args.overlay)
    if args.environment:
        print(_environment(args, catalogue), end="")
    elif args.health_check:
        _, gpus, ports = _design(args, catalogue)
        for option, count in (("--gpus", gpus), ("--ports", ports)):
            if not 0 <= count <= 1024:
                raise BadInput(option, count, "a count from 0 to 1024")
        print(health.health_check(gpus, ports, catalogue, args.health_check), end="")
    elif args.calendar:
        print(_calendar(args, catalogue), end="")
    elif args.corruption_check:
        print(corruption.SCRIPT, end="")
    elif args.to:
        folder = Path(args.to)
        folder.mkdir(parents=True, exist_ok=True)
        modes = catalogue.entries("failure_modes")
        for ident, mode in modes.items():
            (folder / f"{ident}.md").write_text(pages.runbook(mode, catalogue), encoding="utf-8")
        say(f"{len(modes)} pages written to {folder}")
    elif args.mode:
        print(pages.runbook(catalogue.entry("failure_modes", args.mode), catalogue), end="")
    else:
        for ident, mode in catalogue.entries("failure_modes").items():
            print(f"{ident:28} {mode.name}")
    return 0


def _design(args: argparse.Namespace, catalogue: Any) -> tuple[str, int, int]:
    """Fabric, GPUs and ports a node: as given, else of the session's sizing, else of a common node."""
    from assistant.operations.handbook.design import Design, design_of
    from assistant.store import Store

    found: Design | None = Design("infiniband", 8, 0)
    if args.session:
        with Store(args.db) as store:
            sizing = store.last_sizing(store.session(args.session).id)
        found = design_of(sizing, catalogue) if sizing is not None else None
    if found is None:
        raise BadInput("--session", args.session, "a session that has been sized, with servers of GPUs")
    given = {"fabric": args.fabric, "gpus": args.gpus, "ports": args.ports}
    return found._replace(**{name: value for name, value in given.items() if value is not None})


def _calendar(args: argparse.Namespace, catalogue: Any) -> str:
    from datetime import date

    from assistant.operations.handbook.maintenance import icalendar, table

    if args.calendar == "table":
        return table(catalogue)
    try:
        return icalendar(date.fromisoformat(args.start or ""), catalogue)
    except ValueError:
        raise BadInput("--from", args.start or "", "the first day as YYYY-MM-DD", ("2027-01-04",)) from None


def _environment(args: argparse.Namespace, catalogue: Any) -> str:
    from assistant.operations.handbook.environment import env_file, kubernetes_env, variables

    hcas = [name.strip() for name in args.hcas.split(",") if name.strip()]
    for option, name in [("--interface", args.interface), *(("--hcas", hca) for hca in hcas)]:
        if not re.fullmatch(r"[A-Za-z0-9_.:^=-]{1,64}", name):
            raise BadInput(option, name, "a name of letters, digits, _ . : -")
    chosen = variables(_design(args, catalogue)[0], args.interface, hcas, catalogue)
    if args.environment == "kubernetes":
        return kubernetes_env(chosen)
    return env_file(chosen, export=args.environment == "slurm")
