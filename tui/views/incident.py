"""An incident without a log: the question that would tell most, the suspects, and the checks worth making."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.operations.incident.symptoms import NextCheck, Suspect, Suspicion
from assistant.operations.triage.findings import Check
from tui.views.lines import Line, Row, Say, words
from tui.views.triage import authorities, causes, checks

ANSWER, SUSPECT, CHECK, GIVEN = "answer/", "suspect/", "check/", "given/"
"""What a row's key begins with."""


def incident_rows(result: Suspicion, say: Say) -> tuple[Row, ...]:
    """Question with its answers, suspects, checks, and what was answered so far; a heading above each."""
    rows: list[Row] = []
    if question := result.next_question:
        rows.append(Row("", (question.text,)))
        rows += [
            Row(f"{ANSWER}{question.id}={answer.id}", (f"{number}", answer.text, ""))
            for number, answer in enumerate(question.answers, 1)
        ]
    if result.suspects:
        rows.append(Row("", (say("suspects"),)))
        rows += [Row(SUSPECT + one.mode, (f"{100 * one.share:.0f} %", one.name, "")) for one in result.suspects]
    if result.next_checks:
        rows.append(Row("", (say("next_checks"),)))
        rows += [
            Row(CHECK + one.command, ("", one.command, f"{one.bits:.2f} {say('bits')}")) for one in result.next_checks
        ]
    given = [(name, words(value)) for name, value in result.answers.items()]
    given += [(command, say("as_expected" if ok else "not_as_expected")) for command, ok in result.checked.items()]
    if given:
        rows.append(Row("", (say("answered"),)))
        rows += [Row(GIVEN + name, ("", words(name), value)) for name, value in given]
    return tuple(rows)


def incident_lines(result: Suspicion, key: str, say: Say) -> tuple[Line, ...]:
    """The details of a row."""
    if key.startswith(SUSPECT):
        found = [one for one in result.suspects if one.mode == key.removeprefix(SUSPECT)]
        return tuple(line for one in found for line in _suspect(one, say))
    if key.startswith(CHECK):
        made = [one for one in result.next_checks if one.command == key.removeprefix(CHECK)]
        return tuple(line for one in made for line in _check(one, result, say))
    if key.startswith(ANSWER) and (question := result.next_question):
        return (
            Line("title", question.text),
            Line("text", question.why),
            Line("quiet", f"{question.bits:.2f} {say('bits')}: {say('bits_meaning')}"),
            Line("text", say("how_to_answer")),
        )
    return (Line("text", say("answered_help")),) if key.startswith(GIVEN) else ()


def _suspect(one: Suspect, say: Say) -> Iterator[Line]:
    yield Line("title", one.name)
    yield Line("quiet", f"{100 * one.share:.0f} %, {words(one.category)}")
    yield Line("field", words(one.action), say("do_now"))
    yield Line("field", "; ".join(one.words), say("because"))
    yield Line("text", one.meaning)
    yield from causes(one.causes, say)
    yield from checks(one.checks, say)
    yield from authorities(one.sources, say)


def _check(one: NextCheck, result: Suspicion, say: Say) -> Iterator[Line]:
    names = {suspect.mode: suspect.name for suspect in result.suspects}
    yield Line("title", one.command)
    yield from checks((Check(command=one.command, expected=one.expected, rules_out=one.rules_out),), say)
    yield Line("quiet", f"{one.bits:.2f} {say('bits')}: {say('bits_meaning')}")
    yield Line("head", say("decides"))
    yield from (Line("item", names.get(mode, words(mode))) for mode in one.decides)
    yield Line("text", say("how_to_check"))
