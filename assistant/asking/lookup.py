"""Words of the trade, prices, and what only a search finds; what nothing covers is declined."""

from __future__ import annotations

from assistant.asking.answer import AskedClaim
from assistant.asking.desk import Desk
from assistant.asking.draft import Draft
from assistant.asking.reading.lexicon import found, lexicon
from knowledge import regexes as re
from knowledge.evidence import Grade
from knowledge.schema import Term
from knowledge.search import Hit

ENOUGH = 0.55
"""Share of a question, by the weight of its words, that a statement must hold to answer it. It was set between
questions of the trade and questions on anything else (``tests/assistant/asking``): below it an answer is a guess."""

SURE = 0.7
"""The share for a question that asks for yes or no, or for a figure: a statement near it is easily taken for one."""

FEW = 2
"""Content words that a statement must share with the question; one alone finds anything."""

_NAME = re.compile(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b")
"""A setting or a metric, which is of the trade by its spelling: ``GR_ENGINE_ACTIVE``."""

_ALMOST, _WORDS = 0.45, 2
"""Share of at most so many words that a term must hold to be what is asked for."""

_TERM = re.compile(
    r"^\W*(?:what(?:'s| is| are| does)?|was (?:ist|sind|bedeutet|heißt)|define|explain|meaning of|erkläre?)\b"
    r"(?:\s+(?:an?|the|ein|eine|der|die|das|is|are|meant by|mean by))*\s+(.+?)\W*"
    r"(?:\s+(?:mean|means|stand for|bedeutet))?\W*$"
)


def about_term(desk: Desk) -> Draft | None:
    """What a word means, for a question that asks no more than that."""
    match = _TERM.match(desk.lower)
    if match is None:
        return None
    word = match[1].strip(" ?\"'")
    ident = desk.library.catalogue.resolve("terms", word).id
    if ident is None:  # "a rail-optimised topology": the term with a word beside it
        near = desk.library.search(word, (), ("terms",), 1)
        if (
            not near
            or not _named(desk, near[0].document.title)
            or near[0].coverage < _ALMOST
            or len(desk.library.index.words(word)) > _WORDS
        ):
            return None
        ident = near[0].document.id
    term: Term = desk.library.catalogue.entry("terms", ident)
    meaning = term.meaning_de if desk.language == "de" else term.meaning
    claims = [desk.library.record(ident, term.meaning, term.sources)]
    more = [hit for hit in desk.library.search(term.name, (), ("claims",), 3) if hit.coverage > ENOUGH]
    return Draft(kind="term", first=meaning, claims=[*claims, *map(desk.library.cite, more)])


def _named(desk: Desk, names: str) -> bool:
    """Whether half of a term's names and more stand in the question: "sequence parallelism" is not "data "
    "parallelism"."""
    words = [word[:4] for word in desk.library.index.words(names)]
    asked = {word[:4] for word in desk.library.index.words(desk.lower)}
    return bool(words) and words[0] in asked


def about_price(desk: Desk) -> Draft | None:
    """Prices are the user's: none is known here, and none is guessed."""
    if not found(lexicon().prices, desk.lower):
        return None
    about = desk.sized is not None or found(
        ("gpu", "server", "cluster", "cloud", "h100", "h200", "b200", "rent", "miet"), desk.lower
    )
    if not about:
        return None
    if desk.language == "de":
        text = (
            "Preise stehen nicht in der Wissensbasis: gerechnet wird nur mit Ihrer eigenen Preisliste "
            "(`sizewright size --set prices=DATEI`)."
        )
    else:
        text = (
            "Prices are not in the knowledge base: costs are computed from your own price list only "
            "(`sizewright size --set prices=FILE`)."
        )
    return Draft(
        kind="price", first=text, declined=True, claims=[desk.library.claim("S0-29"), desk.library.claim("G-007")]
    )


def about_anything(desk: Desk) -> Draft | None:
    """The statements that cover the question best, or None."""
    hits = [hit for hit in desk.library.search(desk.text, limit=8) if _answers(desk, hit)]
    claims = [claim for claim in _firm_first(desk, hits) if not _rejected(desk, claim)]
    if not claims or all(claim.grade == Grade.UNVERIFIED for claim in claims):
        return None
    draft = Draft(kind="found", first=_said(desk, claims[0]), claims=claims[:5])
    draft.more = [_said(desk, claim) for claim in claims[1:3]]
    return draft


def _rejected(desk: Desk, claim: AskedClaim) -> bool:
    """Whether a statement is only kept for what contradicts it, so that it may not answer."""
    known = desk.library.catalogue.entries("claims")
    if claim.id not in known:
        return False
    found = known[claim.id]
    if found.judged_against:
        return True
    return any(side.side == other for side in desk.library.against([claim]) for other in found.contradicts)


def best_of(desk: Desk, prefixes: tuple[str, ...], limit: int = 4, least: float = 0.0) -> list[AskedClaim]:
    """The claims of these kinds that are nearest to the question and cover ``least`` of it, firm ones first."""
    hits = desk.library.search(desk.text, prefixes, ("claims",), limit) if prefixes else []
    return _firm_first(desk, [hit for hit in hits if hit.coverage >= least])


def _said(desk: Desk, claim: AskedClaim) -> str:
    return _sentence(desk.library.advice(claim.id) if claim.id in desk.library.rules.rules else claim.text)


def _answers(desk: Desk, hit: Hit) -> bool:
    asked = len(desk.library.index.words(desk.text))
    of_the_trade = found(lexicon().trade, desk.lower) or _NAME.search(desk.text)
    if hit.document.kind == "xids" and not desk.says(r"xid|error|fehler|fault|kernel|dmesg"):
        return False
    if hit.document.kind == "formulas":
        return False  # a formula explains a figure, and answers no question
    enough = SURE if desk.query.kind in ("whether", "how_many", "how_much", "how_fast", "how_long") else ENOUGH
    return hit.coverage >= enough and len(hit.words) >= min(FEW, asked) and bool(of_the_trade)


_LIGHTER = {Grade.THIRD_PARTY: 0.05, Grade.VENDOR_BLOG: 0.05, Grade.PRACTITIONER_OPINION: 0.15, Grade.UNVERIFIED: 0.3}
"""What a statement loses against one that covers the question as well, by its grade."""


def _firm_first(desk: Desk, hits: list[Hit]) -> list[AskedClaim]:
    """By coverage less what a weak grade costs, and what a judgement against it does."""
    claims = desk.library.catalogue.entries("claims")

    def key(pair: tuple[Hit, AskedClaim]) -> float:
        hit, said = pair
        judged = said.id in claims and claims[said.id].judged_against
        weak = 0.2 if judged else 0.15 if hit.document.kind == "formulas" else 0.0  # a formula explains
        return _LIGHTER.get(Grade(said.grade), 0.0) + weak - hit.coverage

    return [said for _, said in sorted(((hit, desk.library.cite(hit)) for hit in hits), key=key)]


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else text + "."
