"""One answer read from what people type into one question, or from a JSON value: checked, and in the field's unit."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from assistant.interview.brief import Answer, Provenance, Value
from assistant.interview.parser.load.rule import binary_thousands
from assistant.interview.parser.numbers.units import FACTORS, accepted, factor
from assistant.interview.parser.numbers.values import amount, quantity
from assistant.interview.parser.reading import tidy
from assistant.interview.parser.text import clean, language
from assistant.interview.parser.vocabulary.fragments import CURRENCY, USERS
from assistant.interview.questions import Kind, Question
from assistant.interview.questions import question as question_of
from knowledge.catalogue import Catalogue
from knowledge.errors import AmbiguousName, BadInput, UnknownName

_YES = frozenset({"yes", "y", "true", "ja", "j", "wahr", "oui", "vrai", "si", "sí", "sim", "on", "1", "是", "예", "네"})
_NO = frozenset(
    {"no", "n", "false", "nein", "falsch", "non", "faux", "não", "off", "0", "否", "아니오", "none", "kein", "keine"}
)
_NOUNS = {
    "users": rf"(?:{USERS}|(?-i:MA)|人|명)",
    "requests": r"(?:requests?|users?|sessions?|anfragen|nutzer|concurrent|parallel|gleichzeitig|at once|at "
    r"the same time)",
    "tokens": r"(?:tokens?|toks?)",
    "documents": r"(?:documents?|docs|pages?|dokumente|seiten)",
    "nodes": r"(?:nodes?|servers?|knoten|server|machines?)",
    "tenants": r"(?:tenants?|customers?|mandanten|kunden|abteilungen|departments?)",
    "FTE": r"(?:fte|people|persons?|staff|admins?|vollzeitstellen|personen|leute)",
    "ratio": r"",
    "1e9 parameters": r"(?:b|bn|billion|milliarden|mrd)?\s?(?:parameters?|params?|parameter)?",
}

_COUNTED = frozenset({"users", "requests"})
"""Units of counts that may be given in words, with k and M, and as a range; a measure of something else is refused."""

BARE_SECONDS = {"ttft_ms": 30}
"""A bare number below this, typed for a time kept in milliseconds, is meant in seconds ("2" is two seconds)."""


def validate(field: str, raw: Any, catalogue: Catalogue | None = None) -> Answer:
    """The stated answer that ``raw`` (text as people write it, or a JSON value) gives to a field, in its unit.

    ``developers.users_total`` is the field of one group of users or jobs.

    Raises BadInput naming the accepted forms for a wrong unit, a value out of limits, or an unknown name.
    """
    group, _, name = field.rpartition(".")
    answer = read_answer(question_of(name), raw, catalogue)
    return answer.model_copy(update={"group": group}) if group else answer


def read_answer(question: Question, raw: Any, catalogue: Catalogue | None) -> Answer:
    """The stated answer; raises BadInput with the accepted forms."""
    if isinstance(raw, str):
        raw = clean(raw).strip()
        if not raw:
            raise BadInput(question.id, raw, expected(question))
    value, low, high = _READERS[question.type](question, raw, catalogue)
    return Answer(
        field=question.id,
        value=value,
        low=low,
        high=high,
        unit=question.unit,
        provenance=Provenance.USER,
        text=raw if isinstance(raw, str) else None,
    )


Read = tuple[Value, float | None, float | None]


def expected(question: Question) -> str:
    """What the question accepts, in words, for a message."""
    if question.choices:
        return "one of " + ", ".join(question.values)
    if question.type is Kind.BOOL:
        return "yes or no"
    if question.type is Kind.LENGTHS:
        return 'a number of tokens, or mean, p95 and max, such as "mean 800, p95 2000, max 8000"'
    if question.type in (Kind.NUMBER, Kind.INTEGER):
        kind = "a whole number" if question.type is Kind.INTEGER else "a number"
        unit = (
            f" in {accepted(question.unit)}"
            if question.unit in FACTORS
            else f" of {question.unit}"
            if question.unit
            else ""
        )
        counted = ', 5k, "two hundred" or 200-300' if question.unit in _COUNTED else ""
        return f"{kind}{unit}, such as {question.example}{counted}"
    return f"for example {question.example}"


def _number(question: Question, raw: Any, _: Catalogue | None) -> Read:
    if isinstance(raw, Mapping):
        return _range(question, raw)
    value, low, high = _from_text(question, raw) if isinstance(raw, str) else (_plain(question, raw), None, None)
    if isinstance(raw, str) and raw.replace(".", "", 1).replace(",", "", 1).isdigit():
        value *= 1000 if value < BARE_SECONDS.get(question.id, 0) else 1
    for one in (value, low, high):
        _within(question, one, raw)
    return tidy(value), low, high


def _range(question: Question, raw: Mapping[str, Any]) -> Read:
    """``{"low": 200, "high": 300}``, with ``value`` where it is not the high end."""
    if not raw or set(raw) - {"value", "low", "high"}:
        raise BadInput(question.id, dict(raw), "a number, or low and high, with value where it is another")
    low, high = (None if raw.get(k) is None else _plain(question, raw[k]) for k in ("low", "high"))
    value = _plain(question, raw["value"]) if raw.get("value") is not None else high if high is not None else low
    if value is None or (low is not None and high is not None and low > high):
        raise BadInput(question.id, dict(raw), "low not above high")
    for one in (value, low, high):
        _within(question, one, dict(raw))
    return tidy(value), low, high


def _plain(question: Question, raw: Any) -> float:
    if isinstance(raw, bool) or not isinstance(raw, (int, float)) or not math.isfinite(raw):
        raise BadInput(question.id, raw, expected(question))
    return float(raw)


def _from_text(question: Question, raw: str) -> tuple[float, float | None, float | None]:
    lang = language(raw)
    if raw.startswith("-") and question.min is not None and question.min >= 0:
        raise BadInput(question.id, raw, f"{expected(question)}; at least {question.min:g}")
    sign = -1.0 if raw.startswith("-") else 1.0
    match = _pattern(question).fullmatch(raw.lstrip("-"))
    if match is None:
        raise BadInput(question.id, raw, expected(question))
    found = amount(match, "de" if _german_decimal(raw) else lang, question.type is Kind.INTEGER)
    found = found.times(sign * _factor(question, match, found.value))
    if question.id == "tpot_ms" and match.groupdict().get("pace"):
        return 1000 / found.value, None, None
    if question.id in ("context_tokens",):
        found = binary_thousands(found, match)
    return found.value, found.low, found.high


def _german_decimal(raw: str) -> bool:
    return bool(re.search(r"\d,\d{1,2}(?!\d)", raw))


def _pattern(question: Question) -> re.Pattern[str]:
    unit = question.unit or ""
    if unit in FACTORS:
        names = "|".join(re.escape(name) for name in sorted(FACTORS[unit], key=len, reverse=True))
        tail = rf"\s?(?P<unit>{names})?(?:\s?(?:/|per|pro|a)\s?(?:rack|schrank|year|jahr))?"
        if question.id == "tpot_ms":
            tail = rf"(?:{tail}|\s?(?P<pace>(?:tok(?:en)?s?|t)(?:/s| per second| pro sekunde)?))"
        letters = ""
    else:
        tail, letters = rf"(?:\s?{_NOUNS.get(unit, '')})?", "kKmM" if unit in _COUNTED else "kKmMbBtT"
    return re.compile(quantity(tail, words=True, letters=letters) + r"\.?", re.IGNORECASE)


def _factor(question: Question, match: re.Match[str], value: float) -> float:
    """To the field's unit. A share above one without its percent sign would be a guess and is refused."""
    written = match.groupdict().get("unit")
    if written:
        return factor(question.unit or "", written)
    if question.unit == "1e9 parameters":
        in_parameters = match.groupdict().get("s") or match.groupdict().get("as")
        return 1e-9 if in_parameters else 1.0
    if question.unit == "share" and value > 1 and (question.max or 0) <= 1:
        near = (f"{value:g} %",) if value <= 100 else ("0.2", "20 %")
        raise BadInput(question.id, f"{value:.12g}", "a share from 0 to 1, or a percentage with its sign", near)
    return 1.0


