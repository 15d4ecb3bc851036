"""What answers are made from: the search index, and citable statements of rules, claims and catalogue records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from assistant.asking.answer import Against, AskedClaim
from assistant.asking.reading.lexicon import lexicon
from knowledge.evidence import Grade
from knowledge.search import Document, Hit, SearchIndex

if TYPE_CHECKING:
    from assistant.service import Assistant
    from knowledge.catalogue import Catalogue
    from knowledge.schema import Claim, Term, Xid
    from rules.base import RuleBase
    from rules.schema import Rule


class Library:
    """Catalogue and rules of an assistant, made citable. The index is built when a search is first needed."""

    def __init__(self, assistant: Assistant) -> None:
        self.assistant = assistant

    @property
    def catalogue(self) -> Catalogue:
        """What is known."""
        return self.assistant.catalogue

    @property
    def rules(self) -> RuleBase:
        """What follows."""
        return self.assistant.rules

    @cached_property
    def index(self) -> SearchIndex:
        """Claims, rules, checklist items, terms, Xids and formulas by their words."""
        words = lexicon()
        return SearchIndex(_documents(self), words.stop_words.split(), words.synonyms)

    def search(self, text: str, prefixes: Sequence[str] = (), kinds: Sequence[str] = (), limit: int = 6) -> list[Hit]:
        """The documents that cover the text best."""
        return self.index.search(text, limit, kinds, prefixes)

    # --- citable statements ---

    def claim(self, ident: str) -> AskedClaim:
        """A claim of the catalogue."""
        found: Claim = self.catalogue.entry("claims", ident)
        grade = found.grade(self.catalogue.entries("sources"))
        return AskedClaim(
            id=ident, text=found.statement, value=found.value, unit=found.unit, grade=grade, sources=found.sources
        )

    def advice(self, ident: str) -> str:
        """What a rule tells the customer: its warning, else its reason."""
        return _then_words(self.rules.rules[ident]) or self.rules.rules[ident].reason

    def rule(self, ident: str) -> AskedClaim:
        """A rule's reason, with the threshold of the duty that it concludes."""
        from rules.schema import Obligation

        found: Rule = self.rules.rules[ident]
        duty = next((then for then in found.then if isinstance(then, Obligation)), None)
        return AskedClaim(
            id=ident,
            text=found.reason,
            value=duty.threshold if duty else None,
            unit=duty.unit if duty and duty.threshold is not None else None,
            grade=self.rules.grade(found),
            sources=found.sources,
        )

    def computed(
        self, ident: str, text: str, value: float | None, unit: str | None, sources: Iterable[str]
    ) -> AskedClaim:
        """A figure of our own arithmetic, from the sources of its inputs."""
        return AskedClaim(id=ident, text=text, value=value, unit=unit, grade="arithmetic", sources=tuple(sources))

    def record(self, ident: str, text: str, sources: Sequence[str]) -> AskedClaim:
        """A record of the catalogue, graded by the best of its sources."""
        return AskedClaim(id=ident, text=text, grade=self.best_grade(sources), sources=tuple(sources))

    def best_grade(self, sources: Iterable[str]) -> Grade:
        """The best grade among sources by how each was read; unverified where there is none."""
        grades = (self.catalogue.source(ident).read_grade for ident in sources)
        return min(grades, key=list(Grade).index, default=Grade.UNVERIFIED)

    def cite(self, hit: Hit) -> AskedClaim:
        """What a search found, as a statement."""
        if hit.document.kind == "claims":
            return self.claim(hit.document.id)
        if hit.document.kind == "rules":
            return self.rule(hit.document.id)
        return self.record(hit.document.id, hit.document.body, self._sources(hit.document))

    def _sources(self, document: Document) -> tuple[str, ...]:
        if document.kind == "checklist":
            return self.rules.checklist[document.id].sources
        sources: tuple[str, ...] = self.catalogue.entry(document.kind, document.id).sources
        return sources

    # --- who says otherwise ---

    def against(self, claims: Iterable[AskedClaim]) -> tuple[Against, ...]:
        """What contradicts these claims, each statement once."""
        found = (item for claim in claims for item in self._against(claim.id))
        return tuple({(item.of, item.says): item for item in found}.values())

    def _against(self, ident: str) -> Iterator[Against]:
        from rules.document import why_ours

        if ident in self.rules.rules:
            rule = self.rules.rules[ident]
            for dissent in rule.dissent:
                grade = self.rules.best_grade(dissent.sources)
                weaker = list(Grade).index(grade) < list(Grade).index(self.rules.grade(rule))
                yield Against(
                    of=ident,
                    says=dissent.says,
                    grade=grade,
                    sources=dissent.sources,
                    side="neither" if weaker else ident,
                    why=why_ours(self.rules, rule, dissent.sources),
                )
        elif ident in self.catalogue.entries("claims"):
            yield from self._against_claim(ident)

    def _against_claim(self, ident: str) -> Iterator[Against]:
        from rules.conflicts import weigh

        claims = self.catalogue.entries("claims")
        for other in claims[ident].contradicts:
            found = weigh(claims[ident], claims[other], self.catalogue.entries("sources"))
            said = self.claim(other)
            side = found.ours.id if found.side == "ours" else "neither"
            yield Against(
                of=ident,
                says=said.text,
                value=said.value,
                unit=said.unit,
                grade=said.grade,
                sources=said.sources,
                side=side,
                why=found.why,
            )


def _documents(library: Library) -> Iterator[Document]:
    catalogue, rules = library.catalogue, library.rules
    for ident, claim in catalogue.entries("claims").items():
        if claim.answers is not None:
            continue  # it answers its own questions, and no others
        yield Document(kind="claims", id=ident, title=claim.topic, body=claim.statement)
    for ident, rule in rules.rules.items():
        if rule.reason.startswith("The customer") or all(then.kind == "assert" for then in rule.then):
            continue  # it repeats what was said, or only prepares other rules
        yield Document(kind="rules", id=ident, title=rule.title, body=f"{rule.reason} {_then_words(rule)}")
    for ident, item in rules.checklist.items():
        yield Document(kind="checklist", id=ident, title=_words(item.phase), body=item.item)
    for ident, term in catalogue.entries("terms").items():
        yield Document(kind="terms", id=ident, title=_names(term), body=term.meaning)
    for ident, xid in catalogue.entries("xids").items():
        yield Document(kind="xids", id=ident, title=f"Xid {xid.code} {xid.description}", body=xid_text(xid))
    for ident, formula in catalogue.entries("formulas").items():
        yield Document(kind="formulas", id=ident, title=_words(ident), body=formula.statement)


def _then_words(rule: Rule) -> str:
    """The texts of warnings and duties: they hold what people ask for."""
    parts = (getattr(then, "text", None) or getattr(then, "what", None) or "" for then in rule.then)
    return " ".join(part for part in parts if part)


def _names(term: Term) -> str:
    return " ".join((term.name, *term.aliases))


def xid_text(xid: Xid) -> str:
    """An Xid in a sentence: what it means, and what to do at once and after."""
    meaning = xid.meaning or xid.description
    text = f"Xid {xid.code} ({xid.description}): {meaning[0].lower() + meaning[1:] if xid.meaning else meaning}".rstrip(
        "."
    )
    if xid.status == "unused_or_legacy":
        text += "; not used on current GPUs"
    if xid.immediate_action:
        text += f". At once: {xid.immediate_action}"
    if xid.investigatory_bucket and xid.investigatory_bucket != xid.immediate_bucket:
        text += f"; then {_words(xid.investigatory_bucket).lower()}"
    return text + "."


def _words(name: str) -> str:
    return name.replace("_", " ")
