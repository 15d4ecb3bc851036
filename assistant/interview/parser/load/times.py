"""Times: limits for answers, days for a stock, a run or a delivery, hours of operation a day."""

from __future__ import annotations

from assistant.interview.parser.load.around import Quantity
from assistant.interview.parser.reading import Reading, tidy
from assistant.interview.parser.result import Ambiguous
from knowledge import regexes as re

_DAYS = {"hour": 1 / 24, "day": 1.0, "week": 7.0, "month": 30.0}


_RUN = re.compile(
    r"\b(?:runs?|finish\w*|train\w*|fertig|durchlauf\w*|terminé\w*|termina\w*|klaar)\b|完成|完了|완료", re.IGNORECASE
)
_FINISHED = frozenset({"peak", "wanted", "whole_answer", "w_pretraining", "w_finetuning"})
"""Words of a clause that set a time as a limit: at most, must, done within, the training itself."""


_TRAINING = re.compile(
    r"\b(?:the|our|a|das|l'|el|o|l|il|de|het|des?|model) ?"
    r"(?:training|entraînement|entrenamiento|treinamento|addestramento)\b|"
    r"训练|学習|학습",
    re.IGNORECASE,
)


def _trains(reading: Reading) -> bool:
    known = reading.stream.within(0, len(reading.text), "w_pretraining", "w_finetuning")
    return bool(known or _TRAINING.search(reading.text))


WEEKEND_DAYS = 2.0


def read_weekend(reading: Reading) -> None:
    """``over the weekend`` is a limit of two days for a training, or for a stock to be worked off."""
    words = reading.stream.linked(0, len(reading.text), "weekend")
    if not words or not {"deadline_days", "batch_days"}.isdisjoint(reading.fields):
        return
    stock = any(amount.per is None and amount.unit != "vectors" for amount in reading.amounts)
    name = "deadline_days" if _trains(reading) else "batch_days" if stock else None
    if name:
        start, end, note = words[0].start, words[0].end, f"a weekend is taken for {WEEKEND_DAYS:g} days"
        reading.state(name, tidy(WEEKEND_DAYS), start, end, unit="days", note=note)


_IN = re.compile(
    r"(?<!\w)(?:in|within|innerhalb|binnen|en|em|entro|dans|sous|w ciągu|w|dentro de)\s(?:[^\W\d_]+\s)?$", re.IGNORECASE
)


def durations(reading: Reading, one: Quantity) -> bool:
    """Days within which a stock is to be worked off, and hours of operation a day."""
    if (
        one.unit == "hour"
        and one.per == "day"
        and one.noun is None
        and one.number.value <= 24
        and "audio" not in one.clause
    ):
        reading.unuse(
            one.start,
            one.end,
            "quantity",
            "hours of operation are taken as office hours or around the clock",
            "hours_per_day",
            tidy(one.number.value),
        )
        return True
    if one.unit not in _DAYS or one.noun or one.per:
        return False
    runs = _RUN.search(reading.text[slice(*reading.stream.clause(one.start, one.end))])
    if "delivery" in one.clause and one.unit != "hour" and not runs:
        reading.take(one.start, one.end)
        reading.state(
            "delivery_days", tidy(round(one.number.value * _DAYS[one.unit], 6)), one.start, one.end, unit="days"
        )
        return True
    if _trains(reading):
        clause = reading.stream.clause(one.start, one.end)
        if not one.clause & _FINISHED and not runs and not _TRAINING.search(reading.text, *clause):
            return False
        reading.take(one.start, one.end)
        reading.state(
            "deadline_days", tidy(round(one.number.value * _DAYS[one.unit], 6)), one.start, one.end, unit="days"
        )
        return True
    embeds = bool(reading.stream.within(0, len(reading.text), "w_embeddings"))
    stock = any(amount.per is None and (embeds or amount.unit != "vectors") for amount in reading.amounts)
    within = _IN.search(reading.text, max(0, one.start - 24), one.start)
    if not stock or not (within or one.left & {"approx", "per"} or one.near("stock", "wanted")):
        return False
    reading.take(one.start, one.end)
    reading.state("batch_days", tidy(round(one.number.value * _DAYS[one.unit], 6)), one.start, one.end, unit="days")
    return True


