"""Training estimates against published runs, papers' tables and hand calculations."""

from __future__ import annotations

import pytest

from assistant.messages import render
from assistant.sizing.trace import Trace
from assistant.sizing.training.estimate import estimate_train
from assistant.sizing.training.parts.plan import Recompute, Sharding
from assistant.sizing.training.parts.request import TrainRequest, TrainResult
from knowledge.catalogue import load_catalogue
from knowledge.errors import BadInput

CATALOGUE = load_catalogue()
LLAMA_405B = "llama 3.1 405b"


def train(**fields: object) -> TrainResult:
    return estimate_train(TrainRequest.model_validate({"gpu": "h100-sxm-80gb", **fields}), CATALOGUE)


@pytest.mark.parametrize(
    ("gpus", "context", "batch", "sequence", "published"),
    [
        (8192, 1, 2048, 8192, 430),  # Llama 3 paper, table 4: TP8 CP1 PP16
        (16384, 1, 2048, 8192, 400),
        (16384, 16, 128, 131072, 380),
    ],
)
def test_llama_3_405b_layouts(gpus: int, context: int, batch: int, sequence: int, published: float) -> None:
    result = train(
        model=LLAMA_405B,
        gpus=gpus,
        tensor_parallel=8,
        pipeline_parallel=16,
        context_parallel=context,
        micro_batch=1,
        global_batch=batch,
        sequence=sequence,
        recompute="none",
    )
    assert 380 <= result.tflops_per_gpu <= 430
    assert result.tflops_per_gpu == pytest.approx(published, rel=0.1)


@pytest.mark.parametrize(
    ("heads", "hidden", "layers", "tensor", "pipeline", "gpus", "batch", "published"),
    [
        (24, 2304, 24, 1, 1, 32, 512, 137),
        (32, 3072, 30, 2, 1, 64, 512, 138),
        (32, 4096, 36, 4, 1, 128, 512, 142),
        (48, 6144, 40, 8, 1, 256, 1024, 135),
        (64, 8192, 48, 8, 2, 512, 1536, 138),
        (80, 10240, 60, 8, 4, 1024, 1792, 140),
        (96, 12288, 80, 8, 8, 1536, 2304, 148),
        (128, 16384, 96, 8, 16, 1920, 2160, 155),
        (128, 20480, 105, 8, 35, 2520, 2520, 163),
        (160, 25600, 128, 8, 64, 3072, 3072, 163),
    ],
)
def test_megatron_table_1(
    heads: int, hidden: int, layers: int, tensor: int, pipeline: int, gpus: int, batch: int, published: float
) -> None:
    """Narayanan et al., table 1: TFLOP/s of an A100 with 96 l h^2 (1 + s / 6 h + V / 16 l h) FLOP a token, which counts
    attention in full and the forward pass twice. Micro-batches and chunks are not printed there; ours are chosen."""
    result = train(
        gpu="a100-sxm-80gb",
        layers=layers,
        hidden=hidden,
        heads=heads,
        vocabulary=51_200,
        gpus=gpus,
        tensor_parallel=tensor,
        pipeline_parallel=pipeline,
        global_batch=batch,
        sequence=2048,
        precision="fp16",
        recompute="full",
        flash_attention=False,
    )
    flop = 96 * layers * hidden**2 * (1 + 2048 / (6 * hidden) + 51_200 / (16 * layers * hidden))
    assert result.tokens_per_s_per_gpu * flop / 1e12 == pytest.approx(published, rel=0.1)


def test_the_layout_of_llama_3_405b_is_among_the_best_three() -> None:
    """TP8 PP16 at 8,192 tokens a sequence (table 4)."""
    result = train(model=LLAMA_405B, gpus=16384, global_batch=2048, sequence=8192)
    first = f"TP{result.layout.tensor_parallel} PP{result.layout.pipeline_parallel}"
    splits = [first, *(" ".join(a.layout.split()[:2]) for a in result.alternatives[:2])]
    assert "TP8 PP16" in splits


