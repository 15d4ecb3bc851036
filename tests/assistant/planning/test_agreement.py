"""What is decided is what is built."""

from __future__ import annotations

import pytest

from assistant.interview.brief import Brief
from assistant.result import Sizing
from assistant.service import Assistant

CHAT = "Chat on Llama 3.3 70B in FP8 on our own site in Belgium: 40 requests at once, 2,000 tokens in, 300 out"


@pytest.fixture(scope="module")
def assistant() -> Assistant:
    return Assistant()


def _sized(assistant: Assistant, said: str) -> Sizing:
    return assistant.size(Brief().with_answers(assistant.understand(said)), questions=False)


def _choice(sizing: Sizing, ident: str) -> str:
    return next(str(decision.choice) for decision in sizing.decisions if decision.id == ident)


@pytest.mark.parametrize(
    ("said", "choice", "copies"),
    [
        (", no redundancy", "none", 1),
        (", n+1 redundancy", "n_plus_1", 1),
        (", 99.9 % availability", "n_plus_1", 1),
        (", 99.99 % availability", "2n", 2),
        (", 2N redundancy", "2n", 2),
    ],
)
def test_redundancy_is_built_as_decided(assistant: Assistant, said: str, choice: str, copies: int) -> None:
    """One copy takes two GPUs; n + 1 adds a server, 2n stands twice and still carries all after one is lost."""
    one = _sized(assistant, CHAT + ", no redundancy").plan()
    sizing = _sized(assistant, CHAT + said)
    assert _choice(sizing, "redundancy") == choice
    plan = sizing.plan()
    assert plan.gpus >= copies * one.gpus
    spared = plan.capacity_after_one_failure.share_of_required_load
    assert (spared >= 1) is (choice != "none")


@pytest.mark.parametrize(("said", "rents"), [("on our own site", False), ("in a public cloud", True)])
def test_what_is_rented_is_sized_in_instances(assistant: Assistant, said: str, rents: bool) -> None:
    sizing = _sized(assistant, f"Chat on Llama 3.3 70B for 300 people {said}, busy 20 % of the time")
    assert (_choice(sizing, "build_rent_sovereign") == "rent") is rents
    assert bool(sizing.plan().instances) is rents


def test_a_fabric_is_wired_as_decided(assistant: Assistant) -> None:
    sizing = _sized(assistant, "64 DGX H100 with InfiniBand for pretraining of a 70B model on our own site in Munich")
    assert _choice(sizing, "fabric_technology") == sizing.plan().network["technology"] == "infiniband"
