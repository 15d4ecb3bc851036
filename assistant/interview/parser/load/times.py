"""Times: limits for answers, days for a stock, a run or a delivery, hours of operation a day."""

from __future__ import annotations

from assistant.interview.parser.load.around import Quantity
from assistant.interview.parser.reading import Reading, tidy
from knowledge import regexes as re

_DAYS = {"hour": 1 / 24, "day": 1.0, "week": 7.0, "month": 30.0}


_RUN = re.compile(
    r"\b(?:runs?|finish\w*|train\w*|fertig|durchlauf\w*|terminé\w*|termina\w*|klaar)\b|完成|完了|완료", re.IGNORECASE
)
_FINISHED = frozenset({"peak", "wanted", "whole_answer", "w_pretraining", "w_finetuning"})
"""Words of a clause that set a time as a limit: at most, must, done within, the training itself."""


def _trains(reading: Reading) -> bool:
    return bool(reading.stream.within(0, len(reading.text), "w_pretraining", "w_finetuning"))


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
        if not one.clause & _FINISHED and not runs:
            return False
        reading.take(one.start, one.end)
        reading.state(
            "deadline_days", tidy(round(one.number.value * _DAYS[one.unit], 6)), one.start, one.end, unit="days"
        )
        return True
    stock = any(amount.per is None and amount.unit != "vectors" for amount in reading.amounts)
    if not stock or not (one.left & {"approx", "per"} or one.near("stock", "wanted")):
        return False
    reading.take(one.start, one.end)
    reading.state("batch_days", tidy(round(one.number.value * _DAYS[one.unit], 6)), one.start, one.end, unit="days")
    return True


def times(reading: Reading, one: Quantity) -> bool:
    """Waiting times: to the first token, for each token, to the whole answer."""
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
        return False  # what can mean both is asked
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
