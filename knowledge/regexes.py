"""``re`` for a room of hundreds of expressions: what ``re.compile`` works out is kept from one process to the next.

Python compiles an expression in Python code, a third of a millisecond each, at every start; pickling one keeps its
text alone. The code that the matcher runs is a list of small numbers, which the interpreter checks whenever it takes
one (``_validate`` in its ``_sre.c``), so that a damaged or planted cache can make an expression fail or match something
else, and nothing worse. It is kept as a pack in the user's cache, under the whole text of the expression and the exact
interpreter: nothing in it can be stale. Where this inside of Python is not as known here, ``re`` itself compiles.

Use it as ``from knowledge import regexes as re``.
"""

from __future__ import annotations

import atexit
import re
import sys
from array import array
from binascii import a2b_base64, b2a_base64
from functools import cache
from pathlib import Path
from re import *  # noqa: F403 (stands for re)
from re import Match, Pattern
from typing import Any

from knowledge.packs import Made, packed, read_pack, write_pack

__all__ = [*re.__all__, "Match", "Pattern"]

MOST_KEPT = 4000
_SECTION = "codes"
_NEW: dict[tuple[str, int], None] = {}


def compile(pattern: str, flags: int = 0) -> Pattern[str]:  # type: ignore[no-redef]  # in the place of re's own
    """As ``re.compile`` for text."""
    kept = _kept().get(_key(pattern, int(flags)))
    if kept is not None:
        try:
            return _revived(pattern, kept)
        except (AttributeError, ImportError, KeyError, RuntimeError, TypeError, ValueError, OverflowError):
            pass
    if not _NEW:
        atexit.register(_keep)
    _NEW[pattern, int(flags)] = None
    return re.compile(pattern, flags)


def _revived(pattern: str, kept: Any) -> Pattern[str]:
    import _sre  # type: ignore[import-not-found]  # CPython's own

    code = array("I", a2b_base64(kept["code"])).tolist()
    names: list[str | None] = kept["names"]
    groups = {name: number for number, name in enumerate(names) if name is not None}
    made: Pattern[str] = _sre.compile(pattern, kept["flags"], code, len(names) - 1, groups, tuple(names))
    return made


def _worked_out(pattern: str, flags: int) -> dict[str, Any]:
    """What ``re._compiler.compile`` hands to the matcher."""
    from re import _compiler, _parser  # type: ignore[attr-defined]

    tree = _parser.parse(pattern, flags)
    names: list[str | None] = [None] * tree.state.groups
    for name, number in tree.state.groupdict.items():
        names[number] = name
    code = array("I", _compiler._code(tree, flags))
    text = b2a_base64(code.tobytes(), newline=False).decode()
    return {"flags": int(flags | tree.state.flags), "code": text, "names": names}


def _key(pattern: str, flags: int) -> str:
    return f"{flags} {pattern}"


@cache
def _place() -> Path | None:
    """Where expressions are kept for this interpreter; None where its inside is not as known here."""
    if sys.implementation.name != "cpython" or array("I").itemsize != 4:
        return None
    from platformdirs import user_cache_path

    build = f"{sys.version_info.major}.{sys.version_info.minor}.{sys.version_info.micro}-{sys.byteorder}"
    return user_cache_path("sizewright") / f"regexes-{sys.implementation.cache_tag}-{build}.pack"


@cache
def _kept() -> Any:
    place = _place()
    pack = read_pack(place) if place is not None else None
    return {} if pack is None or _SECTION not in pack else pack[_SECTION]


def _keep() -> None:
    """At the end of the process: add what was compiled anew. A failure to do so is harmless."""
    place = _place()
    if place is None or len(_NEW) > MOST_KEPT:
        return
    try:
        new = {_key(*expression): _worked_out(*expression) for expression in _NEW}
    except (AttributeError, ImportError, TypeError, ValueError, OverflowError):
        return
    pack = read_pack(place)  # another process may have added to it
    older = dict(pack[_SECTION]) if pack is not None and _SECTION in pack else {}
    together = new if len(older) + len(new) > MOST_KEPT else older | new
    write_pack(place, packed(Made("", ""), {_SECTION: together}))
