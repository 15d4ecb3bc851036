"""Published failure rates and the two that a request comes to.

*Node hardware* counts faults that put a machine out of service: it sets the spares. *Job observed* counts every
unplanned end of a job, software included: it sets the checkpoint interval and the goodput. Published fleets disagree by
a factor of four between them (at 1,024 GPUs the RSC clusters saw 7.9 h between interruptions where their hardware rate
alone gives 28.8 h). Every rate is per 1,000 node-days; a node is a server, of eight GPUs unless said otherwise.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from assistant.sizing.reliability.options import FailureOptions
from knowledge.calibration.reliability import FleetRate, reliability_constants
from knowledge.errors import BadInput
from knowledge.message import Message, say

HOURS_PER_DAY = 24.0
"""Of one day."""
MINUTES_PER_DAY = 1440.0
"""Of one day."""
SMALL_JOBS, SMALL_JOB_NODES = "rsc_small_jobs", 128
"""The fleet of small jobs, and the nodes up to which its rate was seen."""


JOB_OBSERVED = "job_observed"
"""What the failure rates that a job sees are called; the others are those of hardware alone."""

FLEETS = {fleet.id: fleet for fleet in reliability_constants().fleets}
"""Published fleets by id."""


class Rates(NamedTuple):
    """The two rates of a request, per 1,000 node-days, and what they rest on."""

    job: float
    hardware: float
    says: Message
    sources: tuple[str, ...]


def failures_per_day(nodes: float, rate_per_1000_node_days: float) -> float:
    """Expected failures a day of ``nodes`` machines."""
    return nodes * rate_per_1000_node_days / 1000.0


def mttf_h(nodes: float, rate_per_1000_node_days: float) -> float:
    """Mean time between failures of a job on ``nodes`` machines, in hours; infinite where nothing fails."""
    daily = failures_per_day(nodes, rate_per_1000_node_days)
    return HOURS_PER_DAY / daily if daily > 0 else math.inf


def rates_of(options: FailureOptions) -> Rates:
    """The job's and the hardware's rate. Raises BadInput for an unknown fleet and a hardware rate above the job's."""
    named = _fleet(options.fleet) if options.fleet else None
    job, hardware = FLEETS["llama3"], FLEETS["llama3_hardware"]
    if named and named.kind == JOB_OBSERVED:
        job = named
    elif named:
        # A hardware rate is a floor of what a job sees: nothing else is known of that fleet.
        job = hardware = named
    stated, stated_hardware = options.failures_per_1000_node_days, options.hardware_failures_per_1000_node_days
    job_rate = job.rate_per_1000_node_days if stated is None else stated
    if stated is not None and stated_hardware is not None and stated_hardware > stated:
        raise BadInput(
            "hardware_failures_per_1000_node_days",
            stated_hardware,
            "at most failures_per_1000_node_days: a job sees the failures of its hardware too",
            [f"{stated:g}"],
        )
    if stated_hardware is None:
        stated_hardware = min(hardware.rate_per_1000_node_days, job_rate)
    published = say("reliability.rate.published", id=job.id, says=job.says)
    says = published if stated is None else say("reliability.rate.stated", rate=stated)
    return Rates(max(job_rate, stated_hardware), stated_hardware, says, job.sources if stated is None else ())


def dissent(nodes: int, rates: Rates) -> tuple[Message, ...]:
    """Published rates that say otherwise of jobs, most often failing first; small jobs' only of small jobs."""
    others = [
        fleet
        for fleet in FLEETS.values()
        if fleet.kind == JOB_OBSERVED
        and fleet.rate_per_1000_node_days != rates.job
        and (fleet.id != SMALL_JOBS or nodes <= SMALL_JOB_NODES)
    ]
    others.sort(key=lambda fleet: -fleet.rate_per_1000_node_days)
    return tuple(
        say(
            "reliability.rate.dissent",
            id=fleet.id,
            rate=fleet.rate_per_1000_node_days,
            hours=mttf_h(nodes, fleet.rate_per_1000_node_days),
            says=fleet.says,
        )
        for fleet in others
    )


def pessimistic_rate(nodes: int) -> float:
    """The worst published rate for a job of this size."""
    return FLEETS[SMALL_JOBS if nodes <= SMALL_JOB_NODES else "opt"].rate_per_1000_node_days


def _fleet(name: str) -> FleetRate:
    if name not in FLEETS:
        raise BadInput("fleet", name, "one of " + ", ".join(FLEETS), list(FLEETS)[:3])
    return FLEETS[name]
