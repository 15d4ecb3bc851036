"""Logs as they come: broken, binary, coloured, packed, hostile, in many files."""

from __future__ import annotations

import gzip
import io
import os
import random
from pathlib import Path

import pytest

from assistant.operations.triage import parallel
from assistant.operations.triage.archives import NotALog
from assistant.operations.triage.diagnose import triage_files, triage_stream, triage_text
from assistant.operations.triage.patterns import Patterns
from assistant.operations.triage.recognise import read_stream
from knowledge.catalogue import Catalogue, load_catalogue

LOST = b"NVRM: Xid (PCI:0000:1a:00): 79, pid=1, name=x, GPU has fallen off the bus.\n"


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue()


@pytest.mark.parametrize(
    "content",
    [
        b"\x1b[31m" + LOST[:-1] + b"\x1b[0m\n",
        b"\xff\xfe\x80 broken " + LOST,
        b"\x00\x01\x02" * 5000 + b"\n" + LOST,
        LOST[:-1],
        LOST[:-1] + b"\r\n",
        b"progress 1%\r" * 9000 + LOST,
        b"caf\xe9 \xe4\xf6\xfc\n" + LOST,
        LOST.decode().encode("utf-16-le"),
        b"a" * 3_000_000 + b"\n" + LOST,
    ],
    ids=["colour", "invalid", "binary", "no-newline", "crlf", "progress", "latin-1", "utf-16", "long-line"],
)
def test_a_lost_gpu_is_found_in_broken_text(content: bytes, catalogue: Catalogue) -> None:
    result = triage_stream(io.BytesIO(content), catalogue)
    assert result.verdict.category == "gpu_lost_bus"


def test_noise_is_refused(catalogue: Catalogue) -> None:
    noise = random.Random(7).randbytes(2_000_000)
    with pytest.raises(NotALog, match="not text"):
        triage_stream(io.BytesIO(noise), catalogue)


def test_nothing_is_a_result(catalogue: Catalogue) -> None:
    result = triage_text("", catalogue)
    assert (result.findings, result.verdict.action, result.lines_read) == ((), "unknown", 0)


def test_a_packed_log_is_read_and_a_cut_one_as_far_as_it_goes(tmp_path: Path, catalogue: Catalogue) -> None:
    whole, cut = tmp_path / "a.log.gz", tmp_path / "b.log.gz"
    packed = gzip.compress(LOST + os.urandom(200_000))
    whole.write_bytes(packed)
    cut.write_bytes(packed[: len(packed) // 2])
    for path in (whole, cut):
        assert triage_files([str(path)], catalogue).verdict.category == "gpu_lost_bus"


def test_a_million_lines_of_one_fault_are_counted_and_shown_once(catalogue: Catalogue) -> None:
    result = triage_stream(io.BytesIO(LOST * 20_000), catalogue)
    assert [(f.count, len(f.lines), f.first_line) for f in result.findings] == [(20_000, 1, 1)]


def test_hosts_without_number_stay_bounded(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assistant.operations.triage.sightings.MAX_SIGHTINGS", 50)
    lines = b"".join(b"Nov 29 12:00:00 h%d kernel: " % n + LOST for n in range(500))
    seen = read_stream(io.BytesIO(lines), Patterns(catalogue))
    assert len(seen.sightings) <= 51
    assert sum(s.count for s in seen.sightings.values()) == 500


def test_a_large_file_in_stretches_reads_as_one(
    tmp_path: Path, catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "node.log"
    path.write_bytes(b"".join(b"harmless line %d\n" % n for n in range(5000)) + LOST + b"after\n" * 10)
    monkeypatch.setattr(parallel, "STRETCH_BYTES", 4096)
    monkeypatch.setattr(parallel, "ALONE_BYTES", 0)
    for workers in (1, 2):
        result = triage_files([str(path)], catalogue, workers=workers)
        assert result.lines_read == 5011
        assert result.findings[0].first_line == 5001


def test_a_file_that_is_missing_does_not_stop_the_others(tmp_path: Path, catalogue: Catalogue) -> None:
    path = tmp_path / "n1.log"
    path.write_bytes(LOST)
    result = triage_files([str(tmp_path / "none.log"), str(tmp_path), str(path)], catalogue)
    assert result.verdict.category == "gpu_lost_bus"
    assert len(result.unreadable) == 2
    assert result.files_read == 1


def test_learnt_templates_do_not_hide_numbers_that_matter(catalogue: Catalogue) -> None:
    text = "Remapping Failure Occurred : No\nDRAM Uncorrectable : 0\nDRAM Uncorrectable : 0\nDRAM Uncorrectable : 3\n"
    assert [f.mode for f in triage_text(text, catalogue).findings] == ["gpu_memory_uncorrectable"]


def test_lines_of_a_learnt_template_are_counted_each_with_its_place(catalogue: Catalogue) -> None:
    line = "Jul  1 03:00:0{n} node{n} kernel: mlx5_core 0000:1{n}:00.0 ib{n}: Link down\n"
    findings = triage_text("".join(line.format(n=number) for number in range(4)), catalogue).findings
    assert {node for finding in findings for node in finding.nodes} == {f"node{number}" for number in range(4)}
    assert {finding.mode for finding in findings} == {"link_flap"}
    assert sum(finding.count for finding in findings) == 4


def test_the_order_of_the_same_lines_does_not_depend_on_workers(tmp_path: Path, catalogue: Catalogue) -> None:
    for number in range(6):
        (tmp_path / f"n{number}.log").write_bytes(LOST.replace(b"1a", b"%02x" % (16 + number)))
    paths = [str(path) for path in sorted(tmp_path.iterdir())]
    assert triage_files(paths, catalogue, workers=1) == triage_files(paths, catalogue, workers=2)


def test_hostile_repetition_of_any_hint_ends(catalogue: Catalogue) -> None:
    """Every hint repeated over a whole line, and the pattern asked: an expression that explodes never ends here."""
    for pattern in Patterns(catalogue).all:
        for hint in pattern.entry.hints:
            for filler in (" ", "a ", ":"):
                found = pattern.regex.search(((hint + filler) * 1200)[:1200])
                assert found is None or found.end() <= 1200
