"""What it is for when nobody says so in one word, and ranges and times said in two numbers."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pytest

from assistant.interview.parser import ParseResult, parse, to_answers
from knowledge.catalogue import Catalogue, load_catalogue


@lru_cache(maxsize=1)
def _catalogue() -> Catalogue:
    return load_catalogue()


def _parse(text: str) -> ParseResult:
    return parse(text, _catalogue())


def _value(text: str, field: str) -> Any:
    mention = _parse(text).fields.get(field)
    return None if mention is None else mention.value


@pytest.mark.parametrize(
    ("text", "workload"),
    [
        # A named model exists, so that training it is fine-tuning.
        ("for training llama 70b on 8xH100", "finetuning"),
        ("wir wollen Llama 3.1 70B trainieren", "finetuning"),
        ("pour entraîner Llama 3.1 70B", "finetuning"),
        ("a training cluster with 64 H100", "pretraining"),
        ("gpus needed to train these models?", "pretraining"),
        ("two machines, need them to train together", "pretraining"),
        ("cluster d'entraînement", "pretraining"),
        ("用于训练大模型", "pretraining"),
        ("long-context tuning on 8xA100", "finetuning"),
        ("inference and training", "mixed"),
        ("Training und Inferenz", "mixed"),
        ("entraînement et inférence", "mixed"),
        ("entrenamiento y/o inferencia", "mixed"),
        ("训练和推理", "mixed"),
        ("chatbot for 200 users and some training", "mixed"),
        ("Chatbot für 200 Nutzer und etwas Training", "mixed"),
    ],
)
def test_training_that_is_meant(text: str, workload: str) -> None:
    assert _value(text, "workload") == workload


@pytest.mark.parametrize(
    "text",
    [
        "no training",
        "ohne Training",
        "our training data is 3 TB",
        "to train our staff",
        "performance tuning of NCCL",
        "a trained model",
    ],
)
def test_training_that_is_not_meant(text: str) -> None:
    assert _value(text, "workload") is None


def test_which_training_is_asked_where_it_was_not_said() -> None:
    doubt = next(a for a in _parse("a training cluster with 64 H100").ambiguous if a.field == "workload")
    assert doubt.candidates == ("pretraining", "finetuning")
    assert not [a for a in _parse("fine-tune llama 70b").ambiguous if a.field == "workload"]


@pytest.mark.parametrize(
    ("text", "workload"),
    [
        ("300 streams, which VLM can one A100 carry", "video"),
        ("i only get 10 pages/s on a H100", "ocr"),
        ("CosyVoice for 40 channels", "speech"),
        ("Cluster aus CPU- und Multi-GPU-Knoten", "hpc"),
        ("serve Llama 3.3 70B to 5 people", "chat"),
    ],
)
def test_signs_of_a_workload(text: str, workload: str) -> None:
    result = _parse(text)
    assert "workload" not in result.fields
    assert result.derived["workload"].value == workload


def test_a_likely_use_answers_no_question() -> None:
    result = _parse("serve Llama 3.3 70B to 5 people")
    assert not result.derived["workload"].sure
    assert "workload" not in {answer.field for answer in to_answers(result)}


@pytest.mark.parametrize(
    ("text", "field", "low", "high"),
    [
        ("entre 100 y 1000 UTM", "budget", 100, 1000),
        ("between 200 and 300 users", "users_total", 200, 300),
        ("zwischen 200 und 300 Nutzern", "users_total", 200, 300),
        ("entre 200 et 300 utilisateurs", "users_total", 200, 300),
        ("entre 1.000 e 2.000 usuários", "users_total", 1000, 2000),
        ("between 1 and 2 million euros", "budget", 1_000_000, 2_000_000),
    ],
)
def test_ranges_in_words(text: str, field: str, low: float | None, high: float | None) -> None:
    mention = _parse(text).fields[field]
    assert (mention.low, mention.high) == (low, high)


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("10,5 TB Trainingsdaten", "dataset_tb", 10.5),
        ("a dataset of 10.5 TB", "dataset_tb", 10.5),
        ("10,5 To de données", "dataset_tb", 10.5),
        ("train llama 70b in 90 days", "deadline_days", 90),
        ("15T tokens in 90 days", "deadline_days", 90),
        ("15T tokens in 90 days", "training_tokens", 15e12),
        ("entraîner en 90 jours", "deadline_days", 90),
        ("Training in 3 Wochen", "deadline_days", 21),
    ],
)
def test_amounts_and_times(text: str, field: str, value: float) -> None:
    assert _value(text, field) == value
