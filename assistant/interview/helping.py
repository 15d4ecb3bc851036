"""Asking a language model for a second reading, as a talk: what would be sent is shown, proposals are confirmed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assistant.interview.helper import Helped, Helper, Proposal, configured
from assistant.interview.outputs import Output
from assistant.interview.parser import parse, to_answers
from assistant.interview.questions import question
from assistant.interview.redaction import Redacted, redact
from assistant.interview.wording import message, show_answer

if TYPE_CHECKING:
    from assistant.interview.dialogue import Interview


@dataclass
class Helping:
    """Where that talk stands: the last message in free text, what was offered to be sent, what was proposed."""

    helper: Helper | None = None
    message: str = ""
    offered: Redacted | None = None
    proposals: tuple[Proposal, ...] = ()


def offer(interview: Interview) -> list[Output]:
    """Show what would go where; nothing is sent yet."""
    helping, lang = interview.helping, interview.lang
    helping.helper = helping.helper or configured()
    if helping.helper is None:
        return [Output("info", message("helper_off", lang))]
    if not helping.message:
        return [Output("info", message("helper_no_message", lang))]
    helping.offered = redact(helping.message)
    taken_out = ", ".join(words for _, words in helping.offered.replaced) or message("word none", lang)
    shown = message("helper_offer", lang, host=helping.helper.host, text=helping.offered.text, taken_out=taken_out)
    return [Output("info", shown)]


def send(interview: Interview, as_is: bool = False) -> list[Output]:
    """Send what was offered, or the message as it stands, and show what comes back as proposals."""
    helping, lang = interview.helping, interview.lang
    if helping.helper is None or helping.offered is None:
        return [Output("info", message("helper_offer_first", lang))]
    sent = Redacted(text=helping.message) if as_is else helping.offered
    helping.offered = None
    known = to_answers(parse(helping.message, interview.catalogue))
    helped = helping.helper.propose(sent, helping.message, known, interview.catalogue)
    helping.proposals = helped.proposals
    return told(helped, lang)


def told(helped: Helped, lang: str) -> list[Output]:
    """What a model proposed, numbered, with its quotations; and what of it was not kept."""
    said = [Output("info", message("helper_dropped", lang, what=d.what, why=d.why)) for d in helped.dropped]
    if helped.failed:
        return [*said, Output("error", message("helper_failed", lang, why=helped.failed))]
    if not helped.proposals:
        return [*said, Output("info", message("helper_nothing_new", lang, model=helped.model))]
    lines = [_line(number, proposal, lang) for number, proposal in enumerate(helped.proposals, 1)]
    said.append(Output("info", "\n".join([message("helper_proposes", lang, model=helped.model), *lines])))
    return [*said, Output("info", message("helper_confirm", lang))]


def _line(number: int, proposal: Proposal, lang: str) -> str:
    answer, ours = proposal.answer, proposal.instead_of
    asked = question(answer.field)
    shown = message("helper_line", lang, label=asked.id, value=show_answer(asked, answer, lang), text=answer.text)
    instead = "" if ours is None else message("helper_instead", lang, value=show_answer(asked, ours, lang))
    return f"  {number}. {shown}{instead}"


def accept(interview: Interview, numbers: str) -> list[Output]:
    """Take the proposals of these numbers, all of them without any."""
    proposals, lang = interview.helping.proposals, interview.lang
    if not proposals:
        return [Output("info", message("helper_no_proposals", lang))]
    wanted = [int(n) for n in numbers.replace(",", " ").split()] or [*range(1, len(proposals) + 1)]
    if not all(1 <= n <= len(proposals) for n in wanted):
        return [Output("error", message("helper_which", lang, count=len(proposals)))]
    interview.helping.proposals = ()
    answers = [proposals[n - 1].answer for n in dict.fromkeys(wanted)]
    return interview.take(answers, [interview.echo(answer) for answer in answers])


def reject(interview: Interview) -> list[Output]:
    """Drop what was offered or proposed."""
    interview.helping.offered, interview.helping.proposals = None, ()
    return [Output("info", message("helper_rejected", interview.lang)), *interview.go_on()]
