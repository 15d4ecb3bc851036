"""Several models trained, ranges of tokens and days, and reinforcement learning, from a demand to GPUs."""

from __future__ import annotations

import pytest

from assistant.messages import render
from assistant.planning.count.needs.need import Level, Need
from assistant.planning.count.needs.training import training_needs
from assistant.planning.demands.demand import ModelUse, TrainingDemand
from assistant.sizing.load import Band
from knowledge.architecture import architecture_of
from knowledge.catalogue import load_catalogue

CATALOGUE = load_catalogue()
H100 = CATALOGUE.accelerator("h100")


def demand(name: str, tokens: Band, days: Band, method: str = "full", **more: object) -> TrainingDemand:
    model = CATALOGUE.model(name)
    use = ModelUse(
        name=model.name, id=model.id, params_b=(model.total_params or 0) / 1e9, architecture=architecture_of(model)
    )
    return TrainingDemand.model_validate({"method": method, "model": use, "tokens": tokens, "days": days, **more})


def fixed(value: float) -> Band:
    return Band(low=value, likely=value, high=value)


def needs(*demands: TrainingDemand, at: Level = "likely", gpus: int | None = None) -> tuple[Need, ...]:
    return training_needs(demands, at, H100, 8, CATALOGUE, gpus)


def test_several_models_take_turns_on_the_same_gpus() -> None:
    small = demand("llama 3.1 8b", fixed(1e9), fixed(3))
    large = demand("llama 3.1 70b", fixed(1e9), fixed(3))
    found = needs(small, large)
    assert [need.in_turn for need in found] == [True, False]
    assert sum(need.gpus for need in found) == found[1].gpus_per_replica
    days = sum(float(need.figures["days_with_failures"]) for need in found)
    assert days <= 3
    assert any("take turns" in render(cause) for cause in found[1].causes)


def test_on_named_gpus_the_jobs_together_may_be_late() -> None:
    jobs = [demand(name, fixed(2e11), fixed(10), deadline_stated=True) for name in ("llama 3.1 8b", "llama 3.1 70b")]
    found = needs(*jobs, gpus=64)
    total = sum(float(need.figures["days_with_failures"]) for need in found)
    assert total > 10
    assert all(need.late and f"{total:.3g} days" in render(need.late) for need in found)


def test_tokens_and_days_are_swept_together() -> None:
    """From a tenth of the tokens in twice the time to ten times in half: a factor of 400 of work a day in all."""
    job = demand("llama 3.1 8b", Band(low=1e10, likely=1e11, high=1e12), Band(low=15, likely=30, high=60))
    low, likely, high = (needs(job, at=at)[0].gpus for at in ("low", "likely", "high"))
    assert low <= likely < high
    assert high / likely == pytest.approx(20, rel=0.4)


def test_a_stated_context_is_the_sequence_trained_on() -> None:
    job = demand("llama 3.1 8b", fixed(1e9), fixed(3), sequence=65_536)
    assert needs(job)[0].figures["layout"]["sequence"] == 65_536


@pytest.mark.parametrize(("algorithm", "models"), [("grpo", 2), ("ppo", 4), ("dpo", 2)])
def test_reinforcement_learning_has_its_models(algorithm: str, models: int) -> None:
    job = demand("llama 3.1 8b", fixed(1e8), fixed(3), "rl", algorithm=algorithm)
    need = needs(job)[0]
    assert len(need.figures["models"]) == models
    assert algorithm.upper() in render(need.causes[0])


def test_adapters_of_reinforcement_learning_need_less() -> None:
    full, lora = (
        needs(demand("llama 3.1 70b", fixed(1e7), fixed(9), "rl", algorithm="grpo", tuning=tuning))[0].gpus
        for tuning in ("full", "lora")
    )
    assert lora < full


def test_where_more_gpus_hardly_help_they_are_not_bought() -> None:
    """One step of GRPO ends with its longest response, however many GPUs wait for it."""
    job = demand("llama 3.1 8b", fixed(3e6), fixed(1e-4), "rl", algorithm="grpo", deadline_stated=True)
    need = needs(job)[0]
    assert need.gpus < 10_000
    assert any("hardly help" in render(cause) for cause in need.causes)
    assert need.late
