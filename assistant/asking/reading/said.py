"""What a question says itself, as topics of the rules; nothing is assumed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from knowledge import regexes as re
from rules.schema import Scalar

if TYPE_CHECKING:
    from assistant.asking.desk import Desk

TRAINING = r"\btrain|pre-?training|fine-?tun|trainier|checkpoint"
SERVING = r"inferen[cz]|\bserv(e|ing)\b|bereitstell|chat|\brag\b|\b(vllm|sglang|ollama|triton|tgi)\b"
OFFLINE = r"폐쇄망|离线|断网|没有互联网|hors ligne|sin conexión"
"""The languages in which the parser does not find an air gap."""

_DIRECT: tuple[str, ...] = (
    *("tenants", "tenants_trust_each_other", "utilisation", "horizon_years", "ops_staff", "deadline_days"),
    *("data_class", "air_gap", "foreign_operator_excluded", "data_must_stay_in_country", "hosting", "country"),
    *("site_operator", "defence_site", "workload"),
)
"""Fields of the brief that are topics of the rules under the same name."""

_RENAMED = (("availability", "availability_target"), ("rack_kw", "rack_kw"), ("nodes", "nodes"))

_NO_FOREIGNER = (
    r"(foreign|non-eu|us) operators? (is|are|must be)? ?(excluded|not)|operator outside"
    r"|\b(no|not|refus\w*|exclud\w*|without|ban\w*|kein\w*|ohne)\b.{0,20}"
    r"\b(us|american|foreign|non-eu|amerikanisch\w*)[ -]?(provider|operator|cloud|compan|hyperscaler|anbieter)"
)
_NOBODY = (
    r"\bno (it )?(staff|admins?|people|team|personnel)\b|kein(e)? (it-?)?(personal|admins?|leute|team)\b|nobody to run"
)
_SPANS = (
    r"\b(over|across|between|über|zwischen) (two|2|several|mehrere|zwei|three|drei|\d+) "
    r"(nodes?|servers?|machines|knoten|servern|maschinen)\b"
)
_DUE = re.compile(r"\b(?:in|within|binnen|innerhalb von) (\d+) (days?|weeks?|months?|tagen?|wochen?|monaten?)\b")
_DAYS = {"d": 1, "t": 1, "w": 7, "m": 30}
_SOON = r"next (week|month)|nächste[rn]? (woche|monat)|immediately|sofort|right away"

_SKILLS = "slurm|kubernetes|k8s|infiniband|ethernet"
_KNOWS = re.compile(
    r"\b(?:know[sn]?|kenn(?:t|en)|experience (?:with|in)|erfahrung mit|used to|(?:we|team|have) runs?) "
    rf"(?:\w+ ){{0,2}}({_SKILLS})\b"
    rf"|\b({_SKILLS})[ -](?:experience|skills?|know-?how|knowledge|erfahrung|kenntnisse|people|team)\b"
)
_ONLY_ETHERNET = r"\b(only|just|nur)\b.{0,20}\bethernet\b(?![ -](experience|skills?|know|erfahrung|kenntnisse|people))"
_MONEY = {
    "capex": r"capex|investment budget|investitions|grant money|fördermittel",
    "opex": r"opex|per month budget|betriebskosten",
}
_NUMBERS = {"one": 1, "a": 1, "single": 1, "two": 2, "three": 3, "four": 4, "eight": 8, "sixteen": 16}
_NUMBERS |= {"ein": 1, "einem": 1, "einen": 1, "zwei": 2, "drei": 3, "vier": 4, "acht": 8, "six": 6, "sechs": 6}
_SERVERS = (
    r"[ -]+(?:x )?(?:(?:gpu|compute|training|identical|single|einzeln\w*|big|nvidia|amd|dgx|hgx|[abh][1-3]00)[ -]){0,2}"
    r"(?:nodes?|servers?n?|serveurs?|servidores|nodos|knoten|machines?|boxes|maschinen|dgx|hgx)\b"
)
_NODES = tuple(re.compile(rf"\b({number}){_SERVERS}") for number in (r"\d[\d.,]*", "|".join(_NUMBERS)))
"""Counts in digits before counts in words: "a 4-node cluster" has four."""
_GPUS = re.compile(r"\b(\d[\d.,]*)[ -](?:x )?(?:nvidia |amd )?(?:gpus?\b|accelerators|karten|cards)")
_STRANGERS = (
    r"(not|n't|never|nicht|kein\w*) .{0,20}(trust|vertrau)|misstrau|untrust|strangers|competitors|fremde"
    r"|different (customers|companies)|verschiedene (kunden|firmen)|external (customers|users)"
    r"|\b(two|several|many|our|multiple) (customers|companies|clients)|(mehrere|zwei|unsere) (kunden|firmen)"
)
_FRIENDS = r"\bteams\b|\b(one|a|each|ein) team\b|departments|abteilungen|groups|gruppen|lehrst"
_YEARS = re.compile(
    rf"\b(\d+(?:[.,]\d+)?|{'|'.join(_NUMBERS)})[ -]?(years?|jahren?|months?|monate?n?|weeks?|wochen?)\b"
)
_NO_HORIZON = r"deadline|frist|since|seit|\b(a|per|each|every|pro|im) (month|year|week|monat|jahr|woche)\b"
_A_YEAR = {"y": 1.0, "j": 1.0, "m": 12.0, "w": 52.0}
_SHARE = re.compile(r"\b(\d{1,3}) ?(?:%|percent|per cent|prozent)")
_ALWAYS = r"24.?7|around the clock|rund um die uhr|all the time|durchgehend|always busy|permanently"
_UTILISATION = r"utili[sz]|auslast|busy|idle|ausgelastet"


def light_facts(desk: Desk) -> dict[str, Scalar]:
    """The facts in the words of a question."""
    facts: dict[str, Scalar] = {name: value for name in _DIRECT if (value := desk.stated(name)) is not None}
    country = facts.get("country")
    if country is not None:
        facts["country_is_eu"] = desk.library.catalogue.country(str(country)).eu
    facts |= {topic: value for name, topic in _RENAMED if (value := desk.stated(name)) is not None}
    facts |= counts(desk) | _card(desk) | _tenants(desk) | _skills(desk) | _economy(desk, facts)
    if desk.says(_NO_FOREIGNER):
        facts["foreign_operator_excluded"] = True
    if desk.says(r"leave (the|our) (building|house|premises|company)|haus verlassen"):
        facts["data_must_stay_in_country"] = True
    if desk.says(_ONLY_ETHERNET):
        facts["ethernet_only_site"] = True
    trains, serves = desk.says(TRAINING), desk.says(SERVING)
    if trains or serves:
        facts |= {"trains": trains, "serves": serves}
    if serves and not trains and desk.says(_SPANS):
        facts["replica_spans_nodes"] = True
    if desk.says(OFFLINE):
        facts["air_gap"] = True
    return facts


def _skills(desk: Desk) -> dict[str, Scalar]:
    known = {str(skill) for skill in desk.stated("staff_skills") or ()}
    known |= {skill for found in _KNOWS.finditer(desk.lower) for skill in found.groups() if skill}
    topics = (f"staff_knows_{skill.replace('k8s', 'kubernetes')}" for skill in sorted(known))
    return {topic: True for topic in topics if topic in desk.library.rules.topics}


def _economy(desk: Desk, facts: dict[str, Scalar]) -> dict[str, Scalar]:
    """Horizon, utilisation and kind of money, where the parser left them."""
    found: dict[str, Scalar] = {"ops_staff": 0.0} if desk.says(_NOBODY) and "ops_staff" not in facts else {}
    due = _DUE.search(desk.lower)
    if "deadline_days" not in facts and (due is not None or desk.says(_SOON)):
        found["deadline_days"] = int(due[1]) * _DAYS[due[2][0]] if due is not None else 30
    years = _YEARS.search(desk.lower)
    if years is not None and due is None and "horizon_years" not in facts and not desk.says(_NO_HORIZON):
        found["horizon_years"] = _number(years[1]) / _A_YEAR[years[2][0]]
    share = _SHARE.search(desk.lower)
    if "utilisation" not in facts and share is not None and desk.says(_UTILISATION):
        found["utilisation"] = int(share[1]) / 100
    elif "utilisation" not in facts and desk.says(_ALWAYS):
        found["utilisation"] = 0.9
    kind = next((kind for kind, words in _MONEY.items() if desk.says(words)), None)
    return found | ({"budget_kind": kind} if kind else {})


def _number(text: str) -> float:
    return float(_NUMBERS.get(text) or text.replace(",", "."))


def counts(desk: Desk) -> dict[str, Scalar]:
    """Servers and GPUs that the question counts; eight GPUs a server where it names only one of both."""
    nodes = next((match for pattern in _NODES if (match := pattern.search(desk.lower))), None)
    gpus = _GPUS.search(desk.lower)
    rows = [int(row["count"]) for row in desk.stated("gpus") or () if row.get("gpu") and row.get("count")]
    total = int(re.sub(r"[.,]", "", gpus[1])) if gpus is not None else sum(rows)
    if nodes is not None:
        number = _NUMBERS.get(nodes[1]) or int(re.sub(r"[.,]", "", nodes[1]) or 0)
        return {"nodes": number, "gpus": max(total, 8 * number)} if number else {}
    if total:
        return {"nodes": -(-total // 8), "gpus": total}
    return {}


def _card(desk: Desk) -> dict[str, Scalar]:
    """What the accelerator that the question names can do."""
    rows = desk.stated("gpus") or ()
    name = next((row["gpu"] for row in rows if row.get("gpu")), None)
    if name is None:
        return {}
    card = desk.library.catalogue.accelerator(str(name))
    return {
        "has_fp8": card.fp8_tflops.value is not None,
        "has_fp4": card.fp4_tflops.value is not None,
        "mig_capable": (card.mig_max.value or 0) > 1,
    }


def _tenants(desk: Desk) -> dict[str, Scalar]:
    """Whether parties share the machines, and trust one another."""
    if desk.says(_STRANGERS):
        return {"tenants": int(desk.stated("tenants") or 2), "tenants_trust_each_other": False}
    if desk.says(_FRIENDS) and not desk.brief.stated("tenants"):
        return {"tenants": 2, "tenants_trust_each_other": True}
    return {}
