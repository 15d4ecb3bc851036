"""What single phrases mean: vocabulary and number habits, each with the value that a reader would give."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pytest

from assistant.interview.parser import parse
from assistant.interview.parser.text import language
from knowledge.catalogue import Catalogue, load_catalogue

H100 = "h100-sxm-80gb"
A100 = "a100-sxm-80gb"


@lru_cache(maxsize=1)
def _catalogue() -> Catalogue:
    return load_catalogue()


def _value(text: str, field: str) -> Any:
    mention = parse(text, _catalogue()).fields.get(field)
    return None if mention is None else mention.value


@pytest.mark.parametrize(
    ("text", "gpu", "count"),
    [
        ("8xH100", H100, 8),
        ("8 x H100", H100, 8),
        ("8*H100", H100, 8),
        ("8×H100", H100, 8),
        ("H100 x 8", H100, 8),
        ("2 * H800 * 8", "h800-sxm-80gb", 16),
        ("2x8xH100", H100, 16),
        ("2x 8 H100", H100, 16),
        ("4 nodes with 8 H100", H100, 32),
        ("4 Knoten mit je 8 H100", H100, 32),
        ("five H100 nodes with 8 GPUs each", H100, 40),
        ("4台8卡H100", H100, 32),
        ("8卡H100", H100, 8),
        ("four 3090s", "rtx-3090", 4),
        ("4x2080Ti", "rtx-2080-ti", 4),
        ("3 DGX H100", H100, 24),
        # 96 systems of eight 40 GB cards.
        ("96 DGX A100 (8X40G)", "a100-sxm-40gb", 768),
        ("8x A100 40GB", "a100-sxm-40gb", 8),
        ("8 GPUs H100 80GB", H100, 8),
        ("8x H200 NVL", "h200-nvl-141gb", 8),
        # A rack of 72.
        ("two GB200 NVL72", "gb200", 144),
        ("a cluster of 512 GPUs", None, 512),
        ("combien de DGX H100 ?", H100, None),
    ],
)
def test_gpu_shorthand(text: str, gpu: str | None, count: int | None) -> None:
    assert _value(text, "gpus") == [{"gpu": gpu, "count": count}]


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("some 70B model", "parameters_b", 70),
        ("ein 8B-Modell", "parameters_b", 8),
        ("Qwen3-30B-A3B", "parameters_b", 30),
        ("70 Milliarden Parameter", "parameters_b", 70),
        ("modèle de 70 milliards de paramètres", "parameters_b", 70),
        ("70 mil millones de parámetros", "parameters_b", 70),
        ("70 bilhões de parâmetros", "parameters_b", 70),
        ("a 1T model", "parameters_b", 1000),
        ("1.000 Benutzer", "users_total", 1000),
        ("10 000 utilisateurs", "users_total", 10000),
        ("12.000 alumnos", "users_total", 12000),
        ("1.500 servidores públicos", "users_total", 1500),
        ("1.5k users", "users_total", 1500),
        ("5 lakh users", "users_total", 500_000),
        ("一万用户", "users_total", 10_000),
        ("100명, 동시 10명", "users_total", 100),
        ("100명, 동시 10명", "users_concurrent", 10),
        ("500 Nutzer, davon 50 gleichzeitig", "users_total", 500),
        ("500 Nutzer, davon 50 gleichzeitig", "users_concurrent", 50),
        ("2000 Mitarbeitende, gleichzeitig etwa 150", "users_concurrent", 150),
        ("3 people use llama 405b at the same time", "users_concurrent", 3),
        ("400 alumnos simultáneos", "users_concurrent", 400),
        ("300 médecins, 40 en même temps", "users_concurrent", 40),
        ("12,000 employees, 5% active at the same time", "active_share", 0.05),
        ("12 requests per second", "requests_per_s", 12),
        ("QPS about 40", "requests_per_s", 40),
        ("600 rpm", "requests_per_s", 10),
        ("128k context", "context_tokens", 131_072),
        ("context of 120K", "context_tokens", 120_000),
        ("max-model-len 32768", "context_tokens", 32_768),
        ("8192/1024", "input_tokens", 8192),
        ("8192/1024", "output_tokens", 1024),
        ("1k1k", "output_tokens", 1024),
        ("ISL 2000 OSL 300", "output_tokens", 300),
        ("800 token prompts", "input_tokens", 800),
        ("TTFT < 500 ms", "ttft_ms", 500),
        ("first token under 2 s", "ttft_ms", 2000),
        ("TPOT 50 ms", "tpot_ms", 50),
        # 1000 ms / 20 tokens
        ("20 tok/s per user", "tpot_ms", 50),
        ("1.4T tokens", "training_tokens", 1.4e12),
        ("300 Milliarden Token", "training_tokens", 3e11),
        ("12 Billionen Token", "training_tokens", 12e12),
        ("12 billion tokens", "training_tokens", 12e9),
        ("1.5 kW", "site_power_kw", 1.5),
        ("0,5 MW", "site_power_kw", 500),
        ("40 kW/Rack", "rack_kw", 40),
        ("15 kW pro Rack", "rack_kw", 15),
        ("20 kW par baie", "rack_kw", 20),
        ("PUE 1.52", "pue", 1.52),
        ("99.9 % availability", "availability", 0.999),
        ("20 % growth per year", "growth_share", 0.2),
        ("N+1", "redundancy", "n+1"),
        ("24x7", "operating_hours", "24x7"),
        ("on our own site", "hosting", "on_prem"),
        ("im eigenen Rechenzentrum", "hosting", "on_prem"),
        ("on rented nodes", "hosting", "cloud"),
        ("in Frankfurt", "country", "DE"),
        ("Behörde in Bayern", "country", "DE"),
        ("à Lyon", "country", "FR"),
        ("150 usuários no Brasil", "country", "BR"),
        ("8x 400G RoCE", "network", "roce"),
        ("NDR InfiniBand", "network", "infiniband"),
        ("k8s", "scheduler", "kubernetes"),
        ("big Slurm cluster + small k8s", "scheduler", "both"),
        ("air-gapped", "air_gap", True),
        ("폐쇄망", "air_gap", True),
        ("direct liquid cooling", "liquid_cooling", True),
        ("refroidissement à air", "liquid_cooling", False),
        ("Patientendaten", "data_class", "health"),
        ("QLoRA", "training_method", "qlora"),
        ("fp8 KV cache", "kv_dtype", "fp8"),
        ("Q4_K_M", "weight_dtype", "q4_k_m"),
        ("Angebotsfrist 29.01.2026", "deadline", "2026-01-29"),
        ("by Q2 2027", "deadline", "2027-Q2"),
        ("bis zu 3,5 Millionen Euro", "budget", {"amount": 3_500_000, "currency": "EUR"}),
        ("€30.000", "budget", {"amount": 30_000, "currency": "EUR"}),
        ("R$ 2 milhões", "budget", {"amount": 2_000_000, "currency": "BRL"}),
        ("200,000 PNG pages", "documents", 200_000),
        ("presupuesto 2 millones de euros", "budget", {"amount": 2_000_000, "currency": "EUR"}),
        ("要求首token小于2秒", "ttft_ms", 2000),
        ("2k in/500 out", "output_tokens", 500),
        ("Kimi K2, 128k, INT4", "context_tokens", 131_072),
        ("40-kW-Racks", "rack_kw", 40),
        ("480 kW hall", "site_power_kw", 480),
        ("a Betreiber unter US-Recht ist ausgeschlossen", "foreign_operator_excluded", True),
        ("US providers are excluded", "country", None),
        ("50 call agents", "workload", None),
        ("classified documents", "data_class", "classified"),
        ("Warmwasserkühlung", "liquid_cooling", True),
        ("two GPU machines", "nodes", 2),
        ("12 Billionen Token in 60 Tagen", "deadline_days", 60),
        ("Modell lama 3.1 70b", "models", ["llama-3.1-70b-instruct"]),
        ("deepseek r1", "models", ["deepseek-r1"]),
        ("Llama 3.1 70B and 405B", "models", ["llama-3.1-70b-instruct", "llama-3.1-405b-instruct"]),
    ],
)
def test_one_field(text: str, field: str, value: Any) -> None:
    assert _value(text, field) == value


@pytest.mark.parametrize(
    ("text", "field", "low", "high"),
    [
        ("200-300 parallel users", "users_concurrent", 200, 300),
        ("200–300 parallel users", "users_concurrent", 200, 300),
        ("10-30k token prompts", "input_tokens", 10_000, 30_000),
        ("200 bis 1000 Mitarbeitende", "users_total", 200, 1000),
        ("CHF 8'000-15'000", "budget", 8000, 15_000),
        ("5-10 qps", "requests_per_s", 5, 10),
    ],
)
def test_ranges_keep_both_ends_and_size_on_the_high_one(text: str, field: str, low: float, high: float) -> None:
    mention = parse(text, _catalogue()).fields[field]
    assert (mention.low, mention.high) == (low, high)
    assert (mention.value["amount"] if field == "budget" else mention.value) == high


@pytest.mark.parametrize(
    ("text", "field", "excluded"),
    [
        ("no InfiniBand", "network", "infiniband"),
        ("kein Kubernetes", "scheduler", "kubernetes"),
        ("not in the US", "country", "US"),
        ("8x A100 not H100", "gpus", H100),
        ("we don't have InfiniBand", "network", "infiniband"),
        ("keine US-Cloud", "hosting", "cloud"),
    ],
)
def test_what_is_ruled_out_is_not_stated(text: str, field: str, excluded: str) -> None:
    result = parse(text, _catalogue())
    assert (field, excluded) in {(e.field, e.value) for e in result.excluded}
    stated = result.fields.get(field)
    assert stated is None or excluded not in str(stated.value)


@pytest.mark.parametrize(
    "text",
    [
        "sorry, 300 users not 200",
        "200 users, sorry, 300 not 200",
        "200 users. I mean 300",
        "nicht 200, sondern 300 Nutzer",
        "Wir haben 200 Nutzer, nein, ich meine 300",
    ],
)
def test_corrections_win(text: str) -> None:
    assert _value(text, "users_total") == 300


@pytest.mark.parametrize(
    ("text", "field", "candidates"),
    [
        ("37.5 TPS", "requests_per_s", ("transactions", "tokens")),
        ("4x RTX 6000", "gpus", ("rtx-6000-ada", "rtx-pro-6000-server", "quadro-rtx-6000")),
        ("8xA100", "gpus", ("a100-sxm-80gb", "a100-sxm-40gb")),
        ("Antwort unter 1,5 s", "ttft_ms", ("first word", "whole answer")),
        ("some Llama 3.1 model", "models", ("llama-3.1-8b-instruct", "llama-3.1-70b-instruct")),
    ],
)
def test_ambiguous_words_are_asked_with_candidates(text: str, field: str, candidates: tuple[str, ...]) -> None:
    doubt = next(a for a in parse(text, _catalogue()).ambiguous if a.field == field)
    assert text[doubt.span.start : doubt.span.end] == doubt.span.text
    assert doubt.question.endswith("?")
    assert all(any(wanted in candidate for candidate in doubt.candidates) for wanted in candidates)
    assert doubt.assumed == doubt.candidates[0]


def test_what_follows_from_a_name_is_derived_not_stated() -> None:
    result = parse("how many A100 to fine tune DeepSeek-V3?", _catalogue())
    assert "parameters_b" not in result.fields
    # 671B is in the model's public description.
    assert result.derived["parameters_b"].value == pytest.approx(671, abs=1)


def test_a_known_model_that_is_not_sized_is_named_with_the_reason() -> None:
    result = parse("can ZipVoice serve 50 parallel users?", _catalogue())
    assert result.fields["models"].value == ["ZipVoice"]
    assert any(a.field == "models" and not a.candidates and a.span.text == "ZipVoice" for a in result.ambiguous)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello there",
        "Is RoCE enough or do we need InfiniBand?",
        "thats one user",
        "it took 10480 s and 300 GB",
        "The cost is $0.03 per kWh and 3 $/kWh",
        "we can do it and it is in the US-style manner, no?",
        "Xid 79 on PCI 0000:ae:00",
    ],
)
def test_nothing_is_invented(text: str) -> None:
    assert dict(parse(text, _catalogue()).fields) == {}


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("Wir brauchen 500 Nutzer auf dem eigenen Server", "de"),
        ("10 000 utilisateurs dans nos locaux", "fr"),
        ("400 alumnos simultáneos", "es"),
        ("dados não podem sair do Brasil", "pt"),
        ("上下文128k", "zh"),
        ("폐쇄망", "ko"),
        ("8xH100", "en"),
    ],
)
def test_language(text: str, lang: str) -> None:
    assert language(text) == lang


@pytest.mark.parametrize(
    ("message", "lengths"),
    [
        ("60 requests at once, 3,000 tokens in, 400 out, 60 ms a token", (3000, 400)),
        ("Chat: 1,500 tokens in and 300 tokens out", (1500, 300)),
        ("4k in / 1k out", (4096, 1024)),
        ("2k tokens in 3 seconds", (None, None)),
        ("40 people in Berlin and 300 in Hamburg", (None, None)),
    ],
)
def test_lengths_stand_before_in_and_out(message: str, lengths: tuple[int | None, int | None]) -> None:
    found = parse(message, load_catalogue()).fields
    told = tuple(found[name].value if name in found else None for name in ("input_tokens", "output_tokens"))
    assert told == lengths


@pytest.mark.parametrize(
    ("message", "amount"),
    [
        ("einmalig stehen 850 T€ im Haushalt", 850_000),
        ("Budget 1,2 Mio. €", 1_200_000),
    ],
)
def test_thousands_of_euros_as_accounts_write_them(message: str, amount: float) -> None:
    assert parse(message, load_catalogue()).fields["budget"].value["amount"] == amount
