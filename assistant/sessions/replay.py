"""Replaying a transcript through the same interview and session as a person's, and saying what differs and why."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from assistant.interview.brief import Answer, Brief, Provenance, Value
from assistant.interview.dialogue import Interview
from assistant.interview.noted import in_short
from assistant.output import plain
from assistant.result import Sizing
from assistant.service import Assistant
from assistant.session import Session
from assistant.sessions.conversation import converse
from assistant.store import Store
from assistant.transcript import Expectation, Recorded, Step, Transcript, look_up
from knowledge.errors import SizewrightError
from knowledge.evidence import Frozen

State = Literal[
    "identical",
    "nothing recorded",
    "changed by catalogue",
    "changed by rules",
    "changed by catalogue and rules",
    "changed by code",
    "broken",
]

PLAN_FIGURES = ("gpus", "accelerator", "fits", "binding")
FACILITY_FIGURES = ("nominal_it_kw", "it_kw", "racks", "rack_kw", "cooling")


class Failure(Frozen):
    """One line that did not come out as written down. ``where`` names the step, or the path of a conclusion."""

    where: str
    expected: Value
    got: Value
    why: str | None = None


class Replayed(Frozen):
    """What one replay gave. ``state`` compares with the recorded section; ``drift`` is what differs from it;
    ``recorded`` is today's section, None where no sizing came out; ``facts`` are what the rules were asked."""

    title: str
    state: State
    failures: tuple[Failure, ...]
    drift: tuple[Failure, ...]
    recorded: Recorded | None
    facts: Mapping[str, Any] = {}

    @property
    def passed(self) -> bool:
        """Whether all that was worked out by hand holds and nothing drifted from the record."""
        return not self.failures and not self.drift


def replay(transcript: Transcript, assistant: Assistant) -> Replayed:
    """Say every line to a new session, size what it ends in, and compare."""
    brief, failures = told(transcript, assistant)
    return _compared(transcript, brief, assistant, failures)


def told(transcript: Transcript, assistant: Assistant) -> tuple[Brief, list[Failure]]:
    """The brief that a transcript ends in, said line by line to a session in a store of its own; and the lines that
    were understood otherwise than written down."""
    with TemporaryDirectory(prefix="sizewright-replay-") as folder, Store(Path(folder) / "replay.db") as store:
        # What an answer moves on the way is not compared; the sizing at the end is worked out once, below.
        session = Session.new(assistant, store, transcript.title, transcript.audience, transcript.lang, sizes=False)
        interview = converse(session, transcript.lang, transcript.audience)
        interview.start()
        failures = [
            failure
            for number, step in enumerate(transcript.lines(), 1)
            for failure in _step(interview, step, f"line {number} ({step.question or 'free text'})")
        ]
    return session.brief, failures


def _compared(transcript: Transcript, brief: Brief, assistant: Assistant, failures: list[Failure]) -> Replayed:
    try:
        asks = any("questions" in expectation.path for expectation in transcript.concluded)
        sizing = assistant.size(brief, questions=asks)
    except SizewrightError as error:
        failures.append(Failure(where="sizing", expected="a sizing", got=str(error)))
        return Replayed(title=transcript.title, state="broken", failures=tuple(failures), drift=(), recorded=None)
    document = plain(sizing)
    failures.extend(failure for e in transcript.concluded for failure in check(e, document))
    today = record(sizing)
    drift = tuple(_drift(transcript.recorded, today))
    return Replayed(
        title=transcript.title,
        state=_state(transcript.recorded, today, bool(failures), bool(drift)),
        failures=tuple(failures),
        drift=drift,
        recorded=today,
        facts=sizing.facts,
    )


def _step(interview: Interview, step: Step, where: str) -> Iterator[Failure]:
    before = interview.brief
    if step.question is not None:
        interview.ask(step.question)
        interview.say(step.said or "")
    else:
        # Free text is no answer to whichever question happens to be open: the order of questions must not matter.
        interview.current = None
        interview.say(step.say or "")
    yield from _understood(before, interview.brief, step.understood, where)
    if step.then is not None and interview.current != step.then:
        yield Failure(where=f"{where}, question after it", expected=step.then, got=interview.current)


def _understood(before: Brief, after: Brief, expected: Mapping[str, Value], where: str) -> Iterator[Failure]:
    """What the line changed against what it should change: neither less nor more."""
    fields = sorted({*before.answers, *after.answers})
    changed = {f: _new(before, after, f) for f in fields if before.get(f) != after.get(f)}
    noted = {f for f, answer in changed.items() if answer.provenance is Provenance.DONT_KNOW}
    for field in sorted({*expected, *changed} - (noted - set(expected))):
        if field not in expected:
            yield Failure(where=f"{where}, {field}", expected="nothing", got=plain(changed[field].value))
        elif field not in changed:
            yield Failure(where=f"{where}, {field}", expected=plain(expected[field]), got="nothing")
        elif not _agrees(plain(expected[field]), changed[field]):
            yield Failure(where=f"{where}, {field}", expected=plain(expected[field]), got=_shown(changed[field]))


