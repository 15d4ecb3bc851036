"""Published figures of named accelerators and servers: memory, rates, weight, heat, formats, partitions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assistant.asking.desk import Desk
from assistant.asking.draft import Draft
from assistant.asking.figures.shared import named_gpus, named_model, named_server, related
from knowledge import regexes as re
from knowledge.evidence import Cited, Grade
from knowledge.schema import Accelerator, Server


@dataclass(frozen=True)
class _Figure:
    """How people ask for a figure, its field, its unit, and its names in English and German."""

    asks: str
    field: str
    unit: str
    english: str
    german: str


_LINK = r"nvlink|nvswitch|xgmi|infinity fabric|scale.?up"
CARD = (
    _Figure(_LINK, "scale_up_gb_per_s_per_direction", "GB/s", "scale-up link, one direction", "Scale-up, je Richtung"),
    _Figure(
        r"\bpcie\b.*(bandwidth|bandbreite|speed)",
        "pcie_gb_per_s_per_direction",
        "GB/s",
        "PCIe, one direction",
        "PCIe, je Richtung",
    ),
    _Figure(
        r"\bmemory bandwidth|bandwidth|bandbreite",
        "bandwidth_gb_per_s",
        "GB/s",
        "memory bandwidth",
        "Speicherbandbreite",
    ),
    _Figure(
        r"\bfp4\b.*(flops|rate|speed|peak)|flops.*\bfp4\b",
        "fp4_tflops",
        "TFLOP/s",
        "dense FP4 peak",
        "FP4-Spitze, dicht",
    ),
    _Figure(
        r"\bfp8\b.*(flops|rate|speed|peak)|flops.*\bfp8\b",
        "fp8_tflops",
        "TFLOP/s",
        "dense FP8 peak",
        "FP8-Spitze, dicht",
    ),
    _Figure(r"\bint8\b.*(tops|rate|speed|peak)|tops\b", "int8_tops", "TOP/s", "dense INT8 peak", "INT8-Spitze, dicht"),
    _Figure(r"how fast|tflops|flops\b|wie schnell", "bf16_tflops", "TFLOP/s", "dense BF16 peak", "BF16-Spitze, dicht"),
    _Figure(r"\btdp\b", "tdp_w", "W", "rated power", "Nennleistung"),
    _Figure(r"\bmemory\b|\bvram\b|\bhbm|speicher\b|how big|wie groß", "memory_label_gb", "GB", "memory", "Speicher"),
)
_SERVER = (
    _Figure(r"weigh|heavy|gewicht|wiegt|schwer|\bkg\b", "weight_kg", "kg", "weight", "Gewicht"),
    _Figure(r"btu|\bheat (does|output|load)|wärmelast|wärme ", "heat_btu_per_h", "BTU/h", "heat", "Wärme"),
    _Figure(r"airflow|air ?flow|\bcfm\b|luftstrom|luftmenge", "airflow_m3_per_h", "m3/h", "airflow", "Luftstrom"),
    _Figure(
        r"coolant|flow rate|durchfluss|kühlmittel", "coolant_l_per_min", "l/min", "coolant flow", "Kühlmittelstrom"
    ),
    _Figure(r"rack units|how (high|tall)|höheneinheiten|\bhe\b|\d?u\b", "rack_units", "U", "height", "Höhe"),
    _Figure(r"\bdepth|how deep|tiefe|wie tief", "depth_mm", "mm", "depth", "Tiefe"),
    _Figure(
        r"\bhost (ram|memory)|system memory|arbeitsspeicher", "host_ram_gb", "GB", "host memory", "Arbeitsspeicher"
    ),
)

_BTU_PER_H = 3_412.14
_CAPABLE = (
    r"support|unterstütz|beherrsch"
    r"|\b(has|have|hat|can|kann|does|do)\b (?:[\w.-]+ ){0,3}(mig|fp8|fp4|nvfp4|mxfp4|int8)\b"
)
_NVLINK = {
    "a100-sxm-80gb": r"nvlink ?(3|gen ?3)\b",
    "h100-sxm-80gb": r"nvlink ?(4|gen ?4)\b",
    "b200-sxm": r"nvlink ?(5|gen ?5)\b",
}
"""The accelerator that stands for a generation of NVLink."""


def specification(desk: Desk) -> Draft | None:
    """One published figure of the server or accelerator that the question names."""
    if desk.says(r"all.?reduce|\bnetwork|netz\b|users|nutzer|xid|\bmig\b"):
        return None
    server = named_server(desk)
    if server is not None:
        asked = next((figure for figure in _SERVER if desk.says(figure.asks)), None)
        if asked is not None:
            heat = asked.field == "heat_btu_per_h"
            return _shown(desk, server.name, _heat(server) if heat else getattr(server, asked.field), asked)
    asked = next((figure for figure in CARD if desk.says(figure.asks)), None)
    return card_figure(desk, asked.field) if asked is not None else None


_DEGREES = re.compile(r"(\d{2}) ?(?:°|deg\w*|grad)? ?c\b")


def inlet(desk: Desk) -> Draft | None:
    """The air temperatures at which the named server may run; whether a stated one is among them."""
    server = named_server(desk)
    if server is None or server.inlet_c.value is None:
        return None
    low, high = server.inlet_c.value
    span = f"{desk.show(low)} {desk.either('to', 'bis')} {desk.show(high)} °C"
    first = f"{server.name}: {span} {desk.either('at the inlet', 'am Einlass')}."
    stated = _DEGREES.search(desk.lower)
    claim = desk.library.record("specification.inlet_c", first, server.inlet_c.sources)
    if stated is None:
        return Draft("specification", first, claims=[claim, *related(desk, "B-")])
    fits = low <= int(stated[1]) <= high
    word = desk.either("Yes", "Ja") if fits else desk.either("No", "Nein")
    return Draft(
        "specification", f"{word}: {first}", verdict="yes" if fits else "no", claims=[claim, *related(desk, "B-")]
    )


def _heat(server: Server) -> Cited[float]:
    """Heat equals electrical power: 3,412.14 BTU/h a kilowatt."""
    kw = server.max_power_kw
    return Cited(value=None if kw.value is None else kw.value * _BTU_PER_H, sources=kw.sources)


def card_figure(desk: Desk, field: str) -> Draft | None:
    """One published figure of the accelerator that the question names."""
    gpus = named_gpus(desk)
    if gpus is None and field == "scale_up_gb_per_s_per_direction":
        gpus = next(((name, None) for name, said in _NVLINK.items() if desk.says(said)), None)
    if gpus is None:
        return None
    card: Accelerator = desk.library.catalogue.accelerator(gpus[0])
    return _shown(desk, card.name, cited(card, field), next(figure for figure in CARD if figure.field == field))


def cited(card: Accelerator, field: str) -> Cited[float]:
    """A figure with its sources; the label of the memory has those of its size."""
    if field == "memory_label_gb":
        return Cited(value=card.memory_label_gb, sources=card.memory_bytes.sources)
    figure: Cited[float] = getattr(card, field)
    return figure


def _shown(desk: Desk, name: str, found: Cited[float], figure: _Figure) -> Draft | None:
    if found.value is None:
        return None
    value, what = float(found.value), desk.either(figure.english, figure.german)
    both = f", {desk.show(2 * value)} {figure.unit} {desk.either('both ways', 'in beide Richtungen')}"
    first = f"{name}: {desk.show(value)} {figure.unit} ({what}{both if figure.field.endswith('direction') else ''})."
    return _published(desk, first, value, figure, found.sources)


def _published(desk: Desk, first: str, value: float, figure: _Figure, sources: Iterable[str]) -> Draft:
    claim = desk.library.computed(f"specification.{figure.field}", first, value, figure.unit, sources)
    grade = desk.library.best_grade(claim.sources)
    claims = [claim.model_copy(update={"grade": grade.value})]
    if grade is Grade.UNVERIFIED:
        start = desk.either("Not in the knowledge base, but for a figure that was not verified:", "Nur ungeprüft:")
        return Draft(kind="specification", first=f"{start} {first}", declined=True, claims=claims)
    return Draft(kind="specification", first=first, claims=claims)


_FORMATS = {"fp8": "FP8", "fp4": "FP4", "int8": "INT8"}


def supports(desk: Desk) -> Draft | None:
    """Whether the named accelerator has MIG or computes in a number format, where the catalogue says."""
    gpus = named_gpus(desk)
    if gpus is None or not desk.says(_CAPABLE) or named_model(desk):
        return None
    card: Accelerator = desk.library.catalogue.accelerator(gpus[0])
    if desk.says(r"\bmig\b") and card.mig_max.value is not None:
        yes = card.mig_max.value > 1
        english = f"{card.name} splits into up to {card.mig_max.value} instances" if yes else f"{card.name} has no MIG"
        german = (
            f"{card.name} teilt sich in bis zu {card.mig_max.value} Instanzen" if yes else f"{card.name} hat kein MIG"
        )
        text = desk.either(english, german)
        return _yes_or_no(desk, yes, text, "specification.mig_max", card.mig_max.sources)
    name = next((name for name in _FORMATS if desk.says(rf"\b(nv|mx)?{name}\b")), None)
    rate = cited(card, f"{name}_{'tops' if name == 'int8' else 'tflops'}") if name else None
    if name is None or rate is None or rate.value is None:
        return None  # not published is not "no": what rules and claims say of the format answers
    verb, unit = desk.either("computes in", "rechnet in"), "TOP/s" if name == "int8" else "TFLOP/s"
    text = f"{card.name} {verb} {_FORMATS[name]}, {desk.show(rate.value)} {unit}"
    return _yes_or_no(desk, True, text, f"specification.{name}", rate.sources)


def _yes_or_no(desk: Desk, yes: bool, text: str, ident: str, sources: Sequence[str]) -> Draft:
    word = desk.either("Yes", "Ja") if yes else desk.either("No", "Nein")
    claim = desk.library.record(ident, f"{text}.", tuple(sources))
    return Draft(
        "capability", f"{word}: {text}.", verdict="yes" if yes else "no", claims=[claim, *related(desk, "F1-", "F4-")]
    )


def mig_count(desk: Desk) -> Draft | None:
    """Into how many instances MIG splits the accelerator that the question names."""
    gpus = named_gpus(desk)
    if gpus is None or not desk.says(r"how many|wie ?viele|number of|anzahl"):
        return None
    card: Accelerator = desk.library.catalogue.accelerator(gpus[0])
    most = card.mig_max.value
    if most is None:
        return None
    number = gpus[1] or 1
    many = desk.either(f", {most * number} on {number}", f", {most * number} auf {number}") if number > 1 else ""
    first = desk.either(
        f"{card.name}: at most {most} MIG instances a GPU{many}.",
        f"{card.name}: höchstens {most} MIG-Instanzen je GPU{many}.",
    )
    claim = desk.library.record("specification.mig_max", first, card.mig_max.sources)
    return Draft("mig", first, claims=[claim.model_copy(update={"value": float(most)}), *related(desk, "F1-")])
