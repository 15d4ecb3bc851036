"""What the customer's own business says: a provider who rents out GPUs builds; a room of one's own is the site."""

from __future__ import annotations

from assistant.interview.parser.reading import Reading
from knowledge import regexes as re

_PROVIDER = re.compile(
    r"(?<!\w)(?:(?:we|i)(?:'re| are| am)|as) (?:an? )?(?:[\w-]{1,16} ){0,2}?"
    r"(?:gpu[ -]?cloud(?: provider| company| operator)?|cloud provider|neo-?cloud|"
    r"bare[- ]metal provider|gpu hoster)(?!\w)|"
    r"(?<!\w)(?:wir sind|als) (?:ein(?:e)? )?(?:[\w-]{1,16} ){0,2}?"
    r"(?:(?:gpu-)?cloud-?anbieter|gpu-hoster|neo-?cloud)(?!\w)|"
    r"(?<!\w)we (?:want to |will |plan to )?(?:rent out|lease out|sell) (?:[\w-]{1,12} ){0,3}?"
    r"(?:gpus?|servers?|bare metal)(?! from)|"
    r"(?<!\w)wir (?:wollen |werden )?vermieten (?:[\w-]{1,12} ){0,3}?(?:gpus?|server)(?!\w)",
    re.IGNORECASE,
)
_MISTRUST = re.compile(
    r"(?<!\w)(?:customers|tenants|kunden|mieter)\b[^.!?\n]{0,80}?"
    r"(?:(?:do not|don't|must not) trust|misstrauen|vertrauen (?:einander|sich) nicht)",
    re.IGNORECASE,
)
_OWN_PLACE = re.compile(
    r"(?<!\w)(?:in (?:our|my) own (?:hall|building|rooms?)|in (?:unserer eigenen halle|unserem eigenen gebäude)|"
    r"(?:we|i) have (?!no )(?:[\w-]{1,10} ){0,2}?(?:server|machine) rooms?|wir haben (?!kein)(?:[\w-]{1,10} ){0,2}?serverräume?|"
    r"(?:all )?(?:the )?hardware (?:is|must be|will be) (?:all )?(?:our own|ours)|"
    r"(?:alle )?(?:die )?hardware (?:ist|gehört) (?:alle[s]? )?(?:unsere eigene|uns))(?!\w)",
    re.IGNORECASE,
)


def read_customer(reading: Reading) -> None:
    """State ``rents_out_gpus`` and what it brings, and ``hosting`` where the rooms and the hardware are one's own."""
    provider = next(reading.find(_PROVIDER), None)
    if provider and not reading.negated(*provider.span()) and not reading.asked(*provider.span()):
        reading.take(*provider.span())
        reading.state("rents_out_gpus", True, *provider.span())
        mistrust = _MISTRUST.search(reading.text)
        if mistrust:
            reading.state("tenants_trust_each_other", False, *mistrust.span())
    own = next(reading.find(_OWN_PLACE), None)
    if own and not reading.negated(*own.span()) and not reading.asked(*own.span()):
        reading.state("hosting", "on_prem", *own.span())


def read_vectors(reading: Reading) -> None:
    """State the size of a vector index: one number of vectors, and their dimensions where these were heard."""
    counted = [one for one in reading.amounts if one.unit == "vectors" and one.per is None]
    if len(counted) != 1:
        return
    reading.state("vectors", int(counted[0].value), counted[0].start, counted[0].end, unit="vectors")
    for heard in [one for one in reading.unused if one.field == "vector_dimensions"][:1]:
        reading.state("vector_dimensions", int(heard.value), heard.start, heard.end, unit="dimensions")
        reading.unused.remove(heard)
