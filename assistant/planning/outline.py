"""What people watch of a plan, and how far two plans are apart: the measure by which open questions are ranked.

``outline_of`` reads it from a whole sizing. ``Outlook`` works it out for one brief after another without reasons, lean
and roomy plans or a document, and computes again only what an answer can have changed.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from math import log2
from typing import Any

from assistant.advice import choices_of
from assistant.interview.assume import complete
from assistant.interview.brief import Brief
from assistant.planning.case import Case, chooser_of, is_bare_cluster, surroundings_of
from assistant.planning.count.formats import family
from assistant.planning.count.named_hardware import count_of_named
from assistant.planning.count.options import (
    Count,
    candidates,
    count_for,
    fixed_nodes,
    knobs_of,
    limits_of,
    named_hardware,
)
from assistant.planning.demands.demand import Demands, demands_of
from assistant.planning.facts import facts_of
from assistant.planning.site.build import Site, build_site
from assistant.result import Sizing
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from knowledge.evidence import Frozen
from rules.preview import Preview, previews_of

DECISION_WEIGHT = 0.25
HOSTING_WEIGHT = 1.0
DUTY_WEIGHT = 0.1
FIT_WEIGHT = 1.0
"""What a decision, the one to build or rent, a duty in law and whether it fits count for, in doublings of the hardware;
our judgement. Hardware itself counts as the doublings of rated power, racks, or GPUs of one kind, whichever is most."""


class Outline(Frozen):
    """The recommended plan in the figures, decisions and duties that people watch."""

    accelerator: str
    gpus: int
    servers: int
    nominal_it_kw: float | None
    racks: int | None
    fits: bool
    decisions: Mapping[str, str]
    duties: Mapping[str, str]


def moved_by(one: Outline, other: Outline) -> float:
    """How far two plans are apart, in doublings of the hardware."""
    alike = one.accelerator == other.accelerator  # eight small GPUs in place of two large ones are not four times more
    hardware = max(
        _doublings(one.gpus, other.gpus) if alike else 0.0,
        _doublings(one.nominal_it_kw, other.nominal_it_kw),
        _doublings(one.racks, other.racks),
    )
    turned = differing(one.decisions, other.decisions)
    return (
        hardware
        + sum(HOSTING_WEIGHT if ident == "build_rent_sovereign" else DECISION_WEIGHT for ident in turned)
        + DUTY_WEIGHT * len(differing(one.duties, other.duties))
        + FIT_WEIGHT * (one.fits != other.fits)
    )


def _doublings(one: float | None, other: float | None) -> float:
    return abs(log2(one / other)) if one and other else 0.0


def differing(one: Mapping[str, str], other: Mapping[str, str]) -> list[str]:
    """The ids whose value is not the same in both."""
    return [ident for ident in dict.fromkeys([*one, *other]) if one.get(ident) != other.get(ident)]


def outline_of(sizing: Sizing) -> Outline:
    """The outline of a whole sizing. Which accelerator it is shows in GPUs and power, not as a decision of its own."""
    plan = sizing.plan()
    return Outline(
        accelerator=plan.accelerator,
        gpus=plan.gpus,
        servers=sum(server.count for server in plan.servers if server.role == "gpu"),
        nominal_it_kw=plan.facility.get("nominal_it_kw"),
        racks=plan.facility.get("racks"),
        fits=plan.fits,
        decisions={d.id: d.choice for d in sizing.decisions if d.id != "accelerator"},
        duties={duty.id: str(duty.applies) for duty in sizing.obligations},
    )


class Outlook:
    """Outlines of what-ifs around one case: on the accelerator that the case came to, or on the best for each."""

    def __init__(self, case: Case, count: Count) -> None:
        self.case = case
        self.accelerator = count.accelerator
        self._counts: dict[Hashable, Count] = {_count_key(case.brief, case.demands, case.catalogue): count}
        self._formats: dict[Hashable, Demands] = {}
        self._sites: dict[Hashable, Site] = {}
        self._outlines: dict[tuple[str, bool], Outline | None] = {}
        self._best: dict[Hashable, Count] = {}

    def outline(self, brief: Brief, anew: bool = False) -> Outline | None:
        """The outline of ``brief``, with the accelerator chosen ``anew`` or held; None where nothing can be sized."""
        stated = brief.only_stated()
        key = (stated.model_dump_json(), anew)
        if key not in self._outlines:
            self._outlines[key] = self._attempt(stated, anew)
        return self._outlines[key]

    def _attempt(self, stated: Brief, anew: bool) -> Outline | None:
        completed = complete(stated, self.case.catalogue)
        try:
            return self._outline(stated, completed, demands_of(completed, self.case.catalogue), anew)
        except (BadInput, ValueError):  # also where a calculator's own limits refuse what-ifs that nobody asked for
            return None

    def _outline(self, stated: Brief, completed: Brief, raw: Demands, anew: bool) -> Outline:
        named = named_hardware(completed, self.case.catalogue)
        best = self._best_of(completed, raw) if anew and not named else None
        accelerator = named.accelerator if named else best.accelerator if best else self.accelerator
        case = Case(
            brief=completed,
            stated=stated,
            demands=self._prepared(raw, accelerator),
            named=named,
            catalogue=self.case.catalogue,
            rules=self.case.rules,
        )
        count = best or self._count(case)
        bare = is_bare_cluster(stated, count)
        choices = choices_of(case.rules, facts_of(completed, case.demands, count, None, case.catalogue, bare))
        site = self._site(case, count, choices)
        facts = facts_of(completed, case.demands, count, site, case.catalogue, bare)
        return _made(count, site, previews_of(case.rules).preview(facts))

    def _best_of(self, brief: Brief, raw: Demands) -> Count | None:
        """The count on the accelerator that a whole sizing would choose."""
        key = _count_key(brief, raw, self.case.catalogue)
        if key not in self._best:
            prepare = chooser_of(raw, self.case.rules, brief, self.case.catalogue)
            best = candidates(prepare, brief, self.case.catalogue, raw.codes)[0]
            if best.count is None:
                return None
            self._best[key] = best.count
        return self._best[key]

    def _prepared(self, raw: Demands, accelerator: str) -> Demands:
        key = (accelerator, raw.model_dump_json())
        if key not in self._formats:
            self._formats[key] = self.case.prepared(raw, accelerator)
        return self._formats[key]

    def _count(self, case: Case) -> Count:
        key = _count_key(case.brief, case.demands, case.catalogue)
        if key not in self._counts:
            self._counts[key] = self._counted(case)
        return self._counts[key]

    def _site(self, case: Case, count: Count, choices: dict[str, str]) -> Site:
        place = surroundings_of(case, count, choices, None)
        key = (id(count), place.model_dump_json())  # counts are kept here, so that an id stays one count's
        if key not in self._sites:
            self._sites[key] = build_site(count.choice, count.units, place, case.catalogue, None)
        return self._sites[key]

    def _counted(self, case: Case) -> Count:
        brief, catalogue = case.brief, case.catalogue
        if case.named:
            return count_of_named("recommended", case.named, case.demands, brief, catalogue)
        knobs, limits = knobs_of(brief)["recommended"], limits_of(brief)
        return count_for(self.accelerator, case.demands, knobs, limits, catalogue, None, fixed_nodes(brief))


HARDWARE_FIELDS: tuple[str, ...] = (
    "gpus",
    "accelerator",
    "server",
    "nodes",
    "vendor",
    "refused_hardware",
    "rack_kw",
    "liquid_cooling",
)
HARDWARE_FIELDS += ("site_power_kw", "site_power_is", "pue", "redundancy", "growth_share", "rack_feed_kw")


def _count_key(brief: Brief, demands: Demands, catalogue: Catalogue) -> Hashable:
    """All that a count depends on besides the accelerator."""
    told: list[Any] = [(brief.value(field), brief.stated(field)) for field in HARDWARE_FIELDS]
    loaded = [brief.stated(field) for field in ("users_total", "users_concurrent", "requests_per_s", "training_tokens")]
    return repr(told), tuple(loaded), demands.model_dump_json()


def _made(count: Count, site: Site, concluded: Preview) -> Outline:
    """The outline, with the decisions that the plan itself settles as the sizing settles them."""
    facility, fabric = site.facility.planned, site.fabric
    fits = count.fits and site.facility.fits and (fabric is None or fabric.fits)
    used = next((need.weight_dtype for need in count.needs if need.weight_dtype), None)
    decisions = {name: choice or "none" for name, choice in concluded.choices.items() if name != "accelerator"}
    decisions["precision"] = family(used) or decisions["precision"]
    if fits:
        decisions["cooling"] = str(site.facility.cooling)
    return Outline(
        accelerator=count.accelerator,
        gpus=count.named_gpus or count.gpus,
        servers=count.units,
        nominal_it_kw=facility.nominal_it_kw,
        racks=facility.racks,
        fits=fits,
        decisions=decisions,
        duties={name: str(applies) for name, applies in concluded.duties.items()},
    )
