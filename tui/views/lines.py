"""The parts that every view is made of: rows of a list, lines of a pane, and a search over rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from assistant.messages.voice import DASH as DASH
from assistant.messages.voice import Voice

Kind = Literal["title", "head", "text", "item", "field", "quiet", "command"]
"""What a line is; the screen gives each kind its look. ``item`` is bulleted, ``field`` has a label in front."""

Say: TypeAlias = Voice
"""The labels of the views, and everything else that is said, in the language of the session."""


@dataclass(frozen=True, slots=True)
class Line:
    """One paragraph of a pane. ``level`` indents."""

    kind: Kind
    text: str
    label: str = ""
    level: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a list: ``key`` opens its details, ``search`` is what a search looks through.

    A row without a key is a heading.
    """

    key: str
    cells: tuple[str, ...]
    search: str = ""

    @property
    def heading(self) -> bool:
        """Whether this row only announces those below it."""
        return not self.key


class Cites(Protocol):
    """What a source in a sizing and one in the catalogue have in common."""

    @property
    def title(self) -> str: ...
    @property
    def address(self) -> str | None: ...
    @property
    def date(self) -> str | None: ...
    @property
    def grade(self) -> str: ...
    @property
    def seen_as(self) -> str: ...


def words(name: str) -> str:
    """An identifier as words."""
    return name.replace("_", " ")


def matches(text: str, needle: str) -> bool:
    """Whether every word of ``needle`` occurs in ``text``, in any order and case. An empty needle matches."""
    folded = text.casefold()
    return all(word in folded for word in needle.casefold().split())


def matching(rows: Iterable[Row], needle: str) -> tuple[Row, ...]:
    """The rows that a search finds, with the headings that still have rows below them."""
    kept: list[Row] = []
    for row in rows:
        if row.heading:
            while kept and kept[-1].heading:
                kept.pop()
            kept.append(row)
        elif matches(row.search or " ".join(row.cells), needle):
            kept.append(row)
    while kept and kept[-1].heading:
        kept.pop()
    return tuple(kept)


def source_lines(idents: Sequence[str], sources: Mapping[str, Cites], say: Say, level: int = 0) -> tuple[Line, ...]:
    """Each source with title, grade, reading, date and address; an id that is an address stands for itself."""
    lines: list[Line] = []
    for ident in dict.fromkeys(idents):
        source = sources.get(ident)
        if source is None:
            lines.append(Line("item", ident, level=level))
            continue
        lines.append(Line("item", f"{source.title} ({graded(source, say)})", level=level))
        lines.append(Line("quiet", source.address or say("no_address"), level=level + 1))
    return tuple(lines)


def graded(source: Cites, say: Say) -> str:
    """Grade, reading and date of a source in a few words."""
    grade, seen = say.word("levels.grade", source.grade), say.word("levels.seen_as", source.seen_as)
    parts = (grade, f"{say('read_as')} {seen}", source.date or "")
    return ", ".join(part for part in parts if part)


def say_in(lang: str) -> Say:
    """The labels of the views in a language."""
    return Voice(lang, "tui.view")
