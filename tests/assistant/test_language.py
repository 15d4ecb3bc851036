"""German throughout: messages in both languages with the same blanks, results and documents in the user's words."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
import yaml

import assistant.export
from assistant.export.document import build_document
from assistant.export.language import in_language
from assistant.export.short import build_short
from assistant.export.summary import summary_of
from assistant.interview.brief import Brief
from assistant.interview.questions import load_questions
from assistant.interview.wording import _messages, reason_text, unit_text, waits_text, word
from assistant.result import Sizing
from assistant.service import Assistant

EXPORT = Path(assistant.export.__file__).parent
BLANK = re.compile(r"\{\w+\}")


@cache
def opened() -> Assistant:
    return Assistant()


@cache
def size(text: str) -> Sizing:
    return opened().size(Brief().with_answers(opened().understand(text)))


@pytest.mark.parametrize("key", _messages())
def test_a_message_has_the_same_blanks_in_both_languages(key: str) -> None:
    text = _messages()[key]
    assert set(BLANK.findall(text.en)) == set(BLANK.findall(text.de))


def test_every_choice_and_title_of_a_decision_and_every_unit_is_a_word() -> None:
    known = _messages()
    signs = {"bf16", "fp8", "int8", "int4", "fp4", "fp16", "fp64"}
    for decision in opened().rules.decisions.values():
        assert f"word {decision.title}" in known
        assert not {c for c in decision.choices if f"word {c}" not in known} - signs
    units = {q.unit for q in load_questions().questions if q.unit}
    assert {u for u in units if f"unit {u}" not in known} <= {"share", "1e9 parameters", "ms", "TB", "min", "kW"}


def test_one_of_a_unit_is_said_without_its_ending() -> None:
    assert [unit_text("tenants", n, "en") for n in (1, 2)] == ["tenant", "tenants"]
    assert [unit_text("tenants", n, "de") for n in (1, 2)] == ["Mandant", "Mandanten"]
    assert unit_text("kW", 1, "de") == "kW"


def test_what_waits_and_why_we_assume_are_said_in_german() -> None:
    asked = load_questions().by_id()["active_share"]
    assert waits_text(("precision", "plans"), "de") == "Zahlenformat, Pläne"
    assert all(waits_text(q.waits, "de") for q in load_questions().questions if q.waits)
    for assumed in asked.assume:
        assert reason_text(assumed.reason.en, "de") == assumed.reason.de
    assert reason_text("a company's own", "de") == "a company's own"


def test_a_model_without_a_name_and_a_share_are_said_in_german() -> None:
    sizing = size("chat for 300 people, on our own site in Frankfurt")
    assert "mit einem 70B-Modell" in summary_of(sizing, "de")
    assumed = next(s for s in in_language(build_document(sizing), sizing, "de").sections if s.id == "assumptions")
    rows = {row[0]: row for table in assumed.tables for row in table.rows}
    assert rows["active_share"][1:3] == ("10 %", "1 % bis 30 %")  # the question's own range, 0.01 to 0.3
    assert rows["pue"][2] == "1,3 bis 1,8"


RAG = "RAG for 500 people, Llama 3.1 70B, on our own site in Frankfurt"


def test_the_summary_in_german_says_what_the_english_one_says() -> None:
    """The same figures with the other signs: what is 7.9 kW here is 7,9 kW there."""
    english, german = size(RAG).summary, summary_of(size(RAG), "de")
    assert english == summary_of(size(RAG))
    assert german.startswith("Für Antworten aus Dokumenten (RAG) mit Llama 3.1 70B")
    assert "Entschieden: Betrieb kaufen" in german
    numbers = sorted(n.replace(".", ",") for n in re.findall(r"\d+[.,]?\d*", english))
    assert numbers == sorted(n.replace(".", ",") for n in re.findall(r"\d+[.,]?\d*", german))
    for left in (" for ", " with ", " of ", " the ", " and "):
        assert left not in german


@pytest.mark.parametrize("build", [build_short, build_document])
def test_titles_headers_and_labels_of_a_document_are_german(build: object) -> None:
    sizing = size(RAG)
    made = in_language(build(sizing, "X"), sizing, "de")  # type: ignore[operator]
    assert made.title == "Erste Auslegung: X"
    sections = {section.id: section for section in made.sections}
    assert sections["plans"].title == "Pläne"
    assert sections["plans"].tables[0].header[1:] == ("knapp", "empfohlen", "großzügig")
    assert [row[0] for row in sections["plans"].tables[0].rows][:3] == ["passt", "GPUs", "Server"]
    stated = {row[0]: row[1] for row in sections["stated"].tables[0].rows}
    assert stated["users_total"] == "500 Nutzer"
    assert stated["hosting"] == "Am eigenen Standort"
    assert "Ihre Antwort entscheidet zwischen" in sections["questions"].bullets[0]
    assert in_language(build(sizing, "X"), sizing, "en") == build(sizing, "X")  # type: ignore[operator]


def test_every_title_and_header_that_the_documents_write_has_a_german_word() -> None:
    """Read from the modules' own text, so that a new section without a German title fails here."""
    known = yaml.safe_load((EXPORT / "words.yaml").read_text(encoding="utf-8"))
    for module in ("document.py", "short.py"):
        source = (EXPORT / module).read_text(encoding="utf-8")
        titles = set(re.findall(r'title="([^"{]+)"', source))
        headers = {
            cell for row in re.findall(r"header = \(([^)]*)\)", source) for cell in re.findall(r'"([^"]+)"', row)
        }
        missing = {text for text in titles | headers if text not in known and word(text, "de") == text and text != "id"}
        assert not missing
