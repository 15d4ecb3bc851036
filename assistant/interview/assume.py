"""What is taken for granted until somebody says otherwise, and what to ask next.

The questions stand in an order in which an assumption looks only at earlier fields, and are gone through in that
order; so the result depends on what was stated and on nothing else, least of all on the order of the answers.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from assistant.interview.brief import Answer, Brief, Provenance, Status
from assistant.interview.questions import Question, holds, load_questions
from assistant.interview.questions import question as question_of
from assistant.sizing.load import population_factor
from knowledge.evidence import Cited

if TYPE_CHECKING:
    from knowledge.catalogue import Catalogue


def complete(brief: Brief, catalogue: Catalogue | None = None) -> Brief:
    """``brief`` with every open field that has a sensible assumption filled in; what was stated is untouched.

    Assumptions that the brief already holds are made anew, except those that record a "don't know": these stay
    assumptions of ours, marked as such.
    """
    unknown = {f for f, a in brief.answers.items() if a.provenance is Provenance.DONT_KNOW}
    answers = dict(brief.only_stated().answers)
    filled = Brief.model_construct(answers=answers)  # grows with the loop; validated once, at the end
    for question in load_questions().questions:
        if question.id in answers:
            continue
        answer = assumption(question, filled, catalogue)
        if answer is not None:
            if question.id in unknown:
                answer = answer.model_copy(update={"provenance": Provenance.DONT_KNOW})
            answers[question.id] = answer
    return Brief(answers=answers, groups=brief.groups)


def complete_after(completed: Brief, brief: Brief, changed: Collection[str], catalogue: Catalogue) -> Brief:
    """``complete(brief)``, from the completed form of a brief that differs from it in the ``changed`` answers alone.

    Only assumptions that look at what changed are made anew, which is most of the work of a what-if.
    """
    unknown = {f for f, a in brief.answers.items() if a.provenance is Provenance.DONT_KNOW}
    stated = {field: brief.answers[field] for field in changed if brief.stated(field)}
    answers = {**completed.answers, **stated}
    filled = Brief.model_construct(answers=answers)  # changes with the loop; validated once, at the end
    moved = set(changed)
    for question in load_questions().questions:
        if brief.stated(question.id) or (question.id not in moved and moved.isdisjoint(looked_at(question))):
            continue
        before = answers.pop(question.id, None)
        answer = assumption(question, filled, catalogue)
        if answer is not None:
            if question.id in unknown:
                answer = answer.model_copy(update={"provenance": Provenance.DONT_KNOW})
            answers[question.id] = answer
        if answer != before:
            moved.add(question.id)
    return Brief(answers=answers, groups=brief.groups)


def looked_at(question: Question) -> frozenset[str]:
    """The fields that a question's assumption depends on."""
    return _looked_at()[question.id]


@lru_cache(maxsize=1)
def _looked_at() -> Mapping[str, frozenset[str]]:
    return {
        question.id: frozenset(
            (
                *(field for assumed in question.assume for field in assumed.when),
                *(LOADS if question.id in RATIOS else ()),
                *((MODELS,) if question.id == OUTPUT else ()),
                *((UPTIME,) if question.id == SPARE else ()),
                *(("workload",) if question.preset else ()),
            )
        )
        for question in load_questions().questions
    }


def assumption(question: Question, brief: Brief, catalogue: Catalogue | None = None, lang: str = "en") -> Answer | None:
    """The assumption for a field, given what the brief holds of the fields before it; None where none is sensible."""
    if _needless(question, brief):
        return None
    place = next((n for n, a in enumerate(question.assume) if holds(a.when, brief)), None)
    if place is None:
        return None
    ours = _answer(question.id, place, lang)
    if question.id == SPARE:
        ours = _for_uptime(ours, brief, lang)
    if question.id == SHARE and catalogue is not None:
        ours = _for_many(ours, brief, catalogue, lang)
    preset = _preset(question, brief, catalogue)
    ours = ours if preset is None else _with_preset(ours, *preset)
    return _for_thought(ours, brief, catalogue, lang) if question.id == OUTPUT and catalogue is not None else ours


