"""What the customer's own business says: a provider who rents out GPUs builds; a room of one's own is the site."""

from __future__ import annotations

from assistant.interview.parser.reading import Reading
from assistant.interview.parser.result import Derived
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
_COLOCATION = re.compile(r"colo(?:cation)?\b|colo-", re.IGNORECASE)
_BITS = re.compile(
    r"(?:vectors?|vektoren|dimensions?|dimensionen)[^.;\n]{0,30}?(?P<bits>\b(?:1|2|4|8|16|32)[ -]bits?\b)", re.I
)
_SHAPE = re.compile(
    r"(?:instances?|instanzen|vms?) \((?P<count>\d{1,2}) ?[x×] [^)\n]{2,30}\b(?:each|je|jeweils)\)", re.IGNORECASE
)
_MISTRUST = re.compile(
    r"(?<!\w)(?:customers|tenants|kunden|mieter)\b[^.!?\n]{0,80}?"
    r"(?:(?:do not|don't|must not) trust|misstrauen|vertrauen (?:einander|sich) nicht)",
    re.IGNORECASE,
)
_RENTS = re.compile(
    r"(?<!\w)(?:rents?|renting|lease[sd]?|hire[sd]?) (?:[\w-]{1,12} ){0,3}?(?:at|from|with) (?:an? |our |the )?"
    r"(?:[\w-]{1,12} )?(?:provider|hoster|cloud|host)(?!\w)|"
    r"(?<!\w)(?:miete[nt]?|gemietet) (?:[\w-]{1,12} ){0,3}?bei (?:eine[mr] |unserem )?(?:[\w-]{1,14} )?"
    r"(?:anbieter|hoster|provider)(?!\w)",
    re.IGNORECASE,
)
_OWN_PLACE = re.compile(
    r"(?<!\w)(?:in (?:our|my|its|their) own (?:hall|building|rooms?)|"
    r"(?:two|three|\d) own (?:dcs|data ?cent(?:er|re)s)|in (?:unserer eigenen halle|unserem eigenen gebäude)|"
    r"(?:we|i) have (?!no )(?:[\w-]{1,10} ){0,2}?(?:server|machine) rooms?|"
    r"wir haben (?!kein)(?:[\w-]{1,10} ){0,2}?serverräume?|"
    r"(?:all )?(?:the )?hardware (?:is|must be|will be) (?:all )?(?:our own|ours)|"
    r"(?:alle )?(?:die )?hardware (?:ist|gehört) (?:alle[s]? )?(?:unsere eigene|uns))(?!\w)",
    re.IGNORECASE,
)

_USES = (
    (
        "credit",
        r"credit[- ]?(?:scor\w+|rating|worth\w+|decision\w*)|scoring of (?:loans?|credit)|loan (?:approval|decision)s?|"
        r"kreditw\w+|bonitäts\w+|kreditscoring|kreditentscheid\w*",
    ),
    (
        "recruitment",
        r"recruit(?:ing|ment)|(?:screen|rank|sort|pre-?select)\w* (?:of )?(?:applicants|applications|candidates|cvs)|"
        r"cv screening|bewerber\w*|bewerbungs\w+|personalauswahl",
    ),
    (
        "education",
        r"(?:grad|mark)(?:es|ing) (?:of )?(?:exams?|essays|students|pupils)|prüfungsbewertung|benotung",
    ),
    (
        "essential_services",
        r"(?:eligibility|entitlement) (?:for|to) (?:benefits|social)|sozialleistungen bewilligen",
    ),
    ("biometrics", r"face recognition|facial recognition|gesichtserkennung|biometric identification"),
    ("medical_device", r"medical device|medizinprodukt"),
    ("migration", r"asylum (?:applications?|claims?|requests?)|asylanträge?"),
)
"""Uses that annex III of the AI Act lists, in the words that people write."""

_USE = tuple((value, re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)) for value, words in _USES)


def read_vector_bits(reading: Reading) -> None:
    """State the precision of an index before it is taken for that of the weights."""
    found = next((m for m in _BITS.finditer(reading.text) if reading.free(*m.span("bits"))), None)
    if found:
        reading.take(*found.span("bits"))
        bits = int(re.match(r"\d+", found["bits"])[0])  # type: ignore[index]
        reading.state("vector_bits", bits, *found.span("bits"), unit="bits")


