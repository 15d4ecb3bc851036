"""Reliability against published fleets and hand calculations."""

from __future__ import annotations

import itertools
import math

import pytest

from assistant.messages import render
from assistant.sizing.reliability import ReliabilityRequest, estimate_reliability
from assistant.sizing.reliability.checkpoints import daly_interval_min, young_interval_min
from assistant.sizing.reliability.goodput import exact_goodput, first_order_goodput
from assistant.sizing.reliability.options import Saving
from assistant.sizing.reliability.rates import FLEETS, failures_per_day, mttf_h
from assistant.sizing.reliability.spares import spare_nodes
from assistant.sizing.reliability.spot import RATES
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


def test_a_70b_with_adam_is_1120_gb_of_state_and_about_a_terabyte_saved() -> None:
    """16 bytes a parameter while training, 14 in a checkpoint: 1,120 and 980 GB; 256 GPUs write 0.15 GB/s each."""
    assert 70e9 * 16 / 1e9 == 1120
    result = estimate_reliability(ReliabilityRequest(gpus=256, checkpoint_gb=980, saving=Saving.SYNC))
    assert result.checkpoint_write_s == pytest.approx(980 / (0.15 * 256))
    assert result.checkpoint_drain_s == 0


def test_asynchronous_saving_stops_for_the_copy_and_a_failure_costs_the_drain_too() -> None:
    """980 / 256 GB a GPU at 0.4 GB/s is 9.6 s; 25.5 s more until it is safe."""
    request = ReliabilityRequest(gpus=256, checkpoint_gb=980, checkpoint_interval_min=20, restart_min=10)
    result = estimate_reliability(request)
    assert result.checkpoint_write_s == pytest.approx(9.57, abs=0.01)
    assert result.checkpoint_drain_s == pytest.approx(25.52, abs=0.01)
    daily = 32 * 3.79 / 1000
    by_hand = (1 - daily * (10 + 25.52 / 60 + 20 / 2) / 1440) / (1 + 9.57 / 60 / 20)
    assert result.goodput == pytest.approx(by_hand, rel=1e-5)


def test_restoring_on_half_the_nodes_takes_twice_as_long_until_the_storage_is_the_limit() -> None:
    request = ReliabilityRequest(gpus=256, checkpoint_gb=980, restore_nodes=64)
    times = {row.nodes: row.restore_s for row in estimate_reliability(request).restores}
    # Read at twice the rate of writing: 0.3 GB/s and GPU.
    assert times == {64: pytest.approx(980 / (0.3 * 512)), 32: pytest.approx(980 / 76.8), 16: pytest.approx(980 / 38.4)}
    stated = request.model_copy(update={"read_gb_per_s": 40.0})
    times = {row.nodes: row.restore_s for row in estimate_reliability(stated).restores}
    assert times == {64: 24.5, 32: 24.5, 16: 49.0}


def test_a_restart_is_longer_where_the_checkpoint_is_read_slowly() -> None:
    """20,000 GB at 10 GB/s take 33.3 min, and five more for all else."""
    result = estimate_reliability(ReliabilityRequest(gpus=64, checkpoint_gb=20_000, read_gb_per_s=10))
    assert result.restart_min == pytest.approx(5 + 2000 / 60)
    assert estimate_reliability(ReliabilityRequest(gpus=64, checkpoint_gb=100)).restart_min == 10


def test_silent_corruption_is_counted_and_priced() -> None:
    """6 of Llama 3's 419 in 54 days on 2,048 nodes; each costs the delay, half an interval and a restart."""
    result = estimate_reliability(ReliabilityRequest(gpus=16_384, checkpoint_interval_min=20, restart_min=10))
    assert result.silent_corruptions_per_day == pytest.approx(6 / 54, rel=0.01)
    assert result.silent_corruption_costs_min == 120 + 10 + 10
    counted = ReliabilityRequest(
        gpus=16_384, checkpoint_interval_min=20, restart_min=10, corruptions_per_1000_node_days=6 / 54 / 2.048
    )
    assert estimate_reliability(counted).goodput == pytest.approx(result.goodput / (1 + 6 / 54 * 140 / 1440))