def _new(before: Brief, after: Brief, field: str) -> Answer:
    """What a line changed of a field; of what is noted beside the answers, what this line added, in short."""
    answer, held = after.get(field), before.value(field) or ()
    noted = in_short(answer, held)
    return answer if noted is None else answer.model_copy(update={"value": noted})


def _agrees(expected: Any, answer: Answer) -> bool:
    if isinstance(expected, dict) and expected and set(expected) <= {"value", "low", "high"}:
        return all(_equal(value, plain(getattr(answer, key))) for key, value in expected.items())
    return _equal(expected, plain(answer.value))


def _shown(answer: Answer) -> Value:
    if answer.low is None and answer.high is None:
        return plain(answer.value)
    return {"value": plain(answer.value), "low": plain(answer.low), "high": plain(answer.high)}


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _equal(expected: Any, got: Any) -> bool:
    """Equal, numbers to within the rounding of the output."""
    if _is_number(expected) and _is_number(got):
        return math.isclose(expected, got, rel_tol=1e-5)
    if isinstance(expected, dict) and isinstance(got, dict):
        return expected.keys() == got.keys() and all(_equal(v, got[k]) for k, v in expected.items())
    if isinstance(expected, list) and isinstance(got, list):
        return len(expected) == len(got) and all(map(_equal, expected, got))
    return bool(expected == got) and isinstance(expected, bool) == isinstance(got, bool)


def check(expectation: Expectation, document: Mapping[str, Any]) -> Iterator[Failure]:
    """The failure of one expectation, or none."""
    try:
        got = look_up(document, expectation.path)
    except LookupError as error:
        if expectation.present is not False:
            yield Failure(where=expectation.path, expected=_wanted(expectation), got=error.args[0], why=expectation.why)
        return
    if not _met(expectation, got):
        yield Failure(where=expectation.path, expected=_wanted(expectation), got=got, why=expectation.why)


def _met(expectation: Expectation, got: Any) -> bool:
    if expectation.present is not None:
        return expectation.present
    if expectation.between is not None:
        low, high = expectation.between
        return _is_number(got) and (low is None or got >= low) and (high is None or got <= high)
    if expectation.one_of is not None:
        return any(_equal(plain(one), got) for one in expectation.one_of)
    return _equal(plain(expectation.value), got)


def _wanted(expectation: Expectation) -> Value:
    if expectation.present is not None:
        return "present" if expectation.present else "absent"
    if expectation.between is not None:
        low, high = expectation.between
        return f"at most {high:g}" if low is None else f"at least {low:g}" if high is None else f"{low:g} to {high:g}"
    if expectation.one_of is not None:
        return "one of " + ", ".join(str(one) for one in expectation.one_of)
    return plain(expectation.value)


def record(sizing: Sizing) -> Recorded:
    """The conclusions of a sizing that people watch, by their paths in the document."""
    found: dict[str, Value] = {}
    for plan in sizing.plans:
        found |= {f"plans.{plan.name}.{figure}": getattr(plan, figure) for figure in PLAN_FIGURES}
        found |= {f"plans.{plan.name}.facility.{f}": getattr(plan.facility, f) for f in FACILITY_FIGURES}
    found |= {f"decisions.{d.id}.choice": d.choice for d in sizing.decisions}
    found |= {f"obligations.{o.id}.applies": o.applies for o in sizing.obligations}
    return Recorded(
        catalogue_version=sizing.catalogue_version,
        rules_version=sizing.rules_version,
        engine=sizing.engine,
        conclusions=plain(found),
    )


def _drift(then: Recorded | None, now: Recorded) -> Iterator[Failure]:
    if then is None:
        return
    for path in dict.fromkeys([*then.conclusions, *now.conclusions]):
        old, new = (r.conclusions.get(path, "nothing") for r in (then, now))
        if not _equal(old, new):
            yield Failure(where=path, expected=old, got=new)


def _state(then: Recorded | None, now: Recorded, failed: bool, drifted: bool) -> State:
    """Whose doing a difference is: the data's where its version changed, else the code's."""
    if failed:
        return "broken"
    if then is None:
        return "nothing recorded"
    if not drifted:
        return "identical"
    catalogue, rules = then.catalogue_version != now.catalogue_version, then.rules_version != now.rules_version
    if catalogue and rules:
        return "changed by catalogue and rules"
    if catalogue or rules:
        return "changed by catalogue" if catalogue else "changed by rules"
    return "changed by code"
