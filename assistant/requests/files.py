"""Text and objects from files and standard input, with errors for people."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from knowledge.errors import BadInput

MAX_FILE_BYTES = 16 * 2**20
"""Larger briefs and requests are refused: none is meant to be, and parsing them would take the machine's memory."""


def _beginning(file: Path) -> bytes:
    with file.open("rb") as stream:
        return stream.read(MAX_FILE_BYTES + 1)


def read_text(path: str, what: str) -> str:
    """A text file's content, or standard input for ``-``. Raises BadInput where it cannot be read as UTF-8 text."""
    import sys

    file = Path(path)
    try:
        if path != "-" and file.is_dir():
            raise BadInput(what, path, "a file is expected, this is a folder")
        # Read, not asked for its size: a pipe or a device has none.
        content = sys.stdin.buffer.read(MAX_FILE_BYTES + 1) if path == "-" else _beginning(file)
        if len(content) > MAX_FILE_BYTES:
            raise BadInput(what, path, f"at most {MAX_FILE_BYTES // 2**20} MiB")
        return content.decode("utf-8-sig")
    except FileNotFoundError:
        near = [str(p) for p in sorted(file.parent.glob("*" + file.suffix))[:3]] if file.parent.is_dir() else []
        raise BadInput(what, path, "no such file", near) from None
    except PermissionError:
        raise BadInput(what, path, "the file may not be read (permission)") from None
    except UnicodeDecodeError:
        raise BadInput(what, path, "UTF-8 text is expected") from None


def read_mapping(path: str, what: str) -> dict[str, Any]:
    """A YAML or JSON object from a file or ``-``. Raises BadInput where it is malformed or not an object."""
    import yaml

    text = read_text(path, what)
    try:
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise BadInput(what, path, f"not valid YAML or JSON{where}: {getattr(error, 'problem', error)}") from None
    except RecursionError:
        raise BadInput(what, path, "nested too deeply") from None
    except ValueError as error:  # a date or a number that no calendar or computer holds
        raise BadInput(what, path, f"not valid YAML or JSON: {error}") from None
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise BadInput(what, path, f"an object of fields is expected, this is a {type(data).__name__}")
    return {str(k): v for k, v in data.items()}
