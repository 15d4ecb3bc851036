"""Quantities with their meaning: users, requests, tokens, latency, power, money, time."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from assistant.interview.parser import vocabulary as v
from assistant.interview.parser.numbers import PLAIN, Amount, amount, quantity
from assistant.interview.parser.reading import Reading
from assistant.interview.parser.result import Ambiguous
from assistant.interview.parser.units import factor, unit_pattern

_END = r"(?![A-Za-zÀ-ÿ])"
_IS = r"\s?(?:of|:|=|is|about|approx\.?|around|up to|under|below|<=?|>=?|von|ca\.?|etwa|rund|unter|bis zu|max\.?|ist|liegt bei|de|à|jusqu'à|约|~|at|für|for|en|sous|moins de|menos de)?\s?"


@dataclass(frozen=True)
class Rule:
    """A pattern for one field: its quantity is converted to ``unit`` and stated unless ``check`` refuses."""

    field: str
    pattern: re.Pattern[str]
    unit: str | None = None
    convert: Callable[[Amount, re.Match[str]], Amount] = lambda found, _: found
    count: bool = False
    check: Callable[[Reading, re.Match[str]], bool] = lambda _r, _m: True
    least: float = 0.0
    note: str | None = None


def _rule(field: str, pattern: str, unit: str | None = None, **more: object) -> Rule:
    return Rule(field, re.compile(pattern, re.IGNORECASE), unit, **more)  # type: ignore[arg-type]


def _by_unit(unit: str) -> Callable[[Amount, re.Match[str]], Amount]:
    return lambda found, match: found.times(factor(unit, match["unit"]))


_POWERS_OF_TWO = {n * 1000: n * 1024 for n in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)} | {
    1_000_000: 2**20,
    2_000_000: 2**21,
}


def _context(found: Amount, match: re.Match[str]) -> Amount:
    """``128k`` of context are 131,072 tokens; ``120k`` are 120,000."""
    if not (match.groupdict().get("as") or match.groupdict().get("s")):
        return found

    def exact(x: float | None) -> float | None:
        return None if x is None else _POWERS_OF_TWO.get(int(x), x)

    return Amount(exact(found.value) or found.value, exact(found.low), exact(found.high))


def _no_free_number(_: Reading, match: re.Match[str]) -> bool:
    """Between the count and "at the same time" no other count may stand."""
    return not re.search(
        r"(?<![\w.-])\d+(?![\w.]*[bB]\b)|\bhow many\b|davon|dont\b|of which|de los cuales", match["gap"]
    )


def _wanted(reading: Reading, match: re.Match[str]) -> bool:
    """Not a figure that somebody measured or a default that a page gives."""
    return not re.search(
        r"\b(?:we|i|they|you) (?:get|got|see|measured?|reach|peak)\W{0,2}$",
        reading.before(match.start()),
        re.IGNORECASE,
    )


def _not_per_user(reading: Reading, match: re.Match[str]) -> bool:
    return not re.search(r"\b(?:per|pro|je|par|por)\s?$", reading.before(match.start()), re.IGNORECASE) and _wanted(
        reading, match
    )


LOAD_RULES = (
    _rule(
        "active_share",
        quantity(
            rf"\s?%{_END}?\s?(?:of (?:them|the users|users)\s?|der (?:nutzer|mitarbeitenden|mitarbeiter)\s?|d'entre eux\s?|de ellos\s?)?(?:are |sind |sont )?(?:active |aktiv )?{v.CONCURRENT}(?: active| aktiv| actifs| activos| ativos)?"
        ),
        "share",
        convert=lambda a, _: a.times(0.01),
    ),
    _rule(
        "active_share",
        quantity(r"\s?%\s?(?:active|aktiv|actifs|activos|ativos)(?: (?:at peak|at the same time|users))?"),
        "share",
        convert=lambda a, _: a.times(0.01),
    ),
    _rule(
        "users_concurrent",
        quantity(
            rf"\s?(?:{v.ADJECTIVES})(?:{v.USERS}|{v.REQUESTS}){_END}(?P<gap>[^.;?!\n]{{0,50}}?)\b{v.AT_ONCE}{_END}",
            words=True,
        ),
        "requests",
        count=True,
        check=lambda r, m: _no_free_number(r, m) and _wanted(r, m),
    ),
    _rule(
        "users_concurrent",
        quantity(
            rf"\s?(?:in |requests |anfragen )?{v.CONCURRENT}{_END}(?:\s{v.ADJECTIVES}(?:{v.USERS}|{v.REQUESTS}){_END})?"
        ),
        "requests",
        count=True,
        check=_wanted,
    ),
    _rule(
        "users_concurrent",
        rf"(?:concurrency|concurrent (?:users|requests|sessions)|nebenläufigkeit|gleichzeitig(?:e[nr]? (?:nutzer|anfragen))?|simultanément|并发(?:数|量|用户)?|同时(?:在线)?|동시(?: 접속(?:자)?)?){_IS}"
        + quantity(rf"(?:\s?(?:{v.USERS}|{v.REQUESTS}|人|名|명|个))?", letters=False),
        "requests",
        count=True,
    ),
    _rule(
        "users_concurrent",
        quantity(rf"\s{v.SESSIONS}{_END}", words=True),
        "requests",
        count=True,
        check=_wanted,
        least=2,
    ),
    _rule(
        "users_total",
        quantity(rf"\s?(?:{v.ADJECTIVES}){v.USERS}{_END}", words=True),
        "users",
        count=True,
        check=_not_per_user,
    ),
    _rule(
        "users_total",
        rf"\b(?:users|nutzer|team of|team von|mit|équipe de|equipo de|equipe de|dau|日活|用户(?:数)?|员工){_IS}"
        + quantity(r"(?:\s?(?:users|leuten|personen|人|名))?(?![\w%/.,-])", letters=False),
        "users",
        count=True,
        check=lambda r, m: bool(
            re.match(r"(?:users|nutzer|team|équipe|equip|dau|日活|用户|员工)", m[0], re.IGNORECASE)
        ),
    ),
    _rule(
        "users_total",
        r"(?:医生|用户|员工|学生|老师|教师|人员)?(?:约|大约|共)?"
        + quantity(r"\s?(?:多)?(?:个)?(?:人|名员工|名用户|位|用户|명|이용자)"),
        "users",
        count=True,
    ),
)

TOKEN_RULES = (
    _rule(
        "context_tokens",
        quantity(rf"\s?{v.TOKENS}?\s?(?:in\s?\+\s?out|in and out|ein-? und aus)"),
        "tokens",
        convert=_context,
        count=True,
    ),
    _rule(
        "context_tokens",
        quantity(rf"[ -]?(?:{v.TOKENS}[ -]?)?(?:of |de |long |full |langer |langem )?{v.CONTEXT}{_END}"),
        "tokens",
        convert=_context,
        count=True,
    ),
    _rule(
        "context_tokens",
        rf"{v.CONTEXT}{_IS}" + quantity(rf"(?:\s?{v.TOKENS}{_END})?(?![\w%])"),
        "tokens",
        convert=_context,
        count=True,
        least=128,
    ),
    _rule(
        "context_tokens",
        r"\b(?:cap(?:ped)? at|chunks?(?: size)?(?: of)?|sequences at|seqs? at)\s"
        + quantity(rf"(?:\s?{v.TOKENS}{_END})?(?![\w%])"),
        "tokens",
        convert=_context,
        count=True,
        least=128,
    ),
    _rule(
        "context_tokens",
        r"\blong[- ]context\b[^.\n]{0,40}?"
        + r"(?P<pre>)"
        + r"(?<![\w.])(?P<a>\d{1,4})\s?(?P<as>k)\s?(?:/|or|and|und)\s?(?P<b>\d{1,4})\s?(?P<s>k)\b",
        "tokens",
        convert=_context,
        count=True,
    ),
    _rule("context_tokens", quantity(r"\s?(?:入|ctx)"), "tokens", convert=_context, count=True),
    _rule(
        "input_tokens",
        quantity(rf"(?:[ -]?{v.TOKENS})?[ -]?(?:of |an |in )?(?:in(?=\s?/)|{v.INPUT}{_END})"),
        "tokens",
        convert=_context,
        count=True,
        least=16,
    ),
    _rule(
        "input_tokens",
        rf"{v.INPUT}(?: length| size| sind| sont| are| with| mit)?{_IS}"
        + quantity(rf"\s?(?:{v.TOKENS}{_END})(?!\s?(?:in\s?\+))"),
        "tokens",
        convert=_context,
        count=True,
    ),
    _rule(
        "input_tokens",
        r"\b(?:isl|输入|입력)\s?[:=]?\s?" + quantity(r"(?![\w%])"),
        "tokens",
        convert=_context,
        count=True,
    ),
    _rule(
        "output_tokens",
        quantity(rf"(?:[ -]?{v.TOKENS})?[ -]?(?:of |an |in )?(?:out{_END}|{v.OUTPUT}{_END})"),
        "tokens",
        convert=_context,
        count=True,
        least=8,
    ),
    _rule(
        "output_tokens",
        rf"{v.OUTPUT}(?: length| size| sind| sont| are| with| mit)?{_IS}" + quantity(rf"\s?(?:{v.TOKENS}{_END})"),
        "tokens",
        convert=_context,
        count=True,
    ),
    _rule(
        "output_tokens",
        r"\b(?:osl|输出|출력)\s?[:=]?\s?" + quantity(r"(?![\w%])"),
        "tokens",
        convert=_context,
        count=True,
    ),
    _rule(
        "training_tokens",
        quantity(
            rf"\s?(?:de |of |training |trainings?-?)?{v.TOKENS}{_END}(?!\s?(?:/|per|pro|a day|am tag|par jour|al día))"
        ),
        "tokens",
        least=5e7,
    ),
)

RATE_RULES = (
    _rule(
        "requests_per_s",
        quantity(unit_pattern("req/s"), letters=False),
        "req/s",
        convert=_by_unit("req/s"),
        check=_wanted,
    ),
    _rule(
        "requests_per_s",
        rf"\b(?:qps|rps|anfragerate|request rate){_IS}" + quantity(r"(?![\w%])", letters=False),
        "req/s",
    ),
    _rule(
        "ttft_ms",
        rf"{v.FIRST_WORD}{_IS}" + quantity(unit_pattern("ms"), letters=False),
        "ms",
        convert=_by_unit("ms"),
        check=_wanted,
    ),
    _rule(
        "ttft_ms",
        quantity(
            unit_pattern("ms") + rf"\s?(?:to |for |until |for the |bis zum |pour le )?{v.FIRST_WORD}{_END}",
            letters=False,
        ),
        "ms",
        convert=_by_unit("ms"),
        check=_wanted,
    ),
    _rule(
        "tpot_ms",
        r"\b(?:tpot|itl|inter[- ]token latency|time per output token)"
        + _IS
        + quantity(unit_pattern("ms"), letters=False),
        "ms",
        convert=_by_unit("ms"),
    ),
    _rule(
        "tpot_ms",
        quantity(
            r"\s?(?:tok(?:en)?s?/s(?:ec)?|tokens? (?:per|a|pro) (?:second|sekunde)|t/s)\s?(?:per|pro|je|/|for each|par)\s?(?:user|nutzer|stream|request|anfrage|utilisateur)",
            letters=False,
        ),
        "ms",
        convert=lambda a, _: Amount(1000 / a.value, 1000 / a.high if a.high else None, 1000 / a.low if a.low else None),
    ),
)

FACILITY_RULES = (
    _rule(
        "rack_kw",
        quantity(unit_pattern("kW") + rf"\s?(?:{v.PER}\s?|/)(?:the )?{v.RACK}{_END}", letters=False),
        "kW",
        convert=_by_unit("kW"),
    ),
    _rule(
        "rack_kw",
        rf"{v.RACK}(?: (?:mit|with|à|avec|con|de|power|leistung))?{_IS}(?P<gap>[^.;\n]{{0,30}}?)"
        + quantity(unit_pattern("kW"), letters=False),
        "kW",
        convert=_by_unit("kW"),
        check=lambda _, m: "," not in m["gap"] and len(re.findall(r"\d{4,}", m["gap"])) == 0,
    ),
    _rule(
        "site_total_it_kw",
        r"\b(?:it[- ]load|it-leistung|it power|charge it|charge informatique)"
        + _IS
        + quantity(unit_pattern("kW"), letters=False),
        "kW",
        convert=_by_unit("kW"),
    ),
    _rule(
        "site_power_kw",
        rf"(?<![\w.])(?P<unused>)" + quantity(unit_pattern("kW") + r"(?!\s?/\s?kwh|h)", letters=False),
        "kW",
        convert=_by_unit("kW"),
        check=lambda r, m: _is_site_power(r, m),
    ),
    _rule("pue", r"\bpue(?: von| of| de|:|=|-wert| is| at)?\s?" + quantity("(?![\\w%])", letters=False), "ratio"),
    _rule(
        "availability",
        quantity(
            r"\s?%\s?(?:availability|uptime|verfügbarkeit|sla|disponibilité|disponibilidad|disponibilidade|可用)",
            letters=False,
        ),
        "share",
        convert=lambda a, _: a.times(0.01),
    ),
    _rule(
        "availability",
        r"\b(?:availability|uptime|verfügbarkeit|sla|disponibilité)" + _IS + quantity(r"\s?%", letters=False),
        "share",
        convert=lambda a, _: a.times(0.01),
    ),
    _rule(
        "growth_share",
        quantity(
            r"\s?%\s?(?:yearly |annual |jährliches )?(?:growth|more|wachstum|mehr|croissance|crecimiento|crescimento|pro jahr mehr)",
            letters=False,
        ),
        "share",
        convert=lambda a, _: a.times(0.01),
    ),
    _rule(
        "utilisation",
        quantity(
            r"\s?%\s?(?:average )?(?:utili[sz]ation|utili[sz]ed|auslastung|ausgelastet|d'utilisation|utilización)",
            letters=False,
        ),
        "share",
        convert=lambda a, _: a.times(0.01),
        check=lambda r, m: _wanted(r, m),
    ),
    _rule(
        "horizon_years",
        r"\b(?:over|for|für|über|laufzeit(?: von)?|sur|durante|por|horizon(?:t)?(?: of| von)?)\s"
        + quantity(unit_pattern("years"), words=True, letters=False),
        "years",
        convert=_by_unit("years"),
        check=lambda _, m: factor("years", m["unit"]) == 1,
    ),
    _rule(
        "checkpoint_interval_min",
        r"\bcheckpoints?\b[^.\n]{0,20}\b(?:every|alle|jede|toutes les|cada)\s"
        + quantity(unit_pattern("min"), words=True, letters=False),
        "min",
        convert=_by_unit("min"),
    ),
    _rule(
        "deadline_days",
        r"\b(?:within|in under|in at most|innerhalb von|binnen|in höchstens|in maximal|dans un délai de|en moins de|en menos de)\s"
        + quantity(unit_pattern("days"), words=True, letters=False),
        "days",
        convert=_by_unit("days"),
    ),
    _rule(
        "documents",
        quantity(rf"\s(?:{v.ADJECTIVES}){v.DOCUMENTS}{_END}(?!\s?(?:/|per|pro))", letters=True),
        "documents",
        count=True,
        check=lambda r, m: _not_per_user(r, m),
        least=100,
    ),
    _rule(
        "dataset_tb",
        quantity(
            r"\s?(?P<unit>tb|to|pb|tib|t)(?![A-Za-z])\s?(?:of |an |de )?(?:training )?(?:data(?:set)?|daten|données|datos|dados)",
            letters=False,
        ),
        "TB",
        convert=lambda a, m: a.times({"pb": 1e3, "tib": 2**40 / 1e12}.get(m["unit"].lower(), 1.0)),
    ),
    _rule(
        "ops_staff",
        quantity(
            r"\s?(?:full-time )?(?:admins?|administrators?|administratoren|operators|fte|vollzeitstellen)" + _END,
            words=True,
            letters=False,
        ),
        "FTE",
    ),
    _rule(
        "tenants",
        quantity(
            r"\s?(?:tenants|mandanten|separate customers|getrennte kunden|locataires|inquilinos)" + _END,
            words=True,
            letters=False,
        ),
        "tenants",
        count=True,
    ),
)


def _is_site_power(reading: Reading, match: re.Match[str]) -> bool:
    """Power of a thing (a card, a cooler, a supply) is not the site's."""
    if match["unit"].lower() in ("w", "watt") or re.match(
        r"\s?-?\s?(?:psu|ups|usv|netzteil|cooler|kühler|seitenkühler|card|gpu|tdp)",
        reading.after(match.end()),
        re.IGNORECASE,
    ):
        return False
    return not re.search(
        r"(?:per|pro|je|facility|draws?|zieht|tdp|at|uses?)\s?(?:gpu|card|server|node|knoten)?\s?$",
        reading.before(match.start()),
        re.IGNORECASE,
    )


