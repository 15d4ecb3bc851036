"""Speed by arithmetic: the bound that memory bandwidth sets to decoding, ratios of two cards, and utilisation."""

from __future__ import annotations

from assistant.asking.desk import Desk
from assistant.asking.draft import Draft
from assistant.asking.figures.subject import subject_of
from assistant.asking.reading.said import TRAINING
from knowledge.schema import Accelerator


def decode_bound(desk: Desk) -> Draft | None:
    """Tokens a second of one request at most: bandwidth over the bytes of the weights that each token reads."""
    if desk.query.quantity != "decode_speed" or desk.says(TRAINING):
        return None
    many = desk.heard.one("requests") or desk.heard.one("users")
    if many is not None and many > 1:
        return None
    subject = subject_of(desk)
    found = _bandwidth(desk)
    if subject is None or found is None:
        return None
    bandwidth_gb, count, where, sources = found
    read_gb = subject.active * subject.bytes_a_parameter / 1e9
    rate = bandwidth_gb * count / read_gb
    first = desk.either(
        f"At most about {desk.show(rate, 3)} tokens/s for one request: {desk.show(bandwidth_gb * count)} GB/s of "
        f"{where} over "
        f"{desk.show(read_gb, 3)} GB of {subject.label} weights that each token reads.",
        f"Höchstens rund {desk.show(rate, 3)} Tokens/s für eine Anfrage: {desk.show(bandwidth_gb * count)} GB/s "
        f"von {where} durch "
        f"{desk.show(read_gb, 3)} GB {subject.label}-Gewichte, die jedes Token liest.",
    )
    draft = Draft("speed", first, quantity="decode_speed", facts={"tokens_per_s": rate})
    draft.more.append(
        desk.either(
            "Engines reach 60 to 85 % of it; the KV cache of a long context is read on top. Speculative decoding "
            "can pass it.",
            "Engines erreichen 60 bis 85 % davon; bei langem Kontext kommt der KV-Cache hinzu. Spekulatives "
            "Decoding kann darüber liegen.",
        )
    )
    if subject.assumed:
        draft.assumed.append(f"{subject.label} weights")
        draft.more.append(
            desk.either(f"{subject.label} weights are assumed.", f"Angenommen: Gewichte in {subject.label}.")
        )
    draft.claims = [
        desk.library.computed("arithmetic.decode_bound", first, rate, "tokens/s", (*sources, "roofline-paper"))
    ]
    return draft


def _bandwidth(desk: Desk) -> tuple[float, int, str, tuple[str, ...]] | None:
    stated = desk.heard.one("B/s")
    row = desk.heard.cards[0] if desk.heard.cards else None
    card: Accelerator | None = desk.library.catalogue.accelerator(row.gpu) if row else None
    count = row.count or 1 if row else int(desk.heard.one("cards") or 1)
    if stated is not None:
        return stated / 1e9, count, desk.either("the memory bandwidth", "der Speicherbandbreite"), ()
    if card is None or card.bandwidth_gb_per_s.value is None:
        return None
    name = card.name if count == 1 else f"{count} x {card.name}"
    return float(card.bandwidth_gb_per_s.value), count, name, card.bandwidth_gb_per_s.sources[:2]


def ratio(desk: Desk) -> Draft | None:
    """By what factor one card is faster than another at what is bound by bandwidth, or by arithmetic."""
    names = list(dict.fromkeys(row.gpu for row in desk.heard.cards))
    if desk.query.quantity != "speed_ratio" or len(names) != 2 or desk.heard.models:
        return None
    one, other = (desk.library.catalogue.accelerator(name) for name in names)
    bound_by_compute = desk.says(TRAINING) or desk.says(r"prefill|compute[- ]bound|rechen|prompt")
    if bound_by_compute and not desk.says(r"bandwidth|bandbreite|decod"):
        a, b = one.bf16_tflops, other.bf16_tflops
        unit, what = "TFLOP/s", desk.either("dense BF16 peak", "dichte BF16-Spitze")
    else:
        a, b = one.bandwidth_gb_per_s, other.bandwidth_gb_per_s
        unit, what = "GB/s", desk.either("memory bandwidth", "Speicherbandbreite")
    if a.value is None or b.value is None:
        return None
    (low, slower), (high, faster) = sorted(((float(a.value), one.name), (float(b.value), other.name)))
    factor = high / low
    first = desk.either(
        f"By a factor of {factor:.2f}: {faster} has {desk.show(high)} {unit} of {what} against {desk.show(low)} "
        f"of {slower}.",
        f"Um den Faktor {desk.show(factor, 3)}: {faster} hat {desk.show(high)} {unit} {what} gegen "
        f"{desk.show(low)} von {slower}.",
    )
    draft = Draft("ratio", first, quantity="speed_ratio", facts={"factor": factor})
    draft.claims = [desk.library.computed("arithmetic.ratio", first, factor, "x", (*a.sources[:2], *b.sources[:2]))]
    return draft


def utilisation(desk: Desk) -> Draft | None:
    """Model FLOP utilisation of a rate that is stated, against the card's dense BF16 peak."""
    if desk.query.quantity != "mfu" or not desk.heard.cards:
        return None
    card: Accelerator = desk.library.catalogue.accelerator(desk.heard.cards[0].gpu)
    peak = card.bf16_tflops.value
    reached = min(desk.heard.all("FLOP/s"), default=None)  # the larger of two is somebody's peak
    subject = subject_of(desk)
    rate = desk.heard.one("tokens/s")
    gpus = desk.heard.cards[0].count or int(desk.heard.one("cards") or 1)
    how = ""
    if reached is None and rate is not None and subject is not None:
        per_gpu = rate / (1 if desk.says(r"(per|a|je|pro) gpu|tokens?/s/gpu") else gpus)
        reached = 6 * subject.active * per_gpu
        how = f" (6 x {subject.active:.3g} x {desk.show(per_gpu)} tokens/s)"
    if reached is None or peak is None:
        return None
    share = reached / (peak * 1e12)
    if share > 1:
        return None  # a sparse rate, or of other cards: nothing reaches more than the peak
    first = desk.either(
        f"{share:.0%} MFU: {desk.show(reached / 1e12, 3)} TFLOP/s{how} over {desk.show(peak)} TFLOP/s dense BF16 "
        f"of {card.name}.",
        f"{share * 100:.0f} % MFU: {desk.show(reached / 1e12, 3)} TFLOP/s{how} durch {desk.show(peak)} TFLOP/s "
        f"BF16 (dicht) von {card.name}.",
    )
    draft = Draft("mfu", first, quantity="mfu", facts={"mfu": share})
    draft.claims = [desk.library.computed("arithmetic.mfu", first, share, "1", card.bf16_tflops.sources[:2])]
    return draft
