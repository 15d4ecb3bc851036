"""Small rule bases written in the tests themselves, over the example topics and decisions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from knowledge.evidence import Grade, SeenAs, Source
from rules.base import RuleBase, read_rules
from rules.validate import Problem

TOPICS = """
- {id: gpus, type: int, unit: GPUs, min: 0, max: 100000, description: GPUs}
- {id: power_kw, type: float, unit: kW, min: 0, description: Power}
- {id: work, type: str, values: [training, inference, mixed], description: Work}
- {id: country, type: str, description: Country}
- {id: shared, type: bool, description: Shared}
- {id: secret, type: bool, description: Secret}
- {id: big, type: bool, origin: derived, description: Big}
- {id: huge, type: bool, origin: derived, description: Huge}
"""
DECISIONS = """
- {id: fabric, title: Fabric, choices: [none, roce, infiniband], default: none}
- {id: scheduler, title: Scheduler, choices: [none, slurm, kubernetes], default: none}
- {id: accelerator, title: Accelerator}
"""
CHECKLIST = """
- {id: item, phase: burn_in, item: Run the burn-in., owner_role: operator, sources: [paper]}
"""


def _source(ident: str, grade: Grade, seen_as: SeenAs, date: str | None = "2026-01-01") -> Source:
    return Source(id=ident, title=ident, address="https://example.org", grade=grade, seen_as=seen_as, date=date)


SOURCES = {
    source.id: source
    for source in (
        _source("law", Grade.LAW, SeenAs.PRIMARY_TEXT, "2012-05-01"),
        _source("law_summary", Grade.LAW, SeenAs.SUMMARY_BY_OTHERS),
        _source("spec", Grade.VENDOR_SPECIFICATION, SeenAs.PRIMARY_TEXT),
        _source("paper", Grade.PAPER, SeenAs.EXCERPT),
        _source("blog", Grade.VENDOR_BLOG, SeenAs.PRIMARY_TEXT),
        _source("old", Grade.VENDOR_BLOG, SeenAs.PRIMARY_TEXT, "2019-06"),
        _source("opinion", Grade.PRACTITIONER_OPINION, SeenAs.SEED_TEXT),
        _source("unverified", Grade.UNVERIFIED, SeenAs.NOT_VERIFIED),
    )
}

REST = ", then: [{kind: question, field: x}], reason: Because it was measured., sources: [law]}"

ReadBase = Callable[[str], tuple[RuleBase, list[Problem]]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A rules folder with topics, decisions and checklist, and no packs yet."""
    (tmp_path / "packs").mkdir()
    (tmp_path / "topics.yaml").write_text(TOPICS)
    (tmp_path / "decisions.yaml").write_text(DECISIONS)
    (tmp_path / "checklist.yaml").write_text(CHECKLIST)
    return tmp_path


@pytest.fixture
def read_base(folder: Path) -> ReadBase:
    """Reads a pack, given as YAML text, with all its problems. ``@}`` ends a rule of which only ``when`` matters."""

    def read(pack: str) -> tuple[RuleBase, list[Problem]]:
        (folder / "packs" / "test.yaml").write_text(pack.replace("@}", REST))
        return read_rules([folder], SOURCES)

    return read


@pytest.fixture
def make_base(read_base: ReadBase) -> Callable[[str], RuleBase]:
    """Reads a pack that has no problem."""

    def make(pack: str) -> RuleBase:
        base, problems = read_base(pack)
        assert problems == []
        return base

    return make
