"""Cost, only from prices that the user gave. A missing price leaves the total unknown and is named."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from assistant.sizing.bill.lines import BillLine
from assistant.sizing.equipment.units import NotNegative, Positive
from assistant.sizing.possible import Possible
from assistant.sizing.trace import Trace
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from knowledge.evidence import Frozen
from knowledge.schema import Price

HOURS_PER_YEAR = 8760
"""Of 365 days."""
SECONDS_PER_YEAR = 31_536_000
"""Of 365 days."""

Share = Annotated[float, Field(gt=0, le=1)]


class CostRequest(Frozen):
    """What to cost. Prices left out are those of the catalogue's overlay (kind ``prices``).

    ``tokens_per_s`` is the rate at full load, ``utilisation`` the share of the year at it; ``run_gpu_hours`` a training
    run's GPU hours including failed work; idle time between jobs is in the utilisation. ``gpu_s_per_million`` are
    GPU-seconds at full load for a million tokens of a kind (input, cached, output). A yearly price of ``staff`` is for
    one of ``staff_fte`` people. ``as_of`` (ISO date) marks prices past their validity.
    """

    bill: tuple[BillLine, ...]
    gpu_s_per_million: Mapping[str, float] = Field(default_factory=dict)
    staff_fte: NotNegative | None = None
    gpus: Annotated[int, Field(ge=1)]
    annual_mwh: NotNegative | None = None
    years: Positive = 3.0
    utilisation: Share = 0.5
    tokens_per_s: Positive | None = None
    run_gpu_hours: Positive | None = None
    prices: tuple[Price, ...] = ()
    as_of: str | None = None


class BreakEven(Frozen):
    """At this share of the year in use, buying costs what renting by the GPU hour does; above 1 renting is cheaper."""

    utilisation: float
    rent_per_gpu_hour: float
    curve: tuple[tuple[float, float, float], ...]


class CostResult(Possible):
    """Money in ``currency``; None where a price is missing, which ``unpriced`` names. ``capex_priced`` is a part;
    ``yearly`` is a year's cost with the capital cost spread over the years.

    ``break_even.curve`` holds (utilisation, own cost per GPU hour used, rent per GPU hour).
    """

    currency: str
    capex: float | None
    capex_priced: float
    capex_lines: dict[str, float]
    opex_per_year: float | None
    opex_lines: dict[str, float]
    total_1_year: float | None
    total_3_years: float | None
    yearly: float | None
    per_gpu_hour: float | None
    per_million_tokens: float | None
    per_million_input_tokens: float | None
    per_million_cached_tokens: float | None
    per_million_output_tokens: float | None
    per_training_run: float | None
    break_even: BreakEven | None
    unpriced: tuple[str, ...]
    expired: tuple[str, ...]
    price_sources: tuple[str, ...]
    notes: tuple[str, ...]


def estimate_cost(request: CostRequest, catalogue: Catalogue, trace: Trace | None = None) -> CostResult | None:
    """Cost of a plan, or None where the user gave no price at all. Raises BadInput for mixed currencies."""
    prices = request.prices or tuple(catalogue.entries("prices").values())
    if not prices:
        return None
    currency = _currency(prices)
    by_item = {price.item: price for price in prices if price.per == "unit"}
    ordered = [line for line in request.bill if not line.included]
    capex_lines = _capex(ordered, by_item, prices)
    priced = sum(capex_lines.values())
    unpriced = tuple(dict.fromkeys(line.item for line in ordered if line.item not in by_item))
    capex = None if unpriced else priced
    opex_lines = _opex(request, prices, priced)
    opex = sum(opex_lines.values()) if "energy" in opex_lines else None
    yearly = None if capex is None or opex is None else capex / request.years + opex
    used_hours = request.gpus * HOURS_PER_YEAR * request.utilisation
    gpu_hour = None if yearly is None else yearly / used_hours
    result = CostResult(
        currency=currency,
        capex=capex,
        capex_priced=priced,
        capex_lines=capex_lines,
        opex_per_year=opex,
        opex_lines=opex_lines,
        total_1_year=_total(capex, opex, 1),
        total_3_years=_total(capex, opex, 3),
        yearly=yearly,
        per_gpu_hour=gpu_hour,
        per_million_tokens=_per_million_tokens(request, yearly),
        **{f"per_million_{kind}_tokens": _per_kind(request, gpu_hour, kind) for kind in ("input", "cached", "output")},
        per_training_run=None if gpu_hour is None or not request.run_gpu_hours else gpu_hour * request.run_gpu_hours,
        break_even=_break_even(request, prices, yearly),
        unpriced=(*unpriced, *(() if "energy" in opex_lines else ("energy",))),
        expired=_expired(prices, request.as_of),
        price_sources=tuple(dict.fromkeys(_source(price) for price in prices)),
        notes=_notes(request),
    )
    if trace is not None:
        with trace.call("cost"):
            _explain(trace, request, result, yearly)
    return result


def _notes(request: CostRequest) -> tuple[str, ...]:
    """What is in the figures beside the prices."""
    notes = [f"bought over {request.years:g} years, in use {request.utilisation:.0%} of the time"]
    if request.run_gpu_hours:
        notes.append(
            "a training run pays for failures, repeated work and, by the utilisation, for idle time between jobs"
        )
    if request.gpu_s_per_million:
        notes.append("input and output are parted by GPU time; a cached input token is taken as a tenth (assumed)")
    return tuple(notes)


def _currency(prices: tuple[Price, ...]) -> str:
    found = sorted({price.currency for price in prices})
    if len(found) > 1:
        raise BadInput("prices", ", ".join(found), "one currency in all prices", (found[0],))
    return found[0]


def _capex(ordered: list[BillLine], by_item: Mapping[str, Price], prices: tuple[Price, ...]) -> dict[str, float]:
    """Cost by item, and what is charged once as a share of it (freight, installation, spares)."""
    lines: dict[str, float] = {}
    for line in ordered:
        if line.item in by_item:
            lines[line.item] = lines.get(line.item, 0.0) + line.count * by_item[line.item].amount
    hardware = sum(lines.values())
    return lines | {price.item: price.amount * hardware for price in prices if price.per == "share"}


def _source(price: Price) -> str:
    """Whose price it is, of which day, and how long it holds."""
    until = f", valid until {price.valid_until}" if price.valid_until else ""
    return f"{price.price_source} ({price.date or 'not dated'}{until})"


def _opex(request: CostRequest, prices: tuple[Price, ...], capex: float) -> dict[str, float]:
    """Yearly cost by item: energy where its price and amount are known, every price per year times its count, and
    what is charged each year as a share of the capital cost (maintenance, insurance)."""
    counts: dict[str, float] = {}
    for line in request.bill:
        counts[line.item] = counts.get(line.item, 0) + line.count
    if request.staff_fte is not None:
        counts["staff"] = request.staff_fte
    lines = {price.item: price.amount * capex for price in prices if price.per == "share_per_year"}
    lines |= {price.item: price.amount * counts.get(price.item, 1) for price in prices if price.per == "year"}
    energy = next((price.amount for price in prices if price.per == "kwh"), None)
    if energy is not None and request.annual_mwh is not None:
        lines["energy"] = energy * request.annual_mwh * 1000
    return lines


def _total(capex: float | None, opex: float | None, years: int) -> float | None:
    return None if capex is None or opex is None else capex + years * opex


def _per_million_tokens(request: CostRequest, yearly: float | None) -> float | None:
    if yearly is None or request.tokens_per_s is None:
        return None
    return yearly / (request.tokens_per_s * SECONDS_PER_YEAR * request.utilisation) * 1e6


def _per_kind(request: CostRequest, gpu_hour: float | None, kind: str) -> float | None:
    """Cost of a million tokens of one kind, from the GPU time that they take at full load."""
    seconds = request.gpu_s_per_million.get(kind)
    return None if gpu_hour is None or seconds is None else gpu_hour / 3600 * seconds


def _break_even(request: CostRequest, prices: tuple[Price, ...], yearly: float | None) -> BreakEven | None:
    rent = next((price.amount for price in prices if price.per == "gpu_hour"), None)
    if yearly is None or not rent:
        return None
    hours = request.gpus * HOURS_PER_YEAR
    shares = [step / 10 for step in range(1, 11)]
    curve = tuple((share, yearly / (hours * share), rent) for share in shares)
    return BreakEven(utilisation=yearly / (hours * rent), rent_per_gpu_hour=rent, curve=curve)


def _expired(prices: tuple[Price, ...], as_of: str | None) -> tuple[str, ...]:
    """Items whose price was valid until a day before ``as_of``; ISO dates compare as text."""
    return tuple(p.item for p in prices if as_of and p.valid_until and p.valid_until < as_of)


def _explain(trace: Trace, request: CostRequest, result: CostResult, yearly: float | None) -> None:
    sources = result.price_sources
    trace.note("capex", result.capex, "cost_capex", sources, lines=len(request.bill))
    trace.note("opex_per_year", result.opex_per_year, "cost_opex", sources, annual_mwh=request.annual_mwh)
    shares = {"utilisation": request.utilisation, "years": request.years}
    trace.note("per_gpu_hour", result.per_gpu_hour, "cost_per_gpu_hour", (), (), yearly=yearly, **shares)
    trace.note("per_million_tokens", result.per_million_tokens, "cost_per_million_tokens", (), (), **shares)
    if result.per_training_run is not None:
        hours = {"gpu_hours": request.run_gpu_hours, "per_gpu_hour": result.per_gpu_hour}
        trace.note("per_training_run", result.per_training_run, "cost_per_run", (), (), **hours)
    for kind, seconds in request.gpu_s_per_million.items():
        name = f"per_million_{kind}_tokens"
        trace.note(name, getattr(result, name), "cost_by_kind", (), ("prefill share of peak",), gpu_s=seconds)
    trace.note("break_even", result.break_even, "rent_break_even", sources, gpus=request.gpus)
