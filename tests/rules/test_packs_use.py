"""Duties of use and of further countries: on both sides of each line, with the dates of the texts.

AI Act Art. 50 from 2 August 2026, Annex III from 2 December 2027 and Annex I from 2 August 2028 (Regulation (EU)
2026/1744); NIS2 Art. 2(1) from 50 staff; EnEfG s.12(3) from 1 MW, for public bodies from 300 kW; Code de l'energie
L236-2 from 1 MW; CRU/2025236 from 1 and 10 MVA; Swiss cantons above 0.5 GWh a year (57.04 kW around the clock); Dutch
duty to save energy from 50,000 kWh a year (5.704 kW).
"""

from __future__ import annotations

from functools import lru_cache

import pytest

from rules.base import RuleBase, load_rules
from rules.engine import consult
from rules.schema import Obligation, Scalar


@lru_cache(maxsize=1)
def base() -> RuleBase:
    return load_rules()


def duty(ident: str, **facts: Scalar) -> Obligation | None:
    found = [
        c.then for c in consult(base(), facts).conclusions if isinstance(c.then, Obligation) and c.then.id == ident
    ]
    assert len(found) <= 1, found
    return found[0] if found else None


def applies(ident: str, **facts: Scalar) -> bool | str | None:
    found = duty(ident, **facts)
    return None if found is None else found.applies


@pytest.mark.parametrize(
    ("workload", "eu", "expected"),
    [("chat", True, True), ("speech", True, True), ("chat", False, "open"), ("chat", None, "open"),
     ("batch", True, "open"), ("ocr", True, None)],
)  # fmt: skip
def test_people_are_told_that_an_ai_answers(workload: str, eu: bool | None, expected: bool | str | None) -> None:
    facts: dict[str, Scalar] = {"serves": True, "workload": workload}
    if eu is not None:
        facts["country_is_eu"] = eu
    assert applies("ai_act_transparency", **facts) == expected


def test_training_alone_has_no_notice() -> None:
    assert applies("ai_act_transparency", serves=False, trains=True, workload="pretraining", country_is_eu=True) is None


@pytest.mark.parametrize(
    ("use", "expected", "since"),
    [("recruitment", True, "2027-12-02"), ("medical_device", True, "2028-08-02"), ("none", False, "2027-12-02")],
)
def test_high_risk_systems_and_their_dates(use: str, expected: bool, since: str) -> None:
    found = duty("ai_act_high_risk", ai_use=use, country_is_eu=True, serves=True)
    assert found is not None
    assert (found.applies, found.holds_from) == (expected, since)


def test_high_risk_is_asked_for_where_nobody_said_the_use() -> None:
    found = duty("ai_act_high_risk", serves=True, country_is_eu=True)
    assert found is not None
    assert (found.applies, found.closes_with) == ("open", "ai_use")
    assert applies("ai_act_high_risk", ai_use="credit", country_is_eu=False) == "open"


def test_impact_assessment_by_kind_of_data() -> None:
    assert applies("eu_gdpr_dpia", data_class="health", country_is_eu=True) is True
    assert applies("eu_gdpr_dpia", data_class="personal", country_is_eu=True) == "open"
    assert applies("eu_gdpr_dpia", data_class="internal", country_is_eu=True) is None
    assert applies("ch_dpia", data_class="health", country="CH", country_is_eu=False) == "open"
    assert applies("gb_dpia", data_class="personal", country="GB", country_is_eu=False) == "open"


@pytest.mark.parametrize(("people", "expected"), [(49, "open"), (50, True), (250, True), (None, "open")])
def test_nis2_of_the_customer_from_50_staff(people: int | None, expected: bool | str) -> None:
    facts: dict[str, Scalar] = {"sector": "energy", "country_is_eu": True}
    if people is not None:
        facts["employees"] = people
    assert applies("eu_nis2_customer", **facts) == expected
    assert applies("eu_nis2_customer", **(facts | {"sector": "legal"})) is None


def test_dora_on_own_and_on_rented_machines() -> None:
    assert applies("eu_dora", sector="bank", country_is_eu=True, hosting="on_prem") is True
    rented = duty("eu_dora", sector="insurance", country_is_eu=True, hosting="cloud")
    assert rented is not None
    assert "exit" in (rented.what or "")
    assert applies("eu_dora", sector="bank", country_is_eu=False) is None
    assert applies("eu_dora", sector="health", country_is_eu=True) is None


