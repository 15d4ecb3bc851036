"""Whether a duty holds: the rules on the facts in the question, and the law's own figures beside them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from assistant.advice import advise
from assistant.asking.answer import AskedClaim, Verdict
from assistant.asking.choices import weighs_options
from assistant.asking.desk import Desk
from assistant.asking.draft import Draft
from assistant.asking.law_wording import QUANTITY, VERDICT, duty_more, duty_sentence, is_below
from assistant.asking.reading.lexicon import LawWords, found, lexicon
from assistant.asking.reading.said import TRAINING, light_facts
from assistant.messages import render
from knowledge import regexes as re
from rules.schema import Scalar

if TYPE_CHECKING:
    from assistant.result import Obligation

_POWER = re.compile(r"(\d+(?:[.,]\d+)?)\s*(kw|mw|gw|mva)\b")
_FLOP = re.compile(r"\b(?:10\s*\^\s*(\d+)|1e\+?(\d+))\s*flop|\b(\d+(?:\.\d+)?)e\+?(\d+)\s*flop")
_KW = {"kw": 1.0, "mw": 1e3, "gw": 1e6, "mva": 1e3}
_ALLOWED = r"^(is|are|can|may|do|does|darf|dürfen|ist|sind|kann|können|müssen|muss)\b.*\?"
_LOOSE = ("countries", "any")
_NEAR = 0.6
"""Share of the question from which a claim stands before the law's own threshold."""
_SOME, _MORE = 0.2, 0.1
"""Share of a question, and lead over the law's first claims, from which another of its claims stands first."""
_WHEN = r"\bby when|\bwhen (must|do|have|is|are|shall)\b(?!.*\bapply)|deadline|\bbis wann|frist|stichtag"


def about_law(desk: Desk) -> Draft | None:
    """The answer to a question on a law or a threshold, or None."""
    law = _law(desk)
    if law is None:
        return None
    name, words = law
    if weighs_options(desk):
        return None  # "cloud or on-prem for patient records" asks for a place
    facts = _facts(desk, words)
    duties = _duties(desk, words, facts)
    draft = Draft(kind=f"law:{name}", first="", facts=facts)
    if duties:
        draft.first, draft.verdict = duty_sentence(desk, words, duties, facts)
        draft.claims += [_duty_claim(desk, duty) for duty in duties]
        draft.more += list(duty_more(duties[0], desk.language))
    draft.claims += _stated(desk, words, 5)
    if not draft.first:
        draft.first, draft.verdict = _claimed(desk, words, draft.claims[0].text)
    draft.more.append("Not legal advice." if desk.language == "en" else "Keine Rechtsberatung.")
    return draft


def _claimed(desk: Desk, words: LawWords, text: str) -> tuple[str, Verdict | None]:
    """The first claim as an answer: with yes or no where the form of the question allows it."""
    for verdict, form in words.verdicts.items():
        if desk.says(form):
            return f"{VERDICT[desk.language][verdict]} {text}", verdict
    return text, "open" if desk.says(_ALLOWED) else None


def _law(desk: Desk) -> tuple[str, LawWords] | None:
    """The law that most of the question's words speak of; loose ones only where nothing else is found."""
    best: tuple[int, str, LawWords] | None = None
    for name, words in lexicon().laws.items():
        hits = len(found(words.patterns, desk.lower))
        if not hits or found(words.unless, desk.lower) or (words.needs and not found(words.needs, desk.lower)):
            continue
        score = hits + len(found(words.names, desk.lower)) if name not in _LOOSE else 0
        if best is None or score > best[0]:
            best = (score, name, words)
    return (best[1], best[2]) if best else None


# --- the facts ------------------------------------------------------------------------------------------------------


def _facts(desk: Desk, words: LawWords) -> dict[str, Scalar]:
    """Sized facts where hardware is stated, else what the question says, with the power or compute it names."""
    said = light_facts(desk)
    power = _power(desk)
    sized = desk.sized if _sized_for(desk, words, power) else None
    facts = {**sized.facts, **said} if sized is not None else said
    if power is not None and words.quantity is None and desk.country is not None:
        facts |= dict.fromkeys(QUANTITY, power)
    if power is not None and words.quantity in QUANTITY:
        # What the IT draws is a lower bound of what the site is connected for, and of its energy input.
        larger = list(QUANTITY)[list(QUANTITY).index(words.quantity) :]
        facts |= dict.fromkeys(larger, power)
    flop = _flop(desk)
    if flop is not None:
        facts |= {"training_flop_log10": flop, "trains": True, "workload": facts.get("workload", "pretraining")}
    if desk.says(r"fine-?tun|modif|anpass"):
        facts |= {"workload": "finetuning", "trains": True}
    elif desk.says(TRAINING):
        facts["trains"] = True
    if desk.says(r"\beu\b|europ") and "country" not in facts and words.quantity != "training_flop_log10":
        facts.setdefault("country_is_eu", True)
    return {topic: value for topic, value in facts.items() if topic in desk.library.rules.topics}


