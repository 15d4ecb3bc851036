"""The environment of a job for a fabric, as an env file or a snippet."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import NamedTuple

from knowledge.catalogue import Catalogue
from knowledge.schema.operations import Setting

FABRICS = ("infiniband", "roce", "nvlink_only")


class Variable(NamedTuple):
    """A variable with its value for this design, its reason and its sources' addresses."""

    name: str
    value: str
    reason: str
    addresses: tuple[str, ...]


def variables(fabric: str, interface: str, hcas: Sequence[str], catalogue: Catalogue) -> tuple[Variable, ...]:
    """The settings for ``fabric``; one that needs adapters is left out where none are named."""
    entries: Sequence[Setting] = tuple(catalogue.entries("settings").values())
    chosen = [s for s in entries if (not s.fabrics or fabric in s.fabrics) and (hcas or "{hcas}" not in s.value)]
    return tuple(
        Variable(
            s.variable,
            s.value.format(interface=interface, hcas=",".join(hcas)),
            s.reason,
            tuple(a for ident in s.sources if (a := catalogue.source(ident).address)),
        )
        for s in chosen
    )


def env_file(chosen: Sequence[Variable], *, export: bool = False) -> str:
    """An env file, or with ``export`` a snippet for a Slurm batch script, each variable under its reason."""
    lines: list[str] = []
    for v in chosen:
        lines.append(f"# {v.reason}{' (' + v.addresses[0] + ')' if v.addresses else ''}")
        lines.append(f"{'export ' if export else ''}{v.name}={shlex.quote(v.value)}")
    return "\n".join(lines) + "\n"


def kubernetes_env(chosen: Sequence[Variable]) -> str:
    """The ``env`` list of a container as YAML."""
    import json

    lines = ["env:"]
    for v in chosen:
        lines += [f"  # {v.reason}", f"  - name: {v.name}", f"    value: {json.dumps(v.value)}"]
    return "\n".join(lines) + "\n"