def read_quantities(reading: Reading, rules: tuple[Rule, ...]) -> None:
    """State the quantity of each rule in order; the first that fits takes its place in the text."""
    for rule in rules:
        for match in reading.find(rule.pattern):
            found = rule.convert(amount(match, reading.lang, rule.count), match)
            if found.value < rule.least or not rule.check(reading, match) or reading.negated(*_span(match)):
                continue
            reading.take(match.start("a") if rule.field in reading.fields else match.start(), match.end())
            reading.state_amount(rule.field, found, rule.unit, *_span(match), note=rule.note)


def _span(match: re.Match[str]) -> tuple[int, int]:
    return match.start(), match.end()


_PAIR = re.compile(
    r"(?<![\w./])(?P<i>\d{1,6}k?)\s?/\s?(?P<o>\d{1,6}k?)(?![\w/.])|(?<![\w.])(?P<i2>\d{1,3}k)(?P<o2>\d{1,3}k)(?!\w)",
    re.IGNORECASE,
)
_TPS = re.compile(quantity(r"\s?TPS\b", letters=False))
_ANSWER_WITHIN = re.compile(rf"{v.RESPONSE}{_IS}" + quantity(unit_pattern("ms"), letters=False), re.IGNORECASE)
_WITHIN_ANSWER = re.compile(quantity(unit_pattern("ms") + rf"\s?{v.RESPONSE}{_END}", letters=False), re.IGNORECASE)
_PER_DAY = re.compile(
    quantity(rf"\s?{v.REQUESTS}\s?(?:per|a|pro|am|/|par|al|por)\s?(?:day|tag|jour|día|dia)\b"), re.IGNORECASE
)


