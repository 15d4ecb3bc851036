"""Patterns of the vocabularies: each is compiled only when the words that it cannot do without are in the text.

There are some thousand, a question meets a few dozen, and compiling all of them would take most of the time of an
answer.
"""

from __future__ import annotations

from functools import lru_cache

from knowledge import regexes as re

_LEAST = 3
"""Letters of a literal run that is worth looking for first."""

_GROUP = re.compile(r"\((?:[^()\\]|\\.)*\)[?*+]?|\((?:[^()\\]|\\.)*\)\{[^}]*\}")
_CLASS = re.compile(r"\[(?:\\.|[^\]\\])*\](?:[?*+]|\{[^}]*\})?")
_OPTIONAL = re.compile(r".(?:[?*]|\{[^}]*\})")
_RUN = re.compile(rf"[a-zà-ÿ]{{{_LEAST},}}")


def search(pattern: str, text: str) -> re.Match[str] | None:
    """The first place of the pattern in the lower-case text."""
    needed = _needed(pattern)
    if needed is not None and not any(run in text for run in needed):
        return None
    return _compiled(pattern).search(text)


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


@lru_cache(maxsize=8192)
def _needed(pattern: str) -> tuple[str, ...] | None:
    """Literal runs of which any match has one; None where a match may have none that is long enough."""
    runs = [_literal(alternative) for alternative in _alternatives(pattern)]
    return tuple(run for run in runs if run) if all(runs) else None


def _alternatives(pattern: str) -> list[str]:
    """The alternatives at the top of the pattern, its groups emptied: what they hold is not looked at."""
    plain = _CLASS.sub("\0", re.sub(r"\\.(?:[?*]|\{[^}]*\})?", "\0", pattern))
    while (bare := _GROUP.sub("\0", plain)) != plain:
        plain = bare
    return plain.split("|") if "(" not in plain and ")" not in plain else [""]


def _literal(alternative: str) -> str:
    return max(_RUN.findall(_OPTIONAL.sub("\0", alternative)), key=len, default="")
