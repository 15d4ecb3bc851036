"""Choices under the names that logs, benchmarks and training configurations give them."""

from __future__ import annotations

import pytest

from assistant.requests.fields import build
from assistant.sizing.training.finetuning.estimate import FinetuneRequest
from assistant.sizing.training.parts.request import TrainRequest
from assistant.sizing.training.rl.request import RLRequest
from knowledge.errors import BadInput

JOB = {"model": "llama 3 8b", "gpu": "h100"}


@pytest.mark.parametrize(
    ("field", "written", "meant"),
    [
        ("precision", "BF16", "bf16"),
        ("precision", "amp_bf16", "bf16"),  # Composer (llm-foundry)
        ("precision", "bf16-mixed", "bf16"),  # Lightning
        ("precision", "fp16 mixed", "fp16"),
        ("precision", "FP8-CS", "fp8"),  # Megatron-Bridge: current scaling
        ("precision", "FP8-MX", "mxfp8"),  # Megatron-Bridge: MXFP8
        ("precision", "NVFP4", "nvfp4"),
        ("sharding", "ZeRO-3", "zero3"),  # DeepSpeed
        ("sharding", "deepspeed zero2", "zero2"),
        ("sharding", 3, "zero3"),  # DeepSpeed: "stage": 3
        ("sharding", "FULL_SHARD", "zero3"),  # PyTorch FSDP
        ("sharding", "SHARD_GRAD_OP", "zero2"),  # PyTorch FSDP
        ("sharding", "DDP", "none"),
        ("recompute", True, "full"),  # Transformers: gradient_checkpointing: true
        ("recompute", "no", "none"),
        ("recompute", "Selective", "selective"),
        ("schedule", "1F1B", "1f1b"),
        ("saving", "asynchronous", "async"),
    ],
)
def test_a_choice_under_another_name(field: str, written: object, meant: str) -> None:
    assert getattr(build(TrainRequest, JOB | {field: written}), field).value == meant


def test_methods_and_algorithms() -> None:
    assert build(FinetuneRequest, JOB | {"method": "QLoRA"}).method.value == "qlora"
    assert build(FinetuneRequest, JOB | {"method": "SFT"}).method.value == "full"
    assert build(RLRequest, JOB | {"algorithm": "RLOO"}).algorithm.value == "grpo"


@pytest.mark.parametrize(
    ("field", "written"), [("precision", "bf15"), ("sharding", 4), ("recompute", "sometimes"), ("schedule", "")]
)
def test_what_is_no_choice_is_refused_or_left_out(field: str, written: object) -> None:
    if written == "":
        assert getattr(build(TrainRequest, JOB | {field: written}), field) is None
        return
    with pytest.raises(BadInput) as error:
        build(TrainRequest, JOB | {field: written})
    assert error.value.field == field


def test_yes_is_no_number() -> None:
    """vLLM's --enable-expert-parallel is a switch; here it is a count, and true is not one."""
    with pytest.raises(BadInput, match="number"):
        build(TrainRequest, JOB | {"expert_parallel": True})
