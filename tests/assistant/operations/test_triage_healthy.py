"""Healthy logs raise nothing; what nobody here knows is said to be unknown."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.operations.triage.diagnose import triage_text
from assistant.validation.healthy_logs import healthy_logs
from knowledge.catalogue import Catalogue, load_catalogue

DATA = Path(__file__).parents[2] / "data" / "ops"
GOOD = (DATA / "healthy_lines.txt").read_text("utf-8").splitlines()


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue()


def test_fewer_than_one_false_finding_in_a_thousand_lines(catalogue: Catalogue) -> None:
    parts = healthy_logs(catalogue)
    assert [part.part for part in parts] == ["known", "held"]
    assert sum(part.lines for part in parts) > 12_000
    for part in parts:
        assert part.per_1000_lines < 1, part


@pytest.mark.parametrize("line", GOOD)
def test_a_setting_a_count_of_zero_or_a_passed_test_is_no_fault(line: str, catalogue: Catalogue) -> None:
    result = triage_text(line, catalogue)
    assert [f.code for f in result.findings if f.state == "open" and f.action != "ignore"] == []
    assert result.verdict.action in ("ignore", "unknown")


@pytest.mark.parametrize(
    ("line", "to"),
    [
        ("node7 kernel: foo_drv 0000:01:00.0: FATAL state 5 unexpected", "supplier"),
        ("slurmctld: error: quux frobnicator returned 17", "SchedMD"),
        ("Traceback (most recent call last):\nKeyError: 'model.layers.0.mlp.gate'", "maintainers"),
    ],
)
def test_what_is_not_known_is_said_to_be_unknown_and_who_may_know(line: str, to: str, catalogue: Catalogue) -> None:
    verdict = triage_text(line, catalogue).verdict
    assert (verdict.action, verdict.confidence, verdict.category) == ("unknown", "low", None)
    assert any(to in one.to for one in verdict.send)


def test_harmless_needs_a_reason(catalogue: Catalogue) -> None:
    assert triage_text("all quiet on the western rack", catalogue).verdict.action == "unknown"
    verdict = triage_text("NVRM: Xid (PCI:0000:1a:00): 162, pid=0, name=, PSHC re-engaged", catalogue).verdict
    assert verdict.action == "ignore"
    assert "harmless" in verdict.why


def test_other_programs_in_the_same_collector_are_left_alone(catalogue: Catalogue) -> None:
    text = "Jun 18 02:23:10 combo sshd[31277]: fatal: Timeout before authentication, connection lost, link down"
    assert triage_text(text, catalogue).findings == ()


def test_a_line_that_only_informs_is_no_fault(catalogue: Catalogue) -> None:
    said = "CUDA out of memory. Tried to allocate 2.00 GiB"
    assert triage_text(f"INFO 02-21 06:30:25 [retry.py:9] {said}", catalogue).findings == ()
    assert triage_text(f"ERROR 02-21 06:30:25 [retry.py:9] {said}", catalogue).findings != ()


def test_prose_is_heard_in_a_few_lines_and_stops_nothing(catalogue: Catalogue) -> None:
    told = "nvidia-smi shows only 7 of 8 GPUs"
    noise = "\n".join(f"plain words {n} of a text" for n in range(40))
    assert triage_text("a card has lost power, breaker trip in the hall", catalogue).findings[0].told
    assert triage_text(f"{noise}\nbreaker trip in the hall", catalogue).findings == ()
    assert triage_text(told, catalogue).verdict.category == "gpu_lost_bus"
