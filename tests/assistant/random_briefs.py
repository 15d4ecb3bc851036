"""Briefs by seed, each with a harder one beside it, and what must hold of every sizing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cache
from random import Random
from typing import Any

from assistant.interview.brief import Brief
from assistant.requests.answers import answers_of
from assistant.result import Plan, Sizing
from assistant.service import Assistant

SERVED = ("chat", "rag", "coding", "agents", "summarising", "vision")
TRAINED = ("pretraining", "finetuning")
LADDER = ("llama-3.1-8b-instruct", "llama-3.3-70b-instruct", "llama-3.1-405b-instruct")
"""From small to large in every respect: weights, layers, and bytes of cache a token."""
OTHERS = (
    "llama-4-maverick-17b-128e-instruct",
    "qwen3-32b",
    "gemma-3-27b-it",
    "deepseek-v3",
    "gpt-oss-120b",
    "internvl3-38b",
)
"""With experts, windows, latent attention or a vision tower."""
CARDS = ("h100", "h200", "b200", "mi300x", "l40s", "a100 80gb", "l4", "rtx pro 6000")
PLACES = ("on_prem", "colocation", "cloud", "sovereign_cloud", "hybrid")


@cache
def assistant() -> Assistant:
    return Assistant()


def size(fields: Mapping[str, Any]) -> Sizing:
    """The sizing of fields as a file would state them."""
    brief = Brief().with_answers(answers_of(dict(fields), assistant().catalogue))
    return assistant().size(brief, questions=False)


def some_brief(random: Random) -> dict[str, Any]:
    """Fields of a plausible brief: work, load, model, and now and then a place, limits and wishes."""
    trains = random.random() < 0.2
    brief: dict[str, Any] = {
        "workload": random.choice(TRAINED if trains else SERVED),
        "models": [random.choice(LADDER)],
    }
    if trains:
        brief |= {"training_tokens": 10 ** random.uniform(7, 12), "deadline_days": random.choice([7, 30, 90])}
        if brief["workload"] == "finetuning":
            brief["training_method"] = random.choice(["full", "lora", "qlora"])
    else:
        brief |= _load(random)
    if random.random() < 0.8:
        brief["accelerator"] = random.choice(CARDS)
    wishes: dict[str, Any] = {
        "hosting": random.choice(PLACES), "country": random.choice(["DE", "FR", "NO", "US", "IE", "SG"]),
        "redundancy": random.choice(["n", "n+1", "2n"]), "weight_dtype": random.choice(["bf16", "fp8"]),
        "rack_kw": random.choice([10, 17, 40, 80]), "isolation": random.choice(["gpu", "node"]),
        "air_gap": random.choice([True, False]), "growth_share": random.choice([0, 0.5]),
    }  # fmt: skip
    return brief | {name: value for name, value in wishes.items() if random.random() < 0.3}


def _load(random: Random) -> dict[str, Any]:
    people = {"users_total": round(10 ** random.uniform(1, 5))}
    load = random.choice([people, {"users_concurrent": round(10 ** random.uniform(0, 3.5))}])
    prompt = round(10 ** random.uniform(2, 4.5))
    lengths = {"input_tokens": {"mean": prompt, "p95": 2 * prompt, "max": 4 * prompt}} if random.random() < 0.5 else {}
    targets = {"tpot_ms": random.choice([30, 60, 100]), "ttft_ms": random.choice([1000, 3000, 10000])}
    return load | lengths | {name: value for name, value in targets.items() if random.random() < 0.4}


def harder(brief: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The same brief with more of one thing, and what that thing is."""
    for load in ("users_total", "users_concurrent"):
        if load in brief:
            yield "more users", {**brief, load: 3 * brief[load]}
    if "input_tokens" in brief:
        yield "longer prompts", {**brief, "input_tokens": {k: 2 * v for k, v in brief["input_tokens"].items()}}
    for target in ("tpot_ms", "ttft_ms"):
        if target in brief:
            yield f"stricter {target}", {**brief, target: brief[target] / 2}
    if "training_tokens" in brief:
        yield "more tokens", {**brief, "training_tokens": 3 * brief["training_tokens"]}
    if "context_tokens" in brief:
        yield "longer context", {**brief, "context_tokens": 2 * brief["context_tokens"]}
    if brief["models"][0] in LADDER[:-1]:
        larger = LADDER[LADDER.index(brief["models"][0]) + 1]
        yield "a larger model", {**brief, "models": [larger, *brief["models"][1:]]}


