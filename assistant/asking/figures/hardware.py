"""Published figures of named accelerators and servers: power, memory, rates, weight, heat, partitions; two compared."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assistant.asking.desk import Desk
from assistant.asking.draft import Draft
from assistant.asking.figures.shared import in_language, named_gpus, named_model, named_server, related, sources_of
from assistant.asking.said import TRAINING
from assistant.result import Sizing
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
_CARD = (
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
    _Figure(r"\bmemory\b|\bvram\b|speicher\b|how big|wie groß", "memory_label_gb", "GB", "memory", "Speicher"),
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
    asked = next((figure for figure in _CARD if desk.says(figure.asks)), None)
    return card_figure(desk, asked.field) if asked is not None else None


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
    return _shown(desk, card.name, _cited(card, field), next(figure for figure in _CARD if figure.field == field))


def _cited(card: Accelerator, field: str) -> Cited[float]:
    """A figure with its sources; the label of the memory has those of its size."""
    if field == "memory_label_gb":
        return Cited(value=card.memory_label_gb, sources=card.memory_bytes.sources)
    cited: Cited[float] = getattr(card, field)
    return cited


def _shown(desk: Desk, name: str, cited: Cited[float], figure: _Figure) -> Draft | None:
    if cited.value is None:
        return None
    value, what = float(cited.value), in_language(desk, figure.english, figure.german)
    both = f", {desk.show(2 * value)} {figure.unit} {in_language(desk, 'both ways', 'in beide Richtungen')}"
    first = f"{name}: {desk.show(value)} {figure.unit} ({what}{both if figure.field.endswith('direction') else ''})."
    return _published(desk, first, value, figure, cited.sources)


def _published(desk: Desk, first: str, value: float, figure: _Figure, sources: Iterable[str]) -> Draft:
    claim = desk.library.computed(f"specification.{figure.field}", first, value, figure.unit, sources)
    grade = desk.library.best_grade(claim.sources)
    claims = [claim.model_copy(update={"grade": grade.value})]
    if grade is Grade.UNVERIFIED:
        start = in_language(
            desk, "Not in the knowledge base, but for a figure that was not verified:", "Nur ungeprüft:"
        )
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
        text = in_language(desk, english, german)
        return _yes_or_no(desk, yes, text, "specification.mig_max", card.mig_max.sources)
    name = next((name for name in _FORMATS if desk.says(rf"\b(nv|mx)?{name}\b")), None)
    rate = _cited(card, f"{name}_{'tops' if name == 'int8' else 'tflops'}") if name else None
    if name is None or rate is None or rate.value is None:
        return None  # not published is not "no": what rules and claims say of the format answers
    verb, unit = in_language(desk, "computes in", "rechnet in"), "TOP/s" if name == "int8" else "TFLOP/s"
    text = f"{card.name} {verb} {_FORMATS[name]}, {desk.show(rate.value)} {unit}"
    return _yes_or_no(desk, True, text, f"specification.{name}", rate.sources)


def _yes_or_no(desk: Desk, yes: bool, text: str, ident: str, sources: Sequence[str]) -> Draft:
    word = in_language(desk, "Yes", "Ja") if yes else in_language(desk, "No", "Nein")
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
    many = in_language(desk, f", {most * number} on {number}", f", {most * number} auf {number}") if number > 1 else ""
    first = in_language(
        desk,
        f"{card.name}: at most {most} MIG instances a GPU{many}.",
        f"{card.name}: höchstens {most} MIG-Instanzen je GPU{many}.",
    )
    claim = desk.library.record("specification.mig_max", first, card.mig_max.sources)
    return Draft("mig", first, claims=[claim.model_copy(update={"value": float(most)}), *related(desk, "F1-")])


# --- power ----------------------------------------------------------------------------------------------------------


def power(desk: Desk) -> Draft | None:
    """What named hardware draws at most."""
    if desk.says(_ALL_OF_IT) and desk.sized is not None:
        return _whole(desk, desk.sized)
    server = named_server(desk)
    if server is not None:
        if server.max_power_kw.value is None:
            return None
        number = desk.units_of(server)
        return _draws(desk, server.name, float(server.max_power_kw.value), number, server.max_power_kw.sources)
    gpus = named_gpus(desk)
    if gpus is None:
        return None
    card: Accelerator = desk.library.catalogue.accelerator(gpus[0])
    if card.tdp_w.value is None:
        return None
    return _draws(desk, card.name, card.tdp_w.value / 1e3, gpus[1] or 1, card.tdp_w.sources)


_ALL_OF_IT = r"includ|with (the )?(network|storage|switch)|in total|whole|insgesamt|mit netz|gesamt"


def _whole(desk: Desk, sizing: Sizing) -> Draft | None:
    """The rated power of servers, storage and network of the sizing."""
    plan = sizing.plan()
    kw = plan.facility.get("nominal_it_kw")
    if kw is None:
        return None
    servers = " + ".join(f"{s.count} x {s.name}" for s in plan.servers)
    first = in_language(
        desk,
        f"{desk.show(float(kw))} kW of nominal IT power with servers, storage and network: {servers}.",
        f"{desk.show(float(kw))} kW IT-Nennleistung mit Servern, Speicher und Netz: {servers}.",
    )
    claim = desk.library.computed("estimate.facility", first, float(kw), "kW", sources_of(desk, plan.accelerator))
    return Draft("power", first, claims=[claim, *related(desk, "B-")])


def _draws(desk: Desk, name: str, kw: float, number: int, sources: Iterable[str]) -> Draft:
    total = kw * number
    many = f"{number} x {name}" if number > 1 else name
    each = f" ({desk.show(kw)} kW {in_language(desk, 'each', 'je Stück')})" if number > 1 else ""
    first = in_language(
        desk,
        f"{many}: {desk.show(total)} kW at most by the specification{each}.",
        f"{many}: höchstens {desk.show(total)} kW nach Spezifikation{each}.",
    )
    claim = desk.library.computed("specification.power", first, total, "kW", sources)
    claim = claim.model_copy(update={"grade": desk.library.best_grade(claim.sources).value})
    return Draft(kind="power", first=first, claims=[claim, *related(desk, "B-")])


# --- two accelerators -----------------------------------------------------------------------------------------------

_PAIR = re.compile(r"\b([a-z]*\d+[a-z]?) ?(?:gpu )?(sxm|pcie|nvl)\b.*\b(?:or|oder|vs\.?|versus)\b.*\b(sxm|pcie|nvl)\b")
_COMPARED = ("bf16_tflops", "memory_label_gb", "bandwidth_gb_per_s", "tdp_w")


def compare(desk: Desk) -> Draft | None:
    """Two accelerators side by side. Training is bound by arithmetic, answering by memory and its bandwidth."""
    names = list(dict.fromkeys(str(row["gpu"]) for row in desk.stated("gpus") or () if row.get("gpu")))
    pair = _PAIR.search(desk.lower)
    if pair is not None:  # "H100 PCIe or SXM": one name, two forms
        forms = (desk.library.catalogue.resolve("accelerators", f"{pair[1]} {form}").id for form in pair.groups()[1:])
        names = [name for name in forms if name]
    if len(names) != 2 or desk.stated("models") or desk.stated("nodes"):
        return None
    one, other = (desk.library.catalogue.accelerator(name) for name in names)
    deciding = "bf16_tflops" if desk.says(TRAINING) else "bandwidth_gb_per_s"
    values = {card.id: _cited(card, deciding).value or 0.0 for card in (one, other)}
    better, worse = (one, other) if values[one.id] >= values[other.id] else (other, one)
    parts = [part for field in _COMPARED if (part := _against(desk, better, worse, field))]
    purpose = (
        in_language(desk, "training", "Training") if desk.says(TRAINING) else in_language(desk, "serving", "Inferenz")
    )
    first = in_language(
        desk,
        f"{better.name} before {worse.name} for {purpose}: {', '.join(parts)}.",
        f"{better.name} vor {worse.name} für {purpose}: {', '.join(parts)}.",
    )
    draft = Draft("compare", first)
    draft.more.append(
        in_language(
            desk,
            "Prices and delivery are not in the knowledge base and often decide.",
            "Preise und Lieferzeiten stehen nicht in der Wissensbasis und entscheiden oft.",
        )
    )
    sources = [s for card in (better, worse) for field in _COMPARED[:3] for s in _cited(card, field).sources[:2]]
    claim = desk.library.record("specification.compare", first, tuple(dict.fromkeys(sources)))
    draft.claims = [claim, *related(desk, "S0-", "S3-", "G-")]
    return draft


def _against(desk: Desk, better: Accelerator, worse: Accelerator, field: str) -> str | None:
    figure = next(figure for figure in _CARD if figure.field == field)
    values = [_cited(card, field).value for card in (better, worse)]
    if values[0] is None or values[1] is None:
        return None
    gegen = in_language(desk, "against", "gegen")
    name = re.sub(r",.*", "", in_language(desk, figure.english, figure.german))
    return f"{desk.show(values[0])} {gegen} {desk.show(values[1])} {figure.unit} {name}"
