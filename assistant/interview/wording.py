"""Questions, values and messages as people read them, in the interview's languages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from assistant.interview.brief import Answer
from assistant.interview.questions import Kind, Question, load_questions
from assistant.messages import figures, render
from assistant.messages.products import product_name
from knowledge.message import Text, Value, say

if TYPE_CHECKING:
    from assistant.interview.questions import Text as InLanguages
    from assistant.result import Effect


def message(key: str, lang: str, **values: Value) -> str:
    """What the interview says under ``key``, with its blanks filled."""
    return render(say(f"interview.{key}", **values), lang)


def waits_text(waits: Iterable[str], lang: str) -> str:
    """What waits for an answer, in words."""
    return ", ".join(message(f"wait.{one}", lang) for one in waits)


def reason_text(reason: Text, lang: str) -> str:
    """The reason of an assumption in a language; one that no question has as it is."""
    if not isinstance(reason, str):
        return render(reason, lang)
    known = _reasons().get(reason)
    return known.localised(lang) if known else reason


@lru_cache(maxsize=1)
def _reasons() -> dict[str, InLanguages]:
    return {assumed.reason.en: assumed.reason for asked in load_questions().questions for assumed in asked.assume}


MOST_TITLES = 2
"""Decisions that the effect of a question names; the rest is counted."""


def effect_text(effect: Effect, titles: Mapping[str, Text], lang: str) -> str:
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
        named = [render(titles.get(ident, ident), lang) for ident in effect.decisions]
        shown, rest = ", ".join(named[:MOST_TITLES]), len(named) - MOST_TITLES
        shown = message("and_more", lang, first=shown, count=rest) if rest > 0 else shown
        parts.append(message("effect_decisions", lang, titles=shown))
    if effect.duties:
        parts.append(message("effect_duties", lang, count=len(effect.duties)))
    return "; ".join(parts) or message("effect_power", lang)


def show_value(question: Question, value: Any, lang: str, unit: str | None = None) -> str:
    """A field's value in words and with its unit."""
    unit = unit if unit is not None else question.unit
    if value is None:
        return "?"
    if isinstance(value, bool):
        return figures.words("yes" if value else "no", lang)
    if question.type is Kind.CHOICE:
        return question.label(value, lang)
    if question.type is Kind.MULTI:
        return ", ".join(question.label(one, lang) for one in value)
    if question.type is Kind.LENGTHS and isinstance(value, dict):
        parts = ", ".join(f"{message(f'length.{k}', lang)} {figures.exact(v, lang)}" for k, v in value.items())
        return f"{parts} {figures.unit_word(unit, 2, lang) if unit else ''}".rstrip()
    return _show_other(question, value, lang, unit)


def _show_other(question: Question, value: Any, lang: str, unit: str | None) -> str:
    if question.type is Kind.GPUS:
        return ", ".join(f"{g['count']} x {_card(g)}" if g["count"] else _card(g) for g in value)
    if question.type is Kind.MONEY:
        per = f"/{value['per']}" if value.get("per") else ""
        return f"{figures.exact(value['amount'], lang)} {value['currency']}{per}"
    if isinstance(value, (int, float)):
        return _stated(question, value, lang, unit)
    if question.id == "country" and isinstance(value, str):
        return figures.country(value, lang)
    if isinstance(value, (list, tuple)):
        named = (str(one["name"] if isinstance(one, Mapping) and "name" in one else one) for one in value)
        return ", ".join(map(product_name, named))
    if isinstance(value, str):
        return product_name(value)
    return str(value)


def _card(group: Mapping[str, Any]) -> str:
    return product_name(group["gpu"]) if group["gpu"] else "GPU"


def _stated(question: Question, value: float, lang: str, unit: str | None) -> str:
    """A number as it was given, with its unit."""
    if question.unit == "share":
        return f"{figures.exact(round(value * 100, 6), lang)}{figures.words('percent_sign', lang)}"
    shown = figures.exact(value, lang)
    return f"{shown}B" if question.id == "parameters_b" else figures.quantity(value, unit, lang, shown).rstrip()


def show_answer(question: Question, answer: Answer, lang: str) -> str:
    """An answer's value, and its range where there is one."""
    shown = show_value(question, answer.value, lang)
    if answer.low is None or answer.high is None or question.type is Kind.MONEY:
        return shown
    low, high = (_end(question, end, lang) for end in (answer.low, answer.high))
    return f"{shown} ({message('range', lang, low=low, high=high)})"


def _end(question: Question, value: float, lang: str) -> str:
    return _stated(question, value, lang, "") if question.unit == "share" else figures.exact(value, lang)
