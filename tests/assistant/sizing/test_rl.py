"""Reinforcement learning against NeMo RL's published runs and hand calculations."""

from __future__ import annotations

import statistics

import pytest

from assistant.messages import render
from assistant.sizing.trace import Trace
from assistant.sizing.training.rl.estimate import estimate_rl
from assistant.sizing.training.rl.request import RLRequest, RLResult
from assistant.validation.training_points import rl_points
from knowledge.catalogue import load_catalogue
from knowledge.errors import BadInput

CATALOGUE = load_catalogue()


def learn(**fields: object) -> RLResult:
    request = RLRequest.model_validate({"gpu": "h100", "model": "llama 3.1 8b", "gpus": 16, **fields})
    return estimate_rl(request, CATALOGUE)


def test_published_runs_of_the_half_that_set_no_constant() -> None:
    """NeMo RL v0.6 on GB200: six rows from 62 to 345 s a step."""
    ratios = [estimate_rl(run, CATALOGUE).step_time_s / seconds for _, run, seconds in rl_points("test")]
    assert len(ratios) == 7
    assert statistics.median(abs(ratio - 1) for ratio in ratios) <= 0.30
    assert all(0.5 < ratio < 2.0 for ratio in ratios)


def test_tokens_of_a_step_by_hand() -> None:
    """64 prompts x 32 responses of 200 + 860 tokens = 2,170,880; a million steps' worth of tokens in two steps."""
    result = learn(prompt_tokens=200, response_tokens=860, tokens=2 * 2_170_880)
    assert result.sequences_per_step == 2048
    assert result.tokens_per_step == 2_170_880
    assert result.steps == 2
    assert result.days == pytest.approx(2 * result.step_time_s / 86400)


def test_ppo_has_four_models() -> None:
    """Policy and value model with 18 bytes a parameter (FP32 gradients), reference and a 7 B reward model with 2."""
    models = {role.role: role for role in learn(algorithm="ppo").models}
    assert set(models) == {"policy", "reference", "reward", "value"}
    gib = 2**30
    assert models["policy"].state_gib == pytest.approx(8.03e9 * 18 / gib, rel=0.001)
    assert models["value"].state_gib == pytest.approx(models["policy"].state_gib)
    assert models["reference"].state_gib == pytest.approx(8.03e9 * 2 / gib, rel=0.001)
    assert models["reward"].state_gib == pytest.approx(7e9 * 2 / gib)


def test_adapters_need_no_reference_model() -> None:
    assert [role.role for role in learn(method="lora").models] == ["policy"]
    assert [role.role for role in learn(reference=False).models] == ["policy"]


def test_dpo_generates_nothing() -> None:
    result = learn(algorithm="dpo")
    assert result.step.rollout == 0
    assert result.step.refit == 0
    assert result.rollout_gpus == 0
    assert result.sequences_per_step == 2 * 128


def test_parts_add_up_and_overlap_where_asynchronous() -> None:
    here, apart = learn(), learn(asynchronous=True)
    assert here.step_time_s == pytest.approx(sum(here.step.model_dump().values()))
    training = apart.step.score + apart.step.train
    assert apart.step_time_s == pytest.approx(max(apart.step.rollout, training) + apart.step.refit)
    assert apart.rollout_gpus + apart.train_gpus == 16


def test_the_long_tail_costs() -> None:
    """The longest response runs alone at the end: a longer one makes the same tokens slower."""
    short, long = learn(response_max_tokens=2048), learn(response_max_tokens=8192)
    assert long.step.rollout > 1.5 * short.step.rollout


def test_more_gpus_are_faster_a_step_but_never_in_proportion() -> None:
    few, many = learn(), learn(gpus=64)
    assert few.step_time_s / 4 < many.step_time_s < few.step_time_s


def test_a_misfit_names_the_phase_and_a_fix() -> None:
    result = learn(model="llama 3.1 405b", gpus=8)
    assert not result.fits
    assert result.why_not
    assert result.nearest_fix


def test_a_fix_for_rollouts_is_tried_by_the_same_arithmetic() -> None:
    """8 B in 16 bits is 16 GB: beside it a 16 GB card holds nothing, two hold a half each."""
    result = learn(gpu="t4", gpus=1, method="qlora", response_tokens=256)
    assert not result.fits
    assert result.nearest_fix
    fix = render(result.nearest_fix)
    gpus = int(fix.split()[0]) if "GPUs" in fix else 1
    change = {"rollout_dtype": "fp8"} if "fp8" in fix else {}
    assert learn(gpu="t4", gpus=gpus, method="qlora", response_tokens=256, **change).fits


def test_the_fewest_gpus_are_found() -> None:
    assert learn(gpus=None, algorithm="dpo", method="lora").gpus == 1


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"response_max_tokens": 5}, "response_max_tokens"),
        ({"algorithm": "dpo", "responses_per_prompt": 3}, "responses_per_prompt"),
        ({"asynchronous": True, "rollout_gpus": 16}, "rollout_gpus"),
        ({"tensor_parallel": 7}, "tensor_parallel"),
        ({"model": "lama 9"}, "models"),
    ],
)
def test_impossible_requests_name_the_field(fields: dict[str, object], field: str) -> None:
    with pytest.raises(BadInput) as caught:
        learn(**fields)
    assert caught.value.field in (field, "model")


def test_every_formula_of_a_trace_is_known() -> None:
    trace = Trace()
    request = RLRequest.model_validate({"model": "llama 3.1 8b", "gpu": "h100", "gpus": 16, "tokens": 1e9})
    estimate_rl(request, CATALOGUE, trace)
    assert set(trace.steps) >= {"step_time_s", "rollout_share", "days"}
    formulas = CATALOGUE.entries("formulas")
    assert all(step.formula in formulas for step in trace.steps.values())
