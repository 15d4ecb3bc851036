"""Reliability against published fleets and hand calculations."""

from __future__ import annotations

import itertools
import math

import pytest

from assistant.sizing.reliability import ReliabilityRequest, estimate_reliability
from assistant.sizing.reliability.checkpoints import daly_interval_min, young_interval_min
from assistant.sizing.reliability.goodput import exact_goodput, first_order_goodput
from assistant.sizing.reliability.rates import FLEETS, failures_per_day, mttf_h
from assistant.sizing.reliability.spares import spare_nodes
from knowledge.errors import BadInput


@pytest.mark.parametrize(
    ("gpus", "expected_h"),
    [(16_384, 1.80), (131_072, 0.225), (1_024, 28.8)],  # Kokolis et al., figure 5, and 24 / (128 x 0.0065)
)
def test_mttf_at_the_rate_of_rsc_1(gpus: int, expected_h: float) -> None:
    assert mttf_h(gpus / 8, 6.50) == pytest.approx(expected_h, rel=0.005)


def test_small_jobs_fail_more_often_than_their_hardware() -> None:
    """Measured on RSC-1: 7.9 h between interruptions of 1,024-GPU jobs; the hardware rate alone gives 28.8 h."""
    assert mttf_h(128, FLEETS["rsc_small_jobs"].rate_per_1000_node_days) == pytest.approx(7.9, rel=0.01)
    assert mttf_h(128, 6.50) / mttf_h(128, 23.7) == pytest.approx(3.65, rel=0.01)


def test_llama_3_interruptions() -> None:
    """Table 5: 419 unexpected interruptions in 54 days on 16,384 GPUs, 3.09 h between them."""
    result = estimate_reliability(ReliabilityRequest(gpus=16_384))
    assert result.mttf_h == pytest.approx(54 * 24 / 419, rel=0.005)
    assert result.failures_per_day == pytest.approx(419 / 54, rel=0.005)


@pytest.mark.parametrize(
    ("nodes", "rate", "interval_min", "restart_min", "expected"),
    [
        (2048, 6.50, 5, 5, 0.931),  # quoted as 0.93
        (256, 6.50, 60, 5, 0.960),
        (512, 6.50, 60, 20, 0.884),
        (12_500, 2.34, 2, 2, 0.939),  # 100,000 GPUs at the rate of RSC-2
    ],
)
def test_ettr_of_kokolis(nodes: int, rate: float, interval_min: float, restart_min: float, expected: float) -> None:
    daily = failures_per_day(nodes, rate)
    assert first_order_goodput(daily, interval_min, 0, restart_min) == pytest.approx(expected, abs=0.0006)


def test_goodput_of_the_published_point_by_request() -> None:
    request = ReliabilityRequest(
        nodes=2048, failures_per_1000_node_days=6.5, checkpoint_write_s=0, checkpoint_interval_min=5, restart_min=5
    )
    assert estimate_reliability(request).goodput == pytest.approx(0.931, abs=0.0006)


@pytest.mark.parametrize(
    ("write_s", "young_min", "daly_min"),
    [(30, 13.6, 13.3), (60, 19.3, 18.6), (600, 60.9, 54.4)],  # by hand at a mean time to failure of 3.093 h
)
def test_interval_of_young_and_daly(write_s: float, young_min: float, daly_min: float) -> None:
    mttf_min = 3.093 * 60
    assert young_interval_min(write_s / 60, mttf_min) == pytest.approx(young_min, abs=0.05)
    assert daly_interval_min(write_s / 60, mttf_min) == pytest.approx(daly_min, abs=0.06)


def test_daly_beyond_twice_the_mean_time_is_the_mean_time() -> None:
    assert daly_interval_min(30, 15) == 15
    assert daly_interval_min(31, 15) == 15


def test_daly_beats_its_neighbours_in_the_exact_model() -> None:
    daily, write_min, restart_min = failures_per_day(2048, 3.79), 1.0, 10.0
    at = daly_interval_min(write_min, 1440 / daily)
    best = exact_goodput(daily, at, write_min, restart_min)
    for other in (at * 0.7, at * 1.4):
        assert exact_goodput(daily, other, write_min, restart_min) < best


def test_saving_five_minutes_every_thirty_costs_a_seventh_to_a_sixth() -> None:
    """5 / 35 = 14.3 % of wall-clock time if 30 minutes are trained in between, 5 / 30 = 16.7 % if they are not."""
    without_failures = ReliabilityRequest(
        gpus=8, failures_per_1000_node_days=0, checkpoint_write_s=300, checkpoint_interval_min=30
    )
    assert 1 - estimate_reliability(without_failures).goodput == pytest.approx(5 / 35)
    assert 0.14 < 5 / 35 < 5 / 30 < 0.17


def test_exact_and_first_order_agree_where_failures_are_rare() -> None:
    daily = failures_per_day(16, 3.79)
    assert exact_goodput(daily, 60, 1, 10) == pytest.approx(first_order_goodput(daily, 60, 1, 10), rel=1e-4)


def test_goodput_never_leaves_zero_to_one() -> None:
    for nodes, interval, restart in itertools.product((1, 100, 10_000, 1_000_000), (0.5, 60, 10_000), (0, 20, 600)):
        request = ReliabilityRequest(nodes=nodes, checkpoint_interval_min=interval, restart_min=restart)
        assert 0 <= estimate_reliability(request).goodput <= 1


def test_spares_by_hand() -> None:
    """One node with 10 % unavailability: alone 90 %, with one spare 99 %, with two 99.9 %."""
    assert spare_nodes(1, 0.1, 0.9) == 0
    assert spare_nodes(1, 0.1, 0.989) == 1
    assert spare_nodes(1, 0.1, 0.9985) == 2


def test_spares_against_a_direct_sum() -> None:
    nodes, unavailable, target = 100, 0.02, 0.99
    spares = spare_nodes(nodes, unavailable, target)

    def enough(s: int) -> float:
        n = nodes + s
        return sum(math.comb(n, k) * unavailable**k * (1 - unavailable) ** (n - k) for k in range(s + 1))

    assert enough(spares) >= target > enough(spares - 1)


def test_two_rates_are_kept_apart() -> None:
    result = estimate_reliability(ReliabilityRequest(gpus=16_384))
    assert result.hardware_failures_per_day == pytest.approx(2048 * 2.96 / 1000)
    assert result.hardware_failures_per_day < result.failures_per_day


def test_a_short_drain_bounds_the_interval() -> None:
    result = estimate_reliability(ReliabilityRequest(gpus=16_384, checkpoint_write_s=0.5, checkpoint_drain_s=600))
    assert result.checkpoint_interval_min == 10


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (ReliabilityRequest(), "gpus"),
        (ReliabilityRequest(gpus=16, nodes=3), "nodes"),
        (ReliabilityRequest(gpus=16, fleet="mars"), "fleet"),
    ],
)
def test_bad_input_names_the_field(request_: ReliabilityRequest, field: str) -> None:
    with pytest.raises(BadInput) as caught:
        estimate_reliability(request_)
    assert caught.value.field == field


def test_nothing_fails_at_rate_zero() -> None:
    result = estimate_reliability(ReliabilityRequest(gpus=8, failures_per_1000_node_days=0, days=10))
    assert result.mttf_h is None
    assert result.checkpoint_interval_min is None
    assert result.days_with_failures == 10
    assert result.spare_nodes == 0
