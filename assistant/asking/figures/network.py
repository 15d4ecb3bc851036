"""Switches of a fabric, and the bus bandwidth that a collective should reach."""

from __future__ import annotations

from assistant.asking.desk import Desk
from assistant.asking.draft import Draft
from assistant.asking.figures.shared import estimate, named_gpus, related
from assistant.asking.reading.said import SERVING, TRAINING
from knowledge import regexes as re

_SWITCHES = {"infiniband": "qm9700", "roce": "sn5600", "ethernet": "sn5600"}
_NICS = 8
"""Compute ports of a server with eight GPUs, one for each."""


def switches(desk: Desk) -> Draft | None:
    """How many switches, cables and modules a fabric for so many servers takes, one port a GPU, not oversubscribed."""
    nodes = desk.count_of("nodes")
    if nodes is None:
        return None
    switch = _SWITCHES[str(desk.stated("network") or "infiniband")]
    result = estimate("fabric", {"nodes": nodes, "nics_per_node": _NICS, "switch": switch}, desk)
    if result is None or not result["fits"]:
        return None
    ports = result["ports_per_switch"]
    total = result["leaf"] + result["spine"] + result["core"]
    parts = f"{result['leaf']} leaf, {result['spine']} spine" + (f", {result['core']} core" if result["core"] else "")
    first = desk.either(
        f"{total} switches ({parts}; {switch} of {ports} ports) for {nodes} servers of {_NICS} ports.",
        f"{total} Switches ({parts}; {switch} mit {ports} Ports) für {nodes} Server mit je {_NICS} Ports.",
    )
    draft = Draft("switches", first, facts={"nodes": nodes, "nics_per_node": _NICS})
    cables = sum(value for name, value in result.items() if name.startswith("cables_"))
    draft.more.append(
        desk.either(
            f"{desk.show(cables, 9)} cables and {desk.show(result['transceivers'], 9)} transceivers, none "
            "oversubscribed.",
            f"{desk.show(cables, 9)} Kabel und {desk.show(result['transceivers'], 9)} Transceiver, nicht überbucht.",
        )
    )
    if desk.query.quantity == "cables":
        draft.first, draft.more = draft.more[0], [draft.first]
    draft.assumed.append(f"{_NICS} ports of {switch} a server, rail-optimised")
    record = desk.library.catalogue.switch(switch)
    claim = desk.library.computed("estimate.fabric", first, float(total), "switches", record.ports.sources)
    draft.claims = [claim, *related(desk, "C-", "S0-20")]
    return draft


_RATE = re.compile(r"(\d+) ?(?:gbe|gb ?e|g(?:bit|b)?(?:/s|ps)? ?(?:ethernet|lan|link|network|netz\w*|tcp))\b")
_PORTS = re.compile(
    r"\b(one|two|four|ein|eine|zwei|vier|[1-8]) (?:x )?(?:ib |infiniband |roce |network )?"
    r"(?:hcas?|nics?|ports?|adapters?|karten) (?:per|a|each|pro|je) (?:node|server|knoten|machine)"
)
_COUNTED = {"one": 1, "ein": 1, "eine": 1, "two": 2, "zwei": 2, "four": 4, "vier": 4}
_ENOUGH = r"enough|reich|\bcan\b|kann|\bok\b|need|brauch|suffic|fine|worth|genüg"
_REFERENCE_GBIT = 400
"""Gb/s that reference designs and Meta's networks give each GPU (claims C-001, C-007)."""


