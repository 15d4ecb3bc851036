"""The one thread that owns the database, and the snapshots that it hands to the screens.

SQLite objects belong to the thread that made them. The screens never see a store or a session: they call ``Backend``
methods from workers and get frozen values back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from assistant.interview.brief import Answer, Brief
from assistant.interview.questions import Question
from assistant.result import Sizing
from assistant.service import Assistant
from assistant.session import Change, Session
from assistant.store import Store
from assistant.store_types import ItemState, SessionRow

T = TypeVar("T")


@dataclass(frozen=True)
class SessionCard:
    """A line of the home screen."""

    row: SessionRow
    gpus: int | None
    it_kw: float | None
    stated: int


@dataclass(frozen=True)
class Snapshot:
    """Everything that the screens of one session show."""

    row: SessionRow
    brief: Brief
    completed: Brief
    passed: frozenset[str]
    sizing: Sizing | None
    question: Question | None
    checklist: Mapping[str, ItemState]
    change: Change | None = None


class Backend:
    """Calls into the core, each on the one database thread, in the order in which they were made."""

    def __init__(self, assistant: Assistant, db: str | None) -> None:
        self.assistant = assistant
        self._db = db
        self._store: Store | None = None
        self._session: Session | None = None
        self._seen: tuple[int, int, int] | None = None
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="store")

    async def call(self, work: Callable[[], T]) -> T:
        """Run ``work`` on the database thread. Errors of the core come through as they are."""
        return await asyncio.wrap_future(self._pool.submit(work))

    @property
    def store(self) -> Store:
        """The store; only from within ``call``."""
        if self._store is None:
            self._store = Store(self._db)
        return self._store

    @property
    def session(self) -> Session:
        """The open session; only from within ``call``."""
        if self._session is None:
            raise RuntimeError("no session is open")
        return self._session

    def close(self) -> None:
        """Finish what was handed over, then close the database."""
        self._pool.submit(self._close).result()
        self._pool.shutdown()

    def _close(self) -> None:
        if self._store is not None:
            self._store.close()

    async def warm_up(self) -> None:
        """Read catalogue, rules and questions, so that the first answer does not wait for them."""

        def work() -> None:
            from assistant.interview.questions import load_questions

            load_questions()
            _ = self.assistant.catalogue, self.assistant.rules

        await self.call(work)

    # Home

    async def cards(self, deleted: bool = False) -> list[SessionCard]:
        """The saved sessions, last changed first."""
        return await self.call(lambda: [self._card(row) for row in self.store.sessions(deleted)])

    def _card(self, row: SessionRow) -> SessionCard:
        sizing = self.store.last_sizing(row.id)
        plan = sizing.plan() if sizing else None
        power = plan.facility.get("nominal_it_kw") if plan else None
        return SessionCard(row, plan.gpus if plan else None, power, len(self.store.brief(row.id).only_stated().answers))

    async def new(self, label: str, audience: str, lang: str) -> Snapshot:
        """A new session, opened."""

        def work() -> Snapshot:
            self._session = Session.new(self.assistant, self.store, label, audience, lang)
            return self._snapshot()

        return await self.call(work)

    async def open(self, session_id: str) -> Snapshot:
        """Open a saved session."""

        def work() -> Snapshot:
            self._session = Session(self.assistant, self.store, session_id)
            return self._snapshot()

        return await self.call(work)

    async def copy(self, session_id: str, label: str) -> str:
        """Copy a session's answers into a new one; returns its id."""
        return await self.call(lambda: self.store.copy(session_id, label))

    async def rename(self, session_id: str, label: str) -> None:
        """Give a session another label."""
        await self.call(lambda: self.store.rename(session_id, label))

    async def delete(self, session_id: str) -> None:
        """Hide a session; ``restore`` brings it back."""
        await self.call(lambda: self.store.delete(session_id))

    async def restore(self, session_id: str) -> None:
        """Undo ``delete``."""
        await self.call(lambda: self.store.restore(session_id))

    # The open session

    def _snapshot(self, change: Change | None = None) -> Snapshot:
        session = self.session
        self._seen = self.store.change_mark()
        return Snapshot(
            row=self.store.session(session.id),
            brief=session.brief,
            completed=self.assistant.complete(session.brief),
            passed=session.passed,
            sizing=session.sizing,
            question=self.assistant.next_question(session.brief, session.passed),
            checklist=self.store.checklist(session.id),
            change=change,
        )

    async def snapshot(self) -> Snapshot:
        """The open session as it stands."""
        return await self.call(self._snapshot)

    async def answer(self, answers: list[Answer]) -> Snapshot:
        """Take answers, saved before anything else."""
        return await self.call(lambda: self._snapshot(self.session.answer(answers)))

    async def say(self, text: str) -> Snapshot:
        """Take a message in the user's own words; a change without answers means that nothing was understood."""

        def work() -> Snapshot:
            return self._snapshot(self.session.answer(self.assistant.understand(text)))

        return await self.call(work)

    async def dont_know(self, field: str) -> Snapshot:
        """Record that the user does not know."""
        return await self.call(lambda: self._snapshot(self.session.dont_know(field)))

    async def clear(self, field: str) -> Snapshot:
        """Take back what was said of a field."""
        return await self.call(lambda: self._snapshot(self.session.clear(field)))

    async def skip(self, field: str) -> Snapshot:
        """Ask it no more for now."""

        def work() -> Snapshot:
            self.session.skip(field)
            return self._snapshot()

        return await self.call(work)

    async def undo(self) -> Snapshot:
        """Undo the last step; no change where there is none."""
        return await self.call(lambda: self._snapshot(self.session.undo()))

    async def redo(self) -> Snapshot:
        """Redo what was undone last."""
        return await self.call(lambda: self._snapshot(self.session.redo()))

    async def reload(self) -> Snapshot | None:
        """What another program changed, or None."""

        def work() -> Snapshot | None:
            if self._session is None or self.store.change_mark() == self._seen:
                return None
            self._session.reload()
            return self._snapshot()

        return await self.call(work)

    async def mark(
        self, item: str, done: bool, by: str | None = None, evidence: str | None = None, owner: str | None = None
    ) -> Snapshot:
        """Tick, untick or assign a checklist item."""

        def work() -> Snapshot:
            self.store.mark(self.session.id, item, done, by, evidence, owner)
            return self._snapshot()

        return await self.call(work)

    async def explained(self) -> Sizing:
        """The open session's sizing with formula, inputs and sources of each figure."""
        return await self.call(lambda: self.assistant.size(self.session.brief, why=True))
