"""How many servers stand in a rack of so many kilowatts."""

from __future__ import annotations

from assistant.asking.desk import Desk
from assistant.asking.draft import Draft
from assistant.asking.figures.shared import named_server, related

_TALLEST = 42
"""Units of a rack where nobody says otherwise."""


def in_a_rack(desk: Desk) -> Draft | None:
    """How many of the named servers a rack's power carries, its height permitting."""
    server, kw = named_server(desk), desk.stated("rack_kw") or desk.kilowatts
    if server is None or kw is None or server.unit == "rack" or not desk.says(r"how many|wie ?viele|fit|passen|passt"):
        return None
    each = server.max_power_kw.value
    if each is None:
        return None
    height = server.rack_units.value
    number = int(float(kw) / each)
    by_height = int(_TALLEST / height) if height else number
    count = min(number, by_height)
    what, limit = desk.show(float(each)), desk.show(float(kw))
    first = desk.either(
        f"{count} x {server.name} ({what} kW each, {desk.show(count * each)} kW together) in a rack of {limit} kW.",
        f"{count} x {server.name} (je {what} kW, zusammen {desk.show(count * each)} kW) in ein Rack mit {limit} kW.",
    )
    if count == 0:
        first = desk.either(
            f"None: one {server.name} draws up to {what} kW, and the rack has {limit} kW.",
            f"Keiner: ein {server.name} zieht bis {what} kW, das Rack hat {limit} kW.",
        )
    draft = Draft("rack", first, facts={"rack_kw": float(kw), "server_kw": float(each)})
    if by_height < number:
        draft.more.append(f"{_TALLEST} U set the limit, not the power.")
    claim = desk.library.computed("racks.by_power", first, float(count), "servers", server.max_power_kw.sources)
    draft.claims = [claim, *related(desk, "B-")]
    return draft
