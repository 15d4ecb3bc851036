"""Loads by their grammar: a number, the noun that it counts, how often, and the words of its clause.

``40 of them at the same time``, ``30 images per minute``, ``每天300份``, ``at most 15 ms per token`` are read by one
set of readings in every language; what a word means stands in the vocabulary.
"""

from __future__ import annotations

from dataclasses import replace

from assistant.interview.parser.load.around import AMOUNTS, COUNTED, SECONDS, Quantity, count, quantities, said_before
from assistant.interview.parser.load.load_rules import PER_ONE
from assistant.interview.parser.load.times import durations, times
from assistant.interview.parser.reading import Reading, tidy
from knowledge import regexes as re


def read_loads(reading: Reading) -> None:
    """State what each number says of the load; amounts without a field of their own are kept for the groups."""
    later: list[Quantity] = []
    measured: Quantity | None = None
    for one in quantities(reading):
        if one.percent:
            _share(reading, one)
        elif _not_wanted(reading, one):
            measured = one
        else:
            one = _as_measured(reading, one, measured)
            in_flight = one.noun == "sessions" and one.per is None and not one.near("at_once")
            if in_flight or (one.unit in ("ms", "second") and one.near("answer") and not one.near("first_token")):
                later.append(one)
            else:
                _load(reading, one)
    # An answer's time may be that of its first word where none is said, and sessions are in flight by their nature,
    # unless a number of users in flight is said.
    for one in later:
        if one.unit or "users_concurrent" not in reading.fields:
            _load(reading, one)


_COMES_IN = ("day", "week", "month", "quarter", "year")


def _not_wanted(reading: Reading, one: Quantity) -> bool:
    """A figure that was measured, or that somebody else published, is no need; it is kept with that reason."""
    reason = reading.told_of(one.start, one.end)
    if reason is None or (one.noun is None and one.unit is None and one.per is None):
        return False
    if one.noun in ("people", "tenants", "adapters") and reason == "measured":
        return False
    if reason == "measured" and one.noun in AMOUNTS and one.per in _COMES_IN and "now" not in one.clause:
        return False  # "we get 14k emails a day" is what comes in
    reading.unuse(one.start, one.end, "quantity", f"heard as {reason}, not as what is needed")
    return True


def _as_measured(reading: Reading, one: Quantity, measured: Quantity | None) -> Quantity:
    """``today 22 images per minute, we need 60``: a bare number that is wanted is of the kind that was measured."""
    if measured is None or measured.noun is None or one.noun or one.unit or one.per or "wanted" not in one.clause:
        return one
    same = reading.stream.sentence(one.start) == reading.stream.sentence(measured.start)
    return replace(one, noun=measured.noun, per=measured.per) if same else one


def _share(reading: Reading, one: Quantity) -> None:
    value = tidy(round(one.number.value / 100, 9))
    low = None if one.number.low is None else tidy(round(one.number.low / 100, 9))
    names = (
        ("at_once", "active_share"),
        ("cache", "prefix_cached_share"),
        ("utilisation", "utilisation"),
        ("availability", "availability"),
        ("growth", "growth_share"),
        ("active", "active_share"),
    )
    near = one.right | one.left
    for kind, name in names:
        if kind in near and (name != "availability" or value >= 0.9):
            reading.take(one.start, one.end)
            reading.state(name, value, one.start, one.end, unit="share", low=low, high=value if low else None)
            return
    if near & {"input", "output"}:
        side = "input" if "input" in near else "output"
        reading.unuse(
            one.start,
            one.end,
            "quantity",
            f"a share of {side} tokens; give the lengths themselves",
            f"{side}_share",
            value,
        )


def _load(reading: Reading, one: Quantity) -> None:
    if (
        one.noun is None
        and one.unit is None
        and one.per is None
        and one.number.value >= _TRAINING_TOKENS
        and said_before(reading, one) == "tokens"
    ):
        reading.take(one.start, one.end)
        reading.state("training_tokens", tidy(one.number.value), one.start, one.end, unit="tokens")
        return
    for step in (durations, times, _audio, _tokens, _people, _counts, _amounts):
        if step(reading, one):
            return


_SPOKEN = frozenset({"audio", "w_speech", "recognition"})


def _audio(reading: Reading, one: Quantity) -> bool:
    if one.unit not in ("hour", "minute") or (one.noun != "audio" and not (one.noun is None and one.clause & _SPOKEN)):
        return False
    if one.noun is None and one.near("first_token", "answer", "whole_answer"):
        return False
    reading.amount(f"{one.unit}s of audio", one.number.value, one.per, one.start, one.end)
    if one.per == "day":
        hours = one.number.value / (60 if one.unit == "minute" else 1)
        reading.state("audio_hours_per_day", tidy(hours), one.start, one.end, unit="hours of audio")
    reading.take(one.start, one.end)
    return True


def _tokens(reading: Reading, one: Quantity) -> bool:
    if one.noun != "tokens":
        return False
    if one.per is None:
        return _stock_of_tokens(reading, one)
    if one.per == "second" and (one.near("speed") or (one.number.value <= 200 and not one.near("total_rate", "peak"))):
        value = tidy(1000 / one.number.value)
        reading.take(one.start, one.end)
        reading.state("tpot_ms", value, one.start, one.end, unit="ms", note="the pace of one answer")
        return True
    reading.amount("tokens", one.number.value, one.per, one.start, one.end)
    reading.take(one.start, one.end)
    return True


_TUNING_TOKENS = 2e6
_TRAINING_TOKENS = 5e7
"""Fewer tokens than this are no training data."""


