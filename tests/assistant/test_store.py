"""The store: nothing is lost, nothing is readable by others, errors say what to do."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from assistant.interview.brief import Answer, Provenance, Status
from assistant.result import Sizing
from assistant.store import Store
from knowledge.errors import BadInput, SizewrightError


def answer(field: str, value: object, **more: object) -> Answer:
    return Answer(field=field, value=value, **more)


def test_file_is_private_and_journal_is_wal(store: Store) -> None:
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o600
    assert store.db.journal_mode == "wal"
    assert next(iter(store.db.query("pragma foreign_keys")))["foreign_keys"] == 1


def test_brief_is_the_sum_of_events_and_events_stay(store: Store) -> None:
    session = store.create("one")
    store.record(session, [answer("users_total", 500, text="500 people", start=0, end=10)])
    store.record(session, [answer("users_total", 300), answer("country", "DE")])
    store.record(session, [Answer(field="country", status=Status.OPEN)])
    assert store.brief(session).value("users_total") == 300
    assert store.brief(session).get("country").status is Status.OPEN
    assert [(kind, a.field) for _, kind, a in store.events(session)] == [
        ("answer", "users_total"),
        ("answer", "users_total"),
        ("answer", "country"),
        ("clear", "country"),
    ]


def test_skip_is_remembered_until_answered(store: Store) -> None:
    session = store.create()
    store.record(session, [Answer(field="pue", status=Status.ASSUMED, provenance=Provenance.DEFAULT)], kind="skip")
    assert store.skipped(session) == {"pue"}
    assert store.brief(session).get("pue").status is Status.OPEN
    store.record(session, [answer("pue", 1.3)])
    assert store.skipped(session) == frozenset()


def test_foreign_keys_refuse_an_answer_without_session(store: Store) -> None:
    with pytest.raises(SizewrightError):
        store.record("nosuch", [answer("pue", 1.2)])
    assert store.db.table("answers").count == 0


def test_sizing_round_trip_with_versions(store: Store, sizing: Sizing) -> None:
    session = store.create()
    store.save_sizing(session, store.brief(session), sizing)
    assert store.last_sizing(session) == sizing
    row = next(iter(store.db.query("select catalogue_version, rules_version from sizings")))
    assert row == {"catalogue_version": "c1", "rules_version": "r1"}


def test_delete_hides_and_restore_brings_back(store: Store) -> None:
    session = store.create("x")
    store.delete(session)
    assert store.sessions() == []
    assert [s.id for s in store.sessions(deleted=True)] == [session]
    store.restore(session)
    assert [s.id for s in store.sessions()] == [session]


def test_copy_has_the_answers_and_its_own_life(store: Store) -> None:
    session = store.create("x")
    store.record(session, [answer("users_total", 5)])
    copy = store.copy(session, "y")
    store.record(copy, [answer("users_total", 6)])
    assert store.brief(session).value("users_total") == 5
    assert store.brief(copy).value("users_total") == 6


def test_session_by_beginning_and_unknown(store: Store) -> None:
    session = store.create("x")
    assert store.session(session[:5]).id == session
    for wrong in ("", "zzzz", "%", "_"):
        with pytest.raises(BadInput, match="session"):
            store.session(wrong)


def test_checklist_keeps_earlier_evidence(store: Store) -> None:
    session = store.create()
    store.mark(session, "fabric.nccl", True, by="Network team", evidence="362 GB/s")
    store.mark(session, "fabric.nccl", True, owner="Ops")
    state = store.checklist(session)["fabric.nccl"]
    assert (state.done, state.by, state.evidence, state.owner) == (True, "Network team", "362 GB/s", "Ops")


def test_two_programs_see_each_other(store: Store) -> None:
    session = store.create()
    before = store.change_mark()
    with Store(store.path) as other:
        other.record(session, [answer("users_total", 7)])
    assert store.change_mark() != before
    assert store.brief(session).value("users_total") == 7


def test_kill_loses_nothing_that_was_recorded(tmp_path: Path) -> None:
    path = tmp_path / "k.db"
    code = (
        "import os, signal, sys\n"
        "from assistant.store import Store\n"
        "from assistant.interview.brief import Answer\n"
        "store = Store(sys.argv[1]); session = store.create('killed')\n"
        "for i in range(20): store.record(session, [Answer(field='users_total', value=i)])\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    assert done.returncode == -9
    with Store(path) as store:
        (row,) = store.sessions()
        assert store.brief(row.id).value("users_total") == 19


def test_not_a_database(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_text("this is a letter, not a database; it is long enough to be looked at " * 20)
    with pytest.raises(SizewrightError, match="not a sizewright database"):
        Store(path)
    assert path.read_text().startswith("this is a letter")


def test_folder_instead_of_file(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="folder"):
        Store(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_unwritable_folder(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(SizewrightError, match="--db"):
        Store(tmp_path / "x.db")


def test_newer_database_is_refused_untouched(tmp_path: Path) -> None:
    path = tmp_path / "n.db"
    Store(path).close()
    with sqlite3.connect(path) as db:
        db.execute(
            "insert into _sqlite_migrations (migration_set, name, applied_at) values ('sizewright', 'm999_future', 'x')"
        )
    db.close()
    with pytest.raises(SizewrightError, match="newer version"):
        Store(path)


def test_full_disk_is_said_and_nothing_half_written(store: Store) -> None:
    session = store.create()
    store.record(session, [answer("users_total", 1)])
    pages = next(iter(store.db.query("pragma page_count")))["page_count"]
    store.db.execute(f"pragma max_page_count = {pages}")
    big = [answer("notes", "x" * 100_000), answer("users_total", 2)]
    with pytest.raises(SizewrightError, match="disk is full"):
        store.record(session, big)
    assert store.brief(session).value("users_total") == 1


def test_backup_is_a_database_and_never_overwrites(store: Store, tmp_path: Path) -> None:
    session = store.create("saved")
    target = tmp_path / "copy.db"
    store.backup(target)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    with Store(target) as copy:
        assert copy.session(session).label == "saved"
    with pytest.raises(BadInput, match="exists"):
        store.backup(target)
