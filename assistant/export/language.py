"""A document in another language of the interview: the interface's words from data, summary and questions anew.

Reasons of rules and arithmetic exist in English alone; the status line says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from assistant.export.document import Document, Section, Table
from assistant.export.summary import SIGNS, summary_of
from assistant.interview.questions import question
from assistant.interview.wording import effect_text, reason_text, show_value, word
from assistant.result import Sizing
from knowledge.shipped import shipped_yaml

_FIGURE = re.compile(r"(?P<number>-?\d[\d,]*(?:\.\d+)?)(?P<unit> [\w/€$%]+)?")
_OF_THE_LOAD = re.compile(r"(\d+)% of the load")
_ENDS = re.compile(r"([\d.]+) to ([\d.]+)")
_RANGE = re.compile(r"(?P<low>\d\S*(?: %)?) to (?P<high>\d\S*(?: %)?)")


def in_language(document: Document, sizing: Sizing, lang: str) -> Document:
    """``document`` of ``sizing`` in ``lang``; the English one as it is."""
    if lang == "en":
        return document
    head, sign, label = document.title.partition(": ")
    return Document(
        title=f"{_word(head, lang)}{sign}{label}",
        status=_word(document.status, lang),
        sections=tuple(_section(section, sizing, lang) for section in document.sections),
    )


@lru_cache(maxsize=1)
def _german() -> dict[str, str]:
    words = shipped_yaml(Path(__file__).with_name("words.yaml"))
    return {str(english): str(german) for english, german in words.items()}


def _word(text: str, lang: str) -> str:
    return _german().get(text) or reason_text(word(text, lang), lang)


def _section(section: Section, sizing: Sizing, lang: str) -> Section:
    paragraphs = section.paragraphs
    bullets = section.bullets
    if section.id == "summary":
        paragraphs = (summary_of(sizing, lang),)
    if section.id == "questions":
        bullets = _questions(sizing, lang)
    values = _values(sizing, lang) if section.id in ("stated", "assumptions") else {}
    return section.model_copy(
        update={
            "title": _word(section.title, lang),
            "paragraphs": tuple(_word(text, lang) for text in paragraphs),
            "bullets": bullets,
            "tables": tuple(_table(table, lang, values) for table in section.tables),
        }
    )


def _questions(sizing: Sizing, lang: str) -> tuple[str, ...]:
    titles = {decision.id: decision.title for decision in sizing.decisions}
    told = []
    for one in sizing.next_questions:
        asked = question(one.id)
        effect = effect_text(one.moves, titles, lang) if one.moves else one.effect
        told.append(f"{asked.wording.localised(lang)} {asked.why.localised(lang)} {effect}")
    return tuple(told)


def _values(sizing: Sizing, lang: str) -> dict[str, str]:
    """Field -> its value as the interview says it."""
    held = {field: answer.get("value") for field, answer in sizing.stated.items()}
    held |= {assumed.field: assumed.value for assumed in sizing.assumptions}
    return {field: show_value(question(field), value, lang) for field, value in held.items()}


def _in_percent(row: tuple[str, ...], values: Mapping[str, str]) -> tuple[str, ...]:
    """A row of a field that is a share: its range in percent, as its value is said."""
    if row[0] not in values or question(row[0]).unit != "share":
        return row
    ends = _ENDS.fullmatch(row[2])
    return (*row[:2], f"{100 * float(ends[1]):g} % to {100 * float(ends[2]):g} %", *row[3:]) if ends else row


def _table(table: Table, lang: str, values: Mapping[str, str]) -> Table:
    """The table; where its rows are fields, the second cell is the field's value in words."""
    rows = [tuple(_cell(cell, lang) for cell in _in_percent(row, values)) for row in table.rows]
    rows = [(row[0], values[row[0]], *row[2:]) if row[0] in values else row for row in rows]
    return Table(header=tuple(_word(cell, lang) for cell in table.header), rows=tuple(rows))


def _cell(text: str, lang: str) -> str:
    """A cell: a word of ours, a figure with its unit, a range; what is neither stays as it is."""
    if (said := _word(text, lang)) != text:
        return said
    if match := _FIGURE.fullmatch(text):
        unit = (match["unit"] or "").strip()
        return " ".join(
            filter(None, (match["number"].translate(SIGNS), word(f"unit {unit}", lang).removeprefix("unit ")))
        )
    if match := _RANGE.fullmatch(text):
        return f"{_cell(match['low'], lang)} bis {_cell(match['high'], lang)}"
    return _OF_THE_LOAD.sub(r"\1% der Last", text)
