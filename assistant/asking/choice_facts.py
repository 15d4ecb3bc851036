"""The facts on which a choice is answered, and what is taken for granted where the question leaves it open."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from assistant.asking.desk import Desk
from assistant.asking.reading.said import SERVING, TRAINING, light_facts
from assistant.result import Sizing
from rules.schema import Scalar

SPANS = ("fabric_technology", "topology", "oversubscription", "scheduler")
"""Decisions on work that spans servers."""

_HARDWARE = ("cooling",)
"""Decisions that named hardware alone settles, whatever it shall do. A rack that is one machine settles more."""

_TYPICAL_NODES = 4
_GPUS_A_NODE = 8
_WHETHER = r"\bneeds? (an?|the|our)\b|brauch|nötig|necessary|required|\bmust we\b|müssen wir|worth|lohnt"
"""Asks whether to cut the cluster off; other questions take it that it is."""
_OWN = r"(our|my) own (server|hardware|machine|site)|on.?prem|eigene[nr]? (server|hardware|rechenzentrum)"
_TOGETHER = r"\bboth\b|shar(e|ing)|concurrent|handover|together|side by side|same (nodes|servers)|gemeinsam|beide"
_STATE = r"government|domestic|behörde|ministerium|sovereign|souver"
_SMALL = r"small|klein|several models|many models|mehrere modelle|tiny|\b[1-8]b\b|notebook|student|jupyter"


def case_for(desk: Desk, decision: str) -> Sizing | None:
    """The sizing that settles a decision, where the question says enough for one."""
    name = desk.stated("server")
    if name and (decision in _HARDWARE or desk.library.catalogue.server(str(name)).unit == "rack"):
        return desk.sized
    return desk.case


def facts_for(desk: Desk, decision: str, options: tuple[str, ...]) -> tuple[dict[str, Scalar], list[str]]:
    """The facts in the question, and what was taken for granted where it leaves the decision open."""
    sizing = case_for(desk, decision)
    if sizing is not None:
        known = light_facts(desk) | dict(sizing.facts)  # what the question says and no sizing asserts still counts
        return {topic: value for topic, value in known.items() if topic in desk.library.rules.topics}, []
    facts, assumed = dict(desk.facts), list[str]()
    if desk.says(_OWN) and decision != "build_rent_sovereign":
        facts.setdefault("hosting", "on_prem")
    if not desk.says(TRAINING) and not desk.says(SERVING) and decision in (*SPANS, "storage_kind"):
        facts |= {"trains": True, "serves": False}
        assumed.append(
            desk.either("the work is training that spans the servers", "die Arbeit ist Training über die Server hinweg")
        )
    if decision in (*SPANS, "storage_kind", "quotas") and "nodes" not in facts:
        facts["nodes"] = _TYPICAL_NODES
        what = desk.either("servers of", "Server mit")
        assumed.append(f"{_TYPICAL_NODES} {what} {_GPUS_A_NODE} GPUs")
    _span(facts)
    own = _OWN_FACTS.get(decision)
    if own is not None:
        own(desk, facts, assumed, options)
    return {topic: value for topic, value in facts.items() if topic in desk.library.rules.topics}, assumed


def _span(facts: dict[str, Scalar]) -> None:
    """What a number of servers implies."""
    nodes = facts.get("nodes")
    if isinstance(nodes, int | float):
        facts.setdefault("gpus", int(nodes) * _GPUS_A_NODE)
        facts |= {"nvlink_domain_gpus": _GPUS_A_NODE, "nics_per_node": _GPUS_A_NODE}
        facts["job_spans_nodes"] = bool(facts.get("trains")) and nodes >= 2
        facts.setdefault("replica_spans_nodes", False)


def _isolation(desk: Desk, facts: dict[str, Scalar], assumed: list[str], options: tuple[str, ...]) -> None:
    facts.setdefault("gpus", 1)
    facts.setdefault("mig_capable", True)
    if facts.get("trains"):
        facts["job_spans_nodes"] = True
    if desk.says(r"tenant|mandant|customers|kunden|secure|\bsafe|sicher") and "tenants" not in facts:
        facts |= {"tenants": 2, "tenants_trust_each_other": False}
        assumed.append(
            desk.either("two tenants that do not trust each other", "zwei Mandanten, die einander nicht trauen")
        )
    if desk.says(_SMALL):
        facts |= {"serves": True, "gpu_share_needed": 0.4}
        assumed.append(
            desk.either("a model takes less than half of a GPU", "ein Modell braucht weniger als eine halbe GPU")
        )


def _air_gap(desk: Desk, facts: dict[str, Scalar], assumed: list[str], options: tuple[str, ...]) -> None:
    if "air_gapped" in options and not desk.says(_WHETHER):
        facts["air_gap"] = True


def _scheduler(desk: Desk, facts: dict[str, Scalar], assumed: list[str], options: tuple[str, ...]) -> None:
    if len(options) == 2 and desk.says(_TOGETHER):
        facts["scheduler_stated"] = "both"


def _hosting(desk: Desk, facts: dict[str, Scalar], assumed: list[str], options: tuple[str, ...]) -> None:
    if desk.says(_STATE) and "foreign_operator_excluded" not in facts:
        facts["foreign_operator_excluded"] = True
        assumed.append(desk.either("no operator from outside the EU", "kein Betreiber von außerhalb der EU"))
    if desk.says(r"around the clock|rund um die uhr|24.?7|all the time|busy|voll ausgelastet"):
        facts.setdefault("utilisation", 0.9)


_OWN_FACTS: Mapping[str, Callable[[Desk, dict[str, Scalar], list[str], tuple[str, ...]], None]] = {
    "isolation": _isolation,
    "air_gap": _air_gap,
    "scheduler": _scheduler,
    "build_rent_sovereign": _hosting,
}
