"""Which accelerator: the one that the customer names, or the best of a short list, all by the same arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil

from pydantic import Field

from assistant.interview.brief import Answer, Brief, Status
from assistant.planning.count.needs.serving import serving_need
from assistant.planning.count.needs.training import Level, Need, codes_need, training_needs
from assistant.planning.count.packing import after_failure, units_for
from assistant.planning.demands.demand import Demands
from assistant.result import AfterFailure
from assistant.sizing.equipment.nodes import ServerChoice, ServerLimits, choose_server
from assistant.sizing.trace import Trace
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from knowledge.evidence import Frozen
from knowledge.schema import Accelerator

SHORT_LIST = (
    "l40s", "rtx-pro-6000-server", "h100-nvl-94gb", "h200-nvl-141gb", "h100-sxm-80gb", "h200-sxm-141gb", "b200-sxm",
    "b300-sxm", "gb200", "gb300", "mi300x", "mi355x",
)  # fmt: skip
"""Data-centre parts on sale that a first sizing compares when the customer names none."""

EXTRAPOLATION_PENALTY = 1.25
"""A part whose speed is not calibrated on measurements must be this much better to be chosen; our judgement."""

OFF_DOMAIN_PENALTY = 2.0
"""So much better must a part be whose replica or job leaves the scale-up links for PCIe: no reference design does."""

UNSHOWN_SCALE_PENALTY = 2.0
"""For AMD training over several servers: no MLPerf Training 5.1 result was larger than two nodes."""

COMPARED = 4
"""Parts whose figures stand beside the choice."""

MOST_SPARES = 4


class Knobs(Frozen):
    """What sets a plan apart: which end of the load's range, headroom, growth, and whether one failure is covered."""

    level: Level
    factor: float
    spare: bool
    causes: tuple[str, ...]


class Count(Frozen):
    """GPUs and servers of one accelerator for the demands, and what demands them.

    ``rooms``: GPUs that a server holds -> servers of that kind.
    """

    accelerator: str
    needs: tuple[Need, ...]
    choice: ServerChoice
    units: int
    spare_units: int
    binding: str
    fits: bool
    why_not: str | None
    after: AfterFailure
    causes: tuple[str, ...]
    rooms: Mapping[int, int] = Field(default_factory=dict)
    named_gpus: int | None = None
    shortfall: str | None = None

    @property
    def gpus(self) -> int:
        """GPUs bought."""
        return self.units * self.choice.gpus_per_unit

    @property
    def power_kw(self) -> float | None:
        """Rated power of the servers, with a stand-in where none is published."""
        each = self.choice.max_power_kw or self.choice.stand_in_power_kw
        return None if each is None else each * self.units


class Candidate(Frozen):
    """An accelerator of the short list with its count, or why it is out."""

    accelerator: str
    count: Count | None
    why_not: str | None
    score_kw: float | None
    handicap: float = 1.0


def limits_of(brief: Brief) -> ServerLimits:
    """What the site allows a server, as far as the customer said so."""
    rack, liquid = brief.get("rack_kw"), brief.get("liquid_cooling")
    feed = brief.value("rack_feed_kw")  # one feed must carry the rack, unless the rack's own limit is said
    bound = rack.value if rack.status is Status.STATED and rack.value else feed
    return ServerLimits(
        rack_limit_kw=float(bound) if bound else None,
        liquid=bool(liquid.value) if liquid.status is Status.STATED and liquid.value is False else None,
        server=str(brief.value("server")) if brief.value("server") else None,
    )


def spare_wanted(brief: Brief) -> bool:
    """Whether one failure must be covered, as stated or assumed."""
    return str(brief.value("redundancy") or "n") in ("n+1", "2n")


def knobs_of(brief: Brief) -> dict[str, Knobs]:
    """The three plans' settings for a brief, each with its causes in words."""
    growth = 1.0 + max(0.0, _number(brief.get("growth_share")))
    spare = spare_wanted(brief)
    doubled = str(brief.value("redundancy")) == "2n"
    headroom = 1.0 + max(0.0, _number(brief.get("headroom_share")))
    more = f"{headroom - 1:.0%} of headroom" if headroom > 1 else "no headroom"
    return {
        "lean": Knobs(
            level="low", factor=1.0, spare=False, causes=("low end of the load, no headroom, no spare, no growth",)
        ),
        "recommended": Knobs(
            level="likely",
            factor=headroom * (2.0 if doubled else 1.0),
            spare=spare,
            causes=(
                f"likely load with {more}",
                "one failure covered" if spare else "no spare: nobody waits, or none was asked for",
            ),
        ),
        "roomy": Knobs(
            level="high",
            factor=headroom * growth * (2.0 if doubled else 1.0),
            spare=True,
            causes=(f"high end of the load, {more}, growth of {growth - 1:.0%}", "one failure covered"),
        ),
    }


def _number(answer: Answer) -> float:
    return float(answer.value) if answer.value is not None else 0.0


