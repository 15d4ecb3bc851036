"""What was seen in the logs, counted and bounded: the same fault a million times is one sighting."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from assistant.operations.triage.lines import Moment, moment

MAX_TEXTS = 5
MAX_DETAILS = 512
MAX_SIGHTINGS = 20_000
"""Bounds for hostile logs; beyond them counts go on, and node and GPU are no longer told apart."""


class Detail(NamedTuple):
    """A value read from a line: what it is, and when and by whom it was said."""

    name: str
    value: str
    at: Moment | None
    by: str | None


class Hit(NamedTuple):
    """One line recognised."""

    mode: str
    kind: str
    code: str
    gpu: str | None = None
    action: str | None = None
    note: str | None = None
    details: tuple[tuple[str, str], ...] = ()
    by: str | None = None


class Place(NamedTuple):
    """Where a line stands: the number of its file among those given, and its line number from 1."""

    file: int
    line: int


NOWHERE = Place(0, 0)


class Key(NamedTuple):
    """Sightings are told apart by these."""

    mode: str
    kind: str
    code: str
    node: str | None
    gpu: str | None


@dataclass
class Sighting:
    """How often, first and last where and when, and the first few lines."""

    count: int = 0
    first: Place = NOWHERE
    last: Place = NOWHERE
    first_at: Moment | None = None
    last_text: str = ""
    texts: list[str] = field(default_factory=list)
    details: list[Detail] = field(default_factory=list)
    actions: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)

    def add(self, hit: Hit, place: Place, text: str) -> None:
        """Count one more line; lines come in the order of their places."""
        if self.count == 0:
            self.first, self.first_at = place, moment(text)
        self.count += 1
        self.last, self.last_text = place, text
        if len(self.texts) < MAX_TEXTS and text not in self.texts:
            self.texts.append(text)
        if hit.details and len(self.details) < MAX_DETAILS:
            at = moment(text)
            self.details.extend(Detail(name, value, at, hit.by) for name, value in hit.details)
        if hit.action:
            self.actions.add(hit.action)
        if hit.note and hit.note not in self.notes and len(self.notes) < MAX_TEXTS:
            self.notes.append(hit.note)

    @property
    def last_at(self) -> Moment | None:
        """When it was seen last, where that line says so."""
        return moment(self.last_text)

    def merge(self, later: Sighting) -> None:
        """Take in a sighting of the same key from further on."""
        if self.count == 0:
            self.first, self.first_at = later.first, later.first_at
        self.count += later.count
        self.last, self.last_text = later.last, later.last_text
        self.texts.extend(t for t in later.texts[: MAX_TEXTS - len(self.texts)] if t not in self.texts)
        self.details.extend(later.details[: MAX_DETAILS - len(self.details)])
        self.actions |= later.actions
        self.notes.extend(n for n in later.notes[: MAX_TEXTS - len(self.notes)] if n not in self.notes)


@dataclass
class Seen:
    """All sightings of a run; ``phases`` begin something slow, ``facts`` are read from nccl-tests."""

    sightings: dict[Key, Sighting] = field(default_factory=dict)
    lines: int = 0
    unrecognised: int = 0
    unrecognised_lines: list[str] = field(default_factory=list)
    phases: list[tuple[Place, str]] = field(default_factory=list)
    facts: list[tuple[str, str]] = field(default_factory=list)
    nodes: set[str] = field(default_factory=set)

    def add(self, hit: Hit, node: str | None, place: Place, text: str) -> None:
        """Count a hit."""
        key = Key(hit.mode, hit.kind, hit.code, node, hit.gpu)
        if key not in self.sightings and len(self.sightings) >= MAX_SIGHTINGS:
            key = Key(hit.mode, hit.kind, hit.code, None, None)
        self.sightings.setdefault(key, Sighting()).add(hit, place, text)

    def fault(self, text: str) -> None:
        """Count a line that looks like a fault and is not recognised."""
        self.unrecognised += 1
        if len(self.unrecognised_lines) < MAX_TEXTS and text not in self.unrecognised_lines:
            self.unrecognised_lines.append(text)

    def merge(self, later: Seen) -> None:
        """Take in what was seen further on; its places are final already."""
        for key, sighting in later.sightings.items():
            self.sightings.setdefault(key, Sighting()).merge(sighting)
        self.lines += later.lines
        self.unrecognised += later.unrecognised
        self.unrecognised_lines.extend(later.unrecognised_lines[: MAX_TEXTS - len(self.unrecognised_lines)])
        self.phases.extend(later.phases[: MAX_DETAILS - len(self.phases)])
        self.facts.extend(later.facts[: MAX_SIGHTINGS - len(self.facts)])
        self.nodes |= later.nodes


def merged(parts: Iterable[Seen]) -> Seen:
    """All parts in their order as one."""
    whole = Seen()
    for part in parts:
        whole.merge(part)
    return whole
