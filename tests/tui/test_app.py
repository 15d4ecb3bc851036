"""The app as a whole: start, leave, failures, two apps on one database, copying, palette, hostile texts."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static

from assistant.interview.brief import Answer, Brief, Provenance
from assistant.result import Sizing
from assistant.service import Assistant
from assistant.store import Store
from knowledge.errors import SizewrightError
from tui.app import SizewrightApp, resume_command
from tui.frame.base import BaseScreen
from tui.keys import REGISTERED
from tui.registry import available
from tui.screens.session.home import HomeScreen
from tui.screens.session.interview import InterviewScreen
from tui.theme import NAMES
from tui.widgets.answer_box import AnswerBox

Drive = Callable[..., SizewrightApp]
DATA = Path(__file__).parent / "data" / "sizing.json"
ROOT = Path(__file__).parents[2]


def notices(app: SizewrightApp) -> str:
    return "\n".join(str(notice.message) for notice in app._notifications)


# Start and end


def test_ctrl_q_leaves_at_once_with_status_0_from_any_screen(drive: Drive, sample: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        await settle(pilot)
        await pilot.press("a", "ctrl+q")
        await pilot.pause()

    app = drive(script)
    assert (app.return_code or 0) == 0
    assert resume_command(app) == f"sizewright --resume {sample} --db {app.db}"


def test_resume_opens_the_session(drive: Drive, sample: str) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        assert isinstance(app.screen, InterviewScreen)
        assert app.snapshot is not None
        assert app.snapshot.row.id == sample

    drive(script, resume=sample[:4])


def test_resume_of_nothing_is_a_notice_and_home(drive: Drive, sample: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        assert isinstance(app.screen, HomeScreen)
        assert "nothere" in notices(app)

    drive(script, resume="nothere")


@pytest.mark.parametrize("stdin", [subprocess.DEVNULL, None])
def test_without_a_terminal_it_exits_2_and_names_plain(stdin: int | None, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tui.entry", "--db", str(tmp_path / "t.db")],
        stdin=stdin if stdin is not None else subprocess.PIPE,
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "--plain" in done.stderr
    assert done.stdout == ""


def test_a_database_that_cannot_be_used_is_said_on_the_screen(drive: Drive, tmp_path: Path, settle: Any) -> None:
    path = tmp_path / "not.db"
    path.write_text("this is no database, only some text that is long enough to be looked at as one" * 20)

    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        assert "not a sizewright database" in str(app.screen.query_one(".banner", Static).render())
        await pilot.press("n")
        await settle(pilot)
        assert isinstance(app.screen, HomeScreen)

    drive(script, db=str(path))


# Failures


@pytest.mark.parametrize("error", [SizewrightError("the disk [/] is full"), ZeroDivisionError("[H100]")])
def test_an_error_in_the_sizing_is_said_and_the_answer_is_saved(
    drive: Drive, sample: str, db: str, settle: Any, type_text: Any, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object, **__: object) -> Sizing:
        raise error

    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        await settle(pilot)
        monkeypatch.setattr(Assistant, "size", fail)
        await type_text(pilot, "set users_total 777")
        shown = notices(app) + str(app.screen.query_one("#said", Static).render())
        assert str(error) in shown
        assert app.screen.query_one(AnswerBox).has_focus
        await pilot.press("ctrl+r")
        await settle(pilot)

    drive(script)
    with Store(db) as store:
        assert store.brief(sample).value("users_total") == 777


# Two apps, one database


def test_two_apps_see_each_other(assistant: Assistant, sample: str, db: str, settle: Any, type_text: Any) -> None:
    async def go() -> None:
        first, second = (SizewrightApp(db=db, resume=sample, assistant=assistant) for _ in range(2))
        async with first.run_test() as one:
            await settle(one)
            async with second.run_test() as two:
                await settle(two)
                await type_text(two, "set users_total 900")
                await first.look_for_changes()
                await settle(one)
                assert first.snapshot is not None
                assert second.snapshot is not None
                assert first.snapshot.brief.value("users_total") == 900
                assert first.snapshot.sizing == second.snapshot.sizing
                await type_text(one, "set country AT")
                assert first.snapshot.brief.value("users_total") == 900
                await second.look_for_changes()
                await settle(two)
                assert second.snapshot.brief == first.snapshot.brief

    asyncio.run(go())


def test_an_answer_never_forgets_what_another_app_wrote_just_before(
    drive: Drive, sample: str, db: str, settle: Any, type_text: Any, assistant: Assistant
) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        with Store(db) as other:
            other.record(sample, [Answer(field="rack_kw", value=40, unit="kW", provenance=Provenance.USER)])
        await type_text(pilot, "set users_total 900")
        assert app.snapshot is not None
        assert app.snapshot.brief.value("rack_kw") == 40
        assert app.snapshot.sizing is not None
        assert app.snapshot.sizing.stated["rack_kw"]["value"] == 40

    drive(script, resume=sample)


def test_home_notices_a_new_session_of_another_app(drive: Drive, sample: str, db: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        with Store(db) as other:
            other.create("From elsewhere")
        await app.look_for_changes()
        await settle(pilot)
        assert isinstance(app.screen, HomeScreen)
        assert "From elsewhere" in [card.row.label for card in app.screen.cards]

    drive(script)


# Habits


def test_copy_goes_to_a_file_too(drive: Drive, sample: str, db: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        await settle(pilot)
        await pilot.press("ctrl+r")
        await settle(pilot)
        await pilot.press("y")
        await settle(pilot)
        assert "users_total\t500 users\tstated" in app.clipboard

    app = drive(script)
    written = Path(db).parent / "copied" / "review.txt"
    assert written.read_text(encoding="utf-8").rstrip("\n") == app.clipboard
    assert written.stat().st_mode & 0o077 == 0


def test_the_palette_lists_every_action_every_screen_and_every_theme(drive: Drive, sample: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        await settle(pilot)
        for name in available():
            app.go(name)
            await settle(pilot)
            commands = list(app.get_system_commands(app.screen))
            titles = {command.title for command in commands}
            for active in app.screen.active_bindings.values():
                if active.binding.id in REGISTERED and active.enabled:
                    assert active.binding.description in titles
            assert {f"Theme: {theme}" for theme in NAMES} <= titles
            assert all(command.help for command in commands), [c.title for c in commands if not c.help]
            assert sum(title.startswith("Go to: ") for title in titles) == len(available())

    drive(script)


def test_a_palette_command_does_what_its_key_does(drive: Drive, sample: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        chosen = next(c for c in app.get_system_commands(app.screen) if c.title == "New")
        chosen.callback()
        await settle(pilot)
        assert isinstance(app.screen, InterviewScreen)
        light = next(c for c in app.get_system_commands(app.screen) if c.title == "Theme: light")
        light.callback()
        assert app.theme == "light"

    drive(script)


def test_the_footer_shows_five_to_eight_keys_on_our_screens(drive: Drive, sample: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        await settle(pilot)
        for name in ("home", "interview", "review"):
            app.go(name)
            await settle(pilot)
            shown = {a.binding.action for a in app.screen.active_bindings.values() if a.binding.show}
            assert 5 <= len(shown) <= 8, (name, shown)

    drive(script)


def test_every_screen_names_its_command(drive: Drive, sample: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        await settle(pilot)
        for name in available():
            app.go(name)
            await settle(pilot)
            assert isinstance(app.screen, BaseScreen)
            assert app.screen.equivalent_command().startswith("sizewright"), name
            assert app.screen.equivalent_command() in str(app.screen.query_one(".command", Static).render())

    drive(script, size=(160, 50))


def test_no_color_shows_greys_only(drive: Drive, sample: str, settle: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        await settle(pilot)
        for strip in app.screen._compositor.render_strips():
            for segment in strip:
                for colour in (segment.style.color, segment.style.bgcolor) if segment.style else ():
                    if colour is not None and colour.triplet is not None:
                        assert len(set(colour.triplet)) == 1, (segment.text, colour.triplet)

    drive(script, size=(120, 40))
    assert "NO_COLOR" not in os.environ or os.environ["NO_COLOR"] == "1"


# Hostile texts


def poisoned(node: Any, texts: list[str], keep: frozenset[str], name: str = "") -> Any:
    """A document with every free text in it replaced, one hostile text after the other."""
    if isinstance(node, dict):
        return {k: poisoned(v, texts, keep, k) for k, v in node.items()}
    if isinstance(node, list):
        return [poisoned(one, texts, keep, name) for one in node]
    if isinstance(node, str) and name not in keep:
        texts.append(texts.pop(0))
        return texts[0]
    return node


@pytest.mark.long
@pytest.mark.parametrize("size", [(80, 24)])
def test_hostile_texts_are_shown_as_text_on_every_screen(
    drive: Drive, sample: str, db: str, settle: Any, hostile: tuple[str, ...], size: tuple[int, int]
) -> None:
    keep = frozenset({"name", "applies", "role", "severity", "phase", "op"})
    data = poisoned(json.loads(DATA.read_text(encoding="utf-8")), list(hostile), keep)
    with Store(db) as store:
        for label in hostile:
            store.create(label)
        brief = store.brief(sample)
        words = [Answer(field="notes", value=text, text=text) for text in hostile]
        store.record(sample, words)
        answers = [a.model_copy(update={"text": hostile[n % 8]}) for n, a in enumerate(brief.answers.values())]
        store.record(sample, answers)
        store.rename(sample, hostile[0])
        store.save_sizing(sample, Brief(), Sizing.model_validate(data))

    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        for name in available():
            app.go(name)
            await settle(pilot)
            for keys in (("down",) * 3, ("end", "up"), ("f1", "escape"), ("question_mark", "escape")):
                await pilot.press(*keys)
            await settle(pilot)
            drawn = "".join(strip.text for strip in app.screen._compositor.render_strips())
            assert not {"\x1b", "\x07", "\x08", "\x00", "\u202e"} & set(drawn), name
            app.go(name)
            await settle(pilot)
        assert "Internal error" not in notices(app)

    drive(script, size=size, resume=sample)


def test_hostile_texts_may_be_typed_into_the_interview_and_the_label(
    drive: Drive, db: str, settle: Any, type_text: Any, hostile: tuple[str, ...]
) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("n")
        await settle(pilot)
        for text in hostile:
            await type_text(pilot, text)
            assert isinstance(app.screen, InterviewScreen)
        await pilot.press("escape")
        await settle(pilot)
        for text in hostile:
            await pilot.press("r")
            await settle(pilot)
            app.screen.query_one(Input).value = text
            await pilot.press("enter")
            await settle(pilot)
        assert "Internal error" not in notices(app)

    drive(script)
    with Store(db) as store:
        assert store.sessions()[0].label == hostile[-1].strip()