def fewer(easy: Sizing, hard: Sizing, what: str) -> Iterator[str]:
    """Plans that got smaller although more is asked of the same card; those that keep no promise are no plans."""
    for before, after in zip(easy.plans, hard.plans, strict=True):
        kept = all(plan.fits and plan.meets_targets for plan in (before, after))
        if kept and before.accelerator == after.accelerator and after.gpus < before.gpus:
            yield f"{what}: {before.name} {before.gpus} -> {after.gpus} {after.accelerator}"


def faults(sizing: Sizing) -> Iterator[str]:
    """What does not agree with itself in one sizing."""
    lean, recommended, roomy = (plan.gpus for plan in sizing.plans)
    if all(plan.fits for plan in sizing.plans) and not lean <= recommended <= roomy:
        yield f"lean {lean}, recommended {recommended}, roomy {roomy}"
    for plan in sizing.plans:
        yield from (f"{plan.name}: {fault}" for fault in (*_sums(plan), *_impossible(plan.model_dump(mode="python"))))
    yield from _decided(sizing)


def _sums(plan: Plan) -> Iterator[str]:
    bill, facility = plan.bill_of_materials, plan.facility
    if not bill or not plan.fits:
        return
    whole = {server.id for server in plan.servers}  # systems that are a rack of their own
    racks = sum(line.count for line in bill if line.unit == "rack" and (line.item == "rack" or line.item in whole))
    if racks and racks != facility.racks:
        yield f"{racks} racks in the bill, {facility.racks} in the plan"
    for server in plan.servers:
        if server.role == "gpu":
            billed = sum(line.count for line in bill if line.item == server.id and not line.included)
            if billed and billed != server.count:
                yield f"{billed} x {server.id} in the bill, {server.count} in the plan"
    expected, nominal, rack = facility.it_kw, facility.nominal_it_kw, facility.rack_kw
    if expected is not None and nominal is not None and expected > nominal + 1e-6:
        yield f"{expected} kW expected of {nominal} kW nominal"
    if nominal is not None and rack is not None and rack * facility.racks < nominal - 1e-6:
        yield f"{facility.racks} racks of at most {rack} kW hold {nominal} kW"
    switches = [plan.network.get(name) for name in ("leaf", "spine", "core")]
    counted = sum(count for count in switches if isinstance(count, int))
    billed = sum(line.count for line in bill if line.unit == "switch" and line.of.startswith("compute"))
    if billed and counted and billed != counted:
        yield f"{billed} switches of the compute fabric in the bill, {counted} in the plan"


def _impossible(value: object, path: str = "") -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, one in value.items():
            yield from _impossible(one, f"{path}.{name}")
    elif isinstance(value, (list, tuple)):
        for at, one in enumerate(value):
            yield from _impossible(one, f"{path}.{at}")
    elif isinstance(value, float):
        name = path.rpartition(".")[2]
        if (
            not math.isfinite(value)
            or (value < 0 and not name.startswith("kv_cache_gib"))
            or (value <= 0 and name.endswith(("tpot_ms", "ttft_ms", "tokens_per_s")))
        ):
            yield f"{path} is {value}"


def _decided(sizing: Sizing) -> Iterator[str]:
    chosen, plan = {decision.id: decision.choice for decision in sizing.decisions}, sizing.plan()
    if not plan.fits:
        return
    if chosen["accelerator"] != plan.accelerator:
        yield f"accelerator {chosen['accelerator']} decided, {plan.accelerator} in the plan"
    technology = plan.network.get("technology")
    if technology is not None and chosen["fabric_technology"] != technology:
        yield f"network {chosen['fabric_technology']} decided, {technology} in the plan"
    if plan.facility.cooling and chosen["cooling"] != plan.facility.cooling:
        yield f"cooling {chosen['cooling']} decided, {plan.facility.cooling} in the plan"
    named = plan.binding == "stated"  # what the customer has decides then, and a warning says what it lacks
    spared = chosen["redundancy"] in ("n_plus_1", "2n") and not named
    serves = any(not place.get("training") for place in plan.placements)
    if spared and serves and plan.capacity_after_one_failure.share_of_required_load < 1:
        yield f"redundancy {chosen['redundancy']} decided, one failure leaves less than the load"
    cut = any(place.get("mig_profile") for place in plan.placements)
    if cut and chosen["isolation"] != "mig":
        yield f"isolation {chosen['isolation']} decided, GPUs are cut in the plan"
