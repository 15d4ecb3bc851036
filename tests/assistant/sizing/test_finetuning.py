"""Fine-tuning estimates against published runs and hand calculations."""

from __future__ import annotations

import pytest

from assistant.sizing.trace import Trace
from assistant.sizing.training.finetuning.estimate import FinetuneRequest, FinetuneResult, estimate_finetune
from assistant.sizing.training.finetuning.memory import Method, Offload, Targets, Tuning, adapter_parameters
from assistant.sizing.training.parts.shape import Shape
from knowledge.catalogue import load_catalogue
from knowledge.errors import BadInput

CATALOGUE = load_catalogue()
LLAMA_2_7B = Shape(32, 4096, 11008, 32, 32, 128, 128, 32_000)


def tune(**fields: object) -> FinetuneResult:
    request = FinetuneRequest.model_validate({"gpu": "a100-sxm-80gb", "model": "meta-llama/Llama-2-7b-hf", **fields})
    return estimate_finetune(request, CATALOGUE)


def test_adapters_by_hand() -> None:
    """Rank 8 on query and value of Llama 2 7B: 32 x 8 x 2 x (4096 + 4096) = 4,194,304 (litgpt prints as many)."""
    tuning = Tuning(Method.LORA, 8, Targets.QUERY_VALUE, Offload.NONE)
    assert adapter_parameters(LLAMA_2_7B, tuning) == 4_194_304


def test_adapters_on_all_linear_layers_by_hand() -> None:
    """32 x 8 x (4 x 8192 + 3 x (4096 + 11008)) = 19,988,480, as PEFT prints."""
    tuning = Tuning(Method.LORA, 8, Targets.ALL, Offload.NONE)
    assert adapter_parameters(LLAMA_2_7B, tuning) == 19_988_480


@pytest.mark.parametrize(
    ("fields", "gib"),
    [
        # litgpt, Llama 2 7B and 13B with LoRA on one A100, longest sample 1,304 tokens (resource tables, GB x 0.931).
        ({"method": "lora", "rank": 8, "micro_batch": 1, "sequence": 1304, "recompute": "none"}, 21.3 * 0.931),
        ({"method": "lora", "rank": 8, "micro_batch": 2, "sequence": 1304, "recompute": "none"}, 29.07 * 0.931),
        (
            {
                "model": "meta-llama/Llama-2-13b-hf",
                "method": "lora",
                "rank": 8,
                "micro_batch": 1,
                "sequence": 1304,
                "recompute": "none",
            },
            38.12 * 0.931,
        ),
    ],
)
def test_litgpt_lora_memory(fields: dict[str, object], gib: float) -> None:
    assert tune(gpus=1, **fields).memory_gib_per_gpu == pytest.approx(gib, rel=0.15)


def test_qlora_saves_most_of_the_weights() -> None:
    """Llama 2 7B: 13.5 GB in 16 bits; NF4 leaves 6.48 B x 0.516 + 0.26 B x 2 = 3.9 GB with recomputation,
    and rank-16 adapters on all linear layers 40 M x 10 bytes."""
    result = tune(method="qlora", gpus=1, micro_batch=1, sequence=512, recompute="full")
    assert result.state_gib_per_gpu * 2**30 / 1e9 == pytest.approx(3.87 + 0.40, rel=0.03)


def test_full_fine_tuning_on_several_gpus_has_16_bytes_a_parameter() -> None:
    result = tune(method="full", gpus=8, sharding="zero3", recompute="full", micro_batch=1)
    assert result.state_gib_per_gpu * 2**30 / 1e9 == pytest.approx(6.74 * 16 / 8, rel=0.01)


def test_fewest_gpus_order() -> None:
    """LoRA needs no more than full, QLoRA no more than LoRA; a 70B full does not fit eight 80 GB cards (1,129 GB)."""
    counts = [
        tune(model="llama 3.1 70b", gpu="h100", gpus=8, method=method).minimum_gpus or 0
        for method in ("qlora", "lora", "full")
    ]
    assert counts == sorted(counts)
    assert counts[0] == 1
    assert counts[2] >= 16


