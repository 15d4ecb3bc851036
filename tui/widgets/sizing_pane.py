"""The sizing beside the interview: the recommended plan's figures, what the last answer moved, and what is due."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from assistant.messages.voice import Voice
from assistant.result import Obligation, Sizing
from assistant.session import Moved, headline
from tui.messages import t
from tui.text import MUTED, clean, plain, row, stack
from tui.views.heard import missed_text, not_used_text, reply_texts
from tui.views.lines import say_in

if TYPE_CHECKING:
    from tui.backend import Snapshot

LABEL, DECISION = 13, 20
"""Widths of the labels of figures and of decisions."""
CHANGED = "◆"
FIGURES = ("fits", "gpus", "servers", "binding", "it_power", "racks", "fullest_rack")
"""The headline figures that belong to the plan, in the order of the pane."""


class SizingPane(VerticalScroll):
    """Follows the session; keeps the marks of the last change until the next one."""

    help_key = "sizing_pane"
    DEFAULT_CSS = """
    SizingPane {
        width: 42; border-left: vkey $panel; padding: 0 1; scrollbar-size-vertical: 1; scrollbar-gutter: stable;
    }
    SizingPane > Static { width: 1fr; height: auto; }
    """

    def __init__(self, lang: str) -> None:
        super().__init__(id="sizing", can_focus=True)
        self.lang = lang
        self.moved: Mapping[str, Moved] = {}
        self.by = ""
        self.sizing: Sizing | None = None
        self.problem: str | None = None

    def compose(self) -> ComposeResult:
        """One text."""
        yield Static("", markup=False)

    def show(self, snapshot: Snapshot) -> None:
        """Show a snapshot's sizing."""
        change = snapshot.change
        if change is not None:
            self.moved = {m.id: m for m in change.moved}
            self.by = ", ".join(Voice(self.lang).word("fields", a.field) for a in change.answers)
        self.sizing, self.problem = snapshot.sizing, change.problem if change is not None else None
        self._draw()

    def on_resize(self) -> None:
        """Wrap anew: the width is not known before the first layout."""
        self._draw()

    def _draw(self) -> None:
        width = max(24, (self.scrollable_content_region.width or 39) - 1)
        self.query_one(Static).update(self._text(self.sizing, self.problem, width))

    def _text(self, sizing: Sizing | None, problem: str | None, width: int) -> Content:
        if problem is not None:
            lines = [plain(t("pane.problem", self.lang), "bold"), *wrapped(problem, width)]
            return stack(lines)
        if sizing is None:
            return stack(
                [
                    plain(t("pane.title", self.lang), "bold"),
                    plain(""),
                    *wrapped(t("pane.none", self.lang), width, "dim"),
                ]
            )
        return stack(pane_lines(sizing, self.moved, self.by, width, self.lang))


def pane_lines(sizing: Sizing, moved: Mapping[str, Moved], by: str, width: int, lang: str) -> list[Content]:
    """The pane's lines: plan, decisions, duties, warnings; a changed one is marked and says what it was and why."""

    say, plan, figures = Voice(lang, "tui.pane"), sizing.plan(), headline(sizing)
    lines: list[Content] = [plain(say("title"), "bold")]
    if moved:
        said = say("moved", count=len(moved), by=by)
        lines.extend(wrapped(f"{CHANGED} {said}", width, "$accent"))
    lines.append(plain(""))
    for reply in sizing.replies:
        sign = {"yes": "✓ ", "no": "✗ ", None: ""}[reply.verdict]
        for place, text in enumerate(reply_texts(reply, say_in(lang))):
            lines.extend(wrapped((sign if not place else "") + text, width, "" if place else "bold"))
        lines.append(plain(""))
    if missed := missed_text(plan, say):
        lines.extend(wrapped(f"! {missed}", width, "bold $warning"))
    if not plan.fits:
        lines.extend(wrapped(f"! {say('no_fit')}: {say.tell(plan.why_not)}", width, "bold"))
    for name in FIGURES:
        value = say.tell(figures[name].value)
        lines.extend(_entry(say(f"figure.{name}"), value, moved.get(name), width, lang))
    if sizing.heard_not_used:
        lines += [plain(""), plain(say.word("tui.view", "not_used"), "bold")]
    for one in sizing.heard_not_used:
        lines.extend(wrapped(f"· {not_used_text(one)}", width))
    lines += [plain(""), plain(say("decisions"), "bold")]
    for decision in sizing.decisions:
        label, choice = say.word("tui.pane.decision", decision.id), say.tell(decision.said(decision.choice))
        lines.extend(_entry(label, choice, moved.get(f"decision.{decision.id}"), width, lang, DECISION))
    lines += [plain(""), plain(say("duties"), "bold"), *_duties(sizing.obligations, moved, width, lang)]
    if sizing.warnings:
        lines += [plain(""), plain(say("warnings", count=len(sizing.warnings)), "bold")]
    for warning in sizing.warnings[:3]:
        lines.extend(wrapped(f"! {say.tell(warning.text)}", width))
    return lines


def _entry(
    label: str, value: str, move: Moved | None, width: int, lang: str, label_width: int = LABEL
) -> list[Content]:
    mark = CHANGED if move else " "
    room = max(10, width - label_width - 3)
    values = textwrap.wrap(clean(value, lines=False), room, break_long_words=True) or ["–"]
    labels = textwrap.wrap(clean(label, lines=False), label_width, break_long_words=True) or [""]
    lines = []
    for n in range(max(len(values), len(labels))):
        left = labels[n] if n < len(labels) else ""
        right = values[n] if n < len(values) else ""
        sign = mark if n == 0 else " "
        lines.append(
            row(
                (f"{sign} ", "$accent"),
                (f"{left:<{label_width}} ", MUTED),
                (right, "bold" if move else ""),
            )
        )
    if move is not None and move.before is not None:
        was = t("pane.was", lang, before=move.before)
        lines.extend(
            row(" " * (label_width + 3), (part, f"italic {MUTED}")) for part in textwrap.wrap(clean(was), room)
        )
    return lines


def _duties(duties: Iterable[Obligation], moved: Mapping[str, Moved], width: int, lang: str) -> Iterable[Content]:
    """Duties that apply or are open, one a line; the others as a count."""
    rest = 0
    for duty in duties:
        if duty.applies is False and f"duty.{duty.id}" not in moved:
            rest += 1
            continue
        state = "open" if duty.applies == "open" else ("applies" if duty.applies else "not")
        sign = CHANGED if f"duty.{duty.id}" in moved else " "
        text = f"{sign} {t(f'duty.{state}', lang)}: {Voice(lang).tell(duty.title)}"
        yield from wrapped(text, width, "bold" if sign == CHANGED else "")
    if rest:
        yield plain(f"  {t('pane.duties_rest', lang, count=rest)}", MUTED)


def wrapped(text: str, width: int, style: str = "") -> list[Content]:
    """A text in lines of a width, later lines indented."""
    return [
        plain(line, style)
        for part in clean(text).split("\n")
        for line in textwrap.wrap(part, width, subsequent_indent="  ", break_long_words=True) or [""]
    ]
