"""Many seeds of one run, and the same with other checkpoint intervals and spare counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from assistant.operations.simulator.events import INTERRUPTIONS, Event, Ledger
from assistant.operations.simulator.inputs import Played, played
from assistant.operations.simulator.request import Shares, SimulateRequest, SimulateResult, Slice, Spread, Variant
from assistant.operations.simulator.run import Run
from assistant.operations.simulator.stretch import LONGEST, Course
from assistant.sizing.reliability.conditions import Conditions
from assistant.sizing.reliability.goodput import TABLE_STEPS, goodput_of
from assistant.sizing.reliability.rates import HOURS_PER_DAY, MINUTES_PER_DAY
from knowledge.catalogue import Catalogue

COMPARED_SEEDS = 10
"""Seeds behind each line of the comparisons, which share them, so that differences show with few."""
AFFORDED, COMPARED_AFFORDED = 60_000, 5_000
"""Interruptions that are played in all, and for a line: large runs have so many that few of them tell."""
LEAST_SEEDS = 3
SLICES = 60
MOST_MOMENTS = 1000
AS_GOOD = 0.002
"""Fewer spares are preferred where the goodput differs by less than this."""


class Lot(NamedTuple):
    """Runs that differ by nothing but the seed."""

    runs: tuple[Run, ...]

    def spread(self, figure: Callable[[Run], float]) -> Spread:
        """A figure's mean and percentiles over the runs."""
        return spread([figure(run) for run in self.runs])

    @property
    def finished(self) -> float:
        """Share of the runs that finish."""
        return sum(run.finished for run in self.runs) / len(self.runs)

    def days(self) -> Spread | None:
        """Days to finish; None where a run does not."""
        return self.spread(lambda run: run.now / MINUTES_PER_DAY) if self.finished == 1.0 else None


def play(at: Conditions, course: Course, seeds: Sequence[int]) -> Lot:
    """One run a seed."""
    return Lot(tuple(Run(at, course, seed).play() for seed in seeds))


def spread(values: Sequence[float]) -> Spread:
    """Mean and percentiles, linear between the values."""
    ranked = sorted(values)

    def at(share: float) -> float:
        place = share * (len(ranked) - 1)
        low = int(place)
        high = min(low + 1, len(ranked) - 1)
        return ranked[low] + (ranked[high] - ranked[low]) * (place - low)

    return Spread(mean=sum(ranked) / len(ranked), p10=at(0.1), p50=at(0.5), p90=at(0.9))


def goodput_in(ledger: Ledger) -> float:
    """Share of the wall-clock time that made progress."""
    return ledger.useful_min / ledger.elapsed_min if ledger.elapsed_min else 0.0


def ettr_in(ledger: Ledger) -> float:
    """The same with the time that the job waited for a node left out."""
    held = ledger.elapsed_min - ledger.waiting_min
    return ledger.useful_min / held if held else 0.0


def shares_of(ledgers: Sequence[Ledger]) -> Shares:
    """Where the time of all runs went."""
    total = sum(ledger.elapsed_min for ledger in ledgers) or 1.0

    def share(name: str) -> float:
        return sum(float(getattr(ledger, name)) for ledger in ledgers) / total

    return Shares(
        useful=share("useful_min"),
        saving=share("saving_min"),
        lost_work=share("lost_min"),
        restart=share("restart_min"),
        waiting=share("waiting_min"),
        loading=share("loading_min"),
    )


def simulate(request: SimulateRequest, catalogue: Catalogue) -> SimulateResult:
    """Play a run. Raises BadInput as the estimates do, and where the model does not fit."""
    return simulate_played(played(request, catalogue), request)


def simulate_played(game: Played, request: SimulateRequest) -> SimulateResult:
    """Play a run whose inputs are known."""
    at, course = game.conditions, game.course
    expected = _expected(at, course)
    seeds = _seeds(request, expected)
    lot = play(at, course, seeds)
    told = Run(at, course, request.seed, record=True).play()
    few = seeds[: min(COMPARED_SEEDS, max(1, int(COMPARED_AFFORDED / expected)))]
    by_interval = compare_intervals(at, course, few, request.compare_intervals_min)
    by_spares = compare_spares(at, course, few, request.compare_spares)
    days, deadline = lot.days(), request.deadline_days
    hours = HOURS_PER_DAY / at.failures_daily if at.failures_daily else None
    return SimulateResult(
        nodes=at.nodes,
        spares=at.spares,
        days_undisturbed=course.work_min / MINUTES_PER_DAY,
        step_time_s=course.step_min * 60.0 or None,
        synchronise_s=game.synchronise_s,
        checkpoint_gb=game.checkpoint_gb,
        checkpoint_write_s=at.stall_min * 60.0,
        checkpoint_drain_s=at.drain_min * 60.0,
        checkpoint_interval_min=told.interval if at.interval_min else None,
        checkpoint_interval_why=game.interval_why,
        restart_min=at.restart_min,
        failures_per_day=at.failures_daily,
        mttf_h=hours,
        rate_says=game.rate_says,
        preemptions_per_day=at.preemptions_daily,
        saves_on_notice=at.saves_on_notice if at.spot_nodes else None,
        seed=request.seed,
        seeds=len(seeds),
        finished_share=lot.finished,
        days=days,
        goodput=lot.spread(lambda run: goodput_in(run.ledger)),
        goodput_formula=goodput_of(at, all_waits=True).exact,
        ettr=lot.spread(lambda run: ettr_in(run.ledger)),
        work_lost_h=lot.spread(lambda run: run.ledger.lost_min / 60.0),
        interruptions=lot.spread(lambda run: float(run.ledger.interruptions)),
        shares=shares_of([run.ledger for run in lot.runs]),
        corruption_unnoticed_share=sum(run.ledger.unnoticed for run in lot.runs) / len(lot.runs),
        deadline_days=deadline,
        in_time_share=_in_time(lot, deadline),
        node_days=days.mean * (at.nodes + at.spares) if days else None,
        by_interval=by_interval,
        by_spares=by_spares,
        best_interval_min=max(by_interval, key=lambda v: v.goodput).interval_min if by_interval else None,
        best_spares=best_spares(by_spares),
        timeline=(*told.moments[:-1][:MOST_MOMENTS], told.moments[-1]),
        strip=strip_of(told),
        assumptions=game.assumptions,
    )


