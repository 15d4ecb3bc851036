"""Claims: grades follow from how a source was read, contradictions go both ways, and nothing rests on a bare id."""

from __future__ import annotations

import re

import pytest

from knowledge.evidence import Grade, SeenAs, computed_grade
from knowledge.schema import Claim
from tests.shared import catalogue


def claim(ident: str) -> Claim:
    found: Claim = catalogue().entry("claims", ident)
    return found


@pytest.mark.parametrize(
    ("kind", "seen_as", "grade"),
    [
        (Grade.LAW, SeenAs.PRIMARY_TEXT, Grade.LAW),
        (Grade.LAW, SeenAs.OFFICIAL_SUMMARY, Grade.THIRD_PARTY),
        (Grade.PAPER, SeenAs.QUOTED_BY_OTHERS, Grade.THIRD_PARTY),
        (Grade.VENDOR_SPECIFICATION, SeenAs.EXCERPT, Grade.VENDOR_SPECIFICATION),
        (Grade.VENDOR_SPECIFICATION, SeenAs.NOT_VERIFIED, Grade.UNVERIFIED),
        (Grade.PRACTITIONER_OPINION, SeenAs.SUMMARY_BY_OTHERS, Grade.PRACTITIONER_OPINION),
        (Grade.LAW, SeenAs.OWN_ARITHMETIC_OR_JUDGEMENT, Grade.PRACTITIONER_OPINION),
    ],
)
def test_a_grade_is_never_above_what_the_reading_carries(kind: Grade, seen_as: SeenAs, grade: Grade) -> None:
    assert computed_grade(kind, seen_as) is grade


def test_contradictions_go_both_ways() -> None:
    claims = catalogue().entries("claims")
    for ident, found in claims.items():
        assert [other for other in found.contradicts if ident not in claims[other].contradicts] == []


def test_published_figures() -> None:
    """Read off the Directive (Art. 12, 26), the AI Act (Art. 51), the German act (s.3) and the Llama 3 paper."""
    sources = catalogue().entries("sources")
    assert (claim("L-EED-01").value, claim("L-EED-01").unit, claim("L-EED-01").op) == (500.0, "kW", ">=")
    assert (claim("L-EED-04").value, claim("L-EED-04").op) == (1.0, ">")
    assert (claim("L-AI-01").value, claim("L-AI-01").op) == (1e25, ">")
    assert (claim("L-DE-01").value, claim("L-DE-01").place) == (300.0, "DE")
    assert claim("L-EED-01").grade(sources) is Grade.LAW
    assert claim("L-EED-04").grade(sources) is Grade.THIRD_PARTY  # the paragraph was read in quotations only
    assert claim("C-002").grade(sources) is Grade.PAPER
    assert claim("S2-05").grade(sources) is Grade.PRACTITIONER_OPINION
    assert claim("F5-012").grade(sources) is Grade.UNVERIFIED


def test_no_claim_is_lost() -> None:
    """203 facts of the general lists, 170 of the further ones, 140 duties; the rest are the founding texts' own."""
    claims = catalogue().entries("claims")
    kinds = {
        "law": [i for i in claims if i.startswith("L-")],
        "further": [i for i in claims if re.match(r"F\d-", i)],
        "general": [i for i in claims if re.match(r"[B-EG]-", i)],
        "founding": [i for i in claims if re.match(r"S\d-", i)],
    }
    assert {kind: len(found) for kind, found in kinds.items()} == {
        "law": 140,
        "further": 170,
        "general": 119,
        "founding": 156,
    }


def test_a_source_without_an_address_is_opinion_or_unverified() -> None:
    sources = catalogue().entries("sources")
    cited = {source for found in catalogue().entries("claims").values() for source in found.sources}
    without = [sources[ident] for ident in cited if sources[ident].address is None]
    assert {source.grade for source in without} <= {Grade.PRACTITIONER_OPINION, Grade.UNVERIFIED, Grade.LAW}
    assert all(not source.firm for source in without)


def test_no_address_or_note_is_an_index_number() -> None:
    for ident in {source for found in catalogue().entries("claims").values() for source in found.sources}:
        source = catalogue().source(ident)
        assert not re.search(r"file \d|stored id|secondary source", f"{source.address} {source.note} {source.title}")
