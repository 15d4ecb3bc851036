"""Model configurations as answers: the name and content of a ``config.json``, so that the answer outlives the file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from knowledge.errors import BadInput

if TYPE_CHECKING:
    from knowledge.architecture import ModelArchitecture


def architecture_given(given: Mapping[str, Any]) -> ModelArchitecture:
    """The architecture that an answer states. Raises BadInput where it states none."""
    from knowledge.architecture import from_config  # reads every kind of configuration; few briefs hold one

    if set(given) != {"name", "config"}:
        raise BadInput("models", sorted(given), "a catalogue name, or an object of name and config")
    return from_config(given["config"], str(given["name"]))


def configured(path: str) -> dict[str, Any]:
    """The answer that a ``config.json`` gives.

    Raises BadInput where the file cannot be read or states no architecture.
    """
    from knowledge.architecture.reading import read_json

    file = Path(path)
    name = file.resolve().parent.name if file.name == "config.json" else file.stem
    return kept({"name": name or file.stem, "config": read_json(file)})


def kept(answer: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration as an answer keeps it. Raises BadInput where it states no architecture."""
    architecture_given(answer)
    return dict(answer)
