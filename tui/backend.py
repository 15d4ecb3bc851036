"""The one thread that owns the database, and the snapshots that it hands to the screens.

SQLite objects belong to the thread that made them. The screens never see a store or a session: they call ``Backend``
methods from workers and get frozen values back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

from assistant.interview.asides import Choice, choice_back
from assistant.interview.brief import Answer, Brief, Status
from assistant.interview.dialogue import Event, Interview, Output
from assistant.interview.questions import Question, question
from assistant.interview.validation import validate
from assistant.result import Sizing
from assistant.service import Assistant
from assistant.session import Change, Session
from assistant.sessions.compare import Comparison
from assistant.sessions.conversation import beside, refusal, took
from assistant.store import Store
from assistant.store_types import ItemState, SessionRow

T = TypeVar("T")

WARM_UP = "chat for 100 users"
"""A message that goes once through parser, arithmetic and rules before anyone waits for them."""


@dataclass(frozen=True)
class SessionCard:
    """A line of the home screen."""

    row: SessionRow
    gpus: int | None
    it_kw: float | None
    stated: int


@dataclass(frozen=True)
class Snapshot:
    """Everything that the screens of one session show.

    ``question`` is the one that stands to be answered, ``said`` what the interview said of the last line, ``before``
    the brief that ``change`` changed, ``earlier`` the values of fields that were stated once and are open again, of
    which ``reopened`` are those that wait to be confirmed. ``supposed`` was tried and is not an answer yet,
    ``waiting`` is the question back that comes before any other.
    """

    row: SessionRow
    brief: Brief
    completed: Brief
    passed: frozenset[str]
    sizing: Sizing | None
    question: Question | None
    checklist: Mapping[str, ItemState]
    change: Change | None = None
    said: tuple[Output, ...] = ()
    before: Brief = field(default_factory=Brief)
    earlier: Mapping[str, Answer] = field(default_factory=dict)
    reopened: frozenset[str] = frozenset()
    finished: bool = False
    result_wanted: bool = False
    supposed: tuple[Answer, ...] = ()
    waiting: Choice | None = None


class Backend:
    """Calls into the core, each on the one database thread, in the order in which they were made."""

    def __init__(self, assistant: Assistant, db: str | None) -> None:
        self.assistant = assistant
        self._db = db
        self._store: Store | None = None
        self._session: Session | None = None
        self._talk: Interview | None = None
        self._seen: tuple[object, ...] = ()
        self._reopened: frozenset[str] = frozenset()
        self._change: Change | None = None
        self._before = Brief()
        self._last: Snapshot | None = None
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
        """Read catalogue, rules and questions and size once, so that the first answer does not wait for any of it."""

        def work() -> None:
            from assistant.interview.questions import load_questions

            load_questions()
            _ = self.assistant.catalogue, self.assistant.rules

        await self.call(work)
        await self.call(lambda: self.assistant.size(Brief().with_answers(self.assistant.understand(WARM_UP))))

    async def check(self) -> None:
        """Whether the database can be written. Raises StoreError where not."""
        await self.call(lambda: self.store.check())

    # Home

    async def cards(self, deleted: bool = False) -> list[SessionCard]:
        """The saved sessions, last changed first."""
        return await self.call(lambda: [self._card(row) for row in self.store.sessions(deleted)])

    def _card(self, row: SessionRow) -> SessionCard:
        sizing = self.store.last_sizing(row.id)
        plan = sizing.plan() if sizing else None
        power = plan.facility.nominal_it_kw if plan else None
        return SessionCard(row, plan.gpus if plan else None, power, len(self.store.brief(row.id).only_stated().answers))

    async def home_mark(self) -> tuple[object, ...]:
        """A value that changes whenever the list of sessions would look different."""
        return await self.call(lambda: (*self.store.change_mark(), *self.store.sessions()))

    async def new(self, label: str, audience: str, lang: str) -> Snapshot:
        """A new session, opened; no question is asked yet, a message in one's own words may come first."""
        return await self.call(lambda: self._opened(Session.new(self.assistant, self.store, label, audience, lang)))

    async def open(self, session_id: str) -> Snapshot:
        """Open a saved session at its next question."""
        return await self.call(lambda: self._opened(Session(self.assistant, self.store, session_id)))

    def _opened(self, session: Session) -> Snapshot:
        self._session, self._reopened, self._change = session, frozenset(), None
        row = self.store.session(session.id)
        self._talk = Interview(
            self.assistant.catalogue,
            brief=session.brief,
            lang=row.lang,
            audience=row.audience,
            save=self._save,
            beside=beside(session, row.lang),
            ranking=lambda: session.ranking(row.lang),
            skipped=session.passed,
            done=list(session.done),
            undone=list(session.undone),
        )
        return self._snapshot(tuple(self._talk.start()))

    async def copy(self, session_id: str, label: str) -> str:
        """Copy a session's answers into a new one; returns its id."""
        return await self.call(lambda: self.store.copy(session_id, label))

    async def compare(self, ids: tuple[str, ...], lang: str) -> Comparison:
        """Sessions side by side, with what drives the difference."""
        from assistant.sessions.compare import compare

        return await self.call(
            lambda: compare([Session(self.assistant, self.store, one) for one in ids], self.assistant, lang)
        )

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

    @property
    def talk(self) -> Interview:
        """The interview over the open session; only from within ``call``."""
        if self._talk is None:
            raise RuntimeError("no session is open")
        return self._talk

    def _save(self, event: Event) -> str | None:
        """What the interview gives to be saved, as a step of the session; why it was refused, if it was."""
        if event.kind == "skip":
            for answer in event.answers:
                self.session.skip(answer.field)
            return None
        self._step(lambda: took(self.session, event))
        if (problem := refusal(self._change)) is not None:
            self._change = None
            return problem
        given = {answer.field for answer in event.answers if answer.status is not Status.OPEN}
        cleared = {answer.field for answer in event.answers if answer.status is Status.OPEN}
        self._reopened = (self._reopened | cleared if given else self._reopened) - given
        return None

    def _step(self, work: Callable[[], Change | None]) -> None:
        self._before = self.session.brief
        self._change = work()

    def _snapshot(self, said: tuple[Output, ...] = ()) -> Snapshot:
        session, talk = self.session, self.talk
        row = self.store.session(session.id)
        self._seen = self._mark(row)
        change, self._change = self._change, None
        finished, talk.finished = talk.finished, False  # a word that ends the interview ends it once
        self._last = Snapshot(
            row=row,
            brief=session.brief,
            completed=self.assistant.complete(session.brief),
            passed=session.passed,
            sizing=session.sizing,
            question=question(talk.current) if talk.current else None,
            checklist=self.store.checklist(session.id),
            change=change,
            said=tuple(output for output in said if output.kind != "question"),
            before=self._before if change else session.brief,
            earlier=self._earlier(),
            reopened=self._reopened,
            finished=finished,
            supposed=talk.supposed,
            waiting=choice_back(talk),
            result_wanted=finished and talk.result_wanted and session.sizing is not None,
        )
        return self._last

    def _mark(self, row: SessionRow) -> tuple[object, ...]:
        return (*self.store.change_mark(), row)

    def _earlier(self) -> dict[str, Answer]:
        """The last stated answer of every field that is not stated now."""
        last = {
            a.field: a for _, _, a in self.store.events(self.session.id) if a.status is Status.STATED and not a.group
        }
        return {name: answer for name, answer in last.items() if not self.session.brief.stated(name)}

    def _sync(self) -> None:
        """Before anything is written: what other programs wrote, so that none of it is overwritten or forgotten."""
        session = self.session
        if self._mark(self.store.session(session.id)) == self._seen:
            return
        session.reload()
        self._agree()

    def _agree(self) -> None:
        """Let the interview know what the session knows."""
        self.talk.brief, self.talk.skipped = self.session.brief, self.session.skipped
        self.talk.done, self.talk.undone = list(self.session.done), list(self.session.undone)

    async def _do(self, work: Callable[[], tuple[Output, ...]]) -> Snapshot:
        """One step on the database thread."""

        def step() -> Snapshot:
            self._sync()
            return self._snapshot(work())

        return await self.call(step)

    async def snapshot(self) -> Snapshot:
        """The open session as it stands."""
        return await self._do(lambda: ())

    async def say(self, line: str) -> Snapshot:
        """One line of the user: an answer to the question asked, a message, or a word such as back, skip, help."""
        return await self._do(lambda: tuple(self.talk.say(line)))

    async def ask(self, name: str) -> Snapshot:
        """Make a field's question the one that stands to be answered."""
        return await self._do(lambda: tuple(self.talk.ask(name)))

    async def answer(self, answers: list[Answer]) -> Snapshot:
        """Take answers as they are, saved before anything else; the interview goes on from there."""
        return await self._do(lambda: self._after(lambda: self.session.answer(answers)))

    async def answer_in_words(self, name: str, words: str) -> Snapshot:
        """Answer a field, also one of a group (``developers.users_total``), in one's own words. Raises BadInput."""

        def work() -> tuple[Output, ...]:
            answer = validate(name, words, self.assistant.catalogue)
            return tuple(self.talk.take([answer], [self.talk.echo(answer)]))

        return await self._do(work)

    async def clear(self, name: str) -> Snapshot:
        """Take back what was said of a field, for all or (``developers.users_total``) of one group."""
        group, _, field = name.rpartition(".")
        gone = Answer(field=field, group=group or None, status=Status.OPEN)
        return await self._do(lambda: self._after(lambda: self.session.answer([gone])))

    async def dont_know(self, name: str) -> Snapshot:
        """Record that the user does not know; our assumption stands, marked."""
        return await self._do(lambda: self._after(lambda: self.session.dont_know(name)))

    async def undo(self) -> Snapshot:
        """Undo the last step; no change where there is none."""
        return await self._do(lambda: self._after(self.session.undo, again=True))

    async def redo(self) -> Snapshot:
        """Redo what was undone last."""
        return await self._do(lambda: self._after(self.session.redo))

    def _after(self, work: Callable[[], Change | None], again: bool = False) -> tuple[Output, ...]:
        """A step taken past the interview, which then goes to its next question."""
        self._step(work)
        touched = {answer.field for answer in self._change.answers} if self._change else set()
        self._reopened -= touched
        self._agree()
        if again or touched & {self.talk.current} or self.talk.current is None:
            following = self.talk.following()
            self.talk.current = following.id if following else None
        return ()

    async def reload(self) -> Snapshot | None:
        """What another program changed in the open session, or None."""

        def work() -> Snapshot | None:
            if self._session is None or self._mark(self.store.session(self.session.id)) == self._seen:
                return None
            before = self._last
            self._sync()
            now = self._snapshot()
            return None if before is not None and _visible(now) == _visible(before) else now

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


def _visible(snapshot: Snapshot) -> tuple[object, ...]:
    """What a person would notice of a snapshot."""
    row = snapshot.row
    return snapshot.brief, snapshot.passed, snapshot.sizing, snapshot.checklist, row.label, row.deleted_at
