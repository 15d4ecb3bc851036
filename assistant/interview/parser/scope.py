"""What a negation rules out: the words that it reaches within its clause."""

from __future__ import annotations

from typing import TYPE_CHECKING

from knowledge import regexes as re

if TYPE_CHECKING:
    from assistant.interview.parser.stream import Stream

_REACH = 5
"""Words between "no" and what it rules out: ``pas de GPU grand public type 4090``."""

_TURNS = re.compile(
    r"\b(?:but|only|just|sondern|aber|nur|mais|seulement|sino|pero|solo|mas|apenas|ma|soltanto|maar|alleen|lecz|"
    r"tylko|more than|"
    r"less than|mehr als|weniger als|plus de|moins de|más de|menos de|mais de|più di|meno di|meer dan|"
    r"minder dan)\b|而是|只",
    re.IGNORECASE,
)
_SPACELESS = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]")


def ruled_out(stream: Stream, start: int, end: int, weak: bool = False) -> bool:
    """Whether a negation of the clause reaches this place. ``weak`` lets a plain "not" count as well."""
    first, last = stream.clause(start, end)
    kinds = ("none_of", "not") if weak else ("none_of",)
    for word in reversed(stream.within(first, start, *kinds)):
        between = stream.text[word.end : start]
        if not between.isascii() and _SPACELESS.search(between) and len(between) > _REACH + 1:
            break
        if len(between.split()) <= _REACH and not _TURNS.search(between) and len(between) < 60:
            return True
        break
    for word in stream.within(end, last, "out"):
        between = stream.text[end : word.start]
        if len(between.split()) <= _REACH + 3 and not stream.within(end, word.start, "only"):
            return True
    return bool(_SPACELESS.search(stream.text[start : end + 8])) and any(
        word.start - end <= 10 for word in stream.within(end, min(last, end + 24), "none_of", "not", "out")
    )


def denied(stream: Stream, start: int, end: int) -> bool:
    """Whether the sentence says that something must not be: "may not leave", "darf nicht verlassen", "不能出"."""
    first, last = stream.clause(start, end)
    near = stream.within(max(first, start - 70), min(last, end + 30), "not", "none_of", "out")
    return bool(near)


def places_compared(stream: Stream, start: int) -> bool:
    """Whether the sentence sets own site and cloud against each other: neither is stated then."""
    first, last = stream.sentence(start)
    return all(stream.within(first, last, kind) for kind in ("compare", "cloud", "on_prem"))