_MEANINGS = ("time to the first word", "time to the whole answer")


def _first_or_whole(reading: Reading, one: Quantity, value: float, low: float | None) -> bool:
    """``réponse en moins de 2 secondes``: taken for the first word, and asked."""
    if "ttft_ms" in reading.fields or "input" in one.left:
        return False
    words = reading.stream.within(*reading.stream.clause(one.start, one.end), "answer")
    start, end = min(one.start, words[0].start if words else one.start), max(one.end, words[-1].end if words else 0)
    if not reading.free(start, end):
        start, end = one.start, one.end
    reading.take(one.start, one.end)
    high = value if low is not None else None
    note = f"taken as {_MEANINGS[0]}"
    reading.state("ttft_ms", value, start, end, unit="ms", low=low, high=high, note=note)
    reading.ambiguous.append(
        Ambiguous.model_construct(
            field="ttft_ms",
            span=reading.span(start, end),
            candidates=_MEANINGS,
            question="Time to the first word or to the whole answer?",
            assumed=_MEANINGS[0],
        )
    )
    return True


_OF = re.compile(
    r"\W{0,3}(?:s )?(?:of|each|averaging|lasting|taking|at|with|von|à|zu|je|mit|de|d'|da|di|con|com|van|po|about|"
    r"approx\.?|ca\.?|on average|im Schnitt|en moyenne|de media|em média|in media|平均|平均で|약|"
    r"[ ,(])*\W{0,2}",
    re.IGNORECASE,
)


_EACH = re.compile(
    r"\b(?:each|apiece|on average|je|jeweils|im schnitt|chacun\w*|en moyenne|cada|de media|em média|ciascun\w+|elk|"
    r"gemiddeld|każd\w+|średnio)\b",
    re.IGNORECASE,
)


def _of_each_call(reading: Reading, one: Quantity) -> bool:
    """``300 parallel calls of 6 minutes``: how long one lasts."""
    words = reading.stream.within(max(0, one.start - 40), one.start, "calls", "audio", "sessions", "videos")
    between = reading.text[words[-1].end : one.start] if words else ""
    if not words or not (_OF.fullmatch(between) or _EACH.search(between)):
        return False
    if one.near("first_token", "answer", "whole_answer", "per_token"):
        return False
    minutes = one.number.value / (60 if one.unit == "second" else 1)
    reading.unuse(
        one.start, one.end, "quantity", "how long one lasts; its rate is what is sized", "minutes_each", tidy(minutes)
    )
    return True


def times(reading: Reading, one: Quantity) -> bool:
    """Waiting times: to the first token, for each token, to the whole answer."""
    if one.unit in ("minute", "second") and one.per is None and not one.noun and _of_each_call(reading, one):
        return True
    if one.unit not in ("ms", "second") or one.noun:
        return False
    factor = 1.0 if one.unit == "ms" else 1000.0
    value, low = tidy(one.number.value * factor), None if one.number.low is None else tidy(one.number.low * factor)
    name = (
        "tpot_ms" if one.near("per_token")
        else "ttft_ms" if one.near("first_token")
        else "e2e_latency_s" if one.near("whole_answer")
        else ""
    )  # fmt: skip
    if not name and one.per is None and one.near("answer"):
        return _first_or_whole(reading, one, value, low)
    if name == "e2e_latency_s":
        reading.unuse(
            one.start, one.end, "quantity", "a limit for the whole answer; the sizing plans by first token and pace",
            name, tidy(value / 1000),
        )  # fmt: skip
        return True
    if not name:
        return False
    reading.take(one.start, one.end)
    reading.state(name, value, one.start, one.end, unit="ms", low=low, high=value if low is not None else None)
    return True