def test_deepseek_v3_on_2048_h800() -> None:
    """Technical report: 14.8 T tokens in 2.664 M GPU hours, 54.2 days of 2,048 GPUs, with PP16, EP64, FP8 and DualPipe.

    Without a schedule that hides the expert exchange across servers the same cluster takes longer.
    """
    fields = {"model": "deepseek-v3", "gpu": "h800", "gpus": 2048, "tokens": "14.8T", "precision": "fp8"}
    layout = {"tensor_parallel": 1, "pipeline_parallel": 16, "expert_parallel": 64, "micro_batch": 1}
    batch = {"global_batch": 15360, "sequence": 4096, "recompute": "selective"}
    published = train(**fields, **layout, **batch, schedule="dualpipe")
    assert published.fits
    assert published.days == pytest.approx(54.2, rel=0.1)
    assert published.training_flop == pytest.approx(6 * 37.5e9 * 14.8e12, rel=0.05)
    plain = train(**fields, **layout, **batch, schedule="1f1b")
    assert plain.days is not None
    assert published.days is not None
    assert plain.days > 1.15 * published.days


@pytest.mark.parametrize(
    ("schedule", "bubble"),
    # In micro-batches of 8 stages: 7, 7 / 3, and (8 / 2 - 1) x 2 / 3 = 2 (DeepSeek-V3, table 2, with F = W = B / 2).
    [("1f1b", 7.0), ("zero_bubble", 7 / 3), ("dualpipe", 2.0)],
)
def test_bubble_of_the_schedules(schedule: str, bubble: float) -> None:
    result = train(
        model="llama 3.1 70b",
        gpus=64,
        tensor_parallel=4,
        pipeline_parallel=8,
        context_parallel=1,
        micro_batch=1,
        global_batch=64,
        recompute="full",
        schedule=schedule,
    )
    parts = result.step
    busy = parts.compute + parts.tensor_parallel + parts.context_parallel + parts.expert_parallel
    assert parts.bubble == pytest.approx(busy / 32 * bubble)


def test_as_many_layers_are_recomputed_as_memory_asks_for() -> None:
    layout = {"tensor_parallel": 8, "pipeline_parallel": 4, "context_parallel": 1, "micro_batch": 1}
    few = train(model="llama 3.1 70b", gpus=32, sequence=24_576, **layout)
    assert few.fits
    assert few.layout.recompute is Recompute.FULL
    assert 0 < few.layout.recomputed_share < 1
    assert "% of the layers" in render(few.layout.chosen["recompute"])


def test_peaks_outside_the_steady_state() -> None:
    """A 70 B in 16 bits is 131.4 GiB: eight processes that each load it take 1,051; gathered on one GPU too much."""
    result = train(model="llama 3.1 70b", gpus=64, sharding="zero3", recompute="full", micro_batch=1)
    peaks = {render(peak.when): peak for peak in result.peaks}
    assert peaks["load"].gib == pytest.approx(8 * 70.55e9 * 2 / 2**30, rel=0.001)
    assert peaks["gather to save"].fits is False
    assert peaks["save in one file"].gib == pytest.approx(70.55e9 * 14 / 2**30, rel=0.001)


def test_the_stage_that_logs_and_the_fullest() -> None:
    """Megatron logs the last pipeline rank; the first holds the most micro-batches."""
    result = train(model="llama 3.1 70b", gpus=64, tensor_parallel=4, pipeline_parallel=8, micro_batch=1)
    assert result.fullest_stage == 0
    assert result.logged_gib_per_gpu < result.memory_gib_per_gpu


def test_runners_up_say_what_they_lose() -> None:
    result = train(model=LLAMA_405B, gpus=1024)
    assert len(result.alternatives) == 3
    assert all(any(s in render(other.why or "") for s in ("% slower", "more pieces")) for other in result.alternatives)


def test_scaling_at_the_same_batch_loses_efficiency() -> None:
    points = {p.gpus: p for p in train(model="llama 3.1 70b", gpus=256, global_batch=1024, scaling=True).scaling}
    assert set(points) == {128, 256, 512, 1024, 2048}
    assert points[256].efficiency == pytest.approx(1, abs=0.01)
    assert points[2048].efficiency < points[512].efficiency < points[128].efficiency


