"""What was seen in the logs, counted and bounded: the same fault a million times is one sighting."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from assistant.operations.triage.lines import Moment, clean, moment

MAX_TEXTS = 5
MAX_TOLD = 30
"""What people say in their own words is listened to in as many lines; more of them are a log."""
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
    """One line recognised. ``told``: no log program wrote it; somebody says so. ``gpu`` may be a port or device."""

    mode: str
    kind: str
    code: str
    gpu: str | None = None
    action: str | None = None
    note: str | None = None
    details: tuple[tuple[str, str], ...] = ()
    by: str | None = None
    told: bool = False
    closes: bool = False


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
    told: bool = False


class Closing(NamedTuple):
    """A line that ends something: which modes, where, and of which GPU or port where it says so."""

    modes: tuple[str, ...]
    node: str | None
    gpu: str | None


@dataclass
class Sighting:
    """How often, first and last where and when, and the first few lines."""

    count: int = 0
    first: Place = NOWHERE
    last: Place = NOWHERE
    first_at: Moment | None = None
    last_line: bytes = b""
    texts: list[str] = field(default_factory=list)
    details: list[Detail] = field(default_factory=list)
    actions: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)

    def again(self, place: Place, raw: bytes) -> None:
        """Count one more line that says nothing new but its time."""
        self.count += 1
        self.last, self.last_line = place, raw

    def add(self, hit: Hit, place: Place, text: str) -> None:
        """Count one more line; lines come in the order of their places."""
        if self.count == 0:
            self.first, self.first_at = place, moment(text)
        self.again(place, text.encode("utf-8", errors="surrogateescape"))
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

    @property
    def last_text(self) -> str:
        """The line that was seen last."""
        return clean(self.last_line)

    def merge(self, later: Sighting) -> None:
        """Take in a sighting of the same key from further on."""
        if self.count == 0:
            self.first, self.first_at = later.first, later.first_at
        self.count += later.count
        self.last, self.last_line = later.last, later.last_line
        self.texts.extend(t for t in later.texts[: MAX_TEXTS - len(self.texts)] if t not in self.texts)
        self.details.extend(later.details[: MAX_DETAILS - len(self.details)])
        self.actions |= later.actions
        self.notes.extend(n for n in later.notes[: MAX_TEXTS - len(self.notes)] if n not in self.notes)


@dataclass
class Seen:
    """All sightings of a run.

    ``phases`` begin something slow, ``facts`` are read from nccl-tests, ``closings`` end what was open. ``harmless``
    says why a line that frightens is none to mind; ``programs`` wrote the lines that look like faults and are not
    known; ``parts`` are what the machine has (True) or lacks. ``cut`` tells what could not be read to its end,
    ``refused`` why nothing was read.
    """

    sightings: dict[Key, Sighting] = field(default_factory=dict)
    lines: int = 0
    unrecognised: int = 0
    unrecognised_lines: list[str] = field(default_factory=list)
    phases: list[tuple[Place, str]] = field(default_factory=list)
    facts: list[tuple[str, str]] = field(default_factory=list)
    nodes: set[str] = field(default_factory=set)
    closings: dict[Closing, Sighting] = field(default_factory=dict)
    harmless: dict[str, Sighting] = field(default_factory=dict)
    programs: set[str] = field(default_factory=set)
    parts: dict[str, bool] = field(default_factory=dict)
    cut: list[str] = field(default_factory=list)
    refused: str | None = None

    def add(self, hit: Hit, node: str | None, place: Place, text: str) -> Sighting:
        """Count a hit; the sighting that it belongs to."""
        key = Key(hit.mode, hit.kind, hit.code, node, hit.gpu, hit.told)
        if key not in self.sightings and len(self.sightings) >= MAX_SIGHTINGS:
            key = Key(hit.mode, hit.kind, hit.code, None, None)
        sighting = self.sightings.setdefault(key, Sighting())
        sighting.add(hit, place, text)
        return sighting

    def close(self, closing: Closing, hit: Hit, place: Place, text: str) -> None:
        """Note the end of something."""
        if closing in self.closings or len(self.closings) < MAX_SIGHTINGS:
            self.closings.setdefault(closing, Sighting()).add(hit, place, text)

    def excuse(self, why: str, hit: Hit, place: Place, text: str) -> None:
        """Note a line that is harmless, and why."""
        self.harmless.setdefault(why, Sighting()).add(hit, place, text)

    def fault(self, text: str, program: str | None = None) -> None:
        """Count a line that looks like a fault and is not recognised."""
        self.unrecognised += 1
        if program is not None:
            self.programs.add(program)
        if len(self.unrecognised_lines) < MAX_TEXTS and text not in self.unrecognised_lines:
            self.unrecognised_lines.append(text)

    def merge(self, later: Seen) -> None:
        """Take in what was seen further on; its places are final already."""
        for key, sighting in later.sightings.items():
            self.sightings.setdefault(key, Sighting()).merge(sighting)
        for closing, sighting in later.closings.items():
            self.closings.setdefault(closing, Sighting()).merge(sighting)
        for why, sighting in later.harmless.items():
            self.harmless.setdefault(why, Sighting()).merge(sighting)
        self.lines += later.lines
        self.unrecognised += later.unrecognised
        self.unrecognised_lines.extend(later.unrecognised_lines[: MAX_TEXTS - len(self.unrecognised_lines)])
        self.phases.extend(later.phases[: MAX_DETAILS - len(self.phases)])
        self.facts.extend(later.facts[: MAX_SIGHTINGS - len(self.facts)])
        self.nodes |= later.nodes
        self.programs |= later.programs
        for part, there in later.parts.items():
            self.parts[part] = there or self.parts.get(part, False)
        self.cut.extend(later.cut[: MAX_DETAILS - len(self.cut)])
        self.refused = self.refused or later.refused


def merged(parts: Iterable[Seen]) -> Seen:
    """All parts in their order as one."""
    whole = Seen()
    for part in parts:
        whole.merge(part)
    return whole
