"""The documentation against the program: commands, options and files that it names exist, and none is left out."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from assistant.cli import COMMANDS, build_parser
from assistant.requests.estimates import PARTS

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
"""What speaks of today. Decisions in docs/adr and the change log tell of their time."""

FOLDERS = ("assistant", "docs", "knowledge", "rules", "tests", "transcripts", "tui", ".ci")
CODE = re.compile(r"```[^\n]*\n(.*?)```|`([^`\n]+)`", re.DOTALL)
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
FILE = re.compile(
    rf"(?<![\w/.])(?:{'|'.join(map(re.escape, FOLDERS))})/[\w./*{{}},-]*\.(?:py|md|ya?ml|csv|json|toml)\b"
)
OTHERS = ("pytest", "make", "git", "pip", "uv", "source", "sudo", "docker", "python")
"""Programs of others: their options are not ours."""


THEIRS = frozenset({"brief.yaml", "kueue.yaml"})
"""Files that users bring or get."""


def page_id(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def code(page: Path) -> Iterator[str]:
    """Every piece of code of a page, a line at a time, continued lines joined."""
    for match in CODE.finditer(page.read_text(encoding="utf-8")):
        for line in (match[1] or match[2]).replace("\\\n", " ").splitlines():
            yield line.strip().removeprefix("$ ")


@cache
def parser_of(command: str) -> argparse.ArgumentParser:
    """The parser of one command, with all its parts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["sizewright", command])
        return next(iter(subparsers(build_parser(command)).values()))


def subparsers(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    found: dict[str, argparse.ArgumentParser] = {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            found |= action.choices
    return found


def options(parser: argparse.ArgumentParser) -> set[str]:
    """The options of a parser and of all below it."""
    own = {option for action in parser._actions for option in action.option_strings}
    return own.union(*(options(below) for below in subparsers(parser).values()))


@cache
def all_options() -> frozenset[str]:
    everything = options(build_parser()).union(*(options(parser_of(command)) for command in COMMANDS))
    return frozenset(everything)


def words(line: str) -> list[str]:
    """A command line as words, up to a pipe or a comment; brackets and bars of a synopsis are no words."""
    plain = re.split(r"\s#\s|\s\|\s|\s>\s?", line)[0]
    try:
        return shlex.split(plain.replace("[", " ").replace("]", " ").replace("\\|", " "))
    except ValueError:
        return plain.split()


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_every_command_line_is_one_that_the_program_takes(page: Path) -> None:
    wrong: list[str] = []
    for line in code(page):
        told = words(line) if line.startswith("sizewright ") else []
        if told[:1] != ["sizewright"] or len(told) < 2 or not re.fullmatch(r"[a-z]+", told[1]):
            continue
        if told[1] not in COMMANDS:
            wrong.append(line)
            continue
        parser = parser_of(told[1])
        below = subparsers(parser)
        if len(told) > 2 and told[2] in below:
            parser = below[told[2]]
        elif below and len(told) > 2 and re.fullmatch(r"[a-z]+", told[2]):
            wrong.append(line)
        known = options(parser) | options(build_parser())
        wrong += [f"{line}: {option}" for option in OPTION.findall(" ".join(told)) if option not in known]
    assert wrong == []


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_every_option_is_one_of_some_command(page: Path) -> None:
    named = {option for line in code(page) if line.startswith(("--", "sizewright")) for option in OPTION.findall(line)}
    assert named - all_options() == set()


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_every_file_is_there(page: Path) -> None:
    named = {re.sub(r"\{[^}]*\}", "*", name) for name in FILE.findall(page.read_text(encoding="utf-8"))}
    assert {name for name in named if not any(ROOT.glob(name))} == set()
    bare = set(re.findall(r"`(\w+\.(?:py|ya?ml))`", page.read_text(encoding="utf-8"))) - THEIRS
    assert {name for name in bare if not any(any((ROOT / f).rglob(name)) for f in FOLDERS)} == set()


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_documented(command: str) -> None:
    contract = (ROOT / "docs" / "contract.md").read_text(encoding="utf-8")
    spoken = [
        piece for piece in re.findall(r"`([^`\n]+)`", contract) if re.search(rf"(^|sizewright ){command}\b", piece)
    ]
    assert spoken, f"docs/contract.md does not name {command}"
    below = set(subparsers(parser_of(command)))
    assert {name for name in below if not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", contract)} == set()


def test_every_part_of_estimate_has_its_fields_documented() -> None:
    contract = (ROOT / "docs" / "contract.md").read_text(encoding="utf-8")
    headings = " ".join(re.findall(r"^### (estimate .*)$", contract, re.MULTILINE))
    assert {part for part in PARTS if part not in headings} == set()
