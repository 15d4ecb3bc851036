"""Saved sessions in SQLite: answers as append-only events, sizings with the versions they were made from, checklists.

Every write is one transaction, so a crash loses at most what was not yet handed over. The file is readable by its
owner alone. A ``Store`` belongs to the thread that opened it.
"""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlite_utils
from pydantic import ValidationError
from sqlite_utils import Migrations

from assistant.interview.brief import Answer, Brief, Status
from assistant.result import Sizing
from assistant.store_types import ItemState, SessionRow, StoreError
from knowledge.errors import BadInput, SizewrightError

QUESTION_SET = 1
"""Version of the question set that an answer was given to."""

migrations = Migrations("sizewright")


@migrations()
def m001_sessions(db: sqlite_utils.Database) -> None:
    """The first shape: sessions, answers, sizings, checklist events."""
    db.executescript(
        """
        create table sessions (
            id text primary key, label text not null, audience text not null, lang text not null,
            created_at text not null, updated_at text not null, deleted_at text
        );
        create table answers (
            id integer primary key, session_id text not null references sessions(id),
            at text not null, field text not null, kind text not null, payload text not null,
            question_set integer not null
        );
        create index answers_session on answers(session_id, id);
        create table sizings (
            id integer primary key, session_id text not null references sessions(id), at text not null,
            brief text not null, catalogue_version text not null, rules_version text not null, result text not null
        );
        create index sizings_session on sizings(session_id, id);
        create table checklist_events (
            id integer primary key, session_id text not null references sessions(id), at text not null,
            item text not null, done integer not null, by text, evidence text, owner text
        );
        create index checklist_session on checklist_events(session_id, id);
        """
    )


@migrations()
def m002_steps(db: sqlite_utils.Database) -> None:
    """Which answers were given in one step, so that undo and redo survive a restart; before, each was its own."""
    db.executescript("alter table answers add column step integer; update answers set step = id;")


KNOWN_MIGRATIONS = frozenset({"m001_sessions", "m002_steps"})
"""Every migration above, by name: a database that has seen others is newer than this program."""


def default_path() -> Path:
    """Where the database lives when nobody says otherwise: the platform's user data directory."""
    from platformdirs import user_data_path

    return Path(user_data_path("sizewright", appauthor=False)) / "sizewright.db"


