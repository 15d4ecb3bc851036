"""The rule base: reading, checking and indexing packs, topics, decisions and checklists.

Layout of our folder and of an overlay's ``rules/`` folder alike: ``packs/*.yaml`` (rules), ``checklist/*.yaml``
(items), ``topics.yaml`` or ``topics/*.yaml``, ``decisions.yaml`` or ``decisions/*.yaml``; each file is a list.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from knowledge.compiled import DATA, Origin, RawEntries, hashed, load_pack
from knowledge.errors import BadInput
from knowledge.evidence import Frozen, Grade, Source
from knowledge.packs import Pack, Sections
from rules.schema import ChecklistItem, DecisionSpec, Rule, Topic
from rules.strata import stratify
from rules.validate import Problem, problems

PACKAGE = Path(__file__).parent
_PARTS: Mapping[str, type[Frozen]] = {
    "topics": Topic,
    "decisions": DecisionSpec,
    "checklist": ChecklistItem,
    "packs": Rule,
}

ORIGIN = Origin(
    PACKAGE,
    tuple(pattern for part in _PARTS for pattern in (f"{part}.yaml", f"{part}/*.yaml")),
    ("base.py", "schema.py", "consultation.py", "strata.py", "validate.py"),
    beside=((DATA, "sources/*.yaml"),),  # which the rules cite
)
_ABOUT = "~about"
"""The section of the pack that is no part of the base."""


@dataclass(frozen=True, eq=False)
class RuleBase:
    """What follows from what, as one value. ``version`` is the hash of its files; ``files`` says where an id stands."""

    version: str
    rules: Mapping[str, Rule]
    topics: Mapping[str, Topic]
    checklist: Mapping[str, ChecklistItem]
    decisions: Mapping[str, DecisionSpec]
    sources: Mapping[str, Source]
    files: Mapping[str, str]

    @cached_property
    def strata(self) -> tuple[tuple[Rule, ...], ...]:
        """The rules in the order in which they have to be settled."""
        return stratify(self.rules)

    @cached_property
    def tested_by(self) -> Mapping[str, tuple[Rule, ...]]:
        """Topic id -> the rules with a condition on it, in rule order."""
        index: dict[str, list[Rule]] = {}
        for rule in self.rules.values():
            for topic in dict.fromkeys(condition.topic for condition in rule.conditions()):
                index.setdefault(topic, []).append(rule)
        return {topic: tuple(rules) for topic, rules in index.items()}

    @cached_property
    def reach(self) -> Mapping[str, tuple[tuple[Rule, ...], ...]]:
        """Topic id -> the rules whose firing it can change, directly or through what others conclude, by stratum."""
        return {topic: self._reached_from(topic) for topic in self.tested_by}

    def _reached_from(self, topic: str) -> tuple[tuple[Rule, ...], ...]:
        reached: set[str] = set()
        topics = [topic]
        for current in topics:  # grows while it is walked
            for rule in self.tested_by.get(current, ()):
                if rule.id not in reached:
                    reached.add(rule.id)
                    topics.extend(rule.asserts())
        strata = (tuple(rule for rule in stratum if rule.id in reached) for stratum in self.strata)
        return tuple(stratum for stratum in strata if stratum)

    def grade(self, rule: Rule) -> Grade:
        """The strongest grade among the rule's sources."""
        return self.best_grade(rule.sources)

    def best_grade(self, sources: Iterable[str]) -> Grade:
        """The strongest grade among sources, of which there is at least one, by how each was read."""
        return min((self.sources[source].read_grade for source in sources), key=list(Grade).index)


def load_rules(overlays: Sequence[Path] = (), sources: Mapping[str, Source] | None = None) -> RuleBase:
    """The shipped rule base with the overlays' ``rules/`` folders merged over it, in order.

    ``sources`` are those that rules may cite, by default the catalogue's (with the same overlays). Raises BadInput
    naming file and entry for the first thing that makes the base unusable.
    """
    shipped = pack()
    reading = _Reading([shipped[_ABOUT]["version"]])
    reading.add(PACKAGE, shipped)
    for folder in overlays:
        reading.read(folder / "rules")
    base = reading.base(_catalogue_sources(overlays) if sources is None else sources)
    if overlays:
        _refuse(reading, base)
    return base


