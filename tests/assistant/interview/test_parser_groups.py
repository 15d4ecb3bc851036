"""Several demands in one message: each with its own users, models and loads; users are never summed."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pytest

from assistant.interview.parser import parse
from assistant.validation.intake import groups_right
from knowledge.catalogue import Catalogue, load_catalogue


@lru_cache(maxsize=1)
def _catalogue() -> Catalogue:
    return load_catalogue()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "Qwen2.5-Coder 32B for 200 developers and Llama 3.3 70B for 2,000 office workers",
            [{"users_total": 200}, {"users_total": 2000, "models": ["Llama 3.3 70B"]}],
        ),
        (
            "Deux usages : transcription de 60 heures d'audio par jour,"
            " et un assistant pour 450 conseillers dont 80 en même temps",
            [{"workload": "speech", "audio_hours_per_day": 60}, {"users_total": 450, "users_concurrent": 80}],
        ),
        (
            "300 investigadores harán ajuste fino de modelos 7B y además un chatbot para 20.000 estudiantes",
            [{"users_total": 300, "workload": "finetuning"}, {"users_total": 20000, "workload": "chat"}],
        ),
        (
            "a) Programmierhilfe für 80 Entwickler, davon 20 gleichzeitig; b) Vektorsuche über 4 Mio. Dokumente",
            [
                {"workload": "coding", "users_total": 80, "users_concurrent": 20},
                {"workload": "embeddings", "documents": 4000000},
            ],
        ),
        (
            "개발자 90명은 코딩 어시스턴트를 쓰고 동시 25명, 일반 직원 1,500명은 챗봇을 씁니다(동시 120명).",
            [{"users_total": 90, "users_concurrent": 25}, {"users_total": 1500, "users_concurrent": 120}],
        ),
        (
            "Twee toepassingen: een chatassistent voor 1.400 ambtenaren (90 tegelijk) en het samenvatten van 600 "
            "brieven per dag.",
            [
                {"workload": "chat", "users_total": 1400, "users_concurrent": 90},
                {"workload": "summarising", "amount": {"value": 600, "unit": "documents", "per": "day"}},
            ],
        ),
    ],
)
def test_demands_are_told_apart(text: str, wanted: list[dict[str, Any]]) -> None:
    result = parse(text, _catalogue())
    assert len(result.groups) == len(wanted)
    assert groups_right(wanted, result, _catalogue()), result.groups
    users = [group["users_total"] for group in wanted if "users_total" in group]
    assert len(users) < 2 or result.fields["users_total"].value == users[0]


@pytest.mark.parametrize(
    "text",
    [
        "A chatbot with RAG for 200 users on Llama 3.1 70B or Qwen2.5-72B, 40 concurrent",
        "We have 500 users, 50 of them at the same time, 8 x H100, 4k prompts",
        "Company of 5,000 employees, 300 users of the assistant",
    ],
)
def test_one_demand_is_one_group(text: str) -> None:
    assert len(parse(text, _catalogue()).groups) == 1


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("30 images per minute", (30, "images", "minute")),
        ("an API bill of 30 M tokens a day", (30_000_000, "tokens", "day")),
        ("25.000 contratti al mese", (25_000, "documents", "month")),
        ("每天处理5万份合同", (50_000, "documents", "day")),
        ("600 CT studies a day", (600, "studies", "day")),
        ("1日3000万トークンを処理", (30_000_000, "tokens", "day")),
        ("300 umów dziennie", (300, "documents", "day")),
        ("2 billion vectors", (2_000_000_000, "vectors", None)),
    ],
)
def test_loads_are_kept_in_the_unit_they_were_said_in(text: str, amount: tuple[float, str, str | None]) -> None:
    (group,) = parse(text, _catalogue()).groups
    assert group.amount is not None
    assert (group.amount.value, group.amount.unit, group.amount.per) == amount
    assert text[group.amount.start : group.amount.end] == group.amount.text