def _stock_of_tokens(reading: Reading, one: Quantity) -> bool:
    """Tokens to be worked off once; with words on training, or none on inference, they are training data."""
    trains = bool(reading.stream.within(0, len(reading.text), "w_pretraining", "w_finetuning"))
    if one.number.value < (_TUNING_TOKENS if trains else _TRAINING_TOKENS):
        return False
    first, last = reading.stream.sentence(one.start)
    if reading.stream.within(first, last, "w_batch", "w_embeddings") and not reading.stream.within(
        first, last, "w_pretraining", "w_finetuning"
    ):
        reading.amount("tokens", one.number.value, None, one.start, one.end)
        reading.take(one.start, one.end)
        return True
    reading.take(one.start, one.end)
    reading.state(
        "training_tokens",
        tidy(one.number.value),
        one.start,
        one.end,
        unit="tokens",
        low=one.number.low,
        high=one.number.value if one.number.low else None,
    )
    return True


def _people(reading: Reading, one: Quantity) -> bool:
    counted = tidy(count(one))
    if one.number.word and one.number.value == 1 and one.noun in ("people", "requests", "sessions"):
        return False
    people = one.noun in ("people", "requests", "queries", "sessions", "calls", "streams") or (
        one.noun is None and one.unit is None and one.per is None
    )
    if one.noun == "people" and "half" in one.right and one.near("at_once"):
        _state_count(reading, "users_total", "users", one)
        word = reading.stream.within(one.end, one.end + 60, "half")[0]
        reading.state("active_share", 0.5, word.start, word.end, unit="share")
        return True
    if people and one.per is None and one.near("at_once") and float(counted).is_integer() and not one.near("tenants"):
        if one.noun is None and not _beside(reading, one):
            return False
        _state_count(reading, "users_concurrent", "requests", one)
        return True
    if one.noun == "sessions" and one.per is None and counted >= 2 and not one.number.decimal:
        _state_count(reading, "users_concurrent", "requests", one)
        return True
    if one.noun == "people" and one.per in (None, "day") and not one.number.decimal and counted >= 1:
        if "per" in _last_left(reading, one) and reading.lang in ("en", "de", "nl"):
            return False
        if one.per is None and PER_ONE.match(reading.after(one.end)):
            return False
        _state_count(reading, "users_total", "users", one)
        return True
    return False


def _last_left(reading: Reading, one: Quantity) -> frozenset[str]:
    words = reading.stream.within(max(0, one.start - 24), one.start)
    return words[-1].kinds if words and one.start - words[-1].end <= 1 else frozenset()


def _beside(reading: Reading, one: Quantity) -> bool:
    """Whether the word for "at the same time" stands at the number's side."""
    words = reading.stream.within(max(0, one.start - 40), one.end + 60, "at_once")
    return any(
        len(reading.text[w.end : one.start].split()) <= 2 and not reading.stream.within(w.end, one.start, *COUNTED)
        if w.end <= one.start
        else len(reading.text[one.end : w.start].split()) <= 4
        for w in words
    )


def _state_count(reading: Reading, name: str, unit: str, one: Quantity) -> None:
    reading.take(one.start, one.end)
    low = one.number.low
    value = tidy(count(one))
    reading.state(name, value, one.start, one.end, unit=unit, low=low, high=value if low is not None else None)


def _counts(reading: Reading, one: Quantity) -> bool:
    names = {"adapters": ("lora_adapters", "adapters"), "tenants": ("tenants", "tenants")}
    if one.noun in names and one.per is None:
        _state_count(reading, names[one.noun][0], names[one.noun][1], one)
        return True
    if one.noun == "dimensions":
        reading.unuse(
            one.start,
            one.end,
            "quantity",
            "the length of a vector; only its number is sized",
            "vector_dimensions",
            tidy(count(one)),
        )
        return True
    if one.noun is None and one.unit is None and one.near("percentile") and 50 <= one.number.value < 100:
        reading.unuse(
            one.start,
            one.end,
            "quantity",
            "a percentile of a limit; limits are planned for the mean and shown with their spread",
            "percentile",
            tidy(one.number.value),
        )
        return True
    if one.noun == "steps":
        reading.unuse(
            one.start, one.end, "quantity", "steps of image generation are not sized", "steps", tidy(count(one))
        )
        return True
    return False


def _amounts(reading: Reading, one: Quantity) -> bool:
    noun = one.noun
    if noun is None and one.per and one.unit is None:
        noun = said_before(reading, one)
        noun = None if noun == "streams" else noun  # "one frame per second" of a camera is no camera
    if noun not in AMOUNTS or noun in ("tokens", "audio"):
        return False
    if one.per is None and noun in ("requests", "queries", "calls"):
        return False
    if (one.per is None and noun == "pages" and reading.stream.within(one.end, one.end + 24, "parts")) or _each(
        reading, one
    ):
        reading.unuse(
            one.start,
            one.end,
            "quantity",
            "pages of one document; only whole loads are sized",
            "pages_per_document",
            tidy(count(one)),
        )
        return True
    if one.per in SECONDS and noun in ("requests", "queries"):
        reading.rate(count(one), one.number.low, one.per, one.start, one.end)
    elif one.per is None and noun in ("documents", "pages") and count(one) >= 100:
        _state_count(reading, "documents", "documents", one)
    reading.amount(noun, count(one), one.per, one.start, one.end)
    reading.take(one.start, one.end)
    return True


_EACH = re.compile(
    r"\s?(?:each\b|apiece|je\b|pro (?:stück|vertrag|dokument|akte)|l'uno|l'una|ciascun\w+|chacun\w*|cada (?:uno|"
    r"una|um|uma)\b|elk\b|per stuk|każd\w+|por documento|por contrato|par document|par dossier|per documento|"
    r"per contratto)",
    re.IGNORECASE,
)


def _each(reading: Reading, one: Quantity) -> bool:
    return one.noun == "pages" and one.per is None and bool(_EACH.match(reading.text, one.end))
