"""Corrections in the same message: ``sorry, 300 not 200``, ``nicht 200, sondern 300``, ``300 statt 200``."""

from __future__ import annotations

from assistant.interview.parser.numbers.values import PLAIN, read_number
from assistant.interview.parser.reading import Reading, tidy
from knowledge import regexes as re

_NOUN = r"(?: [A-Za-zÀ-ÿ]{3,20})?"
_NEW_THEN_OLD = re.compile(
    rf"(?<![\w.,])(?P<new>{PLAIN}){_NOUN},? (?:and |und )?(?:not|nicht|statt|instead of|rather than|pas|et non|"
    rf"no|não|y no|e não) (?P<old>{PLAIN})(?![\w.,]?\d)",
    re.IGNORECASE,
)
_OLD_THEN_NEW = re.compile(
    rf"\b(?:not|nicht|pas|no|não) (?P<old>{PLAIN}){_NOUN},? (?:but|sondern|mais|sino|mas) "
    rf"(?P<new>{PLAIN})(?![\w.,]?\d)",
    re.IGNORECASE,
)
_PLAIN = re.compile(
    rf"(?:sorry|correction|i meant?|make that|no wait|wait,? no|quatsch|korrektur|ich meine?|pardon|perdón|"
    rf"desculpe?)[,:]?"
    rf"(?: (?:it'?s|it is|wir sind|es sind|that'?s|i mean|rather|eher|should be))?[,:]? "
    rf"(?P<new>{PLAIN})(?![\w.,]?\d)",
    re.IGNORECASE,
)


_NOUN_FOLLOWS = r"(?= [A-Za-zÀ-ÿ])"
_TAKEN_BACK = re.compile(
    rf"(?<![\w.,])(?P<new>{PLAIN}),? (?:and )?(?:not|nicht|statt|instead of|rather than|et non|y no|e não) "
    rf"(?P<old>{PLAIN})(?![\w.,]?\d){_NOUN_FOLLOWS}",
    re.IGNORECASE,
)


def with_last_word(text: str, lang: str) -> str:
    """``3,000 not 300 employees``, in a message that says 300 nowhere else: only the 3000, in the place of both.

    The digits fill the place with leading zeros, so that every place in the text stays.
    """

    def last(match: re.Match[str]) -> str:
        new = read_number(match["new"], lang, count=True)
        elsewhere = match.string.count(match["old"]) > match[0].count(match["old"])
        return match[0] if elsewhere or not new.is_integer() else str(int(new)).zfill(len(match[0]))

    return _TAKEN_BACK.sub(last, text)


_REACH = 160
"""Characters between a figure and the one that corrects it, at most."""


def take_back(reading: Reading) -> None:
    """``200 users, sorry, 2,000 users``: of two statements with a correction between them the later holds."""
    for name in list(reading.fields):
        held = reading.fields[name]
        later = next(
            (m for n, m in reading.mentions if n == name and m.start >= held.end and m.value != held.value), None
        )
        if later is None or later.start - held.end > _REACH:
            continue
        if reading.stream.within(held.end, later.start, "correction"):
            reading.fields[name] = later
            reading.mentions = [
                (n, m) for n, m in reading.mentions if m is not held and (n != name or m.start != held.start)
            ]
            reading.unuse(held.start, held.end, "quantity", f"taken back: {later.text} holds", name, held.value)


def read_corrections(reading: Reading) -> None:
    """Replace the number that was taken back, in the field that held it."""
    take_back(reading)
    for pattern in (_NEW_THEN_OLD, _OLD_THEN_NEW):
        for match in pattern.finditer(reading.text):
            old, new = (read_number(match[g], reading.lang, count=True) for g in ("old", "new"))
            held = next((f for f, m in reading.fields.items() if old in (m.value, m.high)), None)
            if held is not None:
                _replace(reading, held, new, match.start("new"), match.end("new"))
            return
    bare = _PLAIN.search(reading.text)
    if bare is not None:
        _correct_last(reading, bare)


def _correct_last(reading: Reading, match: re.Match[str]) -> None:
    """A bare new number replaces the last number before it, unless it belongs to a field of its own."""
    earlier = [
        (m.end, f) for f, m in reading.fields.items() if m.end <= match.start() and isinstance(m.value, (int, float))
    ]
    if earlier and not any(
        m.start >= match.start() for m in reading.fields.values() if m.start <= match.start("new") < m.end
    ):
        _replace(
            reading,
            max(earlier)[1],
            read_number(match["new"], reading.lang, count=True),
            match.start("new"),
            match.end("new"),
            reading.text[match.end("new") : match.end("new") + 1].lower() == "k",
        )


def _replace(reading: Reading, field: str, value: float, start: int, end: int, thousands: bool = False) -> None:
    old = reading.fields[field]
    if thousands:
        value, end = value * (1024 if field.endswith("_tokens") and field != "training_tokens" else 1000), end + 1
    span = reading.span(start, end)
    reading.fields[field] = old.model_copy(
        update={
            "value": tidy(value),
            "low": None,
            "high": None,
            "text": span.text,
            "start": span.start,
            "end": span.end,
            "note": f"corrected from {old.value}",
        }
    )