def test_what_a_rack_of_nvlink_changes() -> None:
    """Experts spread over 64 GPUs stay within an NVL72; in servers of eight their exchange crosses the network."""
    rack = train(model="deepseek-v3", gpu="gb200", gpus=576, precision="fp8")
    assert rack.without_rack_domain is not None
    assert rack.without_rack_domain.tokens_per_s_per_gpu < rack.tokens_per_s_per_gpu
    assert train(model="deepseek-v3", gpus=512).without_rack_domain is None


def test_llama_3_405b_training_compute_and_days() -> None:
    """Paper: 3.8e25 FLOP for 15.6 T tokens; at 400 TFLOP/s on 16,384 GPUs 67 days."""
    result = train(model=LLAMA_405B, gpus=16384, global_batch=2048, sequence=8192, tokens="15.6T")
    assert result.training_flop == pytest.approx(3.8e25, rel=0.01)
    assert pytest.approx(67.1, abs=0.05) == 3.8e25 / (400e12 * 16384) / 86400
    assert result.days == pytest.approx(67.1, rel=0.1)
    assert result.days_with_failures is not None
    assert result.days is not None
    assert 1.0 < result.days_with_failures / result.days < 1.15  # "more than 90 % effective training time"


@pytest.mark.parametrize(
    ("model", "tokens", "reached"),
    [
        ("llama 3.1 405b", "15.6T", {"ai_act_gpai", "ai_act_systemic_risk"}),  # 3.8e25 FLOP (paper)
        ("llama 3.1 70b", "1T", {"ai_act_gpai"}),  # 6 x 70.55e9 x 1e12 = 4.2e23
        ("llama 3.1 8b", "1T", set()),  # 4.8e22
    ],
)
def test_training_compute_beside_the_ai_act(model: str, tokens: str, reached: set[str]) -> None:
    """10^23 FLOP for a general-purpose model (Commission guidelines), 10^25 for systemic risk (Art. 51(2))."""
    found = train(model=model, gpus=1024, tokens=tokens).obligations
    assert [limit.threshold for limit in found] == [1e23, 1e25]
    assert {limit.id for limit in found if limit.reached} == reached
    assert all(limit.sources for limit in found)
    assert train(model=model, gpus=1024).obligations == ()


def test_a_70b_with_adam_is_1120_gb_of_state_not_420() -> None:
    """16 bytes a parameter: 70.55 B x 16 = 1,129 GB over all GPUs."""
    result = train(model="llama 3.1 70b", gpus=64, tensor_parallel=8, pipeline_parallel=8, sharding="none")
    total_gb = (result.parameters * 16) / 1e9
    assert 1120 <= total_gb <= 1130
    # Tensor and pipeline parallel alone divide it; both pipeline ends hold one vocabulary, the middle none.
    per_gpu_gb = result.stages[0].state * 2**30 / 1e9
    assert per_gpu_gb == pytest.approx(total_gb / 64, rel=0.1)


def test_what_256_h100_do_on_a_70b_in_thirty_days() -> None:
    """0.63 trillion tokens, at about 400 TFLOP/s: 6 x 70.55e9 x 0.63e12 / (256 x 400e12 x 86400) = 30.1 days."""
    result = train(model="llama 3.1 70b", gpus=256, tokens="0.63T")
    assert result.days == pytest.approx(30, rel=0.15)
    by_then = train(model="llama 3.1 70b", gpus=256, deadline_days=30).tokens_by_deadline
    assert by_then == pytest.approx(0.63e12, rel=0.15)


def test_checkpoint_of_the_recipes() -> None:
    """BLOOM wrote 14 bytes a parameter; 70 B with Adam is about 1 TB."""
    result = train(model="llama 3.1 70b", gpus=64)
    assert result.checkpoint_gb == pytest.approx(70.55 * 14, rel=0.001)


