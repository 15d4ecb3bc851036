"""The words that an interview takes for a command rather than an answer."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from assistant.interview import asides, commands, helping
from assistant.interview.outputs import Output

if TYPE_CHECKING:
    from assistant.interview.dialogue import Interview


def _command(
    words: str, act: Callable[[Interview, re.Match[str]], list[Output]]
) -> tuple[re.Pattern[str], Callable[[Interview, re.Match[str]], list[Output]]]:
    return re.compile(words, re.IGNORECASE), act


COMMANDS = (
    _command(r"back|zurück|zurueck", lambda i, _: commands.back(i)),
    _command(r"\?|why\??|warum\??", lambda i, _: commands.why(i)),
    _command(r"help|hilfe|h", lambda i, _: commands.help_here(i)),
    _command(r"more|mehr", lambda i, _: commands.more(i)),
    _command(r"skip|überspringen|ueberspringen|weiter", lambda i, _: commands.skip(i)),
    _command(
        r"(?:i )?(?:don'?t|do not) know(?: yet)?|dont know|idk|unknown|no idea|not sure|weiß (?:ich )?nicht|"
        r"weiss (?:ich )?nicht|"
        r"(?:ich )?wei(?:ß|ss) (?:es )?nicht|keine ahnung|unbekannt",
        lambda i, _: commands.dont_know(i),
    ),
    _command(r"review|übersicht|uebersicht", lambda i, _: commands.review(i)),
    _command(r"(?:change|ändern|aendern|edit)(?:\s+(?P<n>\S{1,9}))?", lambda i, m: commands.change(i, m["n"] or "")),
    _command(r"set\b(?P<rest>.{0,4000})", lambda i, m: commands.set_field(i, m["rest"])),
    _command(
        r"not applicable|n/?a|does(?: not|n'?t) apply|"
        r"(?:das )?trifft (?:hier )?nicht zu|nicht zutreffend|entfällt|entfaellt",
        lambda i, _: commands.skip(i, "not_applicable"),
    ),
    _command(r"helper|helfer", lambda i, _: helping.offer(i)),
    _command(r"send|senden", lambda i, _: helping.send(i)),
    _command(r"send as is|unverändert senden", lambda i, _: helping.send(i, as_is=True)),
    _command(
        r"(?:accept|übernehmen|uebernehmen)(?P<n>(?:[ ,]{1,3}\d{1,3}){0,50})", lambda i, m: helping.accept(i, m["n"])
    ),
    _command(r"keep(?: it| that| this)?|behalten", lambda i, _: asides.keep(i)),
    _command(r"(?:fork|abzweigen)(?:\s+(?P<label>.{1,120}))?", lambda i, m: asides.fork(i, m["label"] or "")),
    _command(r"reject|verwerfen|cancel|abbrechen", lambda i, _: helping.reject(i)),
    _command(r"undo|rückgängig|rueckgaengig", lambda i, _: commands.undo_last(i)),
    _command(r"redo|wiederholen|wiederherstellen", lambda i, _: commands.redo_last(i)),
    _command(r"summary|zusammenfassung|ergebnis", lambda i, _: i.summary()),
    _command(r"done|fertig", lambda i, _: commands.end(i, True)),
    _command(r"quit|exit|ende|q", lambda i, _: commands.end(i, False)),
)
