"""Pastes taken whole, whatever bytes they hold.

Textual's parser reads what a terminal sends one sequence at a time, in a bracketed paste too: an escape byte in the
pasted text (the colours of a log) ends it, and what follows is taken for keys. Here the text between the two brackets
never reaches that parser.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable

from textual import events
from textual._xterm_parser import XTermParser
from textual.message import Message

START, END = "\x1b[200~", "\x1b[201~"


class PasteParser(XTermParser):
    """The parser of terminal input, with a paste as one event."""

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._pasting = False
        self._parts: list[str] = []
        self._held = ""
        """The end of what has come, where half of a bracket may stand; ``_parts``: what came of the paste before it."""

    def feed(self, data: str) -> Iterable[Message]:
        """The events of the input, in their order."""
        if not data:
            yield from super().feed(data)
            return
        while data:
            if self._pasting:
                come = self._held + data
                text, ended, data = come.partition(END)
                self._pasting = not ended
                if ended:
                    pasted = "".join((*self._parts, text))
                    self._parts, self._held = [], ""
                    yield from self._keys(END)
                    yield events.Paste(pasted.replace("\x00", ""))
                else:
                    self._parts.append(come[: 1 - len(END)])
                    self._held = come[1 - len(END) :]
            else:
                data = yield from self._until_paste(data)

    def _until_paste(self, data: str) -> Generator[Message, None, str]:
        """Read up to the next opening bracket, which may have begun in what was read before; gives back the rest."""
        before = len(self._held)
        whole = self._held + data
        at = whole.find(START)
        if at < 0:
            self._held = whole[1 - len(START) :]
            yield from self._keys(data)
            return ""
        end = at + len(START)
        self._pasting, self._held = True, ""
        yield from self._keys(whole[before:end])
        return whole[end:]

    def _keys(self, data: str) -> Iterable[Message]:
        """What Textual reads, without the empty paste that it makes of two brackets with nothing between them."""
        yield from (token for token in super().feed(data) if not isinstance(token, events.Paste))


def install() -> None:
    """Have the drivers of terminals read with it; they offer no other way to choose a parser."""
    import sys

    if sys.platform == "win32":
        from textual.drivers import win32 as driver
    else:
        from textual.drivers import linux_driver as driver
    vars(driver)["XTermParser"] = PasteParser
