"""Shipped transcripts, typed into the app: the same brief and the same sizing as without it.

A third of them in each run, since a person types slowly; all with ``SIZEWRIGHT_ALL_TRANSCRIPTS=1``.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from assistant.interview.brief import Brief
from assistant.output import to_json
from assistant.result import Sizing
from assistant.service import Assistant
from assistant.sessions.replay import told
from assistant.store import Store
from assistant.transcript import Step, load_transcript, transcript_files
from tui.app import SizewrightApp
from tui.screens.session.interview import InterviewScreen
from tui.widgets.answer_box import AnswerBox

Drive = Callable[..., SizewrightApp]
FILES = {path.stem: path for path in transcript_files([])}
NAMES = sorted(FILES)[:: 1 if os.environ.get("SIZEWRIGHT_ALL_TRANSCRIPTS") else 3]


async def enter(pilot: Pilot[None], words: str) -> None:
    """Short answers key by key, messages as terminals paste them; Enter sends."""
    box = pilot.app.screen.query_one(AnswerBox)
    assert box.has_focus
    await pilot.press("ctrl+u")  # a line that was refused stays in the box
    if len(words) <= 12 and "?" not in words:  # in an empty box that key lists the keys
        await pilot.press(*("space" if char == " " else char for char in words))
    else:
        box.post_message(events.Paste(words))
    await pilot.pause()
    assert box.text == words
    await pilot.press("enter")


async def take(app: SizewrightApp, pilot: Pilot[None], settle: Any, step: Step) -> None:
    """One line of a transcript, in the interview screen."""
    if step.question is not None:
        await app.ask(step.question)  # what the map and the review do on Enter
        await settle(pilot)
    assert isinstance(app.screen, InterviewScreen)
    await enter(pilot, step.said if step.said is not None else step.say or "")
    await settle(pilot)
    if step.then is not None:
        assert app.screen.question is not None
        assert app.screen.question.id == step.then


@pytest.mark.parametrize("name", NAMES)
def test_a_transcript_ends_in_the_app_where_it_ends_without(
    drive: Drive, db: str, settle: Any, assistant: Assistant, name: str
) -> None:
    transcript = load_transcript(FILES[name])
    brief, failures = told(transcript, assistant)
    assert not failures
    seen: list[tuple[Brief, Sizing | None]] = []

    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("n")
        await settle(pilot)
        for step in transcript.lines():
            await take(app, pilot, settle, step)
        assert app.snapshot is not None
        seen.append((app.snapshot.brief, app.snapshot.sizing))

    app = drive(script, lang=transcript.lang, audience=transcript.audience)
    assert app.last_session is not None
    with Store(db) as store:
        seen.append((store.brief(app.last_session), store.last_sizing(app.last_session)))
    sizing = to_json(assistant.size(brief))
    for shown, sized in seen:  # on the screen, then as saved
        assert to_json(shown) == to_json(brief)
        assert sized is not None
        assert to_json(sized) == sizing
