"""Money and dates."""

from __future__ import annotations

from assistant.interview.parser.load.rule import IS
from assistant.interview.parser.numbers.context import MONTH
from assistant.interview.parser.numbers.values import NOT_WITHIN, amount, quantity
from assistant.interview.parser.reading import Reading, tidy
from assistant.interview.parser.result import Ambiguous
from assistant.interview.parser.vocabulary import fragments as v
from knowledge import regexes as re

_SIGN = "|".join(re.escape(s) for s in sorted(v.CURRENCY, key=len, reverse=True))
_MONEY = (
    re.compile(
        rf"(?P<sign>(?<![A-Za-z])(?:{_SIGN}))(?<![元원])\s?" + quantity("").replace(NOT_WITHIN, "", 1),
        re.IGNORECASE,
    ),
    re.compile(quantity(rf"\s?(?:de |d')?(?P<sign>{_SIGN})(?![A-Za-zÀ-ÿ/])"), re.IGNORECASE),
)
_PERIOD = re.compile(
    r"^\s?(?:/|per|a|pro|im|par|al|por)\s?(?P<period>month|monat|mois|mes|mês|year|jahr|an|año|ano|day|tag|"
    r"hour|stunde|kwh)",
    re.IGNORECASE,
)
_PERIODS = {
    "m": "month",
    "y": "year",
    "j": "year",
    "a": "year",
    "d": "day",
    "t": "day",
    "h": "hour",
    "s": "hour",
    "k": "kWh",
}


_BUDGET = re.compile(
    rf"(?<!token )(?<!tokens )(?<!thinking )(?<!reasoning )(?<!latency )(?<!power )(?<!memory )(?<!kv )(?<!error )"
    rf"(?<![\w-])(?:budget|budgetrahmen|presupuesto|orçamento){IS}",
    re.IGNORECASE,
)
_SUM = re.compile(
    quantity("").replace(NOT_WITHIN, "", 1)
    + r"(?![.,]?\w)(?!\s?(?:[%°$€£]|[kmg]?w\b|kva|m?s\b|[gt]i?b\b|tok|gpu|user|nutzer|people|hours?|stunden))",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:19|20)\d\d")
NO_CURRENCY = "?"
"""Stands for the currency of a sum that was given without one."""

_LEAST_BUDGET = 1000
"""Smaller numbers after the word "budget" are no sums of money for hardware without their currency."""


def _without_currency(reading: Reading) -> None:
    """``budget 200k``: the sum holds, its currency is asked."""
    for label in _BUDGET.finditer(reading.text):
        match = _SUM.match(reading.text, label.end())
        if match is None or _YEAR.fullmatch(match[0]) or not reading.free(*match.span()):
            continue
        found = amount(match, reading.lang, count=True)
        if found.value < _LEAST_BUDGET:
            continue
        value = {"amount": tidy(found.value), "currency": NO_CURRENCY}
        start, end = label.start(), match.end()
        reading.state("budget", value, start, end, low=found.low, high=found.high, note="its currency is open")
        reading.take(start, end)
        question = "In which currency is the budget?"
        span = reading.span(start, end)
        reading.ambiguous.append(
            Ambiguous.model_construct(field="budget", span=span, candidates=("EUR", "USD"), question=question)
        )
        return


_IN_THOUSANDS = re.compile(r"[tk](?:eur|€|chf|usd)$", re.IGNORECASE)
_MAY_SPEND = re.compile(r"budget|presupuesto|orçamento|预算|予算|예산", re.IGNORECASE)


def paid_today(reading: Reading, start: int, end: int) -> bool:
    """Whether a sum is what something costs today: ``we pay OpenAI 14k EUR a month``."""
    stream = reading.stream
    first, last = stream.clause(start, end)
    if _MAY_SPEND.search(reading.text, first, last) or stream.within(first, start, "wanted", "peak"):
        return False
    return bool(stream.linked(first, last, "paid") or stream.within(first, start, "now"))


_THOUSANDS = re.compile(r"\d ?T ?(?:€|EUR|CHF)")
"""``850 T€``: thousands, as accounts are kept in German; no budget runs to a million of millions."""


def read_money(reading: Reading) -> None:
    """State ``budget`` {amount, currency, and per where it recurs}; prices of a unit are none."""
    for pattern in _MONEY:
        for match in reading.find(pattern):
            period = _PERIOD.match(reading.after(match.end()))
            per = _PERIODS[period["period"][0].lower()] if period else None
            if per in ("hour", "kWh", "day") or not re.search(r"\d", match[0]):
                continue
            found = amount(match, reading.lang, count=True)
            if _IN_THOUSANDS.match(match["sign"]):
                found = found.times(1e3)
            elif _THOUSANDS.search(match[0]):  # the T was read as a magnitude
                found = found.times(1e-9)
            value: dict[str, object] = {"amount": found.value, "currency": v.CURRENCY[match["sign"].lower()]}
            end = match.end() + (period.end() if period else 0)
            if per:
                value["per"] = per
            if paid_today(reading, match.start(), end):
                reading.unuse(
                    match.start(), end, "quantity", "what is paid today, not what may be spent", "paid", value
                )
                continue
            reading.state(
                "budget", value, match.start(), end, low=found.low, high=found.high, unit=str(value["currency"])
            )
            reading.take(match.start(), end)
    if "budget" not in reading.fields:
        _without_currency(reading)


