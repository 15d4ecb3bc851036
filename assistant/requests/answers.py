"""Answers from an object of fields, as files and options give it."""

from __future__ import annotations

from typing import Any

from assistant.interview.brief import Answer
from assistant.interview.validation import validate
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput

MOST_NAME = 80


def answers_of(fields: dict[str, Any], catalogue: Catalogue) -> list[Answer]:
    """Answers from ``{field: value}``, each checked as if it had been typed. A saved brief is taken as it is.

    ``groups`` lists groups of users or jobs, each with its ``name`` and fields of its own. Raises BadInput.
    """
    groups = fields.get("groups")
    told = {**_values(fields), **(_of_groups(groups) if groups is not None else {})}
    return [validate(field, value, catalogue) for field, value in told.items() if value is not None]


def _values(fields: dict[str, Any]) -> dict[str, Any]:
    own = {field: value for field, value in fields.items() if field not in ("groups", "name")}
    if set(own) != {"answers"} or not isinstance(own["answers"], dict):
        return own
    return {k: v.get("value") if isinstance(v, dict) and "field" in v else v for k, v in own["answers"].items()}


def _of_groups(groups: Any) -> dict[str, Any]:
    expected = "a list of groups, each with a name and fields, as in [{name: developers, users_total: 200}]"
    if not isinstance(groups, (list, tuple)) or not all(isinstance(group, dict) for group in groups):
        raise BadInput("groups", groups, expected)
    found: dict[str, Any] = {}
    for group in groups:
        name = group.get("name")
        if not isinstance(name, str) or not name.strip() or len(name) > MOST_NAME:
            raise BadInput("groups", name, f"{expected}; a name of up to {MOST_NAME} characters")
        found |= {f"{name}.{field}": value for field, value in _values(group).items()}
    return found
