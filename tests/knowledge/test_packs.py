"""Compiled data: what is read is what the sources say, whatever was changed, damaged or planted."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from knowledge.compiled import SETTLED_NS, Origin, load_pack
from knowledge.packs import Made, Pack, Sections, packed, read_pack, write_pack
from knowledge.shipped import shipped_folder, shipped_yaml

VALUES = {"gpus": {"h100": {"w": 700, "note": "line\nend"}, "b200": {"w": 1000.5}}, "none": {}}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "sizewright"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one data file that was written an hour ago."""
    made = tmp_path / "data"
    made.mkdir()
    written(made / "a.yaml", "one")
    return made


def written(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(10**18, 10**18))


def reader(folder: Path, log: list[str]) -> Callable[[], Sections]:
    """Makes a pack of the folder's file and notes that it did."""

    def make() -> Sections:
        log.append("made")
        return {"text": {"a": (folder / "a.yaml").read_text(encoding="utf-8")}}

    return make


def young(monkeypatch: pytest.MonkeyPatch, by_ns: int) -> None:
    """Turn the clock by which files are young; the change time of a file cannot be set."""
    now = __import__("time").time_ns()
    monkeypatch.setattr("knowledge.compiled.time.time_ns", lambda: now + by_ns)


def test_a_pack_holds_what_was_put_in() -> None:
    pack = Pack(packed(Made("k", "s"), VALUES))
    assert {name: dict(section) for name, section in pack.items()} == VALUES
    assert pack.made == ("k", "s")
    assert "h100" in pack["gpus"]
    assert "mi300x" not in pack["gpus"]


def test_a_value_is_parsed_anew_so_that_nobody_changes_anothers() -> None:
    pack = Pack(packed(Made("k", "s"), VALUES))
    pack["gpus"]["h100"]["w"] = 0
    assert pack["gpus"]["h100"]["w"] == 700


def test_every_damaged_byte_is_noticed(tmp_path: Path) -> None:
    """CRC-32 finds every change of up to 32 bits beside one another, so every flipped byte."""
    content = packed(Made("k", "s"), VALUES)
    body = content.index(b"\n") + 1
    place = tmp_path / "p.pack"
    for at in range(body, len(content)):
        place.write_bytes(content[:at] + bytes([content[at] ^ 0x5A]) + content[at + 1 :])
        assert read_pack(place) is None, at
    for end in range(len(content)):
        place.write_bytes(content[:end])
        assert read_pack(place) is None, end


@pytest.mark.parametrize("planted", [b"", b"\x80\x04N.", b"[]\n", b"{}\n{}", b'{"pack":1}\n', b"\xff\n" * 9])
def test_what_is_no_pack_is_made_anew(folder: Path, planted: bytes) -> None:
    (folder / "_compiled.pack").write_bytes(planted)
    log: list[str] = []
    assert load_pack(Origin(folder, ("*.yaml",)), reader(folder, log))["text"]["a"] == "one"
    assert log == ["made"]


def test_an_untouched_folder_is_read_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log: list[str] = []
    young(monkeypatch, by_ns=2 * SETTLED_NS)
    for _ in range(3):
        assert load_pack(Origin(folder, ("*.yaml",)), reader(folder, log))["text"]["a"] == "one"
    assert log == ["made"]


@pytest.mark.parametrize("settled", [True, False])
def test_a_change_of_the_same_length_and_time_is_seen(
    folder: Path, monkeypatch: pytest.MonkeyPatch, settled: bool
) -> None:
    """The size and the modification time stay; in a settled file the change time tells, in a young one the bytes."""
    if settled:
        young(monkeypatch, by_ns=2 * SETTLED_NS)
    log: list[str] = []
    origin = Origin(folder, ("*.yaml",))
    load_pack(origin, reader(folder, log))
    written(folder / "a.yaml", "two")
    assert load_pack(origin, reader(folder, log))["text"]["a"] == "two"
    assert log == ["made", "made"]


def test_a_touched_file_that_says_the_same_is_not_read_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log: list[str] = []
    origin = Origin(folder, ("*.yaml",))
    young(monkeypatch, by_ns=2 * SETTLED_NS)
    load_pack(origin, reader(folder, log))
    os.utime(folder / "a.yaml", ns=(10**18 + 1, 10**18 + 1))
    pack = load_pack(origin, reader(folder, log))
    assert pack["text"]["a"] == "one"
    assert log == ["made"]
    stored = read_pack(folder / "_compiled.pack")
    assert stored is not None
    assert stored.made.stamp == origin.stamp()


@pytest.mark.parametrize("change", ["add", "remove", "rename"])
def test_files_that_come_and_go_are_seen(folder: Path, monkeypatch: pytest.MonkeyPatch, change: str) -> None:
    young(monkeypatch, by_ns=2 * SETTLED_NS)
    written(folder / "b.yaml", "b")
    origin = Origin(folder, ("*.yaml",))
    log: list[str] = []
    load_pack(origin, reader(folder, log))
    if change == "add":
        written(folder / "c.yaml", "c")
    elif change == "remove":
        (folder / "b.yaml").unlink()
    else:
        (folder / "b.yaml").rename(folder / "c.yaml")
    load_pack(origin, reader(folder, log))
    assert log == ["made", "made"]


def test_where_the_folder_cannot_be_written_the_cache_is(
    folder: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "knowledge.compiled.write_pack", lambda place, c: folder != place.parent and write_pack(place, c)
    )
    young(monkeypatch, by_ns=2 * SETTLED_NS)
    log: list[str] = []
    for _ in range(2):
        assert load_pack(Origin(folder, ("*.yaml",)), reader(folder, log))["text"]["a"] == "one"
    assert log == ["made"]
    assert [path.suffix for path in cache.iterdir()] == [".pack"]


def test_where_nothing_can_be_written_it_works_all_the_same(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    assert not write_pack(tmp_path / "file" / "p.pack", b"")
    monkeypatch.setattr("knowledge.compiled.write_pack", lambda _place, _content: False)
    assert load_pack(Origin(folder, ("*.yaml",)), reader(folder, []))["text"]["a"] == "one"


def test_a_sealed_pack_is_used_unchecked_and_a_damaged_one_is_not(folder: Path) -> None:
    (folder / "_sealed.pack").write_bytes(packed(Made("any", ""), {"text": {"a": "sealed"}}))
    origin = Origin(folder, ("*.yaml",))
    log: list[str] = []
    assert load_pack(origin, reader(folder, log))["text"]["a"] == "sealed"
    (folder / "_sealed.pack").write_bytes(b"damaged")
    assert load_pack(origin, reader(folder, log))["text"]["a"] == "one"
    assert log == ["made"]


def test_shipped_yaml_is_the_files_own(folder: Path) -> None:
    written(folder / "b.yaml", "no: NO\nlist: [1, 2.5]\n")
    assert shipped_yaml(folder / "b.yaml") == {"no": "NO", "list": [1, 2.5]}
    assert list(shipped_folder(folder)) == ["a.yaml", "b.yaml"]