SHARE = "active_share"
"""The field whose assumption falls with the number of people."""

MANY = {
    "en": "of {people:,.0f} people fewer are there at once: the share of a small group falls to {factor:.2g} of it.",
    "de": "Von {people:,.0f} Menschen sind weniger gleichzeitig da: Der Anteil sinkt auf das {factor:.2g}-fache.",
}


def _for_many(ours: Answer, brief: Brief, catalogue: Catalogue, lang: str) -> Answer:
    """The share for so many people: it falls along the published curve, and its upper end less than the rest."""
    people, curve = brief.value("users_total"), catalogue.entries("populations").get("registered")
    if people is None or curve is None:
        return ours
    factor = population_factor(float(people), tuple((anchor.people, anchor.factor) for anchor in curve.anchors))
    if factor >= 1 or ours.low is None or ours.high is None:
        return ours
    told = MANY.get(lang, MANY["en"]).format(people=float(people), factor=factor)
    return ours.model_copy(
        update={
            "value": float(f"{float(ours.value) * factor:.3g}"),
            "low": float(f"{ours.low * factor:.3g}"),
            "high": float(f"{ours.high * factor**WIDER:.3g}"),
            "reason": f"{ours.reason} {told[0].upper()}{told[1:]}",
        }
    )


WIDER = 0.87
"""The upper end falls by this power of the factor: at a million people to 1 %, which is bold, and not to 0.6."""


SPARE, UPTIME, TWICE = "redundancy", "availability", 0.9999
"""The field of spare hardware, the promise it depends on, and from which on one room alone does not keep it."""

TWICE_WHY = {
    "en": "{uptime:.3%} is {minutes:.0f} minutes a year: one room of the usual kind (99.982 %) does not give it.",
    "de": "{uptime:.3%} sind {minutes:.0f} Minuten im Jahr: Ein Raum der üblichen Art (99,982 %) gibt das nicht her.",
}
TWICE_SOURCE = "https://oryon.net/knowledge-base/article/what-is-data-center-tiers/"


def _for_uptime(ours: Answer, brief: Brief, lang: str) -> Answer:
    """Everything twice where so much availability is promised."""
    uptime = brief.value(UPTIME)
    if uptime is None or float(uptime) < TWICE:
        return ours
    told = TWICE_WHY.get(lang, TWICE_WHY["en"]).format(uptime=float(uptime), minutes=(1 - float(uptime)) * 525_600)
    return ours.model_copy(update={"value": "2n", "reason": told, "sources": (TWICE_SOURCE,)})


OUTPUT, MODELS = "output_tokens", "models"
"""The field whose assumption depends on whether the models think in writing, and the field that names them."""

THOUGHT = {"mean": 2000, "p95": 8000, "max": 20000}
"""Tokens of a reasoning model with its thought: MLPerf lets DeepSeek-R1 write 20,000 at most for hard problems of
mathematics and programs; everyday questions take a part of that, which is our judgement.
"""

THINKS = {
    "en": "{name} thinks in writing before it answers: some 2,000 tokens, and up to 20,000 (MLPerf's limit).",
    "de": "{name} denkt schriftlich, bevor es antwortet: rund 2.000 Token, bis zu 20.000 (Grenze von MLPerf).",
}
THINKS_SOURCE = "https://mlcommons.org/2025/09/deepseek-inference-5-1/"


def _for_thought(ours: Answer, brief: Brief, catalogue: Catalogue, lang: str) -> Answer:
    """The output's length, with what a reasoning model writes before it answers."""
    named = brief.value(MODELS) or ()
    names = [name for name in ((named,) if isinstance(named, str) else named) if isinstance(name, str)]
    thinking = next((model for model in map(catalogue.model, names) if model.reasons), None)
    if thinking is None or ours.low is None or float(_middle(ours.value)) >= THOUGHT["mean"]:
        return ours
    return ours.model_copy(
        update={
            "value": dict(THOUGHT),
            "low": min(ours.low, float(_middle(ours.value))),
            "high": float(THOUGHT["p95"]),
            "reason": THINKS.get(lang, THINKS["en"]).format(name=thinking.name),
            "sources": (THINKS_SOURCE,),
        }
    )


