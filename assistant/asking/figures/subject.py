"""The model that a question is about, as numbers: parameters, bytes of its weights in a format, what its cache "
"takes."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.asking.desk import Desk
from knowledge import regexes as re
from knowledge.schema import Accelerator, Model

_ACTIVE = re.compile(r"\ba(\d+(?:\.\d+)?)b\b|(\d+(?:[.,]\d+)?) ?(?:b|billion|mrd\.?|milliarden) (?:active|aktiv)")
LABELS = {"bf16": "BF16", "fp16": "FP16", "fp8": "FP8", "int8": "INT8", "int4": "4 bit", "fp32": "FP32"}


@dataclass(frozen=True)
class Subject:
    """A model of the catalogue, or so many parameters. ``dtype`` is that of its weights; ``assumed`` if not stated."""

    name: str
    parameters: float
    dtype: str
    bits: float
    assumed: bool
    model: Model | None
    active: float

    @property
    def label(self) -> str:
        """The format as people write it."""
        return LABELS.get(self.dtype) or next(
            (label for name, label in LABELS.items() if self.dtype.startswith(name)), self.dtype.upper()
        )

    @property
    def bytes_a_parameter(self) -> float:
        """Bytes that a weight takes in the format, scales included."""
        return self.bits / 8

    @property
    def weights_gb(self) -> float:
        """The weights in 10^9 bytes."""
        return self.parameters * self.bytes_a_parameter / 1e9

    def cache_bytes(self, tokens: float, bytes_a_value: float = 2.0) -> float | None:
        """Bytes of the KV cache of so many tokens; None where the architecture is not known."""
        if self.model is None:
            return None
        from knowledge.architecture import architecture_of

        return tokens * architecture_of(self.model).kv_bytes_per_token(bytes_a_value)


def subject_of(desk: Desk) -> Subject | None:
    """The model that the question names first, or the size that it states; None where it says neither."""
    heard = desk.heard
    model: Model | None = desk.library.catalogue.model(heard.models[0]) if heard.models else None
    if model is not None and (model.kind == "diffusion" or not model.layers):
        return None
    total = model.total_params if model is not None else None
    parameters = float(total) if total else heard.parameters
    if parameters is None:
        return None
    dtype, bits = _format(model, heard.weight_dtype)
    name = (
        model.name if model is not None else f"{_size(parameters)}-{desk.either('parameter model', 'Parameter-Modell')}"
    )
    return Subject(name, parameters, dtype, bits, heard.weight_dtype is None, model, _active(desk, model, parameters))


def _size(parameters: float) -> str:
    return f"{parameters / 1e12:g}T" if parameters >= 1e12 else f"{parameters / 1e9:g}B"


def _active(desk: Desk, model: Model | None, parameters: float) -> float:
    if model is not None and model.active_params:
        return float(model.active_params)
    stated = _ACTIVE.search(desk.lower)
    return float((stated[1] or stated[2]).replace(",", ".")) * 1e9 if stated else parameters


def _format(model: Model | None, stated: str | None) -> tuple[str, float]:
    """Name and bits a value of the weights' format: the stated one, else that of the checkpoint as released."""
    from assistant.sizing.serving.parts.dtypes import weight_format

    if stated is not None or model is None:
        found = weight_format(stated or "bf16")
        return found.name, found.bits
    from assistant.sizing.serving.memory.weights import format_for
    from knowledge.architecture import architecture_of

    released = format_for(architecture_of(model), None)
    return released.name, released.bits


@dataclass(frozen=True)
class Cards:
    """The accelerators of a question: so many of one kind, or of a memory that is stated without a name."""

    name: str
    count: int
    memory_gb: float
    card: Accelerator | None

    @property
    def total_gb(self) -> float:
        """Memory of all of them in 10^9 bytes, by their label."""
        return self.count * self.memory_gb

    def words(self, desk: Desk) -> str:
        """ "8 x NVIDIA H100 80GB SXM5", or "4 cards of 24 GB"."""
        if self.card is not None:
            return f"{self.count} x {self.name}" if self.count > 1 else f"{desk.either('one', 'einer')} {self.name}"
        cards = desk.either("cards" if self.count > 1 else "card", "Karten" if self.count > 1 else "Karte")
        return f"{self.count} {cards} {desk.either('of', 'mit')} {desk.show(self.memory_gb)} GB"

    @property
    def sources(self) -> tuple[str, ...]:
        """Sources of the memory and its bandwidth."""
        if self.card is None:
            return ("own_arithmetic",)
        return tuple(dict.fromkeys((*self.card.memory_bytes.sources, *self.card.bandwidth_gb_per_s.sources)))[:3] or (
            "own_arithmetic",
        )


_SINGLE = r"\b(one|a|an|single|ein(e[rmns]?)?|einzeln\w*|seul|sola?)\b[^.;,?]{0,40}"


def cards_of(desk: Desk) -> Cards | None:
    """The accelerators that the question names with their count; one where it speaks of one; None where it is open."""
    heard = desk.heard
    label = _label_gb(desk)
    if heard.cards:
        row = heard.cards[0]
        card = desk.library.catalogue.accelerator(row.gpu)
        count = row.count or _count(desk)
        memory = card.memory_label_gb or label
        if count is None or memory is None:
            return None
        return Cards(card.name, count, float(memory), card)
    if heard.server:
        server = desk.library.catalogue.server(heard.server)
        if server.accelerator is None or not server.gpu_count:
            return None
        card = desk.library.catalogue.accelerator(server.accelerator)
        units = int(heard.one("servers") or 1)
        return (
            Cards(card.name, units * server.gpu_count, float(card.memory_label_gb or 0), card)
            if card.memory_label_gb
            else None
        )
    count = _count(desk)
    if label is None or count is None or label > 400:
        return None
    return Cards("", count, label, None)


def _count(desk: Desk) -> int | None:
    stated = desk.heard.one("cards")
    if stated is not None:
        return int(stated)
    named = re.search(r"(\d{1,2}) ?枚", desk.text)
    if named:
        return int(named[1])
    servers = desk.heard.one("servers")
    plural = re.search(r"\b(gpus|cards|karten|[abh]\d00s)\b", desk.lower)
    if plural or (servers is not None and desk.says(r"\b(server|node|knoten|machine)")):
        return None
    return 1


def _label_gb(desk: Desk) -> float | None:
    """Memory of a card that the question states: the smallest size that stands by a card."""
    sizes = [size / 1e9 for size in desk.heard.all("B") if 4e9 <= size <= 400e9]
    return min(sizes, default=None)
