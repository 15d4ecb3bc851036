"""The facility as a plan shows it: the figures to plan with, and whether they rest on stand-ins."""

from __future__ import annotations

from typing import Any

from pydantic import SerializerFunctionWrapHandler, model_serializer

from assistant.output import rounded
from assistant.sizing.facility.models import FacilityResult


class PlannedFacility(FacilityResult):
    """A facility with the stand-ins' figures in the place of those that are not published; ``unknown`` names these."""

    rests_on_stand_ins: bool = False

    @model_serializer(mode="wrap")
    def _as_documents_have_it(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        shown: dict[str, Any] = dump(self)
        left_out = {"with_stand_ins", *(() if self.rests_on_stand_ins else ("rests_on_stand_ins",))}
        return {name: value for name, value in shown.items() if name not in left_out}


def planned_facility(result: FacilityResult) -> PlannedFacility:
    """The figures to plan with; where a rated power is not published, the stand-ins' with the gaps named."""
    figures = {name: getattr(result, name) for name in FacilityResult.model_fields if name != "with_stand_ins"}
    instead = result.with_stand_ins
    if instead is not None:
        figures |= {name: getattr(instead, name) for name in type(instead).model_fields}
    # Rounded as the document gives them, so that a text made of them says the same.
    shown = {name: rounded(value) if isinstance(value, float) else value for name, value in figures.items()}
    return PlannedFacility(**shown, rests_on_stand_ins=instead is not None)
