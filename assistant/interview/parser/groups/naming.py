"""Short names of the groups of a message: who they are, else what they do, else with which model."""

from __future__ import annotations

from collections.abc import Iterable

from assistant.interview.parser.result import Group
from knowledge import regexes as re

_AMOUNT = re.compile(r"^[\W\d_]*(?:[kKmM]\b)?[\W\d_]*")
LONGEST = 40
"""Characters of a name."""


def names_of(groups: Iterable[Group]) -> tuple[str, ...]:
    """One name a group, no two alike: ``developers``, ``coding``, ``llama-3.3-70b-instruct``."""
    taken: list[str] = []
    for number, group in enumerate(groups, 1):
        base = _who(group) or _what(group) or f"group {number}"
        same = sum(name == base or name.startswith(f"{base} ") for name in taken)
        taken.append(f"{base} {same + 1}" if same else base)
    return tuple(taken)


def _who(group: Group) -> str | None:
    """The people in the words of their number: ``200 developers`` are the developers."""
    for field in ("users_total", "users_concurrent"):
        if field in group.fields:
            noun = _AMOUNT.sub("", " ".join(group.fields[field].text.split())).strip(" .,:;()-").lower()
            if noun.replace(" ", "").isalpha() and len(noun) <= LONGEST:
                return noun
    return None


def _what(group: Group) -> str | None:
    for field in ("workload", "models"):
        stated = group.fields.get(field) or group.derived.get(field)
        if stated is not None:
            return str(stated.value[0] if isinstance(stated.value, list) else stated.value)[:LONGEST]
    return None
