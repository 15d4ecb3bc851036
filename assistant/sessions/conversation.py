"""An interview bound to a saved session: each answer goes to the store, then is sized, then the next question follows.

The one place that joins the two, for the line-by-line face and for replayed transcripts alike.
"""

from __future__ import annotations

from assistant.interview.asides import Beside
from assistant.interview.brief import Answer, Brief
from assistant.interview.dialogue import Event, Interview
from assistant.interview.wording import message
from assistant.messages import render
from assistant.result import Sizing
from assistant.session import Change, Moved, Session, headline

MOST_MOVED = 6
"""Lines of what moved after one answer; the rest is counted, and the summary command shows all."""


def converse(session: Session, lang: str = "en", audience: str = "presales") -> Interview:
    """The interview of ``session``, from where it stands."""
    latest: list[Change] = []

    def save(event: Event) -> str | None:
        latest.clear()
        if event.kind == "skip":
            session.skip(event.answers[0].field)
            return None
        change = took(session, event)
        if change is not None:
            latest.append(change)
        return refusal(change)

    def summarise(_: Brief) -> str:
        problem = latest[0].problem if latest else None
        return problem or "\n".join(f"  {what}: {value}" for what, value in _headline(session, lang).items())

    def moved() -> str:
        return _news(latest[0], session, lang) if latest else ""

    return Interview(
        session.assistant.catalogue,
        session.brief,
        lang=lang,
        audience=audience,
        summarise=summarise,
        moved=moved,
        save=save,
        beside=beside(session, lang),
        ranking=lambda: session.ranking(lang),
        skipped=session.skipped,
        done=list(session.done),
        undone=list(session.undone),
    )


def beside(session: Session, lang: str) -> Beside:
    """What an interview can do besides taking answers: consult, try, fork."""

    def tried(answers: tuple[Answer, ...]) -> str:
        change = session.trial(answers)
        if change.problem:
            return change.problem
        lines = [_moved(one, lang) for one in change.moved[:MOST_MOVED]]
        if len(change.moved) > MOST_MOVED:
            lines.append(message("moved_more", lang, count=len(change.moved) - MOST_MOVED))
        return "\n".join(lines) or message("moves_nothing", lang)

    def forked(answers: tuple[Answer, ...], label: str) -> str:
        return session.branch(answers, label or message("what_if", lang)).id

    return Beside(lambda text: session.assistant.ask(text).answer, tried, forked)


def refusal(change: Change | None) -> str | None:
    """Why a step was taken back at once; None where it stands."""
    return change.problem if change is not None and change.refused else None


def took(session: Session, event: Event) -> Change | None:
    """What an interview gives to be saved, as a step of its session: an answer, or one step back or again."""
    if event.kind == "undo":
        return session.undo()
    return session.redo() if event.kind == "redo" else session.answer(event.answers)


def _headline(session: Session, lang: str) -> dict[str, str]:
    if session.sizing is None:
        return {}
    return {render(one.label, lang): render(one.value, lang) for one in headline(session.sizing).values()}


def _news(change: Change, session: Session, lang: str) -> str:
    """What an answer moved, at most ``MOST_MOVED`` figures, and where the plan stands; nothing if it stands still."""
    if change.problem:
        return change.problem
    if not change.moved or session.sizing is None:
        return ""
    known = [one for one in change.moved if one.before is not None]
    lines = [_moved(one, lang) for one in known[:MOST_MOVED]]
    if len(known) > MOST_MOVED:
        lines.append(message("moved_more", lang, count=len(known) - MOST_MOVED))
    return "\n".join([*lines, _now(session.sizing, lang)])


def _moved(one: Moved, lang: str) -> str:
    before = DASH if one.before is None else render(one.before, lang)
    return message("moved", lang, what=render(one.what, lang), before=before, after=render(one.after, lang))


def _now(sizing: Sizing, lang: str) -> str:
    """Where the plan stands, in a line."""
    plan, figures = sizing.plan(), headline(sizing)
    gpus, servers, power, racks = (
        render(figures[name].value, lang) for name in ("gpus", "servers", "it_power", "racks")
    )
    said = message("now", lang, gpus=gpus, servers=servers, power=power, racks=racks)
    return said if plan.fits else f"{said} {message('now_does_not_fit', lang)}"


def moved_text(one: Moved, lang: str) -> str:
    """A figure before and after, in a language's words."""
    before = DASH if one.before is None else render(one.before, lang)
    return f"{render(one.what, lang)}: {before} → {render(one.after, lang)}"


DASH = "–"
"""Stands where there was no figure before."""
