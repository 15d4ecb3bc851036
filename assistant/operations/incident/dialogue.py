"""An incident talked through: what is seen, questions, checks; each answer moves the ranking and can be taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from assistant.operations.incident.symptoms import NextCheck, NextQuestion, Suspicion, suspect
from knowledge.catalogue import Catalogue

WORDS = "a number answers; skip, back, checks, why, done; anything else is added to what is seen"
CHECK_WORDS = "ok: it came out as expected, not: it did not, skip, back, done"


@dataclass(frozen=True)
class Incident:
    """What is known of an incident so far; ``skipped`` are questions and checks that nobody wants to answer."""

    symptom: str = ""
    answers: Mapping[str, str] = field(default_factory=dict)
    checked: Mapping[str, bool] = field(default_factory=dict)
    skipped: frozenset[str] = frozenset()

    def assess(self, catalogue: Catalogue) -> Suspicion:
        """The ranking, and what to ask next."""
        return suspect(self.symptom, catalogue, self.answers, self.checked, self.skipped)

    def answered(self, question: str, answer: str) -> Incident:
        """With an answer, in the place of an earlier one to the same question."""
        return replace(self, answers={**self.answers, question: answer})

    def with_check(self, command: str, as_expected: bool) -> Incident:
        """With how a check came out."""
        return replace(self, checked={**self.checked, command: as_expected})

    def without(self, name: str) -> Incident:
        """With a question or check passed over."""
        return replace(self, skipped=self.skipped | {name})

    def described(self, text: str) -> Incident:
        """With more of what is seen."""
        return replace(self, symptom=f"{self.symptom}; {text}" if self.symptom else text)


def said(result: Suspicion) -> Iterator[str]:
    """The ranking, the next question and the next checks as lines."""
    for one in result.suspects:
        yield f"{100 * one.share:3.0f} %  {one.name}: {one.meaning}"
        yield f"       because: {'; '.join(one.words)}"
    if not result.suspects:
        yield "Nothing known fits this yet; say what is slow, hangs or fails, since when, on one node or many."
    for check in result.next_checks:
        yield ""
        yield f"next: {check.command}"
        yield f"  expect {check.expected} ({check.bits:.2f} bits)"
        if check.rules_out:
            yield f"  then it is not {check.rules_out}"
    if result.next_question:
        yield ""
        yield f"asked next ({result.next_question.bits:.2f} bits): {result.next_question.text}"
        yield from (f"  --answer {result.next_question.id}={a.id:16} {a.text}" for a in result.next_question.answers)


def talk(incident: Incident, catalogue: Catalogue, read: Callable[[], str], write: Callable[[str], None]) -> int:
    """The dialogue line by line, until nothing is worth asking, ``done``, or the end of input. Returns 0."""
    before: list[Incident] = []
    if not incident.symptom and not incident.answers:
        write("What is seen? In a few words; an empty line where nobody knows.")
        first = _line(read)
        incident = incident.described(first) if first else incident
    while True:
        result = incident.assess(catalogue)
        _ranking(result, write)
        step = result.next_question or next(iter(result.next_checks), None)
        if step is None:
            write("Nothing further would tell much.")
            return 0
        _put(step, write)
        line = _line(read)
        if line is None or line in ("done", "quit", "exit"):
            write("")
            write("\n".join(said(replace_question(result))))
            return 0
        if line == "back":
            incident = before.pop() if before else incident
            continue
        following = _taken(incident, step, line, write)
        if following is not incident:
            before.append(incident)
            incident = following


def replace_question(result: Suspicion) -> Suspicion:
    """The result without a question that nobody is there to answer any more."""
    return result.model_copy(update={"next_question": None})


def _line(read: Callable[[], str]) -> str | None:
    from assistant.output import harmless

    try:
        return harmless(read()).strip()
    except EOFError:
        return None


def _ranking(result: Suspicion, write: Callable[[str], None]) -> None:
    write("")
    for one in result.suspects[:3]:
        write(f"{100 * one.share:3.0f} %  {one.name}")


def _put(step: NextQuestion | NextCheck, write: Callable[[str], None]) -> None:
    write("")
    if isinstance(step, NextQuestion):
        write(step.text)
        for number, answer in enumerate(step.answers, 1):
            write(f"  {number}  {answer.text}")
        write(f"({WORDS})")
        return
    write(f"Check: {step.command}")
    write(f"  expect {step.expected}")
    write(f"({CHECK_WORDS})")


def _taken(incident: Incident, step: NextQuestion | NextCheck, line: str, write: Callable[[str], None]) -> Incident:
    """The incident after a line; the same one where the line only asked for something or was not understood."""
    name = step.id if isinstance(step, NextQuestion) else step.command
    if line in ("skip", ""):
        return incident.without(name)
    if isinstance(step, NextCheck):
        if line in ("ok", "not"):
            return incident.with_check(step.command, line == "ok")
        write(CHECK_WORDS)
        return incident
    if line == "why":
        write(step.why)
        return incident
    if line == "checks":
        return replace(incident, skipped=incident.skipped | {step.id, "*"})
    if line.isdecimal():
        if 1 <= int(line) <= len(step.answers):
            return incident.answered(step.id, step.answers[int(line) - 1].id)
        write(f"{line}: a number from 1 to {len(step.answers)}")
        return incident
    exact = next((answer.id for answer in step.answers if line.casefold() in (answer.id, answer.text.casefold())), None)
    return incident.answered(step.id, exact) if exact else incident.described(line)
