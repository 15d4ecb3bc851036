"""Energy and money by arithmetic, with the user's own prices only; and conversions of rates."""

from __future__ import annotations

from assistant.asking.desk import Desk
from assistant.asking.draft import Draft
from assistant.asking.figures.shared import named_server
from knowledge.schema import Accelerator

_YEAR_H = 8_760.0
_MONTH_H = 730.5
_DAY_H = 24.0


def kilowatts(desk: Desk) -> tuple[float, str] | None:
    """The power in question: stated, or of the servers or cards that are named by their specification."""
    stated = desk.heard.one("kW")
    if stated is not None:
        return stated, f"{desk.show(stated)} kW"
    server = named_server(desk)
    if server is not None and server.max_power_kw.value is not None:
        number = desk.units_of(server)
        kw = float(server.max_power_kw.value) * number
        return kw, f"{number} x {server.name} ({desk.show(kw)} kW)"
    if (whole := _of_servers(desk)) is not None:
        return whole
    if desk.heard.cards:
        row = desk.heard.cards[0]
        card: Accelerator = desk.library.catalogue.accelerator(row.gpu)
        if card.tdp_w.value is not None:
            kw = card.tdp_w.value / 1e3 * (row.count or 1)
            return kw, f"{row.count or 1} x {card.name} ({desk.show(kw)} kW)"
    return None


def _of_servers(desk: Desk) -> tuple[float, str] | None:
    """The maker's own server of eight such cards, where the question speaks of servers of them."""
    row = desk.heard.cards[0] if desk.heard.cards else None
    if row is None or not row.count or row.count % 8 or not desk.says(r"server|node\b|nodes\b|knoten|machine|\bbox"):
        return None
    servers = desk.library.catalogue.entries("servers")
    own = (servers[i] for i in servers if i.startswith("dgx-"))
    server = next((s for s in own if s.accelerator == row.gpu and s.gpu_count == 8 and s.max_power_kw.value), None)
    if server is None:
        return None
    kw = float(server.max_power_kw.value) * row.count / 8
    return kw, f"{row.count // 8} x {server.name} ({desk.show(kw)} kW)"


def energy(desk: Desk) -> Draft | None:
    """kWh in a year, month, day or stated time; with a price that is stated, what it costs."""
    if desk.query.quantity != "energy":
        return None
    found = kilowatts(desk)
    if found is None:
        return None
    kw, what = found
    pue = _pue(desk)
    hours, period = _period(desk)
    share = (desk.heard.one("%") or 100.0) / 100
    kwh = kw * hours * share * (pue or 1.0)
    price = desk.heard.one("money/kWh")
    wants_money = desk.says(r"cost|bill|kosten|rechnung")
    if wants_money and price is None:
        return None
    with_pue = f" x PUE {desk.show(pue)}" if pue else ""
    at = f" x {share:.0%}" if share < 1 else ""
    first = desk.either(
        f"{kwh:,.0f} kWh {period}: {what} x {desk.show(hours)} h{at}{with_pue}.",
        f"{desk.show(round(kwh), 9)} kWh {period}: {what} x {desk.show(hours)} h{at}{with_pue}.",
    )
    if price is not None:
        unit = price / 100 if desk.says(r"\d ?(ct|cents?)\b") else price
        first = desk.either(
            f"{kwh * unit:,.0f} {period} at {desk.show(unit)} a kWh: {first}",
            f"{desk.show(round(kwh * unit), 9)} {period} bei {desk.show(unit)} je kWh: {first}",
        )
    draft = Draft("energy", first, quantity="energy", facts={"kwh": kwh})
    if pue is None:
        draft.more.append(
            desk.either("The IT alone; multiply by the PUE for the building.", "Nur die IT; mal PUE für das Gebäude.")
        )
    draft.claims = [desk.library.computed("arithmetic.energy", first, kwh, "kWh", ("own_arithmetic",))]
    return draft


def _pue(desk: Desk) -> float | None:
    import re

    found = re.search(r"pue (?:of |von |= ?|is |bei )?(\d[.,]\d+)|(\d[.,]\d+) pue", desk.lower)
    return float((found[1] or found[2]).replace(",", ".")) if found else None


