"""Build hook: check all data and ship it compiled, so that the first start needs no YAML and no bytecode of ours."""

from __future__ import annotations

import compileall
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGES = ("assistant", "knowledge", "rules", "tui")


class CompileData(BuildHookInterface[Any]):
    """Puts a sealed pack beside each folder of data in a wheel; an invalid entry stops the build.

    A checkout keeps the packs that checking leaves there, which follow its files (knowledge/compiled.py). An editable
    install also gets bytecode, as pip gives any other: where none is written at run time every start would compile.
    """

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile before the files are collected."""
        root = Path(self.root)
        sys.path.insert(0, self.root)
        try:
            packs = self._packs(root)
        finally:
            sys.path.remove(self.root)
        if version == "editable":
            for package in PACKAGES:
                compileall.compile_dir(root / package, quiet=1)
            return
        self._sealed = tempfile.mkdtemp()
        for number, (folder, content) in enumerate(packs):
            place = Path(self._sealed, f"{number}.pack")
            place.write_bytes(content)
            build_data["force_include"][str(place)] = f"{folder.relative_to(root).as_posix()}/_sealed.pack"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Leave nothing behind."""
        shutil.rmtree(getattr(self, "_sealed", ""), ignore_errors=True)

    @staticmethod
    def _packs(root: Path) -> list[tuple[Path, bytes]]:
        """Folder and pack of each."""
        from knowledge import catalogue, shipped
        from rules import base

        packs = [(module.ORIGIN.folder, module.pack().content) for module in (catalogue, base)]
        own = (root / "knowledge" / "data", root / "rules")
        texts = sorted({path.parent for package in PACKAGES for path in (root / package).rglob("*.yaml")})
        folders = [folder for folder in texts if not any(folder.is_relative_to(other) for other in own)]
        return packs + [(folder, shipped.pack_of(folder).content) for folder in folders]
