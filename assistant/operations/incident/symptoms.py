"""Incidents without a log: failure modes ranked by what is said, the next question and check by what they would tell.

Every mode begins alike. Words that point at it, answers that speak for it and checks that came out multiply its weight
by their likelihood under it (Bayes' rule); the likelihoods are our judgement and the same for all modes. The next
question, and the next check, is the one that is expected to take the most uncertainty away, in bits (Shannon).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from difflib import get_close_matches
from math import log2

from assistant.operations.triage.diagnose import authority
from assistant.operations.triage.findings import Authority, Check
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from knowledge.evidence import Frozen
from knowledge.schema.operations import Action, Category, FailureMode, IncidentQuestion

MOST = 6
"""Failure modes worth showing; what ranks lower has one vague word in common."""
SPOKEN_FOR = 6.0
"""An answer is given so much more often where a mode stands under it than where it does not."""
WORDS = 16.0
"""An expression that only one mode has makes it so much likelier; of n modes that share one, by its n**-0.5th power."""
SHOWS = (0.9, 0.8, 0.7)
"""How often a mode's first, second and further checks come out abnormal where it is the cause."""
STRAY = 0.1
"""How often a check comes out abnormal though another mode is the cause."""
ENOUGH_BITS = 0.05
"""A question or check that would tell less is not worth asking."""


class Suspect(Frozen):
    """A failure mode with the words and answers that point at it; ``share`` is its probability among all (0 to 1)."""

    mode: str
    name: str
    category: Category
    action: Action
    share: float
    words: tuple[str, ...]
    meaning: str
    causes: tuple[str, ...]
    checks: tuple[Check, ...]
    sources: tuple[Authority, ...]


class NextCheck(Frozen):
    """A check worth making: what it would tell in ``bits``; ``decides`` are the modes it tests."""

    command: str
    expected: str
    rules_out: str | None
    decides: tuple[str, ...]
    bits: float


class Choice(Frozen):
    """One answer that can be given."""

    id: str
    text: str


class NextQuestion(Frozen):
    """The question that would tell most, in ``bits``."""

    id: str
    text: str
    why: str
    answers: tuple[Choice, ...]
    bits: float


class Suspicion(Frozen):
    """Ranked suspects for an incident, and what to ask and look at next.

    ``answers`` are those given, by question; ``checked`` says of each check that was made whether it came out as
    expected.
    """

    symptom: str
    answers: dict[str, str]
    checked: dict[str, bool]
    suspects: tuple[Suspect, ...]
    next_question: NextQuestion | None
    next_checks: tuple[NextCheck, ...]


def suspect(
    symptom: str,
    catalogue: Catalogue,
    answers: Mapping[str, str] | None = None,
    checked: Mapping[str, bool] | None = None,
    skipped: Set[str] = frozenset(),
) -> Suspicion:
    """Failure modes that ``symptom`` (free text), ``answers`` and ``checked`` point at, the likeliest first.

    ``skipped`` questions and checks are not offered again; ``*`` among them stands for all questions. Where nothing
    points anywhere there is no suspect, but there is a question. Raises BadInput for a question, an answer or a check
    that is not known.
    """
    answers, checked = dict(answers or {}), dict(checked or {})
    questions: Mapping[str, IncidentQuestion] = catalogue.entries("incident_questions")
    modes = _candidates(catalogue, questions)
    _check_answers(answers, questions)
    _check_checks(checked, modes)
    shared = Counter(expression for mode in modes for expression in mode.symptoms)
    found = {mode.id: _found(mode, symptom) for mode in modes}
    said = {ident: tuple(dict.fromkeys(words.values())) for ident, words in found.items()}
    spoken = {ident: sum(shared[e] ** -0.5 for e in words) for ident, words in found.items()}
    weights = {mode.id: _weight(mode, spoken[mode.id], answers, checked, questions) for mode in modes}
    total = sum(weights.values())
    shares = {ident: weight / total for ident, weight in weights.items()}
    pointed = [mode for mode in modes if said[mode.id] or any(_speaks(questions, answers, mode.id))]
    pointed.sort(key=lambda mode: (-shares[mode.id], mode.depth, mode.id))
    because = {mode.id: (*said[mode.id], *_speaks(questions, answers, mode.id)) for mode in pointed}
    return Suspicion(
        symptom=symptom,
        answers=answers,
        checked=checked,
        suspects=tuple(_suspect(mode, shares, because[mode.id], catalogue) for mode in pointed[:MOST]),
        next_question=None if "*" in skipped else _next_question(questions, {*answers, *skipped}, shares),
        next_checks=_next_checks(modes, {*checked, *skipped}, shares) if pointed else (),
    )


def _candidates(catalogue: Catalogue, questions: Mapping[str, IncidentQuestion]) -> tuple[FailureMode, ...]:
    """The modes that words or answers can point at."""
    named = {mode for question in questions.values() for answer in question.answers for mode in answer.speaks_for}
    modes: Sequence[FailureMode] = tuple(catalogue.entries("failure_modes").values())
    return tuple(mode for mode in modes if mode.symptoms or mode.id in named)


