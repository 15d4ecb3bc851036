"""The words of an answered duty: the value computed, on which side of the threshold it is, and what follows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from assistant.asking.answer import Verdict
from assistant.asking.desk import Desk
from assistant.asking.reading.lexicon import LawWords
from assistant.messages import render
from assistant.messages.voice import Voice
from rules.schema import Scalar

if TYPE_CHECKING:
    from assistant.result import Obligation

QUANTITY = {
    "nominal_it_kw": "nominal IT power",
    "connection_kw": "connection power",
    "energy_input_kw": "total rated energy input",
}


def duty_sentence(
    desk: Desk, words: LawWords, duties: list[Obligation], facts: dict[str, Scalar]
) -> tuple[str, Verdict | None]:
    first = duties[0]
    verdict = _verdict(first)
    if "systemic" in first.id and not desk.says("systemi|10\\^25|1e25") and any(d.applies is True for d in duties):
        verdict = "yes"
    if not words.duties:
        return _listed(desk, duties, facts), None
    if words.quantity in QUANTITY:
        return _power_sentence(desk, duties, facts), verdict
    if first.unit == "FLOP" and first.value and first.threshold:
        return _compute_sentence(desk, duties), verdict
    return f"{VERDICT[desk.language][verdict]} {render(first.reason, desk.language)}", verdict


def _verdict(duty: Obligation) -> Verdict:
    if duty.applies == "open":
        return "open"
    return "yes" if duty.applies else "no"


VERDICT = {
    "en": {"yes": "Yes:", "no": "No:", "open": "Open:"},
    "de": {"yes": "Ja:", "no": "Nein:", "open": "Offen:"},
}


def _power_sentence(desk: Desk, duties: list[Obligation], facts: dict[str, Scalar]) -> str:
    """The power computed, then each threshold with its outcome."""
    known = [duty for duty in duties if duty.value is not None] or duties
    parts = [_against_threshold(desk, duty) for duty in known if duty.threshold is not None]
    return f"{_power_words(desk, duties[0], facts)}: {'; '.join(part for part in parts if part)}."


def _listed(desk: Desk, duties: list[Obligation], facts: dict[str, Scalar]) -> str:
    """The duties that hold and those that wait for a fact, by their titles."""
    german = desk.language == "de"
    holding = "; ".join(render(duty.title, desk.language) for duty in duties if duty.applies is True)
    waiting = "; ".join(render(duty.title, desk.language) for duty in duties if duty.applies == "open")
    parts = [f"{'es gilt' if german else 'in force'}: {holding}"] if holding else []
    parts += [f"{'offen' if german else 'open'}: {waiting}"] if waiting else []
    return f"{_power_words(desk, duties[0], facts)}: {'. '.join(parts)}."


def _power_words(desk: Desk, duty: Obligation, facts: dict[str, Scalar]) -> str:
    german = desk.language == "de"
    servers = _servers_kw(desk)
    nominal = facts.get("nominal_it_kw")
    if servers is not None and isinstance(nominal, int | float):
        name, kw = servers
        about = f"{desk.show(kw)} kW Server, mit Netz und Speicher rund {desk.show(nominal, 3)}" if german else ""
        return (
            f"{name} sind {about}"
            if german
            else (f"{name} are {desk.show(kw)} kW of servers, about {desk.show(nominal, 3)} with network and storage")
        )
    value = desk.show(duty.value) if duty.value is not None else "?"
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


def _against_threshold(desk: Desk, duty: Obligation) -> str:
    """On which side of the threshold, and what follows."""
    language = desk.language
    words = _OUTCOME[language].get(duty.id, _OUTCOME[language]["other"])
    limit = words.limit.format(limit=desk.show(duty.threshold or 0.0))
    german = language == "de"
    if duty.applies is True:
        return f"{'ab' if german else 'at or above'} {limit}, {'also' if german else 'so'} {words.due}"
    if not is_below(duty):
        return render(duty.reason, language).rstrip(".")
    alone = ""
    if duty.applies == "open":
        alone = (
            " für sich allein, der übrige Standort zählt mit" if german else " on these alone (the whole site counts)"
        )
    return f"{'unter' if german else 'below'} {limit}, {'also' if german else 'so'} {words.not_due}{alone}"


def is_below(duty: Obligation) -> bool:
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


def duty_more(duty: Obligation, language: str) -> Iterator[str]:
    """What the duty asks for and of whom, since when, and what would settle an open one."""
    said = Voice(language, "asking.duty")
    if duty.applies is not False and duty.what:
        yield said("what_by", what=duty.what, by=duty.by) if duty.by else said("what", what=duty.what)
    if duty.holds_from and duty.applies is not False:
        yield said("since", date=duty.holds_from)
    if duty.applies == "open" and duty.note:
        yield said.tell(duty.note)
    elif duty.applies == "open" and duty.closes_with:
        yield said("settled_by", field=duty.closes_with)
