"""Two accelerators side by side."""

from __future__ import annotations

from assistant.asking.desk import Desk
from assistant.asking.draft import Draft
from assistant.asking.figures.hardware import CARD, cited
from assistant.asking.figures.shared import related
from assistant.asking.reading.said import TRAINING
from knowledge import regexes as re
from knowledge.schema import Accelerator

_PAIR = re.compile(
    r"\b([a-z]*\d+[a-z]?) ?(?:gpu )?(sxm|pcie|nvl)\b.*\b(?:or|oder|and|und|vs\.?|versus)\b.*\b(sxm|pcie|nvl)\b"
)
_COMPARED = ("bf16_tflops", "memory_label_gb", "bandwidth_gb_per_s", "tdp_w")


def compare(desk: Desk) -> Draft | None:
    """Two accelerators side by side. Training is bound by arithmetic, answering by memory and its bandwidth."""
    names = list(dict.fromkeys(row.gpu for row in desk.heard.cards))
    pair = _PAIR.search(desk.lower)
    if pair is not None:  # "H100 PCIe or SXM": one name, two forms
        forms = (desk.library.catalogue.resolve("accelerators", f"{pair[1]} {form}").id for form in pair.groups()[1:])
        names = [name for name in forms if name]
    if len(names) != 2 or desk.stated("nodes") or desk.query.kind == "fits":
        return None
    one, other = (desk.library.catalogue.accelerator(name) for name in names)
    deciding = "bf16_tflops" if desk.says(TRAINING) else "bandwidth_gb_per_s"
    values = {card.id: cited(card, deciding).value or 0.0 for card in (one, other)}
    better, worse = (one, other) if values[one.id] >= values[other.id] else (other, one)
    parts = [part for field in _COMPARED if (part := _against(desk, better, worse, field))]
    purpose = desk.either("training", "Training") if desk.says(TRAINING) else desk.either("serving", "Inferenz")
    first = desk.either(
        f"{better.name} before {worse.name} for {purpose}: {', '.join(parts)}.",
        f"{better.name} vor {worse.name} für {purpose}: {', '.join(parts)}.",
    )
    draft = Draft("compare", first)
    draft.more.append(
        desk.either(
            "Prices and delivery are not in the knowledge base and often decide.",
            "Preise und Lieferzeiten stehen nicht in der Wissensbasis und entscheiden oft.",
        )
    )
    sources = [s for card in (better, worse) for field in _COMPARED[:3] for s in cited(card, field).sources[:2]]
    claim = desk.library.record("specification.compare", first, tuple(dict.fromkeys(sources)))
    draft.claims = [claim, *related(desk, "S0-", "S3-", "G-")]
    return draft


def _against(desk: Desk, better: Accelerator, worse: Accelerator, field: str) -> str | None:
    figure = next(figure for figure in CARD if figure.field == field)
    values = [cited(card, field).value for card in (better, worse)]
    if values[0] is None or values[1] is None:
        return None
    gegen = desk.either("against", "gegen")
    name = re.sub(r",.*", "", desk.either(figure.english, figure.german))
    return f"{desk.show(values[0])} {gegen} {desk.show(values[1])} {figure.unit} {name}"
