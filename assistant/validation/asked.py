"""How well questions are answered: right, declined or confidently wrong, by part and kind.

The questions ship with the program: public ones with their source, or composed, each with what a right answer must and
must not say in its first sentences. Statements and patterns were written with those of the part ``shown`` in view;
those of ``later`` were first scored when that was done, and mended by kind after that.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from assistant.asking.answer import Answer
from assistant.asking.ask import ask
from assistant.asking.library import Library
from knowledge.evidence import Frozen

FILE = Path(__file__).parent / "questions" / "questions.jsonl"
SHOWN = 57
"""Questions of the file, from the first, that were in view from the start."""

READ = 400
"""Characters of an answer in which it must be: nobody reads further for yes or no."""


class Case(Frozen):
    """A question, and what its answer is judged by."""

    id: str
    lang: str
    question: str
    source: str
    kind: str
    must: str | None
    must_not: str | None
    verdict: str | None
    may_decline: bool
    must_decline: bool
    reason: str


class Row(Frozen):
    """Counts over questions of a part, or of a kind within it."""

    part: str
    name: str
    questions: int
    right: int
    declined: int
    wrong: int


class QuestionReport(Frozen):
    """The scores by part and by kind."""

    catalogue_version: str
    parts: tuple[Row, ...]
    by_kind: tuple[Row, ...]


def cases() -> Iterator[tuple[str, Case]]:
    """All shipped questions with the part that each belongs to."""
    for number, line in enumerate(FILE.read_text(encoding="utf-8").splitlines()):
        yield ("shown" if number < SHOWN else "later"), Case.model_validate(json.loads(line))


def judged(case: Case, answer: Answer) -> str:
    """``right``, ``declined`` or ``wrong``."""
    if answer.declined:
        return "right" if case.may_decline or case.must_decline else "declined"
    if case.must_decline:
        return "wrong"
    text = answer.answer[:READ]
    says = case.must is None or re.search(case.must, text, re.IGNORECASE | re.DOTALL)
    denies = case.must_not is not None and re.search(case.must_not, text, re.IGNORECASE | re.DOTALL)
    return "right" if says and not denies else "wrong"


def measure(library: Library) -> QuestionReport:
    """Every shipped question asked and judged."""
    found: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for part, case in cases():
        result = judged(case, ask(case.question, library))
        for name in ("all", case.kind):
            found[part, name][result] += 1
    return QuestionReport(
        catalogue_version=library.catalogue.version,
        parts=tuple(_rows(found, whole=True)),
        by_kind=tuple(_rows(found, whole=False)),
    )


def _rows(found: dict[tuple[str, str], Counter[str]], whole: bool) -> Iterable[Row]:
    for (part, name), counts in sorted(found.items()):
        if (name == "all") is whole:
            right, declined, wrong = (counts[result] for result in ("right", "declined", "wrong"))
            yield Row(part=part, name=name, questions=counts.total(), right=right, declined=declined, wrong=wrong)
