"""Services beside the GPUs: what gets a machine, and where the rest runs."""

from __future__ import annotations

import pytest

from assistant.interview.brief import Brief
from assistant.messages import render
from assistant.result import Plan
from assistant.service import Assistant


@pytest.fixture(scope="module")
def assistant() -> Assistant:
    return Assistant()


def _plan(assistant: Assistant, said: str) -> Plan:
    return assistant.size(Brief().with_answers(assistant.understand(said)), questions=False).plan()


SITE = {"observability node", "backup node", "firewall"}
"""What every site has, whatever it serves."""


def _services(plan: Plan) -> dict[str, int]:
    return {str(service.item): int(service.count) for service in plan.platform if service.item not in SITE}


def _site(plan: Plan) -> dict[str, int]:
    return {str(service.item): int(service.count) for service in plan.platform if service.item in SITE}


def test_a_small_site_runs_all_of_it_on_the_gpu_servers(assistant: Assistant) -> None:
    plan = _plan(assistant, "500 people, RAG chatbot on Llama 3.1 70B, on our own site in Frankfurt")
    assert set(_services(plan)) == {"gateway node", "vector database node", "embedding and reranking", "worker node"}
    assert sum(_services(plan).values()) == 0
    told = [render(service.where) for service in plan.platform]
    assert all(where.startswith(("on the", "in the memory", "what the site has")) for where in told)
    assert set(_site(plan).values()) == {0}


def test_a_large_index_takes_machines(assistant: Assistant) -> None:
    """Five servers: gateway and workers run on the management machines. 30 million documents of 50 kB are 25 pieces of
    2,000 bytes each: 750 million vectors of 4,096 + 256 bytes are 3,264 GB, twice while one is rebuilt: 25.5 machines
    of 256 GB. Machines are billed, racked and cabled."""
    plan = _plan(
        assistant, "20000 employees, RAG chatbot on Llama 3.1 70B, 30 million documents, own site in Frankfurt"
    )
    services = _services(plan)
    assert services["vector database node"] == 26
    assert services["gateway node"] == services["worker node"] == 0
    billed = {line.item: line.count for line in plan.bill_of_materials}
    assert billed["vector database node"] == 26
    placed = [box["name"] for rack in (plan.layout or {})["racks"] for box in rack["devices"]]
    assert sum(name.startswith("vector-database-") for name in placed) == 26


def test_a_large_site_has_machines_for_each(assistant: Assistant) -> None:
    """More than eight servers; redundant, so two gateways; one worker for five million documents."""
    said = "6000 requests at once, RAG chatbot on Llama 3.1 70B, 8 million documents, n+1, own site in Frankfurt"
    plan = _plan(assistant, said)
    assert sum(s.count for s in plan.servers if s.role == "gpu") >= 9
    services = _services(plan)
    assert (services["gateway node"], services["worker node"]) == (2, 2)


def test_training_alone_needs_none_of_it(assistant: Assistant) -> None:
    plan = _plan(assistant, "8 DGX H100 with InfiniBand for pretraining, our own site in Munich")
    assert _services(plan) == {}
    assert _site(plan) == {"observability node": 1, "backup node": 1, "firewall": 2}


def test_pages_that_are_read_once_need_no_vector_database(assistant: Assistant) -> None:
    """OCR hands its text on: 100 million pages of 50 kB, with 30 % headroom 6.5 TB of objects, and no index of them."""
    plan = _plan(assistant, "OCR of 100000000 pages in 30 days, own site in Frankfurt")
    assert set(_services(plan)) == {"gateway node"}
    assert {"documents"} == {h["name"] for h in plan.storage["holdings"] if h["name"] in ("documents", "vector index")}
