"""Whether a model fits: its weights and cache, or its training state, against the memory that the question names."""

from __future__ import annotations

from assistant.asking.answer import Verdict
from assistant.asking.desk import Desk
from assistant.asking.draft import Draft
from assistant.asking.figures.shared import estimate, related
from assistant.asking.figures.subject import Cards, Subject, cards_of, subject_of
from assistant.asking.figures.training_state import METHODS, method_of, state_gb, trains

_CONTEXT = 8_192
"""Tokens of a request where the question names none: a model's longest is not what people mean by "does it run"."""

_FREE = 0.10
"""Share of a card that engines leave: their default memory share is 0.9 (vLLM's ``gpu_memory_utilization``)."""

_LAST = 0.95
"""Share up to which QLoRA is known to train: 65B in 48 GB (the QLoRA paper)."""

_TIGHT = 0.93
"""Share of the memory up to which weights start with a larger memory share and a short context."""


def fit(desk: Desk) -> Draft | None:
    """Whether the model of the question fits the hardware of the question."""
    if desk.query.kind != "fits":
        return None
    subject = subject_of(desk)
    if subject is None:
        return None
    if trains(desk):
        return _training_fit(desk, subject)
    cards = cards_of(desk)
    return _serving_fit(desk, subject, cards) if cards is not None else None


def _serving_fit(desk: Desk, subject: Subject, cards: Cards) -> Draft:
    tokens = desk.stated("context_tokens") or desk.heard.one("tokens")
    requests = int(desk.heard.one("requests") or desk.heard.one("users") or desk.stated("users_concurrent") or 1)
    context = int(tokens or _CONTEXT)
    cache = subject.cache_bytes(context * requests)
    need = subject.weights_gb + (cache or 0.0) / 1e9
    verdict, tight = _verdict(desk, subject, cards, need, context, requests)
    draft = Draft("fit", _sentence(desk, subject, cards, verdict, tight), verdict=verdict, quantity="memory")
    draft.facts = {"gpus": cards.count, "weights_gb": round(subject.weights_gb, 1), "memory_gb": cards.total_gb}
    draft.more = _more(desk, subject, cards, cache, context, requests, verdict)
    if subject.assumed:
        draft.assumed.append(f"{subject.label} weights")
    if not tokens:
        draft.assumed.append(f"{context:,} tokens a request")
    text = f"{subject.name}: {subject.weights_gb:,.0f} GB of weights in {subject.label}"
    claim = desk.library.computed("arithmetic.weights", text, subject.weights_gb, "GB", cards.sources)
    draft.claims = [claim, *related(desk, "S0-01", "F4-")]
    return draft


def _verdict(
    desk: Desk, subject: Subject, cards: Cards, need: float, context: int, requests: int
) -> tuple[Verdict, bool]:
    """Yes or no, and whether it is close; by the estimate of the engine where the catalogue knows both."""
    if subject.weights_gb > cards.total_gb * _TIGHT or need > cards.total_gb:
        return "no", False
    result = None
    if subject.model is not None and cards.card is not None and requests == 1:
        request = {"model": subject.model.id, "gpu": cards.card.id, "gpus": cards.count, "context": context}
        stated = {} if subject.assumed else {"weight_dtype": desk.heard.weight_dtype}
        result = estimate("serve", {**request, **stated}, desk)
    if result is not None:
        return (
            ("yes", False)
            if result["fits"]
            else ("yes", True)
            if result["weights_fit"] or need < 0.95 * cards.total_gb
            else ("no", False)
        )
    return "yes", need > cards.total_gb * (1 - _FREE)


def _sentence(desk: Desk, subject: Subject, cards: Cards, verdict: Verdict, tight: bool) -> str:
    weights, total = desk.gb(subject.weights_gb), desk.gb(cards.total_gb)
    share = desk.either(
        f"{subject.name} in {subject.label} has {weights} GB of weights against {total} GB of memory on "
        f"{cards.words(desk)}",
        f"{subject.name} in {subject.label} hat {weights} GB Gewichte gegen {total} GB Speicher auf "
        f"{cards.words(desk)}",
    )
    if verdict == "no" and subject.weights_gb <= cards.total_gb:
        return desk.either(
            f"No, it does not fit: {share}, which leaves too little for the cache and the engine.",
            f"Nein, es passt nicht: {share}; für Cache und Engine bleibt zu wenig.",
        )
    if verdict == "no":
        return desk.either(f"No, it does not fit: {share}.", f"Nein, es passt nicht: {share}.")
    if tight:
        return desk.either(f"Yes, it only just fits: {share}.", f"Ja, es passt gerade so: {share}.")
    return desk.either(f"Yes, it fits: {share}.", f"Ja, es passt: {share}.")


