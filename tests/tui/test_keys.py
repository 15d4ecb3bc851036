"""Keys: ids, words and help of every binding, none that terminals take, and the settings file that changes them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tui.app import SizewrightApp
from tui.keys import FORBIDDEN, REGISTERED, read_settings
from tui.messages import has
from tui.registry import available
from tui.screens.session.interview import InterviewScreen
from tui.screens.session.review import ReviewScreen

Drive = Callable[..., SizewrightApp]


@pytest.fixture(autouse=True)
def all_screens() -> None:
    """Every screen's module, so that every binding is registered."""
    for entry in available().values():
        entry.load()
    import tui.widgets.dialogs  # noqa: F401


def test_no_default_key_is_one_that_terminals_take() -> None:
    for binding_id, binding in REGISTERED.items():
        assert not FORBIDDEN & {k.strip() for k in binding.key.split(",")}, binding_id


def test_every_binding_works_without_function_keys() -> None:
    for binding_id, binding in REGISTERED.items():
        keys = [k.strip() for k in binding.key.split(",")]
        reachable = any(not (k.startswith("f") and k[1:].isdigit()) for k in keys)
        assert reachable or has(f"help.{binding_id}"), f"{binding_id}: neither a plain key nor in the palette"


def test_every_binding_has_words_in_both_languages_and_help_in_the_palette() -> None:
    for binding_id in REGISTERED:
        assert has(f"key.{binding_id}"), binding_id
        assert has(f"help.{binding_id}") or binding_id.startswith("dialog."), binding_id


def test_every_screen_has_a_title_help_and_a_letter_of_its_own() -> None:
    entries = available()
    for name in entries:
        assert has(f"screen.{name}"), name
        assert has(f"help.screen.{name}"), name
    letters = [entry.letter for entry in entries.values()]
    assert len(set(letters)) == len(letters)


def test_a_settings_file_changes_keys_and_theme(drive: Drive, sample: str, settle: Any, tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('theme = "light"\n[keys]\n"home.open" = "f8,z"\n"app.review" = "f9"\n', encoding="utf-8")

    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        assert app.theme == "light"
        await pilot.press("z")
        await settle(pilot)
        assert isinstance(app.screen, InterviewScreen)
        await pilot.press("f9")
        await settle(pilot)
        assert isinstance(app.screen, ReviewScreen)

    drive(script, settings=read_settings(path))


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("theme = [", "config.toml"),
        ("colour = 1", "colour"),
        ("theme = 3", "theme"),
        ("keys = 3", "keys"),
        ('[keys]\n"home.open" = 3', "home.open"),
        ("mouse = 'no'", "mouse"),
    ],
)
def test_a_settings_file_that_is_wrong_is_named_and_does_not_stop_the_app(
    tmp_path: Path, content: str, named: str
) -> None:
    path = tmp_path / "config.toml"
    path.write_text(content, encoding="utf-8")
    settings = read_settings(path)
    assert len(settings.problems) == 1
    assert named in settings.problems[0]
    assert settings.theme is None
    assert settings.mouse


def test_an_unknown_theme_and_an_unknown_id_become_notices(drive: Drive, settle: Any, tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('theme = "pink"\n[keys]\n"home.fly" = "z"\n', encoding="utf-8")

    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        said = " ".join(str(notice.message) for notice in app._notifications)
        assert "pink" in said
        assert "home.fly" in said
        assert app.theme == "dark"

    drive(script, settings=read_settings(path))


def test_the_manual_lists_every_binding_with_its_keys() -> None:
    manual = (Path(__file__).parents[2] / "docs" / "app.md").read_text(encoding="utf-8")
    for binding_id, binding in REGISTERED.items():
        keys = ", ".join(f"`{k.strip()}`" for k in binding.key.split(","))
        assert f"| `{binding_id}` | {keys} |" in manual, binding_id
