"""Decisions: each choice with what speaks for and against it, who disagrees, and what would flip it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from assistant.interview.wording import word
from assistant.result import Decision, Reason, Sizing
from tui.views.lines import DASH, Cites, Line, Row, Say, say_in, source_lines, words


def decision_rows(sizing: Sizing, lang: str) -> tuple[Row, ...]:
    """One row a decision: title, choice, whether somebody disagrees, confidence."""
    return tuple(_row(decision, lang) for decision in sizing.decisions)


def _row(decision: Decision, lang: str) -> Row:
    disputed = say_in(lang)("disputed") if decision.dissent else ""
    cells = (word(decision.title, lang), _told(decision.choice, lang), disputed, _told(decision.confidence, lang))
    said = (reason.text for reason in (*decision.because, *decision.against))
    return Row(decision.id, cells, " ".join((*cells, decision.id, decision.runner_up or "", *said)))


def _told(choice: str, lang: str) -> str:
    """A choice as people say it."""
    return words(word(choice, lang))


def decision_lines(sizing: Sizing, ident: str, lang: str) -> tuple[Line, ...]:
    """The whole of one decision."""
    say = say_in(lang)
    decision = next(d for d in sizing.decisions if d.id == ident)
    sources: Mapping[str, Cites] = {source.id: source for source in sizing.sources}
    cited = [*decision.sources, *(s for r in (*decision.because, *decision.against) for s in r.sources)]
    cited += [s for dissent in decision.dissent for s in dissent.get("sources", ())]
    return (
        Line("title", f"{word(decision.title, lang)}: {_told(decision.choice, lang)}"),
        Line("field", _told(decision.confidence, lang), say("confidence")),
        Line("field", _told(decision.runner_up or DASH, lang), say("runner_up")),
        *_section(say("for"), _reasons(decision.because, say)),
        *_section(say("against"), _reasons(decision.against, say)),
        *_section(say("who_disagrees"), _dissent(decision)),
        *_section(say("flips"), _flips(decision, lang)),
        *_section(say("sources"), source_lines(cited, sources, say)),
    )


def _section(title: str, lines: Iterable[Line]) -> Iterator[Line]:
    kept = tuple(lines)
    if kept:
        yield Line("head", title)
        yield from kept


def _reasons(reasons: Iterable[Reason], say: Say) -> Iterator[Line]:
    for reason in reasons:
        yield Line("item", reason.text)
        cites = ", ".join(reason.sources) or say("own_arithmetic")
        yield Line("quiet", f"{words(reason.strength)}, {words(reason.grade)}: {cites}; {reason.rule}", level=1)


def _dissent(decision: Decision) -> Iterator[Line]:
    for dissent in decision.dissent:
        yield Line("item", str(dissent.get("says", "")))
        yield Line("quiet", ", ".join(dissent.get("sources", ())), level=1)


def _flips(decision: Decision, lang: str) -> Iterator[Line]:
    for flip in decision.flips_when:
        yield Line("item", f"{_told(str(flip.get('choice')), lang)} {say_in(lang)('if')} {flip.get('change')}")
