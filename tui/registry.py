"""The screens by name. Each is imported when first opened, so that starting stays fast.

To add one: write ``tui/screens/ROOM/NAME.py`` with a ``BaseScreen``, add its line here, and its words ``screen.NAME``
and ``help.screen.NAME`` to a message file.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui.frame.base import BaseScreen


@dataclass(frozen=True)
class ScreenEntry:
    """A screen that can be gone to: its letter in the "go to" list and the class behind it."""

    letter: str
    module: str
    cls: str
    needs_session: bool = True

    def load(self) -> type[BaseScreen]:
        """The screen's class."""
        found: type[BaseScreen] = getattr(import_module(self.module), self.cls)
        return found

    @property
    def exists(self) -> bool:
        """Whether the module is there."""
        return find_spec(self.module) is not None


SCREENS: dict[str, ScreenEntry] = {
    "home": ScreenEntry("h", "tui.screens.session.home", "HomeScreen", needs_session=False),
    "interview": ScreenEntry("i", "tui.screens.session.interview", "InterviewScreen"),
    "review": ScreenEntry("r", "tui.screens.session.review", "ReviewScreen"),
    "map": ScreenEntry("m", "tui.screens.session.map", "MapScreen"),
    "plans": ScreenEntry("p", "tui.screens.result.plans", "PlansScreen"),
    "decisions": ScreenEntry("d", "tui.screens.result.decisions", "DecisionsScreen"),
    "obligations": ScreenEntry("o", "tui.screens.result.obligations", "ObligationsScreen"),
    "assumptions": ScreenEntry("a", "tui.screens.result.assumptions", "AssumptionsScreen"),
    "layout": ScreenEntry("l", "tui.screens.result.layout", "LayoutScreen"),
    "why": ScreenEntry("w", "tui.screens.result.why", "WhyScreen"),
    "checklist": ScreenEntry("c", "tui.screens.session.checklist", "ChecklistScreen"),
    "export": ScreenEntry("e", "tui.screens.result.export", "ExportScreen"),
    "simulate": ScreenEntry("s", "tui.screens.operations.simulate", "SimulateScreen", needs_session=False),
    "triage": ScreenEntry("t", "tui.screens.operations.triage", "TriageScreen", needs_session=False),
    "incident": ScreenEntry("f", "tui.screens.operations.incident", "IncidentScreen", needs_session=False),
    "watch": ScreenEntry("v", "tui.screens.operations.watch", "WatchScreen", needs_session=False),
    "compare": ScreenEntry("b", "tui.screens.session.compare", "CompareScreen", needs_session=False),
    "catalogue": ScreenEntry("k", "tui.screens.knowledge.catalogue", "CatalogueScreen", needs_session=False),
    "rules": ScreenEntry("u", "tui.screens.knowledge.rules", "RulesScreen", needs_session=False),
    "conflicts": ScreenEntry("n", "tui.screens.knowledge.conflicts", "ConflictsScreen", needs_session=False),
    "ask": ScreenEntry("q", "tui.screens.knowledge.ask", "AskScreen", needs_session=False),
}


def available() -> dict[str, ScreenEntry]:
    """The screens whose modules are there."""
    return {name: entry for name, entry in SCREENS.items() if entry.exists}
