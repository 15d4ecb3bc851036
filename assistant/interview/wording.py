"""Questions, values and messages as people read them, in the interview's languages."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from assistant.interview.brief import Answer
from assistant.interview.questions import Kind, Question, Text


@lru_cache(maxsize=1)
def _messages() -> dict[str, Text]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    raw = yaml.load(Path(__file__).with_name("messages.yaml").read_text(encoding="utf-8"), Loader=loader)
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
        return ", ".join(f"{k} {number_text(v, lang)}" for k, v in value.items()) + f" {unit or ''}".rstrip()
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
        return f"{shown}B" if question.id == "parameters_b" else f"{shown} {unit or ''}".rstrip()
    if isinstance(value, (list, tuple)):
        return ", ".join(str(one) for one in value)
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
