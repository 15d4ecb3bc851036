"""What a message asks for, and whether the hardware that it names is there, wished for, or only compared."""

from __future__ import annotations

import itertools
from typing import Literal

from assistant.interview.parser.reading import Reading
from assistant.interview.parser.result import OWNED, Asked, Derived
from knowledge import regexes as re

_KINDS: tuple[Literal["compare", "fits", "enough", "how_long", "how_many"], ...] = (
    "compare",
    "fits",
    "enough",
    "how_long",
    "how_many",
)
_QUESTION = re.compile(r"[?？]|吗|呢|か[。？?\s]|나요|까요|습니까")


def read_asks(reading: Reading) -> tuple[Asked, ...]:
    """The questions of the message, one for each sentence and kind, with the models and hardware named in it."""
    found: list[Asked] = []
    for word in reading.stream.words:
        kind = next((kind for kind in _KINDS if kind in word.kinds), None)
        if kind is None:
            continue
        first, last = reading.stream.sentence(word.start)
        if kind in ("fits", "enough") and not _QUESTION.search(reading.text[first : last + 2]):
            continue
        span = reading.span(first, last)
        if any(one.kind == kind and one.start == span.start for one in found):
            continue
        found.append(Asked.model_construct(kind=kind, entities=_entities(reading, first, last), **span.place()))
    found += _either_or(reading, found)
    return (*found, *_yes_or_no(reading, found))


def _yes_or_no(reading: Reading, found: list[Asked]) -> tuple[Asked, ...]:
    """``Can our 2 DGX do it over the weekend?``: a question with a verb of being able that names hardware."""
    more: list[Asked] = []
    for mark in _QUESTION.finditer(reading.text):
        first, last = reading.stream.sentence(max(0, mark.start() - 1))
        span = reading.span(first, min(last, mark.end()))
        if any(one.start < span.end and span.start < one.end for one in (*found, *more)):
            continue
        named = any(n == "gpus" and first <= m.start < last for n, m in reading.mentions)
        if named and reading.stream.linked(first, last, "can"):
            more.append(Asked.model_construct(kind="fits", entities=_entities(reading, first, last), **span.place()))
    return tuple(more)


_OR = re.compile(r"\b(?:or|vs\.?|versus|oder|ou|o|of|lub|czy)\b|还是|或|または|それとも|또는|아니면", re.IGNORECASE)


def _either_or(reading: Reading, found: list[Asked]) -> tuple[Asked, ...]:
    """``H100 or H200?`` compares, without saying so."""
    gpus = [m for n, m in reading.mentions if n == "gpus"]
    for one, other in itertools.pairwise(gpus):
        first, last = reading.stream.sentence(one.start)
        counted = one.value[0]["count"] or other.value[0]["count"]
        if counted and not _OR.fullmatch(reading.text[one.end : other.start].strip(" ,")):
            continue
        asked = _QUESTION.search(reading.text[first : last + 2]) and _OR.search(reading.text, one.end, last)
        if asked and other.start < last and not any(a.kind == "compare" for a in found):
            span = reading.span(first, last)
            return (Asked.model_construct(kind="compare", entities=_entities(reading, first, last), **span.place()),)
    return ()


def _entities(reading: Reading, first: int, last: int) -> tuple[str, ...]:
    names: list[str] = []
    for name, mention in reading.mentions:
        if name in ("gpus", "models") and first <= mention.start < last:
            values = mention.value if name == "models" else [entry["gpu"] for entry in mention.value]
            names += [value for value in values if value]
    if not names and (first, last) != (0, len(reading.text)):  # "Is that enough?" is asked of what was said before
        return _entities(reading, 0, len(reading.text))
    return tuple(dict.fromkeys(names))


_THERE = re.compile(
    r"(?:(?<!\w)(?:(?:we|i)(?:'ve| already)?(?: have| own|'ve)|(?:we|i)'ve|there (?:is|are)|existing|our existing|"
    r"on hand|at hand|has ordered|have bought|ordered|gives us|wir haben|haben wir|vorhanden\w*|"
    r"bestehend\w*|nous avons|on a|nous possédons|disposons|tenemos|contamos con|disponemos|temos|dispomos|"
    r"abbiamo|disponiamo|hebben|we hebben|mamy|posiadamy|"
    r"today we|wir besitzen)(?!\w)|我们有|现有|已有|手头|手上|有)[^.;!?\n。]{0,60}$",
    re.IGNORECASE,
)
_THERE_AFTER = re.compile(
    r"^[^.;!?\n。]{0,24}(?:あります|ある|持って|あり|있(?:습니다|고|는|어)|보유|gives us|"
    r"(?:that )?(?:we|i) (?:already )?(?:have|own)|"
    r"(?:die )?wir (?:schon )?haben|que (?:ya )?tenemos|que nous avons|(?:is|are) (?:already )?(?:there|here|"
    r"in place)|vorhanden|disponibles?)",
    re.IGNORECASE,
)


def read_owned(reading: Reading) -> None:
    """Derive ``owned_gpus``: what the message says is there already."""
    owned = []
    for name, mention in reading.mentions:
        if name != "gpus":
            continue
        first, _ = reading.stream.sentence(mention.start)
        before = reading.text[max(first, mention.start - 80) : mention.start]
        if _THERE.search(before) or _THERE_AFTER.search(reading.text[mention.end : mention.end + 40]):
            owned += [entry for entry in mention.value if entry not in owned]
        elif re.search(r"\b(?:on|with) (?:a single|one)\s?$", before) and reading.told_of(mention.start, mention.end):
            owned += mention.value
    if owned:
        reading.derived[OWNED] = Derived.model_construct(
            value=owned, unit="GPUs", because="the message says that they are there", sure=False
        )
