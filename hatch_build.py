"""Build hook: check catalogue and rules and ship them compiled, so that the first start needs no YAML."""

from __future__ import annotations

import sys
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileData(BuildHookInterface[Any]):
    """Writes the compiled forms for wheels, editable ones too; an invalid entry stops the build."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile before the files are collected."""
        sys.path.insert(0, self.root)
        try:
            from knowledge.catalogue import load_catalogue
            from rules.base import load_rules

            load_catalogue()  # each writes its compiled form beside its data
            load_rules()
        finally:
            sys.path.remove(self.root)
        build_data["artifacts"] += ["knowledge/_compiled.json", "rules/_compiled.json"]
