"""The question set: complete, in two languages, and in an order in which assumptions look only backwards."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from assistant.interview.brief import Answer, Brief, Status
from assistant.interview.noted import NOTED
from assistant.interview.questions import (
    AUDIENCES,
    Question,
    Questions,
    holds,
    load_questions,
    question,
)
from assistant.interview.validation import validate
from assistant.messages import LANGUAGES
from knowledge.catalogue import load_catalogue
from knowledge.errors import BadInput

CONTRACT_FIELDS = [
    "workload",
    "models",
    "parameters_b",
    "weight_dtype",
    "context_tokens",
    "input_tokens",
    "output_tokens",
    "users_total",
    "users_concurrent",
    "requests_per_s",
    "ttft_ms",
    "tpot_ms",
    "gpus",
    "hosting",
    "country",
    "site_power_kw",
    "rack_kw",
    "budget",
    "network",
    "training_tokens",
    "deadline",
]


def test_every_field_of_the_public_contract_has_its_question() -> None:
    assert set(CONTRACT_FIELDS) <= set(load_questions().by_id())


@pytest.mark.parametrize("asked", load_questions().questions, ids=lambda q: q.id)
def test_a_question_is_whole(asked: Question) -> None:
    texts = [asked.wording.localised(lang, audience) for lang in LANGUAGES for audience in AUDIENCES]
    texts += [asked.why.localised(lang) for lang in LANGUAGES]
    assert all(text == text.strip() and text for text in texts)
    assert (
        all(text.endswith("?") for text in texts[:4]) or asked.id == "notes" or asked.wording.engineer.en.endswith("?")
    )
    assert asked.waits or asked.id in {"notes", *NOTED}, "nothing waits for the answer: why ask?"


@pytest.mark.parametrize("asked", load_questions().questions, ids=lambda q: q.id)
def test_the_example_of_a_question_is_an_answer_to_it(asked: Question) -> None:
    assert validate(asked.id, asked.example, load_catalogue()).field == asked.id


@pytest.mark.parametrize("asked", [q for q in load_questions().questions if q.choices], ids=lambda q: q.id)
def test_each_choice_answers_by_number_value_label_and_synonym(asked: Question) -> None:
    for number, choice in enumerate(asked.choices, 1):
        for said in (str(number), choice.value, *choice.label.everywhere, *choice.synonyms):
            value = validate(asked.id, said).value
            assert value in (choice.value, [choice.value]), said


@pytest.mark.parametrize("asked", [q for q in load_questions().questions if q.assume], ids=lambda q: q.id)
def test_an_assumption_is_a_value_the_field_takes_and_its_range_holds_it(asked: Question) -> None:
    for ours in asked.assume:
        validate(asked.id, ours.value)
        likely = ours.value["mean"] if isinstance(ours.value, dict) else ours.value
        if ours.low is not None and ours.high is not None:
            assert ours.low <= likely <= ours.high
        assert all(source.startswith("https://") for source in ours.sources)


def test_the_short_path_has_at_most_seven_steps_for_any_workload() -> None:
    assert len({q.short for q in load_questions().questions if q.short is not None}) <= 7


def test_an_assumption_may_not_look_at_a_later_field() -> None:
    raw = load_questions().model_dump()
    raw["questions"] = list(reversed(raw["questions"]))
    with pytest.raises(ValidationError, match="later fields"):
        Questions.model_validate(raw)


def test_an_unknown_field_names_the_nearest() -> None:
    with pytest.raises(BadInput, match="users_total"):
        question("user_total")


def _brief(**values: object) -> Brief:
    return Brief().with_answers(Answer(field=k, value=v) for k, v in values.items())


def test_conditions() -> None:
    brief = _brief(workload="rag", staff_skills=["slurm"], air_gap=False)
    assert holds({"workload": ("chat", "rag")}, brief)
    assert not holds({"workload": ("chat",)}, brief)
    assert holds({"hosting": "open", "workload": "known"}, brief)
    assert holds({"hosting": ("on_prem", "open")}, brief)
    assert holds({"staff_skills": ("slurm",)}, brief)
    assert holds({"air_gap": (False,)}, brief)
    # Asked and not known: still open.
    assert holds({"models": "open"}, brief.with_answers([Answer(field="models", status=Status.ASSUMED)]))
