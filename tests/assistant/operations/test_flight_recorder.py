"""Flight-recorder dumps of several ranks."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path
from typing import Any

import pytest

from assistant.operations.triage.diagnose import triage_files
from knowledge.catalogue import Catalogue, load_catalogue


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue()


def dump(completed: int, enqueued: int, operation: str = "nccl:all_reduce") -> dict[str, Any]:
    """Entries in the form of PyTorch's dump, version 2."""
    entries = [
        {
            "process_group": ["0", "default_pg"],
            "collective_seq_id": number,
            "profiling_name": operation if number == enqueued else "nccl:all_reduce",
            "state": "completed" if number <= completed else "scheduled",
        }
        for number in range(1, enqueued + 1)
    ]
    return {"version": "2.4", "pg_config": {}, "entries": entries}


def write(folder: Path, dumps: dict[int, dict[str, Any]], *, packed: bool = False) -> list[str]:
    paths = []
    for rank, document in dumps.items():
        path = folder / f"nccl_trace_rank_{rank}"
        path.write_bytes(pickle.dumps(document, protocol=2) if packed else json.dumps(document).encode())
        paths.append(str(path))
    return paths


@pytest.mark.parametrize("packed", [False, True])
def test_the_rank_that_did_not_come_is_named(tmp_path: Path, catalogue: Catalogue, packed: bool) -> None:
    paths = write(tmp_path, {0: dump(41, 42), 1: dump(41, 41), 2: dump(41, 42), 3: dump(41, 42)}, packed=packed)
    result = triage_files(paths, catalogue)
    assert result.verdict.category == "collective_missing_rank"
    assert "rank 1 did not come to collective 42" in result.findings[0].notes[0]
    assert "rank 1 is furthest behind" in result.verdict.why


def test_a_rank_without_a_dump_is_named(tmp_path: Path, catalogue: Catalogue) -> None:
    result = triage_files(write(tmp_path, {0: dump(7, 8), 2: dump(7, 8)}), catalogue)
    assert "no dump of rank 1" in result.findings[0].notes


def test_ranks_that_call_different_operations_went_another_way(tmp_path: Path, catalogue: Catalogue) -> None:
    paths = write(tmp_path, {0: dump(7, 8), 1: dump(7, 8, "nccl:all_gather")})
    assert "different operations: all_gather, all_reduce" in triage_files(paths, catalogue).findings[0].notes[0]


def test_ranks_that_are_level_and_done_are_no_fault(tmp_path: Path, catalogue: Catalogue) -> None:
    assert triage_files(write(tmp_path, {0: dump(8, 8), 1: dump(8, 8)}), catalogue).findings == ()


def test_a_pickle_that_would_run_something_is_refused(tmp_path: Path, catalogue: Catalogue) -> None:
    class Evil:
        def __reduce__(self) -> tuple[Any, tuple[str]]:
            return os.system, (f"touch {tmp_path / 'ran'}",)

    path = tmp_path / "trace_rank_0"
    path.write_bytes(pickle.dumps({"version": "2.4", "entries": [Evil()]}))
    result = triage_files([str(path)], catalogue)
    assert len(result.unreadable) == 1
    assert not (tmp_path / "ran").exists()
