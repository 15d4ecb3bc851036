"""What a customer rules out or insists on: clouds, foreign operators, where data may go, tenants, secrecy, sector."""

from __future__ import annotations

from assistant.interview.parser.names.find import find_names
from assistant.interview.parser.reading import Reading
from assistant.interview.parser.scope import denied, places_compared, ruled_out
from assistant.interview.parser.vocabulary.lexicon import Word
from knowledge import regexes as re

SECTORS = {
    "s_health": "health",
    "s_public": "public_administration",
    "s_finance": "bank",
    "s_telecom": "telecom",
    "s_industry": "manufacturing",
    "s_education": "research",
    "s_defence": "defence",
    "s_legal": "legal",
    "s_media": "media",
}
_INSURES = re.compile(
    r"insur|vers(?:ich|eker)|assu|asegur|segur|ubezp|mutuelle|保险|保険|生保|損保|보험", re.IGNORECASE
)
_DATA = (("classified", "classified"), ("patient", "health"), ("personal", "personal"))
_QUALIFIED = 3


def read_exclusions(reading: Reading) -> None:
    """Clouds and foreign operators that are ruled out, before any cloud is taken for the one that is wanted."""
    stream = reading.stream
    for word in stream.words:
        if "cloud" not in word.kinds and "provider" not in word.kinds:
            continue
        foreign = _qualifier(reading, word)
        start, end = (
            min(word.start, foreign.start if foreign else word.start),
            max(word.end, foreign.end if foreign else word.end),
        )
        if "cloud" not in word.kinds and not foreign:
            continue
        if not ruled_out(stream, start, end, weak=True) or not reading.free(start, end):
            continue
        if foreign:
            reading.exclude("operator", "foreign", start, end)
            reading.state("foreign_operator_excluded", True, start, end)
        else:
            reading.exclude("hosting", "cloud", start, end)
        reading.take(start, end)


def _qualifier(reading: Reading, cloud: Word) -> Word | None:
    """``American cloud``, ``Cloud-Dienste nach US-Recht``: whose cloud it is."""
    first, last = reading.stream.clause(cloud.start, cloud.end)
    for word in reading.stream.within(max(first, cloud.start - 40), min(last, cloud.end + 40), "american"):
        between = (
            reading.text[cloud.end : word.start] if word.start >= cloud.end else reading.text[word.end : cloud.start]
        )
        if len(between.split()) <= _QUALIFIED:
            return word
    return None


def read_site(reading: Reading) -> None:
    """The own site by its words, an isolated network, and where data must stay."""
    stream = reading.stream
    for word in stream.words:
        if "on_prem" in word.kinds and not reading.asked(word.start, word.end):
            if ruled_out(stream, word.start, word.end):
                reading.exclude("hosting", "on_prem", word.start, word.end)
            elif not _compared_sites(reading, word):
                reading.state("hosting", "on_prem", word.start, word.end)
        if (
            "air_gap" in word.kinds
            and not ruled_out(stream, word.start, word.end)
            and not reading.asked(word.start, word.end)
        ):
            reading.state("air_gap", True, word.start, word.end)
        if "lease" in word.kinds and ruled_out(stream, word.start, word.end):
            reading.exclude("leasing", True, word.start, word.end)
            reading.unuse(
                word.start,
                word.end,
                "constraint",
                "hardware is to be bought; leasing is not compared",
                "leasing_excluded",
                True,
            )
    _read_borders(reading)


_OR = re.compile(
    r"\b(?:or|vs\.?|versus|oder|ou|o|of|lub|czy|gegen|against|contre|contra|contro|tegen)\b|还是|或|または|아니면|対",
    re.IGNORECASE,
)


def _compared_sites(reading: Reading, word: Word) -> bool:
    """``own servers or cloud``: the place is asked for or compared, not stated."""
    if places_compared(reading.stream, word.start):
        return True
    first, last = reading.stream.sentence(word.start)
    for other in reading.stream.within(max(first, word.start - 50), min(last, word.end + 50), "cloud", "lease"):
        between = reading.text[min(word.end, other.end) : max(word.start, other.start)]
        if len(between.split()) <= _QUALIFIED + 1 and _OR.search(between):
            return True
    return False


def _read_borders(reading: Reading) -> None:
    stream = reading.stream
    for word in stream.words:
        leaves, stays = word.kinds & {"leave", "outside"}, "stay" in word.kinds
        if not (leaves or stays):
            continue
        first, last = stream.clause(word.start, word.end)
        sentence_first, _ = stream.sentence(word.start)
        if leaves and not denied(stream, word.start, word.end):
            continue
        if not stream.within(sentence_first, last, "data") and "outside" not in word.kinds:
            continue
        _settle_border(reading, word, max(first, word.start - 60), min(last, word.end + 60))