def _check_answers(answers: Mapping[str, str], questions: Mapping[str, IncidentQuestion]) -> None:
    for name, given in answers.items():
        if name not in questions:
            raise BadInput("--answer", name, f"a question: {', '.join(questions)}", _near(name, questions))
        known = [answer.id for answer in questions[name].answers]
        if given not in known:
            raise BadInput(f"--answer {name}", given, f"one of {', '.join(known)}", _near(given, known))


def _check_checks(checked: Mapping[str, bool], modes: Sequence[FailureMode]) -> None:
    known = {check.command for mode in modes for check in mode.checks}
    for command in checked:
        if command not in known:
            raise BadInput("--check", command, "the command of a check, as it is shown", _near(command, known))


def _near(given: str, known: Mapping[str, object] | Sequence[str] | set[str]) -> tuple[str, ...]:
    return tuple(get_close_matches(given, list(known), n=2))


def _found(mode: FailureMode, symptom: str) -> dict[str, str]:
    """The mode's expressions that the symptom holds, with the words."""
    found = {expression: re.search(expression, symptom[:2000], re.IGNORECASE) for expression in mode.symptoms}
    return {expression: match.group(0) for expression, match in found.items() if match}


def _speaks(questions: Mapping[str, IncidentQuestion], answers: Mapping[str, str], mode: str) -> tuple[str, ...]:
    """The answers given that speak for a mode, in words."""
    given = (a for name, ident in answers.items() for a in questions[name].answers if a.id == ident)
    return tuple(answer.text for answer in given if mode in answer.speaks_for)


def _weight(
    mode: FailureMode,
    spoken: float,
    answers: Mapping[str, str],
    checked: Mapping[str, bool],
    questions: Mapping[str, IncidentQuestion],
) -> float:
    weight = float(WORDS**spoken)
    for name, given in answers.items():
        weight *= _answers(questions[name], mode.id)[given]
    for command, as_expected in checked.items():
        shows = _shows(mode, command)
        weight *= 1 - shows if as_expected else shows
    return weight


def _answers(question: IncidentQuestion, mode: str) -> dict[str, float]:
    """How likely each answer is where ``mode`` is the cause."""
    weights = {answer.id: SPOKEN_FOR if mode in answer.speaks_for else 1.0 for answer in question.answers}
    total = sum(weights.values())
    return {ident: weight / total for ident, weight in weights.items()}


def _shows(mode: FailureMode, command: str) -> float:
    """How likely a check is to come out abnormal where ``mode`` is the cause."""
    ranks = [rank for rank, check in enumerate(mode.checks) if check.command == command]
    return SHOWS[min(ranks[0], len(SHOWS) - 1)] if ranks else STRAY


def information_bits(shares: Mapping[str, float], outcomes: Sequence[Mapping[str, float]]) -> float:
    """What an observation is expected to tell of which mode it is: the mutual information of the two, in bits.

    ``outcomes`` hold for each outcome its probability under every mode of ``shares``.
    """
    told = 0.0
    for outcome in outcomes:
        overall = sum(shares[mode] * outcome[mode] for mode in shares)
        told += sum(
            shares[mode] * outcome[mode] * log2(outcome[mode] / overall)
            for mode in shares
            if shares[mode] > 0 and outcome[mode] > 0
        )
    return max(0.0, told)


def _next_question(
    questions: Mapping[str, IncidentQuestion], passed: Set[str], shares: Mapping[str, float]
) -> NextQuestion | None:
    worth: list[tuple[float, IncidentQuestion]] = []
    for name, question in questions.items():
        if name not in passed:
            likely = {mode: _answers(question, mode) for mode in shares}
            outcomes = [{mode: likely[mode][answer.id] for mode in shares} for answer in question.answers]
            worth.append((information_bits(shares, outcomes), question))
    bits, best = max(worth, key=lambda pair: pair[0], default=(0.0, None))
    if best is None or bits < ENOUGH_BITS:
        return None
    choices = tuple(Choice(id=answer.id, text=answer.text) for answer in best.answers)
    return NextQuestion(id=best.id, text=best.text, why=best.why, answers=choices, bits=bits)


def _next_checks(modes: Sequence[FailureMode], passed: Set[str], shares: Mapping[str, float]) -> tuple[NextCheck, ...]:
    checks = {check.command: check for mode in modes for check in mode.checks if check.command not in passed}
    found: list[NextCheck] = []
    for command, check in checks.items():
        shows = {mode.id: _shows(mode, command) for mode in modes}
        bits = information_bits(shares, [shows, {mode: 1 - p for mode, p in shows.items()}])
        decides = tuple(m.id for m in modes if any(c.command == command for c in m.checks))
        found.append(NextCheck(**check.model_dump(), decides=decides, bits=bits))
    found.sort(key=lambda one: (-one.bits, one.command))
    return tuple(one for one in found[:3] if one.bits >= ENOUGH_BITS)


def _suspect(mode: FailureMode, shares: Mapping[str, float], words: tuple[str, ...], catalogue: Catalogue) -> Suspect:
    return Suspect(
        mode=mode.id,
        name=mode.name,
        category=mode.category,
        action=mode.action,
        share=shares[mode.id],
        words=words,
        meaning=mode.meaning,
        causes=mode.causes,
        checks=tuple(Check(**check.model_dump()) for check in mode.checks),
        sources=tuple(authority(ident, catalogue) for ident in mode.sources),
    )
