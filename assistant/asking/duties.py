"""Whether a duty holds: the rules on the facts in the question, and the law's own figures beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from assistant.advice import advise
from assistant.asking.answer import AskedClaim, Verdict
from assistant.asking.desk import TRAINING, Desk, Draft, light_facts, show
from assistant.asking.lexicon import LawWords, found, lexicon
from rules.schema import Scalar

if TYPE_CHECKING:
    from assistant.result import Obligation

_POWER = re.compile(r"(\d+(?:[.,]\d+)?)\s*(kw|mw|gw)\b")
_FLOP = re.compile(r"\b(?:10\s*\^\s*(\d+)|1e\+?(\d+))\s*flop|\b(\d+(?:\.\d+)?)e\+?(\d+)\s*flop")
_KW = {"kw": 1.0, "mw": 1e3, "gw": 1e6}
_QUANTITY = {
    "nominal_it_kw": "nominal IT power",
    "connection_kw": "connection power",
    "energy_input_kw": "total rated energy input",
}
_ALLOWED = r"^(is|are|can|may|do|does|darf|dürfen|ist|sind|kann|können|müssen|muss)\b.*\?"
_LOOSE = ("countries", "any")
_NEAR = 0.6
"""Share of the question from which a claim stands before the law's own threshold."""
_WHEN = r"\bwhen\b|deadline|\bwann\b|frist|stichtag"


def about_law(desk: Desk) -> Draft | None:
    """The answer to a question on a law or a threshold, or None."""
    law = _law(desk)
    if law is None:
        return None
    name, words = law
    facts = _facts(desk, words)
    duties = _duties(desk, words, facts)
    draft = Draft(kind=f"law:{name}", first="", facts=facts)
    if duties:
        draft.first, draft.verdict = _sentence(desk, words, duties, facts)
        draft.claims += [_duty_claim(desk, duty) for duty in duties]
        draft.more += list(_more(duties[0]))
    draft.claims += _stated(desk, words, 5)
    if not draft.first:
        draft.first = draft.claims[0].text
        draft.verdict = "open" if desk.says(_ALLOWED) else None
    draft.more.append("Not legal advice." if desk.language == "en" else "Keine Rechtsberatung.")
    return draft


def _law(desk: Desk) -> tuple[str, LawWords] | None:
    """The law that most of the question's words speak of; loose ones only where nothing else is found."""
    best: tuple[int, str, LawWords] | None = None
    for name, words in lexicon().laws.items():
        hits = len(found(words.patterns, desk.lower))
        if not hits or found(words.unless, desk.lower) or (words.needs and not found(words.needs, desk.lower)):
            continue
        score = hits if name not in _LOOSE else 0
        if best is None or score > best[0]:
            best = (score, name, words)
    return (best[1], best[2]) if best else None


# --- the facts ------------------------------------------------------------------------------------------------------


def _facts(desk: Desk, words: LawWords) -> dict[str, Scalar]:
    """Sized facts where hardware is stated, else what the question says, with the power or compute it names."""
    said = light_facts(desk)
    facts = {**desk.facts, **said} if desk.sized is not None else said
    power = _power(desk)
    if power is not None and words.quantity in _QUANTITY:
        # What the IT draws is a lower bound of what the site is connected for, and of its energy input.
        larger = list(_QUANTITY)[list(_QUANTITY).index(words.quantity) :]
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
    if words.quantity == "training_flop_log10" and "training_flop_log10" not in facts:
        return []
    listed = [known[ident] for ident in words.duties if ident in known]
    # Another country's act, or one that waits for the same question as the first, adds nothing.
    listed = [duty for duty in listed if duty is listed[0] or (duty.value and duty.closes_with != "country")]
    listed = [duty for duty in listed if duty is listed[0] or duty.applies is not False or _is_below(duty)]
    return listed if listed and (_value_known(words, facts) or listed[0].applies != "open") else []


def _value_known(words: LawWords, facts: dict[str, Scalar]) -> bool:
    return words.quantity is None or words.quantity in facts


# --- the words ------------------------------------------------------------------------------------------------------


def _sentence(
    desk: Desk, words: LawWords, duties: list[Obligation], facts: dict[str, Scalar]
) -> tuple[str, Verdict | None]:
    first = duties[0]
    verdict = _verdict(first)
    if "systemic" in first.id and not desk.says("systemi|10\\^25|1e25") and any(d.applies is True for d in duties):
        verdict = "yes"
    if words.quantity in _QUANTITY:
        return _power_sentence(desk, duties, facts), verdict
    if first.unit == "FLOP" and first.value and first.threshold:
        return _compute_sentence(desk, duties), verdict
    return f"{_VERDICT[desk.language][verdict]} {first.reason}", verdict


def _verdict(duty: Obligation) -> Verdict:
    if duty.applies == "open":
        return "open"
    return "yes" if duty.applies else "no"


_VERDICT = {
    "en": {"yes": "Yes:", "no": "No:", "open": "Open:"},
    "de": {"yes": "Ja:", "no": "Nein:", "open": "Offen:"},
}


def _power_sentence(desk: Desk, duties: list[Obligation], facts: dict[str, Scalar]) -> str:
    """The power computed, then each threshold with its outcome."""
    known = [duty for duty in duties if duty.value is not None] or duties
    parts = [_against_threshold(duty, desk.language) for duty in known if duty.threshold is not None]
    return f"{_power_words(desk, duties[0], facts)}: {'; '.join(part for part in parts if part)}."


