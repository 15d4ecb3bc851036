"""Errors that reach a person.

SizewrightError            anything the program refuses, exit status 1
└── BadInput               the user's input: names field, value, what is accepted and what would work, exit status 2
    ├── UnknownName        a name that no catalogue entry answers to
    └── AmbiguousName      a name that several entries answer to
"""

from __future__ import annotations

from collections.abc import Sequence


class SizewrightError(Exception):
    """Base of all errors with a message meant for people."""

    exit_status = 1


class BadInput(SizewrightError):
    """Input that cannot be used.

    ``field`` is the name the user knows (a brief field, an option, a YAML path), ``value`` what was given,
    ``expected`` what is accepted in words, ``nearest`` values that would work, best first.
    """

    exit_status = 2

    def __init__(self, field: str, value: object, expected: str, nearest: Sequence[str] = ()) -> None:
        self.field = field
        self.value = value
        self.expected = expected
        self.nearest = tuple(nearest)
        shown = repr(value) if isinstance(value, str) else str(value)
        if len(shown) > 200:
            shown = shown[:197] + "..."
        hint = f"; did you mean {', '.join(self.nearest)}?" if self.nearest else ""
        super().__init__(f"{field}: {shown} is not accepted: {expected}{hint}")

    def as_dict(self) -> dict[str, object]:
        """The error as a JSON object, for ``--jsonl`` lines."""
        return {
            "field": self.field,
            "value": self.value if isinstance(self.value, (str, int, float, bool, type(None))) else str(self.value),
            "expected": self.expected,
            "nearest": list(self.nearest),
            "message": str(self),
        }


class UnknownName(BadInput):
    """No catalogue entry answers to the name."""


class AmbiguousName(BadInput):
    """Several catalogue entries answer to the name; ``nearest`` lists all of them."""