def test_spot_by_hand() -> None:
    """8 nodes, each taken every ten days for 144 min, no spare: 1.01^-8 of the time; saved within two minutes."""
    request = ReliabilityRequest(
        nodes=8, spot="aws", preemptions_per_1000_node_days=100, replacement_min=144, failures_per_1000_node_days=0,
        checkpoint_gb=98, checkpoint_interval_min=60, restart_min=10, availability_target=0.01,
    )  # fmt: skip
    result = estimate_reliability(request)
    assert result.spot is not None
    assert result.spot.saves_on_notice
    assert result.spare_nodes == 0
    saved_min = (98 / 64 / 0.4 + 98 / 9.6) / 60
    stall = 98 / 64 / 0.4 / 60
    restarts = math.exp(0.8 * 10 / 1440) - 1  # each of ten minutes, begun again when a node is taken meanwhile
    by_hand = 1.01**-8 / (1 + 0.8 * saved_min / 1440 + restarts) / (1 + stall / 60)
    assert result.goodput == pytest.approx(by_hand, rel=1e-6)
    assert result.spot.worth_below_price_share == pytest.approx(by_hand * (1 + stall / 60))


def test_thirty_seconds_are_too_short_for_a_large_checkpoint() -> None:
    """980 GB from 64 GPUs: 38 s to copy, 102 s to write."""
    large = ReliabilityRequest(gpus=64, spot="gcp", checkpoint_gb=980)
    unknown = ReliabilityRequest(gpus=64, spot="gcp")
    small = ReliabilityRequest(gpus=64, spot="gcp", checkpoint_gb=98)
    found = [estimate_reliability(request).spot for request in (large, unknown, small)]
    assert [one.saves_on_notice for one in found if one] == [False, False, True]


def test_published_preemption_rates_are_far_apart_and_both_are_shown() -> None:
    """600 preemptions in 3,065 node-hours of traces; 20 % a month by the provider: -ln(0.8) / 30.4 days."""
    assert RATES["traced"].rate_per_1000_node_days == pytest.approx(600 / 3065.4 * 24 * 1000, rel=0.001)
    assert RATES["advisor_high"].rate_per_1000_node_days == pytest.approx(-math.log(0.8) / 30.4 * 1000, rel=0.001)
    spot = estimate_reliability(ReliabilityRequest(nodes=16, spot="aws")).spot
    assert spot is not None
    assert spot.goodput_low < 0.1 < 0.9 < spot.goodput_high


def test_a_deadline_costs_nodes() -> None:
    """100 days on 10 nodes that never fail; 50 days take 20 nodes and the same node-days."""
    calm = ReliabilityRequest(nodes=10, failures_per_1000_node_days=0, days=100, deadline_days=50)
    found = estimate_reliability(calm).deadline
    assert found is not None
    assert (found.meets, found.nodes_needed, found.node_days, found.node_days_for_deadline) == (False, 20, 1000, 1000)
    real = estimate_reliability(ReliabilityRequest(nodes=512, days=100, deadline_days=52)).deadline
    assert real is not None
    assert real.nodes_needed is not None
    assert real.nodes_needed > 512 * 100 / 52
    assert real.node_days_for_deadline is not None
    assert real.node_days is not None
    assert real.node_days_for_deadline > real.node_days


def test_on_demand_nodes_make_a_spot_run_punctual() -> None:
    request = ReliabilityRequest(
        nodes=32, spot="aws", preemptions_per_1000_node_days=1000, replacement_min=60, days=20, deadline_days=25,
        availability_target=0.01,
    )  # fmt: skip
    found = estimate_reliability(request).deadline
    assert found is not None
    assert not found.meets
    assert found.on_demand_nodes_needed is not None
    assert 0 < found.on_demand_nodes_needed < 32
    share = 1 - found.on_demand_nodes_needed / 32
    mixed = estimate_reliability(request.model_copy(update={"spot_share": share})).deadline
    assert mixed is not None
    assert mixed.meets


def test_a_hardware_rate_above_the_job_rate_is_refused() -> None:
    request = ReliabilityRequest(gpus=8, failures_per_1000_node_days=1, hardware_failures_per_1000_node_days=2)
    with pytest.raises(BadInput) as caught:
        estimate_reliability(request)
    assert caught.value.field == "hardware_failures_per_1000_node_days"


def test_the_other_published_rates_are_named_as_dissent() -> None:
    """At 1,024 GPUs jobs were interrupted every 7.9 h, 3.7 times as often as by their hardware (28.8 h)."""
    small = estimate_reliability(ReliabilityRequest(gpus=1024, fleet="rsc1"))
    assert small.mttf_h == pytest.approx(28.8, abs=0.05)
    assert any("rsc_small_jobs" in text and "7.91 h" in text for text in map(render, small.rate_dissent))
    large = estimate_reliability(ReliabilityRequest(gpus=16_384))
    assert not any("small_jobs" in text for text in map(render, large.rate_dissent))
    assert any("opt" in text for text in map(render, large.rate_dissent))
