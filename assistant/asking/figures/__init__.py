"""Questions that arithmetic or the catalogue answers: does it fit, how much memory, how long, how many, how much."""

from __future__ import annotations

from collections.abc import Callable

from assistant.asking.desk import Desk
from assistant.asking.draft import Draft
from assistant.asking.figures.compare import compare
from assistant.asking.figures.cooling import air_limit, overhead
from assistant.asking.figures.energy import building, by_power, convert, energy, feed, heat, token_cost, water_flow
from assistant.asking.figures.fitting import fit
from assistant.asking.figures.hardware import inlet, mig_count, specification, supports
from assistant.asking.figures.needs import cards_needed, compute, memory
from assistant.asking.figures.network import bus_bandwidth, link_rate, switches
from assistant.asking.figures.power import power
from assistant.asking.figures.racks import in_a_rack
from assistant.asking.figures.rates import decode_bound, ratio, utilisation
from assistant.asking.figures.serving import kv_cache, licence, rate, users
from assistant.asking.figures.sizing import count
from assistant.asking.figures.times import checkpoint_bandwidth, corpus, interval, transfer
from assistant.asking.figures.training import checkpoint_size, duration, failures
from assistant.asking.figures.wiring import in_one_rack, leaf_and_spine, port_count, rack_count, switch_ports

_HANDLERS: tuple[tuple[str, Callable[[Desk], Draft | None]], ...] = (
    (r"\bair\b|air.?cool|luft", air_limit),
    (r"\bpue\b", overhead),
    (r"inlet|einlass|zuluft|ambient", inlet),
    (r"\brack|schrank", in_a_rack),
    (r"\d ?g|(hcas?|nics?|ports?|adapters?) (per|a|each|pro|je) ", link_rate),
    (r"\blicen[cs]e|lizenz|commercial|kommerziell", licence),
    (r"bus ?(bandwidth|bandbreite)|busbw|all.?reduce", bus_bandwidth),
    (
        r"how many .*(switch|leaf|leaves|spine|transceiver|cable)|wie ?viele .*(switch|leaf|spine|transceiver|kabel)",
        switches,
    ),
    (r"how long|wie lange|\bdays?\b|\btage\b|how many (gpu.?)?(hours|days)|training time|dauer", duration),
    (r"checkpoint", checkpoint_size),
    (r"fail|ausf(a|ä)ll|mttf|checkpoint|interrupt|\bspare|reserve", failures),
    (r"\bmig\b", mig_count),
    (r"\bmig\b|fp[48]|int8", supports),
    (r"kv.?cache", kv_cache),
    (
        r"\b(vs\.?|versus|difference|unterschied|or|oder|compared?|more .* than|less .* than|mehr .* als|faster"
        r"|better|against|gegen|besser|schneller)\b",
        compare,
    ),
    (r"users|sessions|requests|sequences|nutzer|anfragen|concurren|gleichzeitig", users),
    (
        r"how much (power|energy|strom)|maximum power|power of|power (draw|consumption)|\bdraws?\b"
        r"|wie viel (strom|leistung|kw)|stromverbrauch"
        r"|watts?\b|\bkw\b|zieht|tdp",
        power,
    ),
    (r"", specification),
    (
        r"how many|wie ?viele|wieviel|combien|cuánt|what (do|would|does) (we|i) need|which hardware|was brauch"
        r"|size (a|the|for)|number of",
        count,
    ),
)
"""What a question says, and who may answer it; the first who can does."""

_BY_ARITHMETIC: tuple[Callable[[Desk], Draft | None], ...] = (
    *(
        fit,
        memory,
        cards_needed,
        compute,
        decode_bound,
        rate,
        ratio,
        utilisation,
        transfer,
        interval,
        checkpoint_bandwidth,
    ),
    *(
        corpus,
        port_count,
        switch_ports,
        leaf_and_spine,
        rack_count,
        in_one_rack,
        by_power,
        feed,
        water_flow,
        heat,
        energy,
        building,
        token_cost,
        convert,
    ),
)
"""Those that answer one quantity from what the question states, each by the query and by nothing else."""


def calculated(desk: Desk) -> Draft | None:
    """What arithmetic answers from the names and numbers of the question alone, or None."""
    return next((draft for handler in _BY_ARITHMETIC if (draft := handler(desk)) is not None), None)


def about_numbers(desk: Desk) -> Draft | None:
    """The answer to a question that a formula or a record answers, or None."""
    for asks, handler in _HANDLERS:
        if desk.says(asks):
            draft = handler(desk)
            if draft is not None:
                return draft
    return None