def count_for(
    accelerator: str,
    demands: Demands,
    knobs: Knobs,
    limits: ServerLimits,
    catalogue: Catalogue,
    trace: Trace | None = None,
    nodes: int | None = None,
) -> Count:
    """Servers of one accelerator for all demands; ``nodes`` where the customer fixed their number.

    Raises BadInput where the accelerator cannot serve the demands at all.
    """
    card = catalogue.accelerator(accelerator)
    per_unit = choose_server(accelerator, catalogue, 8, limits).gpus_per_unit
    choice: ServerChoice | None = None
    needs: tuple[Need, ...] = ()
    for _ in range(2):
        needs = _needs(demands, knobs, accelerator, per_unit, catalogue, trace)
        gpus = sum(need.gpus for need in needs)
        choice = choose_server(card.id, catalogue, max(gpus, max(n.gpus_per_replica for n in needs)), limits)
        if choice.gpus_per_unit == per_unit:
            break
        per_unit = choice.gpus_per_unit
    assert choice is not None
    return _count(accelerator, needs, choice, knobs, nodes)


def _needs(
    demands: Demands, knobs: Knobs, accelerator: str, per_unit: int, catalogue: Catalogue, trace: Trace | None
) -> tuple[Need, ...]:
    card = catalogue.accelerator(accelerator)
    serving = [
        serving_need(demand, knobs.level, knobs.factor, card, per_unit, catalogue, trace) for demand in demands.serving
    ]
    training = training_needs(demands.training, knobs.level, card, per_unit, catalogue, None, trace)
    codes = [codes_need(per_unit)] if demands.codes else []
    return (*serving, *training, *codes)


def _count(accelerator: str, needs: tuple[Need, ...], choice: ServerChoice, knobs: Knobs, nodes: int | None) -> Count:
    per_unit = choice.gpus_per_unit
    needed = units_for(needs, per_unit)
    units = needed + spares(needs, needed, choice) if knobs.spare else needed
    crowded = nodes is not None and needed > nodes
    if nodes is not None:
        units = nodes
    return Count(
        accelerator=accelerator,
        needs=needs,
        choice=choice,
        units=units,
        spare_units=max(0, units - needed),
        binding="stated" if nodes is not None else _binding(needs, needed, units, per_unit),
        fits=choice.fits and not crowded and all(need.fits for need in needs),
        why_not=next((n.why_not for n in needs if not n.fits), None)
        or choice.why_not
        or (f"the load takes {needed} servers of {choice.name}, {nodes} were named" if crowded else None),
        after=after_failure(needs, {per_unit: units}, choice.failure_gpus),
        causes=_causes(needs, needed, units, choice, knobs, nodes),
        rooms={per_unit: units},
    )


def spares(needs: tuple[Need, ...], units: int, choice: ServerChoice) -> int:
    """Servers to add until one failure leaves the whole load."""
    for extra in range(MOST_SPARES + 1):
        left = after_failure(needs, {choice.gpus_per_unit: units + extra}, choice.failure_gpus)
        if left.share_of_required_load >= 1:
            return extra
    return 1


def _binding(needs: Sequence[Need], needed: int, units: int, per_unit: int) -> str:
    """What demands the count: the smallest unit where less would do, the spare where it is half, else the load."""
    if units > needed and needed <= units - needed:
        return "spare"
    if needed == 1 and sum(need.gpus for need in needs) < per_unit:
        return "minimum unit"
    return max(needs, key=lambda need: need.gpus).binding


def _causes(
    needs: Sequence[Need], needed: int, units: int, choice: ServerChoice, knobs: Knobs, nodes: int | None
) -> tuple[str, ...]:
    lines = [line for need in needs for line in need.causes]
    lines.append(choice.reason if units == choice.count else f"{needed} x {choice.name} hold the load; {choice.reason}")
    if nodes is not None:
        lines.append(f"{nodes} servers named by the customer")
    elif units > needed:
        lines.append(f"{units - needed} more so that one failure leaves the whole load (spare)")
    return (*lines, *knobs.causes)


Prepare = Callable[[Accelerator], Demands]
"""The demands as one accelerator would serve them: the weight format follows from what it computes in."""


def candidates(prepare: Prepare, brief: Brief, catalogue: Catalogue, codes: bool = False) -> list[Candidate]:
    """The short list, best first: least rated power of servers, handicapped for what nobody has shown, misfits last.

    Parts are tried by the power of a single server; one that draws more alone than the fourth best does in all is out.
    """
    knobs, limits = knobs_of(brief)["recommended"], limits_of(brief)
    allowed = allowed_parts(brief, catalogue)
    least = {name: _least_kw(choose_server(name, catalogue, 1, limits)) for name in allowed}
    found: list[Candidate] = []
    nodes = fixed_nodes(brief)
    for name in sorted(allowed, key=lambda name: least[name]):
        if codes and (catalogue.accelerator(name).scale_up_domain_gpus.value or 1) < 8:
            continue  # parts made for inference alone have next to no double precision
        scores = sorted(c.score_kw for c in found if c.score_kw is not None)
        if len(scores) >= COMPARED and least[name] > scores[COMPARED - 1]:
            text = f"one server alone draws {least[name]:.4g} kW, more than the parts compared need in all"
            found.append(Candidate(accelerator=name, count=None, why_not=text, score_kw=None))
            continue
        found.append(_candidate(name, prepare(catalogue.accelerator(name)), knobs, limits, catalogue, nodes))
    return sorted(
        found, key=lambda c: (c.score_kw is None, c.count is None, c.score_kw or least[c.accelerator], c.accelerator)
    )


