"""Decisions: each choice with what speaks for and against it, who disagrees, and what would flip it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from assistant.result import Decision, Reason, Sizing
from tui.views.lines import DASH, Cites, Line, Row, Say, say_in, source_lines


def decision_rows(sizing: Sizing, lang: str) -> tuple[Row, ...]:
    """One row a decision: title, choice, whether somebody disagrees, confidence."""
    return tuple(_row(decision, say_in(lang)) for decision in sizing.decisions)


def _row(decision: Decision, say: Say) -> Row:
    disputed = say("disputed") if decision.dissent else ""
    confidence = say.word("levels.confidence", decision.confidence)
    cells = (say.tell(decision.title), _told(decision, decision.choice, say), disputed, confidence)
    said = (say.tell(reason.text) for reason in (*decision.because, *decision.against))
    ids = (decision.id, decision.choice, decision.runner_up or "")
    return Row(decision.id, cells, " ".join((*cells, *ids, *said)))


def _told(decision: Decision, choice: str, say: Say) -> str:
    """A choice as people say it."""
    return say.tell(decision.said(choice))


def decision_lines(sizing: Sizing, ident: str, lang: str) -> tuple[Line, ...]:
    """The whole of one decision."""
    say = say_in(lang)
    decision = next(d for d in sizing.decisions if d.id == ident)
    sources: Mapping[str, Cites] = {source.id: source for source in sizing.sources}
    cited = [*decision.sources, *(s for r in (*decision.because, *decision.against) for s in r.sources)]
    cited += [s for dissent in decision.dissent for s in dissent.sources]
    runner_up = _told(decision, decision.runner_up, say) if decision.runner_up else DASH
    return (
        Line("title", f"{say.tell(decision.title)}: {_told(decision, decision.choice, say)}"),
        Line("field", say.word("levels.confidence", decision.confidence), say("confidence")),
        Line("field", runner_up, say("runner_up")),
        *_section(say("for"), _reasons(decision.because, say)),
        *_section(say("against"), _reasons(decision.against, say)),
        *_section(say("who_disagrees"), _dissent(decision, say)),
        *_section(say("flips"), _flips(decision, say)),
        *_section(say("sources"), source_lines(cited, sources, say)),
    )


def _section(title: str, lines: Iterable[Line]) -> Iterator[Line]:
    kept = tuple(lines)
    if kept:
        yield Line("head", title)
        yield from kept


def _reasons(reasons: Iterable[Reason], say: Say) -> Iterator[Line]:
    for reason in reasons:
        yield Line("item", say.tell(reason.text))
        cites = ", ".join(reason.sources) or say("own_arithmetic")
        rank = f"{say.word('levels.strength', reason.strength)}, {say.word('levels.grade', reason.grade)}"
        yield Line("quiet", f"{rank}: {cites}; {reason.rule}", level=1)


def _dissent(decision: Decision, say: Say) -> Iterator[Line]:
    for dissent in decision.dissent:
        yield Line("item", say.tell(dissent.says))
        yield Line("quiet", ", ".join(dissent.sources), level=1)


def _flips(decision: Decision, say: Say) -> Iterator[Line]:
    for flip in decision.flips_when:
        yield Line("item", f"{_told(decision, flip.choice, say)} {say('if')} {say.tell(flip.change)}")
