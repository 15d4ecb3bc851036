"""``sizewright runbook``: failure modes as pages, a job's environment, and a health check for nodes."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

from assistant.output import say
from knowledge.errors import BadInput


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Options of ``runbook``."""
    text = "failure modes as pages; a job's environment; a health check for nodes"
    parser: argparse.ArgumentParser = subparsers.add_parser("runbook", help=text, description=text)
    parser.add_argument("mode", nargs="?", metavar="MODE", help="a failure mode (without one: the list of them)")
    parser.add_argument("--to", metavar="DIR", help="write all pages into this folder")
    parser.add_argument("--environment", choices=("env", "slurm", "kubernetes"), help="variables of a training job")
    parser.add_argument("--fabric", choices=("infiniband", "roce", "nvlink_only"), default="infiniband")
    parser.add_argument("--interface", default="eth0", metavar="NAME", help="interface that joins the nodes (eth0)")
    parser.add_argument("--hcas", default="", metavar="LIST", help="adapters of the compute fabric, with commas")
    parser.add_argument("--health-check", action="store_true", help="a shell script for a prolog or a job")
    parser.add_argument("--gpus", type=int, default=8, metavar="N", help="GPUs a node (8)")
    parser.add_argument("--ports", type=int, default=0, metavar="N", help="active fabric ports a node (0: not checked)")
    return parser


def run(args: argparse.Namespace) -> int:
    """Print or write what was asked for."""
    from assistant.catalogue import open_catalogue
    from assistant.operations import environment

    catalogue = open_catalogue(args.overlay)
    if args.environment:
        print(_environment(args, catalogue), end="")
    elif args.health_check:
        for option, count in (("--gpus", args.gpus), ("--ports", args.ports)):
            if not 0 <= count <= 1024:
                raise BadInput(option, count, "a count from 0 to 1024")
        print(environment.health_check(args.gpus, args.ports, catalogue), end="")
    elif args.to:
        folder = Path(args.to)
        folder.mkdir(parents=True, exist_ok=True)
        modes = catalogue.entries("failure_modes")
        for ident, mode in modes.items():
            (folder / f"{ident}.md").write_text(environment.runbook(mode, catalogue), encoding="utf-8")
        say(f"{len(modes)} pages written to {folder}")
    elif args.mode:
        print(environment.runbook(catalogue.entry("failure_modes", args.mode), catalogue), end="")
    else:
        for ident, mode in catalogue.entries("failure_modes").items():
            print(f"{ident:28} {mode.name}")
    return 0


def _environment(args: argparse.Namespace, catalogue: Any) -> str:
    from assistant.operations.environment import env_file, kubernetes_env, variables

    hcas = [name.strip() for name in args.hcas.split(",") if name.strip()]
    for option, name in [("--interface", args.interface), *(("--hcas", hca) for hca in hcas)]:
        if not re.fullmatch(r"[A-Za-z0-9_.:^=-]{1,64}", name):
            raise BadInput(option, name, "a name of letters, digits, _ . : -")
    chosen = variables(args.fabric, args.interface, hcas, catalogue)
    if args.environment == "kubernetes":
        return kubernetes_env(chosen)
    return env_file(chosen, export=args.environment == "slurm")
