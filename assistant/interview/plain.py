"""The interview line by line over text streams: for scripts, screen readers and dumb terminals. No terminal control."""

from __future__ import annotations

from typing import TextIO

from assistant.interview.dialogue import Interview, Output
from assistant.interview.wording import message

PROMPT = "> "


def run_plain(interview: Interview, lines: TextIO, out: TextIO, resume_command: str) -> None:
    """Ask and answer until ``done``, ``quit`` or the end of ``lines``; closes with how to go on."""
    _write(out, interview.start())
    while not interview.finished:
        out.write(PROMPT)
        out.flush()
        line = lines.readline()
        if not line:
            out.write("\n")
            break
        _write(out, interview.say(line))
    out.write(message("saved", interview.lang, command=resume_command) + "\n")
    out.flush()


def _write(out: TextIO, outputs: list[Output]) -> None:
    for output in outputs:
        blank = "\n" if output.kind == "question" else ""
        out.write(f"{blank}{output.text}\n")
