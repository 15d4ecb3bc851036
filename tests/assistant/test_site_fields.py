"""Fields of the site that must move the plan: feeds of a rack, hours of use, redundancy."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.interview.brief import Brief
from assistant.interview.validation import validate
from assistant.messages import render
from assistant.result import Plan
from assistant.service import Assistant
from tests.shared import known

SAID = "4 DGX H100 on our own site in Munich for Llama 3.3 70B, chat for 300 users"


@pytest.fixture(scope="module")
def assistant() -> Assistant:
    return Assistant()


def _plan(assistant: Assistant, **fields: Any) -> Plan:
    answers = [*assistant.understand(SAID), *(validate(f, v, assistant.catalogue) for f, v in fields.items())]
    return assistant.size(Brief().with_answers(answers), questions=False).plan()


def test_a_feed_bounds_the_rack_and_counts_the_pdus(assistant: Assistant) -> None:
    """2 x 3 x 32 A: 22.17 kW a feed carry two servers of 10.2 kW; n feeds come in pairs, an A and a B."""
    plan = _plan(assistant, rack_feed_kw=22.17, redundancy="n")
    assert known(plan.facility.rack_kw) <= 22.17
    assert known(plan.facility.building).feeds_per_rack == 2
    pdus = sum(line.count or 0 for line in plan.bill_of_materials if line.item == "PDU")
    assert pdus == 2 * known(plan.facility.racks)
    doubled = _plan(assistant, rack_feed_kw=22.17, rack_kw=40, redundancy="2n")
    assert known(doubled.facility.building).feeds_per_rack == 4


def test_a_feed_too_small_for_the_server_does_not_fit(assistant: Assistant) -> None:
    plan = _plan(assistant, rack_feed_kw=7.4)
    assert not plan.fits
    assert "7.4 kW" in render(plan.why_not or "")


def test_office_hours_lower_the_energy_and_not_the_power(assistant: Assistant) -> None:
    office, always = (_plan(assistant, operating_hours=hours) for hours in ("office", "24x7"))
    assert known(office.facility.annual_mwh) < 0.6 * known(always.facility.annual_mwh)
    assert office.facility.nominal_it_kw == always.facility.nominal_it_kw


def test_redundancy_lays_more_feeds(assistant: Assistant) -> None:
    one, two = (_plan(assistant, redundancy=feeds).facility for feeds in ("n", "2n"))
    ratios = [known(each.feed_kw) / known(each.energy_input_kw) for each in (one, two)]
    assert ratios[1] == pytest.approx(2 * ratios[0], rel=1e-4)
