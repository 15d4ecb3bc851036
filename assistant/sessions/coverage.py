"""What recorded interviews exercise: questions, options, refused answers, outcomes and rules; and what none does.

Read from the transcripts themselves, without replaying them; the rules that fire come from replays.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from assistant.interview.brief import Value
from assistant.interview.command_words import COMMANDS
from assistant.interview.questions import Kind, Question, load_questions
from assistant.transcript import Step, Transcript
from knowledge.evidence import Frozen
from rules.base import RuleBase


class Share(Frozen):
    """How many of some things are exercised, and which are not."""

    what: str
    covered: int
    of: int
    missing: tuple[str, ...]

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return self.covered / self.of if self.of else 1.0


def coverage_of(
    transcripts: Iterable[Transcript], base: RuleBase, fired: Collection[str] | None = None
) -> tuple[Share, ...]:
    """Questions answered; options of choices chosen; questions that refuse an answer; choices of decisions and states
    of duties reached; with ``fired``, the rules that fire."""
    known = list(transcripts)
    questions = load_questions().questions
    told = [pair for transcript in known for step in transcript.lines() for pair in step.understood.items()]
    refusals = {f for transcript in known for step in transcript.steps if (f := _refused(step))}
    shares = [
        _share("questions", (q.id for q in questions), {field for field, value in told if value is not None}),
        _share("options", _options(questions), {f"{f}={v}" for f, value in told for v in _values(value)}),
        _share("refused answers", (q.id for q in questions if q.type is not Kind.TEXT), refusals),
        _share("outcomes", _outcomes(base), _reached(known, "decisions", "choice")),
        _share("duties", _duties(base), _reached(known, "obligations", "applies")),
    ]
    if fired is not None:
        shares.append(_share("rules", base.rules, fired))
    return tuple(shares)


def _share(what: str, wanted: Iterable[str], reached: Collection[str]) -> Share:
    names = list(dict.fromkeys(wanted))
    missing = tuple(name for name in names if name not in reached)
    return Share(what=what, covered=len(names) - len(missing), of=len(names), missing=missing)


def _options(questions: Iterable[Question]) -> Iterator[str]:
    return (f"{question.id}={value}" for question in questions for value in question.values)


def _values(value: Value) -> Iterator[Value]:
    if isinstance(value, list):
        yield from value
    elif isinstance(value, dict):
        yield value.get("value")
    else:
        yield value


def _refused(step: Step) -> str | None:
    """The question whose answer a line was and that refused it: nothing was understood, and it is no command."""
    said = (step.said or "").strip()
    if step.question is None or step.understood or not said:
        return None
    return None if any(pattern.fullmatch(said) for pattern, _ in COMMANDS) else step.question


def _outcomes(base: RuleBase) -> Iterator[str]:
    return (f"{spec.id}={choice}" for spec in base.decisions.values() for choice in spec.choices)


def _duties(base: RuleBase) -> Iterator[str]:
    for rule in base.rules.values():
        for then in rule.then:
            if then.kind == "obligation":
                yield f"{then.id}={then.applies}"


def _reached(transcripts: Iterable[Transcript], kind: str, what: str) -> set[str]:
    found: set[str] = set()
    for recorded in (t.recorded for t in transcripts if t.recorded is not None):
        for path, value in recorded.conclusions.items():
            parts = path.split(".")
            if parts[0] == kind and parts[-1] == what:
                found.add(f"{parts[1]}={value}")
    return found