def read_pairs(reading: Reading) -> None:
    """``8192/1024`` and ``1k1k``: prompt and answer lengths as benchmarks write them."""
    for match in reading.find(_PAIR):
        first, second = match["i"] or match["i2"], match["o"] or match["o2"]
        values = [_tokens(first), _tokens(second)]
        if min(values) < 32 or (values[0] < 512 and "k" not in first.lower()) or values[1] > 131072:
            continue
        reading.take(*match.span())
        reading.state("input_tokens", values[0], *match.span(), unit="tokens")
        reading.state("output_tokens", values[1], *match.span(), unit="tokens")
        return


def _tokens(text: str) -> int:
    return int(text[:-1]) * 1024 if text[-1] in "kK" else int(text)


def read_vague_rates(reading: Reading) -> None:
    """Rates and waits that can mean two things: taken in the likelier sense, and asked."""
    for match in reading.find(_TPS):
        if _wanted(reading, match):
            _unsure(
                reading,
                "requests_per_s",
                match,
                1.0,
                "req/s",
                ("transactions (requests) per second", "tokens per second"),
                "Are these transactions (requests) per second or tokens per second?",
            )
            reading.take(*match.span())
    for pattern in (_ANSWER_WITHIN, _WITHIN_ANSWER):
        for match in reading.find(pattern):
            if _wanted(reading, match) and "ttft_ms" not in reading.fields:
                _unsure(
                    reading,
                    "ttft_ms",
                    match,
                    factor("ms", match["unit"]),
                    "ms",
                    ("time to the first word", "time to the whole answer"),
                    "Is this the time to the first word or to the whole answer?",
                )
                reading.take(*match.span())
    for match in reading.find(_PER_DAY):
        _unsure(
            reading,
            "requests_per_s",
            match,
            1 / 28800,
            "req/s",
            ("spread over 8 working hours", "spread over 24 hours"),
            "Over how many hours of the day do these requests come?",
        )
        reading.take(*match.span())