def _within(question: Question, value: float | None, raw: Any) -> None:
    if value is None:
        return
    if not math.isfinite(value) or (question.type is Kind.INTEGER and not float(value).is_integer()):
        raise BadInput(question.id, raw, expected(question))
    if question.min is not None and value < question.min:
        raise BadInput(question.id, raw, f"{expected(question)}; at least {question.min:g}", (f"{question.min:g}",))
    if question.max is not None and value > question.max:
        near = f"{question.max * 100:g} %" if question.unit == "share" and "%" in str(raw) else f"{question.max:g}"
        raise BadInput(question.id, raw, f"{expected(question)}; at most {near}", (near,))


def _lengths(question: Question, raw: Any, _: Catalogue | None) -> Read:
    if isinstance(raw, Mapping):
        parts = {str(k): _tokens(question, v) for k, v in raw.items() if v is not None}
    elif isinstance(raw, str) and re.search(r"mean|avg|mittel|p95|max", raw, re.IGNORECASE):
        parts = {
            {"avg": "mean", "mitt": "mean", "mean": "mean", "p95": "p95", "max": "max"}[m[1].lower()[:4]]: _tokens(
                question, m[2]
            )
            for m in re.finditer(r"(mean|avg|mittel|p95|max)\w{0,5}[ :=]{1,2}([\d.,]{1,12}k?)", raw, re.IGNORECASE)
        }
    else:
        value, low, high = _number(question, raw, None)
        mean = (low + high) / 2 if low is not None and high is not None else value
        return {"mean": tidy(mean), "p95": value, "max": value}, low, high
    return _filled(question, parts, raw), None, None


