"""What all records share: an id, the names people use, and strict number types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from knowledge.evidence import Cited, Frozen

Finite = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Positive = Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)]
Share = Annotated[float, Field(strict=True, ge=0, le=1)]
Count = Annotated[int, Field(strict=True, gt=0)]
Tally = Annotated[int, Field(strict=True, ge=0)]
"""A count that may be known to be none."""
Stated = bool | Finite | str
"""A fact whose type its own table decides (see ``Facility`` and ``StorageSystem``)."""

Id = Annotated[str, Field(pattern=r"^\S+$")]

UNKNOWN: Cited[Any] = Cited(value=None)
"""Not published or not found."""


class Entry(Frozen):
    """Base of all entries. Every cited value, and every conflict beside it, names at least one source."""

    model_config = ConfigDict(defer_build=True)  # most starts touch few kinds

    id: Id

    @model_validator(mode="after")
    def _values_name_sources(self) -> Entry:
        for name, cited in cited_fields(self):
            if cited.value is not None and not cited.sources:
                raise ValueError(f"{name}: a value needs at least one source id")
            if any(not conflict.sources for conflict in cited.conflicts):
                raise ValueError(f"{name}: a conflict needs at least one source id")
        return self


class Named(Entry):
    """An entry that people call by several names.

    ``aliases`` mean this entry and no other. ``assumed_for`` maps a vaguer name, which this entry is taken for, to the
    note that says so. ``ambiguous_as`` are names that several entries answer to, and that none is taken for.
    """

    name: str
    aliases: tuple[str, ...] = ()
    assumed_for: Mapping[str, str] = Field(default_factory=dict)
    ambiguous_as: tuple[str, ...] = ()


def cited_fields(record: BaseModel) -> Iterator[tuple[str, Cited[Any]]]:
    """The cited values of a record by field name; those of a mapping field as ``field.key``."""
    for name in type(record).model_fields:
        value = getattr(record, name)
        if isinstance(value, Cited):
            yield name, value
        elif isinstance(value, Mapping):
            for key, item in value.items():
                if isinstance(item, Cited):
                    yield f"{name}.{key}", item
