"""``sizewright --plain``: the interview line by line, every answer saved before the next question."""

from __future__ import annotations

import argparse
import locale
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assistant.interview.dialogue import Interview
    from assistant.session import Session


def run(args: argparse.Namespace) -> int:
    """Interview over standard input and output, in a new session or a resumed one."""
    from assistant.interview.plain import run_plain
    from assistant.service import Assistant
    from assistant.session import Session
    from assistant.store import Store

    with Store(args.db) as store:
        assistant = Assistant(args.overlay)
        lang = args.lang or (store.session(args.resume).lang if args.resume else _language())
        session = (
            Session(assistant, store, args.resume)
            if args.resume
            else Session.new(assistant, store, "", args.audience, lang)
        )
        interview = _interview(session, lang, args.audience)
        command = f"sizewright --plain --resume {session.id}" + (f" --db {args.db}" if args.db else "")
        try:
            run_plain(interview, sys.stdin, sys.stdout, command)
        except KeyboardInterrupt:
            print(f"\nsizewright: saved; go on with: {command}", file=sys.stderr)
            return 130
        if interview.finished and interview.result_wanted and session.sizing is not None:
            from assistant.export import text
            from assistant.export.document import build_document

            print(text.render(build_document(session.sizing, ""), text.SHORT), end="")
    return 0


def _interview(session: Session, lang: str, audience: str) -> Interview:
    from assistant.interview.brief import Brief
    from assistant.interview.dialogue import Event, Interview
    from assistant.session import headline

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


def _language() -> str:
    """The interview's language from the locale; English where it is none of ours."""
    name = locale.getlocale(locale.LC_MESSAGES)[0] or "" if hasattr(locale, "LC_MESSAGES") else ""
    return "de" if name.startswith("de") else "en"
