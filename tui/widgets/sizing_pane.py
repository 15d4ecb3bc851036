"""The sizing beside the interview: the recommended plan's figures, what the last answer moved, and what is due."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from assistant.export.document import number, quantity
from assistant.interview.wording import word
from assistant.result import Obligation, Sizing
from assistant.session import Moved
from assistant.sessions.conversation import value_text
from tui.messages import t
from tui.text import MUTED, clean, plain, row, stack

if TYPE_CHECKING:
    from tui.backend import Snapshot

LABEL, DECISION = 13, 20
"""Widths of the labels of figures and of decisions."""
CHANGED = "◆"
FIGURES = ("fits", "GPUs", "servers", "demanded by", "IT power", "racks", "fullest rack")
"""The headline figures of ``assistant.session.headline`` that belong to the plan, in its order and by its names."""


class SizingPane(VerticalScroll):
    """Follows the session; keeps the marks of the last change until the next one."""

    help_key = "sizing_pane"
    DEFAULT_CSS = """
    SizingPane { width: 42; border-left: vkey $panel; padding: 0 1; scrollbar-size-vertical: 1; }
    SizingPane > Static { width: 1fr; height: auto; }
    """

    def __init__(self, lang: str) -> None:
        super().__init__(id="sizing", can_focus=True)
        self.lang = lang
        self.moved: Mapping[str, Moved] = {}
        self.by = ""

    def compose(self) -> ComposeResult:
        """One text."""
        yield Static("", markup=False)

    def show(self, snapshot: Snapshot) -> None:
        """Show a snapshot's sizing."""
        change = snapshot.change
        if change is not None:
            self.moved = {m.what: m for m in change.moved}
            self.by = ", ".join(a.field for a in change.answers)
        problem = change.problem if change is not None else None
        width = max(24, (self.size.width or 42) - 3)
        self.query_one(Static).update(self._text(snapshot.sizing, problem, width))

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

    def entry(key: str, label: str, value: str) -> list[Content]:
        return _entry(label, value, moved.get(key), width, lang)

    plan = sizing.plan()
    head = t("pane.title", lang)
    lines: list[Content] = [plain(head, "bold")]
    if moved:
        said = t("pane.moved", lang, count=len(moved), by=by)
        lines.extend(wrapped(f"{CHANGED} {said}", width, "$accent"))
    lines.append(plain(""))
    figures = _figures(sizing)
    if not plan.fits:
        lines.extend(wrapped(f"! {t('pane.no_fit', lang)}: {plan.why_not or ''}", width, "bold"))
    for name in FIGURES:
        lines.extend(entry(name, t(f"pane.figure.{name}", lang), value_text(figures[name], lang)))
    lines += [plain(""), plain(t("pane.decisions", lang), "bold")]
    for decision in sizing.decisions:
        short = decision.id.replace("_", " ") if lang == "en" else word(decision.title, lang)
        choice = decision.choice.replace("_", " ") if lang == "en" else value_text(decision.choice, lang)
        lines.extend(_entry(short, choice, moved.get(decision.title), width, lang, DECISION))
    lines += [plain(""), plain(t("pane.duties", lang), "bold"), *_duties(sizing.obligations, moved, width, lang)]
    if sizing.warnings:
        lines += [plain(""), plain(t("pane.warnings", lang, count=len(sizing.warnings)), "bold")]
    for warning in sizing.warnings[:3]:
        lines.extend(wrapped(f"! {warning.text}", width))
    return lines


def _figures(sizing: Sizing) -> dict[str, str]:
    plan = sizing.plan()
    return {
        "fits": number(plan.fits),
        "GPUs": f"{plan.gpus:,} x {plan.accelerator}",
        "servers": "; ".join(f"{s.count} x {s.name}" for s in plan.servers if s.role == "gpu"),
        "demanded by": plan.binding,
        "IT power": quantity(plan.facility.get("nominal_it_kw"), "kW"),
        "racks": number(plan.facility.get("racks")),
        "fullest rack": quantity(plan.facility.get("rack_kw"), "kW"),
    }


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
    if move is not None and move.before not in ("", "–"):
        was = t("pane.was", lang, before=value_text(move.before, lang))
        lines.extend(
            row(" " * (label_width + 3), (part, f"italic {MUTED}")) for part in textwrap.wrap(clean(was), room)
        )
    return lines


def _duties(duties: Iterable[Obligation], moved: Mapping[str, Moved], width: int, lang: str) -> Iterable[Content]:
    """Duties that apply or are open, one a line; the others as a count."""
    rest = 0
    for duty in duties:
        if duty.applies is False and duty.title not in moved:
            rest += 1
            continue
        state = "open" if duty.applies == "open" else ("applies" if duty.applies else "not")
        sign = CHANGED if duty.title in moved else " "
        text = f"{sign} {t(f'duty.{state}', lang)}: {duty.title}"
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
