"""One paragraph that a presales engineer can read out on the call."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assistant.planning.demands.demand import PURPOSE
from assistant.result import Plan, Sizing, Workload
from knowledge.message import Message, Text, say

_UNNAMED = re.compile(r"some (\S+) model")
"""How ``assistant.planning.demands.models`` calls a model of which only the size is known."""

DECIDED = ("build_rent_sovereign", "fabric_technology", "scheduler")
"""Decisions that are read out."""


def summary_of(sizing: Sizing) -> Message:
    """What, how many, what drives it, power, network, what is assumed, what is open."""
    return say("summary.all", parts=_Summary(sizing, sizing.plan()).sentences())


@dataclass(frozen=True)
class _Summary:
    """The sentences about one sizing."""

    sizing: Sizing
    plan: Plan

    def sentences(self) -> Iterator[Message]:
        """All that apply, in order: first what was asked."""
        for reply in self.sizing.replies:
            yield say("summary.as_it_is", text=reply.text)
        yield from self.purpose()
        yield self.hardware()
        yield from self.shortfall()
        yield from self.training()
        yield self.power()
        yield from self.decided()
        yield from self.range()
        yield from self.open()

    def purpose(self) -> Iterator[Message]:
        work = say("summary.works", works=list(dict.fromkeys(map(self.work, self.sizing.workloads))))
        if not any(name.rpartition(".")[2] in PURPOSE for name in self.sizing.stated):
            work = say("summary.no_purpose", work=work)
        if self.plan.fits:
            yield say("summary.fits", work=work)
            missed = [target.short for target in self.plan.targets if target.missed]
            if missed:
                yield say("target.summary", missed=missed)
            return
        yield say("summary.does_not_fit", work=work, why=self.plan.why_not)
        fix = self.plan.nearest_fix.get("change") if self.plan.nearest_fix else None
        if fix:
            yield say("summary.fix", change=fix)

    def work(self, workload: Workload) -> Message:
        if workload.model is None:
            return say("summary.work", kind=workload.kind)
        model = self.named(workload.model, "summary.unnamed_with")
        if workload.weight_dtype is None:
            return say("summary.work_with", kind=workload.kind, model=model)
        return say("summary.work_in", kind=workload.kind, model=model, dtype=workload.weight_dtype.upper())

    def named(self, model: str, key: str) -> Text:
        """A model's name; one that is only a size is said in the language."""
        size = _UNNAMED.fullmatch(model)
        return say(key, size=size[1]) if size else model

    def hardware(self) -> Message:
        plan = self.plan
        return say(
            "summary.hardware",
            gpus=plan.gpus,
            accelerator=plan.card,
            servers=[say("summary.server", count=s.count, name=s.name) for s in plan.servers if s.role == "gpu"],
            binding=plan.binding,
            share=plan.capacity_after_one_failure.share_of_required_load,
        )

    def shortfall(self) -> Iterator[Message]:
        found = next((w.text for w in self.sizing.warnings if w.id == "load_exceeds_named_hardware"), None)
        if found is not None:
            yield say("summary.as_it_is", text=found)

    def training(self) -> Iterator[Message]:
        """How long training takes, with the band of the speed's published error."""
        parts = []
        for place in self.plan.placements:
            figures = place.get("figures", {})
            days = figures.get("days_with_failures") or figures.get("days")
            rate, low, high = (figures.get(f"tokens_per_s_per_gpu{end}") for end in ("", "_p10", "_p90"))
            if not place.get("training") or days is None or not place.get("fits"):
                continue
            model = self.named(place["model"], "summary.unnamed")
            if rate and low and high:
                ends = {"low": self.time(days * rate / high), "high": self.time(days * rate / low)}
                parts.append(say("summary.takes_within", model=model, time=self.time(days), **ends))
            else:
                parts.append(say("summary.takes", model=model, time=self.time(days)))
        if parts:
            yield say("summary.training", parts=parts)

    def time(self, days: float) -> Message:
        if days >= 1:
            return say("summary.days", days=float(days))
        return say("summary.hours", hours=float(days * 24))

    def power(self) -> Message:
        facility = self.plan.facility
        return say(
            "summary.power",
            nominal=facility.nominal_it_kw,
            expected=facility.it_kw,
            racks=facility.racks,
            rack=facility.rack_kw,
            cooling=facility.cooling,
        )

    def decided(self) -> Iterator[Message]:
        shown = {d.id: d.said(d.choice) for d in self.sizing.decisions}
        parts = [say(f"summary.decision.{key}", choice=shown[key]) for key in DECIDED if key in shown]
        if parts:
            yield say("summary.decided", parts=parts)

    def range(self) -> Iterator[Message]:
        lean, roomy = (self.sizing.plan(name).gpus for name in ("lean", "roomy"))
        if lean != roomy:
            yield say("summary.range", lean=lean, roomy=roomy)

    def open(self) -> Iterator[Message]:
        yield say("summary.assumed", count=len(self.sizing.assumptions))
        duties = [say("summary.as_it_is", text=o.title) for o in self.sizing.obligations if o.applies is True]
        if duties:
            yield say("summary.duties", titles=duties)
