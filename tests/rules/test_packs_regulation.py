"""Duties: below, on and above every threshold, before and after the dates, inside and outside the territory.

Expected values come from the texts: EED Art. 12 ("at least 500kW" of installed IT), Art. 26(6) ("exceeding 1 MW" of
total rated energy input), EnEfG s.3 no. 24 ("ab 300 Kilowatt" of non-redundant connection), AI Act Art. 51(2)
("greater than 10^25"), the Commission's guidelines on general-purpose models, points 17, 63 and 64.
"""

from __future__ import annotations

import math
from datetime import date
from functools import lru_cache

import pytest

from rules.base import RuleBase, load_rules
from rules.consultation import Conclusion
from rules.engine import consult
from rules.schema import AddItem, Obligation, Scalar, Warn


@lru_cache(maxsize=1)
def base() -> RuleBase:
    return load_rules()


def concluded(facts: dict[str, Scalar]) -> tuple[Conclusion, ...]:
    return consult(base(), facts).conclusions


def duty(ident: str, **facts: Scalar) -> Obligation | None:
    """The one duty of that id; more than one would be a contradiction."""
    found = [c.then for c in concluded(facts) if isinstance(c.then, Obligation) and c.then.id == ident]
    assert len(found) <= 1, found
    return found[0] if found else None


def applies(ident: str, **facts: Scalar) -> bool | str | None:
    """Whether the duty applies; None where no rule speaks of it."""
    found = duty(ident, **facts)
    return None if found is None else found.applies


def warned(**facts: Scalar) -> set[str]:
    return {c.then.id for c in concluded(facts) if isinstance(c.then, Warn)}


# "at least 500kW": 49 DGX H100 are 49 x 10.2 = 499.8 kW, 50 are 510.
@pytest.mark.parametrize(
    ("kw", "expected"), [(499.8, "open"), (499.999, "open"), (500.0, True), (500.001, True), (510.0, True)]
)
def test_eu_report_on_both_sides_of_500_kw(kw: float, expected: bool | str) -> None:
    assert applies("eu_eed_data_centre", country_is_eu=True, nominal_it_kw=kw) == expected


# The sized cluster is a lower bound: with what the site has already it is the sum that counts.
@pytest.mark.parametrize(("whole", "expected"), [(499.9, False), (500.0, True), (700.0, True)])
def test_eu_report_with_the_rest_of_the_site_known(whole: float, expected: bool) -> None:
    found = duty("eu_eed_data_centre", country_is_eu=True, nominal_it_kw=200.0, whole_site_nominal_it_kw=whole)
    assert found is not None
    assert found.applies is expected
    assert found.value_topic == "whole_site_nominal_it_kw"


def test_eu_report_open_names_the_question_that_closes_it() -> None:
    below = duty("eu_eed_data_centre", country_is_eu=True, nominal_it_kw=12.0)
    unknown = duty("eu_eed_data_centre", nominal_it_kw=600.0)
    assert below is not None
    assert below.closes_with == "site_total_it_kw"
    assert unknown is not None
    assert (unknown.applies, unknown.closes_with) == ("open", "country")


def test_eu_report_outside_the_territory_and_for_defence() -> None:
    assert applies("eu_eed_data_centre", country_is_eu=False, nominal_it_kw=5000.0) is False
    assert applies("eu_eed_data_centre", country_is_eu=True, nominal_it_kw=5000.0, defence_site=True) is False
    assert applies("eu_eed_data_centre", country_is_eu=True, nominal_it_kw=5000.0, defence_site=False) is True


def test_colocation_operator_reports() -> None:
    assert "eed_colocation_reporter" in warned(country_is_eu=True, hosting="colocation", nominal_it_kw=600.0)
    assert "eed_you_report" in warned(country_is_eu=True, hosting="on_prem", site_operator="self", nominal_it_kw=600.0)
    assert "eed_you_report" not in warned(country_is_eu=True, hosting="colocation", nominal_it_kw=600.0)


# "equal to or greater than 1 MW" of IT: encouraged, no duty.
@pytest.mark.parametrize(("kw", "expected"), [(999.9, False), (1000.0, True)])
def test_code_of_conduct_from_1_mw(kw: float, expected: bool) -> None:
    assert ("eu_code_of_conduct" in warned(country_is_eu=True, nominal_it_kw=kw)) is expected


