"""Why: from a figure down to its formula, inputs, assumptions and sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.style import Style
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Static, Tree
from textual.widgets.tree import TreeNode

from tui.frame.base import BaseScreen
from tui.frame.parts import Pane
from tui.keys import key
from tui.text import clean, line
from tui.views.lines import Line, say_in
from tui.views.plans import Cell, plan_rows
from tui.views.why import Node, figure_of, why_tree

if TYPE_CHECKING:
    from assistant.result import Sizing
    from tui.backend import Snapshot


class WhyScreen(BaseScreen):
    """A tree of figures; the pane below has the whole text of the line under the cursor."""

    name_id = "why"
    BINDINGS: ClassVar[list[BindingType]] = [
        key("why.open_all", "o", "open_all"),
        key("why.close_all", "z", "close_all"),
        key("why.plans", "p", "plans"),
    ]

    DEFAULT_CSS = """
    WhyScreen #about { height: auto; padding: 0 1; color: $text-muted; }
    WhyScreen WhyTree { height: 1fr; padding: 0 1; background: $background; scrollbar-size-vertical: 1;
        overflow-x: hidden; }
    WhyScreen #details { height: 7; }
    WhyScreen.-slim #details { height: 5; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.explained: Sizing | None = None
        self.of: Snapshot | None = None
        self.wanted: Cell | None = None

    def body(self) -> ComposeResult:
        """Tree and pane."""
        yield Static("", id="about", markup=False)
        tree: WhyTree = WhyTree(Text(""), id="why")
        tree.show_root = False
        yield tree
        yield Pane()

    @property
    def steps(self) -> WhyTree:
        """The tree."""
        return self.query_one(WhyTree)

    def on_mount(self) -> None:
        """The tree has the keys."""
        self.steps.focus()

    def show(self, snapshot: Snapshot) -> None:
        """The steps of the new sizing, computed beside the interface."""
        self.do(self._load(snapshot))

    async def _load(self, snapshot: Snapshot) -> None:
        if snapshot.sizing is None:
            self.query_one(Pane).put((Line("quiet", self.t("no_sizing")),))
            return
        self.query_one("#about", Static).update(line(self.t("loading")))
        self.explained = await self.backend.explained()
        self.of = snapshot
        if self.is_mounted:
            self._fill()

    def point_at(self, cell: Cell) -> None:
        """Unfold the figure behind a cell of the plans, now or once the steps are there."""
        self.wanted = cell
        if self.explained is not None and self.of is self.snapshot:
            self._fill()

    def _fill(self) -> None:
        if self.explained is None:
            return
        tree = self.steps
        tree.clear()
        for node in why_tree(self.explained, say_in(self.lang)):
            _add(tree.root, node)
        wanted = self.wanted
        figure = figure_of(wanted.figure, self.explained) if wanted else "gpus"
        found = next((one for one in tree.root.children if one.data and one.data.figure == figure), None)
        if found is not None:
            found.expand()
            for child in found.children:
                child.expand()
            self.call_after_refresh(self._to, found)
        self.query_one("#about", Static).update(line(self._about(wanted)))

    def _to(self, node: TreeNode[Node]) -> None:
        self.steps.move_cursor(node)
        self.steps.scroll_to(y=max(0, node.line), animate=False)

    def _versions(self) -> list[str]:
        """A note where the stored sizing is of other data than the steps, which are computed now."""
        stored, now = self.snapshot.sizing if self.snapshot else None, self.explained
        if stored is None or now is None:
            return []
        same = (stored.catalogue_version, stored.rules_version) == (now.catalogue_version, now.rules_version)
        return [] if same else [self.t("why_recomputed")]

    def _about(self, wanted: Cell | None) -> str:
        return ". ".join([*self._of(wanted), *self._versions()])

    def _of(self, wanted: Cell | None) -> list[str]:
        if wanted is None or self.explained is None:
            return [self.t("why_about")]
        row = next((r for r in plan_rows(self.explained, self.lang) if r.key == wanted.figure), None)
        if row is None:
            return [self.t("why_about")]
        names: list[str] = [plan.name for plan in self.explained.plans]
        place = names.index(wanted.plan)
        shown = f"{row.cells[0].strip()}: {row.cells[1 + place]} ({say_in(self.lang)('plan.' + wanted.plan)})"
        notes = [shown]
        if wanted.plan != "recommended":
            notes.append(self.t("why_recommended"))
        if figure_of(wanted.figure, self.explained) == "gpus" and wanted.figure not in COUNTED:
            notes.append(self.t("why_by_count"))
        return notes

    @on(Tree.NodeHighlighted)
    def _moved(self, event: Tree.NodeHighlighted[Node]) -> None:
        if event.node.data:
            self.query_one(Pane).put((Line("text", event.node.data.text),))

    def equivalent_command(self) -> str:
        """The same on the command line."""
        return "sizewright size BRIEF.yaml --why --json"

    def copy_text(self) -> str:
        """The figure under the cursor with all below it."""
        node = self.steps.cursor_node
        return "\n".join(_text(node.data)) if node is not None and node.data else self.equivalent_command()

    def action_open_all(self) -> None:
        """Unfold all below the line under the cursor."""
        if self.steps.cursor_node is not None:
            self.steps.cursor_node.expand_all()

    def action_close_all(self) -> None:
        """Fold every figure."""
        for node in self.steps.root.children:
            node.collapse_all()

    def action_plans(self) -> None:
        """Back to the plans."""
        self.desk.go("plans")


COUNTED = ("gpus", "accelerator", "binding", "fits", "capacity_after_one_failure")
"""Rows of the plans that the count of GPUs itself explains."""


class WhyTree(Tree[Node]):
    """The tree, with its own help."""

    help_key = "why_tree"

    BINDINGS: ClassVar[list[BindingType]] = [
        key("why.down", "j", "cursor_down", show=False),
        key("why.up", "k", "cursor_up", show=False),
    ]

    def render_label(self, node: TreeNode[Node], base_style: Style, style: Style) -> Text:
        """The line of a node, with an ellipsis where the tree is too narrow for it; the pane has the whole."""
        label = super().render_label(node, base_style, style)
        depth, above = 0, node.parent
        while above is not None and not above.is_root:
            depth, above = depth + 1, above.parent
        label.truncate(max(12, self.size.width - depth * self.guide_depth - 4), overflow="ellipsis")
        return label


def _add(parent: TreeNode[Node], node: Node) -> None:
    label = Text(clean(node.text, lines=False), style="bold" if node.figure else "")
    if not node.children:
        parent.add_leaf(label, node)
        return
    made = parent.add(label, node)
    for child in node.children:
        _add(made, child)


def _text(node: Node, level: int = 0) -> list[str]:
    below = [text for child in node.children for text in _text(child, level + 1)]
    return ["  " * level + node.text, *below]
