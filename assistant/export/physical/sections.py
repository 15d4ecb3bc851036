"""Sections of the document on the physical side: what the building must bring, cables, cost, growth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from assistant.export.document import Section, Table, number, quantity, rows_table
from assistant.result import Plan

BUILDING = {
    "feeds_per_rack": ("feeds a rack", ""),
    "floor_kg_per_m2": ("floor load under the fullest rack", "kg/m2"),
    "rack_height_m": ("way in, height", "m"),
    "start_steps": ("servers of a rack are started in turn", "steps"),
    "start_step_kw": ("rated power of one step", "kW"),
    "start_minutes": ("time to start all", "min"),
    "supply_air_c": ("supply air", "°C"),
    "coolant_supply_c": ("coolant supply", "°C"),
    "coolant_return_c": ("coolant return, at most", "°C"),
    "reusable_heat_mwh": ("heat that liquid hands on, a year", "MWh"),
}
"""Figures of the building in words, with their unit."""

POWER = {"power at rest": "idle_kw", "feeds installed": "feed_kw"}

MONEY = {
    "capex": "capital cost",
    "opex_per_year": "running cost a year",
    "total_1_year": "total over 1 year",
    "total_3_years": "total over 3 years",
    "yearly": "a year, capital cost spread",
    "per_gpu_hour": "a GPU hour in use",
    "per_million_input_tokens": "a million input tokens",
    "per_million_cached_tokens": "a million cached input tokens",
    "per_million_output_tokens": "a million output tokens",
    "per_million_tokens": "all cost over a million output tokens",
    "per_training_run": "a training run, repeated work included",
}


def physical_sections(plan: Plan) -> tuple[Section, ...]:
    """All of them; those without content are empty."""
    return (
        _platform(plan),
        _acceptance(plan),
        _storage(plan),
        _building(plan),
        _cables(plan),
        _cost(plan),
        _growth(plan),
    )


def _acceptance(plan: Plan) -> Section:
    rows = [
        (
            collective.replace("_", "-"),
            nodes,
            quantity(point["expected_gb_per_s"], "GB/s"),
            quantity(point["least_gb_per_s"], "GB/s"),
            f"{point['kind']}, {point['basis']}",
            "; ".join(point["floors"]) or "–",
        )
        for collective, points in plan.network.get("acceptance", {}).items()
        for nodes, point in points.items()
    ]
    header = ("collective", "nodes", "bus bandwidth", "accept from", "from", "floors that clouds set")
    return Section(id="acceptance", title="What nccl-tests should show", tables=rows_table(header, rows))


def _storage(plan: Plan) -> Section:
    """Each bandwidth with what demands it, what reaches it, staging, and NFS."""
    storage = plan.storage
    asked = [
        (way, str(one["name"]), quantity(one["gb_per_s"], "GB/s"), str(one["why"]))
        for way in ("read", "write")
        for one in storage.get(f"{way}_demands", ())
    ]
    blocks = [
        (str(b["system"]), number(b["units"]), quantity(b["read_gb_per_s"], "GB/s"), quantity(b["power_kw"], "kW"))
        for b in storage.get("reached_by", ())
    ]
    tables = [
        *rows_table(("", "demanded by", "bandwidth", "why"), asked),
        *rows_table(("building block", "units", "reads", "power"), blocks),
    ]
    return Section(id="storage", title="Storage", bullets=tuple(_staged(storage)), tables=tuple(tables))


def _staged(storage: Mapping[str, Any]) -> Iterator[str]:
    staging, nfs = storage.get("staging"), storage.get("if_nfs")
    if staging:
        yield (
            f"A checkpoint goes to the servers' drives in {quantity(staging['stall_s'], 's')} and is copied to shared "
            f"storage within {quantity(staging['drain_s'], 's')}; {staging['at_risk']}."
        )
    if nfs and nfs["times_too_slow"] > 1:
        times = [("a checkpoint takes", nfs["checkpoint_write_s"]), ("a cold start takes", nfs["cold_start_s"])]
        told = "; ".join(f"{words} {quantity(seconds, 's')}" for words, seconds in times if seconds)
        yield f"Through one NFS server of {quantity(nfs['gb_per_s'], 'GB/s')} (assumed): {told or 'slower than asked'}."


def _platform(plan: Plan) -> Section:
    rows = [
        (str(s["item"]), number(s["count"]) if s["count"] else "–", str(s["where"]), str(s["why"]))
        for s in plan.platform
    ]
    header = ("service", "machines", "where", "why")
    return Section(id="platform", title="Services beside the GPUs", tables=rows_table(header, rows))


def _building(plan: Plan) -> Section:
    building: Mapping[str, Any] = plan.facility.get("building") or {}
    known = {name: told for name, told in BUILDING.items() if building.get(name)}
    rows = [(words, reach(building[name], unit)) for name, (words, unit) in known.items()]
    power = [(words, quantity(plan.facility.get(name), "kW")) for words, name in POWER.items()]
    tables = rows_table(("what", "value"), [*power, *rows] if building else ())
    return Section(id="building", title="What the building must bring", tables=tables)


def reach(value: Any, unit: str) -> str:
    """A figure or a range with its unit."""
    if isinstance(value, (list, tuple)):
        return f"{number(value[0])} to {number(value[1])} {unit}"
    return quantity(value, unit or None)


def _cables(plan: Plan) -> Section:
    layout: Mapping[str, Any] = plan.layout or {}
    rows = [
        (
            str(run["purpose"]),
            str(run["hop"]),
            quantity(run["length_m"], "m"),
            f"{run['medium']}{' ' + run['part'] if run.get('part') else ''}",
            number(run["links"]),
            number(run["cables"]),
        )
        for run in layout.get("cables", ())
    ]
    header = ("fabric", "from and to", "length", "medium", "links", "cables")
    assumed = tuple(f"Assumed: {note}" for note in layout.get("assumed", ())) if rows else ()
    return Section(
        id="cables", title="Cables by length (recommended)", bullets=assumed, tables=rows_table(header, rows)
    )


def _cost(plan: Plan) -> Section:
    cost: Mapping[str, Any] = plan.cost or {}
    if not cost:
        return Section(id="cost", title="Cost")
    currency = str(cost.get("currency", ""))
    bullets = [f"Not used: {cost['problem']}"] if cost.get("problem") else []
    bullets += [f"Prices: {'; '.join(cost['price_sources'])}"] if cost.get("price_sources") else []
    bullets += [f"No price for: {', '.join(cost['unpriced'])}"] if cost.get("unpriced") else []
    bullets += [f"Past its validity: {', '.join(cost['expired'])}"] if cost.get("expired") else []
    bullets += [str(note) for note in cost.get("notes", ())]
    rows = [(words, quantity(cost[name], currency)) for name, words in MONEY.items() if cost.get(name) is not None]
    if cost.get("capex") is None and cost.get("capex_priced"):
        rows.insert(0, ("capital cost of what has a price", quantity(cost["capex_priced"], currency)))
    tables = [*rows_table(("cost", "value"), rows), *_cost_lines(cost, currency), *_curve(cost, currency)]
    return Section(id="cost", title="Cost, from the prices given", bullets=tuple(bullets), tables=tuple(tables))


def _cost_lines(cost: Mapping[str, Any], currency: str) -> tuple[Table, ...]:
    bought = [(item, "once", quantity(amount, currency)) for item, amount in cost.get("capex_lines", {}).items()]
    running = [(item, "a year", quantity(amount, currency)) for item, amount in cost.get("opex_lines", {}).items()]
    return rows_table(("item", "when", "cost"), [*bought, *running])


def _curve(cost: Mapping[str, Any], currency: str) -> tuple[Table, ...]:
    """Own cost against rent over utilisation; they cross at the break-even."""
    even: Mapping[str, Any] = cost.get("break_even") or {}
    rows = [
        (f"{share:.0%}", quantity(own, currency), quantity(rent, currency), "buying" if own < rent else "renting")
        for share, own, rent in even.get("curve", ())
    ]
    if rows and even.get("utilisation") is not None:
        rows.append(
            (f"{even['utilisation']:.0%}", "", "", "break-even" + (", never reached" * (even["utilisation"] > 1)))
        )
    return rows_table(("in use", "own GPU hour", "rented GPU hour", "costs less"), rows)


def _growth(plan: Plan) -> Section:
    rows = [
        (
            str(step["step"]),
            f"{step['servers']:,} (+{step['added_servers']:,})",
            number(step["added_switches"]),
            number(step["added_racks"]),
            quantity(step["added_kw"], "kW"),
            str(step["rebuilt"]),
        )
        for step in plan.growth
    ]
    header = ("step", "servers", "switches added", "racks added", "IT power added", "what is rebuilt")
    return Section(id="growth", title="Growth", tables=rows_table(header, rows))
