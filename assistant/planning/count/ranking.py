"""Which accelerator where the customer names none: the best of a short list, all by the same arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from assistant.interview.brief import Status
from assistant.planning.count.count import Count
from assistant.planning.count.knobs import limits_of
from assistant.planning.count.priced import Cost, price_list
from assistant.planning.view import Answers
from assistant.sizing.equipment.nodes import ServerChoice, choose_server
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from knowledge.evidence import Frozen
from knowledge.message import Text, say
from knowledge.schema import Accelerator, Instance
from knowledge.shortlists import compared_by_default

EXTRAPOLATION_PENALTY = 1.25
"""A part whose speed is not calibrated on measurements must be this much better to be chosen; our judgement."""

OFF_DOMAIN_PENALTY = 2.0
"""So much better must a part be whose replica or job leaves the scale-up links for PCIe: no reference design does."""

UNSHOWN_SCALE_PENALTY = 2.0
"""For AMD training over several servers: no MLPerf Training 5.1 result was larger than two nodes."""

COMPARED = 4
"""Parts whose figures stand beside the choice."""


class Candidate(Frozen):
    """An accelerator of the short list with its count, or why it is out; ``cost`` where prices decide."""

    accelerator: str
    count: Count | None
    why_not: Text | None
    score_kw: float | None
    handicap: float = 1.0
    cost: Cost | None = None


CountOn = Callable[[str], Count]
"""The recommended count on one accelerator. Raises BadInput where it cannot serve the demands at all."""


def candidates(count_on: CountOn, brief: Answers, catalogue: Catalogue, codes: bool = False) -> tuple[Candidate, ...]:
    """The short list, best first, misfits last: least cost over the horizon where the user's prices name two parts that
    carry the load, else least rated power of servers, both handicapped for what nobody has shown.

    Parts are tried by the power of a single server; one that draws more alone than the fourth best does in all is out,
    unless it has a price.
    """
    limits, prices = limits_of(brief), price_list(brief, catalogue)
    allowed = allowed_parts(brief, catalogue, prices.named)
    least = {name: _least_kw(choose_server(name, catalogue, 1, limits)) for name in allowed}
    found: list[Candidate] = []
    for name in sorted(allowed, key=lambda name: least[name]):
        if codes and (catalogue.accelerator(name).scale_up_domain_gpus.value or 1) < 8:
            continue  # parts made for inference alone have next to no double precision
        scores = sorted(c.score_kw for c in found if c.score_kw is not None)
        if len(scores) >= COMPARED and least[name] > scores[COMPARED - 1] and name not in prices.named:
            text = say("planning.draws_more_alone", kw=least[name])
            found.append(Candidate(accelerator=name, count=None, why_not=text, score_kw=None))
            continue
        found.append(_candidate(name, count_on, catalogue))
    priced = _priced(found, prices.cost)

    def order(c: Candidate) -> tuple[bool, bool, bool, float, str]:
        dear = c.cost.amount * c.handicap if c.cost else None
        return (
            c.score_kw is None,
            c.count is None,
            dear is None,
            dear or c.score_kw or least[c.accelerator],
            c.accelerator,
        )

    return tuple(sorted(priced, key=order))


def _priced(found: list[Candidate], cost_of: Callable[[Count], Cost | None]) -> list[Candidate]:
    """The candidates with what they cost, where two that carry the load can be compared in one currency."""
    costs = {c.accelerator: cost_of(c.count) for c in found if c.count is not None and c.score_kw is not None}
    known = [cost for cost in costs.values() if cost is not None]
    if len(known) < 2 or len({cost.currency for cost in known}) > 1:
        return found
    return [c.model_copy(update={"cost": costs.get(c.accelerator)}) for c in found]


def allowed_parts(brief: Answers, catalogue: Catalogue, priced: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """The short list and what has a price, without vendors ruled out; all of it where nothing would be left."""
    wanted, excluded = brief.value("vendor"), brief.value("vendor_excluded") or ()
    cards = (*compared_by_default(catalogue), *map(catalogue.accelerator, sorted(priced)))
    vendors = {card.id: card.vendor.lower() for card in cards}
    kept = tuple(n for n, v in vendors.items() if v not in excluded and (wanted in (None, "other") or v == wanted))
    rented = _rented_out(brief, catalogue)
    return tuple(name for name in kept if name in rented) or kept or tuple(vendors)


def _rented_out(brief: Answers, catalogue: Catalogue) -> frozenset[str]:
    """Cards that providers rent out by the instance where that is wanted, of European ones for a sovereign cloud."""
    hosting = brief.get("hosting")
    if hosting.status is not Status.STATED or hosting.value not in ("cloud", "sovereign_cloud"):
        return frozenset(catalogue.entries("accelerators"))
    shapes: Iterable[Instance] = catalogue.entries("instances").values()
    return frozenset(one.accelerator for one in shapes if one.seat_in_eu or hosting.value == "cloud")


def _least_kw(choice: ServerChoice) -> float:
    """Power of one server, zero where nothing is known, so that it is tried."""
    return choice.max_power_kw or choice.stand_in_power_kw or 0.0


def _candidate(name: str, count_on: CountOn, catalogue: Catalogue) -> Candidate:
    try:
        count = count_on(name)
    except BadInput as error:
        return Candidate(accelerator=name, count=None, why_not=str(error), score_kw=None)
    if not count.fits or count.power_kw is None:
        return Candidate(
            accelerator=name, count=count, why_not=count.why_not or say("planning.power_unknown"), score_kw=None
        )
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