def link_rate(desk: Desk) -> Draft | None:
    """Whether an Ethernet of the stated rate will do between servers, beside what reference designs give them."""
    ports = _PORTS.search(desk.lower)
    if ports is not None and desk.says(_ENOUGH):
        return _port_count(desk, _COUNTED.get(ports[1]) or int(ports[1]))
    match = _RATE.search(desk.lower)
    if match is None or not desk.says(_ENOUGH) or desk.says(r"need .{0,12}(infiniband|\bib\b)"):
        return None
    rate, whole = int(match[1]), _REFERENCE_GBIT * _NICS
    if rate >= _REFERENCE_GBIT:
        return None
    share = f"1/{whole / rate:.0f}"
    draft = Draft("link_rate", "", facts={"link_gb_per_s": rate / 8})
    if desk.says(SERVING) and not desk.says(TRAINING):
        draft.verdict, claims = "yes", ("fab.none_serving",)
        draft.first = desk.either(
            f"Yes, while each replica stays inside one server: {rate} Gb/s carry requests, weights and storage.",
            f"Ja, solange jede Replik in einem Server bleibt: {rate} Gb/s tragen Anfragen, Gewichte und Speicher.",
        )
    else:
        draft.verdict, claims = "no", ("fab.non_blocking",)
        draft.first = desk.either(
            f"No, not for one job over several servers: {rate} Gb/s is {share} of the {desk.show(whole)} Gb/s "
            f"({_NICS} x {_REFERENCE_GBIT}) that training designs give a server of {_NICS} GPUs.",
            f"Nein, nicht für einen Job über mehrere Server: {rate} Gb/s sind {share} der {desk.show(whole)} "
            f"Gb/s ({_NICS} x {_REFERENCE_GBIT}), die Trainingsnetze einem Server mit {_NICS} GPUs geben.",
        )
        draft.more.append(
            desk.either(
                "It runs, and waits on the network; separate jobs on each server lose nothing.",
                "Es läuft und wartet auf das Netz; getrennte Jobs je Server verlieren nichts.",
            )
        )
    draft.claims = [*map(desk.library.rule, claims), desk.library.claim("C-001"), *related(desk, "C-")]
    return draft


def _port_count(desk: Desk, ports: int) -> Draft:
    """Fewer ports than GPUs: what that leaves of the one port a GPU of training designs."""
    enough = ports >= _NICS
    first = desk.either(
        f"{'Yes' if enough else 'No'}: training designs give each of {_NICS} GPUs a port of its own, and {ports} "
        f"{'are' if enough else f'carry {ports}/{_NICS}'} of that.",
        f"{'Ja' if enough else 'Nein'}: Trainingsnetze geben jeder von {_NICS} GPUs einen eigenen Port, und {ports} "
        f"{'sind das' if enough else f'tragen {ports}/{_NICS} davon'}.",
    )
    draft = Draft("ports", first, verdict="yes" if enough else "no", facts={"nics_per_node": ports})
    draft.claims = [desk.library.rule("fab.non_blocking"), *map(desk.library.claim, ("C-007", "S4-01"))]
    return draft


def bus_bandwidth(desk: Desk) -> Draft | None:
    """What all_reduce on large messages should reach, from runs that were measured or published."""
    from assistant.sizing.fabric.busbw import expected_busbw

    gpus = named_gpus(desk)
    if gpus is None or not desk.says(
        r"should|expect|reach|normal|how (much|many|fast)|typical|soll|erwart|wie (viel|schnell)"
    ):
        return None
    nodes = desk.count_of("nodes") or max(1, -(-(gpus[1] or 8) // 8))
    fabric = str(desk.stated("network") or "infiniband").replace("ethernet", "roce")
    found = expected_busbw(gpus[0], fabric, nodes, desk.library.catalogue)
    if found is None:
        return None
    value, low = desk.show(found.value_gb_per_s), desk.show(found.low_gb_per_s)
    where = desk.either(f"{nodes} server{'s' if nodes > 1 else ''}", f"{nodes} Server")
    first = desk.either(
        f"About {value} GB/s of all_reduce bus bandwidth on {where} of {gpus[0]}, at least {low}: {found.basis}.",
        f"Rund {value} GB/s Busbandbreite (all_reduce) auf {where} mit {gpus[0]}, mindestens {low}: {found.basis}.",
    )
    claim = desk.library.computed("busbw.expected", first, found.value_gb_per_s, "GB/s", found.sources)
    claim = claim.model_copy(update={"grade": desk.library.best_grade(found.sources).value})
    return Draft("busbw", first, claims=[claim, *related(desk, "D-", "C-")])
