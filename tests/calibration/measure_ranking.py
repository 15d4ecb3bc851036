"""How often the truly most influential open question is asked first, by brute force over whole sizings.

``python tests/calibration/measure_ranking.py [BRIEFS] [SEED]`` generates briefs, sizes each with every plausible answer
to every open question (more answers than the ranking tries, and with the accelerator chosen anew), and prints the
share of briefs whose first question moves the plan as far as any other does.
"""

from __future__ import annotations

import random
import sys
import time
from itertools import combinations
from unittest import mock

from assistant.interview.assume import complete
from assistant.interview.brief import Answer, Brief
from assistant.interview.questions import Kind, Question
from assistant.outline import Outline, moved_by, outline_of
from assistant.questions_next import open_questions, plausible
from assistant.service import Assistant
from knowledge.errors import BadInput

MOST_STATED = 9
WORKLOADS = ("chat", "rag", "coding", "agents", "summarising", "batch", "embeddings", "finetuning", "pretraining")


def generated(seed: int, assistant: Assistant) -> Brief:
    """A brief that states a purpose, mostly, and some other things, each with one of its plausible values."""
    chance = random.Random(seed)
    brief = Brief()
    if chance.random() < 0.9:
        brief = brief.with_answers([Answer(field="workload", value=chance.choice(WORKLOADS))])
    for _ in range(chance.randrange(MOST_STATED)):
        completed = complete(brief, assistant.catalogue)
        choices = [a for q in open_questions(brief, completed) for a in plausible(q, completed)]
        brief = brief.with_answers([chance.choice(choices)])
    return brief


def tried(question: Question, completed: Brief) -> list[Answer]:
    """What the ranking tries, the geometric middle of a range, and every choice."""
    answers = plausible(question, completed)
    if len(answers) == 2 and all(isinstance(a.value, (int, float)) and a.value > 0 for a in answers):
        middle = (answers[0].value * answers[1].value) ** 0.5
        middle = round(middle) if question.type is Kind.INTEGER else middle
        answers.append(answers[0].model_copy(update={"value": middle}))
    if question.type is Kind.CHOICE and question.plausible:
        answers.extend(Answer(field=question.id, value=v) for v in question.values if v not in question.plausible)
    return answers


def whole(brief: Brief, assistant: Assistant) -> Outline | None:
    """The outline of the whole sizing, with the accelerator chosen anew."""
    try:
        return outline_of(assistant.size(brief))
    except BadInput:
        return None


def influence(brief: Brief, assistant: Assistant) -> dict[str, float]:
    """Open question -> how far apart its answers can bring the plan."""
    completed = complete(brief, assistant.catalogue)
    here = whole(brief, assistant)
    found: dict[str, float] = {}
    for question in open_questions(brief, completed):
        reached = [here, *(whole(brief.with_answers([a]), assistant) for a in tried(question, completed))]
        pairs = combinations([plan for plan in reached if plan is not None], 2)
        found[question.id] = max((moved_by(one, other) for one, other in pairs), default=0.0)
    return found


def main() -> None:
    briefs, first = (int(word) for word in [*sys.argv[1:], "40", "0"][:2])
    assistant = Assistant()
    hits = near = counted = 0
    for seed in range(first, first + briefs):
        brief = generated(seed, assistant)
        begun = time.process_time()
        asked = [q.id for q in assistant.size(brief).next_questions]
        spent = time.process_time() - begun
        with (
            mock.patch("assistant.planner.rank_questions", return_value=()),
            mock.patch("assistant.advice.all_flips", return_value={}),
        ):
            truth = influence(brief, assistant)
        if not asked:
            continue
        counted += 1
        most = max(truth.values())
        hits += truth[asked[0]] >= most - 1e-9
        near += truth[asked[0]] >= 0.9 * most
        best = sorted(truth, key=lambda f: -truth[f])[:3]
        told = {f: a.value for f, a in brief.answers.items()}
        shown = ", ".join(f"{f} {truth[f]:.2f}" for f in best)
        mark = "ok  " if truth[asked[0]] >= most - 1e-9 else "MISS"
        print(
            f"{mark} {seed}: asked {asked[0]} {truth[asked[0]]:.2f}; truly {shown} ({spent:.2f} s) {told}", flush=True
        )
    print(f"{hits} of {counted} exactly ({hits / counted:.1%}), {near} within a tenth ({near / counted:.1%})")


if __name__ == "__main__":
    main()