def read_rules(
    folders: Sequence[Path], sources: Mapping[str, Source] | None = None, overlays: Sequence[Path] = ()
) -> tuple[RuleBase, list[Problem]]:
    """The base in ``folders`` and all its problems, for the linter. Raises BadInput for an entry of no valid shape."""
    reading = _Reading()
    for folder in folders:
        reading.read(folder)
    base = reading.base(_catalogue_sources(overlays) if sources is None else sources)
    return base, [*reading.found, *problems(base)]


def pack() -> Pack:
    """Our own rules as a pack. Raises BadInput as ``load_rules``."""
    return load_pack(ORIGIN, _checked)


def _checked() -> Sections:
    """Our own rules, for the pack, where nothing makes them unusable."""
    reading = _Reading()
    raw = reading.read(PACKAGE)
    _refuse(reading, reading.base(_catalogue_sources(())))
    return {**raw, _ABOUT: {"version": reading.versions[0]}}


def _refuse(reading: _Reading, base: RuleBase) -> None:
    for problem in (*reading.found, *problems(base)):
        raise BadInput(f"{problem.file}: {problem.entry}", problem.value, problem.expected, problem.nearest)


def _catalogue_sources(overlays: Sequence[Path]) -> Mapping[str, Source]:
    from knowledge.catalogue import load_catalogue  # where the caller has not opened it already

    return load_catalogue(overlays).entries("sources")


class _Reading:
    """A rule base in the making, folder by folder; ``versions`` are the hashes of their files."""

    def __init__(self, versions: Sequence[str] = ()) -> None:
        self.versions = list(versions)
        self.found: list[Problem] = []
        self._entries: dict[str, dict[str, Any]] = {part: {} for part in _PARTS}
        self._files: dict[str, str] = {}

    def read(self, folder: Path) -> Sections:
        """Add a folder's YAML files, and return what stands in them."""
        texts = [(part, path, path.read_bytes()) for part, path in _files(folder)]
        self.versions.append(hashed((path.relative_to(folder).as_posix(), content) for _, path, content in texts))
        raw, found = _parsed(folder, texts)
        self.found += found
        self.add(folder, raw)
        return raw

    def add(self, folder: Path, raw: Sections) -> None:
        """Add entries; one of the same id in a folder before is replaced whole."""
        for part, record in _PARTS.items():
            for ident, placed in raw.get(part, {}).items():
                self._entries[part][ident] = _record(folder, placed, ident, record)
                self._files[ident] = placed["file"]

    def base(self, sources: Mapping[str, Source]) -> RuleBase:
        """What was read, as one value."""
        return RuleBase(
            version=hashed((version, b"") for version in self.versions),
            rules=self._entries["packs"],
            topics=self._entries["topics"],
            checklist=self._entries["checklist"],
            decisions=self._entries["decisions"],
            sources=sources,
            files=self._files,
        )


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    for part in _PARTS:
        for path in sorted((*folder.glob(f"{part}.yaml"), *folder.glob(f"{part}/*.yaml"))):
            yield part, path


def _parsed(folder: Path, texts: Iterable[tuple[str, Path, bytes]]) -> tuple[RawEntries, list[Problem]]:
    """Part -> id -> file and entry, of which the last of an id counts, and the ids that stand twice."""
    raw: RawEntries = {part: {} for part in _PARTS}
    found: list[Problem] = []
    for part, path, content in texts:
        name = path.relative_to(folder).as_posix()
        for number, entry in enumerate(_list(path, content)):
            ident = str(entry.get("id")) if isinstance(entry, dict) and "id" in entry else f"entry {number + 1}"
            if ident in raw[part]:
                other = raw[part][ident]["file"]
                found.append(Problem("duplicate id", name, ident, ident, f"an id of its own; {other} has it too"))
            raw[part][ident] = {"file": name, "entry": entry}
    return raw, found


def _list(path: Path, content: bytes) -> list[Any]:
    from knowledge.yaml_files import parse_yaml  # PyYAML: only where there is no pack, or an overlay

    document = parse_yaml(content, str(path))
    if document is not None and not isinstance(document, list):
        raise BadInput(str(path), type(document).__name__, "a list of entries")
    return document or []


def _record(folder: Path, placed: Mapping[str, Any], ident: str, record: type[Frozen]) -> Frozen:
    try:
        return record.model_validate(placed["entry"])
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise BadInput(
            f"{folder / placed['file']}: {ident}{': ' + where if where else ''}", first["input"], first["msg"]
        ) from error
