"""Answers from an object of fields, as files and options give it."""

from __future__ import annotations

from typing import Any

from assistant.interview.brief import Answer
from assistant.interview.questions import validate
from knowledge.catalogue import Catalogue


def answers_of(fields: dict[str, Any], catalogue: Catalogue) -> list[Answer]:
    """Answers from ``{field: value}``, each checked as if it had been typed. A saved brief is taken as it is."""
    if set(fields) == {"answers"} and isinstance(fields["answers"], dict):
        fields = {
            k: v.get("value") if isinstance(v, dict) and "field" in v else v for k, v in fields["answers"].items()
        }
    return [validate(field, value, catalogue) for field, value in fields.items() if value is not None]