def _period(desk: Desk) -> tuple[float, str]:
    stated = desk.heard.one("s")
    if stated is not None and not desk.says(r"(a|per|pro|im|each) (year|jahr|month|monat|day|tag)"):
        return stated / 3600, desk.either(f"in {desk.show(stated / 3600)} h", f"in {desk.show(stated / 3600)} h")
    if desk.says(r"month|monat"):
        return _MONTH_H, desk.either("a month", "im Monat")
    if desk.says(r"\bday\b|\btag\b|daily|täglich"):
        return _DAY_H, desk.either("a day", "am Tag")
    return _YEAR_H, desk.either("a year", "im Jahr")


def building(desk: Desk) -> Draft | None:
    """The power of the whole building from the IT's and a PUE, or the PUE from both."""
    pue = _pue(desk)
    powers = desk.heard.all("kW")
    if desk.query.quantity != "facility_power":
        return None
    if pue is not None:
        found = kilowatts(desk)
        if found is None:
            return None
        total = found[0] * pue
        first = desk.either(
            f"{desk.show(total)} kW for the building: {found[1]} of IT x PUE {desk.show(pue)}.",
            f"{desk.show(total)} kW für das Gebäude: {found[1]} IT x PUE {desk.show(pue)}.",
        )
        value, unit = total, "kW"
    elif len(powers) == 2:
        value, unit = max(powers) / min(powers), "1"
        first = desk.either(
            f"A PUE of {desk.show(value, 3)}: {desk.show(max(powers))} kW over {desk.show(min(powers))} kW of IT.",
            f"PUE {desk.show(value, 3)}: {desk.show(max(powers))} kW durch {desk.show(min(powers))} kW IT.",
        )
    else:
        return None
    draft = Draft("facility_power", first, quantity="facility_power")
    draft.claims = [desk.library.computed("arithmetic.pue", first, value, unit, ("own_arithmetic",))]
    return draft


_BTU_PER_H = 3_412.14
"""BTU/h of a kilowatt."""


def heat(desk: Desk) -> Draft | None:
    """The heat of a stated power: all that goes in comes out as heat."""
    kw = desk.heard.one("kW")
    if desk.query.quantity != "heat" or kw is None:
        return None
    btu = kw * _BTU_PER_H
    first = desk.either(
        f"{desk.show(kw)} kW of heat ({btu:,.0f} BTU/h): all the power that goes in comes out as heat.",
        f"{desk.show(kw)} kW Wärme ({desk.show(round(btu), 9)} BTU/h): alle zugeführte Leistung wird zu Wärme.",
    )
    draft = Draft("heat", first, quantity="heat", facts={"kw": kw})
    draft.claims = [desk.library.computed("arithmetic.heat", first, kw, "kW", ("own_arithmetic",))]
    return draft


_KJ_PER_KG_K = 4.186
"""Heat capacity of water; at some 25 °C a litre weighs 1 kg."""


def water_flow(desk: Desk) -> Draft | None:
    """The flow of water that carries a power away at a temperature rise."""
    kw, rise = desk.heard.one("kW"), desk.heard.one("K") or desk.heard.one("°C")
    if desk.query.quantity != "coolant_flow" or kw is None or not rise:
        return None
    litres = kw / (_KJ_PER_KG_K * rise) * 60
    first = desk.either(
        f"About {desk.show(litres, 3)} l/min ({desk.show(litres * 0.06, 3)} m3/h): {desk.show(kw)} kW over "
        "4.19 kJ/kgK x "
        f"{desk.show(rise)} K.",
        f"Rund {desk.show(litres, 3)} l/min ({desk.show(litres * 0.06, 3)} m3/h): {desk.show(kw)} kW durch "
        "4,19 kJ/kgK x "
        f"{desk.show(rise)} K.",
    )
    draft = Draft("water_flow", first, quantity="coolant_flow", facts={"l_per_min": litres})
    draft.more.append(desk.either("Water; glycol takes some 10 % more.", "Wasser; mit Glykol etwa 10 % mehr."))
    draft.claims = [desk.library.computed("arithmetic.water", first, litres, "l/min", ("own_arithmetic",))]
    return draft


