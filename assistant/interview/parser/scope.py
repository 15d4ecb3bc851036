"""What a negation rules out: the words that it reaches within its clause."""

from __future__ import annotations

from typing import TYPE_CHECKING

from knowledge import regexes as re

if TYPE_CHECKING:
    from assistant.interview.parser.stream import Stream
    from assistant.interview.parser.vocabulary.lexicon import Word

_REACH = 5
"""Words between "no" and what it rules out: ``pas de GPU grand public type 4090``."""

_TURNS = re.compile(
    r"\b(?:but|only|just|sondern|aber|nur|mais|seulement|sino|pero|solo|mas|apenas|ma|soltanto|maar|alleen|lecz|"
    r"tylko|more than|"
    r"less than|mehr als|weniger als|plus de|moins de|más de|menos de|mais de|più di|meno di|meer dan|"
    r"minder dan)\b|而是|只",
    re.IGNORECASE,
)
_BREAKS = re.compile(r"[,;:.!?]\s")
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


_NEAR = 4
"""Words between "replace", "instead of" and what is replaced."""


def replaced(stream: Stream, start: int, end: int) -> bool:
    """Whether a name is what goes: ``replacing our A100s with H200``, ``die A100 durch H200 ersetzen``."""
    first, last = stream.sentence(start)
    links = stream.linked(max(first, start - 60), start, "replace", "instead")
    if links and len(stream.text[links[-1].end : start].split()) <= _NEAR:
        between = stream.text[links[-1].end : start]
        if "instead" in links[-1].kinds:
            return len(between.split()) <= 2 and not stream.within(links[-1].end, start, "wanted")
        return not (_BREAKS.search(between) or stream.linked(links[-1].end, start, "by"))
    if _SPACELESS.search(stream.text[end : end + 4]):
        return bool(stream.linked(end, min(last, end + 6), "replace", "instead"))
    if _replaced_later(stream, last):
        return True
    behind = stream.linked(end, min(last, end + 60), "replace")
    if (
        not behind
        or not _PASSIVE.search(stream.text[behind[0].start : behind[0].end])
        or _BREAKS.search(stream.text[end : behind[0].start])
    ):
        return False
    if any(len(stream.text[word.end : start].split()) <= 2 for word in _last_by(stream, start)):
        return False
    first_by = (*stream.linked(end, behind[0].start, "by"), behind[0])[0]
    return len(stream.text[end : first_by.start].split()) <= 2


_PASSIVE = re.compile(r"(?:ed|[^n]t|en|lös\w*|ée?s?|[ai]d[oa]s?|it[oaie]|ion\w*)$", re.IGNORECASE)
"""Endings of what happens to a name before the verb: "is replaced", "werden ersetzt", "sont remplacées"."""

_THEM = re.compile(r"\s(?:them|it|these|those|sie|ihn|diese|les|los|las|li|ze)\b", re.IGNORECASE)


_COUNTED_NAME = re.compile(r"(?<![\w.,])\d{1,5}\s?[x*]?\s?(?:[A-Z]{1,3}\d|[A-Z]\w+ [A-Z]{0,3}\d)")
"""What comes in the place of what goes: ``16 H200 to replace them``."""


def _replaced_later(stream: Stream, end: int) -> bool:
    """``We have four A100. The wish is 16 H200 to replace them``."""
    for word in stream.linked(end, end + 200, "replace"):
        if _THEM.match(stream.text, word.end) and _COUNTED_NAME.search(stream.text, end, word.start):
            return True
    return False


def _last_by(stream: Stream, start: int) -> list[Word]:
    return stream.linked(max(0, start - 20), start, "by")[-1:]


def of_today(stream: Stream, start: int, end: int, closed: bool = False) -> bool:
    """Whether a clause tells what is in use so far. What can only be rented (``closed``) is that by being used."""
    first, last = stream.clause(start, end)
    if closed:
        first = stream.sentence(start)[0]
    if stream.within(first, start, "wanted"):
        return False
    if stream.within(first, last, "now"):
        return True
    return closed and bool(stream.linked(first, start, "used", "paid"))


def denied(stream: Stream, start: int, end: int) -> bool:
    """Whether the sentence says that something must not be: "may not leave", "darf nicht verlassen", "不能出"."""
    first, last = stream.clause(start, end)
    near = stream.within(max(first, start - 70), min(last, end + 30), "not", "none_of", "out")
    return bool(near)


def places_compared(stream: Stream, start: int) -> bool:
    """Whether the sentence sets own site and cloud against each other: neither is stated then."""
    first, last = stream.sentence(start)
    return all(stream.within(first, last, kind) for kind in ("compare", "cloud", "on_prem"))