def utc_now() -> str:
    """The time as stored: UTC to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Store:
    """The database of one installation. Raises SizewrightError where the file cannot be used."""

    def __init__(self, path: str | Path | None = None, now: Callable[[], str] = utc_now) -> None:
        self.path = Path(path) if path else default_path()
        self._now = now
        with self._explained():
            self._prepare_file()
            connection = sqlite3.connect(self.path, timeout=10)
            connection.execute("pragma foreign_keys = on")
            self.db = sqlite_utils.Database(connection)
            self._refuse_foreign()
            self.db.enable_wal()
            self._refuse_newer()
            migrations.apply(self.db)
            self._file = self.path.stat().st_ino

    def close(self) -> None:
        """Close the connection; the write-ahead log is folded in by SQLite."""
        self.db.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _prepare_file(self) -> None:
        if not self.path.parent.exists():
            self.path.parent.mkdir(parents=True, mode=0o700)
        if self.path.is_dir():
            raise BadInput("--db", str(self.path), "a file is expected, this is a folder")
        # Created with its mode, so that there is no moment at which others could read it.
        os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))

    def _refuse_foreign(self) -> None:
        """Another program's database is left as it is, down to its journal mode. One that was cut short when it was
        made holds the list of migrations alone, and is ours."""
        tables = set(self.db.table_names()) - {"_sqlite_migrations"}
        if tables and not {"sessions", "answers", "sizings"} <= tables:
            raise SizewrightError(
                f"{self.path} is another program's database (it holds {', '.join(sorted(tables)[:5])}); "
                "name another with --db"
            )

    def _refuse_newer(self) -> None:
        strange = [m.name for m in migrations.applied(self.db) if m.name not in KNOWN_MIGRATIONS]
        if strange:
            raise SizewrightError(
                f"{self.path} was written by a newer version of sizewright ({', '.join(strange)}); "
                "update the program, or name another file with --db"
            )

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """SQLite's and the system's errors as sentences that say what to do."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            text = str(error)
            if "not a database" in text or "malformed" in text:
                advice = "it is not a sizewright database, or damaged; name another with --db, or restore a backup"
            elif "full" in text:
                advice = "the disk is full; nothing was written, free some space and try again"
            elif "disk I/O" in text:
                advice = (
                    "the disk cannot be written or read, it may be full; nothing was changed, see to it and try again"
                )
            elif "readonly" in text or "read-only" in text:
                advice = "it may not be written; check its permissions, or name another with --db"
            elif "locked" in text:
                advice = "another program holds it; try again"
            else:
                advice = text
            raise StoreError(f"database {self.path}: {advice}") from error
        except OSError as error:
            raise StoreError(
                f"database {self.path}: {error.strerror}; name another with --db or SIZEWRIGHT_DB"
            ) from error

    @contextmanager
    def _transaction(self) -> Iterator[sqlite_utils.Database]:
        self._refuse_gone()
        with self._explained(), self.db.atomic():
            yield self.db

    def _refuse_gone(self) -> None:
        """SQLite goes on writing into a file that was deleted or replaced: to nowhere."""
        try:
            there = self.path.stat().st_ino == self._file
        except OSError:
            there = False
        if not there:
            raise StoreError(
                f"database {self.path}: the file was deleted, moved or replaced while it was open; "
                "nothing more is saved: put it back, or start again"
            )

    def _rows(self, sql: str, *values: object) -> list[dict[str, Any]]:
        with self._explained():
            return list(self.db.query(sql, list(values)))

    # Sessions

    def create(self, label: str = "", audience: str = "presales", lang: str = "en") -> str:
        """A new, empty session; returns its id."""
        session_id = secrets.token_hex(4)
        now = self._now()
        with self._transaction() as db:
            db.table("sessions").insert(
                {
                    "id": session_id,
                    "label": label,
                    "audience": audience,
                    "lang": lang,
                    "created_at": now,
                    "updated_at": now,
                    "deleted_at": None,
                }
            )
        return session_id

    def keep(self, label: str, answers: list[Answer], sizing: Sizing, kind: str = "answer") -> str:
        """A new session with its answers and its sizing, all of it or nothing; returns its id."""
        with self._transaction():
            session_id = self.create(label)
            self.record(session_id, answers, kind)
            self.save_sizing(session_id, self.brief(session_id), sizing)
        return session_id

    def sessions(self, deleted: bool = False) -> list[SessionRow]:
        """Saved sessions, last changed first."""
        condition = "is not null" if deleted else "is null"
        rows = self._rows(f"select * from sessions where deleted_at {condition} order by updated_at desc, id")
        return [SessionRow(**row) for row in rows]

    def session(self, session_id: str) -> SessionRow:
        """One session, by id, an unambiguous beginning of it, or its label. Raises BadInput where there is none."""
        rows = self._rows("select * from sessions where substr(id, 1, ?) = ?", len(session_id), session_id)
        live = [row for row in rows if row["deleted_at"] is None or row["id"] == session_id]
        live = live or self._rows("select * from sessions where label = ? and deleted_at is null", session_id)
        if session_id and len(live) == 1:
            return SessionRow(**live[0])
        known = [row.id for row in self.sessions()][:5]
        what = "the beginning fits several sessions" if live and session_id else "there is no such session"
        raise BadInput("session", session_id, f"{what}; `sizewright sessions list` shows all", known)

    def rename(self, session_id: str, label: str) -> None:
        """Give a session another label."""
        with self._transaction() as db:
            db.table("sessions").update(session_id, {"label": label, "updated_at": self._now()})

    def delete(self, session_id: str) -> None:
        """Hide a session; ``restore`` brings it back, nothing is erased."""
        with self._transaction() as db:
            db.table("sessions").update(session_id, {"deleted_at": self._now()})

    def restore(self, session_id: str) -> None:
        """Undo ``delete``."""
        with self._transaction() as db:
            db.table("sessions").update(session_id, {"deleted_at": None})

    def copy(self, session_id: str, label: str) -> str:
        """A new session with the same answers, as a starting point for a what-if or the next customer."""
        row = self.session(session_id)
        new = self.create(label, row.audience, row.lang)
        self.record(new, list(self.brief(row.id).every()))
        return new

    # Answers

    def record(self, session_id: str, answers: list[Answer], kind: str = "answer") -> None:
        """Append answers as events of one step; an open answer takes back what was said of its field."""
        now = self._now()
        with self._transaction() as db:
            step = self._rows("select coalesce(max(step), 0) + 1 step from answers")[0]["step"]
            rows = [
                {
                    "session_id": session_id,
                    "at": now,
                    "field": answer.field,
                    "kind": "clear" if answer.status is Status.OPEN and kind == "answer" else kind,
                    "payload": answer.model_dump_json(exclude_none=True),
                    "question_set": QUESTION_SET,
                    "step": step,
                }
                for answer in answers
            ]
            db.table("answers").insert_all(rows)
            db.table("sessions").update(session_id, {"updated_at": now})

    def events(self, session_id: str) -> list[tuple[str, str, Answer]]:
        """All events of a session in order: time, kind, answer."""
        rows = self._rows("select at, kind, payload from answers where session_id = ? order by id", session_id)
        try:
            return [(row["at"], row["kind"], Answer.model_validate_json(row["payload"])) for row in rows]
        except ValidationError as error:
            raise SizewrightError(
                f"session {session_id} holds an answer that cannot be read; the others are unharmed, and a copy from "
                f"`sizewright backup` may hold it still ({error.errors()[0]['msg']})"
            ) from error

    def steps(self, session_id: str) -> list[tuple[str, tuple[Answer, ...]]]:
        """All steps of a session in order, skips left out: answer, undo or redo, and the answers that it set."""
        numbers = self._rows("select step, kind from answers where session_id = ? order by id", session_id)
        found: dict[int, tuple[str, list[Answer]]] = {}
        for row, (_, kind, answer) in zip(numbers, self.events(session_id), strict=True):
            if kind != "skip":
                named = kind if kind in ("undo", "redo") else "answer"
                found.setdefault(row["step"], (named, []))[1].append(answer)
        return [(kind, tuple(answers)) for kind, answers in found.values()]

    def brief(self, session_id: str) -> Brief:
        """The brief that the events add up to."""
        return Brief().with_answers(answer for _, kind, answer in self.events(session_id) if kind != "skip")

    def skipped(self, session_id: str) -> frozenset[str]:
        """Fields that were skipped and not answered since."""
        last = {answer.field: kind for _, kind, answer in self.events(session_id)}
        return frozenset(field for field, kind in last.items() if kind == "skip")

    # Sizings

    def save_sizing(self, session_id: str, brief: Brief, sizing: Sizing) -> None:
        """Keep a sizing with the brief and the versions that it is a function of."""
        with self._transaction() as db:
            db.table("sizings").insert(
                {
                    "session_id": session_id,
                    "at": self._now(),
                    "brief": brief.model_dump_json(exclude_none=True),
                    "catalogue_version": sizing.catalogue_version,
                    "rules_version": sizing.rules_version,
                    "result": sizing.model_dump_json(),
                }
            )

    def last_sizing(self, session_id: str) -> Sizing | None:
        """The newest saved sizing; None where there is none, or where this version cannot read it.

        Nothing is lost by that: a sizing follows from the answers, and a ``Session`` works it out again.
        """
        rows = self._rows("select result from sizings where session_id = ? order by id desc limit 1", session_id)
        try:
            return Sizing.model_validate_json(rows[0]["result"]) if rows else None
        except ValidationError:
            return None

    # Checklist

    def mark(
        self,
        session_id: str,
        item: str,
        done: bool,
        by: str | None = None,
        evidence: str | None = None,
        owner: str | None = None,
    ) -> None:
        """Append what happened to a checklist item."""
        with self._transaction() as db:
            db.table("checklist_events").insert(
                {
                    "session_id": session_id,
                    "at": self._now(),
                    "item": item,
                    "done": int(done),
                    "by": by,
                    "evidence": evidence,
                    "owner": owner,
                }
            )
            db.table("sessions").update(session_id, {"updated_at": self._now()})

    def checklist(self, session_id: str) -> Mapping[str, ItemState]:
        """The state of every item that something happened to; a later event overrides what it names."""
        states: dict[str, ItemState] = {}
        rows = self._rows("select * from checklist_events where session_id = ? order by id", session_id)
        for row in rows:
            before = states.get(row["item"], ItemState())
            states[row["item"]] = ItemState(
                done=bool(row["done"]),
                by=row["by"] or before.by,
                evidence=row["evidence"] or before.evidence,
                owner=row["owner"] or before.owner,
                at=row["at"],
            )
        return states

    def change_mark(self) -> tuple[int, int, int]:
        """A value that changes whenever any program has written: for a face that must notice."""
        self._refuse_gone()
        row = self._rows(
            "select (select count(*) from answers) a, (select count(*) from checklist_events) c, "
            "(select count(*) from sizings) s"
        )[0]
        return int(row["a"]), int(row["c"]), int(row["s"])

    def check(self) -> None:
        """Whether it can be written now. Raises StoreError where not; nothing is changed."""
        with self._transaction() as db:
            db.execute("update sessions set label = label where 0")

    def backup(self, target: Path) -> None:
        """A consistent copy of the whole database. Raises BadInput where the target exists."""
        if target.exists():
            raise BadInput("TO", str(target), "the file exists; name one that does not")
        with self._explained():
            part = target.with_name(target.name + ".part")
            os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            with sqlite3.connect(part) as copy:
                self.db.conn.backup(copy)
            copy.close()
            part.rename(target)


def as_json(answer: Answer) -> dict[str, Any]:
    """An answer as a JSON object without its empty fields."""
    data: dict[str, Any] = json.loads(answer.model_dump_json(exclude_none=True))
    return data
