"""The rule base as a document that people can read and cite."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from knowledge.evidence import Grade, Source
from knowledge.schema import Claim
from rules.base import RuleBase
from rules.schema import AddItem, Assert, Obligation, Rule, Strength, Support, Then, Warn


@dataclass(frozen=True)
class Disagreement:
    """A rule's statement and one that contradicts it, each with its sources. The rule's is the one we side with."""

    rule: str
    title: str
    we_say: str
    we_cite: tuple[str, ...]
    they_say: str
    they_cite: tuple[str, ...]
    why: str


def disagreements(base: RuleBase) -> list[Disagreement]:
    """Every contradiction that a rule records, in rule order."""
    return [
        Disagreement(
            rule.id,
            rule.title,
            rule.reason,
            rule.sources,
            dissent.says,
            dissent.sources,
            why_ours(base, rule, dissent.sources),
        )
        for rule in base.rules.values()
        for dissent in rule.dissent
    ]


def why_ours(base: RuleBase, rule: Rule, theirs: Sequence[str]) -> str:
    """Why we side with the rule's sources, by grade and by how each was read."""
    ours, other = base.grade(rule), base.best_grade(theirs)
    firm = any(base.sources[source].firm for source in rule.sources)
    if list(Grade).index(other) < list(Grade).index(ours):
        return f"{_words(ours)} against {_words(other)}: the rule only leans, and theirs stays the alternative"
    if ours != other:
        return f"{_words(ours)} against {_words(other)}"
    if firm and not any(base.sources[source].firm for source in theirs):
        return f"both {_words(ours)}; only ours was read in the original"
    return f"both {_words(ours)}; confidence {rule.confidence}"


def _words(name: str) -> str:
    return name.replace("_", " ")


def then_text(then: Then) -> str:
    """A conclusion in a line."""
    if isinstance(then, Support):
        return f"{_support(then)} {then.decision} = {then.choice}"
    if isinstance(then, Obligation):
        return f"duty {then.id}: {_duty(then)}"
    if isinstance(then, Warn):
        return f"{then.severity}: {then.text}"
    if isinstance(then, AddItem):
        return f"checklist item {then.item}"
    if isinstance(then, Assert):
        return f"concludes {then.topic}"
    return f"asks for {then.field}"


def _support(then: Support) -> str:
    if then.strength is Strength.REQUIRES:
        return "requires" if then.direction == "for" else "rules out"
    how = {Strength.STRONG: "strongly", Strength.MEDIUM: "moderately", Strength.WEAK: "weakly"}[then.strength]
    return f"speaks {how} {then.direction}"


def _duty(then: Obligation) -> str:
    state = {True: "applies", False: "does not apply", "open": "open"}[then.applies]
    parts = [state + (" (draft law)" if then.draft else "")]
    if then.threshold is not None:
        parts.append(f"threshold {then.threshold:g} {then.unit}")
    parts += [f"{label} {value}" for label, value in (("by", then.by), ("from", then.holds_from)) if value]
    if then.closes_with:
        parts.append(f"settled by {then.closes_with}")
    text = ", ".join(parts)
    return f"{text}. {then.what}" if then.what else text


def markdown(base: RuleBase, claims: Mapping[str, Claim] | None = None) -> str:
    """The whole base: decisions, rules by pack, checklist, disagreements, claims and the sources cited."""
    return "\n".join(_document(base, claims or {})) + "\n"


def _document(base: RuleBase, claims: Mapping[str, Claim]) -> Iterator[str]:
    yield from ("# Rule base", "", f"Version `{base.version[:16]}`. Not legal advice.", "", "## Decisions", "")
    for spec in base.decisions.values():
        choices = ", ".join(spec.choices) or "any catalogue entry"
        yield f"- **{spec.title}** (`{spec.id}`): {choices}" + (f"; by default {spec.default}" if spec.default else "")
    for file, rules in groupby(base.rules.values(), key=lambda rule: base.files[rule.id]):
        yield from ("", f"## Rules: {file.removeprefix('packs/').removesuffix('.yaml')}")
        for rule in rules:
            yield from _rule(base, rule)
    yield from ("", "## Checklist", "")
    for item in base.checklist.values():
        yield f"- `{item.id}` ({_words(item.phase)}, {item.owner_role}): {item.item} {_cites(item.sources)}"
    yield from _disagreements(base)
    yield from _claims(base, claims)
    yield from ("", "## Sources", "")
    cited = sorted({*_cited(base), *(source for claim in claims.values() for source in claim.sources)})
    yield from (f'- <a id="{ident}"></a>`{ident}`: {source_text(base.sources[ident])}' for ident in cited)


def _claims(base: RuleBase, claims: Mapping[str, Claim]) -> Iterator[str]:
    """What sources state, by topic: value, grade, who says otherwise, and why nothing rests on it."""
    for topic in dict.fromkeys(claim.topic for claim in claims.values()):
        yield from ("", f"## Claims: {topic}", "")
        for claim in claims.values():
            if claim.topic == topic:
                yield _claim(base, claim)


def _claim(base: RuleBase, claim: Claim) -> str:
    parts = [f'- <a id="{claim.id}"></a>`{claim.id}` ({_words(claim.grade(base.sources))}): {claim.statement}']
    where = [part for part in (claim.place, claim.locator, claim.holds_from and f"from {claim.holds_from}") if part]
    if where:
        parts.append(f"({', '.join(where)})")
    parts.append(_cites(claim.sources))
    if claim.contradicts:
        parts.append(f"Against: {_cites(claim.contradicts)}.")
    if claim.judgement:
        parts.append(claim.judgement)
    if claim.unused:
        parts.append(f"No rule rests on it: {claim.unused[0].lower()}{claim.unused[1:]}")
    return " ".join(parts)


def _rule(base: RuleBase, rule: Rule) -> Iterator[str]:
    yield from (
        "",
        f"### {rule.title}",
        "",
        f"`{rule.id}`, {_words(base.grade(rule))}, confidence {rule.confidence}",
        "",
    )
    yield "- when " + " and ".join(str(condition) for condition in rule.when)
    if rule.unless:
        yield "- unless " + " or ".join(str(condition) for condition in rule.unless)
    yield from (f"- {then_text(then)}" for then in rule.then)
    yield from ("", f"{rule.reason} {_cites(rule.sources)}")
    if rule.claims:
        yield f"\nRests on {_cites(rule.claims)}"
    yield from (f"\nAgainst: {dissent.says} {_cites(dissent.sources)}" for dissent in rule.dissent)


def _disagreements(base: RuleBase) -> Iterator[str]:
    yield from ("", "## Disagreements", "")
    for found in disagreements(base):
        yield f"- **{found.title}**: {found.we_say} {_cites(found.we_cite)}"
        yield f"  Against: {found.they_say} {_cites(found.they_cite)}"
        yield f"  We side with the first: {found.why}."


def source_text(source: Source) -> str:
    """A source in a line: title, publisher, date, grade, how it was read, address."""
    parts = [source.title, source.publisher, source.date, _words(source.grade), f"read as {_words(source.seen_as)}"]
    return "; ".join(part for part in parts if part) + (f". <{source.address}>" if source.address else ". No address.")


def _cites(sources: Iterable[str]) -> str:
    return " ".join(f"[[{source}](#{source})]" for source in sources)


def _cited(base: RuleBase) -> list[str]:
    rules = [source for rule in base.rules.values() for source in rule.sources]
    dissent = [s for rule in base.rules.values() for against in rule.dissent for s in against.sources]
    items = [source for item in base.checklist.values() for source in item.sources]
    return sorted({*rules, *dissent, *items})