def _more(
    desk: Desk, subject: Subject, cards: Cards, cache: float | None, context: int, requests: int, verdict: Verdict
) -> list[str]:
    left = cards.total_gb - subject.weights_gb
    if verdict == "no":
        least = -(-(subject.weights_gb + (cache or 0.0) / 1e9) // (cards.memory_gb * (1 - _FREE)))
        return [
            desk.either(
                f"It takes {least:.0f} such cards at least, more with a long context.",
                f"Es braucht mindestens {least:.0f} solche Karten, mit langem Kontext mehr.",
            )
        ]
    parts = [
        desk.either(
            f"{desk.gb(left)} GB are left for cache and engine",
            f"{desk.gb(left)} GB bleiben für Cache und Engine",
        )
    ]
    if cache is not None:
        parts.append(
            desk.either(
                f"{requests} x {context:,} tokens take {desk.gb(cache / 1e9)} GB of it (16-bit cache)",
                f"{requests} x {desk.show(context, 9)} Tokens brauchen davon {desk.gb(cache / 1e9)} GB (16-Bit-Cache)",
            )
        )
    assumed = desk.either(
        f"{subject.label} is the checkpoint's own format", f"{subject.label} ist das Format des Checkpoints"
    )
    return ["; ".join(parts) + ".", *([f"{assumed}."] if subject.assumed else [])]


def _training_fit(desk: Desk, subject: Subject) -> Draft | None:
    """The training state against the memory of the cards, or against the figure that was heard."""
    method = method_of(desk)
    need = state_gb(subject.parameters, method)
    cards = cards_of(desk)
    stated = max((size / 1e9 for size in desk.heard.all("B")), default=None)
    have = cards.total_gb if cards is not None and (desk.heard.cards or desk.heard.server) else stated
    if have is None:
        return None
    yes = need < have * (_LAST if method == "qlora" else 1 - _FREE)
    what = METHODS[method]
    label = desk.either(what.english, what.german)
    where = desk.either(f"against {desk.show(have)} GB", f"gegen {desk.show(have)} GB")
    first = desk.either(
        f"{'Yes' if yes else 'No'}: {label} of {subject.name} takes about {desk.gb(need)} GB of weights, "
        "gradients and optimizer "
        f"states ({desk.show(what.bytes_a_parameter)} bytes a parameter) {where}.",
        f"{'Ja' if yes else 'Nein'}: {label} von {subject.name} braucht rund {desk.gb(need)} GB für Gewichte, "
        "Gradienten und "
        f"Optimiererzustand ({desk.show(what.bytes_a_parameter)} Byte je Parameter) {where}.",
    )
    draft = Draft("fit", first, verdict="yes" if yes else "no", quantity="memory")
    draft.facts = {"state_gb": round(need, 1), "memory_gb": have}
    draft.more.append(
        desk.either(
            "Activations come on top, by batch and sequence.", "Aktivierungen kommen hinzu, je nach Batch und Sequenz."
        )
    )
    if not yes:
        draft.more += _smaller(desk, subject, method, have)
    claim = desk.library.computed("arithmetic.train_state", first, need, "GB", ("zero_2019",))
    draft.claims = [claim, desk.library.claim("S0-03")]
    return draft


def _smaller(desk: Desk, subject: Subject, method: str, have: float) -> list[str]:
    order = list(METHODS)
    fits = [m for m in order[order.index(method) + 1 :] if state_gb(subject.parameters, m) < have * (1 - _FREE)]
    if not fits:
        return []
    names = desk.either(" or ", " oder ").join(
        f"{m.replace('lora', 'LoRA').replace('q', 'Q')} ({desk.show(state_gb(subject.parameters, m), 3)} GB)"
        for m in fits
    )
    return [desk.either(f"What fits is {names}.", f"Es passt {names}.")]
