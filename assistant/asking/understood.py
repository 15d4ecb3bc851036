"""The question as it was understood, in a line for people."""

from __future__ import annotations

from assistant.asking.answer import Answer

_KINDS = {
    "en": {
        "fits": "does it fit",
        "how_many": "how many",
        "how_fast": "how fast",
        "how_long": "how long",
        "how_much": "how much",
        "which_of": "which of them",
        "whether_it_applies": "does it apply",
        "whether": "yes or no",
        "what_is": "what it is",
        "why": "why",
        "how_to": "how to do it",
        "what_if": "what if",
    },
    "de": {
        "fits": "passt es",
        "how_many": "wie viele",
        "how_fast": "wie schnell",
        "how_long": "wie lange",
        "how_much": "wie viel",
        "which_of": "welches davon",
        "whether_it_applies": "gilt es",
        "whether": "ja oder nein",
        "what_is": "was es ist",
        "why": "warum",
        "how_to": "wie es geht",
        "what_if": "was wäre wenn",
    },
}
_QUANTITY = {"en": "quantity", "de": "gefragt"}


def understood(answer: Answer) -> str:
    """Kind, quantity with its unit, and what was named: "how many; quantity: gpus (GPUs); 8 x h100-sxm-80gb; bf16"."""
    query = answer.query
    if query is None:
        return ""
    named = query.entities
    parts = [_KINDS[answer.language][query.kind]]
    if query.quantity:
        parts.append(f"{_QUANTITY[answer.language]}: {query.quantity.replace('_', ' ')} ({query.unit})")
    parts += named.models
    if named.parameters_b and not named.models:
        parts.append(f"{named.parameters_b:g}B")
    parts += [f"{row.count} x {row.gpu}" if row.count else row.gpu for row in named.gpus]
    parts += [
        *([named.server] if named.server else []),
        *named.formats,
        *named.places,
        *named.standards,
        *query.conditions,
    ]
    return "; ".join(dict.fromkeys(parts))
