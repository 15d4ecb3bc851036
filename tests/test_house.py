"""The house as it is drawn: rooms in layers, no circles, no crowded folder, no file that belongs nowhere.

Read off the imports in the source, late ones too; those for type checkers alone do not count.
"""

from __future__ import annotations

import ast
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("knowledge", "rules", "assistant", "tui")

MOST_FILES = 20
MOST_LAYERS = 14
MOST_AT_THE_TOP = 12

Graph = Mapping[str, set[str]]


@cache
def modules() -> Mapping[str, Path]:
    """Every module of the program by its dotted name."""
    files = (file for package in PACKAGES for file in (ROOT / package).rglob("*.py"))
    return {".".join(f.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): f for f in files}


def import_statements(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING":
            continue
        if isinstance(child, (ast.Import, ast.ImportFrom)):
            yield child
        else:
            yield from import_statements(child)


@cache
def graph() -> Graph:
    """Module -> the modules of ours that it imports."""
    found: dict[str, set[str]] = {name: set() for name in modules()}
    for name, file in modules().items():
        for statement in import_statements(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in statement.names]
            if isinstance(statement, ast.ImportFrom):
                whole = statement.module or ""
                names = [f"{whole}.{one}" if f"{whole}.{one}" in modules() else whole for one in names]
            found[name].update(one for one in names if one in modules() and one != name)
    return found


def circles(of: Graph) -> list[set[str]]:
    """Sets of nodes that each reach all the others (Tarjan's strongly connected components of more than one)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[set[str]] = []

    def visit(node: str) -> None:
        order[node] = low[node] = len(order)
        stack.append(node)
        for other in sorted(of[node]):
            if other not in order:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], order[other])
        if low[node] == order[node]:
            place = stack.index(node)
            found.append(set(stack[place:]))
            del stack[place:]

    for node in of:
        if node not in order:
            visit(node)
    return [circle for circle in found if len(circle) > 1]


def rooms_in(package: str) -> Graph:
    """The files and rooms directly in a package, and which of them import which."""
    depth = package.count(".") + 2
    found: dict[str, set[str]] = defaultdict(set)
    for name, imported in graph().items():
        if name.startswith(f"{package}."):
            room = ".".join(name.split(".")[:depth])
            others = {".".join(one.split(".")[:depth]) for one in imported if one.startswith(f"{package}.")}
            found[room] |= others - {room}
            for other in others:
                found[other] |= set()
    return found


def contract() -> list[list[str]]:
    """The layers of the whole, the highest first, as the linter holds them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    whole = next(one for one in settings["contracts"] if one["name"] == "the rooms, top to bottom")
    return [[room.strip() for room in layer.split("|")] for layer in whole["layers"]]


def level_of(module: str) -> int:
    """The layer of a module, counted from the top."""
    found = [
        place
        for place, layer in enumerate(contract())
        if any(module == room or module.startswith(f"{room}.") for room in layer)
    ]
    assert len(found) == 1, f"{module} stands in {len(found)} layers of the contract"
    return found[0]


def test_no_circle_of_modules() -> None:
    assert circles(graph()) == []


@pytest.mark.parametrize(
    "package", sorted({".".join(f.parent.relative_to(ROOT).parts) for f in modules().values() if f.stem == "__init__"})
)
def test_no_circle_of_rooms(package: str) -> None:
    assert circles(rooms_in(package)) == []


def test_a_circle_is_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [{"a", "b", "c"}]


def test_every_file_and_room_stands_in_one_layer_and_imports_nothing_above_it() -> None:
    above = [
        (name, other)
        for name, imported in graph().items()
        if name != "assistant"
        for other in imported
        if other != "assistant" and level_of(other) < level_of(name)
    ]
    assert above == []


def test_every_room_of_the_contract_is_there() -> None:
    assert [room for layer in contract() for room in layer if room not in modules()] == []


def test_the_layers_can_be_counted() -> None:
    assert len(contract()) <= MOST_LAYERS


def test_no_folder_is_crowded() -> None:
    files: dict[str, int] = defaultdict(int)
    for file in modules().values():
        files[file.parent.relative_to(ROOT).as_posix()] += file.stem != "__init__"
    assert {folder for folder, count in files.items() if count > MOST_FILES} == set()


def test_a_dozen_files_at_the_top() -> None:
    top = [file.stem for file in (ROOT / "assistant").glob("*.py") if file.stem != "__init__"]
    assert len(top) <= MOST_AT_THE_TOP, sorted(top)


def test_nothing_of_the_assistant_imports_commands_but_its_command_line() -> None:
    importing = {
        name
        for name, imported in graph().items()
        if name.startswith("assistant.") and not name.startswith(("assistant.commands", "assistant.cli"))
        if any(one.startswith("assistant.commands") for one in imported)
    }
    assert importing == set()


def test_the_app_takes_nothing_from_the_command_line_and_rules_through_the_service() -> None:
    past = {
        (name, other)
        for name, imported in graph().items()
        if name.startswith("tui.") and name != "tui.entry"
        for other in imported
        if other.startswith(("assistant.commands", "assistant.cli", "rules"))
    }
    assert past == set()