# "exceeding 1 MW": exactly 1 MW is within. The paragraph was not read in the original, so the duty is never "true".
@pytest.mark.parametrize(("kw", "above"), [(999.0, False), (1000.0, False), (1000.1, True)])
def test_heat_use_above_1_mw_of_energy_input(kw: float, above: bool) -> None:
    found = duty("eu_waste_heat", country_is_eu=True, energy_input_kw=kw)
    assert found is not None
    assert found.applies == "open"
    assert ((found.note or "").startswith("The line is passed")) is above


def test_heat_use_closed_by_the_whole_site() -> None:
    known = {"country_is_eu": True, "energy_input_kw": 400.0}
    assert applies("eu_waste_heat", **known, whole_site_energy_input_kw=1000.0) is False
    assert applies("eu_waste_heat", **known, whole_site_energy_input_kw=1000.1) == "open"


# "ab 300 Kilowatt": at the line the act holds.
@pytest.mark.parametrize(("kw", "expected"), [(299.9, "open"), (300.0, True), (300.3, True)])
def test_german_act_on_both_sides_of_300_kw(kw: float, expected: bool | str) -> None:
    assert applies("de_enefg", country="DE", country_is_eu=True, connection_kw=kw) == expected


def test_german_act_elsewhere_and_unknown() -> None:
    assert applies("de_enefg", country="FR", connection_kw=5000.0) is False
    assert applies("de_enefg", country_is_eu=False, connection_kw=5000.0) is False
    assert applies("de_enefg", connection_kw=5000.0) == "open"
    assert applies("de_enefg", country="DE", connection_kw=100.0, whole_site_connection_kw=299.0) is False
    assert applies("de_enefg", country="DE", connection_kw=100.0, whole_site_connection_kw=300.0) is True


# EnEfG s.11: start from 1 July 2026 PUE 1.2; before it 1.5 from July 2027.
@pytest.mark.parametrize(("after", "expected"), [(True, (True, 1.2)), (False, (True, 1.5)), (None, ("open", 1.2))])
def test_german_pue_by_start_date(after: bool | None, expected: tuple[bool | str, float]) -> None:
    facts: dict[str, Scalar] = {"country": "DE", "connection_kw": 400.0}
    if after is not None:
        facts["data_centre_live_date_after_2026_07_01"] = after
    found = duty("de_enefg_pue", **facts)
    assert found is not None
    assert (found.applies, found.threshold) == expected
    assert (found.closes_with == "start_date_after_2026_07_01") is (after is None)


# A site that started before 1 July 2026 has no fixed share of reused energy; a later one has 10 %.
def test_german_heat_reuse_share_by_start_date() -> None:
    known: dict[str, Scalar] = {"country": "DE", "connection_kw": 400.0}
    assert applies("de_enefg_heat_reuse", **known, data_centre_live_date_after_2026_07_01=True) is True
    assert applies("de_enefg_heat_reuse", **known, data_centre_live_date_after_2026_07_01=False) is False
    assert applies("de_enefg_heat_reuse", **known) == "open"
    assert applies("de_enefg_heat_reuse", country="DE", connection_kw=299.0) is None


# s.12(3): certified from 1 MW for private operators, from 300 kW for public ones, so open between.
@pytest.mark.parametrize(("kw", "expected"), [(300.0, "open"), (999.9, "open"), (1000.0, True)])
def test_german_certification(kw: float, expected: bool | str) -> None:
    assert applies("de_enefg_certification", country="DE", connection_kw=kw) == expected


# s.3 no. 4: operator of information technology in somebody else's data centre from 50 kW.
@pytest.mark.parametrize(("kw", "expected"), [(49.9, "open"), (50.0, True), (400.0, True)])
def test_german_colocation_customer(kw: float, expected: bool | str) -> None:
    assert applies("de_enefg_it_operator", country="DE", hosting="colocation", nominal_it_kw=kw) == expected
    assert applies("de_enefg_it_operator", country="DE", hosting="on_prem", nominal_it_kw=kw) is None


