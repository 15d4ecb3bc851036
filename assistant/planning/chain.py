"""The chain ``Brief -> Demands -> Count -> Site -> Settled``: each stage worked out when asked for, and kept.

A stage reads the brief through a view of the fields that it declares (``stages``), and its result is kept under what
the view shows and what the stages before it made. So a what-if works out again only what its answer changes, and
what is kept cannot be stale.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

from assistant.interview.assume import complete, complete_after
from assistant.interview.brief import Answer, Brief
from assistant.planning.building.build import Site, build_site
from assistant.planning.building.networks import Surroundings
from assistant.planning.choices import choices_of
from assistant.planning.count.count import Count, count_for
from assistant.planning.count.formats import prepared
from assistant.planning.count.knobs import Knobs, PlanName, fixed_nodes, knobs_of, limits_of
from assistant.planning.count.named import Named, named_hardware
from assistant.planning.count.named_hardware import count_of_named
from assistant.planning.count.ranking import Candidate, candidates
from assistant.planning.demands.demand import Demands, demands_of_all
from assistant.planning.memo import Made, Memo
from assistant.planning.settled.facts import facts_of, is_bare_cluster
from assistant.planning.settled.settled import Built, Settled, settled_of
from assistant.planning.site.place import surroundings_of
from assistant.planning.site.services import services_for
from assistant.planning.site.storage import StorageNeed, storage_of, storage_request
from assistant.planning.stages import COUNT, DEMANDS, FACTS, SETTLED, SITE
from assistant.planning.view import View
from assistant.sizing.equipment.nodes import ServerLimits, choose_server
from assistant.sizing.trace import Trace
from knowledge.catalogue import Catalogue
from rules.base import RuleBase


class Hardware(NamedTuple):
    """What the servers are: named by the customer, or the best of those compared, which stand in order."""

    accelerator: str
    named: Named | None
    ranked: tuple[Candidate, ...]


class Planner:
    """The chain for one catalogue and one rule base, with what its stages have made."""

    def __init__(self, catalogue: Catalogue, rules: RuleBase) -> None:
        self.catalogue, self.rules = catalogue, rules
        self.demands: Memo[Made[Demands]] = Memo()
        self.same_demands: Memo[Demands] = Memo()
        self.formats: Memo[Made[Demands]] = Memo()
        self.hardware: Memo[Hardware] = Memo()
        self.counts: Memo[Count] = Memo(4096)
        self.storage: Memo[StorageNeed] = Memo()
        self.sites: Memo[Site] = Memo()

    def course(self, brief: Brief, trace: Trace | None = None) -> Course:
        """A brief on its way through the stages. With a ``trace`` the recommended plan is worked out anew into it."""
        return Course(self, brief, trace)


@lru_cache(maxsize=2)
def planner_of(catalogue: Catalogue, rules: RuleBase) -> Planner:
    """The planner of a catalogue and a rule base, kept as long as the process uses them."""
    return Planner(catalogue, rules)


@dataclass(eq=False)
class Course:
    """One brief on its way. Each stage raises BadInput where the brief asks for what cannot be."""

    planner: Planner
    said: Brief
    trace: Trace | None = None
    before: Course | None = None
    moved: str | None = None
    held: str | None = None
    counted: dict[tuple[PlanName, str], Made[Count]] = field(default_factory=dict)

    def on(self, accelerator: str) -> Course:
        """The course of the same brief on an accelerator that is held, unless the brief names its hardware."""
        course = Course(self.planner, self.said, held=accelerator)
        course.completed, course.groups, course._demands = self.completed, self.groups, self._demands
        return course

    def what_if(self, answer: Answer) -> Course:
        """The course of this brief with one answer more."""
        return Course(self.planner, self.said.with_answers([answer]), before=self, moved=answer.field)

    @cached_property
    def completed(self) -> Brief:
        """What holds for all groups, with assumptions where nothing was said."""
        catalogue = self.planner.catalogue
        if self.before is None or self.moved is None:
            return complete(self.said, catalogue)
        return complete_after(self.before.completed, self.said, (self.moved,), catalogue)

    @cached_property
    def groups(self) -> tuple[tuple[str | None, Brief], ...]:
        """Each group's name and completed brief; the whole brief without a name where there are none."""
        catalogue = self.planner.catalogue
        told = ((group.name, complete(self.said.of_group(group), catalogue)) for group in self.said.groups)
        return tuple(told) or ((None, self.completed),)

    @cached_property
    def _demands(self) -> Made[Demands]:
        planner = self.planner
        views = [(name, DEMANDS.view(brief)) for name, brief in self.groups]
        key = tuple((name, view.key) for name, view in views)

        def make() -> Made[Demands]:
            return planner.same_demands.alike(Made(demands_of_all(views, planner.catalogue)))

        return planner.demands.get(key, make).value

    @cached_property
    def _counted_on(self) -> View:
        return COUNT.view(self.completed)

    @cached_property
    def _limits(self) -> ServerLimits:
        return limits_of(self._counted_on)

    @cached_property
    def _knobs(self) -> Mapping[PlanName, Knobs]:
        return knobs_of(self._counted_on)

    @cached_property
    def hardware(self) -> Hardware:
        """Which accelerator, and what it was compared with."""
        if self.held is not None:
            named = named_hardware(self._counted_on, self.planner.catalogue)
            return Hardware(named.accelerator if named else self.held, named, ())
        key = (self._demands.token, self._counted_on.key)
        return self.planner.hardware.get(key, self._hardware).value

    def _hardware(self) -> Hardware:
        brief, catalogue = self._counted_on, self.planner.catalogue
        named = named_hardware(brief, catalogue)
        if named:
            return Hardware(named.accelerator, named, ())
        codes = self._demands.value.codes
        ranked = candidates(lambda card: self._count_on(card, "recommended").value, brief, catalogue, codes)
        return Hardware(ranked[0].accelerator, None, ranked)

    @cached_property
    def demands(self) -> Demands:
        """The demands as the accelerator of this plan serves them."""
        return self._served_by(self.hardware.accelerator).value

    def _served_by(self, accelerator: str) -> Made[Demands]:
        """The demands in the weight formats that the rules choose for an accelerator."""
        planner, demands = self.planner, self._demands
        per_unit = choose_server(accelerator, planner.catalogue, 8, self._limits).gpus_per_unit
        card = planner.catalogue.accelerator(accelerator)

        def make() -> Made[Demands]:
            return planner.same_demands.alike(Made(prepared(demands.value, planner.rules, card, per_unit)))

        return planner.formats.get((demands.token, accelerator, per_unit), make).value

    def count(self, name: PlanName = "recommended", accelerator: str | None = None) -> Count:
        """The GPUs and servers of one plan, on its own accelerator or on one that is held."""
        where = name, accelerator or self.hardware.accelerator
        if where not in self.counted:
            self.counted[where] = self._count(*where)
        return self.counted[where].value

    def _count(self, name: PlanName, accelerator: str) -> Made[Count]:
        named = self.hardware.named
        if named is None:
            return self._count_on(accelerator, name, self._trace_of(name))
        planner, demands, trace = self.planner, self._served_by(accelerator), self._trace_of(name)

        def make() -> Count:
            return count_of_named(name, named, demands.value, self._counted_on, planner.catalogue, trace)

        key = (name, named, demands.token, self._counted_on.key)
        return self._memos(trace).counts.get(key, make)

    def _count_on(self, accelerator: str, name: PlanName, trace: Trace | None = None) -> Made[Count]:
        planner, demands = self.planner, self._served_by(accelerator)
        knobs, nodes = self._knobs[name], fixed_nodes(self._counted_on)

        def make() -> Count:
            return count_for(accelerator, demands.value, knobs, self._limits, planner.catalogue, trace, nodes)

        key = (demands.token, accelerator, knobs, self._limits, nodes)
        return self._memos(trace).counts.get(key, make)

    def _trace_of(self, name: PlanName) -> Trace | None:
        return self.trace if name == "recommended" else None

    def _memos(self, trace: Trace | None) -> Planner:
        """Where a stage's result is kept; what is traced is worked out for this course alone."""
        return self.planner if trace is None else self._traced

    @cached_property
    def _traced(self) -> Planner:
        return Planner(self.planner.catalogue, self.planner.rules)

    @cached_property
    def _bare(self) -> bool:
        return is_bare_cluster(self.demands, self.count())

    @cached_property
    def _facts_told(self) -> View:
        return FACTS.view(self.completed)

    @cached_property
    def _placed_by(self) -> View:
        return SITE.view(self.completed)

    def choices(self, name: PlanName = "recommended") -> Mapping[str, str]:
        """What the rules choose before the site is there: they decide of its networks and its storage."""
        facts = facts_of(self._facts_told, self.demands, self.count(name), None, self.planner.catalogue, self._bare)
        return choices_of(self.planner.rules, facts)

    def site(self, name: PlanName = "recommended") -> Site:
        """The machines of one plan put up on the customer's site."""
        return self._site(name).value

    def _site(self, name: PlanName) -> Made[Site]:
        planner, count, trace = self.planner, self.count(name), self._trace_of(name)
        brief, catalogue, chosen = self._placed_by, planner.catalogue, self.choices(name)
        asked, kind = storage_request(brief, self.demands, count), chosen["storage_kind"]
        memos = self._memos(trace)
        storage = memos.storage.get((asked, kind), lambda: storage_of(asked, kind, catalogue, trace))
        place = surroundings_of(brief, self.demands, count, chosen, storage.value, catalogue)
        key = (count.choice, count.units, storage.token, _key(place))
        return memos.sites.get(key, lambda: build_site(count.choice, count.units, place, catalogue, trace))

    def built(self, name: PlanName = "recommended") -> Built:
        """One plan as it stands: hardware, site and the services on it."""
        count = self.count(name)
        services = services_for(self._placed_by, self.demands, count, self.planner.catalogue)
        return Built(name=name, count=count, site=self.site(name), services=services)

    @cached_property
    def settled(self) -> Settled:
        """The design with every override applied; what is compared and ranked stops here."""
        planner, hardware, built = self.planner, self.hardware, self.built()
        facts = facts_of(self._facts_told, self.demands, built.count, built.site, planner.catalogue, self._bare)
        return settled_of(self._settled_by, self.demands, hardware.named, hardware.ranked, built, facts, planner.rules)

    @cached_property
    def _settled_by(self) -> View:
        return SETTLED.view(self.completed)


def _key(place: Surroundings) -> Hashable:
    """The place as a key; its storage is known by what it was made of."""
    return tuple(getattr(place, name) for name in Surroundings.model_fields if name != "storage")
