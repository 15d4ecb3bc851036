"""The arithmetic says of every value what it is: no ``Any``, and no check of types switched off."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import assistant.sizing

ROOM = Path(assistant.sizing.__file__).parent


@pytest.mark.parametrize("path", sorted(ROOM.rglob("*.py")), ids=lambda path: str(path.relative_to(ROOM)))
def test_no_value_may_be_anything(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    names = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    assert "Any" not in names
    assert "type: ignore" not in text
