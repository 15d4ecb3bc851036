"""How many kW a rack air carries."""

from __future__ import annotations

import re

from assistant.asking.desk import Desk, Draft, show

_AIR = {
    "en": (
        "About {low:g} kW a rack with ordinary room air and up to {most:g} kW with closed aisles; NVIDIA's own "
        "reference stands 40.8 kW in air, and above that a water-cooled rear door carries up to {doors:g} kW."
    ),
    "de": (
        "Rund {low:g} kW je Rack mit gewöhnlicher Raumluft, bis {most:g} kW mit geschlossenen Gängen; NVIDIAs Referenz "
        "stellt 40,8 kW in Luft, darüber trägt eine Rücktürkühlung bis {doors:g} kW."
    ),
}


def air_limit(desk: Desk) -> Draft | None:
    """How many kW a rack air carries; with a figure in the question, whether it carries that."""
    if not desk.says(r"\bair\b|luft") or not desk.says(r"rack|schrank|\bkw\b"):
        return None
    stated = desk.stated("rack_kw") or _stated_kw(desk)
    methods = desk.library.catalogue.entries("cooling")
    low, most = 20.0, 35.0  # the rules' bands: fac.air_low, fac.air_contained
    claims = [desk.library.rule(i) for i in ("fac.air_low", "fac.air_contained", "fac.rear_door")]
    claims += [desk.library.claim(i) for i in ("B-009", "B-004")]
    doors = methods["rear_door"].rack_kw_most.value
    if stated is None:
        return Draft(kind="air", first=_AIR[desk.language].format(low=low, most=most, doors=doors), claims=claims)
    kw = float(stated)
    verdict, word = (
        ("yes", "Yes")
        if kw <= low
        else ("open", "Only with closed aisles")
        if kw <= most
        else ("no", "Not with room air")
    )
    german = {
        "Yes": "Ja",
        "Only with closed aisles": "Nur mit geschlossenen Gängen",
        "Not with room air": "Nicht mit Raumluft",
    }
    start = german[word] if desk.language == "de" else word
    tail = (
        f": {show(kw)} kW je Rack; Raumluft trägt rund {show(low)}, mit geschlossenen Gängen {show(most)} kW."
        if desk.language == "de"
        else f": {show(kw)} kW a rack; room air carries about {show(low)}, closed aisles up to {show(most)} kW."
    )
    draft = Draft(kind="air", first=start + tail, verdict=verdict, claims=claims, facts={"rack_kw": kw})  # type: ignore[arg-type]
    if kw > most:
        draft.more.append(f"A rear door carries up to {show(doors)} kW; NVIDIA's own reference stands 40.8 kW in air.")
    return draft


def _stated_kw(desk: Desk) -> float | None:
    match = re.search(r"(\d+(?:[.,]\d+)?)\s*kw\b", desk.lower)
    return float(match[1].replace(",", ".")) if match else None
