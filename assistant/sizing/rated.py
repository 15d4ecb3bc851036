"""Rated figures of equipment, and the nearest sourced stand-in where a figure is not published."""

from __future__ import annotations

from collections.abc import Iterable

from knowledge.catalogue import Catalogue
from knowledge.evidence import Cited, Frozen
from knowledge.schema import Server, Switch


class PowerStandIn(Frozen):
    """The nearest switch whose rated power is published, and what all switches would draw with it (kW)."""

    switch: str
    power_kw: float
    why: str


class Missing(Frozen):
    """A figure that is not published: of which item, and what stands in for it (None where nothing does)."""

    item: str
    field: str
    stand_in: str | None
    value: float | None
    why: str


def switch_power(count: int, switch: Switch, catalogue: Catalogue) -> tuple[float | None, PowerStandIn | None]:
    """Rated power in kW of ``count`` switches, or None with the nearest switch whose rated power is published."""
    rated = switch.max_power_w.value
    if rated is not None:
        return count * rated / 1000, None
    missing = switch_stand_in(switch, "max_power_w", catalogue)
    if missing.stand_in is None or missing.value is None:
        return None, None
    return None, PowerStandIn(switch=missing.stand_in, power_kw=count * missing.value / 1000, why=missing.why)


def switch_stand_in(switch: Switch, field: str, catalogue: Catalogue) -> Missing:
    """What stands in for ``field``: the switch of the same technology and nearest total rate that publishes it."""
    others: Iterable[Switch] = catalogue.entries("switches").values()
    known = [other for other in others if _value(other, field) is not None]
    near = min(known, key=lambda other: _switch_distance(switch, other), default=None)
    return _missing(switch.id, field, near, "of the same technology and nearest total rate")


def server_stand_in(server: Server, field: str, catalogue: Catalogue) -> Missing:
    """What stands in for ``field``: an estimate of its power, else a server with the nearest accelerators."""
    estimate = server.estimated_power_kw.value
    if field == "max_power_kw" and estimate is not None:
        why = f"no maximum power of {server.id} is published; a planning estimate for it stands in"
        return Missing(item=server.id, field=field, stand_in=server.id, value=estimate, why=why)
    others: Iterable[Server] = catalogue.entries("servers").values()
    known = [other for other in others if _value(other, field) is not None and other.unit == server.unit]
    near = min(known, key=lambda other: _server_distance(server, other, catalogue), default=None)
    return _missing(server.id, field, near, "with the nearest accelerators")


def _missing(item: str, field: str, near: Server | Switch | None, how: str) -> Missing:
    if near is None:
        return Missing(item=item, field=field, stand_in=None, value=None, why=f"{field} of {item} is not published")
    why = f"{field} of {item} is not published; {near.id} is the one {how} that publishes it"
    return Missing(item=item, field=field, stand_in=near.id, value=_value(near, field), why=why)


def _value(record: Server | Switch, field: str) -> float | None:
    cited: Cited[float] = getattr(record, field)
    return cited.value


def _switch_distance(switch: Switch, other: Switch) -> tuple[bool, float, str]:
    ratio = (_rate(other) + 1) / (_rate(switch) + 1)
    return (other.technology != switch.technology, max(ratio, 1 / ratio), other.id)


def _rate(switch: Switch) -> float:
    return (switch.ports.value or 0) * (switch.port_gb_per_s.value or 0)


def _server_distance(server: Server, other: Server, catalogue: Catalogue) -> tuple[bool, bool, float, str]:
    same = server.accelerator is not None and other.accelerator == server.accelerator
    counts = other.gpu_count != server.gpu_count
    return (not same, counts, abs(_gpu_kw(other, catalogue) - _gpu_kw(server, catalogue)), other.id)


def _gpu_kw(server: Server, catalogue: Catalogue) -> float:
    """Power of a server's accelerators in kW, for ranking only: 0 where it is not known."""
    accelerators = catalogue.entries("accelerators")
    if server.accelerator is None or server.accelerator not in accelerators:
        return 0.0
    return (server.gpu_count or 0) * (accelerators[server.accelerator].tdp_w.value or 0) / 1000
