"""How much memory a model needs, and how many cards hold it or train it in time."""

from __future__ import annotations

from assistant.asking.desk import Desk
from assistant.asking.draft import Draft
from assistant.asking.figures.shared import related
from assistant.asking.figures.subject import Subject, subject_of
from assistant.asking.figures.training_state import METHODS, method_of, state_gb, trains
from knowledge.schema import Accelerator

_USABLE = 0.9
"""Share of a card that engines take by default."""

_GROUPS = (1, 2, 4, 8, 16, 32, 64, 128)
"""Numbers of cards that models are split over."""

_MFU = (0.5, 0.4, 0.3)
"""Model FLOP utilisation: good, likely and poor; Llama 3 reports 0.38 to 0.43 on H100 (claims S0-18, F-)."""

_DAY_S = 86_400


def memory(desk: Desk) -> Draft | None:
    """How much memory a model needs to serve or to train."""
    subject = subject_of(desk)
    if subject is None or desk.query.kind == "fits":
        return None
    if desk.query.quantity == "training_memory" or (desk.query.quantity == "memory" and trains(desk)):
        return _training(desk, subject)
    return _weights(desk, subject) if desk.query.quantity == "memory" else None


def _training(desk: Desk, subject: Subject) -> Draft:
    method = method_of(desk)
    what, need = METHODS[method], state_gb(subject.parameters, method)
    first = desk.either(
        f"About {desk.gb(need)} GB for {what.english} of {subject.name} ({desk.show(what.bytes_a_parameter)} "
        "bytes a parameter), before "
        "activations.",
        f"Rund {desk.gb(need)} GB für {what.german} von {subject.name} ({desk.show(what.bytes_a_parameter)} Byte "
        "je Parameter), vor "
        "Aktivierungen.",
    )
    draft = Draft("memory", first, quantity="training_memory")
    if method == "full":
        others = ", ".join(
            f"{name} {desk.show(state_gb(subject.parameters, key), 3)} GB"
            for name, key in (("LoRA", "lora"), ("QLoRA", "qlora"))
        )
        draft.more.append(desk.either(f"With adapters only: {others}.", f"Nur mit Adaptern: {others}."))
    claim = desk.library.computed("arithmetic.train_state", first, need, "GB", ("zero_2019",))
    draft.claims = [claim, desk.library.claim("S0-03"), desk.library.claim("F3-007")]
    return draft


def _weights(desk: Desk, subject: Subject) -> Draft:
    billions = subject.parameters / 1e9
    tokens = int(desk.stated("context_tokens") or desk.heard.one("tokens") or 0)
    requests = int(desk.heard.one("requests") or desk.heard.one("users") or 1)
    cache = subject.cache_bytes(tokens * requests) if tokens else None
    if desk.heard.weight_dtype is not None and cache is not None:
        total = subject.weights_gb + cache / 1e9
        first = desk.either(
            f"{subject.name}: about {desk.gb(total)} GB, {desk.gb(subject.weights_gb)} GB of weights in "
            f"{subject.label} and "
            f"{desk.gb(cache / 1e9)} GB of KV cache for {requests} x {desk.show(tokens, 9)} tokens.",
            f"{subject.name}: rund {desk.gb(total)} GB, {desk.gb(subject.weights_gb)} GB Gewichte in "
            f"{subject.label} und "
            f"{desk.gb(cache / 1e9)} GB KV-Cache für {requests} x {desk.show(tokens, 9)} Tokens.",
        )
    elif desk.heard.weight_dtype is not None:
        first = desk.either(
            f"{subject.name}: {desk.gb(subject.weights_gb)} GB in {subject.label} for the weights alone.",
            f"{subject.name}: {desk.gb(subject.weights_gb)} GB in {subject.label} nur für die Gewichte.",
        )
    else:
        sizes = {"BF16": 2 * billions, "FP8": billions, "4 bit": billions / 2}
        listed = ", ".join(f"{desk.gb(size)} GB in {kind}" for kind, size in sizes.items())
        first = f"{subject.name}: {listed} {desk.either('for the weights alone', 'nur für die Gewichte')}."
    draft = Draft("memory", first, quantity="memory")
    if cache is None:
        draft.more.append(
            desk.either(
                "The KV cache comes on top, by token and request.", "Dazu kommt der KV-Cache je Token und Anfrage."
            )
        )
    claim = desk.library.computed("arithmetic.weights", first, subject.weights_gb, "GB", ["own_arithmetic"])
    draft.claims = [claim, *related(desk, "S0-02", "S0-16", "S0-01", "F4-012")]
    return draft


def cards_needed(desk: Desk) -> Draft | None:
    """How many cards hold a model, or train it in the time that is stated; a load of users is sized elsewhere."""
    subject = subject_of(desk)
    if subject is None or desk.query.quantity not in ("gpus", "servers") or desk.query.kind != "how_many":
        return None
    if trains(desk):
        return _to_train(desk, subject)
    if any(desk.heard.all(unit) for unit in ("users", "requests", "requests/s", "tokens/s", "tokens/day")):
        return None
    return _to_hold(desk, subject)


