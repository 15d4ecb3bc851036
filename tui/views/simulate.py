"""The simulator's run in words and bars: where it stands, what happened, what each checkpoint interval would lose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from assistant.operations.simulator.events import Event, Moment, Phase
from assistant.operations.simulator.run import Run
from assistant.operations.simulator.text import LEAST_MIN, clock
from assistant.sizing.reliability.conditions import Conditions
from assistant.sizing.reliability.goodput import IntervalLoss, interval_loss
from tui.views.lines import Line, Say

DONE, LEFT = "█", "░"
STEPS_NARROW = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
STEPS_WIDE = (0.125, 0.18, 0.25, 0.35, 0.5, 0.71, 1.0, 1.41, 2.0, 2.83, 4.0, 5.66, 8.0, 11.3, 16.0)
NAME = 12
"""Columns of an interval's name in the plot."""


def state(run: Run) -> str:
    """The message key of what the job does now."""
    if run.phase is Phase.TRAIN and run.standing().saving:
        return "sim.saving"
    if run.over:
        return "sim.finished" if run.finished else "sim.gave_up"
    return f"sim.{run.phase.value}"


def status_lines(run: Run, speed: str, say: Say, width: int) -> Iterator[str]:
    """Four lines: time and progress, nodes, checkpoints, where the time went."""
    day, hours = divmod(run.now / 60.0, 24.0)
    stands, at, ledger = run.standing(), run.at, run.so_far()
    done = min(1.0, stands.work / run.course.work_min)
    head = f"{say('sim.day')} {day:.0f} {clock(hours)}  "
    tail = f"  {done:.1%}  {say(state(run))}" + ("" if run.over else f", {speed}")
    room = max(10, width - len(head) - len(tail))
    yield head + DONE * round(done * room) + LEFT * (room - round(done * room)) + tail
    away = len(run.pool.away)
    back = f", {say('sim.next_back')} {(run.pool.next_return - run.now) / 60.0:.1f} h" if away else ""
    yield (
        f"{at.nodes:,} {say('sim.nodes')}, {run.pool.idle} {say('sim.of')} {at.spares} {say('sim.spares_ready')}, "
        f"{away} {say('sim.away')}{back}; {ledger.interruptions} "
        f"{say('sim.interruption' if ledger.interruptions == 1 else 'sim.interruptions')}"
    )
    unsafe = stands.work - stands.safe
    often = f"{say('sim.every')} {run.interval:.3g} min" if run.interval_min else say("sim.never")
    restart = f"{say('sim.restart')} {at.restart_min:.3g} min"
    yield f"{say('sim.checkpoint')} {often}; {unsafe:.1f} min {say('sim.unsafe')}; {restart}"
    spent = {"useful": ledger.useful_min, "lost": ledger.lost_min, "saved": ledger.saving_min}
    spent |= {"restarts": ledger.restart_min + ledger.loading_min, "waited": ledger.waiting_min}
    yield ", ".join(f"{say(f'sim.{name}')} {minutes / 60.0:.1f} h" for name, minutes in spent.items())


def moment_lines(moments: Sequence[Moment], say: Say) -> tuple[Line, ...]:
    """What happened, the latest first."""
    if not moments:
        return (Line("quiet", say("sim.nothing_yet")),)
    return tuple(_moment_line(moment, say) for moment in reversed(moments))


def _moment_line(moment: Moment, say: Say) -> Line:
    day, hours = divmod(moment.at_h, 24.0)
    lost = f"; {moment.lost_min:.1f} min {say('sim.work_lost')}" if moment.lost_min >= LEAST_MIN else ""
    quiet = moment.event in (Event.RESTARTED, Event.LOADED)
    return Line("quiet" if quiet else "text", f"{day:>3.0f} {clock(hours)}  {moment.says}{lost}")


class Bar(NamedTuple):
    """One interval of the plot: cells of work done again and of saving, and whether it is the run's and the best."""

    name: str
    lost: int
    saving: int
    share: float
    chosen: bool
    best: bool


def bars(at: Conditions, chosen_min: float | None, width: int, wide: bool) -> tuple[Bar, ...]:
    """Share of time lost against the checkpoint interval, by the closed form; the longest bar takes ``width`` cells.

    Rows stand still while the interval is changed: they are spread around the best one, and the chosen one is added.
    """
    if at.interval_min is None or at.losing_daily <= 0:
        return ()
    spread = {at.interval_min * step for step in (STEPS_WIDE if wide else STEPS_NARROW)}
    losses = [_loss(at, interval) for interval in sorted({*spread, *([chosen_min] if chosen_min else [])})]
    most = max(_lost(loss) for loss in losses) or 1.0
    best = min(losses, key=_lost)
    return tuple(
        Bar(
            name=f"{loss.interval_min:.3g} min",
            lost=round(loss.lost_work_share / most * width),
            saving=round(loss.saving_share / most * width),
            share=_lost(loss),
            chosen=loss.interval_min == chosen_min,
            best=loss is best,
        )
        for loss in losses
    )


def _loss(at: Conditions, interval_min: float) -> IntervalLoss:
    return interval_loss(at.losing_daily, interval_min, at.stall_min, at.restart_min, at.drain_min)


def _lost(loss: IntervalLoss) -> float:
    return loss.lost_work_share + loss.saving_share


def bar_text(bar: Bar) -> str:
    """A bar on one line: > the run's interval, * the best."""
    mark = (">" if bar.chosen else " ") + ("*" if bar.best else " ")
    return f"{mark}{bar.name:>{NAME - 2}} {DONE * bar.lost}{LEFT * bar.saving} {bar.share:.2%}"