# Code de l'energie L236-1 "superieure ou egale a 500 kilowatts", L236-2 "... a 1 megawatt".
@pytest.mark.parametrize(
    ("kw", "report", "heat"),
    [(499.0, "open", "open"), (500.0, True, "open"), (999.0, True, "open"), (1000.0, True, True)],
)
def test_french_lines(kw: float, report: bool | str, heat: bool | str) -> None:
    assert applies("fr_data_centre", country="FR", nominal_it_kw=kw) == report
    assert applies("fr_waste_heat", country="FR", nominal_it_kw=kw) == heat


# L233-5 "superieure a un megawatt": at exactly 1 MW no analysis.
@pytest.mark.parametrize(("kw", "expected"), [(1000.0, None), (1000.1, True)])
def test_french_cost_benefit_analysis(kw: float, expected: bool | None) -> None:
    known: dict[str, Scalar] = {"country": "FR", "nominal_it_kw": kw, "data_centre_live_date_after_2026_07_01": True}
    assert applies("fr_cost_benefit", **known) is expected


# CRU/2025236: below 1 MVA the location alone, 1 to below 10 MVA, from 10 MVA; known from quotations, so never "true".
@pytest.mark.parametrize(("kw", "threshold"), [(999.0, 1000), (1000.0, 1000), (9999.0, 1000), (10000.0, 10000)])
def test_irish_bands(kw: float, threshold: float | None) -> None:
    found = duty("ie_grid_connection", country="IE", connection_kw=kw)
    assert (found and found.threshold) == threshold
    assert found is None or found.applies == "open"


# Bkl art. 5.161ba: 70 MW or more AND more than 10 ha, so the floor area keeps it open.
@pytest.mark.parametrize(("kw", "expected"), [(69_999.0, None), (70_000.0, "open")])
def test_dutch_hyperscale(kw: float, expected: str | None) -> None:
    assert applies("nl_hyperscale", country="NL", connection_kw=kw) == expected


@pytest.mark.parametrize(
    ("country", "warning"),
    [("SE", "se_reporting"), ("FI", "fi_reporting"), ("AT", "at_reporting")],
)
def test_countries_known_from_summaries_inform_only(country: str, warning: str) -> None:
    facts: dict[str, Scalar] = {"country": country, "country_is_eu": True, "nominal_it_kw": 500.0}
    assert warning in warned(**facts)
    assert warning not in warned(**{**facts, "nominal_it_kw": 499.0})


def test_norway_and_denmark() -> None:
    assert "no_registration" in warned(country="NO", connection_kw=500.0)
    assert "no_registration" not in warned(country="NO", connection_kw=499.0)
    assert applies("dk_cost_benefit", country="DK", energy_input_kw=1000.1) == "open"
    assert applies("dk_cost_benefit", country="DK", energy_input_kw=1000.0) is None


# "greater than 10^23" and "greater than 10^25": on the line neither holds.
@pytest.mark.parametrize(
    ("flop", "gpai", "systemic"),
    [(9.9e22, False, False), (1e23, False, False), (1.01e23, True, False), (1e25, True, False), (3.8e25, True, True)],
)
def test_ai_act_limits_of_training(flop: float, gpai: bool, systemic: bool) -> None:
    known: dict[str, Scalar] = {"trains": True, "workload": "pretraining", "training_flop_log10": math.log10(flop)}
    assert applies("ai_act_gpai", **known) is gpai
    assert applies("ai_act_systemic_risk", **known) is systemic


# A modifier counts from one third: 10^23 / 3 = 3.333e22, 10^25 / 3 = 3.333e24 where the original is not known.
@pytest.mark.parametrize(
    ("flop", "gpai", "systemic"),
    [
        (3.3e22, False, False),
        (1e23 / 3, False, False),
        (3.4e22, "open", False),
        (3.3e24, "open", False),
        (3.4e24, "open", "open"),
    ],
)
def test_ai_act_limits_of_fine_tuning(flop: float, gpai: bool | str, systemic: bool | str) -> None:
    known: dict[str, Scalar] = {"trains": True, "workload": "finetuning", "training_flop_log10": math.log10(flop)}
    assert applies("ai_act_gpai", **known) == gpai
    assert applies("ai_act_systemic_risk", **known) == systemic


