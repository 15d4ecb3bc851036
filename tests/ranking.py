"""The oracle of the ranking: how far the answers to each open question can bring the plan, by trying them all."""

from __future__ import annotations

import random
from itertools import combinations

from assistant.conclusions.questions import open_questions, outlook, plausible
from assistant.interview.assume import complete
from assistant.interview.brief import Answer, Brief
from assistant.interview.questions import Kind, Question
from assistant.planning.chain import Planner
from assistant.planning.settled.outline import Outline, moved_by
from assistant.result import Sizing
from knowledge.catalogue import Catalogue

MOST_STATED = 9
WORKLOADS = ("chat", "rag", "coding", "agents", "summarising", "batch", "embeddings", "finetuning", "pretraining")


def generated(seed: int, catalogue: Catalogue, workloads: tuple[str, ...] = WORKLOADS) -> Brief:
    """A brief that states a purpose, mostly, and some other things, each with one of its plausible values."""
    chance = random.Random(seed)
    brief = Brief()
    if chance.random() < 0.9:
        brief = brief.with_answers([Answer(field="workload", value=chance.choice(workloads))])
    for _ in range(chance.randrange(MOST_STATED)):
        completed = complete(brief, catalogue)
        choices = [a for q in open_questions(brief, completed) for a in plausible(q, completed)]
        brief = brief.with_answers([chance.choice(choices)])
    return brief


def tried(question: Question, completed: Brief) -> list[Answer]:
    """What the ranking tries, and the geometric middle of a range."""
    answers = plausible(question, completed)
    if len(answers) == 2 and all(isinstance(a.value, (int, float)) and a.value > 0 for a in answers):
        middle = (answers[0].value * answers[1].value) ** 0.5
        middle = round(middle) if question.type is Kind.INTEGER else middle
        answers.append(answers[0].model_copy(update={"value": middle}))
    return answers


def influence(brief: Brief, planner: Planner, catalogue: Catalogue) -> dict[str, float]:
    """Open question -> how far apart its answers can bring the plan, the accelerator chosen anew for each."""
    completed = complete(brief, catalogue)
    found: dict[str, float] = {}
    for question in open_questions(brief, completed):
        briefs = [brief, *(brief.with_answers([answer]) for answer in tried(question, completed))]
        reached = [plan for one in briefs if (plan := outlook(planner.course(one))) is not None]
        found[question.id] = max((moved_by(one, other) for one, other in combinations(reached, 2)), default=0.0)
    return found


def document_outline(sizing: Sizing) -> Outline:
    """What people watch, read from a whole sizing document."""
    plan = sizing.plan()
    return Outline(
        accelerator=plan.accelerator,
        gpus=plan.gpus,
        servers=sum(server.count for server in plan.servers if server.role == "gpu"),
        nominal_it_kw=plan.facility.nominal_it_kw,
        racks=plan.facility.racks,
        fits=plan.fits,
        decisions={d.id: d.choice for d in sizing.decisions if d.id != "accelerator"},
        duties={duty.id: str(duty.applies) for duty in sizing.obligations},
    )
