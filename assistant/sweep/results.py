"""The file of a sweep: one JSON object a line, in the order of the points, so that it can be gone on with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from assistant.sweep.space import Space
from knowledge.errors import BadInput

ONE_LINE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def kept(path: Path, space: Space) -> int:
    """How many results of this sweep a file holds; a line that was cut off is taken away.

    Raises BadInput where the file holds something else.
    """
    if not path.exists():
        return 0
    if path.is_dir():
        raise BadInput("--to", str(path), "a file is expected, this is a folder")
    whole, points, count = 0, space.points(), 0
    with path.open("rb") as file:
        for line in file:
            if not line.endswith(b"\n"):
                break
            if _point(line) != next(points, None):
                raise BadInput("--to", str(path), f"a new file, or one of the same sweep (line {count + 1} is not)")
            whole, count = whole + len(line), count + 1
    with path.open("r+b") as file:
        file.truncate(whole)
    return count


def _point(line: bytes) -> Any:
    try:
        document = json.loads(line)
    except ValueError:
        return None
    return document.get("point") if isinstance(document, dict) else None