def _tokens(question: Question, raw: Any) -> float:
    value: float = _number(question, raw.rstrip(",.") if isinstance(raw, str) else raw, None)[0]
    return value


def _filled(question: Question, parts: dict[str, float], raw: Any) -> dict[str, float]:
    """All of mean, p95 and max: a missing one is the nearest that is there."""
    if not parts or set(parts) - {"mean", "p95", "max"}:
        raise BadInput(question.id, raw if isinstance(raw, str) else dict(raw), expected(question))
    mean = parts.get("mean", parts.get("p95", parts.get("max", 0)))
    p95 = parts.get("p95", parts.get("max", mean))
    most = parts.get("max", max(p95, mean))
    if not mean <= p95 <= most:
        raise BadInput(question.id, raw if isinstance(raw, str) else dict(raw), "mean not above p95, p95 not above max")
    return {"mean": mean, "p95": p95, "max": most}


def _choice(question: Question, raw: Any, _: Catalogue | None) -> Read:
    return _one_of(question, raw), None, None


def _one_of(question: Question, raw: Any) -> str:
    text = str(raw).strip().lower()
    if isinstance(raw, str) and text.isdecimal() and 1 <= int(text) <= len(question.choices):
        return question.choices[int(text) - 1].value
    for choice in question.choices:
        if text in (
            choice.value.lower(),
            *(label.lower() for label in choice.label.everywhere),
            *(s.lower() for s in choice.synonyms),
        ):
            return choice.value
    inside = {c.value for c in question.choices if any(_contains(text, s.lower()) for s in (c.value, *c.synonyms))}
    if len(inside) == 1:
        return inside.pop()
    if question.open_choice and not inside and _known_elsewhere(question, text):
        return text
    import difflib

    raise BadInput(question.id, raw, expected(question), difflib.get_close_matches(text, question.values, n=2))


