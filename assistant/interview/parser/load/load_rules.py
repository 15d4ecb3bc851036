"""Rules for users, requests, tokens and waiting times."""

from __future__ import annotations

from assistant.interview.parser.load.rule import (
    CLEAR,
    END,
    IS,
    Quantity,
    after,
    before,
    binary_thousands,
    by_unit,
    wanted,
    whole,
)
from assistant.interview.parser.numbers.units import factor, unit_pattern
from assistant.interview.parser.numbers.values import Amount
from assistant.interview.parser.reading import Reading
from assistant.interview.parser.vocabulary import fragments as v
from knowledge import regexes as re

_FREE_NUMBER = re.compile(
    r"(?<![\w.-])\d+(?![\w.]*[bB]\b)(?![\d.]*[bB]\b)|\bhow many\b|davon|dont\b|of which|de los cuales|dos quais",
    re.IGNORECASE,
)


def _one_count(reading: Reading, match: Quantity) -> bool:
    """Between the count and "at the same time" no other count may stand."""
    next_number = re.match(r"\s?(?:etwa|ca\.?|about|around|rund|von|:|env\.|environ)?\s?\d", reading.after(match.end))
    return not next_number and not _FREE_NUMBER.search(match["gap"]) and wanted(reading, match)


PER_ONE = re.compile(r"\s?(?:/|per|pro|je|par|por|in each|in jede[mnr])\s?[A-Za-z]", re.IGNORECASE)
"""``15 agents per developer``, ``20 people in each office``: a count of what each has, not of the whole."""


def _several(reading: Reading, match: Quantity) -> bool:
    """``one user`` is a way to speak, not a load; ``1 user`` is a load, and ``5.2 ppl`` is none."""
    if not (match["as"] or match["s"]) and re.search(r"[.,]\d{1,2}$", match["a"]):
        return False
    if PER_ONE.match(reading.after(match.end)):
        return False
    return match["a"].lower() not in ("one", "ein", "eine", "einen", "einem", "un", "une", "una", "uno") and whole(
        reading, match
    )


def _pace(found: Amount, _: Quantity) -> Amount:
    """Tokens per second of one user to milliseconds per token; the slower end of a range becomes the likely value."""
    low, high = found.low, found.high
    return Amount(1 / (low or found.value), 1 / high if high else None, 1 / low if low else None).times(1000)


_LOAD_NOUN = rf"(?:{v.USERS}|{v.REQUESTS})"
_COUNT_LABEL = (
    r"(?:concurrency|\bconc\.?|concurrent (?:users|requests|sessions)|nebenläufigkeit|gleichzeitig(?:e[nr]? (?:nutzer|"
    r"anfragen))?|simultanément|"
    r"并发(?:数|量|用户)?|同时(?:在线)?|동시(?: ?(?:접속자?|사용자|이용자|요청|사용)(?: ?수)?)?)"
)
_PEOPLE_CJK = "人|员工|用户|医生|护士|学生|老师|教师|研究员|开发者|程序员|律师|职员|客服"
_USER_LABEL = r"(?:\b(?:users|nutzer|team of|team von|équipe de|equipo de|equipe de|dau)|日活|用户(?:数)?|员工)"

LOAD_RULES = (
    after(
        "users_concurrent",
        rf"\s?(?:in |requests |anfragen |users |nutzer )?{v.CONCURRENT}{END}(?:\s{v.ADJECTIVES}{_LOAD_NOUN}{END})?",
        "requests",
        count=True,
        check=wanted,
    ),
    before(
        "users_concurrent",
        _COUNT_LABEL + r"\s?(?:of|:|=|is|about|approx\.?|around|~|von|ca\.?|etwa|rund|bis zu|max\.?|up to|de|约)?\s?",
        rf"(?:\s?(?:{_LOAD_NOUN}{END}|人|名|명|个))?",
        "requests",
        letters="kK",
        count=True,
    ),
    after("users_total", rf"(?:\s{v.ADJECTIVES})?{v.USERS}{END}", "users", words=True, count=True, check=_several),
    before(
        "users_total",
        rf"{v.USERS}\s?\((?:about |approx\.? |around |ca\. ?|etwa |rund |environ |unos |cerca de |~ ?)?",
        r"(?=\s?[),;])",
        "users",
        letters="kK",
        count=True,
    ),
    before(
        "users_total",
        _USER_LABEL + r"\s?(?:of|:|=|is|are|about|approx\.?|around|~|von|ca\.?|etwa|rund|de|约)?\s?",
        r"(?:\s?(?:users|leuten|personen|人|名))?(?![A-Za-z0-9%/-]|[.,]\d)",
        "users",
        letters="kK",
        count=True,
    ),
)

_MANY = f"(?:{v.TOKENS}[ -]?)?"

MOST_TOKENS = 2e7
"""More tokens than this are no prompt and no context, but training data."""

