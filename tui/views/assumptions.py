"""The register of assumptions: value, range, reason, sources, and what the answer would move."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assistant.export.document import number
from assistant.interview.questions import load_questions
from assistant.interview.wording import effect_text, reason_text, show_value
from assistant.result import Assumption, Sizing
from tui.views.figures import in_signs
from tui.views.lines import DASH, Cites, Line, Row, Say, source_lines


def assumption_rows(sizing: Sizing, lang: str, say: Say) -> tuple[Row, ...]:
    """One row an assumption, those that move the result most first, each with value, range and sources or judgement."""
    moves = [question.id for question in sizing.next_questions]
    found = sorted(sizing.assumptions, key=lambda a: moves.index(a.field) if a.field in moves else len(moves))
    return tuple(_row(assumption, assumption.field in moves, lang, say) for assumption in found)


def _row(assumption: Assumption, moves: bool, lang: str, say: Say) -> Row:
    word = say("cited") if assumption.sources else say("judgement")
    cells = (
        assumption.field,
        value_text(assumption, lang),
        range_text(assumption, lang),
        word + (f", {say('moves')}" if moves else ""),
    )
    return Row(assumption.field, cells, " ".join((*cells, assumption.why)))


def value_text(assumption: Assumption, lang: str) -> str:
    """The assumed value in words and with its unit."""
    question = load_questions().by_id().get(assumption.field)
    if question is None:
        return number(assumption.value) + (f" {assumption.unit}" if assumption.unit else "")
    return show_value(question, assumption.value, lang, assumption.unit)


def range_text(assumption: Assumption, lang: str) -> str:
    """The plausible range, or a dash."""
    if assumption.range is None:
        return DASH
    question = load_questions().by_id().get(assumption.field)
    share = question is not None and question.unit == "share"
    text = " – ".join(f"{number(100 * end)} %" if share else number(end) for end in assumption.range)
    return in_signs(text, lang)


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
    question = load_questions().by_id().get(assumption.field)
    yield Line("title", f"{assumption.field}: {value_text(assumption, lang)}")
    if question is not None:
        yield Line("text", question.wording.localised(lang, audience))
    yield Line("field", range_text(assumption, lang), say("range"))
    yield Line("field", reason_text(assumption.why, lang), say("why"))
    if question is not None:
        yield Line("field", question.why.localised(lang), say("why_we_ask"))


def _effect(sizing: Sizing, field: str, lang: str, say: Say) -> Iterator[Line]:
    titles = {decision.id: decision.title for decision in sizing.decisions}
    for one in sizing.next_questions:
        if one.id == field:
            yield Line("field", effect_text(one.moves, titles, lang) if one.moves else one.effect, say("effect"))