def test_ai_act_without_training_and_without_a_figure() -> None:
    assert applies("ai_act_gpai", trains=False) is False
    assert applies("ai_act_systemic_risk", trains=False) is False
    assert applies("ai_act_gpai", trains=True) == "open"


def test_ai_act_outside_the_eu_depends_on_the_market() -> None:
    known: dict[str, Scalar] = {"trains": True, "workload": "pretraining", "country_is_eu": False}
    assert applies("ai_act_gpai", **known, training_flop_log10=23.1) == "open"
    assert applies("ai_act_gpai", **known, training_flop_log10=23.0) is False
    assert applies("ai_act_systemic_risk", **known, training_flop_log10=25.1) == "open"
    assert applies("ai_act_systemic_risk", **known, training_flop_log10=25.0) is False


def test_gdpr_transfers_by_place_and_operator() -> None:
    assert applies("eu_gdpr_transfers", data_class="health", country_is_eu=True, hosting="on_prem") is False
    assert applies("eu_gdpr_transfers", data_class="personal", country_is_eu=True, hosting="cloud") == "open"
    assert applies("eu_gdpr_transfers", data_class="personal", country_is_eu=False, hosting="on_prem") == "open"
    assert applies("eu_gdpr_transfers", data_class="public", country_is_eu=True, hosting="cloud") is None


def test_cloud_act_follows_who_controls_the_operator() -> None:
    assert "cloud_act_exposure" in warned(foreign_operator_excluded=True, hosting="cloud")
    assert "cloud_act_exposure" not in warned(foreign_operator_excluded=True, hosting="on_prem")
    assert "cloud_act_exposure" not in warned(foreign_operator_excluded=False, hosting="cloud")


def test_qualifications_by_country() -> None:
    known: dict[str, Scalar] = {"foreign_operator_excluded": True, "hosting": "sovereign_cloud"}
    assert "secnumcloud_ownership" in warned(country="FR", **known)
    assert "c5_not_sovereignty" in warned(country="DE", **known)
    assert "secnumcloud_ownership" not in warned(country="DE", **known)


def test_nis2_stays_open_until_the_size_is_known() -> None:
    assert applies("eu_nis2", country_is_eu=True, tenants=5, tenants_trust_each_other=False) == "open"
    assert applies("eu_nis2", country_is_eu=True, tenants=5, tenants_trust_each_other=True) is None


def test_meters_are_on_the_list_where_the_report_is_due() -> None:
    items = {
        c.then.item for c in concluded({"country_is_eu": True, "nominal_it_kw": 500.0}) if isinstance(c.then, AddItem)
    }
    assert "eed_report" in items


DATE_IS_THE_QUESTION = {"reg.de.pue_date_unknown", "reg.ch.large_consumer", "reg.ch.small_consumer"}
"""The start of the data centre or the canton, on which the date of the duty depends, is not known there."""


def test_every_duty_names_who_is_obliged_and_from_when() -> None:
    """A duty that does not hold obliges nobody, and a draft has no date."""
    duties = [(r.id, t) for r in base().rules.values() for t in r.then if isinstance(t, Obligation)]
    binding = [(ident, found) for ident, found in duties if found.applies is not False]
    assert [ident for ident, found in binding if not found.by] == []
    without = {ident for ident, found in binding if not found.holds_from and not found.draft}
    assert without == DATE_IS_THE_QUESTION
    assert all(date.fromisoformat(found.holds_from) for _, found in duties if found.holds_from)


# EnEfG s.11(1) and (2): started before July 2026, 1.5 from 1 July 2027; after it, built for 1.2 from the start.
@pytest.mark.parametrize(("after", "since"), [(False, "2027-07-01"), (True, "2026-07-01")])
def test_german_pue_holds_from_a_date_of_its_own(after: bool, since: str) -> None:
    found = duty("de_enefg_pue", country="DE", connection_kw=400.0, data_centre_live_date_after_2026_07_01=after)
    assert found is not None
    assert found.holds_from == since
