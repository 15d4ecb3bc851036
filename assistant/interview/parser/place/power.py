"""What a stated power counts (IT load or all of it), and electrical feeds of racks such as ``2x3x32A``."""

from __future__ import annotations

import math

from assistant.interview.parser.reading import Reading
from assistant.interview.parser.result import Derived
from knowledge import regexes as re

_IT = r"(?:it[- ]?(?:load|power|last|leistung)|charge (?:it|informatique)|carga (?:de )?ti|IT负载|IT 부하)"
_TOTAL = (
    r"(?:total|overall|altogether|grid connection|connection|utility|facility|anschluss(?:leistung|wert)?|"
    r"netzanschluss|gesamt(?:leistung)?|insgesamt|puissance (?:de raccordement|souscrite|totale)|au total|"
    r"potencia (?:contratada|total)|potência (?:contratada|total)|总功率|총 전력)"
)
_BEFORE = {
    "it": re.compile(rf"\b{_IT}[^.;,\n\d]{{0,12}}$", re.IGNORECASE),
    "total": re.compile(rf"(?:\b|(?<=[^\x00-\x7f])){_TOTAL}[^.;,\n\d]{{0,14}}$", re.IGNORECASE),
}
_AFTER = {
    "it": re.compile(
        rf"^\s?(?:total |insgesamt )?(?:of |de |an |für (?:die )?|for |\()?(?:the )?(?:{_IT}|it\b(?! is))",
        re.IGNORECASE,
    ),
    "total": re.compile(rf"^\s?(?:of |de |an |in )?(?:the )?{_TOTAL}", re.IGNORECASE),
}


def read_power_kind(reading: Reading) -> None:
    """State ``site_power_is`` where the words beside the site's power say it."""
    power = reading.fields.get("site_power_kw")
    if power is None:
        return
    own = re.search(_IT, power.text, re.IGNORECASE)
    if own:
        reading.state("site_power_is", "it", power.start + own.start(), power.start + own.end())
        return
    left, right = reading.before(power.start), reading.after(power.end)
    for kind in ("it", "total"):
        before, after = _BEFORE[kind].search(left), _AFTER[kind].match(right)
        if before:
            reading.state("site_power_is", kind, power.start - len(before[0]), power.start)
            return
        if after:
            reading.state("site_power_is", kind, power.end, power.end + after.end())
            return


_FEED = re.compile(
    r"(?<![\w.,])(?:(?P<feeds>[1-8])\s?[x*]\s?)?(?:3\s?(?:[x*]|~|ph(?:ase[ns]?)?|-phasig|-phase)\s?)"
    r"(?P<amps>16|20|24|30|32|40|50|60|63|80|100|125)\s?A\b(?:[ ,/]{0,2}(?P<volts>208|230|240|380|400|415|480)\s?V)?",
    re.IGNORECASE,
)
_FEED_WORDS = re.compile(
    r"(?<![\w.,])(?:(?P<feeds>[1-8])\s?[x*]\s?)?(?:cee\s?)?(?P<amps>16|30|32|60|63|125)\s?A\b[ -]?"
    r"(?:(?P<volts>208|400|415|480)\s?V[ -]?)?(?:three[- ]phase|3-phase|drehstrom|dreiphasig|triphasée?s?|"
    r"trifásic[oa]s?|cee)",
    re.IGNORECASE,
)
LINE_VOLTS = 400.0
"""Line-to-line voltage of a three-phase feed where none is named, as in most of the world."""


def read_feeds(reading: Reading) -> None:
    """Derive ``rack_feed_kw``: what one three-phase feed carries, sqrt(3) x U x I; several are taken as A and B."""
    match = next((m for p in (_FEED, _FEED_WORDS) for m in reading.find(p)), None)
    if match is None:
        return
    reading.take(*match.span())
    volts = float(match["volts"] or LINE_VOLTS)
    each_kw = math.sqrt(3) * volts * float(match["amps"]) / 1e3
    feeds = int(match["feeds"] or 1)
    because = f"three-phase {match['amps']} A at {volts:g} V carry {each_kw:.1f} kW"
    if feeds > 1:
        because += (
            f"; {feeds} feeds carry {feeds * each_kw:.1f} kW together, but as A and B feeds only "
            f"{each_kw * feeds / 2:.1f} kW may be drawn"
        )
    reading.derived["rack_feed_kw"] = Derived.model_construct(value=round(each_kw, 2), unit="kW", because=because)
