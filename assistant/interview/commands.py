"""What an interview does besides taking answers: back, why, skip, review, change, undo and the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from assistant.interview.assume import complete, open_fields
from assistant.interview.brief import Answer, Brief, Provenance, Status
from assistant.interview.outputs import Event, Output
from assistant.interview.questions import load_questions, question
from assistant.interview.validation import validate
from assistant.interview.wording import message, show_answer, waits_text
from knowledge.errors import BadInput

if TYPE_CHECKING:
    from assistant.interview.dialogue import Interview


def back(interview: Interview) -> list[Output]:
    """The question before, its answer kept."""
    if not interview.asked:
        return [
            Output("info", message("no_back", interview.lang)),
            *(interview.ask(interview.current) if interview.current else []),
        ]
    return interview.ask(interview.asked.pop())


def more(interview: Interview) -> list[Output]:
    """Go on with what hardly moves the plan."""
    interview.thorough = True
    return interview.go_on()


def why(interview: Interview) -> list[Output]:
    """Why the question is asked, what its answer decides, what waits for it, on whose word the assumption stands."""
    if interview.current is None:
        return [Output("info", message("no_question", interview.lang))]
    asked = question(interview.current)
    lines = [message("why", interview.lang, text=asked.why.localised(interview.lang)), *interview.effect(asked.id)]
    if asked.waits:
        lines.append(message("waits", interview.lang, text=waits_text(asked.waits, interview.lang)))
    lines += [ours.reason or "", *ours.sources] if (ours := interview.assumption(asked)) else []
    return [Output("info", "\n".join(line for line in lines if line), asked.id)]


def help_here(interview: Interview) -> list[Output]:
    """The words that work everywhere, and the help of the question."""
    said = [Output("info", message("help", interview.lang))]
    asked = question(interview.current) if interview.current else None
    if asked is not None and asked.help is not None:
        said.append(Output("info", asked.help.localised(interview.lang), asked.id))
    return said


def skip(interview: Interview, said: str = "skipped") -> list[Output]:
    """Leave the question open."""
    if interview.current is None:
        return [Output("info", message("no_question", interview.lang))]
    field_id = interview.current
    interview.save(Event("skip", (Answer(field=field_id, status=Status.OPEN),)))
    interview.skipped |= {field_id}
    interview.passing(field_id)
    return [Output("understood", message(said, interview.lang, label=field_id), field_id), *interview.go_on()]


def dont_know(interview: Interview) -> list[Output]:
    """Note that it is not known; the assumption stands, marked."""
    if interview.current is None:
        return [Output("info", message("no_question", interview.lang))]
    asked = question(interview.current)
    ours = interview.assumption(asked)
    noted = Answer(field=asked.id, status=Status.ASSUMED, provenance=Provenance.DONT_KNOW)
    interview.save(Event("dont_know", (noted,)))
    interview.advance([noted])
    interview.passing(asked.id)
    if ours is None:
        said = message("nothing_assumed", interview.lang, label=asked.id)
    else:
        value = show_answer(asked, ours, interview.lang)
        said = message("assumed", interview.lang, label=asked.id, value=value, reason=ours.reason)
    return [Output("understood", said, asked.id), *interview.summary(only_new=True), *interview.go_on()]


def reviewed(interview: Interview) -> list[Answer]:
    """All answers, stated and assumed, in the order of the questions; ``change N`` counts them from 1."""
    filled = complete(interview.brief, interview.catalogue)
    held = {**{f: a for f, a in interview.brief.answers.items() if f not in filled.answers}, **filled.answers}
    return [held[q.id] for q in load_questions().questions if q.id in held]


def review(interview: Interview) -> list[Output]:
    """All answers, numbered, with their state."""
    lines, section = [], ""
    for number, answer in enumerate(reviewed(interview), 1):
        asked = question(answer.field)
        if asked.section != section:
            section = asked.section
            lines.append(load_questions().sections[section].localised(interview.lang))
        lines.append(
            f"  {number:>2}. {asked.id}: {show_answer(asked, answer, interview.lang)} [{_state(interview, answer)}]"
        )
    for group in interview.brief.groups:
        lines.append(message("group", interview.lang, name=group.name))
        lines += [f"      {f}: {show_answer(question(f), a, interview.lang)}" for f, a in group.answers.items()]
    still = [f for f in open_fields(interview.brief) if f not in {a.field for a in reviewed(interview)}]
    lines.append(message("open_list", interview.lang, labels=", ".join(still) or "-"))
    return [Output("info", "\n".join(lines))]


def _state(interview: Interview, answer: Answer) -> str:
    if answer.status is Status.STATED:
        derived = answer.provenance is Provenance.DERIVED
        return message("state_derived" if derived else "state_stated", interview.lang)
    return message("state_dont_know" if answer.provenance is Provenance.DONT_KNOW else "state_assumed", interview.lang)


def change(interview: Interview, number: str) -> list[Output]:
    """Ask a numbered answer again."""
    held = reviewed(interview)
    if not number.isdecimal() or len(number) > 4 or not 1 <= int(number) <= len(held):
        return [Output("error", message("change_which", interview.lang, count=len(held)))]
    return interview.ask(held[int(number) - 1].field)


def set_field(interview: Interview, rest: str) -> list[Output]:
    """Answer any field by its name."""
    name, _, value = rest.strip().partition(" ")
    if not name or not value.strip():
        return [Output("error", message("set_how", interview.lang))]
    try:
        answer = validate(name.strip("= "), value.strip().removeprefix("=").strip(), interview.catalogue)
    except BadInput as error:
        return [Output("error", message("expected", interview.lang, text=str(error)))]
    return interview.take([answer], [interview.echo(answer)])


def undo_last(interview: Interview) -> list[Output]:
    """Take the last step back."""
    if not interview.done:
        return [Output("info", message("nothing_to_undo", interview.lang))]
    interview.undone.append(interview.brief)
    _go_to(interview, interview.done.pop(), "undo")
    interview.current = interview.asked.pop() if interview.asked else None
    again = interview.ask(interview.current) if interview.current else interview.go_on()
    return [Output("info", message("undone", interview.lang)), *interview.summary(only_new=True), *again]


def redo_last(interview: Interview) -> list[Output]:
    """The step that was taken back, again."""
    if not interview.undone:
        return [Output("info", message("nothing_to_redo", interview.lang))]
    before, then = interview.brief, interview.undone.pop()
    if (refused := _go_to(interview, then, "redo")) is not None:
        return [Output("error", message("refused", interview.lang, text=refused)), *interview.go_on()]
    interview.done.append(before)
    interview.settle_current({*interview.brief.answers})
    return [Output("info", message("redone", interview.lang)), *interview.summary(only_new=True), *interview.go_on()]


def _go_to(interview: Interview, then: Brief, kind: Literal["undo", "redo"]) -> str | None:
    """Why the step was refused; None where it was taken."""
    refused = interview.save(Event(kind, interview.brief.steps_to(then)))
    if refused is None:
        interview.brief = then
    return refused


def end(interview: Interview, result: bool) -> list[Output]:
    """End, with the result or without."""
    interview.finished, interview.result_wanted = True, result
    return interview.summary(only_new=True) if result else []
