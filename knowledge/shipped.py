"""The YAML files that a package ships beside its code (questions, vocabularies, texts), parsed once and kept as a pack.

Every folder with such files has a pack of its own; see ``compiled`` for when it is made anew.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from knowledge.compiled import Origin, load_pack
from knowledge.packs import Pack, Section, Sections

_DOCUMENTS = "documents"


def shipped_yaml(path: Path) -> Any:
    """The document in one of our own YAML files. Raises BadInput when it is not valid, or not there."""
    documents = shipped_folder(path.parent)
    if path.name not in documents:
        from knowledge.yaml_files import read_yaml  # PyYAML, which a start with packs in place does without

        return read_yaml(path)
    return documents[path.name]


@cache
def shipped_folder(folder: Path) -> Section:
    """File name -> document, of the YAML files of one folder of ours. A document is parsed anew at each asking."""
    return pack_of(folder)[_DOCUMENTS]


def pack_of(folder: Path) -> Pack:
    """The documents of a folder as a pack. Raises BadInput where one is not valid."""
    origin = Origin(folder, ("*.yaml",))

    def documents() -> Sections:
        from knowledge.yaml_files import read_yaml  # see above

        return {_DOCUMENTS: {file.name: read_yaml(Path(file.path)) for file in origin.data_files()}}

    return load_pack(origin, documents)
