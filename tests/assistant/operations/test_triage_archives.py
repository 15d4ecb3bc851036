"""Packed, cut, binary and silent input: read, told or refused, never called healthy."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.cli import main
from assistant.operations.triage import archives
from assistant.operations.triage.diagnose import triage_files
from knowledge.catalogue import Catalogue, load_catalogue

LOST = b"NVRM: Xid (PCI:0000:1a:00): 79, pid=1, name=x, GPU has fallen off the bus.\n"
PACKERS: dict[str, Callable[[bytes], bytes]] = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue()


@pytest.mark.parametrize("kind", PACKERS)
def test_packed_logs_are_read_and_cut_ones_told(kind: str, tmp_path: Path, catalogue: Catalogue) -> None:
    noise = b"".join(b"%s fine %d\n" % (os.urandom(24).hex().encode(), n) for n in range(60_000))
    packed = PACKERS[kind](LOST + noise)
    whole, cut = tmp_path / f"a.log.{kind}", tmp_path / f"b.log.{kind}"
    whole.write_bytes(packed)
    cut.write_bytes(packed[: len(packed) * 3 // 4])
    assert triage_files([str(whole)], catalogue).cut == ()
    half = triage_files([str(cut)], catalogue)
    assert half.verdict.category == "gpu_lost_bus"
    assert "ends early" in half.cut[0]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"PK\x03\x04" + b"a" * 99, "zip"),
        (random.Random(5).randbytes(100_000), "not text"),
        (lzma.compress(LOST)[:20], "ends early"),
    ],
)
def test_what_is_no_log_is_refused(
    content: bytes, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x"
    path.write_bytes(content)
    assert main(["triage", str(path)]) == 2
    assert says in capsys.readouterr().err


def test_a_pipe_that_says_nothing_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(archives, "WAIT_S", 0.05)
    path = tmp_path / "pipe"
    os.mkfifo(path)
    assert main(["triage", str(path)]) == 2
    assert "nothing was written" in capsys.readouterr().err


def test_a_device_is_no_log(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["triage", "/dev/zero"]) == 2
    assert "device" in capsys.readouterr().err