def test_mfu_counts_no_recomputation_and_causal_attention() -> None:
    plain = train(model="llama 3.1 70b", gpus=64, recompute="full", micro_batch=1)
    assert plain.mfu is not None
    assert plain.hfu is not None
    assert plain.mfu_full_attention is not None
    assert plain.hfu / plain.mfu == pytest.approx(4 / 3)
    # By hand at 8,192 tokens: 6 x 69.5 B + 6 x 80 x 8192 x 8192 = 4.49e11, and twice the attention 4.81e11.
    assert plain.mfu_full_attention / plain.mfu == pytest.approx(4.81 / 4.49, rel=0.005)
    assert plain.tflops_per_gpu / plain.tokens_per_s_per_gpu == pytest.approx(0.449, rel=0.005)


def test_left_out_fields_are_chosen_with_a_reason() -> None:
    result = train(model="llama 3.1 70b", gpus=64)
    assert {"tensor_parallel", "pipeline_parallel", "micro_batch", "sharding", "recompute"} <= set(result.layout.chosen)
    stated = train(model="llama 3.1 70b", gpus=64, tensor_parallel=8, micro_batch=1)
    assert not {"tensor_parallel", "micro_batch"} & set(stated.layout.chosen)
    assert stated.layout.tensor_parallel == 8


def test_tensor_parallel_stays_inside_the_scale_up_domain() -> None:
    for count in (64, 256, 1024):
        assert train(model=LLAMA_405B, gpus=count * 4).layout.tensor_parallel <= 8


def test_tensor_parallel_beyond_the_domain_is_slower_and_said() -> None:
    layout = {"model": "llama 3.1 70b", "gpus": 64, "pipeline_parallel": 1, "micro_batch": 1, "global_batch": 64}
    inside, across = train(tensor_parallel=8, **layout), train(tensor_parallel=16, **layout)
    assert across.tokens_per_s_per_gpu < inside.tokens_per_s_per_gpu / 1.5
    assert any("crosses the network" in render(note) for note in across.assumptions)


def test_a_sequence_of_a_million_tokens() -> None:
    """NeMo's long-sequence table: Llama 3 8B, 1,048,576 tokens, TP4 CP16 on 1,024 B200."""
    layout = {"tensor_parallel": 4, "context_parallel": 16, "pipeline_parallel": 1, "global_batch": 16}
    result = train(model="Meta-Llama-3-8B", gpu="b200", gpus=1024, sequence=1_048_576, precision="fp8", **layout)
    assert result.tokens_per_s_per_gpu > 0
    assert any("longer than" in render(note) for note in result.assumptions)


def test_ranks_multiply_to_the_gpus() -> None:
    layout = train(model="Qwen3-235B-A22B", gpus=256).layout
    ranks = layout.tensor_parallel * layout.pipeline_parallel * layout.context_parallel * layout.data_parallel
    assert ranks == 256
    assert layout.global_batch % (layout.micro_batch * layout.data_parallel) == 0


def test_does_not_fit_is_a_result_with_the_nearest_fix() -> None:
    result = train(model="llama 3.1 70b", gpus=8)
    assert not result.fits
    assert result.why_not is not None
    assert "state" in render(result.why_not)
    assert result.nearest_fix is not None
    assert "GPUs" in render(result.nearest_fix)
    assert result.memory_gib_per_gpu > result.available_gib_per_gpu
    assert result.tflops_per_gpu > 0


def test_more_gpus_are_never_slower_in_all() -> None:
    rates = [
        train(model="llama 3.1 70b", gpus=gpus, global_batch=1024).tokens_per_s_per_gpu * gpus
        for gpus in (64, 128, 256, 512)
    ]
    assert rates == sorted(rates)