_DATE = re.compile(
    r"(?<![\d.])(?:(?P<iso>\d{4}-\d{2}-\d{2})|(?P<d>\d{1,2})(?P<sep>[./-])(?P<m>\d{1,2})(?P=sep)(?P<y>20\d{2})|"
    r"(?P<q>Q[1-4])[ /-]?(?P<qy>20\d{2}))(?![\d])"
)
_MONTH_STARTS = (
    "jan, feb|fév, mar|mär, apr|avr|abr, may|mai, jun|juin, jul|juil, aug|aoû|ago, sep|set, oct|okt|out, "
    "nov, dec|dez|déc|dic"
)
_MONTHS = {start: n for n, starts in enumerate(_MONTH_STARTS.split(", "), 1) for start in starts.split("|")}
"""How the names of months begin in English, German, French, Spanish and Portuguese."""

_MONTH = rf"(?P<month>{MONTH})\.?"
_LONG_DATE = re.compile(
    rf"(?<![\d.])(?:(?P<d>\d{{1,2}})(?:st|nd|rd|th|er|\.)? (?:of |de )?{_MONTH}|{_MONTH.replace('month', 'first')} "
    rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?),?(?: de)? (?P<y>20\d{{2}})(?!\d)",
    re.IGNORECASE,
)
_BY = re.compile(
    r"(?:deadline|due|by|until|before|bis(?: zum)?|frist|angebot(?:sfrist)?|termin|start|go-?live|cierre|fecha|"
    r"plazo|avant(?: le)?|d'ici|até|prazo|"
    r"截止|까지)[^.\n]{0,20}$",
    re.IGNORECASE,
)
_WORDED = re.compile(
    r"\b(?:by|until|before|bis|ab|from|avant|antes de)\s(?:end of |ende |fin |anfang |mid |mitte )?"
    rf"(?P<when>{MONTH}\.?(?: 20\d{{2}})?|summer|sommer|autumn|herbst|year end|"
    r"jahresende)\b",
    re.IGNORECASE,
)


def read_deadline(reading: Reading) -> None:
    """State ``deadline``: an ISO date where a full date was written (day before month), else the words."""
    for match in reading.find(_DATE):
        if not (
            _BY.search(reading.before(match.start()))
            or _BY.search(reading.text[max(0, match.start() - 30) : match.start()])
        ):
            continue
        reading.state("deadline", _iso(match), *match.span())
        reading.take(*match.span())
        return
    for match in reading.find(_LONG_DATE):
        if _BY.search(reading.text[max(0, match.start() - 30) : match.start()]):
            reading.state("deadline", _long(match), *match.span())
            reading.take(*match.span())
            return
    for match in reading.find(_WORDED):
        reading.state("deadline", match["when"], *match.span())
        return


def _long(match: re.Match[str]) -> str:
    """``30 September 2027`` and ``September 30, 2027`` as an ISO date."""
    name = (match["month"] or match["first"]).lower()
    month = next(n for start, n in sorted(_MONTHS.items(), key=lambda m: -len(m[0])) if name.startswith(start))
    return f"{match['y']}-{month:02d}-{int(match['d'] or match['day']):02d}"


def _iso(match: re.Match[str]) -> str:
    if match["iso"]:
        return match["iso"]
    if match["q"]:
        return f"{match['qy']}-{match['q'].upper()}"
    day, month = int(match["d"]), int(match["m"])
    if month > 12 >= day:
        day, month = month, day
    return f"{match['y']}-{month:02d}-{day:02d}"


_CJK_DATE = re.compile(r"(?P<y>20\d{2})\s?[年년]\s?(?P<m>\d{1,2})\s?[月월]\s?(?P<d>\d{1,2})\s?[日일]")


def read_delivery_date(reading: Reading) -> None:
    """State ``deadline`` for a full date beside words on delivery, in any language."""
    if "deadline" in reading.fields:
        return
    for pattern, iso in ((_CJK_DATE, _cjk), (_LONG_DATE, _long), (_DATE, _iso)):
        for match in reading.find(pattern):
            first, last = reading.stream.sentence(match.start())
            if reading.stream.within(max(first, match.start() - 50), min(last, match.end() + 24), "delivery"):
                reading.state("deadline", iso(match), *match.span())
                reading.take(*match.span())
                return


def _cjk(match: re.Match[str]) -> str:
    return f"{match['y']}-{int(match['m']):02d}-{int(match['d']):02d}"
