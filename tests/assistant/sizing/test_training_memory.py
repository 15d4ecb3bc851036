"""Training memory against the table of Korthikanti et al. and Megatron-LM's own logs."""

from __future__ import annotations

import pytest

from assistant.sizing.training.arithmetic.memory import (
    GIB,
    Recipe,
    layer_activation_bytes,
    logits_bytes,
    state_bytes,
    train_memory,
)
from assistant.sizing.training.parts.plan import Plan, Precision, Recompute, Sharding
from assistant.sizing.training.parts.schedule import held_micro_batches
from assistant.sizing.training.parts.shape import Shape
from knowledge.calibration.training import training_constants

MEMORY = training_constants().memory
GPT_22B = Shape(48, 6144, 24576, 64, 64, 96, 96, 51200, gated=False, tied=True)
GPT_175B = Shape(96, 12288, 49152, 96, 96, 128, 128, 51200, gated=False, tied=True)
BASE = Plan(
    tensor=8,
    pipeline=1,
    context=1,
    expert=1,
    data=1,
    virtual=1,
    micro_batch=4,
    global_batch=4,
    sequence=2048,
    sequence_parallel=False,
    sharding=Sharding.NONE,
    recompute=Recompute.NONE,
    precision=Precision.FP16,
    flash=False,
    dropout=True,
)


@pytest.mark.parametrize(
    ("sequence_parallel", "recompute", "factor"),
    [
        # Table 2, in s b h bytes a layer, with a = 64, s = 2048, h = 6144, t = 8: 5 a s / h = 106.7.
        (False, Recompute.NONE, 10 + 24 / 8 + 5 * 64 * 2048 / (6144 * 8)),
        (True, Recompute.NONE, 34 / 8 + 5 * 64 * 2048 / (6144 * 8)),
        (False, Recompute.SELECTIVE, 10 + 24 / 8),
        (True, Recompute.SELECTIVE, 34 / 8),
    ],
)
def test_activations_of_korthikanti_table_2(sequence_parallel: bool, recompute: Recompute, factor: float) -> None:
    plan = BASE._replace(sequence_parallel=sequence_parallel, recompute=recompute)
    assert layer_activation_bytes(GPT_22B, plan, False) == pytest.approx(factor * 2048 * 4 * 6144)


def test_flash_attention_takes_the_quadratic_term_away() -> None:
    plan = BASE._replace(sequence_parallel=True, flash=True)
    assert layer_activation_bytes(GPT_22B, plan, False) == pytest.approx(34 / 8 * 2048 * 4 * 6144)


def test_first_stage_holds_as_many_micro_batches_as_the_pipeline_is_deep() -> None:
    """Section 4.2.3: with interleaving L (1 + (p - 1) / (p m)) layers' worth of activations."""
    deep = BASE._replace(pipeline=8, micro_batch=1, global_batch=64)
    assert held_micro_batches(deep, 0) == 8
    assert held_micro_batches(deep, 7) == 1
    assert held_micro_batches(deep._replace(virtual=3), 0) == pytest.approx(8 * (1 + 7 / 24))
    assert held_micro_batches(deep._replace(global_batch=2), 0) == 2


@pytest.mark.parametrize(
    ("recipe", "sharding", "ranks", "expected"),
    [
        (Recipe("adamw", 2, 2, 12), Sharding.NONE, 64, 16.0),
        (Recipe("adamw", 2, 2, 12), Sharding.ZERO1, 64, 4 + 12 / 64),  # ZeRO paper, figure 1: 31.4 GB for 7.5 B
        (Recipe("adamw", 2, 2, 12), Sharding.ZERO2, 64, 2 + 14 / 64),  # 16.6 GB
        (Recipe("adamw", 2, 2, 12), Sharding.ZERO3, 64, 16 / 64),  # 1.9 GB
        (Recipe("adamw_fp32_gradients", 2, 4, 12), Sharding.ZERO1, 8, 6 + 12 / 8),
    ],
)
def test_state_bytes_a_parameter(recipe: Recipe, sharding: Sharding, ranks: int, expected: float) -> None:
    plan = BASE._replace(tensor=1, data=ranks, sharding=sharding)
    assert state_bytes(GPT_22B, plan, recipe) / GPT_22B.parameters == pytest.approx(expected, rel=0.001)


