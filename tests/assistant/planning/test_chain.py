"""The chain from a brief to a settled design: what is kept is never stale, and a what-if is the whole sizing."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

import assistant.planning
from assistant.conclusions.questions import open_questions, outlook, plausible
from assistant.interview.assume import complete
from assistant.interview.brief import Answer, Brief
from assistant.interview.questions import Kind, Question, load_questions
from assistant.output import plain
from assistant.planning.chain import Course, Planner
from assistant.planning.settled.outline import Outline
from assistant.planning.settled.settled import Settled
from assistant.planning.stages import COST, COUNT, DEMANDS, FACTS, SETTLED, SITE, STAGES, Stage
from assistant.planning.view import Undeclared
from assistant.service import Assistant
from knowledge.errors import BadInput
from tests.ranking import WORKLOADS, document_outline, generated

SERVING = tuple(kind for kind in WORKLOADS if kind not in ("finetuning", "pretraining"))
NAMED = [Answer(field="gpus", value=[{"gpu": "h200-sxm-141gb", "count": 32}])]

TRIED: dict[str, tuple[object, ...]] = {
    "models": (["llama-3.1-8b"], ["llama-3.3-70b", "whisper-large-v3"]),
    "gpus": ([{"gpu": "h100-sxm-80gb", "count": 16}], [{"gpu": "mi300x", "count": None}]),
    "accelerator": ("l40s",),
    "server": ("dgx-h200",),
    "country": ("DE", "US"),
    "budget": ({"amount": 5e6, "currency": "EUR"}, {"amount": 1e4, "currency": "EUR", "per": "month"}),
    "prices": ("server 300000 EUR, kWh 0.18 EUR",),
    "refused_hardware": (["TPU v5"],),
    "vendor_excluded": (["nvidia"],),
    "staff_skills": (["slurm"],),
    "input_tokens": ({"mean": 500.0, "p95": 2000.0, "max": 8000.0},),
    "output_tokens": ({"mean": 200.0, "p95": 600.0, "max": 1000.0},),
}
"""Values for fields whose questions name none worth trying."""


@cache
def assistant_() -> Assistant:
    return Assistant()


def planner() -> Planner:
    """One that has made nothing yet."""
    return Planner(assistant_().catalogue, assistant_().rules)


def settled(course: Course) -> Settled | str:
    """The settled design, or the words in which it is refused."""
    try:
        return course.settled
    except (BadInput, ValueError) as error:
        return str(error)


def values(question: Question, completed: Brief) -> list[Answer]:
    """Plausible answers to any field, those that nobody is asked among them."""
    if question.id in TRIED:
        return [Answer(field=question.id, value=value) for value in TRIED[question.id]]
    if question.type in (Kind.NUMBER, Kind.INTEGER):
        least = question.min if question.min is not None else 1.0
        whole = int if question.type is Kind.INTEGER else float
        ours = completed.value(question.id)
        tried = (
            {whole(least), whole(max(least, 3 * (ours or 1)))}
            if question.max is None
            else {whole(max(least, min(question.max, 2 * (ours or 1)))), whole(least)}
        )
        return [Answer(field=question.id, value=value) for value in sorted(tried) if value]
    return plausible(question, completed)


@pytest.mark.parametrize("named", [False, True])
def test_what_is_kept_is_what_would_come_out_anew(named: bool) -> None:
    """Each field of the brief is turned over plausible values: kept stages and a fresh run agree on everything."""
    brief = Brief().with_answers([Answer(field="workload", value="rag"), *(NAMED if named else ())])
    used, turned = planner(), 0
    before = settled(used.course(brief))
    completed = complete(brief, assistant_().catalogue)
    for question in load_questions().questions:
        for answer in values(question, completed):
            asked = brief.with_answers([answer])
            assert settled(used.course(brief).what_if(answer)) == settled(planner().course(asked)), answer
            turned += 1
    assert turned > 100
    assert settled(used.course(brief)) == before


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_a_stage_sees_the_fields_that_it_declares_and_no_other(stage: Stage) -> None:
    known = set(load_questions().by_id())
    view = stage.view(Brief())
    assert set(stage.reads) <= known
    assert len(set(stage.reads)) == len(stage.reads)
    for field in sorted(known - set(stage.reads)):
        with pytest.raises(Undeclared, match=field):
            view.value(field)


ROOMS = {
    DEMANDS: ("demands/demand.py", "demands/serving.py", "demands/models.py"),
    COUNT: ("count/knobs.py", "count/named.py", "count/named_hardware.py", "count/ranking.py", "power.py"),
    SITE: ("site/place.py", "site/services.py", "site/storage.py", "power.py"),
    FACTS: ("settled/facts.py", "power.py"),
    SETTLED: ("settled/settled.py",),
    COST: ("site/costing.py",),
}
ASKED = frozenset({"get", "value", "stated"})


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_every_field_that_the_code_of_a_stage_names_is_declared(stage: Stage) -> None:
    """Also on ways that few briefs go: the first argument of ``brief.value``, ``brief.stated``, ``brief.get``."""
    folder = Path(assistant.planning.__path__[0])
    named = {
        node.args[0].value
        for file in ROOMS[stage]
        for node in ast.walk(ast.parse((folder / file).read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ASKED
        if isinstance(node.func.value, ast.Name) and node.func.value.id == "brief"
        if node.args and isinstance(node.args[0], ast.Constant)
    }
    assert named
    assert named <= set(stage.reads)


def shown(outline: Outline) -> object:
    """An outline as JSON has it, with six digits."""
    return plain(outline)


def agrees(seed: int, workloads: tuple[str, ...]) -> int:
    """How many outlooks of a generated brief were held against the whole sizing with that answer."""
    assistant, shared = assistant_(), planner()
    brief = generated(seed, assistant.catalogue, workloads)
    if seed % 4 == 3:
        brief = brief.with_answers(NAMED)
    completed, held = complete(brief, assistant.catalogue), 0
    asked = {question.id for question in assistant.size(brief).next_questions}
    for question in (q for q in open_questions(brief, completed) if q.id in asked):
        for answer in plausible(question, completed):
            one = brief.with_answers([answer])
            seen = outlook(shared.course(brief).what_if(answer))
            try:
                whole = document_outline(assistant.size(one, questions=False))
            except (BadInput, ValueError):
                assert seen is None
                continue
            assert seen is not None
            assert shown(seen) == shown(whole), (seed, answer)
            held += 1
    return held


@pytest.mark.parametrize("seed", range(6))
def test_the_outlook_of_every_next_question_is_the_whole_sizing_with_that_answer(seed: int) -> None:
    assert agrees(seed, SERVING) > 0


@pytest.mark.long
def test_so_it_is_for_generated_briefs(briefs: int) -> None:
    """Twenty of them, a seed each; ``--briefs 200`` takes minutes, and CI tries as many."""
    assert sum(agrees(seed, WORKLOADS) for seed in range(1000, 1000 + briefs)) > briefs
