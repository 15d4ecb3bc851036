"""The simulator against closed forms written out here, and against hand calculations."""

from __future__ import annotations

import math
from functools import partial

import pytest

from assistant.operations.simulator import SimulateRequest, simulate
from assistant.operations.simulator.events import Event, Phase
from assistant.operations.simulator.inputs import played
from assistant.operations.simulator.run import Run
from assistant.operations.simulator.stretch import Course, Stretch
from assistant.operations.simulator.study import goodput_in, play, strip_of
from assistant.requests.fields import build
from assistant.sizing.reliability.conditions import Conditions
from knowledge.catalogue import load_catalogue
from knowledge.errors import BadInput

CATALOGUE = load_catalogue()
SEEDS = range(1, 11)

BASE = Conditions(
    nodes=256,
    spares=0,
    spot_nodes=0,
    failures_daily=2.0,
    hardware_daily=0.0,
    preemptions_daily=0.0,
    corruptions_daily=0.0,
    interval_min=45.0,
    stall_min=1.5,
    drain_min=0.0,
    until_safe_min=1.5,
    restart_min=12.0,
    found_after_min=120.0,
    notice_min=0.0,
    replacement_min=0.0,
    repair_days=3.0,
)
"""Failures that lose work and need no spare: two a day."""


def mean_goodput(at: Conditions, days: float = 200.0) -> float:
    lot = play(at, Course(days * 1440.0, load_min=0.0), SEEDS)
    return sum(goodput_in(run.ledger) for run in lot.runs) / len(lot.runs)


def renewal(daily: float, interval: float, stall: float, restart: float, drain: float = 0.0) -> float:
    """T e^(-D/M) / (M e^(R/M) (e^((T + C)/M) - 1)): the mean number of checkpoints that survive a failure, times T,
    over the mean time from failure to failure with its restarts (Daly 2006 for D = 0).
    """
    mean = 1440.0 / daily
    return (
        interval * math.exp(-drain / mean) / (mean * math.exp(restart / mean) * math.expm1((interval + stall) / mean))
    )


@pytest.mark.parametrize(
    ("daily", "interval", "stall", "restart", "drain"),
    [
        (2.0, 45.0, 1.5, 12.0, 0.0),
        (7.76, 18.6, 1.0, 10.0, 0.0),  # Llama 3: 419 in 54 days, one minute to save
        (13.312, 5.0, 0.0, 5.0, 0.0),  # the published point of RSC-1: 2,048 nodes at 6.50 per 1,000 node-days
        (13.312, 20.0, 0.2, 5.0, 8.0),  # asynchronous: safe eight minutes later
        (8.0, 30.0, 5.0, 20.0, 0.0),  # a failure every three hours, saving five minutes of every 35
    ],
)
def test_mean_goodput_is_within_a_per_cent_of_the_closed_form(
    daily: float, interval: float, stall: float, restart: float, drain: float
) -> None:
    at = BASE._replace(
        failures_daily=daily, interval_min=interval, stall_min=stall, restart_min=restart, drain_min=drain
    )
    expected = renewal(daily, interval, stall, restart, drain)
    assert mean_goodput(at, days=300.0 / daily) == pytest.approx(expected, rel=0.01)


def test_the_published_point_by_request() -> None:
    """2,048 nodes at 6.50 per 1,000 node-days, checkpoints and restarts of five minutes, nothing blocked: 0.931."""
    request = SimulateRequest(
        nodes=2048, failures_per_1000_node_days=6.5, hardware_failures_per_1000_node_days=0, checkpoint_write_s=0,
        checkpoint_interval_min=5, restart_min=5, load_min=0, days=20, seeds=5, compare_spares=(0,),
        compare_intervals_min=(5,),
    )  # fmt: skip
    assert simulate(request, CATALOGUE).goodput.mean == pytest.approx(0.931, rel=0.01)


