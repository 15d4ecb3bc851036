"""Units as people write them, by the unit a field is kept in: what must stand after a number, and its factor."""

from __future__ import annotations

from functools import lru_cache

from knowledge import regexes as re

_ASKED = ("chats", "messages", "prompts", "calls", "conversations", "nachrichten", "gespräche")
"""What comes per second beside requests and queries."""

FACTORS: dict[str, dict[str, float]] = {
    "kW": {
        "w": 1e-3,
        "watt": 1e-3,
        "kw": 1.0,
        "kva": 1.0,
        "kilowatt": 1.0,
        "mw": 1e3,
        "mva": 1e3,
        "megawatt": 1e3,
        "gw": 1e6,
    },
    "ms": {
        **dict.fromkeys(("ms", "msec", "millisekunden", "milliseconds", "millisecondes", "毫秒"), 1.0),
        **dict.fromkeys(("s", "sec", "secs", "sek", "second", "seconds", "sekunde", "sekunden"), 1e3),
        **dict.fromkeys(("seconde", "secondes", "segundo", "segundos", "秒", "초"), 1e3),
        **dict.fromkeys(("min", "minute", "minutes", "minuten", "minutos", "分钟", "분"), 6e4),
    },
    "min": {
        **dict.fromkeys(("s", "sec", "seconds", "sekunden"), 1 / 60),
        **dict.fromkeys(("min", "mins", "minute", "minutes", "minuten", "minutos", "分钟", "분"), 1.0),
        **dict.fromkeys(
            ("h", "hour", "hours", "stunde", "stunden", "heure", "heures", "hora", "horas", "小时", "시간"), 60.0
        ),
    },
    "days": {
        **dict.fromkeys(("h", "hour", "hours", "stunde", "stunden", "heures", "horas", "小时"), 1 / 24),
        **dict.fromkeys(
            ("d", "day", "days", "tag", "tage", "tagen", "jour", "jours", "día", "días", "dia", "dias", "天", "일"), 1.0
        ),
        **dict.fromkeys(
            ("week", "weeks", "woche", "wochen", "semaine", "semaines", "semana", "semanas", "周", "주"), 7.0
        ),
        **dict.fromkeys(
            ("month", "months", "monat", "monate", "monaten", "mois", "mes", "meses", "个月", "개월"), 30.0
        ),
    },
    "years": {
        **dict.fromkeys(
            ("y", "yr", "yrs", "year", "years", "jahr", "jahre", "jahren", "an", "ans", "años", "anos", "年", "년"), 1.0
        ),
        **dict.fromkeys(("month", "months", "monate", "monaten", "mois", "meses", "个月", "개월"), 1 / 12),
    },
    "TB": {
        "mb": 1e-6,
        "gb": 1e-3,
        "go": 1e-3,
        "tb": 1.0,
        "to": 1.0,
        "pb": 1e3,
        "po": 1e3,
        "eb": 1e6,
        "gib": 2**30 / 1e12,
        "tib": 2**40 / 1e12,
        "pib": 2**50 / 1e12,
    },
    "share": {"%": 0.01, "percent": 0.01, "prozent": 0.01, "pour cent": 0.01, "por ciento": 0.01, "por cento": 0.01},
    "req/s": {
        **dict.fromkeys(
            ("req/s", "req/sec", "requests/s", "requests per second", "requests a second", "rps", "qps"), 1.0
        ),
        **dict.fromkeys(
            ("queries per second", "queries/s", "anfragen pro sekunde", "anfragen/s", "anfragen je sekunde"), 1.0
        ),
        **dict.fromkeys(
            ("requêtes par seconde", "requêtes/s", "solicitudes por segundo", "peticiones por segundo"), 1.0
        ),
        **dict.fromkeys(("requisições por segundo", "请求/秒", "건/초"), 1.0),
        **{f"{noun}{per}": 1.0 for noun in _ASKED for per in ("/s", " per second", " a second", " pro sekunde")},
        **dict.fromkeys(("rpm", "requests per minute", "requests/min", "anfragen pro minute", "anfragen/min"), 1 / 60),
        **dict.fromkeys(("requests per hour", "requests/h", "anfragen pro stunde", "anfragen/h"), 1 / 3600),
    },
    "tok/s": dict.fromkeys(
        ("tok/s", "tokens/s", "token/s", "t/s", "tps", "tokens per second", "token pro sekunde", "tokens a second"), 1.0
    ),
}
"""Unit a field is kept in -> what people write -> factor. ``tok/s`` serves ``tpot_ms``: 1000 divided by it."""


@lru_cache(maxsize=32)
def unit_pattern(unit: str) -> str:
    """A pattern for the units that convert to ``unit``, as group ``unit``; a letter must not follow."""
    names = sorted(FACTORS[unit], key=len, reverse=True)
    escaped = "|".join(re.escape(name).replace(r"\ ", " ") for name in names)
    return rf"\s?-?(?P<unit>{escaped})(?![A-Za-zÀ-ÿ0-9])"


def factor(unit: str, written: str) -> float:
    """What one ``written`` unit is in ``unit``."""
    return FACTORS[unit][written.strip().lower()]


_SHOWN = {
    "kW": "kW, W, MW or kVA",
    "ms": "ms, s or min",
    "min": "min, h or s",
    "days": "days, weeks, months or h",
    "years": "years or months",
    "TB": "TB, GB or PB",
    "share": "percent, or a share from 0 to 1",
    "req/s": "req/s, QPS or requests per minute",
}


def accepted(unit: str) -> str:
    """The units that people may write, for a message."""
    return _SHOWN.get(unit, unit)
