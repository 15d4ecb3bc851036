"""How many kW a rack air carries."""

from __future__ import annotations

from assistant.asking.desk import Desk
from assistant.asking.draft import Draft
from assistant.asking.figures.shared import named_server

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
    stated = desk.stated("rack_kw") or desk.kilowatts or _of_servers(desk)
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
    shown = desk.show(kw), desk.show(low), desk.show(most)
    tail = (
        ": {} kW je Rack; Raumluft trägt rund {}, mit geschlossenen Gängen {} kW."
        if desk.language == "de"
        else ": {} kW a rack; room air carries about {}, closed aisles up to {} kW."
    ).format(*shown)
    draft = Draft(kind="air", first=start + tail, verdict=verdict, claims=claims, facts={"rack_kw": kw})  # type: ignore[arg-type]
    if kw > most:
        draft.more.append(
            f"A rear door carries up to {desk.show(doors)} kW; NVIDIA's own reference stands 40.8 kW in air."
        )
    return draft


_METHODS = {
    "direct_liquid": r"liquid|flüssig|\bdlc\b|cold plate",
    "rear_door": r"rear.?door|rücktür",
    "air": r"\bair|luft",
}


def overhead(desk: Desk) -> Draft | None:
    """The PUE to plan with, by how the heat leaves the racks; a limit in law is not asked for here."""
    if desk.country is not None or not desk.says(
        r"assume|typical|expect|plan|good|realistic|annehmen|typisch|rechnen|üblich"
    ):
        return None
    name = next((name for name, words in _METHODS.items() if desk.says(words)), "air")
    method = desk.library.catalogue.entry("cooling", name)
    low, likely, high = (cited.value for cited in (method.pue_low, method.pue_likely, method.pue_high))
    if likely is None:
        return None
    span = f"{desk.show(low or likely)} {'bis' if desk.language == 'de' else 'to'} {desk.show(high or likely)}"
    if desk.language == "de":
        first = f"PUE {desk.show(likely)} für {method.name} ({span})."
    else:
        first = f"A PUE of {desk.show(likely)} for {method.name} ({span})."
    claim = desk.library.record(f"cooling/{name}", first, method.pue_likely.sources)
    return Draft("pue", first, claims=[claim.model_copy(update={"value": float(likely)})])


def _of_servers(desk: Desk) -> float | None:
    """What the named servers draw, for a question whether air can cool them in one rack."""
    server = named_server(desk)
    if server is None or server.max_power_kw.value is None or desk.says(r"how many|wie ?viele"):
        return None
    return float(server.max_power_kw.value) * desk.units_of(server)
