"""An answer in lines of text, as a terminal shows it and as it is copied."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assistant.asking.understood import understood

if TYPE_CHECKING:
    from assistant.asking.answer import Against, Answer, AskedClaim


def lines(answer: Answer) -> list[str]:
    """The answer for a terminal: sentence, claims, who disagrees, sources."""
    shown = [answer.answer]
    if answer.phrased is not None and answer.phrased.text:
        shown = [answer.phrased.text, "", f"(worded by {answer.phrased.model}; as computed:)", answer.answer]
    if line := understood(answer):
        shown += ["", f"{'Verstanden als' if answer.language == 'de' else 'Understood as'}: {line}"]
    if answer.claims:
        shown += ["", "Rests on", *(f"  {claim_text(claim)}" for claim in answer.claims)]
    if answer.disagreements:
        shown += ["", "Says otherwise", *(f"  {against_text(item)}" for item in answer.disagreements)]
    if answer.sources:
        shown += [
            "",
            "Sources",
            *(f"  {s.id}: {s.title}. {s.address or 'no address'} ({_words(s.grade)})" for s in answer.sources),
        ]
    return shown


def claim_text(claim: AskedClaim) -> str:
    """A claim in a line: id, statement, grade, sources."""
    return (
        f"[{claim.id}] {claim.text} ({_words(claim.grade)}{': ' + ', '.join(claim.sources) if claim.sources else ''})"
    )


def against_text(item: Against) -> str:
    """What says otherwise in a line, and which side is followed for what reason."""
    side = "neither is followed" if item.side == "neither" else f"{item.side} is followed"
    return f"against [{item.of}]: {item.says} ({_words(item.grade)}; {side}: {item.why})"


def _words(name: str) -> str:
    return name.replace("_", " ")
