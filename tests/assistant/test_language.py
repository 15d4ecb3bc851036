"""German throughout: results and documents in the user's words, with the same figures as the English ones."""

from __future__ import annotations

import re
from functools import cache

import pytest

from assistant.export.document import build_document
from assistant.export.parts import Document
from assistant.export.short import build_short
from assistant.interview.brief import Brief
from assistant.interview.questions import load_questions
from assistant.interview.wording import reason_text, show_value, waits_text
from assistant.messages import LANGUAGES, figures, has, render
from assistant.result import Sizing
from assistant.service import Assistant

RAG = "RAG for 500 people, Llama 3.1 70B, on our own site in Frankfurt"
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
NAME = re.compile(r"Llama 3\.1|SR\d+ V\d")


@cache
def opened() -> Assistant:
    return Assistant()


@cache
def size(text: str) -> Sizing:
    return opened().size(Brief().with_answers(opened().understand(text)))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_choice_of_a_decision_every_field_and_every_wait_is_a_word(lang: str) -> None:
    for decision in opened().rules.decisions.values():
        assert not [c for c in decision.choices if not has(f"choices.{decision.id}.{c}", lang)]
    asked = load_questions().questions
    assert not [q.id for q in asked if not has(f"fields.{q.id}", lang)]
    assert not [(q.id, w) for q in asked for w in q.waits if not has(f"interview.wait.{w}", lang)]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_value_of_a_fact_is_a_word(lang: str) -> None:
    values = {value for topic in opened().rules.topics.values() for value in topic.values}
    assert {value for value in values if not has(f"values.{value}", lang)} == set()


def test_every_unit_that_a_question_is_asked_in_is_a_sign_or_a_word() -> None:
    units = {q.unit for q in load_questions().questions if q.unit}
    signs = {"share", "ms", "TB", "min", "kW"}
    words = {unit for unit in units if has(f"units.{unit}") or has(f"units.{unit}.other")}
    assert units - words <= signs


def test_one_of_a_unit_is_said_without_its_ending() -> None:
    assert [figures.unit_word("tenants", n, "en") for n in (1, 2)] == ["tenant", "tenants"]
    assert [figures.unit_word("tenants", n, "de") for n in (1, 2)] == ["Mandant", "Mandanten"]
    assert figures.unit_word("kW", 1, "de") == "kW"


def test_what_waits_and_why_we_assume_are_said_in_german() -> None:
    asked = load_questions().by_id()["active_share"]
    assert waits_text(("precision", "plans"), "de") == "Zahlenformat, Pläne"
    for assumed in asked.assume:
        assert reason_text(assumed.reason.en, "de") == assumed.reason.localised("de")
    assert reason_text("a company's own", "de") == "a company's own"


def test_stated_numbers_keep_their_digits() -> None:
    asked = load_questions().by_id()
    assert show_value(asked["users_total"], 12345, "de") == "12.345 Nutzer"
    assert show_value(asked["active_share"], 0.125, "de") == "12,5 %"
    assert show_value(asked["country"], "AT", "de") == "Österreich"


def rows(document: Document, section: str) -> dict[str, tuple[str, ...]]:
    """The rows of a section's tables by their first cell."""
    found = next(s for s in document.sections if s.id == section)
    return {row[0]: row for table in found.tables for row in table.rows}


def test_a_model_without_a_name_and_a_share_are_said_in_german() -> None:
    sizing = size("chat for 300 people, on our own site in Frankfurt")
    assert "mit einem 70B-Modell" in render(sizing.summary, "de")
    assumed = rows(build_document(sizing, lang="de"), "assumptions")
    assert assumed["gleichzeitig aktiv"][1:3] == ("10 %", "1 % bis 30 %")  # the question's own range, 0.01 to 0.3
    assert assumed["PUE"][2] == "1,3 bis 1,8"


def test_the_summary_in_german_says_what_the_english_one_says() -> None:
    """The same figures with the other signs: what is 7.9 kW here is 7,9 kW there."""
    english, german = (NAME.sub("", render(size(RAG).summary, lang)) for lang in ("en", "de"))
    assert german.startswith("Für: Antworten aus Dokumenten (RAG) mit")
    assert "entschieden: Betrieb kaufen" in german
    numbers = sorted(n.replace(".", ",") for n in NUMBER.findall(english))
    assert numbers == sorted(NUMBER.findall(german))
    for left in (" for ", " with ", " of ", " the ", " and "):
        assert left not in german


def test_the_short_form_is_german_too() -> None:
    made = build_short(size(RAG), "X", lang="de")
    assert made.title == "Erste Auslegung: X"
    told = {section.id: (*section.paragraphs, *section.bullets) for section in made.sections}
    assert "Land Deutschland" in told["stated"][0]
    assert "Nutzer 500 Nutzer" in told["stated"][0]
    assert any("Ihre Antwort entscheidet zwischen" in bullet for bullet in told["questions"])
    choices = next(section for section in made.sections if section.id == "decisions").tables[0]
    assert ("Kühlung: Luft") in {cell for row in choices.rows for cell in row}


def test_titles_headers_and_labels_of_a_document_are_german() -> None:
    made = build_document(size(RAG), "X", lang="de")
    assert made.title == "Erste Auslegung: X"
    plans = next(section for section in made.sections if section.id == "plans")
    assert plans.title == "Pläne"
    assert plans.tables[0].header[1:] == ("knapp", "empfohlen", "großzügig")
    assert [row[0] for row in plans.tables[0].rows][:3] == ["passt", "GPUs", "Server"]
    stated = rows(made, "stated")
    assert stated["Nutzer"][1] == "500 Nutzer"
    assert stated["Betriebsort"][1] == "Am eigenen Standort"
    assert stated["Land"][1] == "Deutschland"
    questions = next(section for section in made.sections if section.id == "questions")
    assert any("Ihre Antwort entscheidet zwischen" in bullet for bullet in questions.bullets)


ENGLISH = re.compile(r"\b(?:the|and|with|of|for|is|are|by|not|which|from)\b")
ENGLISH_STAYS = {"fleet", "sources", "figures", "stated", "cables", "storage"}
"""Sections with names, words of the customer, or formulas."""


def test_duties_checklist_and_decisions_hold_no_english() -> None:
    """Counted over every line of the document that rules and the interview wrote."""
    made = build_document(size(RAG), lang="de")
    told = [
        text
        for section in made.sections
        if section.id in ("obligations", "checklist", "questions", "assumptions")
        for text in (*section.bullets, *(cell for table in section.tables for row in table.rows for cell in row[:6]))
        if "`" not in text and "--" not in text and "|" not in text
    ]
    assert len(told) > 100
    assert [text for text in told if len(ENGLISH.findall(text)) > 1] == []
