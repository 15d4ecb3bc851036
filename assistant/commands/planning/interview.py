"""``sizewright --plain``: the interview line by line, every answer saved before the next question."""

from __future__ import annotations

import argparse
import locale
import shlex
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assistant.result import Sizing


def run(args: argparse.Namespace) -> int:
    """Interview over standard input and output, in a new session or a resumed one."""
    from assistant.interview.plain import run_plain
    from assistant.service import Assistant
    from assistant.session import Session
    from assistant.sessions.conversation import converse
    from assistant.store import Store

    with Store(args.db) as store:
        assistant = Assistant(args.overlay)
        lang = args.lang or (store.session(args.resume).lang if args.resume else _language())
        if args.resume:
            session = Session(assistant, store, args.resume)
        else:
            session = Session.new(assistant, store, "", args.audience, lang)
        interview = converse(session, lang, args.audience)
        command = _resume_command(session.id, args)
        try:
            run_plain(interview, sys.stdin, sys.stdout, command)
        except KeyboardInterrupt:
            print(f"\nsizewright: saved; go on with: {command}", file=sys.stderr)
            return 130
        if interview.finished and interview.result_wanted and session.sizing is not None:
            _print_result(session.sizing, lang)
    return 0


def _print_result(sizing: Sizing, lang: str) -> None:
    from assistant.export import text
    from assistant.export.short import build_short
    from assistant.output import harmless

    print(harmless(text.render(build_short(sizing, lang=lang))), end="")


def _resume_command(session_id: str, args: argparse.Namespace) -> str:
    """What to type to go on with this session, with the options that say where it is."""
    words = ["sizewright", "--plain", "--resume", session_id]
    for option in ("db", "overlay"):
        value = getattr(args, option)
        if value:
            words += [f"--{option}", str(value)]
    return shlex.join(words)


def _language() -> str:
    """The interview's language from the locale; English where it is none of ours."""
    name = locale.getlocale(locale.LC_CTYPE)[0] or ""
    return "de" if name.startswith("de") else "en"
