"""The facility of a plan: typed in the program, and in documents as it always was."""

from __future__ import annotations

from assistant.output import plain
from assistant.planning.building.planned import PlannedFacility, planned_facility
from assistant.sizing.facility.models import FacilityFigures
from tests.assistant.conftest import facility


def test_stand_ins_take_the_place_of_what_is_not_published_and_that_is_said() -> None:
    figures = {name: None for name, field in FacilityFigures.model_fields.items() if field.is_required()}
    instead = FacilityFigures.model_validate({**figures, "racks": 2, "nominal_it_kw": 20.4})
    told = planned_facility(facility(racks=1).model_copy(update={"with_stand_ins": instead}))
    assert (told.racks, told.nominal_it_kw, told.rests_on_stand_ins) == (2, 20.4, True)
    assert plain(told)["rests_on_stand_ins"] is True
    assert "with_stand_ins" not in plain(told)


def test_a_document_without_stand_ins_does_not_speak_of_them_and_reads_back() -> None:
    told = planned_facility(facility(racks=1, nominal_it_kw=10.2))
    assert not {"with_stand_ins", "rests_on_stand_ins"} & set(plain(told))
    assert PlannedFacility.model_validate(told.model_dump(mode="json")) == told
