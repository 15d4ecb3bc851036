"""Sections of the document on the physical side: what the building must bring, cables, cost, growth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from assistant.export.parts import Section, Table, rows_table
from assistant.messages.voice import DASH, Voice
from assistant.result import Plan

BUILDING = {
    "feeds_per_rack": None,
    "floor_kg_per_m2": "kg/m²",
    "rack_height_m": "m",
    "start_steps": "steps",
    "start_step_kw": "kW",
    "start_minutes": "min",
    "supply_air_c": "°C",
    "coolant_supply_c": "°C",
    "coolant_return_c": "°C",
    "reusable_heat_mwh": "MWh",
}
"""Figures of the building with their unit, in the order in which they are shown."""

POWER = ("idle_kw", "feed_kw")

MONEY = (
    "capex",
    "opex_per_year",
    "total_1_year",
    "total_3_years",
    "yearly",
    "per_gpu_hour",
    "per_million_input_tokens",
    "per_million_cached_tokens",
    "per_million_output_tokens",
    "per_million_tokens",
    "per_training_run",
)
"""Figures of the cost in the order in which they are shown."""


def physical_sections(plan: Plan, lang: str = "en") -> tuple[Section, ...]:
    """All of them; those without content are empty."""
    parts = _Parts(plan, Voice(lang, "physical"))
    return (
        parts.platform(),
        parts.acceptance(),
        parts.storage(),
        parts.building(),
        parts.cables(),
        parts.cost(),
        parts.growth(),
    )


class _Parts:
    """The sections of one plan in one language."""

    def __init__(self, plan: Plan, voice: Voice) -> None:
        self.plan = plan
        self.voice = voice

    def section(self, ident: str, tables: tuple[Table, ...] = (), bullets: tuple[str, ...] = ()) -> Section:
        title = Voice(self.voice.lang, "export")(f"section.{ident}")
        return Section(id=ident, title=title, tables=tables, bullets=bullets)

    def heads(self, *keys: str) -> tuple[str, ...]:
        return tuple(self.voice(f"head.{key}") if key else "" for key in keys)

    def money(self, amount: float, currency: str) -> str:
        return self.voice("amount", amount=float(amount), currency=currency)

    def acceptance(self) -> Section:
        """What collectives should reach on the plan's network."""
        said = self.voice
        rows = [
            (
                collective.replace("_", "-"),
                str(nodes),
                said.quantity(point["expected_gb_per_s"], "GB/s"),
                said.quantity(point["least_gb_per_s"], "GB/s"),
                f"{said.word('physical.busbw', point['kind'])}, {said.tell(point['basis'])}",
                "; ".join(map(said.tell, point["floors"])) or DASH,
            )
            for collective, points in self.plan.network.get("acceptance", {}).items()
            for nodes, point in points.items()
        ]
        header = self.heads("collective", "nodes", "bandwidth", "accept", "from", "floors")
        return self.section("acceptance", rows_table(header, rows))

    def storage(self) -> Section:
        """Each bandwidth with what demands it, what reaches it, staging, and NFS."""
        said, storage = self.voice, self.plan.storage
        asked = [
            (
                said(f"way.{way}"),
                said.word("physical.demand", one["name"]) if isinstance(one["name"], str) else said.tell(one["name"]),
                said.quantity(one["gb_per_s"], "GB/s"),
                said.tell(one["why"]),
            )
            for way in ("read", "write")
            for one in storage.get(f"{way}_demands", ())
        ]
        blocks = [
            (
                str(b["system"]),
                said.quantity(b["units"]),
                said.quantity(b["read_gb_per_s"], "GB/s"),
                said.quantity(b["power_kw"], "kW"),
            )
            for b in storage.get("reached_by", ())
        ]
        tables = (
            *rows_table(self.heads("", "demanded_by", "rate", "why"), asked),
            *rows_table(self.heads("block", "units", "reads", "power"), blocks),
        )
        return self.section("storage", tables, tuple(self._staged(storage)))

    def _staged(self, storage: Mapping[str, Any]) -> Iterator[str]:
        said, staging, nfs = self.voice, storage.get("staging"), storage.get("if_nfs")
        if staging:
            risk = said.tell(staging["at_risk"])
            yield said("staged", stall=float(staging["stall_s"]), drain=float(staging["drain_s"]), risk=risk)
        if nfs and nfs["times_too_slow"] > 1:
            times = {"checkpoint": nfs["checkpoint_write_s"], "cold_start": nfs["cold_start_s"]}
            told = "; ".join(said(f"nfs.{name}", seconds=float(time)) for name, time in times.items() if time)
            yield said("nfs.through", rate=float(nfs["gb_per_s"]), told=told or said("nfs.slower"))

    def platform(self) -> Section:
        """Services beside the GPUs."""
        said = self.voice
        rows = [
            (
                said.word("services.item", s.item),
                said.quantity(s.count) if s.count else DASH,
                said.tell(s.where),
                said.tell(s.why),
            )
            for s in self.plan.platform
        ]
        return self.section("platform", rows_table(self.heads("service", "machines", "where", "why"), rows))

    def building(self) -> Section:
        """What the site has to provide."""
        said, building = self.voice, self.plan.facility.building
        power = [(said(f"building.{name}"), said.quantity(getattr(self.plan.facility, name), "kW")) for name in POWER]
        rows = [
            (said(f"building.{name}"), self.reach(value, unit))
            for name, unit in BUILDING.items()
            if (value := getattr(building, name, None))
        ]
        return self.section("building", rows_table(self.heads("what", "value"), [*power, *rows] if building else ()))

    def reach(self, value: object, unit: str | None) -> str:
        """A figure or a range with its unit."""
        if isinstance(value, (list, tuple)):
            return f"{self.voice.reach((value[0], value[1]))} {unit or ''}".rstrip()
        return self.voice.quantity(value, unit)

    def cables(self) -> Section:
        """Cables by fabric, length and medium."""
        said = self.voice
        layout: Mapping[str, Any] = self.plan.layout or {}
        rows = [
            (
                said.tell(run["purpose"]),
                said.tell(run["hop"]),
                said.quantity(run["length_m"], "m"),
                f"{run['medium']} {run.get('part') or ''}".rstrip(),
                said.quantity(run["links"]),
                said.quantity(run["cables"]),
            )
            for run in layout.get("cables", ())
        ]
        assumed = tuple(said("assumed", note=said.tell(note)) for note in layout.get("assumed", ())) if rows else ()
        return self.section(
            "cables", rows_table(self.heads("fabric", "hop", "length", "medium", "links", "cables"), rows), assumed
        )

    def cost(self) -> Section:
        """What the prices given add up to."""
        cost: Mapping[str, Any] = self.plan.cost or {}
        if not cost:
            return self.section("cost")
        said, currency = self.voice, str(cost.get("currency", ""))
        bullets = [said("cost.problem", text=said.tell(cost["problem"]))] if cost.get("problem") else []
        for name in ("price_sources", "unpriced", "expired"):
            bullets += [said(f"cost.{name}", list="; ".join(map(said.tell, cost[name])))] if cost.get(name) else []
        bullets += [said.tell(note) for note in cost.get("notes", ())]
        rows = [
            (said(f"money.{name}"), self.money(cost[name], currency)) for name in MONEY if cost.get(name) is not None
        ]
        if cost.get("capex") is None and cost.get("capex_priced"):
            rows.insert(0, (said("money.capex_priced"), self.money(cost["capex_priced"], currency)))
        tables = (
            *rows_table(self.heads("cost", "value"), rows),
            *self._cost_lines(cost, currency),
            *self._curve(cost, currency),
        )
        return self.section("cost", tables, tuple(bullets))

    def _cost_lines(self, cost: Mapping[str, Any], currency: str) -> tuple[Table, ...]:
        rows = [
            (self.voice.tell(item), self.voice(f"when.{when}"), self.money(amount, currency))
            for when, lines in (("once", "capex_lines"), ("yearly", "opex_lines"))
            for item, amount in cost.get(lines, {}).items()
        ]
        return rows_table(self.heads("item", "when", "cost"), rows)

    def _curve(self, cost: Mapping[str, Any], currency: str) -> tuple[Table, ...]:
        """Own cost against rent over utilisation; they cross at the break-even."""
        said = self.voice
        even: Mapping[str, Any] = cost.get("break_even") or {}
        rows = [
            (
                said("share", share=float(share)),
                self.money(own, currency),
                self.money(rent, currency),
                said("less.buying" if own < rent else "less.renting"),
            )
            for share, own, rent in even.get("curve", ())
        ]
        use = even.get("utilisation")
        if rows and use is not None:
            rows.append((said("share", share=float(use)), "", "", said("less.never" if use > 1 else "less.even")))
        return rows_table(self.heads("in_use", "own_hour", "rented_hour", "costs_less"), rows)

    def growth(self) -> Section:
        """Each step of growth with what it adds and what it rebuilds."""
        said = self.voice
        rows = [
            (
                said.tell(step.step),
                f"{said.quantity(step.servers)} (+{said.quantity(step.added_servers)})",
                said.quantity(step.added_switches),
                said.quantity(step.added_racks),
                said.quantity(step.added_kw, "kW"),
                said.tell(step.rebuilt),
            )
            for step in self.plan.growth
        ]
        header = self.heads("step", "servers", "switches_added", "racks_added", "power_added", "rebuilt")
        return self.section("growth", rows_table(header, rows))
