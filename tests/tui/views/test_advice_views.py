"""Decisions, duties, warnings, assumptions."""

from __future__ import annotations

from assistant.result import Sizing
from tui.views.assumptions import assumption_lines, assumption_rows
from tui.views.decisions import decision_lines, decision_rows
from tui.views.duties import duty_lines, duty_of, duty_rows
from tui.views.lines import say_in

SAY = say_in("en")


def test_a_decision_shows_that_somebody_disagrees(sizing: Sizing) -> None:
    assert [row.cells for row in decision_rows(sizing, "en")] == [
        ("Cooling", "rear-door heat exchangers", "disputed", "medium")
    ]


def test_a_decision_in_full(sizing: Sizing) -> None:
    lines = decision_lines(sizing, "cooling", "en")
    assert [line.text for line in lines if line.kind == "head"] == [
        "For",
        "Who disagrees",
        "What would flip it",
        "Sources",
    ]
    texts = [line.text for line in lines]
    assert "strong, third party: blog; fac.air" in texts
    assert "Air cannot do it" in texts
    assert "air if rack kw were 10" in texts
    assert {line.label: line.text for line in lines if line.label} == {"confidence": "medium", "runner-up": "air"}


def test_a_decision_is_told_in_german(sizing: Sizing) -> None:
    assert [row.cells[1:] for row in decision_rows(sizing, "de")] == [("Rücktürkühler", "strittig", "mittel")]
    texts = [line.text for line in decision_lines(sizing, "cooling", "de")]
    assert "Luft" in texts


def test_duties_that_apply_stand_first_and_marks_carry_the_state(sizing: Sizing) -> None:
    rows = duty_rows(sizing, SAY)
    assert [row.cells[0] for row in rows if not row.heading] == [
        "[!] applies",
        "[?] open",
        "[ ] does not apply",
        "[*] caution",
    ]
    assert rows[1].cells[2:] == ("–", "1e+25 kW")  # a value that is not known is a dash, never zero
    assert rows[2].cells[2:] == ("20.4 kW", "300 kW")
    assert "not legal advice" in rows[0].cells[0]


def test_a_duty_names_who_and_the_question_that_closes_it(sizing: Sizing) -> None:
    said = {line.label: line.text for line in duty_lines(sizing, "duty.maybe", SAY)}
    assert said["who is obliged"] == "operator"
    assert said["settled by"] == "IT power there already"
    duty = duty_of(sizing, "duty.maybe")
    assert duty is not None
    assert duty.closes_with == "site_total_it_kw"
    assert duty_lines(sizing, "duty.maybe", SAY)[-1].text.endswith("This is not legal advice.")


def test_a_warning_in_full(sizing: Sizing) -> None:
    assert duty_of(sizing, "warning.0") is None
    assert "Measure first" in [line.text for line in duty_lines(sizing, "warning.0", SAY)]


def test_the_assumption_that_moves_most_stands_first(sizing: Sizing) -> None:
    first, second = assumption_rows(sizing, "en", SAY)
    assert first.cells == ("active at the same time", "10%", "1% to 30%", "cited, moves the result")
    assert second.cells == ("air gap", "no", "–", "our judgement")


def test_an_assumption_in_full_has_the_question_and_its_effect(sizing: Sizing) -> None:
    lines = assumption_lines(sizing, "active_share", "en", "presales", SAY)
    assert {line.label: line.text for line in lines}["effect"] == "decides between 4 and 24 GPUs"
    assert any(line.text.endswith("?") for line in lines)
    assert assumption_lines(sizing, "air_gap", "en", "presales", SAY)[-1].text == "our own judgement; no source"