def test_zero_paper_figure_1() -> None:
    """7.5 B parameters on 64 ranks: 120, 31.4, 16.6 and 1.9 GB."""
    factors = {Sharding.NONE: 120, Sharding.ZERO1: 31.4, Sharding.ZERO2: 16.6, Sharding.ZERO3: 1.9}
    for sharding, gb in factors.items():
        plan = BASE._replace(tensor=1, data=64, sharding=sharding)
        per_parameter = state_bytes(GPT_22B, plan, Recipe("adamw", 2, 2, 12)) / GPT_22B.parameters
        assert per_parameter * 7.5 == pytest.approx(gb, rel=0.02)


def test_state_of_megatron_tp4_log() -> None:
    """Megatron-LM CI: 6.7 B (32 layers, 8 query groups, vocabulary 131,073), TP4 DP2: 19.217 GiB after the step."""
    shape = Shape(32, 4096, 16384, 32, 8, 128, 128, 131_073, gated=False)
    plan = BASE._replace(
        tensor=4, data=2, sharding=Sharding.ZERO1, sequence=8192, micro_batch=2, dropout=False, flash=True
    )
    recipe = Recipe("adamw_fp32_gradients", 2, 4, 12)
    assert state_bytes(shape, plan, recipe) / GIB == pytest.approx(19.217, rel=0.03)
    peak = train_memory(shape, plan, recipe, MEMORY).fullest.allocated / GIB
    assert peak == pytest.approx(54.192, rel=0.1)


def test_logits_are_not_forgotten() -> None:
    """torchtitan 8B at 32,768 local tokens: peers said 29 to 33 GiB, measured 83.9; logits alone are 50 GiB of it."""
    shape = Shape(32, 4096, 14336, 32, 8, 128, 128, 128_256)
    plan = BASE._replace(tensor=1, micro_batch=1, sequence=32_768, flash=True)
    assert logits_bytes(shape, plan, MEMORY) / GIB == pytest.approx(32_768 * 128_256 * 13 / GIB)
    chunked = logits_bytes(shape, plan._replace(chunked_loss=True), MEMORY)
    assert chunked < logits_bytes(shape, plan, MEMORY) / 4


def test_the_fuller_end_of_the_pipeline_is_the_answer() -> None:
    plan = BASE._replace(
        pipeline=8, micro_batch=1, global_batch=64, sequence_parallel=True, recompute=Recompute.SELECTIVE
    )
    memory = train_memory(GPT_175B, plan, Recipe("adamw", 2, 2, 12), MEMORY)
    assert memory.fullest is memory.stages[0]
    assert memory.stages[-1].logits > 0 == memory.stages[0].logits


def test_counted_parameters_of_published_models() -> None:
    """Llama 3.1 70B has 70.55 B, 8B 8.03 B parameters; GPT-3 175 B by 12 L h^2 and the vocabulary."""
    assert Shape(80, 8192, 28672, 64, 8, 128, 128, 128_256).parameters == pytest.approx(70.55e9, rel=1e-3)
    assert Shape(32, 4096, 14336, 32, 8, 128, 128, 128_256).parameters == pytest.approx(8.03e9, rel=1e-3)
    assert GPT_175B.parameters == pytest.approx(12 * 96 * 12288**2 + 51200 * 12288, rel=1e-4)


def test_active_parameters_of_mixtral() -> None:
    """Mixtral 8x7B: 46.7 B in all, 12.9 B active (Mistral)."""
    mixtral = Shape(32, 4096, 0, 32, 8, 128, 128, 32_000, experts=8, top_k=2, expert_intermediate=14336, moe_layers=32)
    assert mixtral.parameters == pytest.approx(46.7e9, rel=0.002)
    assert mixtral.active_parameters == pytest.approx(12.9e9, rel=0.002)
