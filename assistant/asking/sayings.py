"""What somebody says: whether a statement that the question quotes holds, by the claims that state it or its "
"opposite."""

from __future__ import annotations

from assistant.asking.answer import Against, AskedClaim, Verdict
from assistant.asking.desk import Desk
from assistant.asking.draft import Draft
from knowledge import regexes as re
from knowledge.evidence import Grade

_QUOTED = re.compile(
    r"^\W*(?:is it (?:true|right|correct)(?: that)?|is it the case that|stimmt (?:es|das)?,? ?(?:dass)?"
    r"|ist es (?:wahr|richtig),? dass"
    r"|(?:i (?:have )?(?:read|heard)|(?:a|my|our) (?:colleague|vendor|boss|consultant|friend) (?:says?|claims?)"
    r"|someone says"
    r"|(?:they|people) say|ich habe gelesen|(?:ein|mein) kollege sagt|man sagt|angeblich)(?: that"
    r"|,? dass)?)\W+(?P<said>.{12,})$",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"[.?!]\s*(?:is (?:he|she|that|this|it) (?:right|true|correct|so)|stimmt das|hat (?:er|sie) recht)\W*$|\W+$", re.I
)

_SAME = 0.7
"""Share of what is said that a claim must hold to be the same statement."""


def about_saying(desk: Desk) -> Draft | None:
    """Whether what is quoted holds: who states it, what is known against it, and which side we follow."""
    match = _QUOTED.match(desk.text)
    if match is None:
        return None
    said = _TAIL.sub("", match["said"])
    hits = [hit for hit in desk.library.search(said, (), ("claims",), 3) if hit.coverage >= _SAME]
    if not hits:
        return None
    claim = desk.library.claim(hits[0].document.id)
    against = _standing(desk, claim)
    draft = Draft("saying", _sentence(desk, claim, against), claims=[claim], disagreements=list(against))
    draft.verdict = _verdict(desk, claim, against)
    return draft


def _standing(desk: Desk, claim: AskedClaim) -> tuple[Against, ...]:
    """What contradicts the claim and was not judged wrong itself, the best grade first."""
    known = desk.library.catalogue.entries("claims")
    others = (known[ident] for ident in known[claim.id].contradicts)
    rejected = {other.statement for other in others if other.judged_against}
    standing = [item for item in desk.library.against([claim]) if item.says not in rejected]
    return tuple(sorted(standing, key=lambda item: list(Grade).index(Grade(item.grade))))


_FIRM = (Grade.LAW, Grade.VENDOR_SPECIFICATION, Grade.PAPER, Grade.MEASUREMENT)
"""Grades that settle it: against a weaker one "no" is said only on one of these, or on our own judgement."""


def _counter(claim: AskedClaim, against: tuple[Against, ...]) -> Against | None:
    """The firm statement against the claim that we follow, or None."""
    followed = (item for item in against if item.side not in (claim.id, "neither"))
    return next((item for item in followed if Grade(item.grade) in _FIRM), None)


def _verdict(desk: Desk, claim: AskedClaim, against: tuple[Against, ...]) -> Verdict:
    known = desk.library.catalogue.entry("claims", claim.id)
    if known.judged_against or _counter(claim, against) is not None:
        return "no"
    return "open" if against or Grade(claim.grade) not in _FIRM else "yes"


def _sentence(desk: Desk, claim: AskedClaim, against: tuple[Against, ...]) -> str:
    verdict = _verdict(desk, claim, against)
    if verdict == "yes":
        return f"{desk.either('Yes', 'Ja')}: {claim.text}"
    if verdict == "no":
        known = desk.library.catalogue.entry("claims", claim.id)
        counter = _counter(claim, against)
        because = counter.says if counter is not None else known.judgement or against[0].says
        return f"{desk.either('No: often said, and wrong because', 'Nein: oft gesagt und falsch, denn')}: {because}"
    if against:
        lead, other = desk.either("That is disputed", "Das ist umstritten"), desk.either("Against it", "Dagegen")
        return f"{lead}: {claim.text} {other}: {against[0].says}"
    grade = claim.grade.replace("_", " ")
    lead = desk.either(
        f"That is stated, by a source of the grade {grade} only",
        f"Das wird behauptet, nur von einer Quelle des Grades {grade}",
    )
    return f"{lead}: {claim.text}"
