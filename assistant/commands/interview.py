"""``sizewright --plain``: the interview line by line, every answer saved before the next question."""

from __future__ import annotations

import argparse
import locale
import sys


def run(args: argparse.Namespace) -> int:
    """Interview over standard input and output, in a new session or a resumed one."""
    from assistant.conversation import converse
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
        interview = converse(session, lang, args.audience)
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


def _language() -> str:
    """The interview's language from the locale; English where it is none of ours."""
    name = locale.getlocale(locale.LC_MESSAGES)[0] or "" if hasattr(locale, "LC_MESSAGES") else ""
    return "de" if name.startswith("de") else "en"
