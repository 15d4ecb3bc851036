"""The interview: what is typed reaches the store, what it moved is marked, and nothing typed is lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import OptionList, Static

from assistant.interview.brief import Provenance
from assistant.service import Assistant
from assistant.store import Store
from tui.app import SizewrightApp
from tui.screens.result.plans import PlansScreen
from tui.screens.session.home import HomeScreen
from tui.screens.session.interview import InterviewScreen
from tui.screens.session.review import ReviewScreen
from tui.widgets.answer_box import AnswerBox
from tui.widgets.dialogs import HelpDialog
from tui.widgets.sizing_pane import SizingPane

Drive = Callable[..., SizewrightApp]
MESSAGE = "Chatbot for 500 employees with Llama 3.1 70B on our own servers in Germany"


def text(app: SizewrightApp, name: str) -> str:
    """What one of the screen's texts shows."""
    return str(app.screen.query_one(f"#{name}", Static).render())


def pane(app: SizewrightApp) -> str:
    return str(app.screen.query_one(SizingPane).query_one(Static).render())


def asked(app: SizewrightApp) -> str | None:
    assert app.snapshot is not None
    return app.snapshot.question.id if app.snapshot.question else None


def test_a_whole_message_is_understood_with_its_words_and_sized(
    drive: Drive, db: str, settle: Any, type_text: Any, assistant: Assistant
) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("n")
        await settle(pilot)
        await type_text(pilot, MESSAGE)
        assert app.snapshot is not None
        assert app.snapshot.brief.value("users_total") == 500
        assert "500 employees" in text(app, "said")
        assert app.screen.query_one(AnswerBox).text == ""
        # Published rules for the share of users at once differ fifty times, lengths of prompts ten times.
        assert asked(app) in ("active_share", "input_tokens")
        plan = assistant.size(app.snapshot.brief).plan()  # the same as without the app
        assert f"{plan.gpus} x {plan.card}" in " ".join(pane(app).split())

    app = drive(script, size=(120, 40))
    with Store(db) as store:
        assert app.last_session is not None
        brief = store.brief(app.last_session)
    assert brief.value("country") == "DE"
    assert brief.get("users_total").text == "500 employees"


