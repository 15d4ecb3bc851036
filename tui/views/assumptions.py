"""The register of assumptions: value, range, reason, sources, and what the answer would move."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assistant.export import document
from assistant.interview.questions import questions_by_id
from assistant.interview.wording import effect_text, reason_text
from assistant.result import Assumption, Sizing
from tui.views.lines import Cites, Line, Row, Say, source_lines


def assumption_rows(sizing: Sizing, lang: str, say: Say) -> tuple[Row, ...]:
    """One row an assumption, those that move the result most first, each with value, range and sources or judgement."""
    moves = [question.id for question in sizing.next_questions]
    found = sorted(sizing.assumptions, key=lambda a: moves.index(a.field) if a.field in moves else len(moves))
    return tuple(_row(assumption, assumption.field in moves, lang, say) for assumption in found)


def _row(assumption: Assumption, moves: bool, lang: str, say: Say) -> Row:
    word = say("cited") if assumption.sources else say("judgement")
    cells = (
        document.field_name(assumption.field, say),
        value_text(assumption, say),
        range_text(assumption, say),
        word + (f", {say('moves')}" if moves else ""),
    )
    return Row(assumption.field, cells, " ".join((*cells, assumption.field, reason_text(assumption.why, lang))))


def value_text(assumption: Assumption, say: Say) -> str:
    """The assumed value in words and with its unit."""
    return document.value_text(assumption.field, assumption.value, assumption.unit, say)


def range_text(assumption: Assumption, say: Say) -> str:
    """The plausible range, or a dash."""
    return document.range_text(assumption, say)


def assumption_lines(sizing: Sizing, field: str, lang: str, audience: str, say: Say) -> tuple[Line, ...]:
    """The whole of one assumption."""
    assumption = next(a for a in sizing.assumptions if a.field == field)
    sources: Mapping[str, Cites] = {source.id: source for source in sizing.sources}
    return (
        *_about(assumption, lang, audience, say),
        *_effect(sizing, field, lang, say),
        Line("head", say("sources")),
        *(source_lines(assumption.sources, sources, say) or (Line("item", say("our_judgement")),)),
    )


def _about(assumption: Assumption, lang: str, audience: str, say: Say) -> Iterator[Line]:
    question = questions_by_id().get(assumption.field.rpartition(".")[2])
    yield Line("title", f"{document.field_name(assumption.field, say)}: {value_text(assumption, say)}")
    if question is not None:
        yield Line("text", question.wording.localised(lang, audience))
    yield Line("field", range_text(assumption, say), say("range"))
    yield Line("field", reason_text(assumption.why, lang), say("why"))
    if question is not None:
        yield Line("field", question.why.localised(lang), say("why_we_ask"))


def _effect(sizing: Sizing, field: str, lang: str, say: Say) -> Iterator[Line]:
    titles = {decision.id: decision.title for decision in sizing.decisions}
    for one in sizing.next_questions:
        if one.id == field:
            yield Line("field", effect_text(one.moves, titles, lang) if one.moves else one.effect, say("effect"))
