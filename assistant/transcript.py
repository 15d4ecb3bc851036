"""Recorded interviews: YAML that people read and that replays.

A transcript holds what was said, keyed by question id so that the order of the questions may change under it; what
was understood of each line; and what must follow, worked out by hand. After a marker line stands a section that
``sizewright replay --update`` writes: the conclusions of that day with the versions they were drawn from. Everything
above the marker belongs to people and is never touched.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field, model_validator

from assistant.interview.brief import Value
from assistant.interview.questions import load_questions
from assistant.requests.fields import build
from assistant.requests.files import read_mapping
from knowledge.errors import BadInput
from knowledge.evidence import Frozen

MARKER = "# --- recorded by sizewright replay --update; do not edit below ---"

SUFFIXES = (".yaml", ".yml")


class Step(Frozen):
    """One line of the user: the answer to a question, or free text.

    ``understood`` is exactly what the line changes in the brief: field -> value in the field's unit (or
    ``{value, low, high}`` where a range was said), and null for a field that was taken back; ``heard_not_used`` is the
    words that it leaves unused, ``asked`` the kinds of questions in it. ``then`` names the question that stands
    afterwards, where that matters.
    """

    question: str | None = None
    said: str | None = None
    say: str | None = None
    understood: Mapping[str, Value] = Field(default_factory=dict)
    then: str | None = None

    @model_validator(mode="after")
    def _one_form(self) -> Step:
        if (self.say is None) == (self.question is None) or (self.said is None) != (self.question is None):
            raise ValueError("a step is {question, said} or {say}")
        _known(*(f for f in (self.question, self.then) if f), *self.understood)
        return self


class Expectation(Frozen):
    """One conclusion worked out by hand. ``why`` is the calculation or the source in words.

    ``path`` reaches into the sizing document; a member of a list is named by its id, name, field or item, or by
    its number.
    """

    path: str
    value: Value = None
    between: tuple[float | None, float | None] | None = None
    one_of: tuple[Value, ...] | None = None
    present: bool | None = None
    why: str = Field(min_length=1)

    @model_validator(mode="after")
    def _one_form(self) -> Expectation:
        given = self.model_fields_set & {"value", "between", "one_of", "present"}
        if len(given) != 1:
            raise ValueError("exactly one of value, between, one_of, present is expected")
        if self.between == (None, None) or (self.between is None and "between" in given):
            raise ValueError("between needs at least one end")
        return self


class Recorded(Frozen):
    """The machine-written section: conclusions by path, and the versions they were drawn from."""

    catalogue_version: str
    rules_version: str
    engine: str
    conclusions: Mapping[str, Value]


class Transcript(Frozen):
    """One recorded interview. ``shape`` says what the case is modelled on; ``message`` is the opening in free text,
    ``understood`` what it states."""

    transcript: Literal[1]
    title: str
    lang: Literal["en", "de"] = "en"
    audience: Literal["presales", "engineer"] = "presales"
    shape: str | None = None
    message: str | None = None
    understood: Mapping[str, Value] = Field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    concluded: tuple[Expectation, ...]
    recorded: Recorded | None = None

    @model_validator(mode="after")
    def _something_said(self) -> Transcript:
        if self.understood and self.message is None:
            raise ValueError("understood at the top belongs to a message, and there is none")
        if self.message is None and not self.steps:
            raise ValueError("a message or a step is expected")
        _known(*self.understood)
        return self

    def lines(self) -> tuple[Step, ...]:
        """All that was said, the opening message first."""
        opening = () if self.message is None else (Step(say=self.message, understood=self.understood),)
        return (*opening, *self.steps)


def _known(*fields: str) -> None:
    unknown = [field for field in fields if field not in load_questions().by_id()]
    if unknown:
        raise ValueError(f"there is no question {', '.join(unknown)}")


def load_transcript(path: Path) -> Transcript:
    """The transcript of a file. Raises BadInput naming the file and the field that is wrong."""
    raw = read_mapping(str(path), str(path))
    try:
        return build(Transcript, raw)
    except BadInput as error:
        raise BadInput(f"{path}: {error.field}", error.value, error.expected, error.nearest) from None


def shipped() -> Path:
    """The folder of the transcripts that come with the program: in the wheel, or in the checkout."""
    package = files("assistant") / "transcripts"
    if package.is_dir():
        return Path(str(package))
    return Path(__file__).resolve().parent.parent / "transcripts"


def transcript_files(paths: list[str]) -> list[Path]:
    """The files that ``paths`` (files and folders) name, a folder's in the order of their names; the shipped ones
    without any. Raises BadInput for a path that is not there or holds none."""
    found: dict[Path, None] = {}
    for path in [Path(p) for p in paths] or [shipped()]:
        inside = sorted(f for f in path.iterdir() if f.suffix in SUFFIXES) if path.is_dir() else [path]
        if not inside:
            raise BadInput("PATH", str(path), f"the folder holds no transcript ({', '.join(SUFFIXES)})")
        found.update(dict.fromkeys(inside))
    return list(found)


def with_recorded(content: bytes, recorded: Recorded) -> bytes:
    """A file's content with its recorded section replaced, every byte above the marker as it was.

    Raises BadInput where a machine-written section stands without its marker, since then nobody can tell whose
    lines they are.
    """
    marker = MARKER.encode()
    lines = content.splitlines(keepends=True)
    at = next((i for i, line in enumerate(lines) if line.strip() == marker), len(lines))
    above = b"".join(lines[:at])
    if any(line.startswith(b"recorded:") for line in lines[:at]):
        raise BadInput("recorded", "a section without its marker", f"the line {MARKER!r} above it")
    if above and not above.endswith((b"\n", b"\r")):
        above += b"\n"
    return above + marker + b"\n" + _as_yaml(recorded).encode()


def _as_yaml(recorded: Recorded) -> str:
    from assistant.output import plain

    text: str = yaml.safe_dump({"recorded": plain(recorded)}, sort_keys=False, allow_unicode=True, width=1000)
    return text


def look_up(document: Any, path: str) -> Any:
    """The value at a dotted path of a document of mappings and lists. Raises LookupError saying where it ends."""
    here, walked = document, ""
    for segment in path.split("."):
        here = _into(here, segment, walked or "the document")
        walked = f"{walked}.{segment}" if walked else segment
    return here


def _into(here: Any, segment: str, walked: str) -> Any:
    if isinstance(here, Mapping):
        if segment in here:
            return here[segment]
        raise LookupError(f"{walked} has no {segment}; it has {_few(here)}")
    if not isinstance(here, list):
        raise LookupError(f"{walked} is {here!r}, which has no {segment}")
    for key in ("id", "name", "field", "item"):
        for member in here:
            if isinstance(member, Mapping) and member.get(key) == segment:
                return member
    if segment.isdigit() and int(segment) < len(here):
        return here[int(segment)]
    raise LookupError(f"{walked} has no {segment}; it has {_few([_label(m) for m in here])}")


def _label(member: Any) -> Any:
    if not isinstance(member, Mapping):
        return member
    return next((member[k] for k in ("id", "name", "field", "item") if k in member), "unnamed")


def _few(names: Any) -> str:
    shown = [str(name) for name in names]
    return ", ".join(shown[:12]) + (", ..." if len(shown) > 12 else "") if shown else "nothing"