def _power_words(desk: Desk, duty: Obligation, facts: dict[str, Scalar]) -> str:
    german = desk.language == "de"
    servers = _servers_kw(desk)
    nominal = facts.get("nominal_it_kw")
    if servers is not None and isinstance(nominal, int | float):
        name, kw = servers
        about = f"{show(kw)} kW Server, mit Netz und Speicher rund {show(nominal)}" if german else ""
        return (
            f"{name} sind {about}"
            if german
            else (f"{name} are {show(kw)} kW of servers, about {show(nominal)} with network and storage")
        )
    value = show(duty.value) if duty.value is not None else "?"
    return f"{value} kW" if duty.value is not None else ("Leistung unbekannt" if german else "The power is not known")


def _servers_kw(desk: Desk) -> tuple[str, float] | None:
    """What the servers of the plan are and draw at most by their specification, in kW."""
    if desk.sized is None:
        return None
    total, names = 0.0, []
    for server in desk.sized.plan().servers:
        if server.role != "gpu":
            continue
        power = desk.library.catalogue.server(server.id).max_power_kw.value
        if power is None:
            return None
        total += power * server.count
        names.append(f"{server.count} {server.name.removeprefix('NVIDIA ')}")
    return (" and ".join(names), total) if names else None


def _against_threshold(duty: Obligation, language: str) -> str:
    """On which side of the threshold, and what follows."""
    words = _OUTCOME[language].get(duty.id, _OUTCOME[language]["other"])
    limit = words.limit.format(limit=show(duty.threshold or 0.0))
    german = language == "de"
    if duty.applies is True:
        return f"{'ab' if german else 'at or above'} {limit}, {'also' if german else 'so'} {words.due}"
    if not _is_below(duty):
        return duty.reason.rstrip(".")
    alone = ""
    if duty.applies == "open":
        alone = (
            " für sich allein, der übrige Standort zählt mit" if german else " on these alone (the whole site counts)"
        )
    return f"{'unter' if german else 'below'} {limit}, {'also' if german else 'so'} {words.not_due}{alone}"


def _is_below(duty: Obligation) -> bool:
    return duty.value is not None and duty.threshold is not None and duty.value < duty.threshold


class _Outcome(NamedTuple):
    """How a duty's threshold and its two outcomes are said."""

    limit: str
    due: str
    not_due: str


_OUTCOME = {
    "en": {
        "eu_eed_data_centre": _Outcome("the EU's {limit}", "the EU report is due", "no EU report"),
        "de_enefg": _Outcome("Germany's {limit}", "the German Energy Efficiency Act holds", "no German act"),
        "eu_waste_heat": _Outcome("{limit}", "the waste heat has to be used", "no EU duty to use heat"),
        "other": _Outcome("{limit}", "the duty holds", "no duty"),
    },
    "de": {
        "eu_eed_data_centre": _Outcome("{limit} der EU", "ist der EU-Bericht fällig", "kein EU-Bericht"),
        "de_enefg": _Outcome("{limit} in Deutschland", "gilt das Energieeffizienzgesetz", "kein EnEfG"),
        "eu_waste_heat": _Outcome("{limit}", "ist die Abwärme zu nutzen", "keine EU-Abwärmepflicht"),
        "other": _Outcome("{limit}", "gilt die Pflicht", "keine Pflicht"),
    },
}


def _compute_sentence(desk: Desk, duties: list[Obligation]) -> str:
    value = duties[0].value or 0.0
    parts = []
    for duty in duties:
        side = "above" if value > (duty.threshold or 0.0) else "not above"
        outcome = {"yes": "holds", "no": "does not hold", "open": "is open"}[_verdict(duty)]
        name = "the systemic-risk duty" if "systemic" in duty.id else "the duty of a general-purpose model"
        parts.append(f"{side} {duty.threshold:.3g}, so {name} {outcome}")
    start = "Das Training braucht" if desk.language == "de" else "The training takes"
    return f"{start} {value:.3g} FLOP: {'; '.join(parts)}."


def _more(duty: Obligation) -> Iterator[str]:
    if duty.applies is not False and duty.what:
        yield f"{duty.what} (by {duty.by})." if duty.by else f"{duty.what}."
    if duty.holds_from and duty.applies is not False:
        yield f"In force since {duty.holds_from}."
    if duty.applies == "open" and duty.note:
        yield duty.note
    elif duty.applies == "open" and duty.closes_with:
        yield f"It is settled by: {duty.closes_with.replace('_', ' ')}."


def _duty_claim(desk: Desk, duty: Obligation) -> AskedClaim:
    return AskedClaim(
        id=duty.id,
        text=duty.reason,
        value=duty.threshold,
        unit=duty.unit,
        grade=desk.library.best_grade(duty.sources),
        sources=duty.sources,
    )


def _of_country(desk: Desk, words: LawWords) -> tuple[str, ...]:
    """Of laws by country, those of the country that the question names."""
    own = tuple(prefix for prefix in words.claims if prefix == f"L-{desk.stated('country')}")
    return own or words.claims


def _stated(desk: Desk, words: LawWords, limit: int) -> list[AskedClaim]:
    """What the law is said to say, nearest to the question first."""
    prefixes = _of_country(desk, words)
    text = f"{desk.text} deadline" if desk.says(_WHEN) else desk.text
    hits = desk.library.search(text, prefixes, ("claims",), limit)
    own = [hit.document.id for hit in hits if hit.coverage >= _NEAR]
    own += [ident for ident in words.core if ident not in own]
    own += [hit.document.id for hit in hits if hit.document.id not in own]
    rest = (i for i in desk.library.catalogue.entries("claims") if i.startswith(prefixes) and i not in own)
    return [desk.library.claim(ident) for ident in (*own, *rest)][:limit]
