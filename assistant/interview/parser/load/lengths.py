"""Lengths of prompt, answer and context beside their word, in any language."""

from __future__ import annotations

from assistant.interview.parser.load.around import Quantity, count, quantities
from assistant.interview.parser.reading import Reading, tidy


def read_lengths(reading: Reading) -> None:
    """Lengths of prompt, answer and context that stand beside their word, in any language."""
    for one in quantities(reading):
        if (
            one.per
            or one.unit
            or one.percent
            or not 8 <= one.number.value <= _MOST_TOKENS
            or (one.number.decimal and not one.number.letter)
        ):
            continue
        if one.noun not in (None, "tokens"):
            continue
        if one.noun is None and one.number.letter != "k" and not _of_lengths(reading, one):
            continue
        name = _labelled(reading, one)
        if name is None or reading.told_of(one.start, one.end):
            continue
        value = _tokens_of(one)
        reading.take(one.start, one.end)
        reading.state(
            name, value, one.start, one.end, unit="tokens", low=one.number.low, high=value if one.number.low else None
        )


def _of_lengths(reading: Reading, one: Quantity) -> bool:
    """Whether tokens are spoken of: in the sentence, or because another length was said just before."""
    if reading.stream.within(*reading.stream.sentence(one.start), "tokens"):
        return True
    other = reading.fields.get("input_tokens") or reading.fields.get("output_tokens")
    return other is not None and 0 <= one.start - other.end < _NEXT


_NEXT = 60
_MOST_TOKENS = 2e7
_LENGTHS = (
    ("context", "context_tokens"),
    ("input", "input_tokens"),
    ("output", "output_tokens"),
    ("whole_answer", "output_tokens"),
)


_SMALL = (
    "of in as for de en d' di del na an der für im の per van the a die dem den das le la les l' el los las il lo "
    "nel nella dans dos do da no em het voor w we dla au à por para each every our"
)
_JOINS = frozenset(_SMALL.split())
"""Small words between a length and what it is the length of."""


def _labelled(reading: Reading, one: Quantity) -> str | None:
    """The length that the nearest word names: within the noun, right after it, or right before the number."""
    stream = reading.stream
    for start, end in ((one.number.end, one.end), (one.end, one.end + 22), (max(0, one.start - 40), one.start)):
        words = stream.within(start, end, *(kind for kind, _ in _LENGTHS))
        word = words[-1] if end == one.start and words else words[0] if words else None
        if word is None:
            continue
        between = reading.text[word.end : one.start] if end == one.start else reading.text[one.end : word.start]
        if end != one.start and not _JOINS.issuperset(between.replace("-", " ").lower().split()):
            continue
        if len(between.split()) > 2 or any(c in between for c in ",;)\uff64") or any(c.isdigit() for c in between):
            continue
        return next(name for kind, name in _LENGTHS if kind in word.kinds)
    return None


_BINARY = {n * 1000: n * 1024 for n in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)}


def _tokens_of(one: Quantity) -> float:
    value = count(one)
    return tidy(_BINARY.get(int(value), value) if one.number.letter == "k" else value)
