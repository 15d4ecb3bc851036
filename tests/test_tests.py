"""The tests themselves: each can fail."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parent
RAISING = ("raises", "warns")


def _asserts(function: ast.AST, helpers: set[str]) -> bool:
    """Whether a function asserts, expects an error, or calls one of ``helpers``, which do."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            return True
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in {*helpers, *RAISING}:
            return True
    return False


def without_assert(source: str) -> list[str]:
    """The tests in ``source`` that assert nothing, neither themselves nor in a function of the file that they call."""
    functions = [n for n in ast.walk(ast.parse(source)) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
    helpers: set[str] = set()
    while more := {f.name for f in functions if f.name not in helpers and _asserts(f, helpers)}:
        helpers |= more
    return [f.name for f in functions if f.name.startswith("test_") and f.name not in helpers]


def test_every_test_asserts_something() -> None:
    found = {
        path.relative_to(ROOT).as_posix(): names
        for path in ROOT.rglob("test_*.py")
        if (names := without_assert(path.read_text(encoding="utf-8")))
    }
    assert found == {}


def test_what_counts_as_an_assert() -> None:
    source = """
def check(x):
    assert x
def through(x):
    check(x)
def test_direct():
    assert 1
def test_by_helper():
    through(1)
def test_raises():
    with pytest.raises(ValueError):
        int("x")
def test_nothing():
    int("1")
"""
    assert without_assert(source) == ["test_nothing"]