def _to_hold(desk: Desk, subject: Subject) -> Draft | None:
    name, memory_gb, sources = _card(desk)
    if memory_gb is None:
        return None
    bare = -(-subject.weights_gb // memory_gb)
    roomy = next((n for n in _GROUPS if n * memory_gb * _USABLE > subject.weights_gb * 1.15), None)
    room = desk.either(
        f"; {roomy} leave room for the KV cache" if roomy and roomy > bare else "",
        f"; {roomy} lassen Platz für den KV-Cache" if roomy and roomy > bare else "",
    )
    first = desk.either(
        f"At least {bare:.0f} x {name}: {desk.gb(subject.weights_gb)} GB of weights in {subject.label} over "
        f"{desk.show(memory_gb)} GB a card{room}.",
        f"Mindestens {bare:.0f} x {name}: {desk.gb(subject.weights_gb)} GB Gewichte in {subject.label} durch "
        f"{desk.show(memory_gb)} GB je Karte{room}.",
    )
    draft = Draft("gpus", first, quantity=desk.query.quantity, facts={"gpus": int(bare)})
    if desk.query.quantity == "servers":
        draft.first = _servers(desk, int(roomy or bare), first)
    if subject.assumed:
        draft.assumed.append(f"{subject.label} weights")
        draft.more.append(
            desk.either(f"{subject.label} weights are assumed.", f"Angenommen: Gewichte in {subject.label}.")
        )
    claim = desk.library.computed("arithmetic.cards", first, bare, "GPUs", sources)
    draft.claims = [claim, *related(desk, "S0-01", "S0-16")]
    return draft


def _servers(desk: Desk, gpus: int, first: str) -> str:
    number = -(-gpus // 8)
    return desk.either(
        f"{number} server{'s' if number > 1 else ''} of 8 GPUs. {first}", f"{number} Server mit 8 GPUs. {first}"
    )


def _card(desk: Desk) -> tuple[str, float | None, tuple[str, ...]]:
    heard = desk.heard
    ident = heard.cards[0].gpu if heard.cards else None
    if ident is None and heard.server is not None:
        ident = desk.library.catalogue.server(heard.server).accelerator
    if ident is not None:
        card: Accelerator = desk.library.catalogue.accelerator(ident)
        return card.name, card.memory_label_gb, card.memory_bytes.sources[:2]
    sizes = [size / 1e9 for size in heard.all("B") if 4e9 <= size <= 400e9]
    return (f"{sizes[0]:g} GB", sizes[0], ("own_arithmetic",)) if sizes else ("", None, ())


def _to_train(desk: Desk, subject: Subject) -> Draft | None:
    tokens, time_s = desk.heard.one("tokens") or desk.stated("training_tokens"), desk.heard.one("s")
    heard = desk.heard
    if not heard.cards or not tokens or not time_s:
        return None
    card: Accelerator = desk.library.catalogue.accelerator(heard.cards[0].gpu)
    peak = card.bf16_tflops.value
    if peak is None:
        return None
    flop = 6.0 * subject.active * float(tokens)
    fewest, likely, most = (flop / (peak * 1e12 * mfu * time_s) for mfu in _MFU)
    by_state = state_gb(subject.parameters, "full") / (float(card.memory_label_gb or 80) * 0.8)
    likely, fewest, most = (max(value, by_state) for value in (likely, fewest, most))
    days = desk.show(time_s / _DAY_S, 3)
    first = desk.either(
        f"About {likely:,.0f} x {card.name} at 40 % of their BF16 peak ({fewest:,.0f} at 50 %, {most:,.0f} at 30 "
        "%) for "
        f"{subject.name} on {float(tokens):.3g} tokens in {days} days.",
        f"Rund {desk.show(round(likely), 9)} x {card.name} bei 40 % der BF16-Spitze "
        f"({desk.show(round(fewest), 9)} bei 50 %, {desk.show(round(most), 9)} bei "
        f"30 %) für {subject.name} auf {float(tokens):.3g} Tokens in {days} Tagen.",
    )
    draft = Draft("gpus", first, quantity=desk.query.quantity, facts={"gpus": round(likely), "training_flop": flop})
    if desk.query.quantity == "servers":
        draft.first = _servers(desk, round(likely), first)
    whole = -(-round(likely) // 8) * 8
    draft.more.append(
        desk.either(
            f"In whole servers of 8 that is {whole:,}; failures and restarts are not in it (6 x parameters x tokens).",
            f"In ganzen Servern zu 8 sind das {desk.show(whole)}; Ausfälle sind nicht enthalten (6 x Parameter x "
            "Tokens).",
        )
    )
    claim = desk.library.computed(
        "arithmetic.training", first, likely, "GPUs", (*card.bf16_tflops.sources[:2], "llama3_paper")
    )
    draft.claims = [claim, *related(desk, "S0-18")]
    return draft


def compute(desk: Desk) -> Draft | None:
    """FLOP of a training: 6 x parameters x tokens."""
    subject = subject_of(desk)
    tokens = desk.heard.one("tokens") or desk.stated("training_tokens")
    if desk.query.quantity != "training_compute" or subject is None or not tokens:
        return None
    flop = 6.0 * subject.active * float(tokens)
    first = desk.either(
        f"About {flop:.2g} FLOP: 6 x {subject.active:.3g} parameters x {float(tokens):.3g} tokens.",
        f"Rund {flop:.2g} FLOP: 6 x {subject.active:.3g} Parameter x {float(tokens):.3g} Tokens.",
    )
    draft = Draft("compute", first, quantity="training_compute", facts={"training_flop": flop})
    draft.claims = [desk.library.computed("arithmetic.training", first, flop, "FLOP", ("own_arithmetic",))]
    return draft