def _sized_for(desk: Desk, words: LawWords, power: float | None) -> bool:
    """Whether a sizing answers: not where the power itself is stated, nor with a compute that nobody stated."""
    if words.quantity == "training_flop_log10":
        return bool(desk.stated("training_tokens"))
    return power is None


def _power(desk: Desk) -> float | None:
    """The power that the question states, in kW; one of a rack is none of a site."""
    match = _POWER.search(desk.lower)
    if match is None or desk.brief.stated("gpus") or desk.brief.stated("server"):
        return None
    return float(match[1].replace(",", ".")) * _KW[match[2]]


def _flop(desk: Desk) -> float | None:
    """Common logarithm of the training compute: stated, or 6 x parameters x tokens."""
    from math import log10

    match = _FLOP.search(desk.lower)
    if match is not None:
        return float(match[1] or match[2] or 0) or log10(float(match[3])) + float(match[4])
    parameters, tokens = desk.stated("parameters_b"), desk.stated("training_tokens")
    if parameters and tokens:
        return log10(6.0 * float(parameters) * 1e9 * float(tokens))
    return None


def _duties(desk: Desk, words: LawWords, facts: dict[str, Scalar]) -> list[Obligation]:
    """The duties that the law's words name, in their order; without facts there is nothing to settle."""
    if not facts:
        return []
    known = {duty.id: duty for duty in advise(desk.library.rules, facts).obligations}
    if not words.duties and words.quantity is None and "connection_kw" in facts:
        return _all_of_them(desk, known.values())
    if words.quantity == "training_flop_log10" and "training_flop_log10" not in facts:
        return []
    listed = [known[ident] for ident in words.duties if ident in known]
    # Another country's act, or one that waits for the same question as the first, adds nothing.
    listed = [duty for duty in listed if duty is listed[0] or (duty.value and duty.closes_with != "country")]
    listed = [duty for duty in listed if duty is listed[0] or duty.applies is not False or is_below(duty)]
    return listed if listed and (_value_known(words, facts) or listed[0].applies != "open") else []


def _all_of_them(desk: Desk, known: Iterable[Obligation]) -> list[Obligation]:
    """Every duty on the site that holds or may hold in the country, those that hold first."""
    own = [d for d in known if d.id.startswith((f"{str(desk.country).lower()}_", "eu_")) and d.applies is not False]
    return sorted((duty for duty in own if duty.value is not None), key=lambda duty: duty.applies is not True)


def _value_known(words: LawWords, facts: dict[str, Scalar]) -> bool:
    return words.quantity is None or words.quantity in facts


def _duty_claim(desk: Desk, duty: Obligation) -> AskedClaim:
    return AskedClaim(
        id=duty.id,
        text=render(duty.reason),
        value=duty.threshold,
        unit=duty.unit,
        grade=desk.library.best_grade(duty.sources),
        sources=duty.sources,
    )


def _stated(desk: Desk, words: LawWords, limit: int) -> list[AskedClaim]:
    """What the law is said to say, nearest to the question first; of the country that it names before the EU's."""
    claims = desk.library.catalogue.entries("claims")
    country = f"L-{desk.country}-"
    others = tuple(f"L-{code}-" for code in desk.library.catalogue.entries("countries") if code != desk.country)
    prefixes = tuple(prefix for prefix in words.claims if f"{prefix}-" == country) or words.claims
    if desk.country is not None and words.national:
        prefixes = tuple(prefix for prefix in prefixes if not f"{prefix}-".startswith(others))
    hits = desk.library.search(_topic(desk, words), prefixes, ("claims",), len(claims))
    covers = {hit.document.id: hit.coverage for hit in hits}
    # What the law says first and foremost stands first, unless another part of it is what is asked for.
    usual = max((covers.get(ident, 0.0) for ident in words.core), default=0.0)
    asked = [ident for ident, share in covers.items() if share >= _NEAR or share >= max(_SOME, usual + _MORE)]
    own = [*_national(desk, words, country), *asked, *words.core, *covers]
    rest = [ident for ident in claims if ident.startswith(prefixes)]
    return [desk.library.claim(ident) for ident in dict.fromkeys((*own, *rest))][:limit]


def _national(desk: Desk, words: LawWords, country: str) -> list[str]:
    """What the country that the question names says on the same matter."""
    if not words.national:
        return []
    hits = desk.library.search(_topic(desk, words), (country,), ("claims",), 2)
    return [hit.document.id for hit in hits if found(words.patterns, hit.document.body.casefold())]


def _topic(desk: Desk, words: LawWords) -> str:
    """What is asked of the law, without its name, which is no part of what it says."""
    text = desk.lower
    for pattern in words.names:
        text = re.sub(pattern, " ", text)
    return f"{text} deadline" if desk.says(_WHEN) else text
