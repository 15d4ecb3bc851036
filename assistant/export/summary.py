"""One paragraph that a presales engineer can read out on the call, in the languages of the interview."""

from __future__ import annotations

import re
from dataclasses import dataclass

from assistant.export.document import number, percent, quantity
from assistant.interview.wording import message, word
from assistant.planning.demands.demand import PURPOSE
from assistant.result import Plan, Sizing, Workload

SIGNS = str.maketrans(",.", ".,")
_UNNAMED = re.compile(r"some (\S+) model")
"""How ``assistant.planning.demands.models`` calls a model of which only the size is known."""


def summary_of(sizing: Sizing, lang: str = "en") -> str:
    """What, how many, what drives it, power, network, what is assumed, what is open."""
    return _Summary(sizing, sizing.plan(), lang).text()


@dataclass(frozen=True)
class _Summary:
    """The sentences about one sizing in one language."""

    sizing: Sizing
    plan: Plan
    lang: str

    def text(self) -> str:
        """All that apply, in order."""
        sentences = [
            self.purpose(),
            self.hardware(),
            self.shortfall(),
            self.training(),
            self.power(),
            self.decided(),
            self.range(),
            self.open(),
        ]
        return " ".join(sentence for sentence in sentences if sentence)

    def say(self, key: str, **values: object) -> str:
        return message(f"summary_{key}", self.lang, **values)

    def signs(self, text: str) -> str:
        """A figure with the language's signs for thousands and decimals."""
        return text.translate(SIGNS) if self.lang == "de" else text

    def amount(self, value: object, unit: str) -> str:
        return self.signs(quantity(value, unit)) if value is not None else word("unknown", self.lang)

    def purpose(self) -> str:
        work = "; ".join(dict.fromkeys(f"{self.work(w.kind)}{self.model(w)}" for w in self.sizing.workloads))
        if not any(field in self.sizing.stated for field in PURPOSE):
            work = self.say("no_purpose", work=work)
        if self.plan.fits:
            return self.say("fits", work=work)
        fix = self.plan.nearest_fix.get("change") if self.plan.nearest_fix else None
        said = self.say("does_not_fit", work=work, why=self.plan.why_not)
        return said + (" " + self.say("fix", change=fix) if fix else "")

    def work(self, kind: str) -> str:
        said = word(f"work {kind}", self.lang)
        return kind.replace("_", " ") if said == f"work {kind}" else said

    def model(self, workload: Workload) -> str:
        if workload.model is None:
            return ""
        dtype = f" in {workload.weight_dtype.upper()}" if workload.weight_dtype else ""
        return self.say("model", model=f"{self.named(workload.model, 'unnamed_with')}{dtype}")

    def named(self, model: str, key: str) -> str:
        """A model's name; one that is only a size is said in the language."""
        size = _UNNAMED.fullmatch(model)
        return self.say(key, size=size[1]) if size else model

    def hardware(self) -> str:
        plan = self.plan
        key = f"binding {plan.binding}"
        why = word(key, self.lang)
        return self.say(
            "hardware",
            gpus=self.signs(f"{plan.gpus:,}"),
            accelerator=plan.accelerator,
            servers=", ".join(f"{s.count} x {s.name}" for s in plan.servers if s.role == "gpu"),
            why=self.say("demanded", by=word(plan.binding, self.lang)) if why == key else why,
            share=percent(plan.capacity_after_one_failure.share_of_required_load),
        )

    def shortfall(self) -> str:
        return next((w.text for w in self.sizing.warnings if w.id == "load_exceeds_named_hardware"), "")

    def training(self) -> str:
        """How long training takes, with the band of the speed's published error."""
        parts = []
        for place in self.plan.placements:
            figures = place.get("figures", {})
            days = figures.get("days_with_failures") or figures.get("days")
            rate, low, high = (figures.get(f"tokens_per_s_per_gpu{end}") for end in ("", "_p10", "_p90"))
            if not place.get("training") or days is None or not place.get("fits"):
                continue
            ends = (days * rate / high, days * rate / low) if rate and low and high else None
            band = self.say("band", low=self.time(ends[0]), high=self.time(ends[1])) if ends else ""
            parts.append(
                self.say("takes", model=self.named(place["model"], "unnamed"), time=self.time(days), band=band)
            )
        return self.say("training", parts="; ".join(parts)) if parts else ""

    def time(self, days: float) -> str:
        if days >= 1:
            return self.say("days", days=self.signs(f"{days:.3g}"))
        return self.say("hours", hours=self.signs(f"{days * 24:.2g}"))

    def power(self) -> str:
        facility = self.plan.facility
        racks = facility.get("racks")
        return self.say(
            "power" if racks == 1 else "power_racks",
            nominal=self.amount(facility.get("nominal_it_kw"), "kW"),
            expected=self.amount(facility.get("it_kw"), "kW"),
            racks=word("unknown", self.lang) if racks is None else self.signs(number(racks)),
            rack=self.amount(facility.get("rack_kw"), "kW"),
            cooling=self.choice(str(facility.get("cooling", "air")), "summary cooling"),
        )

    def choice(self, value: str, group: str = "") -> str:
        """A decision's choice in words."""
        own = f"{group} {value}" if group else value
        if (said := word(own, self.lang)) != own:
            return said
        return (value if self.lang == "en" else word(value, self.lang)).replace("_", " ")

    def decided(self) -> str:
        shown = {d.id: d.choice for d in self.sizing.decisions}
        wanted = ("build_rent_sovereign", "fabric_technology", "scheduler")
        parts = [f"{self.say(key)} {self.choice(shown[key])}" for key in wanted if key in shown]
        return self.say("decided", parts=", ".join(parts)) if parts else ""

    def range(self) -> str:
        lean, roomy = (self.sizing.plan(name).gpus for name in ("lean", "roomy"))
        return "" if lean == roomy else self.say("range", lean=self.signs(f"{lean:,}"), roomy=self.signs(f"{roomy:,}"))

    def open(self) -> str:
        duties = [o.title for o in self.sizing.obligations if o.applies is True]
        text = self.say("assumed", count=len(self.sizing.assumptions))
        return text + (" " + self.say("duties", titles="; ".join(duties)) if duties else "")
