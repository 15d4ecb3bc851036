"""File names, texts and sources of an export."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from assistant.result import Sizing
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from tui.views.export import cited_lines, headless, source_rows, suggested, text_of
from tui.views.lines import say_in


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("Müller & Söhne, Frankfurt", "muller-sohne-frankfurt.md"),
        ("../../etc/passwd", "etc-passwd.md"),
        ("[/] \x1b[31m", "31m.md"),
        ("漢字", "abc123.md"),
        ("", "abc123.md"),
        ("x" * 300, "x" * 60 + ".md"),
    ],
)
def test_a_suggested_name_is_plain(label: str, name: str) -> None:
    assert suggested(label, "abc123", "md") == name


def test_the_ending_names_the_format(sizing: Sizing) -> None:
    catalogue = Catalogue({}, "test")

    def text(label: str, name: str) -> str:
        return str(text_of(sizing, label, {}, Path(name), catalogue))

    assert json.loads(text("", "a.json"))["catalogue_version"] == "c"
    assert text("Demo", "a.MD").startswith("# First sizing: Demo")
    for name, problem in (("a", "suffix"), ("a.xyz", "not a format"), ("a.svg", "size it anew")):
        with pytest.raises(BadInput, match=problem):
            text("", name)


def test_a_source_says_what_cites_it(sizing: Sizing) -> None:
    assert [row.key for row in source_rows(sizing)] == ["law", "blog"]
    said = [line.text for line in cited_lines(sizing, "blog", say_in("en"))]
    assert said[-3:] == ["Cooling", "Measure first", "active at the same time"]
    assert "no public address" in said


def test_the_command_survives_a_shell() -> None:
    command = headless("abc", "my plan; rm.md", force=True)
    assert shlex.split(command) == ["sizewright", "export", "abc", "--to", "my plan; rm.md", "--force"]
