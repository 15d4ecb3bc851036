"""Where it stands, on what power, under whose hardware: phrases of several languages and their plain reading."""

from __future__ import annotations

import math
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
    "text",
    [
        "on our own premises",
        "about 500 people, some 70B model, on our site in Frankfurt",
        "sur notre site à Lyon",
        "in our server room",
        "it stands in our basement",
        "we already own 8xH100",
        "wir besitzen 8 H100",
        "im Serverraum",
        "inklusive Rack-Montage",
        "inkl. Lieferung und Einbau",
        "supply and installation of two servers",
        "fourniture et installation de deux serveurs",
        "ce sera chez nous",
        "en nuestra sala de servidores",
        "no nosso datacenter",
        "자체 전산실에 설치",
    ],
)
def test_own_site_in_other_words(text: str) -> None:
    assert _value(text, "hosting") == "on_prem"


@pytest.mark.parametrize("text", ["wir haben 8 H100", "we have 4x A100 80GB", "nous avons 8 H100", "我们有8卡H100"])
def test_hardware_that_is_there_makes_the_own_site_follow_and_not_stated(text: str) -> None:
    result = _parse(text)
    assert "hosting" not in result.fields
    assert result.derived["hosting"].value == "on_prem"


def test_what_is_said_of_the_place_wins_over_what_follows() -> None:
    result = _parse("we have 8xH100 on AWS")
    assert result.fields["hosting"].value == "cloud"
    assert "hosting" not in result.derived


@pytest.mark.parametrize(
    "text",
    [
        "how many H100 for 70B?",
        "do we own 8xH100?",
        "on-site support wanted",
        "a chatbot on our site",
        "not on our premises",
    ],
)
def test_no_place_is_invented(text: str) -> None:
    result = _parse(text)
    assert "hosting" not in result.fields
    assert "hosting" not in result.derived


@pytest.mark.parametrize(
    ("text", "country"),
    [
        ("in france", "FR"),
        ("germany", "DE"),
        ("we are in deutschland", "DE"),
        ("in österreich", "AT"),
        ("en Alemania", "DE"),
        ("empresa en españa", "ES"),
        ("uma empresa na Suíça", "CH"),
        ("部署在德国", "DE"),
        ("프랑스에 설치", "FR"),
        ("in turkey", "TR"),
        ("hosted in the uk", "GB"),
        ("georgia, usa", "US"),
        ("Landespolizei sucht einen Server", "DE"),
        ("presupuesto 100 UTM", "CL"),
        ("turkey sandwich", None),
        ("not in france", None),
        ("the chad problem", None),
    ],
)
def test_countries_in_lower_case_and_other_languages(text: str, country: str | None) -> None:
    assert _value(text, "country") == country


@pytest.mark.parametrize(
    ("text", "kw"),
    [
        # sqrt(3) x 400 V x 32 A = 22.17 kW, on each of two feeds.
        ("2x3x32A", math.sqrt(3) * 0.4 * 32),
        ("Strom 2x3x32A eingebaut", math.sqrt(3) * 0.4 * 32),
        ("two feeds of 3x63A", math.sqrt(3) * 0.4 * 63),
        ("2x 32 A Drehstrom", math.sqrt(3) * 0.4 * 32),
        ("3x32A triphasé", math.sqrt(3) * 0.4 * 32),
        # North America: sqrt(3) x 208 V x 60 A = 21.6 kW.
        ("3 phase 60A 208V", math.sqrt(3) * 0.208 * 60),
    ],
)
def test_three_phase_feeds(text: str, kw: float) -> None:
    derived = _parse(text).derived["rack_feed_kw"]
    assert derived.value == pytest.approx(kw, abs=0.006)
    assert derived.unit == "kW"
    assert "rack_feed_kw" in {answer.field for answer in to_answers(_parse(text))}


def test_two_feeds_say_what_redundancy_leaves() -> None:
    because = _parse("2x3x32A").derived["rack_feed_kw"].because
    assert "44.3 kW together" in because
    assert "22.2 kW may be drawn" in because


@pytest.mark.parametrize(
    "text",
    [
        "60-kW-Kühler",
        "Racks mit 60-kW-Seitenkühler",
        "racks with a 60 kW side cooler",
        "a 60 kW chiller",
        "60 kW for cooling",
    ],
)
def test_the_capacity_of_a_cooler_is_no_power_of_a_rack(text: str) -> None:
    assert not {"rack_kw", "site_power_kw"} & set(_parse(text).fields)


@pytest.mark.parametrize(
    "text",
    [
        "Kaltwasser vorhanden",
        "DLC Pflicht",
        "Vorlauf 15 °C",
        "chilled water available",
        "supply temperature of 18 °C",
        "eau glacée disponible",
        "hay agua helada",
        "有冷冻水",
    ],
)
def test_water_is_liquid_cooling(text: str) -> None:
    assert _value(text, "liquid_cooling") is True


@pytest.mark.parametrize(
    ("text", "kw", "kind"),
    [
        ("IT load 84 kW", 84, "it"),
        ("84 kW IT load", 84, "it"),
        ("IT-Leistung von 300 kW", 300, "it"),
        ("300 kW IT-Last", 300, "it"),
        ("charge informatique de 120 kW", 120, "it"),
        ("Anschlussleistung 300 kW", 300, "total"),
        ("300 kW insgesamt", 300, "total"),
        ("a grid connection of 2 MW", 2000, "total"),
        ("puissance souscrite de 250 kW", 250, "total"),
        ("potencia contratada de 250 kW", 250, "total"),
        ("120 kW total for IT", 120, "it"),
        ("power: 250 kW (IT)", 250, "it"),
        ("300 kW available", 300, None),
    ],
)
def test_what_a_power_counts(text: str, kw: float, kind: str | None) -> None:
    assert (_value(text, "site_power_kw"), _value(text, "site_power_is")) == (kw, kind)


def test_power_that_the_site_has_already_is_another_field() -> None:
    result = _parse("das Rechenzentrum hat bereits 400 kW IT-Leistung")
    assert result.fields["site_total_it_kw"].value == 400
    assert "site_power_kw" not in result.fields


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("HA needed", "n+1"),
        ("ausfallsicher", "n+1"),
        ("it must be redundant", "n+1"),
        ("haute disponibilité", "n+1"),
        ("alta disponibilidad", "n+1"),
        ("이중화 필요", "n+1"),
        ("需要高可用", "n+1"),
        ("fully redundant", "2n"),
        ("no redundancy", "n"),
        ("redundant power supplies", None),
        ("redundante Netzteile", None),
        ("non-redundant connection", None),
        ("IB redundant", None),
        ("kubernetes HA control plane", None),
        ("el proyecto ha sido aprobado", None),
    ],
)
def test_redundancy_words(text: str, value: str | None) -> None:
    assert _value(text, "redundancy") == value
