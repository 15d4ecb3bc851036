"""Which layout is taken where none is stated, and what is proposed where a stated one is poor."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from assistant.sizing.serving.estimate import advise_serve, estimate_serve
from assistant.sizing.serving.request import ServeResult, serve_request
from tests.shared import catalogue

LOAD = {"input_tokens": 2000, "output_tokens": 300, "concurrency": 64}
LLAMA = {"model": "llama-3.3-70b-instruct", "gpu": "h100", "weight_dtype": "fp8"}
DEEPSEEK = {"model": "deepseek-v3", "gpu": "h200", "gpus": 8}


def estimate(*parts: Mapping[str, object], **more: object) -> ServeResult:
    request: dict[str, object] = {}
    for part in parts:
        request |= part
    return estimate_serve(request | more, catalogue())


def test_the_layout_left_out_yields_as_much_as_the_best_that_is_stated() -> None:
    free = estimate(LLAMA, LOAD, gpus=8)
    stated = [estimate(LLAMA, LOAD, gpus=8, tensor_parallel=t, data_parallel=8 // t) for t in (1, 2, 4, 8)]
    assert free.output_tokens_per_s == max(one.output_tokens_per_s or 0 for one in stated)
    assert free.output_tokens_per_s > 2 * (stated[0].output_tokens_per_s or 0)
    assert free.notes[0].id == "serving.note.runner_up"


@pytest.mark.parametrize("load", [{"requests_per_s": 3.0}, {"requests_per_s": 1000.0}])
def test_arrivals_too_choose_what_serves_most(load: dict[str, float]) -> None:
    lengths = {"input_tokens": 2000, "output_tokens": 300}
    free = estimate(LLAMA, lengths, load, gpus=8)
    assert free.tensor_parallel > 1
    assert free.gpus == 8


def test_without_a_load_the_smallest_that_fits_is_taken_as_before() -> None:
    # 68.5e9 parameters of one byte, tables of 2.1e9 in two: 67.7 GiB and activations, of 0.9 x 79.2 = 71.3 GiB, leave
    # less than the 2.5 GiB of 8,192 tokens; two GPUs hold it.
    assert estimate(LLAMA, gpus=8, context=8192).tensor_parallel == 2


def test_targets_decide_how_many_gpus_where_none_are_stated() -> None:
    free = estimate(LLAMA, LOAD)
    within = estimate(LLAMA, LOAD, ttft_target_ms=500.0)
    assert free.gpus < within.gpus
    assert (free.targets_met, within.targets_met) == (None, True)
    assert within.ttft_ms is not None
    assert within.ttft_ms <= 500.0
    assert estimate(LLAMA, LOAD, ttft_target_ms=0.5).targets_met is False


def test_targets_stand_above_throughput() -> None:
    """Many replicas yield more of a small model, tensor ranks are quicker for one user."""
    small = {"model": "llama-3.1-8b-instruct", "gpu": "h100", "gpus": 8, "input_tokens": 500, "output_tokens": 500}
    free = estimate(small, concurrency=512)
    assert free.tpot_ms is not None
    strict = estimate(small, concurrency=512, tpot_target_ms=free.tpot_ms * 0.9)
    assert strict.tpot_ms is not None
    assert strict.output_tokens_per_s is not None
    assert strict.tpot_ms <= free.tpot_ms
    assert strict.output_tokens_per_s <= (free.output_tokens_per_s or 0)


def test_what_is_switched_on_stands_before_other_notes() -> None:
    found = estimate(DEEPSEEK, LOAD, concurrency=256)
    assert found.attention_data_parallel > 1
    assert [note.id for note in found.notes[:2]] == ["serving.note.runner_up", "serving.note.attention_data_on"]


def test_a_poor_layout_gets_a_better_one_proposed_and_a_good_one_none() -> None:
    poor = advise_serve(serve_request(LLAMA | LOAD | {"tensor_parallel": 1, "data_parallel": 8}), catalogue())
    assert poor.tensor_parallel == 1
    assert poor.notes[0].id == "serving.note.better"
    good = advise_serve(serve_request(LLAMA | LOAD | {"tensor_parallel": 8}), catalogue())
    assert all(note.id != "serving.note.better" for note in good.notes)


def test_attention_ranks_are_proposed_for_a_single_key_value_head() -> None:
    request = DEEPSEEK | LOAD | {"tensor_parallel": 8, "concurrency": 512}
    proposal = advise_serve(serve_request(request), catalogue()).notes[0]
    assert proposal.id == "serving.note.better"
    assert "serving.attention_data" in str(proposal)


def test_settings_are_combined_before_more_gpus_are_asked_for() -> None:
    """Qwen3 14B on two L4: 14 GiB of weights a GPU leave 1.4 GiB; 131,072 tokens need 10 GiB, in one byte 5."""
    request = {"model": "qwen3-14b", "gpu": "l4", "gpus": 2, "context": 131_072, "max_batched_tokens": 131_072}
    fix = estimate(request).nearest_fix
    assert fix is not None
    assert fix.set == {"memory_share": 0.95, "max_batched_tokens": 2048, "kv_dtype": "fp8"}
    assert estimate(request, fix.set).fits


def test_a_fix_leaves_the_margin_of_the_measured_error() -> None:
    """Weights and activations 3 % larger than worked out still leave the cache for a sequence."""
    for gpu in ("l4", "a10", "rtx-4090", "l40s", "a100-40gb"):
        request = {"model": "qwen3-32b", "gpu": gpu, "gpus": 1, "context": 16_384, "engine_version": "0.19.0"}
        fix = estimate(request).nearest_fix
        if fix is None or fix.change is None:
            continue
        fixed = estimate(request, fix.set)
        sequence_gib = fixed.kv_bytes_per_token_per_gpu * (fixed.context or 0) / 2**30
        assert fixed.kv_cache_gib_per_gpu_low >= sequence_gib, gpu
