"""What is ruled out, and what a ruling leaves open: negation reaches its own clause and no further."""

from __future__ import annotations

from functools import lru_cache

import pytest

from assistant.interview.parser import ParseResult, parse, to_answers
from assistant.interview.parser.place.constraints import SECTORS
from assistant.interview.questions import question
from knowledge.catalogue import Catalogue, load_catalogue


@lru_cache(maxsize=1)
def _catalogue() -> Catalogue:
    return load_catalogue()


def _parse(text: str) -> ParseResult:
    return parse(text, _catalogue())


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("no public cloud please", "hosting", "cloud"),
        ("we have decided against the cloud", "hosting", "cloud"),
        ("Die Cloud scheidet aus", "hosting", "cloud"),
        ("bez chmury publicznej", "hosting", "cloud"),
        ("クラウドは不可です", "hosting", "cloud"),
        ("geen InfiniBand, alleen Ethernet", "network", "infiniband"),
        ("Kubernetes, no Slurm", "scheduler", "slurm"),
        ("surtout pas de GPU grand public type RTX 4090", "gpus", "rtx-4090"),
        ("Time-slicing is banned here", "isolation", "shared"),
    ],
)
def test_what_is_ruled_out_is_listed_and_not_stated(text: str, field: str, value: str) -> None:
    result = _parse(text)
    assert (field, value) in {(one.field, one.value) for one in result.excluded}
    assert field not in result.fields or value not in str(result.fields[field].value)


@pytest.mark.parametrize(
    "text",
    ["No American cloud", "Pas de cloud américain", "Cloud-Dienste nach US-Recht scheiden aus", "sin nube extranjera"],
)
def test_a_foreign_cloud_that_is_ruled_out_leaves_other_clouds(text: str) -> None:
    result = _parse(text)
    assert result.fields["foreign_operator_excluded"].value is True
    assert "hosting" not in {one.field for one in result.excluded}
    assert "hosting" not in result.fields


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("Patient data must not leave the hospital", "hosting", "on_prem"),
        ("Die Unterlagen dürfen das Haus nicht verlassen", "hosting", "on_prem"),
        ("Daten dürfen die Schweiz nicht verlassen", "data_must_stay_in_country", True),
        ("Os dados não podem sair do Brasil", "data_must_stay_in_country", True),
        ("10 tenants who do not trust each other", "tenants_trust_each_other", False),
        ("i dati dei pazienti restano da noi", "data_class", "health"),
        ("réseau isolé, sans accès internet", "air_gap", True),
    ],
)
def test_what_is_insisted_on_is_stated(text: str, field: str, value: object) -> None:
    assert _parse(text).fields[field].value == value


def test_data_that_may_not_leave_the_house_are_not_bound_to_the_country() -> None:
    assert "data_must_stay_in_country" not in _parse("Patient data must not leave the hospital").fields


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Datacenter in Kaiserslautern", "DE"),
        ("kancelaria w Warszawie", "PL"),
        ("the French defence ministry", "FR"),
        ("op eigen servers in Zwolle", "NL"),
        ("École à Béjaïa", "DZ"),
    ],
)
def test_places_name_their_country(text: str, code: str) -> None:
    assert _parse(text).fields["country"].value == code


def test_the_city_of_a_greeting_is_a_hint_at_most() -> None:
    result = _parse("How many GPUs for a 30B model? Greetings from Berlin")
    assert "country" not in result.fields
    assert result.derived["country"].sure is False


def test_compared_hardware_is_nobody_s_wish() -> None:
    result = _parse("Compare A100, H100, H200 and B200 for Llama 3.3 70B")
    assert [one.kind for one in result.asks] == ["compare"]
    assert "gpus" not in {answer.field for answer in to_answers(result)}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Can we run Llama 3.1 70B on 2 x A100 80GB?", "fits"),
        ("Is one L40S enough?", "enough"),
        ("H100が4枚あります。これで足りますか？", "enough"),
        ("Wie viele GPUs brauchen wir?", "how_many"),
    ],
)
def test_the_question_is_heard(text: str, kind: str) -> None:
    assert kind in {one.kind for one in _parse(text).asks}


@pytest.mark.parametrize(
    ("text", "gpu", "count"),
    [
        ("24,576 H100 GPUs", "h100-sxm-80gb", 24576),
        ("16.384 H100-GPUs im Cluster", "h100-sxm-80gb", 16384),
        ("8*24G A10G", "a10g", 8),
        ("A800 7*80g", "a800-sxm-80gb", 7),
        ("H100 8x80GB", "h100-sxm-80gb", 8),
        ("4*8*80G A800", "a800-sxm-80gb", 32),
        ("Supermicro 4124 A100 80GB", "a100-sxm-80gb", None),
        ("24 nodes, 16 of them with H100 (8 each)", "h100-sxm-80gb", 128),
        ("有1,024张H800", "h800-sxm-80gb", 1024),
    ],
)
def test_counts_of_hardware(text: str, gpu: str, count: int | None) -> None:
    assert _parse(text).fields["gpus"].value == [{"gpu": gpu, "count": count}]


def test_sectors_are_values_of_the_brief() -> None:
    assert {*SECTORS.values(), "insurance"} <= set(question("sector").values)
    assert _parse("a savings bank in Kassel").fields["sector"].value == "bank"
