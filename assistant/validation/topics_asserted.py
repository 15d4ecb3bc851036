"""What the program itself reads and asserts: for the linter, read off its source."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from pathlib import Path

PACKAGE = Path(__file__).parent.parent
_ASSERTING = ("planning/settled/facts.py", "asking/desk.py", "asking/duties.py")
"""Modules that turn briefs, figures and questions into facts."""
_ASKING = ("interview", "commands", "export", "validation")
"""Parts that ask, store or print an answer and do not act on it."""


def produced_topics(topics: Collection[str]) -> frozenset[str]:
    """The topics that some module asserts, by the names that stand in it (``staff_knows_...`` by its beginning)."""
    words = {word for name in _ASSERTING for word in _strings(PACKAGE / name)}
    heads = tuple(word for word in words if word.endswith("_") and len(word) > 4)
    return frozenset(topic for topic in topics if topic in words or topic.startswith(heads))


def read_fields(fields: Collection[str]) -> frozenset[str]:
    """The fields of the brief that some module outside the interview names."""
    paths = (path for path in sorted(PACKAGE.rglob("*.py")) if not _asks(path))
    words = {word for path in paths for word in _strings(path)}
    return frozenset(field for field in fields if field in words)


def _asks(path: Path) -> bool:
    return path.relative_to(PACKAGE).parts[0] in _ASKING


def _strings(path: Path) -> Iterator[str]:
    """The string constants of a module, those inside f-strings too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
