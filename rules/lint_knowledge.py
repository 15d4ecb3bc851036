"""The linter of what rules rest on: claims that nothing uses or that do not carry, and questions that nothing reads."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from knowledge.evidence import Grade
from knowledge.schema import Claim
from rules.base import RuleBase
from rules.lint import Finding
from rules.schema import Rule

_CLAIMS = "knowledge/data/claims"
_QUESTIONS = "questions.yaml"


def lint_knowledge(
    base: RuleBase,
    claims: Mapping[str, Claim],
    fields: Collection[str] = (),
    read: Collection[str] | None = None,
) -> list[Finding]:
    """Findings on claims, which are errors, and on questions, which are notes: an answer may only be kept.

    ``fields`` are those of the brief and ``read`` those that a rule or a formula reads; None leaves that out.
    """
    found = [finding for rule in base.rules.values() for finding in _of_rule(base, rule, claims)]
    found += _of_claims(base, claims)
    if read is not None:
        text = "no rule or formula reads its answer"
        found += [Finding("unread question", "note", _QUESTIONS, name, text) for name in fields if name not in read]
    return found


def _of_rule(base: RuleBase, rule: Rule, claims: Mapping[str, Claim]) -> Iterator[Finding]:
    file = base.files[rule.id]
    known = [claims[ident] for ident in rule.claims if ident in claims]
    for ident in rule.claims:
        if ident not in claims:
            yield Finding("unknown claim", "error", file, rule.id, f"{ident} is no claim")
        elif claims[ident].judged_against:
            yield Finding("judged claim", "error", file, rule.id, f"{ident} was judged against")
    if known and all(claim.grade(base.sources) is Grade.UNVERIFIED for claim in known):
        yield Finding("unverified alone", "error", file, rule.id, "it rests on unverified claims alone")


def _of_claims(base: RuleBase, claims: Mapping[str, Claim]) -> Iterator[Finding]:
    used = {ident for rule in base.rules.values() for ident in rule.claims}
    for ident, claim in claims.items():
        if ident in used and claim.unused:
            yield Finding("used claim", "error", _CLAIMS, ident, "a rule rests on it, and it is listed as unused")
        elif ident not in used and not claim.unused and claim.answers is None:
            yield Finding("unused claim", "error", _CLAIMS, ident, "no rule rests on it, and no reason is given")
        for other in claim.contradicts:
            if other not in claims or ident not in claims[other].contradicts:
                yield Finding("one-sided contradiction", "error", _CLAIMS, ident, f"{other} does not list it")