def test_waiting_for_repairs_is_the_binomial() -> None:
    """100 nodes that fail once in 250 days for 2.5 days: away 1 % of the time; at most 2 of 102 with probability P."""
    at = BASE._replace(
        nodes=100, spares=2, failures_daily=0.4, hardware_daily=0.4, repair_days=2.5, stall_min=0.0, interval_min=0.5,
        restart_min=0.0,
    )  # fmt: skip
    away = 0.01 / 1.01
    there = sum(math.comb(102, k) * away**k * (1 - away) ** (102 - k) for k in range(3))
    assert mean_goodput(at, days=1000.0) == pytest.approx(there, rel=0.01)


def test_spot_nodes_are_there_as_often_as_their_rates_say() -> None:
    """16 spot nodes, each taken once in ten days for 144 minutes, saved at the notice: 1.01^-16 of the time."""
    at = BASE._replace(
        nodes=16, spot_nodes=16, failures_daily=0.0, preemptions_daily=1.6, replacement_min=144.0, notice_min=2.0,
        stall_min=0.0, until_safe_min=0.0, restart_min=0.0,
    )  # fmt: skip
    assert at.saves_on_notice
    lot = play(at, Course(200 * 1440.0, 0.0), SEEDS)
    assert all(run.ledger.lost_min == 0.0 for run in lot.runs)
    share = sum(goodput_in(run.ledger) for run in lot.runs) / len(lot.runs)
    assert share == pytest.approx(1.01**-16, rel=0.01)


def test_a_restart_begins_again_when_another_spot_node_is_taken() -> None:
    """150 preemptions a day, saved in a minute, spares without end: restarts of 10 min take (e^(p 10) - 1) / p."""
    at = BASE._replace(
        nodes=32, spares=1000, spot_nodes=32, failures_daily=0.0, preemptions_daily=150.0, replacement_min=1.0,
        notice_min=2.0, until_safe_min=1.0, stall_min=0.0, restart_min=10.0,
    )  # fmt: skip
    a_minute = 150 / 1440
    expected = 1.0 / (1.0 + a_minute * 1.0 + math.expm1(a_minute * 10.0))
    assert mean_goodput(at, days=4.0) == pytest.approx(expected, rel=0.01)


def test_saving_five_minutes_of_every_thirty_five_costs_a_seventh() -> None:
    """The often-heard 3 % for five minutes every thirty is wrong: 5 / 35 = 14.3 %."""
    at = BASE._replace(failures_daily=0.0, interval_min=30.0, stall_min=5.0)
    assert 1.0 - mean_goodput(at) == pytest.approx(5 / 35, rel=0.001)


def test_corruption_found_late_costs_the_delay_half_an_interval_and_a_restart() -> None:
    """One a day at two hours until it shows: (120 + 22.5 + 12) min of 1440 more, of trained time."""
    at = BASE._replace(failures_daily=0.0, stall_min=0.0, corruptions_daily=1.0, nodes=10, spares=10)
    expected = 1.0 / (1.0 + (120 + 22.5 + 12) / 1440)
    assert mean_goodput(at) == pytest.approx(expected, rel=0.01)


def test_a_stretch_by_hand() -> None:
    """From minute 100 with 50 done: intervals of 10, saving 2, safe 5 later; at 127 two full cycles and 3 further."""
    stretch = Stretch(start=100.0, base=50.0, safe=45.0, interval=10.0, stall=2.0, drain=5.0)
    assert stretch.at(105.0) == (55.0, 45.0, 45.0, 0.0, False)
    assert stretch.at(111.0) == (60.0, 45.0, 45.0, 1.0, True)
    # At 127: 70 + 3 done, the second checkpoint was taken at 124 and is safe at 129.
    assert stretch.at(127.0) == (73.0, 70.0, 60.0, 4.0, False)
    assert stretch.at(129.0).safe == 70.0
    assert stretch.reaches(75.0) == 129.0  # 10 + 2 + 10 + 2 + 5
    assert stretch.reaches(70.0) == 122.0  # the last interval ends without a checkpoint


def test_the_accounts_add_up_to_the_time_and_the_work() -> None:
    at = BASE._replace(
        spares=2, hardware_daily=1.0, corruptions_daily=0.5, spot_nodes=100, preemptions_daily=1.0, notice_min=1.0,
        replacement_min=60.0, drain_min=4.0,
    )  # fmt: skip
    run = Run(at, Course(30 * 1440.0, 15.0), seed=3).play()
    assert run.finished
    assert run.ledger.elapsed_min == pytest.approx(run.now)
    assert run.ledger.useful_min == pytest.approx(30 * 1440.0)


