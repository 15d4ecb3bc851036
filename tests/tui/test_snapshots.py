"""What the screens look like, as text and as styles: at two sizes, in dark, light and monochrome.

The sizing is a stored sample, so that only the looks are held here and not the arithmetic. A difference means that a
screen looks different: look at it, then write the snapshots anew with ``pytest tests/tui --update-snapshots``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from rich.style import Style
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input

from knowledge.evidence import Grade
from rules.conflicts import Contradiction, Statement
from tui.app import SizewrightApp
from tui.registry import SCREENS

Drive = Callable[..., SizewrightApp]
FOLDER = Path(__file__).parent / "snapshots"
LOOKS = ("dark", "light", "mono")
SIZES = ((80, 24), (120, 40))
DIALOGS = {"go_to": "ctrl+g", "cheat_sheet": "question_mark", "question_help": "f1"}


def _letter(n: int) -> str:
    return chr(ord("A") + n) if n < 26 else f"{chr(ord('A') + n // 26 - 1)}{chr(ord('A') + n % 26)}"


def _styles(screen: Screen[Any]) -> Iterator[list[tuple[str, int]]]:
    """Per line the runs of one style, each with its length in cells."""
    for strip in screen._compositor.render_strips():
        cells = [(str(_plain(seg.style)), seg.cell_length) for seg in strip if seg.cell_length]
        yield [(style, sum(n for _, n in run)) for style, run in groupby(cells, key=lambda cell: cell[0])]


def _plain(style: Style | None) -> Style:
    """A style without the handlers and links that Textual hides in it."""
    return (style or Style()).clear_meta_and_links()


def picture(screen: Screen[Any]) -> tuple[str, str]:
    """What a screen shows as text, and its styles as runs of letters with their meaning."""
    text = "\n".join(strip.text.rstrip() for strip in screen._compositor.render_strips())
    names: dict[str, str] = {}
    lines = [
        " ".join(f"{names.setdefault(style, _letter(len(names)))}{n}" for style, n in runs) for runs in _styles(screen)
    ]
    meaning = "\n".join(f"{letter} = {style}" for style, letter in names.items())
    return text, "\n".join(lines) + "\n" + meaning


@pytest.fixture
def check(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare with the stored snapshot, or write it where that was asked for."""
    update = request.config.getoption("--update-snapshots", default=False)

    def compare(name: str, seen: str) -> None:
        path = FOLDER / f"{name}.txt"
        if update:
            FOLDER.mkdir(exist_ok=True)
            path.write_text(seen, encoding="utf-8")
            return
        assert path.exists(), f"no snapshot {path.name}; write it with --update-snapshots"
        assert seen == path.read_text(encoding="utf-8"), (
            f"{path.name}: looks different; see the docstring of this module"
        )

    return compare


DATA = ("catalogue", "rules")
"""Screens that list what is shipped: they look different with every entry that is added."""

NOMINAL = Statement(
    id="B-007",
    text="A GB200 NVL72 rack draws 120 kW.",
    value=120,
    unit="kW",
    grade=Grade.THIRD_PARTY,
    sources=("page",),
)
RATED = NOMINAL.model_copy(
    update={"id": "B-006", "text": "A GB200 NVL72 rack is rated at 132 kW.", "value": 132.0, "sources": ("quickspecs",)}
)
UNSURE = NOMINAL.model_copy(update={"value": None, "text": "Training loses a fifth of its speed.", "unit": None})


@pytest.fixture
def two_contradictions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two in the place of all that are shipped."""
    decided = Contradiction(
        kind="claim", about="rack power", ours=RATED, theirs=NOMINAL, side="ours", why="the maker's own figure"
    )
    undecided = Contradiction(
        kind="rule", about="schedulers", ours=UNSURE, theirs=UNSURE, side="neither", why="neither was measured"
    )
    monkeypatch.setattr("rules.conflicts.contradictions", lambda base, catalogue: [undecided, decided])


def names() -> list[str]:
    return [*(name for name, entry in SCREENS.items() if entry.exists and name not in DATA), *DIALOGS]


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_looks(
    drive: Drive,
    sample: str,
    settle: Any,
    two_contradictions: None,
    check: Callable[[str, str], None],
    size: tuple[int, int],
) -> None:
    seen: dict[str, str] = {}

    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        app.db = "sessions.db"  # the temporary folder's name must not show
        for name in names():
            app.go("interview" if name in DIALOGS else name)
            await settle(pilot)
            if name in DIALOGS:
                await pilot.press(DIALOGS[name])
                await settle(pilot)
            for line in app.screen.query(Input):
                line.cursor_blink = False  # a cursor that blinks is seen or not
            texts, styles = set(), []
            for look in LOOKS if size == SIZES[0] else LOOKS[:1]:
                app.theme = look
                await settle(pilot)
                text, style = picture(app.screen)
                texts.add(text)
                styles.append(f"--- {look}\n{style}")
            assert len(texts) == 1, f"{name}: only colours may differ between themes"
            seen[name] = "\n".join([*texts, *styles]) + "\n"
            if name in DIALOGS:
                await pilot.press("escape")
                await settle(pilot)

    drive(script, size=size, resume=sample)
    for name, shown in seen.items():
        check(f"{name}-{size[0]}x{size[1]}", shown)


def test_a_picture_holds_text_and_styles_of_a_screen(drive: Drive, sample: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        text, styles = picture(app.screen)
        assert len(text.splitlines()) == 24
        assert text.splitlines()[0].startswith(" Sizewright  ›  City library  ›  Interview")
        # Every line of styles covers all 80 columns.
        first = styles.splitlines()[0].split()
        assert sum(int("".join(c for c in run if c.isdigit())) for run in first) == 80

    drive(script, resume=sample)
