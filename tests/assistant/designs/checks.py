"""Checks of a hand-worked design against the result of ``size``: paths into the result, and conditions on them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

ADDRESSES = ("name", "id", "field", "item")
"""What an item of a list may be addressed by, beside its position."""
BILL = "bill_of_materials"


def holds(check: Mapping[str, Any], result: Mapping[str, Any]) -> bool:
    """Whether one check holds; ``any`` holds where one of its checks does."""
    if "any" in check:
        return any(holds(each, result) for each in check["any"])
    found = value_at(check["path"], result)
    return all(_condition(name, wanted, found, check, result) for name, wanted in check.items() if name != "path")


def value_at(path: str, result: Mapping[str, Any]) -> Any:
    """What stands at dotted ``path``, None where nothing does; ``a+b`` joins the texts of several."""
    if "+" in path:
        return "\n".join(text_of(value_at(part, result)) for part in path.split("+"))
    if path == BILL:
        lines = value_at(f"plans.recommended.{BILL}", result) or ()
        return [_BillLine(f"{line['item']} | {line.get('of') or ''}", line.get("count") or 0) for line in lines]
    found: Any = result
    for key in path.split("."):
        found = _step(found, key)
    return found


def text_of(value: Any) -> str:
    """A value as text: one line for each item of a list, ``key: value`` for what stands in a mapping."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {text_of(each)}" for key, each in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "\n".join(text_of(each).replace("\n", "; ") for each in value)
    return str(value)


class _BillLine(str):
    how_many: float

    def __new__(cls, text: str, how_many: float) -> _BillLine:
        line = super().__new__(cls, text)
        line.how_many = how_many
        return line


def _step(value: Any, key: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(key)
    if isinstance(value, Sequence) and not isinstance(value, str):
        if key.isdigit():
            return value[int(key)] if int(key) < len(value) else None
        return next((each for each in value for by in ADDRESSES if _step_is(each, by, key)), None)
    return None


def _step_is(each: Any, by: str, key: str) -> bool:
    return isinstance(each, Mapping) and each.get(by) == key


def _condition(name: str, wanted: Any, found: Any, check: Mapping[str, Any], result: Mapping[str, Any]) -> bool:
    match name:
        case "min" | "max":
            number = _number(found, check, result)
            return number is not None and (number >= wanted if name == "min" else number <= wanted)
        case "over" | "count_of":
            return True
        case "in":
            return found in wanted
        case "not_in":
            return found not in wanted
        case "equals":
            return bool(found == wanted)
        case "contains" | "not_contains":
            lines = found if isinstance(found, list) else text_of(found).splitlines()
            return any(re.search(wanted, line, re.IGNORECASE) for line in lines) == (name == "contains")
        case "matches" | "not_matches":
            return (re.search(wanted, text_of(found), re.IGNORECASE) is not None) == (name == "matches")
        case "length_min":
            return found is not None and len(found) >= wanted
        case "multiple_of":
            return bool(found) and found % wanted == 0
    raise ValueError(f"no condition {name!r}")


def _number(found: Any, check: Mapping[str, Any], result: Mapping[str, Any]) -> float | None:
    if "count_of" in check:
        return float(sum(line.how_many for line in found if re.search(check["count_of"], line, re.IGNORECASE)))
    if not isinstance(found, int | float) or isinstance(found, bool):
        return None
    if "over" in check:
        under = value_at(check["over"], result)
        return found / under if under else None
    return float(found)
