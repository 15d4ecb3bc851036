"""What a training request may say together, and what it is refused for."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.messages import render
from assistant.requests.fields import build
from assistant.sizing.reliability import ReliabilityRequest, estimate_reliability
from assistant.sizing.training.estimate import estimate_train
from assistant.sizing.training.finetuning.estimate import FinetuneRequest, estimate_finetune
from assistant.sizing.training.parts.request import TrainRequest, TrainResult
from assistant.sizing.training.rl.estimate import estimate_rl
from assistant.sizing.training.rl.request import RLRequest
from knowledge.catalogue import load_catalogue
from knowledge.errors import BadInput


def train(**fields: Any) -> TrainResult:
    return estimate_train(build(TrainRequest, fields), load_catalogue())


def test_a_name_that_nobody_published_beside_its_shape() -> None:
    """176,247,271,424 parameters of BLOOM (its paper): 70 layers of 14,336 with 112 heads, 250,880 words. The shape
    without BLOOM's name is that of a GPT with positions by ALiBi: 12 L h^2 + V h = 172.6e9 + 3.6e9.
    """
    shape = {"layers": 70, "hidden": 14336, "heads": 112, "vocabulary": 250880, "tied": True}
    result = train(model="BLOOM candidate 7", **shape, gpu="a100-80gb", gpus=384)
    assert result.parameters == pytest.approx(176.2e9, rel=0.005)
    assert any("BLOOM candidate 7 is in no catalogue" in note for note in map(render, result.assumptions))


def test_a_name_alone_that_nobody_published_is_refused() -> None:
    with pytest.raises(BadInput, match="model"):
        train(model="BLOOM candidate 7", gpu="a100-80gb", gpus=384)


def test_a_known_model_keeps_its_shape_and_says_so() -> None:
    """Llama 3 8B has 8.03e9 parameters and 32 layers; a size rounded to 8 B contradicts nothing."""
    result = train(model="llama 3 8b", layers=12, parameters="8B", gpu="h100", gpus=8)
    assert result.parameters == pytest.approx(8.03e9, rel=0.001)
    assert [
        note
        for note in map(render, result.assumptions)
        if "not used" in note and "layers 12" in note and "par" not in note
    ]


def test_a_pipeline_over_a_network_too_slow_for_its_activations() -> None:
    """Llama 3 8B, 8 stages over 8 nodes, one sequence of 8,192 at a time: 2 ways x 2 bytes x 8,192 x 4,096 = 134 MB a
    micro-batch. At 0.05 GB/s that is 2.7 s, far more than an eighth of the model computes: 6 x 1e9 x 8,192 FLOP, 0.1 s.
    """
    layout = {"pipeline_parallel": 8, "data_parallel": 8, "virtual_pipeline": 1, "micro_batch": 1, "global_batch": 512}
    asked = {"model": "llama 3 8b", "gpu": "h100", "gpus": 64, "sequence": 8192} | layout
    slow, fast = train(**asked, network_gb_per_s=0.05), train(**asked, network_gb_per_s=50)
    assert fast.step.pipeline_parallel == 0
    assert slow.step.pipeline_parallel > 64 * (2.7 - 0.3)  # 512 / 8 micro-batches


def test_a_run_that_no_one_waits_for_has_no_end() -> None:
    """1e15 tokens at some 1e5 a second are 1e10 s, 116,000 days."""
    asked = {"model": "llama 3 8b", "gpu": "h100", "gpus": 8, "tokens": 1e15}
    result = estimate_finetune(build(FinetuneRequest, asked), load_catalogue())
    assert result.days is not None
    assert result.days > 100_000
    assert result.days_with_failures is None


def test_preemptions_without_spot_nodes_are_no_answer() -> None:
    with pytest.raises(BadInput, match="spot"):
        estimate_reliability(ReliabilityRequest(gpus=1024, preemptions_per_1000_node_days=50))


def test_a_rollout_format_is_refused_under_its_own_name() -> None:
    asked = {"model": "llama 3 8b", "gpu": "h100", "gpus": 16, "rollout_dtype": "bf15"}
    with pytest.raises(BadInput, match="rollout_dtype"):
        estimate_rl(build(RLRequest, asked), load_catalogue())


def test_hopper_has_no_units_for_mxfp8() -> None:
    """Transformer Engine's MXFP8 recipe wants compute capability 10.0, Blackwell's; H100 has 9.0 and trains in FP8."""
    with pytest.raises(BadInput, match="precision") as error:
        train(model="llama 3 8b", gpu="h100", gpus=8, precision="mxfp8")
    assert "mxfp8" not in error.value.expected
    assert train(model="llama 3 8b", gpu="b200", gpus=8, precision="mxfp8").tflops_per_gpu > 0


def test_what_was_switched_on_unasked_stands_first() -> None:
    """131,072 tokens of an 8B on eight GPUs of 80 GB: 128,256 x 131,072 logits of four bytes are 63 GiB unsplit."""
    asked: dict[str, Any] = {"model": "llama-3.1-8b-instruct", "gpu": "h100", "gpus": 8, "sequence": 131_072}
    found = estimate_train(TrainRequest(**asked), load_catalogue())
    assert found.layout.loss_chunking
    assert found.assumptions[0].id == "training.on.loss_chunking"
    stated = estimate_train(TrainRequest(**asked, loss_chunking=True), load_catalogue())
    assert all(note.id != "training.on.loss_chunking" for note in stated.assumptions)