def trays(brief: Brief, choice: ServerChoice) -> int:
    """GPUs of the nodes that the customer named: of servers, or of trays where a rack is sold as one."""
    return int(brief.value("nodes")) * choice.failure_gpus


def fixed_nodes(brief: Brief) -> int | None:
    """The number of servers that the customer fixed, if any; that of hardware we cannot size says nothing."""
    fixed = brief.stated("nodes") and not brief.value("refused_hardware")
    return int(brief.value("nodes")) if fixed else None


def allowed_parts(brief: Brief, catalogue: Catalogue) -> tuple[str, ...]:
    """The short list without the vendors that the customer rules out; all of it where nothing would be left."""
    wanted, excluded = brief.value("vendor"), brief.value("vendor_excluded") or ()
    vendors = {name: catalogue.accelerator(name).vendor.lower() for name in SHORT_LIST}
    kept = tuple(n for n, v in vendors.items() if v not in excluded and (wanted in (None, "other") or v == wanted))
    return kept or SHORT_LIST


def _least_kw(choice: ServerChoice) -> float:
    """Power of one server, zero where nothing is known, so that it is tried."""
    return choice.max_power_kw or choice.stand_in_power_kw or 0.0


def _candidate(
    name: str, demands: Demands, knobs: Knobs, limits: ServerLimits, catalogue: Catalogue, nodes: int | None
) -> Candidate:
    try:
        count = count_for(name, demands, knobs, limits, catalogue, None, nodes)
    except BadInput as error:
        return Candidate(accelerator=name, count=None, why_not=str(error), score_kw=None)
    if not count.fits or count.power_kw is None:
        return Candidate(accelerator=name, count=count, why_not=count.why_not or "its power is unknown", score_kw=None)
    handicap = _handicap(count, catalogue.accelerator(name))
    return Candidate(accelerator=name, count=count, why_not=None, score_kw=count.power_kw * handicap, handicap=handicap)


def _handicap(count: Count, card: Accelerator) -> float:
    """How many times better than its power a part must be, for what nobody has shown of it."""
    factor = EXTRAPOLATION_PENALTY if any(need.basis != "calibrated" for need in count.needs) else 1.0
    domain = card.scale_up_domain_gpus.value or 1
    if any(need.gpus_per_replica > domain for need in count.needs if not need.training) and domain < 8:
        factor *= OFF_DOMAIN_PENALTY
    jobs = [need for need in count.needs if need.training and need.gpus > count.choice.gpus_per_domain]
    if jobs and (card.vendor.lower() == "amd" or domain < 8):
        factor *= UNSHOWN_SCALE_PENALTY
    return factor


class Named(Frozen):
    """Hardware that the customer names: the accelerator, and how many where a number was given."""

    accelerator: str
    gpus: int | None
    also: tuple[str, ...] = ()


def named_hardware(brief: Brief, catalogue: Catalogue) -> Named | None:
    """What the brief names, the largest group first; None where it names nothing."""
    groups = brief.value("gpus") or ()
    if isinstance(groups, dict):
        groups = (groups,)
    known = [g for g in groups if g.get("gpu")]
    if known:
        known.sort(key=lambda g: -(g.get("count") or 0))
        also = tuple(f"{g.get('count') or 'some'} x {g['gpu']}" for g in known[1:])
        count = known[0].get("count")
        card = catalogue.accelerator(str(known[0]["gpu"])).id
        if count is None and brief.stated("nodes"):
            count = trays(brief, choose_server(card, catalogue, 8))
        return Named(accelerator=card, gpus=int(count) if count else None, also=also)
    if brief.value("server"):
        server = catalogue.server(str(brief.value("server")))
        if server.accelerator is not None:
            fixed = trays(brief, choose_server(server.accelerator, catalogue, 8)) if brief.stated("nodes") else None
            return Named(accelerator=server.accelerator, gpus=fixed)
    if brief.value("accelerator"):
        card = catalogue.accelerator(str(brief.value("accelerator"))).id
        gpus = trays(brief, choose_server(card, catalogue, 8)) if brief.stated("nodes") else None
        return Named(accelerator=card, gpus=gpus)
    return None


def units_of(choice: ServerChoice, gpus: int) -> int:
    """Servers for a number of GPUs."""
    return ceil(gpus / choice.gpus_per_unit)
