"""What is in use or paid today against what is wanted, demands joined on, and questions whether something fits."""

from __future__ import annotations

from functools import cache

import pytest

from assistant.interview.parser import ParseResult, parse
from knowledge.catalogue import Catalogue, load_catalogue


@cache
def catalogue() -> Catalogue:
    return load_catalogue()


def read(text: str) -> ParseResult:
    return parse(text, catalogue())


def value(text: str, field: str) -> object:
    mention = read(text).fields.get(field)
    return mention.value if mention else None


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("We currently pay OpenAI about 14k EUR a month for GPT-4o and want Qwen3 32B instead.", "qwen3-32b"),
        ("Statt wie bisher GPT-4 soll ein Qwen3 32B laufen, 150 Nutzer.", "qwen3-32b"),
        ("Hoy usamos Claude y pagamos 3.000 € al mes; queremos pasar a Qwen3 32B.", "qwen3-32b"),
        ("Obecnie płacimy 4000 EUR miesięcznie za GPT-4o; chcemy Qwen3 32B dla 100 osób.", "qwen3-32b"),
        ("目前我们用ChatGPT,每月花费2万元,想换成Qwen3-32B,200人使用。", "qwen3-32b"),
    ],
)
def test_what_is_used_and_paid_today_is_neither_wish_nor_budget(text: str, model: str) -> None:
    result = read(text)
    assert result.fields["models"].value == [model]
    assert "budget" not in result.fields
    assert not [doubt for doubt in result.ambiguous if doubt.field == "models"]


@pytest.mark.parametrize(
    ("text", "gpu"),
    [
        ("We are replacing our 16 A100s with H200, 200 users.", "h200-sxm-141gb"),
        ("Estamos substituindo 4 A100 por 4 H200 para 80 usuários.", "h200-sxm-141gb"),
        ("Die 8 V100 sollen durch 4 L40S ersetzt werden.", "l40s"),
        ("We have four DGX A100. The wish is 16 H200 to replace them.", "h200-sxm-141gb"),
    ],
)
def test_hardware_that_goes_is_not_sized(text: str, gpu: str) -> None:
    assert [entry["gpu"] for entry in read(text).fields["gpus"].value] == [gpu]


def test_a_budget_beside_what_is_paid_today_is_the_budget() -> None:
    text = "Wir zahlen derzeit rund 6.500 € im Monat an Azure OpenAI. Budget für die Eigenlösung: 400.000 €."
    assert value(text, "budget") == {"amount": 400_000, "currency": "EUR"}
    assert value(text, "hosting") is None


@pytest.mark.parametrize(
    "text",
    [
        "Chatbot über unsere Betriebshandbücher, 120 Nutzer.",
        "A chatbot over our manuals for 300 technicians.",
        "Un assistant sur nos procédures internes pour 90 employés.",
        "Chatbot sui nostri manuali tecnici, 50 tecnici.",
    ],
)
def test_a_chatbot_that_answers_from_documents_is_retrieval(text: str) -> None:
    assert value(text, "workload") == "rag"


def test_people_served_what_a_training_made_are_a_group_of_their_own() -> None:
    tuned, served = read("We finetune Mistral 7B with LoRA every week, and serve it to 80 agents.").groups
    assert tuned.fields["workload"].value == "finetuning"
    assert served.fields["users_total"].value == 80
    assert served.fields["models"].value == tuned.fields["models"].value


def test_what_is_joined_on_with_a_model_of_its_own_is_a_group() -> None:
    text = (
        "10k images/day with SDXL, plus captions from Qwen2.5-VL-7B, plus 50 marketing people chatting with "
        "Mistral Small."
    )
    images, captions, chat = read(text).groups
    assert images.fields["models"].value == ["stable-diffusion-xl-base-1.0"]
    assert captions.fields["models"].value == ["qwen2.5-vl-7b-instruct"]
    assert (chat.fields["users_total"].value, chat.fields["workload"].value) == (50, "chat")


def test_a_variant_of_a_name_is_never_another_model_in_silence() -> None:
    small = read("80 lawyers on Mistral Small.")
    assert "small" in small.fields["models"].value[0]
    assert [doubt.field for doubt in small.ambiguous] == ["models"]
    unknown = read("80 lawyers on Llama 4 Behemoth.")
    assert "llama-4-scout-17b-16e-instruct" not in unknown.fields["models"].value
    assert any("not in the catalogue" in doubt.question for doubt in unknown.ambiguous)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Can our 2 DGX A100 do a full fine-tune of Llama 3.1 8B over the weekend?", "fits"),
        ("¿Podemos servir Llama 3.3 70B a 100 usuarios con 4 A100?", "fits"),
        ("Kann man Qwen3 32B auf einer L40S mit 20 gleichzeitigen Nutzern betreiben?", "fits"),
        ("Wir haben 4 L40S und wollen Llama 3.3 70B für 80 Nutzer. Reicht das?", "enough"),
        ("What is better for us, 8 L40S or 4 H100, for Qwen3 32B?", "compare"),
    ],
)
def test_a_question_is_kept_with_what_it_is_about(text: str, kind: str) -> None:
    asked = read(text).asks
    assert [one.kind for one in asked] == [kind]
    assert asked[0].entities


def test_a_weekend_is_a_limit_for_a_training() -> None:
    assert value("Wir wollen Qwen3 8B übers Wochenende nachtrainieren.", "deadline_days") == 2


@pytest.mark.parametrize(
    ("text", "field", "expected"),
    [
        ("Chatbot pour 200 employés, réponse en moins de 2 secondes.", "ttft_ms", 2000),
        ("La respuesta debe llegar en menos de 2 segundos, 100 usuarios.", "ttft_ms", 2000),
        ("About 300 tokens in the prompt, 150 tokens in the answer, 40 users.", "input_tokens", 300),
        ("We have 1,500 hours of calls per day to transcribe.", "audio_hours_per_day", 1500),
        ("Our 400 kW connection, H200.", "site_power_kw", 400),
        ("Our 400 kW connection, H200.", "users_concurrent", None),
        ("2,000 staff, a few dozen at once.", "users_concurrent", None),
        ("Un asistente para unos 300 usuarios.", "users_total", 300),
        ("Las H100 están bien, queremos 8 de ellas.", "gpus", [{"gpu": "h100-sxm-80gb", "count": 8}]),
        ("The L40S looks right for us, we'd take 16 of them.", "gpus", [{"gpu": "l40s", "count": 16}]),
        ("2 DGX A100 (40GB)", "gpus", [{"gpu": "a100-sxm-40gb", "count": 16}]),
    ],
)
def test_a_figure_belongs_to_its_unit(text: str, field: str, expected: object) -> None:
    assert value(text, field) == expected


@pytest.mark.parametrize("text", ["maybe 15% use it daily", "Der Server-Raum hat 2 Racks"])
def test_a_part_of_a_word_is_no_date_and_no_address(text: str) -> None:
    assert read(text).context == ()


def test_two_usable_feeds_carry_twice_and_two_that_back_each_other_up_once() -> None:
    # sqrt(3) x 400 V x 63 A = 43.65 kW, and x 32 A = 22.17 kW
    both = read("There are two 400 V / 63 A three-phase feeds into the room, both usable.")
    assert both.derived["site_power_kw"].value == 87.3
    spare = read("Zwei Zuleitungen 400 V 32 A dreiphasig, die zweite ist reine Redundanz.")
    assert spare.derived["site_power_kw"].value == 22.2
