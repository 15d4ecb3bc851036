"""Memory of models and what runs on named GPUs; how many requests they hold; under which licence a model is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assistant.asking.desk import Desk
from assistant.asking.draft import Draft
from assistant.asking.figures.shared import estimate, named_gpus, named_model, related, sources_of
from assistant.asking.reading.said import TRAINING

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


def _cite_weights(desk: Desk, draft: Draft, result: Mapping[str, Any], gpu: str) -> None:
    weights = result["weights_gib_per_gpu"]
    text = f"{result['model']} in {result['weight_dtype']}: {desk.show(weights)} GiB of weights a GPU"
    claim = desk.library.computed("estimate.serve", text, weights, "GiB", sources_of(desk, gpu))
    draft.claims = [claim, *related(desk, "S0-01", "F3-", "F4-")]


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


def kv_cache(desk: Desk) -> Draft | None:
    """The KV cache of a named model by token, from its own architecture."""
    from knowledge.architecture import architecture_of

    name = named_model(desk)
    if name is None or not desk.says(r"token|how (much|big|large)|wie (viel|groß)"):
        return None
    model = desk.library.catalogue.model(name)
    bytes_a_value = 1 if desk.says(r"\bfp8\b|8.?bit") else 2
    a_token = architecture_of(model).kv_bytes_per_token(bytes_a_value)
    kib = a_token / 2**10
    form = "FP8" if bytes_a_value == 1 else "BF16"
    each = desk.either(f"{desk.show(kib)} KiB a token", f"{desk.show(kib)} KiB je Token")
    tokens = int(desk.heard.one("tokens") or desk.stated("context_tokens") or 0)
    requests = int(desk.heard.one("requests") or desk.heard.one("users") or 1)
    first = desk.either(
        f"The KV cache of {model.name} takes {each} in {form}, over all GPUs.",
        f"Der KV-Cache von {model.name} braucht {each} in {form}, über alle GPUs.",
    )
    if tokens > 1:
        whole = desk.gb(a_token * tokens * requests / 2**30)
        first = desk.either(
            f"{whole} GiB: the KV cache of {model.name} for {requests} x {tokens:,} tokens at {each} in {form}.",
            f"{whole} GiB: der KV-Cache von {model.name} für {requests} x {desk.show(tokens, 9)} Tokens bei "
            f"{each} in {form}.",
        )
    claim = desk.library.computed("arithmetic.kv_cache", first, kib, "KiB", model.sources)
    return Draft(kind="kv_cache", first=first, claims=[claim, *related(desk, "S0-02", "S0-16", "F4-")])


_PROMPT, _ANSWER = 1_000, 300
"""Tokens of a request where the question names none: a question with some context, and an answer."""


def _fastest(desk: Desk, request: dict[str, Any]) -> dict[str, Any] | None:
    """The estimate with the tensor parallel size that gives most tokens a second; None where none fits."""
    gpus = int(request["gpus"])
    sizes = [size for size in (1, 2, 4, 8) if gpus % size == 0]
    tried = (
        estimate("serve", {**request, "tensor_parallel": size, "data_parallel": gpus // size}, desk) for size in sizes
    )
    running = [
        result for result in tried if result is not None and result["fits"] and result.get("output_tokens_per_s")
    ]
    return max(running, key=lambda result: float(result["output_tokens_per_s"]), default=None)


def rate(desk: Desk) -> Draft | None:
    """Output tokens a second of the named GPUs with so many requests in flight, by the estimate of serving."""
    if desk.query.quantity not in ("decode_speed", "latency") or not desk.heard.cards:
        return None
    requests = desk.heard.one("requests") or desk.heard.one("users") or desk.stated("users_concurrent")
    request = _serve_request(desk, _CHAT_TOKENS)
    if request is None or not requests or desk.says(TRAINING):
        return None
    lengths = {"input_tokens": _PROMPT, "output_tokens": _ANSWER}
    lengths |= {name: desk.stated(name)["mean"] for name in lengths if desk.stated(name)}
    result = _fastest(desk, {**request, **lengths, "concurrency": int(requests)})
    if result is None:
        return None
    tokens, tpot, ttft = (result[name] for name in ("output_tokens_per_s", "tpot_ms", "ttft_ms"))
    what = f"{result['gpus']} x {result['gpu']}", f"{result['model']} ({result['weight_dtype']})"
    first = desk.either(
        f"About {desk.show(tokens, 3)} output tokens/s in all with {what[1]} on {what[0]} and {int(requests)} "
        "requests in flight "
        f"({desk.show(tpot, 3)} ms a token, first token after {desk.show(ttft, 3)} ms).",
        f"Rund {desk.show(tokens, 3)} Ausgabetokens/s insgesamt mit {what[1]} auf {what[0]} bei {int(requests)} "
        "Anfragen zugleich "
        f"({desk.show(tpot, 3)} ms je Token, erstes nach {desk.show(ttft, 3)} ms).",
    )
    draft = Draft("rate", first, quantity=desk.query.quantity, facts=request)
    layout = f"TP{result['tensor_parallel']}"
    lengths_in = f"{lengths['input_tokens']:.0f}", f"{lengths['output_tokens']:.0f}"
    draft.more.append(
        desk.either(
            f"Taken for granted: {lengths_in[0]} tokens in and {lengths_in[1]} out, replicas of {layout}; basis: "
            f"{result['basis']}.",
            f"Angenommen: {lengths_in[0]} Tokens Eingabe und {lengths_in[1]} Ausgabe, Repliken mit {layout}; "
            f"Grundlage: {result['basis']}.",
        )
    )
    _cite_weights(desk, draft, result, request["gpu"])
    return draft


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