def read_shape(reading: Reading) -> None:
    """``instances (8 x H100 each)`` says what one instance has, not how many GPUs are wanted."""
    gpus, shape = reading.fields.get("gpus"), _SHAPE.search(reading.text)
    if gpus is None or shape is None or "nodes" in reading.fields:
        return
    held = int(shape["count"])
    bare = [{**one, "count": None} if one["count"] == held else one for one in gpus.value]
    reading.fields["gpus"] = gpus.model_copy(update={"value": bare})
    reading.take(*shape.span("count"))


def read_no_cloud(reading: Reading) -> None:
    """Who refuses the cloud and names no other place has the machines at home."""
    named = "hosting" in reading.fields or "hosting" in reading.derived
    if not named and [one.value for one in reading.excluded if one.field == "hosting"] == ["cloud"]:
        reading.derived["hosting"] = Derived.model_construct(value="on_prem", because="the cloud is ruled out")


def read_customer(reading: Reading) -> None:
    """State ``rents_out_gpus`` and what it brings, and ``hosting`` where the rooms and the hardware are one's own."""
    provider = next(reading.find(_PROVIDER), None)
    if provider and not reading.negated(*provider.span()) and not reading.asked(*provider.span()):
        reading.take(*provider.span())
        reading.state("rents_out_gpus", True, *provider.span())
        if not _COLOCATION.search(reading.text):
            reading.state("hosting", "on_prem", *provider.span())
        mistrust = _MISTRUST.search(reading.text)
        if mistrust:
            reading.state("tenants_trust_each_other", False, *mistrust.span())
    for value, words in _USE:
        used = words.search(reading.text)
        if used and not reading.negated(*used.span()):
            reading.state("ai_use", value, *used.span())
            break
    own = next(reading.find(_OWN_PLACE), None)
    if own and not reading.negated(*own.span()) and not reading.asked(*own.span()):
        reading.state("hosting", "on_prem", *own.span())
    rents = next(reading.find(_RENTS), None)
    if rents and not reading.negated(*rents.span()) and not reading.asked(*rents.span()):
        reading.state("hosting", "cloud", *rents.span())


def read_token_rate(reading: Reading) -> None:
    """Derive the requests a second from the tokens that all of them write in that time, where no load was stated."""
    rates = [one for one in reading.amounts if one.unit == "tokens" and one.per == "second"]
    written = reading.fields.get("output_tokens")
    if len(rates) != 1 or written is None or any(load in reading.fields for load in _LOADS):
        return
    mean = float(written.value["mean"] if isinstance(written.value, dict) else written.value)
    because = f'"{rates[0].text}": {rates[0].value:,} tokens a second are {mean:,.0f} a request'
    reading.derived["requests_per_s"] = Derived.model_construct(value=rates[0].value / mean, because=because)


_PERIODS = {"day": 1, "week": 7, "month": 30, "quarter": 91, "year": 365}
_READ_ONCE = ("batch", "ocr", "summarising", "embeddings")


def read_stream(reading: Reading) -> None:
    """Derive the batch of one period from documents a day or pages a month, where the work reads each of them once."""
    workload = reading.fields.get("workload")
    streams = [one for one in reading.amounts if one.unit in ("documents", "pages") and one.per in _PERIODS]
    if workload is None or workload.value not in _READ_ONCE or len(streams) != 1:
        return
    if any(load in reading.fields for load in (*_LOADS, "batch_days")):
        return
    because = f'"{streams[0].text}" must be done before the next come'
    reading.derived["documents"] = Derived.model_construct(value=int(streams[0].value), because=because)
    reading.derived["batch_days"] = Derived.model_construct(value=_PERIODS[str(streams[0].per)], because=because)


_LOADS = ("users_concurrent", "requests_per_s", "users_total", "documents", "training_tokens")


def read_vectors(reading: Reading) -> None:
    """State the size of a vector index: one number of vectors, and their dimensions where these were heard."""
    counted = [one for one in reading.amounts if one.unit == "vectors" and one.per is None]
    if len(counted) != 1:
        return
    reading.state("vectors", int(counted[0].value), counted[0].start, counted[0].end, unit="vectors")
    for heard in [one for one in reading.unused if one.field == "vector_dimensions"][:1]:
        reading.state("vector_dimensions", int(heard.value), heard.start, heard.end, unit="dimensions")
        reading.unused.remove(heard)
