"""An interview bound to a saved session: each answer goes to the store, then is sized, then the next question follows.

The one place that joins the two, for the line-by-line face and for replayed transcripts alike.
"""

from __future__ import annotations

from assistant.interview.brief import Brief
from assistant.interview.dialogue import Event, Interview
from assistant.session import Session, headline


def converse(session: Session, lang: str = "en", audience: str = "presales") -> Interview:
    """The interview of ``session``, from where it stands."""
    problem: list[str] = []

    def save(event: Event) -> None:
        problem.clear()
        if event.kind == "skip":
            session.skip(event.answers[0].field)
            return
        change = session.answer(event.answers)
        if change.problem:
            problem.append(change.problem)

    def summarise(_: Brief) -> str:
        if problem:
            return problem[0]
        if session.sizing is None:
            return ""
        return "\n".join(f"  {name}: {value}" for name, value in headline(session.sizing).items())

    return Interview(
        session.assistant.catalogue,
        session.brief,
        lang=lang,
        audience=audience,
        summarise=summarise,
        save=save,
        skipped=session.skipped,
    )
