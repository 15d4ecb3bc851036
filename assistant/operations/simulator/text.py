"""What came of a simulation, for people: figures over the seeds, the told run, and the comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assistant.operations.simulator.events import Event, Moment
from assistant.operations.simulator.request import Shares, SimulateResult, Slice, Spread, Variant

WAITED, QUIET, MANY = "w", "=", "+"
"""Signs of a part of the told run: waiting for a node, nothing happened, ten interruptions or more."""
MOST_LINES = 24
"""Events of the told run that are printed; --json has all."""
LEAST_MIN = 0.05
"""Less lost work than this is not worth a word."""


def report(result: SimulateResult) -> Iterator[str]:
    """The lines of the report."""
    yield from _head(result)
    yield from _figures(result)
    yield ""
    yield "time: " + shares_said(result.shares)
    yield from _deadline(result)
    yield ""
    yield from _told(result)
    if result.by_interval:
        yield ""
        yield from table("checkpoint interval", result.by_interval, result.best_interval_min)
    yield ""
    yield from table("spares", result.by_spares, result.best_spares)
    yield ""
    yield from (f"assumed: {text}" for text in result.assumptions)


def _head(r: SimulateResult) -> Iterator[str]:
    yield f"{r.nodes:,} nodes and {r.spares:,} spares, {r.days_undisturbed:.4g} days of undisturbed training"
    often = f"one in {r.mttf_h:.3g} h" if r.mttf_h else "none"
    yield f"failures: {r.failures_per_day:.3g} a day, {often} ({r.rate_says})"
    if r.preemptions_per_day:
        saved = "the notice is long enough to save" if r.saves_on_notice else "the notice is too short to save"
        yield f"preemptions: {r.preemptions_per_day:.3g} a day; {saved}"
    if r.step_time_s:
        of = f", of it {r.synchronise_s:.3g} s synchronising" if r.synchronise_s else ""
        yield f"step: {r.step_time_s:.3g} s{of}"
    if r.checkpoint_interval_min:
        safe = f", safe {r.checkpoint_drain_s:.3g} s later" if r.checkpoint_drain_s else ""
        weight = f" of {r.checkpoint_gb:,.4g} GB" if r.checkpoint_gb else ""
        yield (
            f"checkpoint{weight} every {r.checkpoint_interval_min:.3g} min ({r.checkpoint_interval_why}); "
            f"training stands still {r.checkpoint_write_s:.3g} s{safe}"
        )
    yield f"restart: {r.restart_min:.3g} min"
    yield ""


def _figures(r: SimulateResult) -> Iterator[str]:
    yield f"{f'over {r.seeds} seeds':<22}{'mean':>9}{'P10':>9}{'P50':>9}{'P90':>9}"
    if r.days:
        yield _row("days to finish", r.days, "{:.2f}")
    else:
        yield f"{'days to finish':<22}  only {r.finished_share:.0%} of the runs finish"
    yield _row("goodput", r.goodput, "{:.2%}") + f"   closed form {r.goodput_formula:.2%}"
    yield _row("ETTR (without waiting)", r.ettr, "{:.2%}")
    yield _row("work lost, hours", r.work_lost_h, "{:.2f}")
    yield _row("interruptions", r.interruptions, "{:.1f}")
    if r.node_days:
        yield f"{'node-days, with spares':<22} {r.node_days:>8,.0f}"
    if r.corruption_unnoticed_share:
        yield f"runs that end with a corruption nobody noticed: {r.corruption_unnoticed_share:.0%}"


def _row(name: str, figure: Spread, form: str) -> str:
    cells = (form.format(value) for value in (figure.mean, figure.p10, figure.p50, figure.p90))
    return f"{name:<22}" + "".join(f"{cell:>9}" for cell in cells)


def shares_said(shares: Shares) -> str:
    """Where the time went, largest first; what is nothing is left out."""
    names = shares.model_dump()
    ranked = sorted(names, key=lambda name: -names[name])
    return ", ".join(f"{names[n]:.2%} {n.replace('_', ' ')}" for n in ranked if names[n] >= 0.00005)


def _deadline(r: SimulateResult) -> Iterator[str]:
    if r.in_time_share is not None and r.deadline_days is not None:
        yield f"deadline: {r.in_time_share:.0%} of the runs are over within {r.deadline_days:g} days"


def _told(r: SimulateResult) -> Iterator[str]:
    each = r.strip[1].from_h if len(r.strip) > 1 else 0.0
    yield f"run of seed {r.seed}: = training, 1-9 interruptions (+ more), w waiting for a node; a sign is {each:.3g} h"
    yield strip_text(r.strip)
    shown = [m for m in r.timeline if m.event is not Event.RESTARTED]
    yield from (moment_line(m) for m in shown[:MOST_LINES])
    if len(shown) > MOST_LINES:
        yield f"   ... {len(shown) - MOST_LINES} more; --json has all"
        yield moment_line(shown[-1])


def strip_text(strip: Sequence[Slice]) -> str:
    """The told run in one line."""
    return "".join(_sign(part) for part in strip)


def _sign(part: Slice) -> str:
    if part.waited:
        return WAITED
    return (str(part.interruptions) if part.interruptions < 10 else MANY) if part.interruptions else QUIET


def moment_line(moment: Moment) -> str:
    """One event on one line: when, how far, what, and what it cost."""
    day, hour = divmod(moment.at_h, 24.0)
    lost = f"; {moment.lost_min:.1f} min of work lost" if moment.lost_min >= LEAST_MIN else ""
    return f"  day {day:>4.0f} {clock(hour)}  {moment.done_share:>6.1%}  {moment.says}{lost}"


def clock(hours: float) -> str:
    """Hours as 07:30."""
    minutes = int(hours * 60.0)
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def table(what: str, variants: Sequence[Variant], best: float | None) -> Iterator[str]:
    """A comparison: one line a variant, > marks the one at hand, * the best."""
    interval = what != "spares"
    yield f"{what:<22}{'goodput':>9}{'formula':>9}{'lost':>8}{'saving':>8}{'waiting':>8}   days P10-P90"
    for one in variants:
        value = one.interval_min if interval else one.spares
        name = f"{value:.3g} min" if interval and value else f"{one.spares}"
        marks = (">" if one.chosen else " ") + ("*" if value == best else " ")
        days = f"{one.days.p10:.2f}-{one.days.p90:.2f}" if one.days else "does not finish"
        s = one.shares
        yield (
            f"{marks} {name:<20}{one.goodput:>9.2%}{one.goodput_formula:>9.2%}"
            f"{s.lost_work:>8.2%}{s.saving:>8.2%}{s.waiting:>8.2%}   {days}"
        )
    yield "> as it is, * best" if interval else "> as it is, * fewest that are as good as the best"