def test_a_change_of_the_interval_loses_nothing() -> None:
    at = BASE._replace(failures_daily=0.0)
    run = Run(at, Course(1000.0, 0.0), seed=1)
    run.advance(100.0)
    before = run.standing()
    run.set_interval(20.0)
    assert run.standing().work == before.work
    run.play()
    assert run.ledger.elapsed_min == pytest.approx(run.now)
    assert run.ledger.useful_min == pytest.approx(1000.0)


def test_a_failure_by_hand_goes_back_to_the_last_checkpoint() -> None:
    """100 minutes in: one checkpoint after 45 + 1.5, the next after 93, so 7 minutes are lost and 90 kept."""
    run = Run(BASE._replace(failures_daily=0.0, spares=1), Course(10_000.0, 0.0), seed=1, record=True)
    run.advance(100.0)
    run.strike(Event.HARDWARE)
    assert run.phase.value == "restart"
    assert run.standing().work == pytest.approx(90.0)
    assert run.ledger.lost_min == pytest.approx(7.0)
    assert run.pool.idle == 0
    run.strike(Event.HARDWARE)
    assert run.phase is Phase.WAIT
    assert [m.event for m in run.moments][-2:] == [Event.HARDWARE, Event.WAITING]
    assert run.next_event() == pytest.approx(100.0 + 3 * 1440.0)


def test_too_short_a_notice_loses_work() -> None:
    at = BASE._replace(failures_daily=0.0, spot_nodes=256, until_safe_min=3.0, notice_min=2.0, replacement_min=60.0)
    run = Run(at, Course(10_000.0, 0.0), seed=1)
    run.advance(40.0)
    run.strike(Event.PREEMPTED)
    assert run.ledger.lost_min == pytest.approx(40.0)


def test_a_run_without_end_is_given_up() -> None:
    run = Run(BASE._replace(failures_daily=500.0), Course(30 * 1440.0, 0.0), seed=1, record=True).play()
    assert run.over
    assert not run.finished
    assert run.moments[-1].event is Event.GAVE_UP


def test_the_same_seed_is_the_same_run_and_another_is_not() -> None:
    request = partial(SimulateRequest, gpus=512, days=60, seeds=2)
    one, again, other = (simulate(request(seed=seed), CATALOGUE) for seed in (4, 4, 5))
    assert one == again
    assert one.timeline != other.timeline


def test_checkpoints_fall_on_whole_steps() -> None:
    run = Run(BASE, Course(1000.0, 0.0, step_min=7.0), seed=1)
    assert run.interval == 42.0  # six steps are nearest to 45


def test_a_model_gives_days_step_and_checkpoint() -> None:
    """70B with AdamW: 14 bytes a parameter kept, 980 GB and some for the embeddings."""
    request = build(
        SimulateRequest, {"gpus": 512, "seeds": 1, "job": {"model": "llama-3.1-70b", "gpu": "h100", "tokens": "100B"}}
    )
    game = played(request, CATALOGUE)
    assert game.checkpoint_gb == pytest.approx(14 * 70.55, rel=0.01)
    assert game.conditions.nodes == 64
    assert game.course.step_min > 0
    assert game.synchronise_s is not None


def test_what_no_run_can_be_made_of_is_named() -> None:
    with pytest.raises(BadInput) as nothing:
        simulate(SimulateRequest(), CATALOGUE)
    assert nothing.value.field == "gpus"
    small = build(SimulateRequest, {"job": {"model": "llama-3.1-405b", "gpu": "h100", "gpus": 8}})
    with pytest.raises(BadInput) as unfit:
        simulate(small, CATALOGUE)
    assert unfit.value.field == "job"
    assert unfit.value.nearest


def test_the_strip_counts_every_interruption() -> None:
    run = Run(BASE._replace(spares=0, hardware_daily=1.0), Course(20 * 1440.0, 10.0), seed=2, record=True).play()
    strip = strip_of(run)
    assert sum(part.interruptions for part in strip) == run.ledger.interruptions
    assert any(part.waited for part in strip)
