"""Memory of models and what runs on named GPUs; how many requests they hold; under which licence a model is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assistant.asking.desk import Desk
from assistant.asking.draft import Draft
from assistant.asking.figures.hardware import card_figure
from assistant.asking.figures.shared import estimate, named_gpus, named_model, related, sources_of
from assistant.asking.said import TRAINING

_STATE_BYTES = 16
"""Bytes a parameter of mixed-precision Adam: 2 weights, 2 gradients, 12 for FP32 weights, momentum and variance."""

_CHAT_TOKENS = 8_192
"""Tokens of a request where the question names no context; a model's longest is not what people mean by a user."""


def _serve_request(desk: Desk, context: int | None = None) -> dict[str, Any] | None:
    model, gpus = named_model(desk), named_gpus(desk)
    if model is None or gpus is None or gpus[1] is None:
        return None
    stated = desk.stated("context_tokens")
    formats = {name: desk.stated(name) for name in ("weight_dtype", "kv_dtype")}
    return {
        "model": model,
        "gpu": gpus[0],
        "gpus": gpus[1],
        "context": int(stated) if stated else context,
        **{name: value for name, value in formats.items() if isinstance(value, str)},
    }


def fit(desk: Desk) -> Draft | None:
    """Whether a named model runs on the named GPUs."""
    request = _serve_request(desk)
    if request is None or desk.says(TRAINING):
        return None
    result = estimate("serve", request, desk)
    if result is None:
        return None
    draft = Draft(
        kind="fit", first=_fit_sentence(desk, result), verdict="yes" if result["fits"] else "no", facts=request
    )
    if not result["fits"]:
        fix = (result.get("nearest_fix") or {}).get("change")
        draft.more += [f"{result['why_not']}."] + ([f"Nearest fix: {fix}."] if fix else [])
    elif result.get("max_concurrency"):
        held = desk.show(result["max_concurrency"])
        draft.more.append(f"{held} sequences of {desk.show(result['context'], 9)} tokens fit at once.")
    draft.more += result.get("notes") or []
    _cite_weights(desk, draft, result, request["gpu"])
    return draft


def _cite_weights(desk: Desk, draft: Draft, result: Mapping[str, Any], gpu: str) -> None:
    weights = result["weights_gib_per_gpu"]
    text = f"{result['model']} in {result['weight_dtype']}: {desk.show(weights)} GiB of weights a GPU"
    claim = desk.library.computed("estimate.serve", text, weights, "GiB", sources_of(desk, gpu))
    draft.claims = [claim, *related(desk, "S0-01", "F3-", "F4-")]


def _fit_sentence(desk: Desk, result: Mapping[str, Any]) -> str:
    total = desk.show(result["weights_gib_per_gpu"] * result["gpus"])
    what = f"{result['model']} ({result['weight_dtype']}, {total} GiB"
    each = f"{result['gpus']} x {result['gpu']}"
    tokens = desk.show(result["context"], 9)
    if desk.language == "de":
        verdict = "Ja, es passt" if result["fits"] else "Nein, es passt nicht"
        return f"{verdict}: {what} Gewichte) auf {each}, bei {tokens} Tokens Kontext."
    start = "Yes" if result["fits"] else "No"
    weights = "" if result["fits"] or not result["weights_fit"] else " Only the weights do."
    verb = "fits" if result["fits"] else "does not fit"
    return f"{start}: {what} of weights) {verb} on {each} with {tokens} tokens of context.{weights}"


def users(desk: Desk) -> Draft | None:
    """How many requests the named GPUs hold of the named model at once."""
    request = _serve_request(desk, _CHAT_TOKENS)
    if request is None or desk.says(TRAINING) or not desk.says(r"how many|how much|wie ?viele?|\bcan\b|kann|können"):
        return None
    result = estimate("serve", request, desk)
    if result is None or not result["fits"] or not result.get("max_concurrency"):
        return None
    held, tokens = desk.show(int(result["max_concurrency"])), desk.show(result["context"], 9)
    what = f"{result['gpus']} x {result['gpu']}", f"{result['model']} ({result['weight_dtype']})"
    first = desk.either(
        f"About {held} requests of {tokens} tokens at once fit on {what[0]} with {what[1]}, by memory alone.",
        f"Rund {held} Anfragen von {tokens} Tokens zugleich passen auf {what[0]} mit {what[1]}, nur nach Speicher.",
    )
    draft = Draft(kind="users", first=first, facts=request)
    draft.more.append(
        desk.either(
            "How many of them answer in time depends on their length; `sizewright size` works it out from users.",
            "Wie viele davon schnell genug antworten, hängt von ihrer Länge ab; `sizewright size` rechnet es aus.",
        )
    )
    if not desk.stated("context_tokens"):
        draft.assumed.append(f"{_CHAT_TOKENS:,} tokens a request")
    _cite_weights(desk, draft, result, request["gpu"])
    return draft