def _known_elsewhere(question: Question, text: str) -> bool:
    """Whether the arithmetic knows a format that is none of the choices."""
    from assistant.sizing.serving.parts.dtypes import kv_bytes, weight_format  # only for a name that is no choice

    try:
        weight_format(text) if question.id == "weight_dtype" else kv_bytes(text)
    except BadInput:
        return False
    return True


def _contains(text: str, word: str) -> bool:
    return len(word) > 2 and bool(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text))


def _multi(question: Question, raw: Any, _: Catalogue | None) -> Read:
    parts = (
        re.split(r"[,;/&]| and | und ", raw)
        if isinstance(raw, str)
        else list(raw)
        if isinstance(raw, (list, tuple))
        else [raw]
    )
    return sorted({_one_of(question, part) for part in parts if str(part).strip()}), None, None


def _bool(question: Question, raw: Any, _: Catalogue | None) -> Read:
    if isinstance(raw, bool):
        return raw, None, None
    word = str(raw).strip().lower().split(",")[0].split(" ")[0].rstrip(".!")
    if word in _YES | _NO:
        return word in _YES, None, None
    raise BadInput(question.id, raw, "yes or no")


def _text(question: Question, raw: Any, _: Catalogue | None) -> Read:
    if not isinstance(raw, str):
        raise BadInput(question.id, raw, "text")
    if question.id == "prices":
        from assistant.interview.given.prices import stated_prices

        stated_prices(raw[:4000], "server")  # refused here, while the words can be mended
    return raw[:4000], None, None


def _date(question: Question, raw: Any, _: Catalogue | None) -> Read:
    text = str(raw)
    found = re.fullmatch(r"(\d{1,2})[./](\d{1,2})[./](20\d{2})", text)
    if found:
        day, month = int(found[1]), int(found[2])
        if not (1 <= month <= 12 and 1 <= day <= 31):
            raise BadInput(question.id, text, "a date as day.month.year or year-month-day")
        return f"{found[3]}-{month:02d}-{day:02d}", None, None
    return text[:80], None, None


def _named(catalogue: Catalogue | None, kind: str, question: Question, name: str) -> str:
    if catalogue is None:
        return name
    found: str = catalogue.named(kind, name, question.id).id
    return found


def _model(question: Question, raw: Any, catalogue: Catalogue | None) -> Read:
    """Names separated by comma, semicolon, ``and`` or ``und``; configurations as paths, or as they were kept."""
    names: list[str | Mapping[str, Any]]
    if isinstance(raw, Mapping):
        names = [raw]
    elif isinstance(raw, (list, tuple)):
        names = [name if isinstance(name, Mapping) else str(name) for name in raw]
    else:
        names = [part.strip() for part in re.split(r"[,;]| and | und ", str(raw)) if part.strip()]
    if not names:
        raise BadInput(question.id, raw, expected(question))
    return [_config_or_named(catalogue, question, name) for name in names], None, None


def _config_or_named(catalogue: Catalogue | None, question: Question, name: str | Mapping[str, Any]) -> Any:
    """A catalogue id, or the configuration itself, so that a session opens again without the file."""
    from assistant.interview.given.configurations import configured, kept

    if isinstance(name, Mapping):
        return kept(name)
    return configured(name) if name.endswith(".json") else _named(catalogue, "models", question, name)


def _gpu(question: Question, raw: Any, catalogue: Catalogue | None) -> Read:
    return _named(catalogue, "accelerators", question, str(raw)), None, None


def _gpus(question: Question, raw: Any, catalogue: Catalogue | None) -> Read:
    if isinstance(raw, str):
        return _gpus_from_text(question, raw, catalogue), None, None
    entries = [raw] if isinstance(raw, Mapping) else raw
    if not isinstance(entries, (list, tuple)) or not all(
        isinstance(e, Mapping) and set(e) <= {"gpu", "count"} for e in entries
    ):
        raise BadInput(question.id, str(raw), 'a list such as [{"gpu": "h100", "count": 8}]')
    return [_entry(question, entry, catalogue) for entry in entries], None, None


