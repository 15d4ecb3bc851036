"""Expressions that are kept between processes are those that ``re`` compiles, or ``re`` compiles them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from knowledge import regexes

ROOT = Path(__file__).parents[2]
EXPRESSIONS = [
    ("", 0),
    (r"(?P<low>\d+)\s?(?:-|to)\s?(?P<high>\d+)?", re.IGNORECASE),
    (r"(?<![A-Za-zÀ-ÿ0-9_.,'/-])(?:über|около|约)\b", re.IGNORECASE),
    (r"(a)(b)?(?(2)c|d)\1", 0),
    (r"(?i:ß)[^\W\d_]{2,40}+(?!x)(?=.)", re.DOTALL),
    (r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]", 0),
    (r"^ x  # comment", re.VERBOSE | re.MULTILINE),
    ("a" * 3000, 0),
]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A cache of the test's own, read anew."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(regexes, "_NEW", {})
    caches = (regexes._place, regexes._kept)
    for cached in caches:
        cached.cache_clear()
    yield
    for cached in caches:
        cached.cache_clear()


@pytest.mark.parametrize(("pattern", "flags"), EXPRESSIONS)
def test_a_kept_expression_is_the_same(pattern: str, flags: int) -> None:
    """Two compiled expressions are equal when text, flags and code are (``pattern_richcompare`` in ``_sre.c``)."""
    revived = regexes._revived(pattern, regexes._worked_out(pattern, int(flags)))
    fresh = re.compile(pattern, flags)
    assert revived == fresh
    assert (revived.groups, revived.groupindex) == (fresh.groups, fresh.groupindex)


def test_expressions_are_kept_for_the_next_process() -> None:
    expression = regexes.compile(r"(?P<n>\d+) users")
    regexes._keep()
    regexes._NEW.clear()
    regexes._kept.cache_clear()
    again = regexes.compile(r"(?P<n>\d+) users")
    assert again == expression
    assert regexes._NEW == {}
    assert again.search("for 500 users")["n"] == "500"  # type: ignore[index]


@pytest.mark.parametrize(
    "kept",
    [
        {},
        {"flags": 32, "code": "AAAA", "names": [None]},
        {"flags": 32, "code": "////////", "names": [None]},
        {"flags": 32, "code": "not base64!", "names": [None]},
        {"flags": "x", "code": "", "names": [None]},
        {"flags": 32, "code": "", "names": []},
        {"flags": 32, "code": None, "names": None},
    ],
)
def test_a_damaged_or_planted_one_is_compiled_anew(kept: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regexes, "_kept", lambda: {regexes._key("a+b", 0): kept})
    assert regexes.compile("a+b") == re.compile("a+b")


def test_an_expression_that_is_wrong_is_refused_as_re_does() -> None:
    with pytest.raises(re.error, match="unterminated"):
        regexes.compile("(a")


def test_without_a_cache_it_is_re(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert regexes.compile("a+b") == re.compile("a+b")
    regexes._keep()
    assert (tmp_path / "file").read_bytes() == b""


def test_what_is_understood_is_the_same_with_and_without(tmp_path: Path) -> None:
    """The second process has every expression of the first from the cache."""
    command = [
        sys.executable,
        "-m",
        "tui.entry",
        "parse",
        "500 Nutzer, 8x H100 in Frankfurt, TTFT unter 1,5 s",
        "--json",
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(tmp_path)}
    first, second = (subprocess.run(command, env=environment, capture_output=True, check=True) for _ in range(2))
    assert first.stdout == second.stdout
    assert len(list((tmp_path / "sizewright").glob("regexes-*.pack"))) == 1
