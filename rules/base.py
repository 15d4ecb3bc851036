"""The rule base: reading, checking and indexing packs, topics, decisions and checklists.

Layout of our folder and of an overlay's ``rules/`` folder alike: ``packs/*.yaml`` (rules), ``checklist/*.yaml``
(items), ``topics.yaml`` or ``topics/*.yaml``, ``decisions.yaml`` or ``decisions/*.yaml``; each file is a list.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from knowledge.compiled import RawEntries, read_compiled, write_compiled
from knowledge.errors import BadInput
from knowledge.evidence import Frozen, Grade, Source
from knowledge.yaml_files import parse_yaml
from rules.schema import ChecklistItem, DecisionSpec, Rule, Topic
from rules.strata import stratify
from rules.validate import Problem, problems

PACKAGE = Path(__file__).parent
COMPILED = PACKAGE / "_compiled.json"
_PARTS: Mapping[str, type[Frozen]] = {
    "topics": Topic,
    "decisions": DecisionSpec,
    "checklist": ChecklistItem,
    "packs": Rule,
}


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
    base, found = read_rules([PACKAGE, *(folder / "rules" for folder in overlays)], sources, overlays)
    for problem in found:
        raise BadInput(f"{problem.file}: {problem.entry}", problem.value, problem.expected, problem.nearest)
    return base


def read_rules(
    folders: Sequence[Path], sources: Mapping[str, Source] | None = None, overlays: Sequence[Path] = ()
) -> tuple[RuleBase, list[Problem]]:
    """The base in ``folders`` and all its problems, for the linter. Raises BadInput for an entry of no valid shape."""
    digest = hashlib.sha256()
    entries: dict[str, dict[str, Any]] = {part: {} for part in _PARTS}
    files: dict[str, str] = {}
    found: list[Problem] = []
    for folder in folders:
        found += _read_folder(folder, entries, files, digest)
    base = RuleBase(
        version=digest.hexdigest(),
        rules=entries["packs"],
        topics=entries["topics"],
        checklist=entries["checklist"],
        decisions=entries["decisions"],
        sources=_catalogue_sources(overlays) if sources is None else sources,
        files=files,
    )
    return base, [*found, *problems(base)]


def _catalogue_sources(overlays: Sequence[Path]) -> Mapping[str, Source]:
    from knowledge.catalogue import load_catalogue

    return load_catalogue(overlays).entries("sources")


def _read_folder(
    folder: Path, entries: Mapping[str, dict[str, Any]], files: dict[str, str], digest: Any
) -> Iterator[Problem]:
    """Add the folder's entries; one of the same id in a folder before is replaced whole, in this folder a problem."""
    texts = [(part, path, path.read_bytes()) for part, path in _files(folder)]
    hashed = hashlib.sha256()
    for _, path, content in texts:
        hashed.update(f"{path.relative_to(folder).as_posix()}\0{len(content)}\0".encode() + content)
    digest.update(hashed.digest())
    raw = read_compiled(hashed.hexdigest(), COMPILED) if folder == PACKAGE else None
    if raw is None:
        raw, found = _parsed(folder, texts)
        yield from found
        if folder == PACKAGE and not found:
            write_compiled(hashed.hexdigest(), raw, COMPILED)
    for part, record in _PARTS.items():
        for ident, placed in raw.get(part, {}).items():
            entries[part][ident] = _record(folder, placed, ident, record)
            files[ident] = placed["file"]


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