def _expected(at: Conditions, course: Course) -> float:
    """Interruptions of one run, about."""
    daily = at.failures_daily + at.preemptions_daily + at.corruptions_daily
    days = course.work_min / MINUTES_PER_DAY / max(goodput_of(at, all_waits=True).exact, 1.0 / LONGEST)
    return daily * days + 1.0


def _seeds(request: SimulateRequest, expected: float) -> range:
    """As stated; else as many as by default, or fewer where runs are long."""
    count = request.seeds
    if "seeds" not in request.model_fields_set:
        count = min(count, max(LEAST_SEEDS, int(AFFORDED / expected)))
    return range(request.seed, request.seed + count)


def _in_time(lot: Lot, deadline_days: float | None) -> float | None:
    if deadline_days is None:
        return None
    return sum(run.finished and run.now / MINUTES_PER_DAY <= deadline_days for run in lot.runs) / len(lot.runs)


def compare_intervals(
    at: Conditions, course: Course, seeds: Sequence[int], intervals: Sequence[float] | None = None
) -> tuple[Variant, ...]:
    """The run at other checkpoint intervals: those given, or around the one at hand. Empty where nothing fails."""
    chosen = at.interval_min
    if chosen is None and not intervals:
        return ()
    wanted = intervals or [chosen * step for step in TABLE_STEPS if chosen]
    tried = sorted({*wanted, *([chosen] if chosen else [])})
    return tuple(variant(at._replace(interval_min=each), course, seeds, each == chosen) for each in tried)


def compare_spares(
    at: Conditions, course: Course, seeds: Sequence[int], counts: Sequence[int] | None = None
) -> tuple[Variant, ...]:
    """The run with other numbers of spares: those given, or none, half, and twice as many as at hand."""
    wanted = counts or (0, at.spares // 2, max(1, 2 * at.spares))
    tried = sorted({*wanted, at.spares})
    return tuple(variant(at._replace(spares=each), course, seeds, each == at.spares) for each in tried)


def variant(at: Conditions, course: Course, seeds: Sequence[int], chosen: bool) -> Variant:
    """One line of a comparison."""
    lot = play(at, course, seeds)
    ledgers = [run.ledger for run in lot.runs]
    return Variant(
        interval_min=lot.runs[0].interval if at.interval_min else None,
        spares=at.spares,
        goodput=lot.spread(lambda run: goodput_in(run.ledger)).mean,
        goodput_formula=goodput_of(at, all_waits=True).exact,
        days=lot.days(),
        work_lost_h=lot.spread(lambda run: run.ledger.lost_min / 60.0).mean,
        shares=shares_of(ledgers),
        chosen=chosen,
    )


def best_spares(variants: Sequence[Variant]) -> int:
    """Fewest spares whose goodput is as good as the best."""
    best = max(v.goodput for v in variants)
    return min(v.spares for v in variants if v.goodput >= best - AS_GOOD)


def strip_of(run: Run, slices: int = SLICES) -> tuple[Slice, ...]:
    """The told run's time in equal parts."""
    each_h, waits = run.now / 60.0 / slices, _waits(run)
    hit = Counter(min(slices - 1, int(m.at_h / each_h)) for m in run.moments if m.event in INTERRUPTIONS)
    found = []
    for part in range(slices):
        start, end = part * each_h, (part + 1) * each_h
        waited = sum(max(0.0, min(end, over) - max(start, begin)) for begin, over in waits)
        found.append(Slice(from_h=start, waited=waited > each_h / 2.0, interruptions=hit[part]))
    return tuple(found)


def _waits(run: Run) -> list[tuple[float, float]]:
    """Hours from and to which the run waited for a node."""
    found, since = [], None
    for moment in run.moments:
        if moment.event is Event.WAITING:
            since = moment.at_h
        elif since is not None and moment.event in (Event.NODE_BACK, Event.GAVE_UP):
            found.append((since, moment.at_h))
            since = None
    return found
