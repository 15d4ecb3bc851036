"""Models of a hub: a repository that the catalogue does not have stands for the path of its fetched configuration."""

from __future__ import annotations

from typing import Any

from knowledge.catalogue import Catalogue

HELP = "fetch the config.json of a model (owner/name) that the catalogue does not have"


def fetched(model: Any, catalogue: Catalogue) -> Any:
    """``model``, or the path of its ``config.json`` where it is owner/name and no catalogue entry.

    Raises BadInput and SizewrightError as ``assistant.remote.fetch_config`` does.
    """
    if not isinstance(model, str) or model.count("/") != 1 or model.endswith(".json"):
        return model
    if catalogue.resolve("models", model).id is not None:
        return model
    from assistant.remote import fetch_config

    return str(fetch_config(model))
