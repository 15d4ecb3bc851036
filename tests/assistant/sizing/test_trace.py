"""The record of how figures were reached: a tree in which nothing overwrites anything."""

from __future__ import annotations

import pytest

from assistant.conclusions.explained import explained
from assistant.sizing.facility.estimate import FacilityRequest, estimate_facility
from assistant.sizing.serving.estimate import estimate_serve
from assistant.sizing.trace import Step, Trace
from knowledge.catalogue import Catalogue, load_catalogue


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue()


def _behind(trace: Trace, step: Step) -> set[str]:
    """Names of every figure that ``step`` follows from, at any depth."""
    by_id = {one.id: one for one in trace.recorded}
    below = [by_id[ident] for ident in step.reasons.values()]
    return {one.name for one in below} | {name for one in below for name in _behind(trace, one)}


def test_the_cache_is_traced_down_to_weights_and_activations(catalogue: Catalogue) -> None:
    trace = Trace()
    request = {"model": "llama 3.1 8b", "gpu": "h100", "input_tokens": 1000, "output_tokens": 200, "concurrency": 4}
    estimate_serve(request, catalogue, trace)
    steps = {step.name: step for step in trace.recorded}
    # The cache is the share less weights, activation and overhead; its tokens are the cache over the price of one.
    parts = {"weights_gib_per_gpu", "activation_gib_per_gpu", "overhead_gib_per_gpu"}
    assert set(steps["kv_cache_gib_per_gpu"].reasons) == {"weights_gib", "activation_gib", "overhead_gib"}
    assert _behind(trace, steps["kv_cache_tokens"]) == {*parts, "kv_cache_gib_per_gpu", "kv_bytes_per_token_per_gpu"}


def test_inputs_come_before_what_follows_from_them(catalogue: Catalogue) -> None:
    trace = Trace()
    estimate_facility(FacilityRequest(servers={"dgx-h100": 4}, rack_limit_kw=40), catalogue, trace)
    assert all(ident < step.id for step in trace.recorded for ident in step.reasons.values())
    steps = {step.name: step for step in trace.recorded}
    # Energy of a year follows from the facility's power, that from the expected draw (facility_kw = it_kw x PUE).
    assert {"facility_kw", "it_kw", "nominal_it_kw"} <= _behind(trace, steps["annual_mwh"])


def test_two_models_keep_a_figure_of_one_name_each(catalogue: Catalogue) -> None:
    trace = Trace()
    for model in ("llama 3.1 8b", "qwen3 32b"):
        estimate_serve({"model": model, "gpu": "h200"}, catalogue, trace)
    found = [step for step in trace.recorded if step.name == "weights_gib_per_gpu"]
    # 8.03e9 and 32.76e9 parameters of two bytes: 15.0 and 61.0 GiB.
    assert [step.value for step in found] == [pytest.approx(15.0, rel=0.02), pytest.approx(61.0, rel=0.02)]
    assert len({step.within for step in found}) == 2
    own = {step.id: step.within for step in trace.recorded}
    assert all(own[ident] == step.within for step in trace.recorded for ident in step.reasons.values())


def test_a_calculation_made_again_takes_the_place_of_the_first(catalogue: Catalogue) -> None:
    trace = Trace()
    for _ in range(2):
        estimate_serve({"model": "llama 3.1 8b", "gpu": "h100"}, catalogue, trace)
    names = [step.name for step in trace.recorded]
    assert len(names) == len(set(names)) > 4


def test_a_step_given_as_an_input_is_a_reason() -> None:
    trace = Trace()
    with trace.call("load", 200):
        rate = trace.note("requests_per_s", 2.0, "load.request_rate")
        held = trace.note("requests_in_flight", 20.0, "load.little", arriving=rate, latency_s=10.0)
    assert held.inputs == {"arriving": 2.0, "latency_s": 10.0}
    assert held.reasons == {"arriving": rate.id}
    assert held.within == ("load: 200",)


def test_explanations_refer_to_each_other_by_id(catalogue: Catalogue) -> None:
    trace = Trace()
    estimate_serve({"model": "llama 3.1 8b", "gpu": "h100"}, catalogue, trace)
    why = {one.id: one for one in explained(trace, catalogue)}
    cache = next(one for one in why.values() if one.name == "kv_cache_gib_per_gpu")
    assert why[cache.reasons["weights_gib"]].name == "weights_gib_per_gpu"