@pytest.mark.parametrize(
    ("model", "gpu", "method", "fewest"),
    [
        ("llama 2 70b", "l40s", "qlora", 1),  # QLoRA paper: 65 B with this vocabulary on one 48 GB card
        ("llama 3.1 70b", "h100", "lora", 2),  # 141 GB of weights
        ("llama 3.1 70b", "h100", "full", 16),  # 1,129 GB of state
        ("llama 3.1 8b", "h100", "full", 2),  # 128 GB
        ("llama 3.1 8b", "rtx-4090", "lora", 1),  # torchtune
        ("deepseek-v3", "h100", "lora", 32),  # 1,342 GB of weights: 17 cards and up
    ],
)
def test_fewest_gpus(model: str, gpu: str, method: str, fewest: int) -> None:
    assert tune(model=model, gpu=gpu, method=method).minimum_gpus == fewest


def test_offload_moves_state_to_the_host() -> None:
    held = tune(method="full", gpus=8, sharding="zero3")
    moved = tune(method="full", gpus=8, sharding="zero3", offload="optimizer")
    assert moved.state_gib_per_gpu < held.state_gib_per_gpu / 3
    assert held.host_ram_gb == 0
    assert moved.host_ram_gb == pytest.approx(1.5 * 12 * 6.74, rel=0.01)


def test_who_modifies_a_model_has_a_third_of_the_limits() -> None:
    """6 x 70.55e9 x 1e11 = 4.2e22 FLOP: above a third of 10^23."""
    found = tune(model="llama 3.1 70b", gpu="h100", gpus=64, method="full", tokens="100B").obligations
    assert [limit.threshold for limit in found] == [3.3e22, 3.3e24]
    assert [limit.reached for limit in found] == [True, False]


def test_lora_saves_adapters_only() -> None:
    assert tune(method="lora", gpus=1).checkpoint_gb < 1
    assert tune(method="full", gpus=8).checkpoint_gb > 90


def test_lora_is_faster_than_full() -> None:
    """Frozen weights need no gradient: 4 N FLOP a token, not 6 N."""
    layout = {"gpus": 8, "micro_batch": 1, "recompute": "full", "sharding": "zero3", "global_batch": 64}
    ratio = tune(method="lora", **layout).tokens_per_s_per_gpu / tune(method="full", **layout).tokens_per_s_per_gpu
    assert 1.1 < ratio < 1.6


@pytest.mark.parametrize(
    ("model", "method", "gpus", "tensor", "pipeline", "published"),
    [
        ("meta-llama/Llama-2-7b-hf", "full", 8, 1, 1, 17120),
        ("meta-llama/Llama-2-13b-hf", "full", 8, 1, 4, 9741),
        ("meta-llama/Llama-2-7b-hf", "lora", 8, 1, 1, 25206),
        ("meta-llama/Llama-2-13b-hf", "lora", 8, 1, 1, 14161),
        ("llama 2 70b", "lora", 8, 2, 4, 2557),
    ],
)
def test_speed_of_nemo_fine_tuning(
    model: str, method: str, gpus: int, tensor: int, pipeline: int, published: float
) -> None:
    """NeMo 24.07 on H100 in FP8: 32 packed sequences of 4,096 tokens; tokens/s and GPU."""
    result = tune(
        model=model,
        method=method,
        gpu="h100",
        gpus=gpus,
        tensor_parallel=tensor,
        pipeline_parallel=pipeline,
        micro_batch=1,
        global_batch=32,
        sequence=4096,
        precision="fp8",
        framework="megatron",
    )
    assert result.fits
    assert result.tokens_per_s_per_gpu == pytest.approx(published, rel=0.1)


@pytest.mark.parametrize(
    ("fields", "gib"),
    [
        # torchtune's table: Llama 3.1 8B, two packed sequences of 2,048 tokens, compiled, chunked loss.
        ({"method": "full", "gpu": "rtx-a6000", "optimizer": "adamw_8bit"}, 37.4),
        ({"method": "lora", "rank": 8, "gpu": "rtx-4090"}, 16.2),
        ({"model": "llama 3.1 70b", "method": "lora", "rank": 8, "gpus": 8, "sharding": "zero3"}, 27.6),
    ],
)
def test_torchtune_with_its_habits(fields: dict[str, object], gib: float) -> None:
    base = {"model": "llama 3.1 8b", "gpus": 1, "micro_batch": 2, "sequence": 2048, "framework": "torchtune"}
    assert tune(**{**base, **fields}).memory_gib_per_gpu == pytest.approx(gib, rel=0.2)