def test_an_answer_by_number_marks_what_it_moved(drive: Drive, sample: str, settle: Any, type_text: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        await settle(pilot)
        await type_text(pilot, "set users_total 50000")
        assert app.snapshot is not None
        change = app.snapshot.change
        assert change is not None
        assert "gpus" in {m.id for m in change.moved}
        shown = pane(app)
        assert "moved by users" in shown
        line = next(part for part in shown.splitlines() if "GPUs" in part)
        assert line.startswith("◆")
        assert "was 4 x" in shown

    drive(script, size=(120, 40))


def test_choices_are_numbered_and_reached_by_arrows(drive: Drive, settle: Any, type_text: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("n")
        await settle(pilot)
        await pilot.press("enter")  # nothing typed: start with the questions
        await settle(pilot)
        assert asked(app) == "workload"
        await pilot.press("down", "down", "enter")
        await settle(pilot)
        assert app.snapshot is not None
        assert app.snapshot.brief.value("workload") == "rag"  # the second choice of questions.yaml
        await type_text(pilot, "set workload chat")
        await pilot.press("ctrl+o")
        await settle(pilot)
        await type_text(pilot, "3")
        assert app.snapshot.brief.value("workload") == "coding"  # the third

    drive(script)


def test_back_skip_and_not_known(drive: Drive, db: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("n")
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        first = asked(app)
        await pilot.press("ctrl+n")
        await settle(pilot)
        assert app.snapshot is not None
        assert first in app.snapshot.passed
        second = asked(app)
        assert second != first
        await pilot.press("ctrl+t")
        await settle(pilot)
        assert app.snapshot.brief.get(str(second)).provenance is Provenance.DONT_KNOW
        await pilot.press("ctrl+o")
        await settle(pilot)
        assert asked(app) == second
        await pilot.press("ctrl+o")
        await settle(pilot)
        assert asked(app) == first

    drive(script)


def test_what_is_not_understood_stays_in_the_box(drive: Drive, sample: str, settle: Any, type_text: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        await settle(pilot)
        before = app.snapshot.brief if app.snapshot else None
        await type_text(pilot, "qwxz [/] [bold")
        assert app.snapshot is not None
        assert app.screen.query_one(AnswerBox).text == "qwxz [/] [bold"
        assert "✗" in text(app, "said")
        assert app.snapshot.brief == before

    drive(script)


def test_undo_and_redo_say_before_and_after(drive: Drive, sample: str, settle: Any, type_text: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        await settle(pilot)
        await type_text(pilot, "set users_total 800")
        assert app.snapshot is not None
        await pilot.press("ctrl+z")
        await settle(pilot)
        assert app.snapshot.brief.value("users_total") == 500
        assert "users_total: 800 users → 500 users" in text(app, "said")
        await pilot.press("ctrl+y")
        await settle(pilot)
        assert app.snapshot.brief.value("users_total") == 800

    drive(script)


def test_undo_in_typed_text_undoes_typing_only(drive: Drive, sample: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        await settle(pilot)
        await pilot.press("a", "b", "c", "ctrl+z")
        await settle(pilot)
        assert app.snapshot is not None
        assert app.snapshot.brief.value("users_total") == 500
        assert app.screen.query_one(AnswerBox).text != "abc"

    drive(script)


def test_an_edit_reopens_only_dependants_and_offers_their_old_values(
    drive: Drive, sample: str, settle: Any, type_text: Any
) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        await settle(pilot)
        await type_text(pilot, "set active_share 7 %")
        await type_text(pilot, "set users_total 800")  # active_share depends on it, by questions.yaml
        assert app.snapshot is not None
        assert app.snapshot.reopened == {"active_share"}
        assert app.snapshot.brief.value("country") == "DE"
        app.do(app.ask("active_share"))
        await settle(pilot)
        assert "7%" in text(app, "default")
        await pilot.press("enter")
        await settle(pilot)
        assert app.snapshot.brief.value("active_share") == 0.07
        assert not app.snapshot.reopened

    drive(script)


def test_resize_keeps_what_is_typed_and_the_focus(drive: Drive, sample: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        await settle(pilot)
        await pilot.press("4", "0", "space", "k")
        for size in ((120, 40), (50, 10), (80, 24)):
            await pilot.resize_terminal(*size)
            await settle(pilot)
        await pilot.press("W")
        assert app.screen.query_one(AnswerBox).text == "40 kW"

    drive(script)


def test_too_small_says_so_and_names_plain(drive: Drive, sample: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        await settle(pilot)
        await pilot.resize_terminal(50, 10)
        await settle(pilot)
        notice = app.screen.query_one(".too-small", Static)
        assert notice.display
        assert "--plain" in str(notice.render())
        assert [child for child in app.screen.children if child.display] == [notice]

    drive(script)


def test_the_sizing_is_beside_when_wide_and_by_key_when_narrow(drive: Drive, sample: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        await settle(pilot)
        side = app.screen.query_one(SizingPane)
        assert not side.display
        await pilot.press("ctrl+l")
        await settle(pilot)
        assert side.display
        await pilot.press("ctrl+l")
        await pilot.resize_terminal(120, 40)
        await settle(pilot)
        assert side.display
        assert app.screen.query_one("#left").display

    drive(script)


def test_a_screen_keeps_what_was_typed_while_another_was_open(drive: Drive, sample: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        await settle(pilot)
        await pilot.press("a", "b")
        await pilot.press("ctrl+r")
        await settle(pilot)
        assert isinstance(app.screen, ReviewScreen)
        await pilot.press("escape")
        await settle(pilot)
        assert isinstance(app.screen, InterviewScreen)
        assert app.screen.query_one(AnswerBox).text == "ab"

    drive(script)


def test_help_of_the_box_is_the_help_of_the_question(drive: Drive, sample: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        await settle(pilot)
        await pilot.press("f1")
        await settle(pilot)
        assert isinstance(app.screen, HelpDialog)
        assert "Why:" in app.screen.text.plain
        await pilot.press("escape")
        await settle(pilot)
        await pilot.press("question_mark")  # in an empty box: the keys
        await settle(pilot)
        assert isinstance(app.screen, HelpDialog)
        assert "Don't know" in app.screen.text.plain

    drive(script)


def test_a_paste_is_taken_whole(drive: Drive, sample: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        from textual import events

        await pilot.press("enter")
        await settle(pilot)
        app.screen.query_one(AnswerBox).post_message(events.Paste("first line\r\nsecond \x1b[31mline"))
        await settle(pilot)
        assert app.screen.query_one(AnswerBox).text == "first line\nsecond ␛[31mline"

    drive(script)


@pytest.mark.parametrize(("word", "screen"), [("done", PlansScreen), ("quit", HomeScreen)])
def test_done_shows_the_result_and_quit_goes_home(
    drive: Drive, sample: str, settle: Any, type_text: Any, word: str, screen: type[Screen[None]]
) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        await settle(pilot)
        await type_text(pilot, word)
        await settle(pilot)
        assert isinstance(app.screen, screen)

    drive(script)


def test_german_words_throughout(drive: Drive, settle: Any, type_text: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("n")
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert text(app, "question") == "Wofür soll es eingesetzt werden?"
        assert app.screen.query_one("#choices", OptionList).option_count == 18
        assert "bis zur ersten Auslegung" in text(app, "progress")

    drive(script, lang="de")


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (120, 40)])
def test_the_line_to_answer_in_is_in_sight_at_every_question(
    drive: Drive, settle: Any, type_text: Any, size: tuple[int, int]
) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("n")
        await settle(pilot)
        assert app.screen.region.contains_region(app.screen.query_one(AnswerBox).region)
        await pilot.press("enter")
        for _ in range(8):  # the first question has the most choices, eighteen
            await settle(pilot)
            assert app.screen.region.contains_region(app.screen.query_one(AnswerBox).region), asked(app)
            assert app.screen.query_one("#question").region.height, asked(app)
            await pilot.press("ctrl+n")

    drive(script, size=size)
