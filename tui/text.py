"""Text of users, catalogue entries, logs and models, made safe to show.

Textual reads ``[...]`` in a string as markup; so nothing that we did not write ourselves may reach a widget as a
string. Everything goes through here: it comes out as ``Content``, never parsed, with control characters and
direction overrides made visible instead of obeyed.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from rich.text import Text
from textual.content import Content

_PICTURES = {n: 0x2400 + n for n in range(32)} | {0x7F: 0x2421}
"""Control characters -> their pictures (U+2400 block)."""

_OVERRIDES = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Signs that turn the direction of the text after them."""

_KEPT = {"\n", "\t"}
REPLACEMENT = "\ufffd"
MUTED = "$foreground 65%"
"""Style of what matters less; ``$text-muted`` is only known to style sheets."""

LONGEST = 20_000
"""Characters of one text that are shown; what is stored stays whole."""


def clean(text: object, lines: bool = True) -> str:
    """``text`` without anything that a terminal obeys; ``lines=False`` also puts it on one line."""
    raw = str(text)
    if len(raw) > LONGEST:
        raw = raw[:LONGEST] + " …"
    raw = raw.replace("\r\n", "\n").replace("\t", "    ")
    shown = "".join(_visible(char) for char in raw)
    return shown if lines else " ".join(shown.split("\n"))


def visible_controls(text: str) -> str:
    """``text`` whole, line breaks in one form, what a terminal obeys made visible; for what is typed or pasted.

    Joiners and other format characters that scripts need stay as they are.
    """
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(_visible(c) if unicodedata.category(c) == "Cc" or c in _OVERRIDES else c for c in unified)


def _visible(char: str) -> str:
    if char in _KEPT:
        return char
    code = ord(char)
    if code in _PICTURES:
        return chr(_PICTURES[code])
    # Format characters (bidi overrides, zero-width signs), C1 controls, surrogates and private use.
    return REPLACEMENT if unicodedata.category(char) in ("Cf", "Cc", "Cs", "Co") and char != "\u200d" else char


def plain(text: object, style: str = "", lines: bool = True) -> Content:
    """``text`` as content, in one style; never read as markup."""
    return Content.styled(clean(text, lines), style) if style else Content(clean(text, lines))


def line(text: object, style: str = "") -> Content:
    """``text`` on one line."""
    return plain(text, style, lines=False)


def cell(text: object, style: str = "", width: int = 0) -> Text:
    """``text`` on one line for tables and trees, which take no ``Content``; cut to ``width`` cells if given."""
    return Text(cut(text, width) if width else clean(text, lines=False), style=style, no_wrap=True)


def row(*parts: object | tuple[object, str]) -> Content:
    """Parts set one after the other; a part is content, a text, or a pair of text and style."""
    return Content("").join(_part(part) for part in parts)


def _part(part: object) -> Content:
    if isinstance(part, Content):
        return part
    if isinstance(part, tuple):
        return plain(part[0], str(part[1]))
    return plain(part)


def stack(parts: Iterable[Content]) -> Content:
    """Parts one below the other."""
    return Content("\n").join(parts)


def cut(text: object, width: int) -> str:
    """One line of at most ``width`` cells, with an ellipsis where something is left out."""
    from rich.cells import cell_len, set_cell_size

    shown = clean(text, lines=False)
    if cell_len(shown) <= width:
        return shown
    return set_cell_size(shown, max(0, width - 1)).rstrip() + "…"