def _entry(question: Question, entry: Mapping[str, Any], catalogue: Catalogue | None) -> dict[str, Any]:
    count = entry.get("count")
    if count is not None and (isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= 10_000_000):
        raise BadInput(question.id, count, "a whole number of GPUs, at least 1")
    gpu = entry.get("gpu")
    return {"gpu": None if gpu is None else _named(catalogue, "accelerators", question, str(gpu)), "count": count}


def _gpus_from_text(question: Question, raw: str, catalogue: Catalogue | None) -> list[dict[str, Any]]:
    """GPUs as in a message; an ambiguous name in an answer is refused with its candidates."""
    if catalogue is None:
        raise BadInput(question.id, raw, "a list of gpu and count")
    from assistant.interview.parser import parse

    result = parse(raw, catalogue)
    doubt = next((a for a in result.ambiguous if a.field == "gpus"), None)
    if doubt is not None:
        raise AmbiguousName(question.id, doubt.span.text, doubt.question, doubt.candidates)
    if "gpus" not in result.fields:
        raise UnknownName(question.id, raw, "a GPU and how many, such as 8xH100")
    value: list[dict[str, Any]] = result.fields["gpus"].value
    return value


def _server(question: Question, raw: Any, catalogue: Catalogue | None) -> Read:
    return _named(catalogue, "servers", question, str(raw)), None, None


def _country(question: Question, raw: Any, catalogue: Catalogue | None) -> Read:
    return _named(catalogue, "countries", question, str(raw)), None, None


_AMOUNT = re.compile(
    quantity(r"\s?(?P<after>[^\s\d]{1,8})?(?:\s?(?:/|per|pro|a|im)\s?(?P<per>month|monat|year|jahr))?"), re.IGNORECASE
)


def _money(question: Question, raw: Any, _: Catalogue | None) -> Read:
    if isinstance(raw, Mapping):
        if not {"amount", "currency"} <= set(raw) <= {"amount", "currency", "per"}:
            raise BadInput(question.id, dict(raw), "amount and currency")
        _within(question, _plain(question, raw["amount"]), dict(raw))
        return dict(raw), None, None
    match = re.fullmatch(r"\s*(?P<before>[^\s\d.,-]{1,3})?\s?(?P<rest>.{1,60})", str(raw))
    found = _AMOUNT.fullmatch(match["rest"].strip()) if match else None
    currency = CURRENCY.get(((match and match["before"]) or (found and found["after"]) or "").lower())
    if found is None or currency is None:
        near = [f"{raw} {sign}" for sign in ("EUR", "USD")] if found and not found["after"] else []
        raise BadInput(question.id, raw, "an amount with its currency, such as 3.5 million EUR", near)
    sum_ = amount(found, language(str(raw)) if not _german_decimal(str(raw)) else "de", count=True)
    _within(question, sum_.value, raw)
    value: dict[str, Any] = {"amount": tidy(sum_.value), "currency": currency}
    if found["per"]:
        value["per"] = "month" if found["per"][0].lower() == "m" else "year"
    return value, sum_.low, sum_.high


_READERS: Mapping[Kind, Callable[[Question, Any, Catalogue | None], Read]] = {
    Kind.NUMBER: _number,
    Kind.INTEGER: _number,
    Kind.CHOICE: _choice,
    Kind.MULTI: _multi,
    Kind.TEXT: _text,
    Kind.BOOL: _bool,
    Kind.LENGTHS: _lengths,
    Kind.MODEL: _model,
    Kind.GPU: _gpu,
    Kind.GPUS: _gpus,
    Kind.SERVER: _server,
    Kind.COUNTRY: _country,
    Kind.MONEY: _money,
    Kind.DATE: _date,
}
