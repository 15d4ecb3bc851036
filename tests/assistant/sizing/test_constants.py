"""Every number that decides a figure says where it comes from: beside it, or in the catalogue with its source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import assistant.sizing

ROOM = Path(assistant.sizing.__file__).parent
PLAIN = {0, 1, 2}
"""Numbers that need no word: nothing, the whole, and halves and doubles of it."""


def _numbers(node: ast.expr) -> Iterator[float]:
    """The numbers of a constant's value: alone, in a product, in a tuple or a table."""
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, (int, float)) and not isinstance(part.value, bool):
            yield part.value


def _is_constant(node: ast.stmt) -> bool:
    """Whether a statement gives a number to a name in capitals; what calls or compiles something is no number."""
    if isinstance(node, ast.Assign):
        targets, value = node.targets, node.value
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        targets, value = [node.target], node.value
    else:
        return False
    names = [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]
    called = any(isinstance(part, ast.Call) and ast.unparse(part.func) != "float" for part in ast.walk(value))
    return all(name.isupper() for name in names) and not called and any(n not in PLAIN for n in _numbers(value))


def _noted(source: list[str], body: list[ast.stmt], place: int) -> bool:
    """Whether words stand beside the statement: below it as a docstring, before it or behind it as a comment."""
    node = body[place]
    after = body[place + 1] if place + 1 < len(body) else None
    if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and isinstance(after.value.value, str):
        return True
    lines = [source[node.lineno - 2], *source[node.lineno - 1 : node.end_lineno]]
    return lines[0].lstrip().startswith("#") or any("# " in line and "fmt:" not in line for line in lines[1:])


def unnoted(path: Path) -> list[str]:
    """Numeric constants of a module with nothing beside them."""
    text = path.read_text(encoding="utf-8")
    body = ast.parse(text).body
    found = [place for place, node in enumerate(body) if _is_constant(node)]
    lines = text.splitlines()
    return [f"{path.name}:{body[n].lineno} {lines[body[n].lineno - 1]}" for n in found if not _noted(lines, body, n)]


@pytest.mark.parametrize("path", sorted(ROOM.rglob("*.py")), ids=lambda path: str(path.relative_to(ROOM)))
def test_constants_say_where_they_come_from(path: Path) -> None:
    assert unnoted(path) == []


def test_a_bare_number_is_found_and_a_noted_one_is_not(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text('BARE = 0.7\nNOTED = 0.7\n"""From a data sheet."""\nBESIDE = 3  # by its card\nHALF = 2.0\n')
    assert unnoted(module) == ["module.py:1 BARE = 0.7"]