def memory(desk: Desk) -> Draft | None:
    """How much memory a model needs, to serve or to train."""
    model, parameters = named_model(desk), desk.stated("parameters_b")
    if desk.says(r"checkpoint|out of (vram|memory)|all_?reduce|nccl"):
        return None
    if model is None and parameters is None:
        return card_figure(desk, "memory_label_gb")
    billions = float(parameters) if parameters else _billions(desk, str(model))
    if billions is None:
        return None
    name = desk.library.catalogue.model(model).name if model else f"{desk.show(billions)}B"
    return _train_memory(desk, name, billions) if desk.says(TRAINING) else _serve_memory(desk, name, billions)


def _billions(desk: Desk, name: str) -> float | None:
    """Parameters of a catalogue model in 10^9, or None where it does not count them."""
    total = desk.library.catalogue.model(name).total_params
    return total / 1e9 if total else None


def _train_memory(desk: Desk, name: str, billions: float) -> Draft:
    state = billions * _STATE_BYTES
    gb = desk.show(state)
    first = desk.either(
        f"Training {name} takes about {gb} GB of state ({_STATE_BYTES} bytes a parameter), before activations.",
        f"Training von {name} braucht rund {gb} GB Zustand ({_STATE_BYTES} Byte je Parameter), vor Aktivierungen.",
    )
    claim = desk.library.computed("arithmetic.train_state", first, state, "GB", ["own_arithmetic"])
    return Draft(kind="memory", first=first, claims=[claim, desk.library.claim("S0-03"), desk.library.claim("F3-007")])


def _serve_memory(desk: Desk, name: str, billions: float) -> Draft:
    sizes = {"BF16": 2 * billions, "FP8": billions, "4 bit": billions / 2}
    listed = ", ".join(f"{desk.show(size)} GB in {kind}" for kind, size in sizes.items())
    first = f"{name}: {listed} {desk.either('for the weights alone', 'nur für die Gewichte')}."
    draft = Draft(kind="memory", first=first)
    draft.claims = [desk.library.computed("arithmetic.weights", first, sizes["BF16"], "GB", ["own_arithmetic"])]
    english, german = (
        "The KV cache comes on top, by token and request.",
        "Dazu kommt der KV-Cache je Token und Anfrage.",
    )
    draft.more.append(desk.either(english, german))
    draft.claims += related(desk, "S0-02", "S0-16", "S0-01", "F4-012")
    return draft


def kv_cache(desk: Desk) -> Draft | None:
    """The KV cache of a named model by token, from its own architecture."""
    from knowledge.architecture import architecture_of

    name = named_model(desk)
    if name is None or not desk.says(r"token|how (much|big|large)|wie (viel|groß)"):
        return None
    model = desk.library.catalogue.model(name)
    bytes_a_value = 1 if desk.says(r"\bfp8\b|8.?bit") else 2
    kib = architecture_of(model).kv_bytes_per_token(bytes_a_value) / 2**10
    form = "FP8" if bytes_a_value == 1 else "BF16"
    first = desk.either(
        f"The KV cache of {model.name} takes {desk.show(kib)} KiB a token in {form}, over all GPUs.",
        f"Der KV-Cache von {model.name} braucht {desk.show(kib)} KiB je Token in {form}, über alle GPUs.",
    )
    claim = desk.library.computed("arithmetic.kv_cache", first, kib, "KiB", model.sources)
    return Draft(kind="kv_cache", first=first, claims=[claim, *related(desk, "S0-02", "S0-16", "F4-")])


def licence(desk: Desk) -> Draft | None:
    """The licence of a named model; one that nobody checked is shown, and answers nothing."""
    name = named_model(desk)
    model = desk.library.catalogue.model(name) if name else None
    if model is None or not model.licence:
        return None
    claim = desk.library.record(f"models/{name}", f"{model.name}: licence {model.licence}", model.sources)
    if "licence" in model.unverified_fields:
        first = desk.either("That is not in the knowledge base:", "Das steht nicht in der Wissensbasis:")
        first += desk.either(
            f" that {model.name} is under {model.licence} was not checked.",
            f" dass {model.name} unter {model.licence} steht, ist nicht geprüft.",
        )
        return Draft("licence", first, declined=True, claims=[claim.model_copy(update={"grade": "unverified"})])
    verb = desk.either("is published under", "steht unter")
    draft = Draft("licence", f"{model.name} {verb} {model.licence}.", claims=[claim])
    draft.verdict = "open" if desk.says(r"^(is|may|can|do|does|darf|dürfen|ist|kann|können)\b") else None
    draft.more.append(
        desk.either(
            "Whether that allows your use is for its text to say; not legal advice.",
            "Ob das Ihre Nutzung erlaubt, sagt der Lizenztext; keine Rechtsberatung.",
        )
    )
    return draft