def _settle_border(reading: Reading, word: Word, first: int, last: int) -> None:
    stream = reading.stream
    after = stream.within(word.end, min(last, word.end + 50), "eu", "country_word", "house")
    before = stream.within(first, word.start, "eu", "country_word", "house")
    country = _country_near(reading, word, first, last)
    nearest = next(iter(after or before[::-1]), None)
    if country and (nearest is None or "eu" not in nearest.kinds):
        reading.state("data_must_stay_in_country", True, min(word.start, country[0]), max(word.end, country[1]))
        _stays_there(reading, *country)
    elif nearest is None:
        return
    elif "eu" in nearest.kinds:
        start, end = min(word.start, nearest.start), max(word.end, nearest.end)
        reading.unuse(start, end, "constraint", "the region is noted; rules are checked by country", "region", "EU")
    elif "country_word" in nearest.kinds:
        reading.state("data_must_stay_in_country", True, min(word.start, nearest.start), max(word.end, nearest.end))
    elif not stream.within(first, last, "cloud"):
        reading.state(
            "hosting", "on_prem", min(word.start, nearest.start), max(word.end, nearest.end),
            note="the data may not leave the house",
        )  # fmt: skip


def _stays_there(reading: Reading, start: int, end: int) -> None:
    """Data that may not leave a country are in it: its name beside a negation is no exclusion."""
    held = next((e for e in reading.excluded if e.field == "country" and e.span.start == start), None)
    if held is not None:
        reading.excluded.remove(held)
        reading.state("country", held.value, start, end)
        return
    name = next((n for n in find_names(reading, ("countries",), 3) if n.start == start), None)
    if name is not None and name.likeliest:
        reading.state("country", name.likeliest, start, end)


def _country_near(reading: Reading, word: Word, first: int, last: int) -> tuple[int, int] | None:
    """A country's name beside the border word; cities do not count."""
    for name, mention in reading.mentions:
        if name == "country" and first <= mention.start and mention.end <= last:
            return mention.start, mention.end
    for excluded in reading.excluded:
        if excluded.field == "country" and first <= excluded.span.start and excluded.span.end <= last:
            return excluded.span.start, excluded.span.end
    found = (n for n in find_names(reading, ("countries",), 3) if first <= n.start and n.end <= last)
    return next(((n.start, n.end) for n in found), None)


_TO_BE = re.compile(r"\b(?:be|been|being|get|gets|automatically)\s$", re.IGNORECASE)
"""``emails are to be classified``: what is done with them, and no secrecy."""


def read_people_and_papers(reading: Reading) -> None:
    """Class of the data, professional secrecy, trust among tenants, and the sector of the customer."""
    stream = reading.stream
    kinds = {kind for word in stream.words for kind in word.kinds}
    for kind, value in _DATA:
        for word in stream.within(0, len(reading.text), kind) if kind in kinds else ():
            if not ruled_out(stream, word.start, word.end) and not _TO_BE.search(reading.before(word.start)):
                reading.state("data_class", value, word.start, word.end)
                break
    for kind, trusts in (("no_trust", False), ("trust", True)):
        if kind in kinds and ("tenants" in reading.fields or "tenants" in kinds or trusts):
            word = stream.within(0, len(reading.text), kind)[0]
            reading.state("tenants_trust_each_other", trusts, word.start, word.end)
    facts = (
        ("secret", "professional_secrecy", "secrecy is noted; it sets no figure of the sizing"),
        ("cleared", "cleared_staff_only", "who may work on it is noted; staff is not planned"),
    )
    for kind, name, reason in facts:
        if kind in kinds:
            word = stream.within(0, len(reading.text), kind)[0]
            reading.unuse(word.start, word.end, "constraint", reason, name, True)
    _read_sector(reading, kinds)


def _read_sector(reading: Reading, kinds: set[str]) -> None:
    """State ``sector`` where one alone is spoken of; of several, whose they are was not said."""
    found = [kind for kind in SECTORS if kind in kinds]
    for kind in found:
        word = reading.stream.within(0, len(reading.text), kind)[0]
        sector = (
            "insurance"
            if kind == "s_finance" and _INSURES.search(reading.text[word.start : word.end])
            else SECTORS[kind]
        )
        if len(found) == 1 and not ruled_out(reading.stream, word.start, word.end):
            reading.state("sector", sector, word.start, word.end)
        else:
            reason = "one of several sectors; which is the customer's was not said"
            reading.unuse(word.start, word.end, "name", reason, "sector", sector)