def test_data_act_by_who_provides() -> None:
    own = duty("eu_data_act", rents_out_gpus=True, country_is_eu=True, hosting="on_prem")
    rented = duty("eu_data_act", country_is_eu=True, hosting="cloud")
    assert own is not None
    assert rented is not None
    assert "the customer" in (own.by or "")
    assert "rent from" in (rented.by or "")
    assert applies("eu_data_act", country_is_eu=True, hosting="on_prem") is None


@pytest.mark.parametrize(
    ("kw", "sector", "expected"),
    [(300.0, "public_administration", True), (299.9, "public_administration", None), (999.9, "bank", False),
     (1000.0, "bank", True), (400.0, None, "open")],
)  # fmt: skip
def test_german_certification_by_owner(kw: float, sector: str | None, expected: bool | str | None) -> None:
    facts: dict[str, Scalar] = {"country": "DE", "country_is_eu": True, "connection_kw": kw}
    assert applies("de_enefg_certification", **facts, **({} if sector is None else {"sector": sector})) == expected


@pytest.mark.parametrize(
    ("kw", "whole", "expected"), [(999.9, None, "open"), (1000.0, None, True), (900.0, 999.9, False)]
)
def test_french_heat_use_from_1_mw(kw: float, whole: float | None, expected: bool | str) -> None:
    facts: dict[str, Scalar] = {"country": "FR", "country_is_eu": True, "nominal_it_kw": whole or kw}
    if whole is not None:
        facts["whole_site_nominal_it_kw"] = whole
    assert applies("fr_waste_heat", **facts) == expected


@pytest.mark.parametrize(("kw", "threshold"), [(999.9, 1000), (1000.0, 1000), (9999.0, 1000), (10000.0, 10000)])
def test_irish_connections_at_1_and_10_mva(kw: float, threshold: float) -> None:
    found = duty("ie_grid_connection", country="IE", connection_kw=kw)
    assert found is not None
    assert (found.applies, found.threshold) == ("open", threshold)
    assert ("location" in (found.what or "")) is (kw < 1000)


@pytest.mark.parametrize(
    ("ident", "facts", "expected"),
    [
        ("nl_data_centre", {"country": "NL", "nominal_it_kw": 500.0, "connection_kw": 600.0}, 500),
        ("nl_data_centre", {"country": "NL", "nominal_it_kw": 499.9, "connection_kw": 600.0}, 500),
        ("nl_energy_saving", {"country": "NL", "facility_kw": 5.704}, 5.704),
        ("dk_cost_benefit", {"country": "DK", "energy_input_kw": 1000.1}, 1000),
        ("it_single_permit", {"country": "IT", "connection_kw": 20000.0}, 20000),
        ("ch_large_consumer", {"country": "CH", "facility_kw": 57.05}, 57.04),
        ("gb_data_centre_nis", {"country": "GB", "nominal_it_kw": 1000.0, "rents_out_gpus": True}, 1000),
        ("gb_data_centre_nis", {"country": "GB", "nominal_it_kw": 10000.0}, 10000),
        ("es_data_centre", {"country": "ES", "nominal_it_kw": 500.0}, 500),
    ],
)
def test_national_lines_are_named_where_they_are_reached(ident: str, facts: dict[str, Scalar], expected: float) -> None:
    found = duty(ident, **facts)
    assert found is not None
    assert (found.applies, found.threshold) == ("open", expected)


@pytest.mark.parametrize(
    ("ident", "facts", "expected"),
    [
        ("nl_data_centre", {"country": "NL", "nominal_it_kw": 300.0, "connection_kw": 499.9}, "open"),
        (
            "nl_data_centre",
            {"country": "NL", "nominal_it_kw": 300.0, "connection_kw": 400.0, "whole_site_nominal_it_kw": 300.0},
            False,
        ),
        ("nl_energy_saving", {"country": "NL", "facility_kw": 5.7}, None),
        ("dk_cost_benefit", {"country": "DK", "energy_input_kw": 1000.0}, None),
        ("dk_cost_benefit", {"country": "DK", "energy_input_kw": 900.0, "whole_site_energy_input_kw": 900.0}, False),
        ("it_single_permit", {"country": "IT", "connection_kw": 19999.0}, None),
        ("gb_data_centre_nis", {"country": "GB", "nominal_it_kw": 9999.0}, None),
        ("gb_data_centre_nis", {"country": "GB", "nominal_it_kw": 999.0, "rents_out_gpus": True}, None),
        ("es_data_centre", {"country": "ES", "nominal_it_kw": 499.0}, None),
    ],
)  # fmt: skip
def test_national_lines_below(ident: str, facts: dict[str, Scalar], expected: bool | str | None) -> None:
    assert applies(ident, **facts) == expected