def test_the_fewest_gpus_are_found() -> None:
    found = train(model="llama 3.1 70b")
    assert found.fits
    assert not train(model="llama 3.1 70b", gpus=found.gpus // 2).fits


def test_parameter_counts_alone_come_close_with_wider_bands() -> None:
    named, counted = train(model="llama 3.1 70b", gpus=256), train(parameters="70.55B", gpus=256)
    assert counted.tokens_per_s_per_gpu == pytest.approx(named.tokens_per_s_per_gpu, rel=0.15)
    assert counted.parameters == pytest.approx(70.55e9, rel=1e-6)
    assert named.basis == "calibrated"
    assert counted.basis == "extrapolated"
    assert counted.tflops_per_gpu_p10 / counted.tflops_per_gpu < named.tflops_per_gpu_p10 / named.tflops_per_gpu


def test_active_parameters_alone() -> None:
    result = train(parameters="671B", active_parameters="37B", gpus=2048, precision="fp8")
    assert result.parameters == pytest.approx(671e9, rel=0.05)
    assert result.active_parameters == pytest.approx(37e9, rel=0.01)


def test_fp8_is_faster_than_bf16() -> None:
    layout = {"tensor_parallel": 4, "pipeline_parallel": 8, "micro_batch": 1, "global_batch": 256, "sequence": 8192}
    slow = train(model="llama 3.1 70b", gpus=64, **layout)
    fast = train(model="llama 3.1 70b", gpus=64, precision="fp8", **layout)
    assert 1.2 < fast.tokens_per_s_per_gpu / slow.tokens_per_s_per_gpu < 2.0


def test_an_uncalibrated_gpu_says_so() -> None:
    assert train(model="llama 3.1 8b", gpu="mi300x", gpus=8).basis == "extrapolated"


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({}, "model"),
        ({"layers": 10}, "hidden"),
        ({"model": "llama 3.1 70b", "gpus": 64, "tensor_parallel": 7}, "tensor_parallel"),
        ({"model": "llama 3.1 70b", "gpus": 64, "tensor_parallel": 8, "pipeline_parallel": 3}, "gpus"),
        ({"model": "llama 3.1 70b", "gpus": 256, "pipeline_parallel": 128}, "pipeline_parallel"),
        ({"model": "llama 3.1 70b", "gpus": 64, "expert_parallel": 8}, "expert_parallel"),
        ({"model": "llama 3.1 70b", "gpus": 64, "optimizer": "adamwww"}, "optimizer"),
        ({"model": "llama 3.1 70b", "gpus": 64, "gpu": "a100-sxm-80gb", "precision": "fp8"}, "precision"),
        (
            {
                "model": "llama 3.1 70b",
                "gpus": 64,
                "tensor_parallel": 8,
                "pipeline_parallel": 1,
                "context_parallel": 1,
                "global_batch": 13,
            },
            "global_batch",
        ),
        ({"model": "llama 3.1 70b", "gpus": 64, "virtual_pipeline": 2, "schedule": "1f1b"}, "schedule"),
        ({"model": "llama 3.1 70b", "gpus": 60, "pipeline_parallel": 5, "schedule": "dualpipe"}, "pipeline_parallel"),
        ({"parameters": 5, "gpus": 8}, "parameters"),
        ({"layers": 2, "hidden": 64, "heads": 2, "experts": 4, "gpus": 8}, "experts_per_token"),
    ],
)
def test_impossible_requests_name_the_field(fields: dict[str, object], field: str) -> None:
    with pytest.raises(BadInput) as caught:
        train(**fields)
    assert caught.value.field == field


def test_a_batch_that_no_rank_can_share_is_refused() -> None:
    with pytest.raises(BadInput):
        train(model="llama 3.1 8b", gpus=64, tensor_parallel=1, pipeline_parallel=1, global_batch=7)


def test_every_formula_of_a_trace_is_known() -> None:
    trace = Trace()
    request = TrainRequest(model="llama 3.1 70b", gpu="h100-sxm-80gb", gpus=256, tokens=1e12)
    estimate_train(request, CATALOGUE, trace)
    assert set(trace.steps) >= {"memory_gib_per_gpu", "mfu", "step_time_s", "days", "checkpoint_gb"}
    formulas = CATALOGUE.entries("formulas")
    assert all(step.formula in formulas for step in trace.steps.values())


def test_a_trace_changes_no_figure() -> None:
    request = TrainRequest(model="llama 3.1 8b", gpu="h100-sxm-80gb", gpus=8)
    assert estimate_train(request, CATALOGUE, Trace()) == estimate_train(request, CATALOGUE)


def test_zero_three_shards_everything() -> None:
    result = train(model="llama 3.1 8b", gpus=64, sharding=Sharding.ZERO3, recompute=Recompute.FULL, micro_batch=1)
    assert result.state_gib_per_gpu == pytest.approx(8.03e9 * 16 / 64 / 2**30, rel=0.001)
