"""How fast the parts are, in milliseconds, for whoever works on one; the bars and cold starts are in ``bars``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from assistant.interview.brief import Brief
from assistant.service import Assistant

SAID = "500 people, RAG chatbot on Llama 3.1 70B, on our own site in Frankfurt"
Benchmark = Callable[..., Any]


@pytest.fixture(scope="module")
def assistant() -> Assistant:
    """Catalogue and rules, loaded."""
    opened = Assistant()
    assert opened.catalogue.version
    assert opened.rules.version
    return opened


@pytest.mark.benchmark(group="in a running process")
def test_parse(benchmark: Benchmark, assistant: Assistant) -> None:
    answers = benchmark(assistant.understand, SAID)
    assert {answer.field for answer in answers} >= {"users_total", "models", "hosting", "country"}


BRIEFS = {
    "serving, hardware open": SAID,
    "serving, hardware named": "4 DGX H100 on our own site in Munich for Llama 3.3 70B, chat for 300 users",
    "pre-training, hardware named": "Pre-training a 7B model on 1T tokens with 64 H100 on our own site in Norway",
    "nothing known": "Hello",
}


@pytest.mark.benchmark(group="in a running process")
@pytest.mark.parametrize("name", BRIEFS)
def test_sizing_alone(name: str, benchmark: Benchmark, assistant: Assistant) -> None:
    brief = Brief().with_answers(assistant.understand(BRIEFS[name]))
    assert len(benchmark(assistant.size, brief).plans) == 3


@pytest.mark.benchmark(group="in a running process")
def test_physical_design(benchmark: Benchmark, assistant: Assistant) -> None:
    """256 nodes with bill, layout and pictures; the bar is 0.5 s."""
    from assistant.export.physical.subject import subject_of
    from assistant.export.physical.svg import both
    from assistant.planning.building.build import Surroundings, build_site, furnished
    from assistant.sizing.equipment.nodes import choose_server

    place = Surroundings(technology="infiniband", storage_item="ddn-ai400x2t", storage_units=3, storage_rack_units=6)
    choice = choose_server("h100-sxm-80gb", assistant.catalogue, 2048)
    sizing = assistant.size(Brief().with_answers(assistant.understand("8 DGX H100 in Munich")), questions=False)

    def designed() -> int:
        layout, bill = furnished(build_site(choice, 256, place, assistant.catalogue), assistant.catalogue)
        assert layout is not None
        subject = subject_of(sizing, assistant.catalogue, "256 nodes")._replace(layout=layout)
        return len(bill) + len(both(subject))

    assert benchmark(designed) > 100_000


@pytest.mark.benchmark(group="in a running process")
def test_estimate_serve(benchmark: Benchmark, assistant: Assistant) -> None:
    from assistant.sizing.serving.estimate import estimate_serve
    from assistant.sizing.serving.request import ServeRequest

    request = ServeRequest(model="llama-3.1-70b", gpu="h100", gpus=4)
    assert benchmark(estimate_serve, request, assistant.catalogue).fits


@pytest.mark.benchmark(group="in a running process")
def test_opening_catalogue_and_rules(benchmark: Benchmark) -> None:
    def opened() -> str:
        fresh = Assistant()
        return fresh.catalogue.version + fresh.rules.version

    assert benchmark(opened)


@pytest.mark.benchmark(group="in a running process")
def test_a_month_on_2048_gpus(benchmark: Benchmark, assistant: Assistant) -> None:
    """The bar is one second for one run; it takes milliseconds, since it jumps from event to event."""
    from assistant.operations.simulator.inputs import played
    from assistant.operations.simulator.request import SimulateRequest
    from assistant.operations.simulator.run import Run

    game = played(SimulateRequest(gpus=2048, days=30), assistant.catalogue)
    assert benchmark(lambda: Run(game.conditions, game.course, 1, record=True).play()).finished


@pytest.mark.benchmark(group="in a running process")
def test_simulate_with_its_comparisons(benchmark: Benchmark, assistant: Assistant) -> None:
    from assistant.operations.simulator import SimulateRequest, simulate

    assert benchmark(simulate, SimulateRequest(gpus=2048, days=30), assistant.catalogue).days
