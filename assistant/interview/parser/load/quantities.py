"""Loads by their grammar: a number, the noun that it counts, how often, and the words of its clause.

``40 of them at the same time``, ``30 images per minute``, ``每天300份``, ``at most 15 ms per token`` are read by one
set of readings in every language; what a word means stands in the vocabulary.
"""

from __future__ import annotations

from dataclasses import dataclass

from assistant.interview.parser.numbers.scan import Number
from assistant.interview.parser.reading import Reading, tidy
from assistant.interview.parser.stream import Stream
from assistant.interview.parser.vocabulary.lexicon import Word
from knowledge import regexes as re

COUNTED = (
    "people", "requests", "queries", "sessions", "images", "pages", "documents", "audio", "calls", "studies",
    "vectors", "videos", "streams", "tokens", "adapters", "tenants", "steps", "dimensions",
)  # fmt: skip
"""What a load counts, by kind of the vocabulary."""

AMOUNTS = frozenset(
    {"requests", "queries", "images", "pages", "documents", "audio", "calls", "studies", "vectors", "videos", "tokens"}
)
TIMES = ("t_second", "t_ms", "t_minute", "t_hour", "t_day", "t_week", "t_month", "t_year")
PERIODS = ("p_second", "p_minute", "p_hour", "p_day", "p_week", "p_month", "p_quarter", "p_year")
SECONDS = {"second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86400.0}
_MOST_BETWEEN = 3
_SKIPPED = frozenset(
    {"glue", "approx", "active", "at_once", "peak", "average", "stock", "input", "output", "per", "only"}
)
_PERCENT = re.compile(
    r"\s?(?:%|percent|prozent|pour ?cent|por ?ciento|por cento|per cento|procent|proc\.|％|퍼센트|パーセント)",
    re.IGNORECASE,
)
_ATTACHED = re.compile(r"[^\W\d_]")
"""A number that runs into a word which is no magnitude is none: ``5oo people``."""

_LARGE = re.compile(r"illi(?:on|ard|ón|ão|õ)|hundr?ed|thousand|dozen|tausend|hundert|dutzend", re.IGNORECASE)
"""A magnitude that was not read: the number before it would be wrong."""

_UNIT_SLASH = re.compile(
    r"\s?/\s?(?P<unit>s|sec|second|sek|min|minute|h|hr|hour|stunde|d|day|tag|jour|día|dia|giorno|dag|week|woche|"
    r"month|monat|mois|mes|year|jahr|an|秒|分|分钟|小时|时间|天|日|月|年|초|분|시간|일|월|년)(?![A-Za-zÀ-ÿ])",
    re.IGNORECASE,
)
_SLASH = {
    **dict.fromkeys(("s", "sec", "second", "sek", "秒", "초"), "second"),
    **dict.fromkeys(("min", "minute", "分", "分钟", "분"), "minute"),
    **dict.fromkeys(("h", "hr", "hour", "stunde", "小时", "时间", "시간"), "hour"),
    **dict.fromkeys(("d", "day", "tag", "jour", "día", "dia", "giorno", "dag", "天", "日", "일"), "day"),
    **dict.fromkeys(("week", "woche"), "week"),
    **dict.fromkeys(("month", "monat", "mois", "mes", "月", "월"), "month"),
    **dict.fromkeys(("year", "jahr", "an", "年", "년"), "year"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with what was found around it. ``end`` takes in its noun and its period."""

    number: Number
    noun: str | None
    noun_text: str
    per: str | None
    unit: str | None
    start: int
    end: int
    right: frozenset[str]
    left: frozenset[str]
    clause: frozenset[str]
    percent: bool = False

    def near(self, *kinds: str) -> bool:
        """Whether a word of these kinds stands on either side, within the clause."""
        return bool(self.right.intersection(kinds) or self.left.intersection(kinds))


def quantities(reading: Reading) -> list[Quantity]:
    """Every number of the message that nothing has taken yet, with its surroundings."""
    stream = reading.stream
    return [_around(stream, number) for number in stream.numbers if reading.free(number.start, number.end)]


def _around(stream: Stream, number: Number) -> Quantity:
    first, last = stream.sentence(number.start)
    until, since = min(last, stream.number_after(number.end)), max(first, stream.number_before(number.start))
    clause_start, clause_end = stream.clause(number.start, number.end)
    right = [w for w in stream.within(number.end, until) if not _belongs_to_next(stream, w, until, last)]
    left = stream.within(max(since, clause_start), number.start)
    end, percent = number.end, _PERCENT.match(stream.text, number.end)
    if percent:
        end = percent.end()
    noun, unit = None, None
    place = end
    for word in right:
        if word.start < end:
            continue
        between = stream.text[place : word.start]
        if _LARGE.search(between) or (place == number.end and _ATTACHED.match(between)):
            break
        if (
            len(between.split()) > _MOST_BETWEEN
            or re.search(r"[,()（）:;\uff64]", between)
            or (len(between) > 6 and not between.isascii() and not between.count(" "))
        ):
            break
        if word.end - word.start == 1 and stream.text[word.end : word.end + 1] == "'":
            place = word.end
            continue  # d'images: an article, no day
        if unit is None and noun is None and word.kinds.intersection(TIMES) and not between.strip(" -"):
            unit = next(t[2:] for t in TIMES if t in word.kinds)
            place = end = word.end
            continue
        if kind := next((k for k in COUNTED if k in word.kinds and not (unit and k != "audio")), None):
            word, kind = _compound(stream, right, word, kind)
            noun, end = (kind, stream.text[word.start : word.end]), word.end
            break
        if word.kinds & _SKIPPED and not word.kinds.intersection(PERIODS):
            place = word.end
            continue
        break
    per, end = _period(stream, number, end, right, left)
    if (
        noun is None
        and re.search(r"[A-Za-z]", stream.text[number.end : end] or "")
        and per == "second"
        and re.match(r"\s?(?:rps|qps)\b", stream.text[number.end : end], re.I)
    ):
        noun = ("requests", "requests")
    if noun is None and re.match(r"\s?rpm\b", stream.text[number.end : end], re.IGNORECASE):
        noun, per = ("requests", "requests"), "minute"
    start = number.start
    clause = stream.within(clause_start, clause_end)
    return Quantity(
        number, noun and noun[0], noun[1] if noun else "", per, unit, start, end,
        frozenset(
            k for w in right for k in w.kinds
            if w.start < max(clause_end, end) or (k in ("at_once", "active", "half") and w.start - end < 50)
        ),
        frozenset(k for w in left for k in w.kinds),
        frozenset(k for w in clause for k in w.kinds), bool(percent),
    )  # fmt: skip


def _compound(stream: Stream, right: list[Word], word: Word, kind: str) -> tuple[Word, str]:
    """``customer calls``, ``user requests``: the last noun of the compound is what is counted."""
    following = next((w for w in right if w.start == word.end + 1), None)
    if following is not None and stream.text[word.end] == " " and kind == "people":
        other = next((k for k in COUNTED if k in following.kinds and k != "people"), None)
        if other and "p_day" not in following.kinds:
            return following, other
    return word, kind


def _belongs_to_next(stream: Stream, word: Word, number: int, last: int) -> bool:
    """``(同時50人)``: a word right before the next number is said of that one."""
    if number >= last:
        return False
    between = stream.text[word.end : number]
    return (
        len(between) <= 8
        and not re.search(r"[,;)）\uff64]", between)
        and "at_once" in word.kinds
        and not stream.within(word.end, number, *COUNTED)
    )


def _period(stream: Stream, number: Number, end: int, right: list[Word], left: list[Word]) -> tuple[str | None, int]:
    if slash := _UNIT_SLASH.match(stream.text, end):
        return _SLASH[slash["unit"].lower()], slash.end()
    for word in right:
        if word.start < number.end:
            continue
        if period := next((p[2:] for p in PERIODS if p in word.kinds), None):
            between = stream.text[end : word.start] if word.start > end else ""
            spaceless = len(between) > 4 and re.search(r"[\u3040-\u9fff\uac00-\ud7a3]", between)
            if len(between.split()) <= _MOST_BETWEEN and not spaceless and not re.search(r"[,;()\uff64]", between):
                return period, max(end, word.end)
    if left and (period := next((p[2:] for p in PERIODS if p in left[-1].kinds), None)):
        between = stream.text[left[-1].end : number.start]
        if len(between.split()) <= 2 and len(between) <= 14:
            return period, end
    return None, end


_UNITS = {"audio": "hours of audio"}


def read_loads(reading: Reading) -> None:
    """State what each number says of the load; amounts without a field of their own are kept for the groups."""
    later: list[Quantity] = []
    for one in quantities(reading):
        if one.percent:
            _share(reading, one)
        elif not _not_wanted(reading, one):
            if one.noun == "sessions" and one.per is None and not one.near("at_once"):
                later.append(one)
            else:
                _load(reading, one)
    for one in later:  # sessions are in flight by their nature, unless a number of users in flight is said
        if "users_concurrent" not in reading.fields:
            _load(reading, one)


def _not_wanted(reading: Reading, one: Quantity) -> bool:
    """A figure that was measured, or that somebody else published, is no need; it is kept with that reason."""
    reason = reading.told_of(one.start, one.end)
    if reason is None or (one.noun is None and one.unit is None and one.per is None):
        return False
    if one.noun in ("people", "tenants", "adapters") and reason == "measured":
        return False
    reading.unuse(one.start, one.end, "quantity", f"heard as {reason}, not as what is needed")
    return True


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
        and _said_before(reading, one)[0] == "tokens"
    ):
        reading.take(one.start, one.end)
        reading.state("training_tokens", tidy(one.number.value), one.start, one.end, unit="tokens")
        return
    for step in (_durations, _times, _audio, _tokens, _people, _counts, _amounts):
        if step(reading, one):
            return


_DAYS = {"hour": 1 / 24, "day": 1.0, "week": 7.0, "month": 30.0}


_RUN = re.compile(
    r"\b(?:runs?|finish\w*|train\w*|fertig|durchlauf\w*|terminé\w*|termina\w*|klaar)\b|完成|完了|완료", re.IGNORECASE
)
_FINISHED = frozenset({"peak", "wanted", "whole_answer", "w_pretraining", "w_finetuning"})
"""Words of a clause that set a time as a limit: at most, must, done within, the training itself."""


def _trains(reading: Reading) -> bool:
    return bool(reading.stream.within(0, len(reading.text), "w_pretraining", "w_finetuning"))


def _durations(reading: Reading, one: Quantity) -> bool:
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


def _times(reading: Reading, one: Quantity) -> bool:
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


def _audio(reading: Reading, one: Quantity) -> bool:
    if one.unit not in ("hour", "minute") or (one.noun != "audio" and not (one.noun is None and "audio" in one.clause)):
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


_TRAINING_TOKENS = 5e7
"""Fewer tokens than this are no training data."""


def _stock_of_tokens(reading: Reading, one: Quantity) -> bool:
    """Tokens to be worked off once; with words on training, or none on inference, they are training data."""
    if one.number.value < _TRAINING_TOKENS:
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
    counted = tidy(_count(one))
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


def _count(one: Quantity) -> float:
    return one.number.doubtful if one.number.doubtful and one.number.doubtful > one.number.value else one.number.value


def _state_count(reading: Reading, name: str, unit: str, one: Quantity) -> None:
    reading.take(one.start, one.end)
    low = one.number.low
    value = tidy(_count(one))
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
            tidy(_count(one)),
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
            one.start, one.end, "quantity", "steps of image generation are not sized", "steps", tidy(_count(one))
        )
        return True
    return False


def _amounts(reading: Reading, one: Quantity) -> bool:
    noun = one.noun
    if noun is None and one.per and one.unit is None:
        noun, _ = _said_before(reading, one)
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
            tidy(_count(one)),
        )
        return True
    if one.per in SECONDS and noun in ("requests", "queries"):
        reading.rate(_count(one), one.number.low, one.per, one.start, one.end)
    elif one.per is None and noun in ("documents", "pages") and _count(one) >= 100:
        _state_count(reading, "documents", "documents", one)
    reading.amount(noun, _count(one), one.per, one.start, one.end)
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


def _said_before(reading: Reading, one: Quantity) -> tuple[str | None, str]:
    """``the queries reach 300 per second``: the noun stands before its number in the sentence."""
    first, _ = reading.stream.sentence(one.start)
    for word in reversed(reading.stream.within(max(first, one.start - 80), one.start)):
        if kind := next((k for k in COUNTED if k in word.kinds), None):
            return kind, reading.text[word.start : word.end]
    return None, ""


def read_lengths(reading: Reading) -> None:
    """Lengths of prompt, answer and context that stand beside their word, in any language."""
    stream = reading.stream
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
        if one.noun is None and not stream.within(*stream.sentence(one.start), "tokens") and one.number.letter != "k":
            continue
        name = _labelled(reading, one)
        if name is None or reading.told_of(one.start, one.end):
            continue
        value = _tokens_of(one)
        reading.take(one.start, one.end)
        reading.state(
            name, value, one.start, one.end, unit="tokens", low=one.number.low, high=value if one.number.low else None
        )


_MOST_TOKENS = 2e7
_LENGTHS = (
    ("context", "context_tokens"),
    ("input", "input_tokens"),
    ("output", "output_tokens"),
    ("whole_answer", "output_tokens"),
)


_JOINS = frozenset(
    {
        "",
        "of",
        "in",
        "as",
        "for",
        "de",
        "en",
        "d'",
        "di",
        "del",
        "na",
        "an",
        "der",
        "für",
        "im",
        "の",
        "of the",
        "per",
        "van",
    }
)


def _labelled(reading: Reading, one: Quantity) -> str | None:
    """The length that the nearest word names: within the noun, right after it, or right before the number."""
    stream = reading.stream
    for start, end in ((one.number.end, one.end), (one.end, one.end + 22), (max(0, one.start - 40), one.start)):
        words = stream.within(start, end, *(kind for kind, _ in _LENGTHS))
        word = words[-1] if end == one.start and words else words[0] if words else None
        if word is None:
            continue
        between = reading.text[word.end : one.start] if end == one.start else reading.text[one.end : word.start]
        if end != one.start and between.strip(" -").lower() not in _JOINS:
            continue
        if len(between.split()) > 2 or any(c in between for c in ",;)\uff64") or any(c.isdigit() for c in between):
            continue
        return next(name for kind, name in _LENGTHS if kind in word.kinds)
    return None


_BINARY = {n * 1000: n * 1024 for n in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)}


def _tokens_of(one: Quantity) -> float:
    value = _count(one)
    return tidy(_BINARY.get(int(value), value) if one.number.letter == "k" else value)