TOKEN_RULES = (
    before(
        "context_tokens",
        r"\blong[- ]context\b(?P<gap>[^\n]{0,60}?)(?<![\w.])(?=\d{1,4}\s?k\s?/)",
        r"(?=\b|\s|/)(?P<more>\s?(?:/|or|and|und)\s?\d{1,4}\s?k\b)?",
        "tokens",
        convert=lambda a, m: binary_thousands(_second(a, m), m),
        count=True,
        most=MOST_TOKENS,
    ),
    after(
        "context_tokens",
        rf"\s?{v.TOKENS}?\s?(?:in\s?\+\s?out|in and out|ein-? und aus)",
        "tokens",
        convert=binary_thousands,
        count=True,
        most=MOST_TOKENS,
    ),
    after(
        "context_tokens",
        rf"[ -]?{_MANY}(?:of |de |long |full |langer |langem )?{v.CONTEXT}{END}",
        "tokens",
        convert=binary_thousands,
        count=True,
        most=MOST_TOKENS,
    ),
    before(
        "context_tokens",
        v.CONTEXT + IS,
        rf"(?:\s?{v.TOKENS}{END})?{CLEAR}",
        "tokens",
        convert=binary_thousands,
        count=True,
        most=MOST_TOKENS,
        least=128,
    ),
    before(
        "context_tokens",
        r"\b(?:cap(?:ped)? at|chunks?(?: size)?(?: of)?|sequences at|seqs? at)\s",
        rf"(?:\s?{v.TOKENS}{END})?{CLEAR}",
        "tokens",
        convert=binary_thousands,
        count=True,
        most=MOST_TOKENS,
        least=128,
    ),
    after(
        "context_tokens",
        r"(?=\s?(?:[,;.)]|$))",
        "tokens",
        convert=binary_thousands,
        count=True,
        most=MOST_TOKENS,
        check=lambda r, m: (m["as"] or m["s"] or "").lower() == "k" and m["a"] in ("16", "32", "64", "128", "256"),
    ),
    after(
        "input_tokens",
        rf"(?:[ -]?{v.TOKENS})?[ -]in(?=\s?[/,;.)]|\s?$|\s(?:and|und|plus|y|et|e)\s"
        rf"|\s+(?:~|about |ca\.? )?\d{{1,6}}[.,]?\d{{0,3}}k?(?: {v.TOKENS})?\s?out)",
        "tokens",
        convert=binary_thousands,
        count=True,
        most=MOST_TOKENS,
        least=16,
    ),
    before(
        "input_tokens",
        r"(?:\bisl|输入|입력)\s?[:=]?\s?",
        CLEAR,
        "tokens",
        convert=binary_thousands,
        count=True,
        most=MOST_TOKENS,
        least=8,
    ),
    after(
        "output_tokens",
        rf"(?:[ -]?{v.TOKENS})?[ -]?(?:of |an |in |d'|de )?(?:out{END}|{v.OUTPUT}{END})",
        "tokens",
        convert=binary_thousands,
        count=True,
        most=MOST_TOKENS,
        least=16,
    ),
    before(
        "output_tokens",
        r"(?:\bosl|输出|출력)\s?[:=]?\s?",
        CLEAR,
        "tokens",
        convert=binary_thousands,
        count=True,
        most=MOST_TOKENS,
        least=8,
    ),
)


def _second(found: Amount, match: Quantity) -> Amount:
    """The larger of ``64k / 128k``, as a range."""
    more = re.search(r"\d+", match["more"] or "")
    return Amount(float(more[0]) * 1000, found.value, float(more[0]) * 1000) if more else found


_RATE_BEFORE = re.compile(unit_pattern("req/s"), re.IGNORECASE)
"""A bare peak is a rate where a rate stands before it: ``25 req/s with peaks of 60``."""

_RECORDED = (
    r"(?:audio|speech|calls|recordings?|recorded (?:audio|calls|speech)|aufnahmen|aufzeichnungen|tonaufnahmen|"
    r"gespräche|enregistrements?|grabaciones|gravações)"
)
_A_DAY = r"(?:/|per |a |each |every |pro |am |je |par |al |por |ao )\s?(?:day|tag|jour|día|dia)"

RATE_RULES = (
    before(
        "requests_per_s",
        r"\b(?:peak(?:s|ing)?(?: load)?|spitzen?(?:last)?|pics?|picos?|bursts?)"
        r"(?: of| at| up to| to| von| bis| de| à| a)?\s",
        rf"(?:{unit_pattern('req/s')}|{CLEAR}(?=[^.;\n]{{0,60}}))",
        "req/s",
        letters="kK",
        convert=lambda a, m: a.times(factor("req/s", m["unit"])) if m["unit"] else a,
        check=lambda r, m: bool(m["unit"] or _RATE_BEFORE.search(r.text[max(0, m.start - 60) : m.start])),
    ),
    before(
        "requests_per_s", rf"\b(?:qps|rps|anfragerate|request rate){IS}", CLEAR, "req/s", letters="kK", check=wanted
    ),
    after(
        "ttft_ms",
        unit_pattern("ms") + rf"\s?\(?(?:to |for |until |for the |bis zum |pour le )?(?:the )?{v.FIRST_WORD}{END}",
        "ms",
        letters="",
        convert=by_unit("ms"),
        check=wanted,
    ),
)