def _unsure(
    reading: Reading,
    field: str,
    match: re.Match[str],
    times: float,
    unit: str,
    candidates: tuple[str, ...],
    question: str,
) -> None:
    if field in reading.fields:
        return
    span = reading.span(*match.span())
    reading.state_amount(
        field, amount(match, reading.lang).times(times), unit, *match.span(), note=f"taken as {candidates[0]}"
    )
    reading.ambiguous.append(
        Ambiguous(field=field, span=span, candidates=candidates, question=question, assumed=candidates[0])
    )


_SIGN = "|".join(re.escape(s) for s in sorted(v.CURRENCY, key=len, reverse=True))
_MONEY = (
    re.compile(
        rf"(?P<sign>(?<![A-Za-z])(?:{_SIGN}))\s?" + quantity("").replace(r"(?<![\w.,'/-])", "", 1), re.IGNORECASE
    ),
    re.compile(quantity(rf"\s?(?P<sign>{_SIGN})(?![A-Za-zÀ-ÿ/])"), re.IGNORECASE),
)
_PERIOD = re.compile(
    r"^\s?(?:/|per|a|pro|im|par|al|por)\s?(?P<period>month|monat|mois|mes|mês|year|jahr|an|año|ano|day|tag|hour|stunde|kwh)",
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


def read_money(reading: Reading) -> None:
    """State ``budget`` {amount, currency, and per where it recurs}; prices of a unit are none."""
    for pattern in _MONEY:
        for match in reading.find(pattern):
            period = _PERIOD.match(reading.after(match.end()))
            per = _PERIODS[period["period"][0].lower()] if period else None
            if per in ("hour", "kWh", "day") or not re.search(r"\d", match[0]):
                continue
            found = amount(match, reading.lang, count=True)
            value: dict[str, object] = {"amount": found.value, "currency": v.CURRENCY[match["sign"].lower()]}
            end = match.end() + (period.end() if period else 0)
            if per:
                value["per"] = per
            reading.state(
                "budget", value, match.start(), end, low=found.low, high=found.high, unit=str(value["currency"])
            )
            reading.take(match.start(), end)


_DATE = re.compile(
    r"(?<![\d.])(?:(?P<iso>\d{4}-\d{2}-\d{2})|(?P<d>\d{1,2})(?P<sep>[./-])(?P<m>\d{1,2})(?P=sep)(?P<y>20\d{2})|"
    r"(?P<q>Q[1-4])[ /-]?(?P<qy>20\d{2}))(?![\d])"
)
_BY = re.compile(
    r"(?:deadline|due|by|until|before|bis(?: zum)?|frist|angebot(?:sfrist)?|termin|start|go-?live|cierre|fecha|plazo|avant(?: le)?|d'ici|até|prazo|"
    r"截止|까지)[^.\n]{0,20}$",
    re.IGNORECASE,
)
_WORDED = re.compile(
    r"\b(?:by|until|before|bis|ab|from|avant|antes de)\s(?:end of |ende |fin |anfang |mid |mitte )?"
    r"(?P<when>(?:jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez|janvier|février|mars|avril|juin|juillet|août|enero|marzo|abril)[a-zä]*\.?(?: 20\d{2})?|summer|sommer|autumn|herbst|year end|jahresende)\b",
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
    for match in reading.find(_WORDED):
        reading.state("deadline", match["when"], *match.span())
        return


def _iso(match: re.Match[str]) -> str:
    if match["iso"]:
        return match["iso"]
    if match["q"]:
        return f"{match['qy']}-{match['q'].upper()}"
    day, month = int(match["d"]), int(match["m"])
    if month > 12 >= day:
        day, month = month, day
    return f"{match['y']}-{month:02d}-{day:02d}"


NUMBER_LIKE = re.compile(PLAIN)
