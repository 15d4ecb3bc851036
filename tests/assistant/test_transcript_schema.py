"""Transcript files: what is accepted, what is refused and how, and the machine-written section."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.transcript import (
    MARKER,
    Recorded,
    load_transcript,
    look_up,
    shipped,
    transcript_files,
    with_recorded,
)
from knowledge.errors import BadInput

GOOD = """transcript: 1
title: t
message: 500 people
understood: {users_total: 500}
concluded:
- {path: plans.recommended.gpus, between: [1, null], why: somebody must answer}
"""
RECORDED = Recorded(catalogue_version="c", rules_version="r", engine="plain", conclusions={"plans.lean.gpus": 8})


def written(folder: Path, text: str) -> Path:
    path = folder / "case.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_message_is_the_first_line(tmp_path: Path) -> None:
    first, *rest = load_transcript(written(tmp_path, GOOD)).lines()
    assert (first.say, dict(first.understood), rest) == ("500 people", {"users_total": 500}, [])


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("transcript: 1", "transcript: 2", "transcript"),
        ("title: t", "titel: t", "titel"),
        ("message: 500 people", "message: [500, people]", "message"),
        ("users_total: 500}", "user_total: 500}", "no question user_total"),
        ("between: [1, null]", "between: [null, null]", "between needs at least one end"),
        ("between: [1, null]", "between: [1, null], value: 3", "exactly one of"),
        (", why: somebody must answer", "", "concluded.0.why"),
        ("message: 500 people\nunderstood: {users_total: 500}", "", "a message or a step"),
        ("concluded:", "steps:\n- {question: users_total}\nconcluded:", "a step is {question, said} or {say}"),
        ("concluded:", "steps:\n- {question: users, said: '5'}\nconcluded:", "no question users"),
        ("concluded:", "steps:\n- {question: users_total, said: 5}\nconcluded:", "steps.0.said"),
        ("concluded:", "steps:\n- {say: a, said: b}\nconcluded:", "a step is"),
        ("title: t", "title: [", "not valid YAML"),
    ],
)
def test_a_bad_file_is_refused_naming_file_and_field(tmp_path: Path, old: str, new: str, named: str) -> None:
    assert old in GOOD
    with pytest.raises(BadInput) as caught:
        load_transcript(written(tmp_path, GOOD.replace(old, new)))
    assert "case.yaml" in str(caught.value)
    assert named in str(caught.value)


@pytest.mark.parametrize(
    "above",
    [
        b"a: 1\n# c\xc3\xb6mment  \n\n",
        b"a: 1\r\n# windows line ends\r\n",
        b"no line end at the end",
        b"",
    ],
)
def test_what_people_wrote_keeps_its_bytes(above: bytes) -> None:
    once = with_recorded(above, RECORDED)
    assert once.startswith(above)
    assert with_recorded(once, RECORDED) == once
    later = with_recorded(once, RECORDED.model_copy(update={"engine": "durable-rules"}))
    assert later.split(MARKER.encode())[0] == once.split(MARKER.encode())[0]
    assert later.count(MARKER.encode()) == 1


def test_a_recorded_section_without_marker_is_not_overwritten() -> None:
    with pytest.raises(BadInput, match="marker"):
        with_recorded(b"title: t\nrecorded: {}\n", RECORDED)


def test_the_recorded_section_reads_back(tmp_path: Path) -> None:
    path = tmp_path / "case.yaml"
    path.write_bytes(with_recorded(GOOD.encode(), RECORDED))
    assert load_transcript(path).recorded == RECORDED


DOCUMENT = {
    "plans": [{"name": "lean", "gpus": 8}, {"name": "roomy", "gpus": 16, "servers": [{"id": "dgx-h100", "count": 2}]}],
    "decisions": [{"id": "cooling", "choice": "air"}],
    "assumptions": [{"field": "pue", "value": 1.5}],
    "summary": "text",
}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("plans.roomy.gpus", 16),
        ("plans.1.servers.dgx-h100.count", 2),
        ("decisions.cooling.choice", "air"),
        ("assumptions.pue.value", 1.5),
    ],
)
def test_paths_reach_by_id_name_field_and_number(path: str, value: object) -> None:
    assert look_up(DOCUMENT, path) == value


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("plans.huge.gpus", "plans has no huge; it has lean, roomy"),
        ("plans.2", "plans has no 2"),
        ("plan", "the document has no plan; it has plans, decisions"),
        ("summary.gpus", "summary is 'text', which has no gpus"),
    ],
)
def test_a_path_that_ends_says_where(path: str, says: str) -> None:
    with pytest.raises(LookupError) as caught:
        look_up(DOCUMENT, path)
    assert says in caught.value.args[0]


def test_files_and_folders_are_found_once_and_in_order(tmp_path: Path) -> None:
    for name in ("b.yaml", "a.yml", "notes.txt"):
        (tmp_path / name).write_text(GOOD, encoding="utf-8")
    found = transcript_files([str(tmp_path), str(tmp_path / "b.yaml")])
    assert [path.name for path in found] == ["a.yml", "b.yaml"]


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no transcript"):
        transcript_files([str(tmp_path)])


def test_at_least_eight_transcripts_are_shipped() -> None:
    assert len(transcript_files([])) >= 8
    assert all(path.parent == shipped() for path in transcript_files([]))
