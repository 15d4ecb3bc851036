"""Score hand-worked designs: ``python -m tests.assistant.designs.score [FILE] [--from N] [--to N] [--quiet]``.

Prints, for each message, the checks that do not hold, and the share of designs and of checks that do.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assistant import cli
from tests.assistant.designs.checks import holds, text_of, value_at

DESIGNS = Path(__file__).parents[2] / "data" / "designs.jsonl"


@dataclass(frozen=True)
class Scored:
    """One message: the checks that hold and those that do not (all of them where nothing was sized)."""

    id: str
    held: int
    failed: tuple[Mapping[str, Any], ...]
    result: Mapping[str, Any]


def designs(path: Path = DESIGNS) -> list[dict[str, Any]]:
    """The cases of a file, one a line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def sized(case: Mapping[str, Any]) -> Mapping[str, Any]:
    """What ``size --json`` says of a case's message; nothing where it refused."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["size", "--say", case["message"], *case.get("args", ()), "--json"]
        if "overlay" in case:
            arguments += ["--overlay", str(_overlay(Path(folder), case["overlay"]))]
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            status = cli.main(arguments)
    found: Mapping[str, Any] = json.loads(out.getvalue()) if status == 0 else {}
    return found


def _overlay(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text if isinstance(text, str) else json.dumps(text), encoding="utf-8")
    return folder


def score(cases: list[dict[str, Any]]) -> Iterator[Scored]:
    """Each case with the checks that hold and those that fail."""
    for case in cases:
        result = sized(case)
        failed = tuple(check for check in case["check"] if not result or not holds(check, result))
        yield Scored(case["id"], len(case["check"]) - len(failed), failed, result)


def _shown(check: Mapping[str, Any], result: Mapping[str, Any]) -> str:
    parts = check.get("any", [check])
    shown = []
    for each in parts:
        wanted = {key: value for key, value in each.items() if key != "path"}
        shown.append(f"{each['path']} {str(wanted)[:90]} found {text_of(value_at(each['path'], result))[:160]!r}")
    return " or ".join(shown)


def main() -> None:
    """Print the scores of a range of cases."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("file", nargs="?", type=Path, default=DESIGNS)
    options.add_argument("--from", dest="first", type=int, default=1)
    options.add_argument("--to", dest="last", type=int, default=None)
    options.add_argument("--quiet", action="store_true", help="numbers only")
    asked = options.parse_args()
    whole, held, checks = 0, 0, 0
    cases = designs(asked.file)[asked.first - 1 : asked.last]
    for found in score(cases):
        whole, held, checks = whole + (not found.failed), held + found.held, checks + found.held + len(found.failed)
        if not asked.quiet:
            print(f"{found.id}: {found.held} of {found.held + len(found.failed)}", flush=True)
            for check in found.failed:
                print("   ", _shown(check, found.result))
    print(f"designs {whole} of {len(cases)}, checks {held} of {checks}")


if __name__ == "__main__":
    main()
