"""What a plan costs, where the user gave prices: capital, every year, an hour, a million tokens, a training run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assistant.interview.given.prices import stated_prices
from assistant.output import plain
from assistant.planning.building.build import Site
from assistant.planning.count.count import Count
from assistant.planning.count.needs.need import Need
from assistant.planning.demands.demand import Demands
from assistant.planning.view import Answers
from assistant.sizing.bill.cost import CostRequest, estimate_cost
from assistant.sizing.bill.lines import BillLine
from assistant.sizing.trace import Trace
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from knowledge.schema import Accelerator, Price

PREFILL_SHARE_OF_PEAK = 0.5
"""Of the dense peak, what prefill reaches; assumed (0.3 to 0.7)."""

CACHED_SHARE = 0.1
"""GPU time of a cached input token, of one that is computed; assumed (0 to 0.25)."""

LEAST_DECODE_SHARE = 0.1
"""Decoding takes at least this part of all GPU time, however long the prompts."""

PEAKS = {"fp4": "fp4_tflops", "mxfp4": "fp4_tflops", "nvfp4": "fp4_tflops", "fp8": "fp8_tflops"}


def cost_of(
    brief: Answers,
    demands: Demands,
    count: Count,
    site: Site,
    bill: tuple[BillLine, ...],
    catalogue: Catalogue,
    trace: Trace | None = None,
) -> dict[str, Any] | None:
    """The cost block of a plan, or None without any price. What cannot be read or added up is its ``problem``."""
    try:
        return _cost(brief, demands, count, site, bill, catalogue, trace)
    except BadInput as error:
        return {"problem": str(error)}


def _cost(
    brief: Answers,
    demands: Demands,
    count: Count,
    site: Site,
    bill: tuple[BillLine, ...],
    catalogue: Catalogue,
    trace: Trace | None,
) -> dict[str, Any] | None:
    prices = prices_of(brief, count, catalogue)
    if not prices:
        return None
    needs = count.needs
    request = CostRequest(
        bill=bill,
        gpus=count.named_gpus or count.gpus,
        annual_mwh=site.facility.planned.annual_mwh,
        years=float(brief.value("horizon_years") or 3.0),
        utilisation=float(brief.value("utilisation") or 0.5),
        tokens_per_s=sum(float(need.figures.get("output_tokens_per_s") or 0.0) for need in needs) or None,
        gpu_s_per_million=_gpu_seconds(demands, count, catalogue),
        run_gpu_hours=sum(_run_gpu_hours(need) for need in needs) or None,
        staff_fte=float(brief.value("ops_staff")) if brief.value("ops_staff") is not None else None,
        prices=prices,
    )
    result = estimate_cost(request, catalogue, trace)
    return None if result is None else {k: v for k, v in plain(result).items() if v not in (None, [], {})}


def prices_of(brief: Answers, count: Count, catalogue: Catalogue) -> tuple[Price, ...]:
    """The overlay's prices, and those of the interview, which stand above an overlay's for the same thing."""
    text = brief.value("prices")
    server = count.choice.server or count.choice.name
    stated = stated_prices(str(text), server) if text else ()
    said = {(price.item, price.per) for price in stated}
    kept = (price for price in catalogue.entries("prices").values() if (price.item, price.per) not in said)
    return (*kept, *stated)


def _run_gpu_hours(need: Need) -> float:
    """GPU hours of one training run, failures and repetitions included; 0 for what serves."""
    days = need.figures.get("days_with_failures") or need.figures.get("days")
    return float(days) * 24 * need.gpus_per_replica if need.training and days else 0.0


def _gpu_seconds(demands: Demands, count: Count, catalogue: Catalogue) -> Mapping[str, float]:
    """GPU-seconds for a million tokens of each kind, of the service with most GPUs; nothing where one is not known.

    Spare GPUs and those that a server brings beyond the need are paid by the same tokens.
    """
    needs = count.needs
    served = [need for need in needs if not need.training and need.figures.get("output_tokens_per_s")]
    need = max(served, key=lambda need: need.gpus, default=None)
    demand = next((d for d in demands.serving if need is not None and need.serves(d.group, d.model.name)), None)
    if need is None or demand is None or demand.model.architecture is None:
        return {}
    card: Accelerator = catalogue.accelerator(str(need.figures["gpu"]))
    peak = getattr(card, PEAKS.get((need.weight_dtype or "").lower(), "bf16_tflops")).value
    if peak is None:
        return {}
    read = 2 * demand.model.architecture.active_params / (peak * 1e12 * PREFILL_SHARE_OF_PEAK)
    total = need.gpus / float(need.figures["output_tokens_per_s"])
    prompt = demand.input_tokens.mean * (1 - demand.prefix_cached_share) / max(1.0, demand.output_tokens.mean)
    written = max(total - read * prompt, LEAST_DECODE_SHARE * total)
    bought = (count.named_gpus or count.gpus) / max(1, sum(need.gpus for need in needs))
    kinds = {"input": read, "cached": CACHED_SHARE * read, "output": written}
    return {kind: 1e6 * bought * seconds for kind, seconds in kinds.items()}
