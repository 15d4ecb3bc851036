"""Six lines that a manager reads: for what, how much, where, whether it keeps its promises, on what it hinges, and what
to ask next. Before them stands the answer to what was asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assistant.messages.figures import two_digits
from assistant.planning.demands.demand import PURPOSE
from assistant.result import Plan, Sizing, Workload
from knowledge.message import Message, Text, say

_UNNAMED = re.compile(r"some (\S+) model")
"""How ``assistant.planning.demands.models`` calls a model of which only the size is known."""

DECIDED = ("build_rent_sovereign", "fabric_technology", "scheduler")
"""Decisions that are read out."""
MOST_FIELDS = 3
"""Open values that the result is said to hinge on."""


def summary_of(sizing: Sizing) -> Message:
    """The lines as one paragraph, which can be read out."""
    return say("summary.all", parts=summary_lines(sizing))


def summary_lines(sizing: Sizing) -> list[Message]:
    """The lines one by one."""
    return list(_Summary(sizing, sizing.plan()).lines())


@dataclass(frozen=True)
class _Summary:
    """The lines about one sizing."""

    sizing: Sizing
    plan: Plan

    def lines(self) -> Iterator[Message]:
        """First what was asked, then the six."""
        for reply in self.sizing.replies:
            yield say("summary.as_it_is", text=reply.text)
        yield self.purpose()
        yield self.hardware()
        yield self.site()
        yield say("summary.all", parts=self.promises())
        yield self.hinges()
        yield from self.ask()

    def purpose(self) -> Message:
        """What for, for whom, how much at once."""
        work = say("summary.works", works=list(dict.fromkeys(map(self.work, self.sizing.workloads))))
        if not any(name.rpartition(".")[2] in PURPOSE for name in self.sizing.stated):
            work = say("summary.no_purpose", work=work)
        return say("summary.purpose", parts=[work, *self.load()])

    def load(self) -> Iterator[Message]:
        if self.sizing.load_ratio is not None:
            yield say("summary.people", count=round(self.sizing.load_ratio.users_total))
        loads = [workload.demand.get("in_flight") for workload in self.sizing.workloads]
        at_once = sum(load["likely"] for load in loads if load)
        if at_once > 1:
            yield say("summary.at_once", count=two_digits(at_once))
        elif at_once:
            yield say("summary.at_once_one")

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
        lean, roomy = (self.sizing.plan(name).gpus for name in ("lean", "roomy"))
        return say(
            "summary.hardware" if lean == roomy else "summary.hardware_range",
            gpus=plan.gpus,
            accelerator=plan.card,
            servers=[say("summary.server", count=s.count, name=s.name) for s in plan.servers if s.role == "gpu"],
            binding=plan.binding,
            lean=lean,
            roomy=roomy,
        )

    def site(self) -> Message:
        facility = self.plan.facility
        return say(
            "summary.power",
            nominal=two_digits(facility.nominal_it_kw, up=True),
            expected=two_digits(facility.it_kw),
            racks=facility.racks,
            rack=two_digits(facility.rack_kw, up=True),
            cooling=facility.cooling,
        )

    def promises(self) -> Iterator[Message]:
        """Whether it fits and keeps its targets, by how much not, what would; and how long training takes."""
        plan = self.plan
        share = plan.capacity_after_one_failure.share_of_required_load
        missed = [target.short for target in plan.targets if target.missed]
        if not plan.fits:
            change = plan.nearest_fix.get("change") if plan.nearest_fix else None
            key = "summary.does_not_fit_but" if change else "summary.does_not_fit"
            yield say(key, why=plan.why_not, change=change)
        elif missed:
            yield say("summary.missed", missed=missed, share=share)
        else:
            yield say("summary.met", share=share)
        short = next((w.text for w in self.sizing.warnings if w.id == "load_exceeds_named_hardware"), None)
        if short is not None:
            yield say("summary.as_it_is", text=short)
        yield from self.training()

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
            return say("summary.days", days=two_digits(float(days)))
        return say("summary.hours", hours=two_digits(float(days * 24)))

    def hinges(self) -> Message:
        """The open values that move it most, the choices that were made, what is assumed, and the law."""
        shown = {d.id: d.said(d.choice) for d in self.sizing.decisions}
        fields = [say(f"fields.{asked.id}") for asked in self.sizing.next_questions[:MOST_FIELDS]]
        parts = [say("summary.fields", fields=fields)] if fields else []
        parts.append(say("summary.assumed", count=len(self.sizing.assumptions)))
        decided = [say(f"summary.decision.{key}", choice=shown[key]) for key in DECIDED if key in shown]
        if decided:
            parts.append(say("summary.decided", parts=decided))
        duties = sum(one.applies is True for one in self.sizing.obligations)
        if duties:
            parts.append(say("summary.duties", count=duties))
        return say("summary.hinges", parts=parts)

    def ask(self) -> Iterator[Message]:
        for asked in self.sizing.next_questions[:1]:
            yield say("summary.ask", question=say(f"questions.{asked.id}.presales"))
