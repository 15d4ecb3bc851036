"""A question on the desk: its words, the facts in it, and the draft of its answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from assistant.asking.answer import Against, Answer, AskedClaim, Verdict
from assistant.asking.lexicon import found, lexicon
from assistant.asking.library import Library
from assistant.interview.brief import Brief
from assistant.result import SourceEntry
from rules.schema import Scalar

if TYPE_CHECKING:
    from assistant.interview.parser import ParseResult
    from assistant.result import Sizing

MOST_CLAIMS = 8
"""More than these no one reads; the weightiest stand first."""

TRAINING = r"\btrain|pre-?training|fine-?tun|trainier|checkpoint"
_GERMAN = (
    r"\b(kann|können|ich|wir|müssen|welche[rs]?|oder|wie|wieviel|brauchen|brauche|für|ist|sind|darf|dürfen|der|das)\b"
)
SERVING = r"inferen[cz]|\bserv(e|ing)\b|bereitstell|chat|\brag\b"
HARD_FACTS = ("models", "parameters_b", "server", "accelerator", "users_total", "users_concurrent", "requests_per_s")
"""Answers from which a sizing can be made."""


@dataclass
class Desk:
    """One question. ``text`` is as typed, ``lower`` for patterns."""

    text: str
    library: Library
    lower: str = field(init=False)

    def __post_init__(self) -> None:
        self.lower = self.text.casefold()

    @cached_property
    def parsed(self) -> ParseResult:
        """What the parser understands of the question."""
        return self.library.assistant.parse(self.text)

    @property
    def language(self) -> Literal["en", "de"]:
        """The language that the answer begins in."""
        return "de" if self.parsed.language == "de" or self.says(_GERMAN) else "en"

    @cached_property
    def brief(self) -> Brief:
        """The answers that the question states; a choice that it asks for is none of them."""
        from assistant.interview.parser import to_answers

        words = lexicon().decisions
        asked = {name for spec in words.values() if found(spec.patterns, self.lower) for name in spec.fields}
        return Brief().with_answers([a for a in to_answers(self.parsed) if a.field not in asked])

    def stated(self, name: str) -> Any:
        """The value that the question states for a field, or None."""
        return self.brief.value(name)

    def says(self, pattern: str) -> bool:
        """Whether the question matches."""
        return bool(found((pattern,), self.lower))

    @cached_property
    def sized(self) -> Sizing | None:
        """The sizing of what the question states, where that is enough for one."""
        from knowledge.errors import SizewrightError

        if not any(self.brief.stated(name) for name in HARD_FACTS):
            return None
        try:
            return self.library.assistant.size(self.brief)
        except SizewrightError:
            return None

    @cached_property
    def facts(self) -> dict[str, Scalar]:
        """The facts in the question: of its sizing where there is one, else what it says itself."""
        if self.sized is not None and not self.says("폐쇄망|离线|断网"):
            return {topic: value for topic, value in self.sized.facts.items() if topic in self.library.rules.topics}
        return light_facts(self)


_DIRECT: tuple[str, ...] = (
    *("tenants", "tenants_trust_each_other", "utilisation", "horizon_years", "ops_staff", "deadline_days"),
    *("data_class", "air_gap", "foreign_operator_excluded", "data_must_stay_in_country", "hosting", "country"),
    *("site_operator", "defence_site", "workload"),
)
"""Fields of the brief that are topics of the rules under the same name."""


def light_facts(desk: Desk) -> dict[str, Scalar]:
    """What the question says itself, as topics of the rules; nothing is assumed."""
    facts: dict[str, Scalar] = {name: value for name in _DIRECT if (value := desk.stated(name)) is not None}
    country = facts.get("country")
    if country is not None:
        facts["country_is_eu"] = desk.library.catalogue.country(str(country)).eu
    for name, topic in (("availability", "availability_target"), ("rack_kw", "rack_kw"), ("nodes", "nodes")):
        if (value := desk.stated(name)) is not None:
            facts[topic] = value
    facts |= _counts(desk)
    facts |= _card(desk)
    facts |= _tenants(desk)
    skills = desk.stated("staff_skills") or ()
    facts |= {f"staff_knows_{skill}": True for skill in skills if f"staff_knows_{skill}" in desk.library.rules.topics}
    known = re.search(rf"\b(?:know[sn]?|kenn(?:t|en)|experience with|erfahrung mit)\b.*?\b({_SKILLS})\b", desk.lower)
    if known is not None:
        facts[f"staff_knows_{known[1]}"] = True
    if desk.says(r"(foreign|non-eu|us) operators? (is|are|must be)? ?(excluded|not)|operator outside"):
        facts["foreign_operator_excluded"] = True
    facts |= _work(desk)
    if desk.says("폐쇄망|离线|断网|hors ligne|sin conexión"):
        facts["air_gap"] = True
    kind = next((kind for kind, words in _MONEY.items() if desk.says(words)), None)
    return facts | ({"budget_kind": kind} if kind else {})


_SKILLS = "slurm|kubernetes|infiniband|ethernet"
_MONEY = {
    "capex": r"capex|investment budget|investitions|grant money|fördermittel",
    "opex": r"opex|per month budget|betriebskosten",
}


_NUMBERS = {"one": 1, "a": 1, "single": 1, "two": 2, "three": 3, "four": 4, "eight": 8, "sixteen": 16}
_NUMBERS |= {"ein": 1, "einem": 1, "einen": 1, "zwei": 2, "drei": 3, "vier": 4, "acht": 8}
_NODES = re.compile(
    rf"\b(\d[\d.,]*|{'|'.join(_NUMBERS)})[ -]+(?:gpu[ -]|h100[ -]|dgx )?"
    r"(?:nodes?|servers?n?|knoten|machines?|boxes|maschinen)\b"
)
_GPUS = re.compile(r"\b(\d[\d.,]*)[ -](?:x )?(?:nvidia |amd )?(?:gpus?\b|accelerators|karten|cards)")
_STRANGERS = (
    r"(not|n't|never|nicht|kein\w*) .{0,20}(trust|vertrau)|misstrau|untrust|strangers|competitors|fremde"
    r"|different (customers|companies)|verschiedene (kunden|firmen)|external (customers|users)"
)
_FRIENDS = r"\bteams\b|departments|abteilungen|groups|gruppen|lehrst"


def _counts(desk: Desk) -> dict[str, Scalar]:
    """Servers and GPUs that the question counts; eight GPUs a server where it names only one of both."""
    nodes, gpus = _NODES.search(desk.lower), _GPUS.search(desk.lower)
    if nodes is not None:
        number = _NUMBERS.get(nodes[1]) or int(re.sub(r"[.,]", "", nodes[1]))
        return {"nodes": number, "gpus": 8 * number}
    if gpus is not None:
        number = int(re.sub(r"[.,]", "", gpus[1]))
        return {"nodes": -(-number // 8), "gpus": number}
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


def _work(desk: Desk) -> dict[str, Scalar]:
    trains, serves = desk.says(TRAINING), desk.says(SERVING)
    return {"trains": trains, "serves": serves} if trains or serves else {}


@dataclass
class Draft:
    """An answer in the making: ``first`` answers, ``more`` adds, ``claims`` carry both."""

    kind: str
    first: str
    verdict: Verdict | None = None
    more: list[str] = field(default_factory=list)
    claims: list[AskedClaim] = field(default_factory=list)
    disagreements: list[Against] = field(default_factory=list)
    facts: Mapping[str, Any] = field(default_factory=dict)
    assumed: list[str] = field(default_factory=list)
    flips: list[Mapping[str, Any]] = field(default_factory=list)
    declined: bool = False


def finished(desk: Desk, draft: Draft) -> Answer:
    """The draft as an answer: claims once each, disagreements found, sources listed."""
    claims = tuple({claim.id: claim for claim in draft.claims}.values())[:MOST_CLAIMS]
    against = tuple(draft.disagreements) or desk.library.against(claims)
    return Answer(
        question=desk.text,
        language=desk.language,
        kind=draft.kind,
        answer=" ".join((draft.first, *draft.more)),
        verdict=draft.verdict,
        declined=draft.declined,
        claims=claims,
        disagreements=against,
        facts=draft.facts,
        assumed=tuple(draft.assumed),
        flips_when=tuple(draft.flips),
        sources=tuple(_sources(desk, claims, against)),
    )


def _sources(desk: Desk, claims: Iterable[AskedClaim], against: Iterable[Against]) -> list[SourceEntry]:
    cited = {source for claim in claims for source in claim.sources}
    cited.update(source for item in against for source in item.sources)
    rows = (desk.library.catalogue.source(ident) for ident in sorted(cited))
    return [
        SourceEntry(
            id=s.id, title=s.title, address=s.address, date=s.date, grade=s.read_grade.value, seen_as=s.seen_as.value
        )
        for s in rows
    ]


def show(value: float) -> str:
    """A number for people: four significant digits, thousands apart."""
    text = f"{value:,.4g}" if abs(value) < 10_000 else f"{float(f'{value:.4g}'):,.0f}"
    return text.removesuffix(".0")
