"""From users to requests in flight, the presets, and replicas for a load."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.messages import render
from assistant.sizing.load import Lengths, LoadRequest, estimate_load, patient_ttft_ms, peak_requests_in_flight
from assistant.sizing.serving.loads.replica_models import ReplicaPlan, ServeDemand
from assistant.sizing.serving.loads.replicas import plan_replicas
from knowledge.architecture import architecture_of
from knowledge.errors import BadInput
from knowledge.schema import Workload
from tests.shared import catalogue


def test_request_rate_of_a_published_rule() -> None:
    """llm-d-planner: 1,000 chat users x 0.20 active x 0.4 a minute x 2.0 peak = 2.67 requests a second."""
    load = estimate_load(
        LoadRequest(users_total=1000, active_share=0.2, requests_per_active_user_per_h=24, peak_factor=2.0)
    )
    assert load.requests_per_s == pytest.approx(2.67, abs=0.01)
    assert (load.requests_in_flight, load.way) == (None, "rate_only")


def test_little_law_shows_its_ratio() -> None:
    """2.67 requests a second that take 12 s each are 32 in flight: 3.2 % of 1,000 users."""
    load = estimate_load(
        LoadRequest(users_total=1000, active_share=0.2, requests_per_active_user_per_h=24, peak_factor=2.0), 12.0
    )
    assert load.way == "little"
    assert load.requests_in_flight == pytest.approx(32.0)
    assert load.ratio_in_flight_to_users == pytest.approx(0.032)


def test_ratio_is_replaceable_and_stated_load_wins() -> None:
    """A published case: 800 staff peak at 60 requests in flight, a ratio of 0.075."""
    by_ratio = estimate_load(LoadRequest(users_total=800, in_flight_share=0.075), 10.0)
    assert (by_ratio.way, by_ratio.requests_in_flight) == ("ratio", 60.0)
    assert by_ratio.requests_per_s == 6.0
    stated = estimate_load(LoadRequest(users_total=800, in_flight_share=0.075, requests_in_flight=25))
    assert (stated.way, stated.requests_in_flight) == ("stated", 25)


def test_unknown_stays_unknown() -> None:
    load = estimate_load(LoadRequest(users_total=500))
    assert (load.requests_per_s, load.requests_in_flight, load.ratio_in_flight_to_users) == (None, None, None)


def test_peak_of_a_poisson_number() -> None:
    """95 % of a Poisson number of mean 100 is 117 by table; the normal form gives 100 + 1.645 x 10, rounded up."""
    assert peak_requests_in_flight(100) == 117
    assert peak_requests_in_flight(0) == 0


@pytest.mark.parametrize("value", [0, -1, {"p95": 3}, {"mean": 5, "max": 4}, "many", {"mean": 1, "median": 1}])
def test_lengths_refuse(value: Any) -> None:
    with pytest.raises(BadInput, match="input_tokens"):
        Lengths.of(value, "input_tokens")


def test_lengths_from_a_number_and_from_a_mean() -> None:
    assert Lengths.of(800, "x") == Lengths(mean=800, p95=800, max=800)
    assert Lengths.of({"mean": 800, "max": 8000}, "x") == Lengths(mean=800, p95=8000, max=8000)


def test_presets_of_every_use_and_each_sourced() -> None:
    presets: dict[str, Workload] = dict(catalogue().entries("workloads"))
    uses = {
        "chat",
        "rag",
        "coding",
        "agents",
        "summarising",
        "batch",
        "embeddings",
        "reranking",
        "speech",
        "ocr",
        "vision",
    }
    assert uses <= set(presets)
    known = catalogue().entries("sources")
    for preset in presets.values():
        assert preset.input_tokens.value is not None
        assert preset.output_tokens.value is not None
        cited = {*preset.input_tokens.sources, *preset.output_tokens.sources, *preset.active_share.sources}
        assert cited
        assert cited <= set(known)
        share = preset.active_share.value
        assert share is None or share.low <= share.likely <= share.high <= 1
    assert presets["batch"].ttft_ms.value is None


# ---------------------------------------------------------------------------------------------------------- replicas


def plan(model: str, gpu: str, in_flight: float | None, rate: float | None = None, **rest: Any) -> ReplicaPlan:
    demand = ServeDemand(
        input_tokens=Lengths.of(rest.pop("inputs", 2000), "input_tokens"),
        output_tokens=Lengths.of(rest.pop("outputs", 400), "output_tokens"),
        context=rest.pop("context", None),
        requests_in_flight=in_flight,
        requests_per_s=rate,
        ttft_ms=rest.pop("ttft_ms", 2000.0),
        tpot_ms=rest.pop("tpot_ms", 50.0),
    )
    return plan_replicas(architecture_of(catalogue().model(model)), gpu, demand, catalogue(), **rest)


def test_smallest_unit_binds_a_small_load() -> None:
    found = plan("llama 3.1 8b", "h100", 2)
    assert (found.gpus, found.binding, found.fits) == (1, "minimum unit", True)


def test_memory_binds_where_smaller_layouts_do_not_hold_the_model() -> None:
    """141 GB in 16 bits: not on one card of 85 GB; two do, with 3 GiB of cache each (vLLM 0.19 log of a 72B)."""
    found = plan("llama 3.1 70b", "h100", 4, weight_dtype="bf16", tpot_ms=None, ttft_ms=None)
    assert (found.gpus_per_replica, found.replicas, found.binding) == (2, 1, "memory")
    assert render(found.tried[0].why_not or "") == "does not fit in memory"


def test_targets_are_met_and_more_load_never_takes_fewer_gpus() -> None:
    last = 0
    for in_flight in (1, 10, 50, 100, 400, 1000):
        found = plan("llama 3.1 70b", "h200", in_flight, weight_dtype="fp8")
        assert found.fits
        assert found.serve.tpot_ms is not None
        assert found.serve.tpot_ms <= 50
        assert found.replicas * found.requests_per_replica >= in_flight
        assert found.gpus >= last
        last = found.gpus


def test_tighter_target_takes_wider_replicas() -> None:
    """One H200 reads 70 GB at 4.8 TB/s in 14.6 ms: 12 ms a token needs more than one."""
    loose = plan("llama 3.1 70b", "h200", 1, weight_dtype="fp8", tpot_ms=50)
    tight = plan("llama 3.1 70b", "h200", 1, weight_dtype="fp8", tpot_ms=12)
    assert loose.gpus_per_replica == 1
    assert tight.gpus_per_replica > 1
    assert tight.binding == "TPOT"


def test_target_out_of_reach_is_a_result() -> None:
    found = plan("llama 3.1 405b", "h100", 4, weight_dtype="fp8", tpot_ms=5)
    assert (found.fits, found.binding) == (False, "TPOT")
    assert found.why_not is not None
    assert "5 ms" in render(found.why_not)


def test_two_nodes_only_where_one_does_not_hold_it() -> None:
    """DeepSeek-V3 in FP8: two H100 nodes, or one of H200."""
    assert plan("deepseek v3", "h100", 8).pipeline_parallel == 2
    assert plan("deepseek v3", "h200", 8).gpus == 8


def test_nothing_fits_has_a_reason_and_a_fix() -> None:
    found = plan("deepseek v3", "t4", 8, weight_dtype="bf16")
    assert (found.fits, found.binding) == (False, "memory")
    assert found.why_not is not None
    assert found.nearest_fix is not None


def test_rate_follows_little() -> None:
    """Replicas for a rate carry rate x latency requests."""
    found = plan("llama 3.1 70b", "h200", None, 20.0, weight_dtype="fp8")
    assert found.serve.request_latency_s is not None
    assert found.replicas * found.requests_per_replica >= 20.0 * found.serve.request_latency_s * 0.8


def test_load_is_needed() -> None:
    with pytest.raises(BadInput, match="requests_in_flight"):
        plan("llama 3.1 8b", "h100", None)


@pytest.mark.parametrize(
    ("preset", "tokens", "expected"),
    [(2000, 500, 2000), (2000, 4000, 2000), (3000, 10_000, 7500), (2000, 32_000, 16_000), (2000, 120_000, 60_000),
     (2000, 1e6, 60_000), (90_000, 1e6, 90_000)],
)  # fmt: skip
def test_longer_prompts_are_waited_for_longer(preset: float, tokens: float, expected: float) -> None:
    assert patient_ttft_ms(preset, tokens) == expected
