"""Duties in law and warnings: state, threshold and value, who is obliged, and the question that closes an open one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from assistant.messages.figures import date
from assistant.result import Notice, Obligation, Sizing
from tui.views.lines import DASH, Cites, Line, Row, Say, source_lines

STATES: Mapping[object, tuple[str, str]] = {True: ("[!]", "applies"), "open": ("[?]", "open"), False: ("[ ]", "not")}
"""What ``applies`` says -> mark and key of the word beside it."""

_ORDER = (True, "open", False)


def duty_rows(sizing: Sizing, say: Say) -> tuple[Row, ...]:
    """Duties, those that apply first, then the warnings as the sizing orders them."""
    often = Counter(duty.title for duty in sizing.obligations)
    duties = sorted(sizing.obligations, key=lambda duty: _ORDER.index(duty.applies))
    return (
        *((Row("", (f"{say('duties')} ({say('not_legal_advice')})",)),) if duties else ()),
        *(_duty_row(duty, often[duty.title] > 1, say) for duty in duties),
        *((Row("", (say("warnings"),)),) if sizing.warnings else ()),
        *(_warning_row(place, notice, say) for place, notice in enumerate(sizing.warnings)),
    )


def _duty_row(duty: Obligation, ambiguous: bool, say: Say) -> Row:
    title = f"{say.tell(duty.title)} ({duty.id.replace('_', ' ')})" if ambiguous else say.tell(duty.title)
    figures = (say.quantity(n, duty.unit) if n is not None else DASH for n in (duty.value, duty.threshold))
    cells = (state_text(duty, say), title, *figures)
    told = map(say.tell, (duty.by, duty.what, duty.reason))
    return Row(f"duty.{duty.id}", cells, " ".join((*cells, duty.id, *told)))


def _warning_row(place: int, notice: Notice, say: Say) -> Row:
    mark = {"stop": "[!]", "caution": "[*]"}.get(notice.severity, "[i]")
    return Row(f"warning.{place}", (f"{mark} {say('severity.' + notice.severity)}", say.tell(notice.text), "", ""))


def state_text(duty: Obligation, say: Say) -> str:
    """Mark and word of a duty's state, so that it never rests on colour."""
    mark, word = STATES[duty.applies]
    return f"{mark} {say('state.' + word)}"


def duty_of(sizing: Sizing, key: str) -> Obligation | None:
    """The duty of a row, or None for a warning."""
    ident = key.removeprefix("duty.")
    return next((d for d in sizing.obligations if d.id == ident), None) if key.startswith("duty.") else None


def duty_lines(sizing: Sizing, key: str, say: Say) -> tuple[Line, ...]:
    """The whole of one duty or warning."""
    sources: Mapping[str, Cites] = {source.id: source for source in sizing.sources}
    duty = duty_of(sizing, key)
    if duty is not None:
        cites = source_lines(duty.sources, sources, say)
        return (*_duty(duty, say), Line("head", say("sources")), *cites, Line("quiet", say("not_legal_advice_long")))
    notice = sizing.warnings[int(key.removeprefix("warning."))]
    head = (Line("head", say("sources")),) if notice.sources else ()
    return (
        Line("title", say("severity." + notice.severity)),
        Line("text", say.tell(notice.text)),
        *head,
        *source_lines(notice.sources, sources, say),
    )


def _duty(duty: Obligation, say: Say) -> Iterator[Line]:
    yield Line("title", say.tell(duty.title))
    yield Line("field", state_text(duty, say) + (f" ({say('draft')})" if duty.draft else ""), say("state"))
    fields = {
        "value": say.quantity(duty.value, duty.unit) if duty.value is not None else None,
        "threshold": say.quantity(duty.threshold, duty.unit) if duty.threshold is not None else None,
        "who_is_obliged": say.tell(duty.by),
        "holds_from": date(duty.holds_from, say.lang) if duty.holds_from else None,
        "duty": say.tell(duty.what),
        "why": say.tell(duty.reason),
        "note": say.tell(duty.note),
        "closes_with": say.word("fields", duty.closes_with) if duty.closes_with else None,
    }
    yield from (Line("field", text, say(label)) for label, text in fields.items() if text)
