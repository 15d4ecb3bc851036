"""What a message says, field by field, without a language model: deterministic, and it invents nothing.

``parse`` reads English and German fully and the numbers, units and main nouns of French, Spanish, Portuguese, Chinese
and Korean. Every field it states points to the words it came from. What can mean several things is stated in the
likelier sense and listed under ``ambiguous``; what follows only from a name stands under ``derived``.
"""

from __future__ import annotations

from collections.abc import Iterable

from assistant.interview.brief import Answer, Provenance, Status
from assistant.interview.parser.choices import read_choices
from assistant.interview.parser.corrections import read_corrections
from assistant.interview.parser.flags import read_flags, read_precisions
from assistant.interview.parser.gpus import read_gpus
from assistant.interview.parser.load_rules import LOAD_RULES, RATE_RULES, TOKEN_RULES
from assistant.interview.parser.models import read_models
from assistant.interview.parser.money import read_deadline, read_money
from assistant.interview.parser.places import read_country
from assistant.interview.parser.reading import Reading
from assistant.interview.parser.result import Ambiguous, Derived, Excluded, Mention, ParseResult, Span
from assistant.interview.parser.rule import read_quantities
from assistant.interview.parser.site_rules import SITE_RULES
from assistant.interview.parser.text import clean, language
from assistant.interview.parser.vague import read_pairs, read_vague
from knowledge.catalogue import Catalogue

__all__ = ["Ambiguous", "Derived", "Excluded", "Mention", "ParseResult", "Span", "parse", "to_answers"]


def parse(text: str, catalogue: Catalogue) -> ParseResult:
    """What ``text`` states. Reads the first 20,000 characters, in time linear in them; never raises for any text."""
    read = clean(text)
    lang = language(read)
    reading = Reading(text, read, lang, catalogue)
    read_deadline(reading)
    read_money(reading)
    read_models(reading)
    read_gpus(reading)
    read_quantities(reading, LOAD_RULES)
    read_pairs(reading)
    read_quantities(reading, TOKEN_RULES)
    read_quantities(reading, RATE_RULES)
    read_vague(reading)
    read_quantities(reading, SITE_RULES)
    read_precisions(reading)
    read_choices(reading)
    read_flags(reading)
    read_country(reading)
    read_corrections(reading)
    _follow(reading)
    return ParseResult(
        fields={name: reading.fields[name] for name in sorted(reading.fields)},
        derived=reading.derived,
        ambiguous=tuple(reading.ambiguous),
        excluded=tuple(reading.excluded),
        language=lang,
        unread=len(text) - len(read),
    )


PRETRAINING_TOKENS = 2e10
"""Training on more tokens than this is taken for pre-training, on fewer for fine-tuning."""


def _follow(reading: Reading) -> None:
    """What follows from stated fields together."""
    tokens = reading.fields.get("training_tokens")
    if tokens is not None and "workload" not in reading.fields:
        kind = "pretraining" if tokens.value >= PRETRAINING_TOKENS else "finetuning"
        reading.derived["workload"] = Derived(value=kind, because="training tokens are stated")
    isolated = reading.fields.get("air_gap")
    if isolated is not None and isolated.value and "hosting" not in reading.fields:
        reading.derived["hosting"] = Derived(value="on_prem", because="an isolated network is no public cloud")


_LENGTHS = ("input_tokens", "output_tokens")


def to_answers(result: ParseResult) -> list[Answer]:
    """The stated answers of a parse; a length becomes mean, p95 and maximum, a known name follows as derived."""
    refused = {a.span.text for a in result.ambiguous if not a.candidates}
    answers = [_answer(name, mention, refused) for name, mention in result.fields.items()]
    answers += [
        Answer(
            field=name,
            value=d.value,
            unit=d.unit,
            provenance=Provenance.DERIVED,
            status=Status.STATED,
            reason=d.because,
        )
        for name, d in result.derived.items()
        if name not in result.fields
    ]
    return [a for a in answers if a.value not in (None, [])]


def _answer(name: str, mention: Mention, refused: Iterable[str]) -> Answer:
    value = mention.value
    if name in _LENGTHS:
        low = mention.low if mention.low is not None else value
        value = {"mean": (low + value) / 2, "p95": value, "max": value}
    if name == "models":
        value = [model for model in value if model not in refused]
    if name == "gpus":
        value = [entry for entry in value if entry["gpu"] not in refused]
    return Answer(
        field=name,
        value=value,
        low=mention.low,
        high=mention.high,
        unit=mention.unit,
        text=mention.text,
        start=mention.start,
        end=mention.end,
        provenance=Provenance.PARSED,
        reason=mention.note,
    )
