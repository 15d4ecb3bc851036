"""Follow-ups: "and in BF16?" is the question before with its format replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from knowledge import regexes as re

if TYPE_CHECKING:
    from assistant.asking.library import Library

_LONGEST = 80
"""Characters of a follow-up; a longer text is a question of its own."""

_FOLLOWS = re.compile(
    r"^\W*(?:and|but|und|aber|what about|how about|what if it (?:is|were)|same (?:for|with)|or|oder|wie (?:wäre"
    r"|ist|sieht) es (?:aus )?mit"
    r"|was ist mit|dasselbe (?:für|mit))\b[\s,]*(?:(?:in|on|with|for|auf|mit|für|at|bei)\b\s*)?(?P<rest>.*?)\W*$",
    re.IGNORECASE,
)
_FORMAT = re.compile(
    r"\b(?:(?:nv|mx)?fp4|fp8|bf16|fp16|bfloat16|int8|int4|fp32|awq|gptq|(?:4|8|16|32)[- ]?bits?)\b", re.IGNORECASE
)
_MEASURED = re.compile(r"\b\d[\d.,]*\s?(?:[kmbt]\b\s?)?(?P<unit>[a-zA-Z/%]+)")
_COUNT = re.compile(r"\d[\d,]*(?: ?[x×])?\s+|\d+[x×]\s*")
_SWAPPED = ("gpus", "models", "server", "country", "nodes", "parameters_b")


def continued(text: str, before: str, library: Library) -> str:
    """``text``, or where it only follows the question ``before``, that question with what ``text`` changes in it."""
    match = _FOLLOWS.match(text.strip())
    if match is None or not match["rest"] or len(text) > _LONGEST:
        return text
    rest = match["rest"]
    new = _FORMAT.search(rest)
    if new is not None and _FORMAT.search(before):
        return _FORMAT.sub(new[0], before, count=1)
    swapped = _swapped(rest, before, library)
    if swapped is not None:
        return swapped
    measured = _remeasured(rest, before)
    return measured or f"{before.rstrip(' ?.')}, {rest}?"


def _swapped(rest: str, before: str, library: Library) -> str | None:
    """The question before with the hardware, model or place of the follow-up in the place of its own."""
    here, there = library.assistant.parse(rest).fields, library.assistant.parse(before).fields
    for name in _SWAPPED:
        if name in here and name in there:
            old, new = there[name], here[name]
            counted = _COUNT.match(before[old.start : old.end])
            said = rest[new.start : new.end]
            kept = counted[0] if counted and not said[:1].isdigit() else ""
            return f"{before[: old.start]}{kept}{said}{before[old.end :]}"
    return None


def _remeasured(rest: str, before: str) -> str | None:
    """The question before with a number replaced by the follow-up's in the same unit."""
    new = _MEASURED.search(rest)
    if new is None:
        return None
    same = (old for old in _MEASURED.finditer(before) if old["unit"].casefold() == new["unit"].casefold())
    old = next(same, None)
    return before[: old.start()] + new[0] + before[old.end() :] if old else None
