"""What a message asked, what of it was not used, its groups, what was only supposed: each where one looks for it.

The message of two groups is 400 developers on one model and 2,000 staff on another, with a TPOT that no card reaches.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.content import Content
from textual.pilot import Pilot
from textual.widgets import Input, Static

from assistant.interview.brief import Brief
from assistant.service import Assistant
from assistant.store import Store
from tui.app import SizewrightApp
from tui.screens.result.assumptions import AssumptionsScreen
from tui.screens.session.interview import InterviewScreen
from tui.screens.session.review import ReviewScreen
from tui.widgets.choices import Choices
from tui.widgets.dialogs import Prompt
from tui.widgets.sizing_pane import SizingPane

Drive = Callable[..., SizewrightApp]
SAID = (
    "We have 400 developers coding with Qwen2.5 Coder 32B and 2000 staff chatting with Llama 3.1 70B, on prem in "
    "Germany. Compare H100 and H200 and MI300X. TTFT 200 ms, TPOT 5 ms. Carrier pigeons: 17 of them."
)


@pytest.fixture
def groups(db: str, assistant: Assistant) -> str:
    """A saved session of that message."""
    answers = list(assistant.understand(SAID))
    with Store(db) as store:
        return store.keep("Two groups", answers, assistant.size(Brief().with_answers(answers)))


def pane(app: SizewrightApp) -> str:
    return " ".join(str(app.screen.query_one(SizingPane).query_one(Static).render()).split())


def said(app: SizewrightApp) -> str:
    return " ".join(str(app.screen.query_one("#said", Static).render()).split())


@pytest.mark.parametrize(
    ("lang", "missed", "unused", "compared"),
    [
        ("en", "! Not met: TTFT", "Heard but not used · “17”", "For the same work"),
        ("de", "! Nicht erreicht: TTFT", "Gehört, aber nicht verwendet · “17”", "Für dieselbe Arbeit"),
    ],
)
def test_replies_missed_targets_and_what_was_not_used_stand_in_the_pane_in_this_order(
    drive: Drive, groups: str, settle: Any, lang: str, missed: str, unused: str, compared: str
) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        shown = pane(app)
        places = [shown.index(text) for text in (compared, missed, unused)]
        assert places == sorted(places)
        assert "5 ms" in shown
        text = app.screen.query_one(SizingPane).query_one(Static).render()
        assert isinstance(text, Content)
        warned = {str(span.style) for span in text.spans if "!" in text.plain[span.start : span.end]}
        assert any("warning" in style for style in warned)

    drive(script, size=(120, 40), resume=groups, lang=lang)


def test_plans_begin_with_the_reply(drive: Drive, groups: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        app.go("plans")
        await settle(pilot)
        shown = str(app.screen.query_one("#replies", Static).render())
        assert shown.startswith("For the same work\n")
        assert "Not met: TTFT" in shown
        assert "Heard but not used: “17”" in shown

    drive(script, resume=groups)


def test_assumptions_begin_with_what_was_not_used_and_name_the_group(drive: Drive, groups: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        app.go("assumptions")
        await settle(pilot)
        screen = app.screen
        assert isinstance(screen, AssumptionsScreen)
        assert screen.listing.rows[0].cells[0].startswith("Heard but not used")
        assert screen.listing.rows[1].cells[0] == "“17”"
        row = next(row for row in screen.listing.rows if row.key == "developers.input_tokens")
        assert row.cells[0].startswith("developers: ")
        screen.point_at("developers.input_tokens")
        await settle(pilot)
        await pilot.press("c")
        await settle(pilot)
        assert isinstance(app.screen, Prompt)
        assert app.screen.window_title.startswith("developers: ")
        app.screen.query_one(Input).value = "9000"
        await pilot.press("enter")
        await settle(pilot)
        assert app.snapshot is not None
        group = app.snapshot.brief.group("developers")
        assert group is not None
        assert group.answers["input_tokens"].value == {"mean": 9000, "p95": 9000, "max": 9000}
        assert not app.snapshot.brief.stated("input_tokens")

    drive(script, resume=groups)


def test_review_lists_each_group_and_changes_and_clears_its_answers(drive: Drive, groups: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        app.go("review")
        await settle(pilot)
        screen = app.screen
        assert isinstance(screen, ReviewScreen)
        paths = [row.path if row else "" for row in screen.listed]
        assert "developers.users_total" in paths
        assert "staff.users_total" in paths
        screen.table.move_cursor(row=paths.index("developers.users_total"))
        await pilot.press("e")
        await settle(pilot)
        assert isinstance(app.screen, Prompt)
        app.screen.query_one(Input).value = "a lot"
        await pilot.press("enter")
        await settle(pilot)
        assert isinstance(app.screen, Prompt)  # refused, and still there to be put right
        assert app.screen.query_one(Input).value == "a lot"
        app.screen.query_one(Input).value = "300"
        await pilot.press("enter")
        await settle(pilot)
        assert app.snapshot is not None
        held = {group.name: group.answers["users_total"].value for group in app.snapshot.brief.groups}
        assert held == {"developers": 300, "staff": 2000}
        assert screen.current() is not None
        await pilot.press("x")
        await settle(pilot)
        developers = app.snapshot.brief.group("developers")
        assert developers is not None
        assert "users_total" not in developers.answers
        await pilot.press("u")
        await settle(pilot)
        again = app.snapshot.brief.group("developers")
        assert again is not None
        assert again.answers["users_total"].value == 300

    drive(script, size=(120, 40), resume=groups)


def test_what_is_supposed_is_tried_and_kept_or_forked_by_a_key(
    drive: Drive, sample: str, db: str, settle: Any, type_text: Any
) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        def keys() -> set[str]:
            bound = app.screen.active_bindings.values()
            return {one.binding.id for one in bound if one.enabled and one.binding.id}

        assert "interview.keep" not in keys()
        await type_text(pilot, "what if 2000 users")
        assert app.snapshot is not None
        assert app.snapshot.brief.value("users_total") == 500
        assert "alt+k" in str(app.screen.query_one("#default", Static).render())
        assert {"interview.keep", "interview.fork"} <= keys()
        await pilot.press("alt+f")
        await settle(pilot)
        assert app.snapshot.brief.value("users_total") == 500
        assert "interview.keep" not in keys()
        await type_text(pilot, "what if 3000 users")
        await pilot.press("alt+k")
        await settle(pilot)
        assert app.snapshot.brief.value("users_total") == 3000

    drive(script, size=(120, 40), resume=sample)
    with Store(db) as store:
        held = {row.id: store.brief(row.id).value("users_total") for row in store.sessions()}
    assert len(held) == 2
    assert held.pop(sample) == 3000
    assert list(held.values()) == [2000]


def test_a_question_back_shows_what_may_be_chosen(drive: Drive, db: str, settle: Any, type_text: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("n")
        await settle(pilot)
        await type_text(pilot, "chat with Llama 3.1 70B and Qwen2.5 72B for 300 users in Germany")
        await type_text(pilot, "now 900 users, in France, with Mistral Large 2")
        assert app.snapshot is not None
        assert isinstance(app.screen, InterviewScreen)
        waiting = app.snapshot.waiting
        assert waiting is not None
        choices = app.screen.query_one(Choices)
        assert choices.option_count == 4  # alone, in the place of either, as well
        assert "What becomes of them" in str(app.screen.query_one("#question", Static).render())
        await pilot.press("up", "enter")  # the last one
        await settle(pilot)
        assert app.snapshot.waiting is None
        assert len(app.snapshot.brief.value("models")) == 3

    drive(script, size=(120, 40))