def _needless(question: Question, brief: Brief) -> bool:
    """A stated load in one form makes the assumptions about the others needless."""
    return question.id in RATIOS and any(brief.stated(field) for field in LOADS)


LOADS = ("users_concurrent", "requests_per_s")
RATIOS = ("users_total", "active_share")
"""Forms of the load: one of the former, where it is stated, makes assumptions about the latter needless."""


@lru_cache(maxsize=1024)
def _answer(field: str, place: int, lang: str) -> Answer:
    """The assumption at a place of a question's list, made once: what-ifs ask for it a hundred times."""
    asked = question_of(field)
    chosen = asked.assume[place]
    return Answer(
        field=field,
        status=Status.ASSUMED,
        value=chosen.value,
        low=chosen.low,
        high=chosen.high,
        unit=asked.unit,
        provenance=Provenance.DEFAULT,
        reason=chosen.reason.localised(lang),
        sources=chosen.sources,
    )


def _with_preset(ours: Answer, preset: Cited[Any], described: str) -> Answer:
    """The assumption with the knowledge base's own value, reason and sources; its range is widened to hold it."""
    value: Any = preset.value
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json")
    if isinstance(value, Mapping):
        value = dict(value)
    likely = float(_middle(value))
    agrees = likely == float(_middle(ours.value))
    return ours.model_copy(
        update={
            "value": value,
            "low": min(likely, likely if ours.low is None else ours.low),
            "high": max(likely, likely if ours.high is None else ours.high),
            "reason": ours.reason if agrees else preset.note or described,
            "sources": tuple(preset.sources),
        }
    )


def _middle(value: Any) -> float:
    """The likely figure of a number or of a length's mean, p95 and max."""
    middle: float = value["mean"] if isinstance(value, Mapping) else value
    return middle


def _preset(question: Question, brief: Brief, catalogue: Catalogue | None) -> tuple[Cited[Any], str] | None:
    """The knowledge base's preset for the workload, and what that workload is; None where it has none."""
    if question.preset is None or catalogue is None:
        return None
    entry: Any = catalogue.entries("workloads").get(str(brief.value("workload")))
    found: Cited[Any] | None = getattr(entry, question.preset, None)
    return None if found is None or found.value is None else (found, str(entry.description))


def open_fields(brief: Brief) -> tuple[str, ...]:
    """Fields that apply to this brief and that nobody has stated, in the order of the questions."""
    askable = (q for q in load_questions().questions if q.asked_of != "nobody")
    return tuple(q.id for q in askable if not brief.answered(q.id) and applies(q, brief))


def applies(question: Question, brief: Brief) -> bool:
    """Whether the question makes sense, given what the brief states and assumes."""
    return holds(question.ask_when, brief) and not _needless(question, brief)


def next_question(
    brief: Brief, passed: frozenset[str] = frozenset(), long: bool = True, audience: str = "presales"
) -> Question | None:
    """The question to ask next, or None when there is none.

    The order is fixed for now: the short path (``short`` in the data, at most seven questions to a first sizing),
    then, when ``long``, the others as they stand in the file. ``passed`` are fields skipped or not known. Questions
    for engineers are asked only of that ``audience``.
    """
    completed = complete(brief)
    waiting = [
        q
        for q in load_questions().questions
        if q.asked_of in ("all", audience)
        and q.id not in passed
        and not brief.answered(q.id)
        and applies(q, completed_for(q, brief, completed))
    ]
    short = sorted((q for q in waiting if q.short is not None), key=lambda q: (q.short or 0, q.id))
    if short:
        return short[0]
    return waiting[0] if long and waiting else None


def completed_for(question: Question, brief: Brief, completed: Brief) -> Brief:
    """What a question's condition is held against: stated fields where it asks whether one is open, else all."""
    asks_open = any(accepted == "open" for accepted in question.ask_when.values())
    if not asks_open:
        return completed
    keep: Mapping[str, Answer] = {
        f: a for f, a in completed.answers.items() if question.ask_when.get(f) != "open" or brief.stated(f)
    }
    return Brief(answers=keep)
