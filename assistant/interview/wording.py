"""Questions, values and messages as people read them, in the interview's languages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant.interview.brief import Answer
from assistant.interview.questions import Kind, Question, Text, load_questions
from knowledge.shipped import shipped_yaml

if TYPE_CHECKING:
    from assistant.result import Effect


@lru_cache(maxsize=1)
def _messages() -> dict[str, Text]:
    raw = shipped_yaml(Path(__file__).with_name("messages.yaml"))
    return {key: Text.model_validate(text) for key, text in raw.items()}


def message(key: str, lang: str, **values: object) -> str:
    """The message ``key`` in a language, with its braces filled in."""
    text = _messages()[key].localised(lang)
    for name, value in values.items():
        text = text.replace("{" + name + "}", str(value))
    return text


def word(text: str, lang: str) -> str:
    """The name of a figure or decision, or a value of one, in a language; the text itself where none is known."""
    known = _messages().get(f"word {text}")
    return text if known is None else known.localised(lang)


def waits_text(waits: Iterable[str], lang: str) -> str:
    """What waits for an answer, in words."""
    return ", ".join(message(f"wait {one}", lang) for one in waits)


def reason_text(reason: str, lang: str) -> str:
    """The reason of an assumption in a language; one that no question has as it is."""
    known = _reasons().get(reason)
    return known.localised(lang) if known else reason


@lru_cache(maxsize=1)
def _reasons() -> dict[str, Text]:
    return {assumed.reason.en: assumed.reason for asked in load_questions().questions for assumed in asked.assume}


MOST_TITLES = 2
"""Decisions that the effect of a question names; the rest is counted."""


def effect_text(effect: Effect, titles: Mapping[str, str], lang: str) -> str:
    """What a question's answer decides, in words; ``titles`` are those of the decisions by their id."""
    few, many = effect.gpus
    low, high = effect.servers
    parts = []
    if low != high:
        parts.append(message("effect_servers", lang, few=few, many=many, low=low, high=high))
    elif few != many:
        parts.append(message("effect_gpus", lang, few=few, many=many))
    if effect.fits:
        parts.append(message("effect_fits", lang))
    if effect.decisions:
        named = [word(titles.get(ident, ident), lang) for ident in effect.decisions]
        shown, rest = ", ".join(named[:MOST_TITLES]), len(named) - MOST_TITLES
        shown = message("and_more", lang, first=shown, count=rest) if rest > 0 else shown
        parts.append(message("effect_decisions", lang, titles=shown))
    if effect.duties:
        parts.append(message("effect_duties", lang, count=len(effect.duties)))
    return "; ".join(parts) or message("effect_power", lang)


def unit_text(unit: str | None, value: object, lang: str) -> str:
    """A unit in a language, of one or of several; units that are signs stay as they are."""
    known = _messages()
    found = (known.get(f"unit 1 {unit}") if value == 1 else None) or known.get(f"unit {unit}")
    return unit or "" if found is None else found.localised(lang)


def number_text(value: float, lang: str) -> str:
    """A number with grouped thousands and the language's decimal sign."""
    text = f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.0f}"
    if "e" in text:
        text = f"{value:,.0f}"
    return text.translate(str.maketrans(",.", ".,")) if lang == "de" else text


def show_value(question: Question, value: Any, lang: str, unit: str | None = None) -> str:
    """A field's value in words and with its unit."""
    unit = unit if unit is not None else question.unit
    if value is None:
        return "?"
    if isinstance(value, bool):
        return message("yes" if value else "no", lang)
    if question.type is Kind.CHOICE:
        return question.label(value, lang)
    if question.type is Kind.MULTI:
        return ", ".join(question.label(one, lang) for one in value)
    if question.type is Kind.LENGTHS and isinstance(value, dict):
        parts = ", ".join(f"{message(f'length {k}', lang)} {number_text(v, lang)}" for k, v in value.items())
        return f"{parts} {unit_text(unit, None, lang)}".rstrip()
    return _show_other(question, value, lang, unit)


def _show_other(question: Question, value: Any, lang: str, unit: str | None) -> str:
    if question.type is Kind.GPUS:
        return ", ".join(f"{g['count']} x {g['gpu'] or 'GPU'}" if g["count"] else str(g["gpu"]) for g in value)
    if question.type is Kind.MONEY:
        per = f"/{value['per']}" if value.get("per") else ""
        return f"{number_text(value['amount'], lang)} {value['currency']}{per}"
    if question.unit == "share":
        return f"{number_text(value * 100, lang)} %"
    if isinstance(value, (int, float)):
        shown = number_text(value, lang)
        return f"{shown}B" if question.id == "parameters_b" else f"{shown} {unit_text(unit, value, lang)}".rstrip()
    if isinstance(value, (list, tuple)):
        return ", ".join(str(one["name"] if isinstance(one, Mapping) and "name" in one else one) for one in value)
    return str(value)


def show_answer(question: Question, answer: Answer, lang: str) -> str:
    """An answer's value, and its range where there is one."""
    shown = show_value(question, answer.value, lang)
    if answer.low is None or answer.high is None or question.type is Kind.MONEY:
        return shown
    low, high = (_end(question, end, lang) for end in (answer.low, answer.high))
    return f"{shown} ({message('range', lang, low=low, high=high)})"


def _end(question: Question, value: float, lang: str) -> str:
    if question.unit == "share":
        return f"{number_text(value * 100, lang)} %"
    return number_text(value, lang)