def feed(desk: Desk) -> Draft | None:
    """The power of an electrical feed from its volts and amperes, three phases or one, and a load that is stated."""
    volts, amperes = desk.heard.one("V"), desk.heard.one("A")
    if desk.query.quantity != "feed_power" or not volts or not amperes:
        return None
    three = desk.says(r"(three|3)-?phase|drehstrom|dreiphasig|3~") or volts in (208.0, 380.0, 400.0, 415.0, 480.0)
    share = (desk.heard.one("%") or 100.0) / 100
    kva = volts * amperes * (3**0.5 if three else 1.0) * share / 1_000
    phases = "sqrt(3) x " if three else ""
    at = f" x {share:.1f}" if share < 1 else ""
    first = desk.either(
        f"{desk.show(kva, 3)} kVA (kW at a power factor of 1): {phases}{desk.show(volts)} V x "
        f"{desk.show(amperes)} A{at}.",
        f"{desk.show(kva, 3)} kVA (kW bei Leistungsfaktor 1): {phases}{desk.show(volts)} V x "
        f"{desk.show(amperes)} A{at}.",
    )
    draft = Draft("feed", first, quantity="feed_power", facts={"kva": kva})
    if share == 1.0:
        draft.more.append(
            desk.either("American rules allow 80 % continuously.", "Amerikanische Regeln erlauben dauerhaft 80 %.")
        )
    draft.claims = [desk.library.computed("arithmetic.feed", first, kva, "kVA", ("own_arithmetic",))]
    return draft


def by_power(desk: Desk) -> Draft | None:
    """How many of the named servers a power carries."""
    server, kw = named_server(desk), desk.heard.one("kW")
    if desk.query.kind != "how_many" or server is None or kw is None or desk.says(r"rack|schrank"):
        return None
    each = server.max_power_kw.value
    if each is None or desk.query.quantity not in ("gpus", "servers", None):
        return None
    number = int(kw / each)
    first = desk.either(
        f"{number} x {server.name}: {desk.show(kw)} kW over {desk.show(each)} kW each, network, storage and "
        "cooling left out.",
        f"{number} x {server.name}: {desk.show(kw)} kW durch je {desk.show(each)} kW, ohne Netz und Kühlung.",
    )
    draft = Draft("by_power", first, quantity=desk.query.quantity, facts={"servers": number})
    draft.claims = [
        desk.library.computed("arithmetic.by_power", first, float(number), "servers", server.max_power_kw.sources)
    ]
    return draft


def token_cost(desk: Desk) -> Draft | None:
    """Cost of a million tokens from the price of an hour and the rate that are stated."""
    price, rate = desk.heard.one("money/h"), desk.heard.one("tokens/s")
    if desk.query.quantity not in ("token_cost", "price", "decode_speed") or price is None or rate is None:
        return None
    gpus = int(desk.heard.one("cards") or (desk.heard.cards[0].count if desk.heard.cards else None) or 1)
    a_gpu = desk.says(r"(per|a|je|pro) gpu[- ]?(hour|h\b|stunde)|/ ?gpu")
    hourly = price * (gpus if a_gpu else 1)
    share = (desk.heard.one("%") or 100.0) / 100
    cost = hourly / (rate * 3600 * share) * 1e6
    at = f" x {share:.0%}" if share < 1 else ""
    first = desk.either(
        f"{cost:.2f} for a million tokens: {desk.show(hourly)} an hour over {desk.show(rate)} tokens/s x "
        f"3,600{at}, by your own price.",
        f"{desk.show(cost, 3)} je Million Tokens: {desk.show(hourly)} je Stunde durch {desk.show(rate)} Tokens/s "
        f"x 3.600{at}, nach Ihrem Preis.",
    )
    draft = Draft("token_cost", first, quantity=desk.query.quantity, facts={"cost_per_million": cost})
    draft.claims = [
        desk.library.computed("arithmetic.token_cost", first, cost, None, ("own_arithmetic",)),
        desk.library.claim("S0-29"),
    ]
    return draft


def convert(desk: Desk) -> Draft | None:
    """A link's rate in bytes."""
    rate = desk.heard.one("link") or desk.heard.one("B/s")
    if desk.query.quantity != "conversion" or rate is None:
        return None
    first = desk.either(
        f"{desk.show(rate / 1e9)} GB/s: {desk.show(rate * 8 / 1e9)} Gb/s over 8 bits a byte, before protocol overhead.",
        f"{desk.show(rate / 1e9)} GB/s: {desk.show(rate * 8 / 1e9)} Gb/s durch 8 Bit je Byte, vor Protokollanteil.",
    )
    draft = Draft("conversion", first, quantity="conversion")
    draft.claims = [desk.library.computed("arithmetic.conversion", first, rate / 1e9, "GB/s", ("own_arithmetic",))]
    return draft
