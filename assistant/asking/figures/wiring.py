"""Ports, switches and racks by what the question counts."""

from __future__ import annotations

from math import ceil

from assistant.asking.desk import Desk
from assistant.asking.draft import Draft
from assistant.asking.figures.network import switches as by_catalogue
from assistant.asking.figures.shared import named_server

_PORTS = 64
_NICS = 8
"""Ports of a switch and compute ports of a server where the question states none: QM9700, and a port for each "
"of 8 GPUs."""

_SCALABLE_UNIT = 32
"""DGX H100 of a scalable unit of NVIDIA's SuperPOD (reference architecture)."""


def endpoints(desk: Desk) -> tuple[int, int, int] | None:
    """Servers, ports of each, and both multiplied, as the question counts them."""
    heard = desk.heard
    servers = heard.one("servers") or (heard.cards[0].count / _NICS if heard.cards and heard.cards[0].count else None)
    cards = heard.one("cards")
    each = next((int(p) for p in heard.all("ports") if p <= 32), None)
    if desk.says(r"(one|a|single|ein\w*) ([\w/]+ ){0,3}port (a|per|each|for each|je|pro) gpu"):
        each = _NICS if not servers or not cards else int(cards / servers)
    whole = next((int(p) for p in heard.all("ports") if p > 32), None)
    if servers is None and cards is None and whole is not None:
        return max(1, whole // _NICS), _NICS, whole
    if servers is None and cards is not None:
        servers = cards / _NICS
    if servers is None:
        return None
    number, ports = int(servers), each or _NICS
    return number, ports, number * ports


def port_count(desk: Desk) -> Draft | None:
    """How many ports of the compute fabric so many servers bring."""
    found = endpoints(desk)
    if desk.query.quantity != "fabric_ports" or found is None:
        return None
    servers, each, total = found
    first = desk.either(
        f"{total:,} compute ports: {servers} servers x {each} ports, one for each GPU.",
        f"{desk.show(total)} Ports im Rechennetz: {servers} Server x {each} Ports, einer je GPU.",
    )
    draft = Draft("ports", first, quantity="fabric_ports", facts={"ports": total})
    draft.claims = [
        desk.library.computed("arithmetic.ports", first, float(total), "ports", ("superpod-h100-ra",)),
        desk.library.claim("C-007"),
    ]
    return draft


def switch_ports(desk: Desk) -> Draft | None:
    """How many ports the switch has that the question names."""
    if desk.query.quantity != "switch_ports":
        return None
    words = (word.strip("?.,") for word in desk.plain.split() if any(sign.isdigit() for sign in word))
    ident = next((found for word in words if (found := desk.library.catalogue.resolve("switches", word).id)), None)
    record = desk.library.catalogue.switch(ident) if ident else None
    if record is None or record.ports.value is None:
        return None
    rate = record.port_gb_per_s.value
    at = desk.either(f" of {desk.show(rate * 8)} Gb/s", f" mit {desk.show(rate * 8)} Gbit/s") if rate else ""
    first = f"{record.name}: {record.ports.value} {desk.either('ports', 'Ports')}{at}."
    draft = Draft("switch", first, quantity="switch_ports", facts={"ports": record.ports.value})
    draft.claims = [
        desk.library.computed("specification.ports", first, float(record.ports.value), "ports", record.ports.sources)
    ]
    return draft


def leaf_and_spine(desk: Desk) -> Draft | None:
    """Leaf and spine switches of a two-tier Clos without oversubscription; three tiers are counted by the estimate."""
    found = endpoints(desk)
    if desk.query.quantity != "switches" or found is None:
        return None
    servers, each, total = found
    radix = int(desk.heard.one("switch_ports") or _PORTS)
    if total > radix * radix // 2:
        return by_catalogue(desk) if radix == _PORTS and each == _NICS else None
    if total <= radix:
        first = desk.either(
            f"1 switch of {radix} ports takes all {total} ports ({servers} servers x {each}).",
            f"1 Switch mit {radix} Ports nimmt alle {total} Ports auf ({servers} Server x {each}).",
        )
        leaf, spine = 1, 0
    else:
        leaf = ceil(total / (radix // 2))
        spine = ceil(leaf * (radix // 2) / radix)
        first = desk.either(
            f"{leaf + spine} switches: {leaf} leaf and {spine} spine of {radix} ports for {total:,} ports "
            f"({servers} servers x {each}), "
            "without oversubscription.",
            f"{leaf + spine} Switches: {leaf} Leaf und {spine} Spine mit {radix} Ports für {desk.show(total)} "
            f"Ports ({servers} Server x {each}), "
            "nicht überbucht.",
        )
    draft = Draft("switches", first, quantity="switches", facts={"leaf": leaf, "spine": spine})
    draft.more.append(
        desk.either(
            "Half of a leaf's ports go down and half up; ports for management (UFM) come on top.",
            "Die Hälfte der Ports eines Leafs geht nach unten, die Hälfte nach oben; Ports für UFM kommen hinzu.",
        )
    )
    claim = desk.library.computed(
        "arithmetic.clos", first, float(leaf + spine), "switches", ("fat-tree-1985", "superpod-h100-ra")
    )
    draft.claims = [claim]
    return draft


def in_one_rack(desk: Desk) -> Draft | None:
    """How many servers a rack carries where the question states both powers."""
    powers = sorted(desk.heard.all("kW"))
    if desk.query.quantity != "servers_per_rack" or len(powers) != 2 or named_server(desk) is not None:
        return None
    each, rack = powers
    number = int(rack / each)
    first = desk.either(
        f"{number} servers: {desk.show(rack)} kW over {desk.show(each)} kW each, {desk.show(number * each)} kW "
        "together.",
        f"{number} Server: {desk.show(rack)} kW durch je {desk.show(each)} kW, zusammen {desk.show(number * each)} kW.",
    )
    draft = Draft("rack", first, quantity="servers_per_rack", facts={"servers": number})
    draft.claims = [desk.library.computed("arithmetic.racks", first, float(number), "servers", ("own_arithmetic",))]
    return draft


def rack_count(desk: Desk) -> Draft | None:
    """How many racks so many servers take at so many a rack, or at so many kW a rack."""
    if desk.query.quantity != "racks":
        return None
    server = named_server(desk)
    number = _servers(desk)
    if number is None:
        return None
    kw, each = desk.stated("rack_kw") or desk.heard.one("kW"), _a_rack(desk)
    draw = float(server.max_power_kw.value) if server is not None and server.max_power_kw.value else None
    why = ""
    if each is None and kw and draw:
        each = int(float(kw) / draw)
        why = desk.either(f" ({desk.show(draw)} kW each)", f" (je {desk.show(draw)} kW)")
    if not each:
        return None
    racks = ceil(number / each)
    load = f", {desk.show(each * draw)} kW {desk.either('in a full one', 'in einem vollen')}" if draw else ""
    name = server.name if server else desk.either("servers", "Server")
    first = desk.either(
        f"{racks} racks for {number} x {name} at {each} a rack{why}{load}; network and storage racks come on top.",
        f"{racks} Racks für {number} x {name} mit {each} je Rack{why}{load}; Racks für Netz und Speicher kommen hinzu.",
    )
    draft = Draft("racks", first, quantity="racks", facts={"racks": racks})
    sources = server.max_power_kw.sources if server is not None and draw else ("own_arithmetic",)
    draft.claims = [desk.library.computed("arithmetic.racks", first, float(racks), "racks", sources)]
    return draft


def _servers(desk: Desk) -> int | None:
    if desk.says(r"scalable unit|\bsu\b"):
        return _SCALABLE_UNIT * int(desk.heard.one("racks") or 1)
    counts = [int(n) for n in desk.heard.all("servers")]
    a_rack = _a_rack(desk)
    rest = [n for n in counts if n != a_rack] or counts
    if rest:
        return max(rest)
    cards = desk.heard.cards
    return cards[0].count // 8 if cards and cards[0].count and cards[0].count >= 8 else None


def _a_rack(desk: Desk) -> int | None:
    import re

    found = re.search(
        r"(\d+|two|three|four|zwei|drei|vier) (?!kw|kilow)(?:\w+ ){0,2}?(?:per|a|in a|in each|each|je|pro) rack",
        desk.lower,
    )
    if found is None:
        return None
    words = {"two": 2, "three": 3, "four": 4, "zwei": 2, "drei": 3, "vier": 4}
    return words.get(found[1]) or int(found[1])