def test_litgpt_loads_the_whole_model_on_each_gpu() -> None:
    """13 B with LoRA on four A100 40 GB: 35.57 GB a GPU where the shards alone are 6."""
    result = tune(
        model="meta-llama/Llama-2-13b-hf",
        gpu="a100-sxm-40gb",
        gpus=4,
        rank=8,
        micro_batch=1,
        sequence=1304,
        sharding="zero3",
        framework="litgpt",
    )
    assert result.memory_gib_per_gpu == pytest.approx(35.57 * 0.931, rel=0.1)


def test_an_unknown_framework_names_the_nearest() -> None:
    with pytest.raises(BadInput) as caught:
        tune(framework="torchtone")
    assert caught.value.field == "framework"
    assert "torchtune" in caught.value.nearest


def test_every_formula_of_a_trace_is_known() -> None:
    trace = Trace()
    estimate_finetune(FinetuneRequest(model="llama 3.1 8b", gpu="h100", gpus=1), CATALOGUE, trace)
    assert trace.steps
    formulas = CATALOGUE.entries("formulas")
    assert all(step.formula in formulas for step in trace.steps.values())


@pytest.mark.parametrize(
    ("model", "gpu", "gpus", "sequence"),
    [
        ("qwen2.5-3b", "rtx-3090", 4, 512),  # LLaMA-Factory issue 6752
        ("qwen3-32b", "h200", 8, 1024),  # LLaMA-Factory issue 8642: in the optimizer's step
    ],
)
def test_zero2_runs_that_ran_out_of_memory_in_the_step(model: str, gpu: str, gpus: int, sequence: int) -> None:
    request = FinetuneRequest(
        model=model, gpu=gpu, gpus=gpus, method="full", sharding="zero2", micro_batch=1, sequence=sequence,
        framework="llama-factory",
    )  # fmt: skip
    found = estimate_finetune(request, CATALOGUE)
    assert not found.fits
    assert found.fullest_stage == 0
    step = next(peak for peak in found.peaks if peak.when.id == "training.peak.step")
    assert step.fits is False


def test_the_step_under_zero2_by_hand() -> None:
    """3.086e9 parameters over four ranks: 2 bytes of weights each, a quarter of 12 bytes of AdamW's state, a quarter of
    8 bytes while it steps, two buckets of 1e9 bytes, 0.8 GiB of the process, 4 % of fragments and 1 GiB of contexts:
    ((6.17 + 9.26 + 6.17 + 2.0) GB / 1.0737 + 0.8) x 1.04 + 1 = 24.7 GiB.
    """
    request = FinetuneRequest(
        model="qwen2.5-3b", gpu="a100-80gb", gpus=4, method="full", sharding="zero2", micro_batch=1, sequence=512
    )
    found = estimate_finetune(request, CATALOGUE)
    assert found.fits
    assert found.device_gib_per_gpu == pytest.approx(24.7, rel=0.01)


def test_adapters_on_an_eight_bit_base() -> None:
    """unsloth issue 2366: Gemma 3 12B with an 8-bit base on one H100 runs sequences of 14,000 and not of 15,000 tokens.

    The error of fine-tuning memory is 10 % in the median (docs/accuracy.md): 15,000 must come within it of the card.
    """

    def found(sequence: int) -> FinetuneResult:
        request = FinetuneRequest(
            model="gemma-3-12b", gpu="h100", gpus=1, method="8bit_lora", micro_batch=1, sequence=sequence,
            framework="unsloth", loss_chunking=False,
        )  # fmt: skip
        return estimate_finetune(request, CATALOGUE)

    assert found(14_000).fits
    assert found(15_000).device_gib_per_gpu > 79.2 / 1.1
    # 12.2e9 parameters of one byte, of which 1.0e9 of the embedding in two: 12.3 GiB and the adapters.
    assert found(14_000).state_gib_per_gpu == pytest.approx(12.9, rel=0.03)
