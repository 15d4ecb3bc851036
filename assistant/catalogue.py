"""The catalogue as the two faces open it: ours, with the company's overlay where one is set."""

from __future__ import annotations

from pathlib import Path

from knowledge.catalogue import Catalogue, load_catalogue
from knowledge.errors import BadInput


def open_catalogue(overlay: str | None = None) -> Catalogue:
    """The catalogue with ``overlay`` (a folder) merged over it. Raises BadInput where the folder is not one."""
    if not overlay:
        return load_catalogue()
    folder = Path(overlay)
    if not folder.is_dir():
        raise BadInput("--overlay", overlay, "a folder of catalogue files is expected")
    return load_catalogue((folder,))
