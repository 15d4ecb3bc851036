"""The precision of triage: findings raised on logs of programs that were well."""

from __future__ import annotations

from pathlib import Path

from knowledge.catalogue import Catalogue
from knowledge.evidence import Frozen

SHIPPED = Path(__file__).parent / "healthy_logs"
CHECKOUT = Path(__file__).parents[2] / "tests" / "data" / "ops" / "benign"


class Healthy(Frozen):
    """Lines of one part of the corpus, those that stand in an open finding which asks for something, and their rate.

    ``known`` was looked at while patterns were mended, ``held`` never.
    """

    part: str
    lines: int
    false_findings: int
    per_1000_lines: float


def healthy_logs(catalogue: Catalogue) -> tuple[Healthy, ...]:
    """Both parts of the corpus; none where it is not shipped."""
    folder = SHIPPED if SHIPPED.is_dir() else CHECKOUT
    return tuple(_part(folder / name, catalogue) for name in ("known", "held") if (folder / name).is_dir())


def _part(folder: Path, catalogue: Catalogue) -> Healthy:
    from assistant.operations.triage.diagnose import triage_text  # compiles the patterns

    lines = wrong = 0
    for path in sorted(folder.glob("*.log")):
        result = triage_text(path.read_text(encoding="utf-8"), catalogue)
        lines += result.lines_read
        wrong += sum(f.count for f in result.findings if f.state == "open" and f.action != "ignore")
    return Healthy(
        part=folder.name, lines=lines, false_findings=wrong, per_1000_lines=round(1000 * wrong / max(lines, 1), 3)
    )
