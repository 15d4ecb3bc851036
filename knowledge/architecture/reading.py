"""Reading a ``config.json`` that may be hostile: every field by any of its names, every type and range checked."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from knowledge.errors import BadInput

MAX_FILE_BYTES = 4 * 2**20
"""Real configs are below 100 kB, those with per-layer blocks below 1 MB."""
MAX_DEPTH = 32
MAX_COUNT = 10**8
MAX_LAYERS = 4096


class Fields:
    """The fields of one part of a config, with outer parts to fall back on and defaults of the model class last."""

    def __init__(self, part: Mapping[str, Any], outer: Fields | None = None, defaults: Mapping[str, Any] | None = None):
        self.part = part
        self.outer = outer
        self.defaults = defaults or {}

    def raw(self, *names: str) -> Any:
        """The first value present that is not null, by order of ``names``; dots descend into parts."""
        for source in (self.part, self.defaults):
            for name in names:
                value = _descend(source, name)
                if value is not None:
                    return value
        return None

    def inherited(self, *names: str) -> Any:
        """As ``raw``, then from the parts around this one."""
        value = self.raw(*names)
        if value is None and self.outer is not None:
            return self.outer.inherited(*names)
        return value

    def count(self, *names: str) -> int | None:
        """A positive whole number, None where no name is present. Raises BadInput for anything else."""
        number = self.whole(*names)
        if number == 0:
            _refuse(names, number, "a positive whole number")
        return number

    def whole(self, *names: str) -> int | None:
        """A whole number of zero or more. A list of one and the same number counts as that number."""
        value = self.raw(*names)
        if isinstance(value, list) and value and all(item == value[0] for item in value):
            value = value[0]
        if value is None:
            return None
        if isinstance(value, float) and math.isfinite(value) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_COUNT:
            _refuse(names, value, f"a whole number from 0 to {MAX_COUNT}")
        return value

    def need(self, *names: str) -> int:
        """A positive whole number that must be there. Raises BadInput naming the missing field."""
        number = self.count(*names)
        if number is None:
            raise missing(names[:1])
        return number

    def number(self, *names: str) -> float | None:
        """A finite positive number."""
        value = self.raw(*names)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= MAX_COUNT:
            _refuse(names, value, "a positive number")
        return float(value)

    def flag(self, *names: str) -> bool | None:
        """True or false."""
        value = self.raw(*names)
        if value is not None and not isinstance(value, bool):
            _refuse(names, value, "true or false")
        return value

    def text(self, *names: str) -> str | None:
        """A string; anything else is refused."""
        value = self.raw(*names)
        if value is not None and not isinstance(value, str):
            _refuse(names, value, "a string")
        return value

    def items(self, *names: str) -> list[Any] | None:
        """A list of at most MAX_LAYERS items."""
        value = self.raw(*names)
        if value is not None and (not isinstance(value, list) or len(value) > MAX_LAYERS):
            _refuse(names, value, f"a list of at most {MAX_LAYERS} items")
        return value

    def whole_items(self, *names: str) -> list[int] | None:
        """A list of whole numbers of zero or more."""
        listed = self.items(*names)
        if listed is not None and not all(isinstance(i, int) and not isinstance(i, bool) and i >= 0 for i in listed):
            _refuse(names, listed, "a list of whole numbers")
        return listed

    def within(self, name: str) -> Fields | None:
        """A part inside this one, None where it is not present."""
        value = self.raw(name)
        if value is None:
            return None
        if not isinstance(value, dict):
            _refuse((name,), value, "an object")
        return Fields(value, self)


def missing(names: Sequence[str], why: str = "") -> BadInput:
    """The refusal of a config that lacks fields."""
    said = ", ".join(names)
    return BadInput("config", said, f"a config that states {said}{'; ' + why if why else ''}")


def read_json(path: Path) -> dict[str, Any]:
    """The object in a JSON file. Raises BadInput when the file is missing, too large, or not a JSON object."""
    try:
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            raise BadInput("config", str(path), f"a file of at most {MAX_FILE_BYTES} bytes, not {size}")
        document = json.loads(path.read_bytes())
    except OSError as error:
        raise BadInput("config", str(path), f"a file that can be read ({error.strerror})") from None
    except (ValueError, RecursionError):
        raise BadInput("config", str(path), "a JSON file") from None
    return checked_object(document)


def checked_object(document: object) -> dict[str, Any]:
    """``document`` when it is an object that is not nested too deeply. Raises BadInput."""
    if not isinstance(document, dict):
        raise BadInput("config", type(document).__name__, "a JSON object")
    if not _shallow(document):
        raise BadInput("config", "nested too deeply", f"a JSON object nested at most {MAX_DEPTH} deep")
    return document


def _shallow(document: object) -> bool:
    level: list[Any] = [document]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in _children(node)]
        if not level:
            return True
    return False


def _children(node: object) -> list[Any]:
    values = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    return [value for value in values if isinstance(value, (dict, list))]


def _descend(source: Mapping[str, Any], name: str) -> Any:
    value: Any = source
    for step in name.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(step)
    return value


def _refuse(names: Sequence[str], value: object, expected: str) -> NoReturn:
    shown = "a very large number" if isinstance(value, int) and value.bit_length() > 128 else value
    raise BadInput(f"config: {names[0]}", shown, expected)
