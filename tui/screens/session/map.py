"""The map: all fields by section, so that it can be seen where the interview has been and where it is going."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Static, Tree

from tui.fields import FieldRow, State, by_section, progress, rows
from tui.frame.base import BaseScreen
from tui.keys import key
from tui.text import cell, plain

if TYPE_CHECKING:
    from rich.text import Text

    from tui.backend import Snapshot


class MapScreen(BaseScreen):
    """A tree of sections and fields."""

    name_id = "map"

    BINDINGS: ClassVar[list[BindingType]] = [
        key("map.edit", "enter,e", "edit"),
        key("map.all", "n", "all"),
    ]
    CSS = """
    MapScreen #counts { height: 1; padding: 0 2; color: $text-muted; }
    MapScreen Tree { height: 1fr; margin: 0 1; background: $background; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.everything = False

    def body(self) -> ComposeResult:
        """Counts and tree."""
        yield Static("", id="counts", markup=False)
        tree: Tree[str] = Tree("", id="tree")
        tree.show_root = False
        tree.guide_depth = 2
        tree.help_key = "map.tree"  # type: ignore[attr-defined]
        yield tree

    @property
    def tree_of_fields(self) -> Tree[str]:
        """The tree; a leaf's data is its field."""
        found: Tree[str] = self.query_one("#tree", Tree)
        return found

    def on_mount(self) -> None:
        """Keys go to the tree."""
        super().on_mount()
        self.tree_of_fields.focus()
        self.catch_up()

    def show(self, snapshot: Snapshot) -> None:
        """Fill the tree; the cursor stays on its line."""
        tree = self.tree_of_fields
        at = tree.cursor_line
        tree.clear()
        kept = tuple(r for r in rows(snapshot, self.lang) if self.everything or r.state is not State.NEEDLESS)
        asked = snapshot.question.id if snapshot.question else ""
        for title, inside in by_section(kept, self.lang):
            settled = sum(r.state is State.STATED for r in inside)
            node = tree.root.add(cell(f"{title}   {settled}/{len(inside)}", "bold"), expand=True)
            for one in inside:
                node.add_leaf(self._label(one, asked), data=one.question.id)
        now = progress(snapshot)
        counts = self.t("interview.counts", stated=now.stated, assumed=now.assumed, open=now.open)
        self.query_one("#counts", Static).update(plain(counts))
        tree.cursor_line = max(0, at)

    def _label(self, one: FieldRow, asked: str) -> Text:
        here = "  ←" if one.question.id == asked else ""
        state = self.t(f"state.{one.state}")
        text = f"{one.mark} {one.question.id:<26} {state:<12} {one.value if one.value != '–' else ''}{here}"
        dim = one.state in (State.ASSUMED, State.NEEDLESS)
        return cell(text, "dim" if dim else "", max(40, self.size.width - 10))

    def equivalent_command(self) -> str:
        """The session's answers."""
        return f"sizewright sessions show {self.snapshot.row.id}" if self.snapshot else "sizewright sessions list"

    def copy_text(self) -> str:
        """The fields as text."""
        listed = rows(self.snapshot, self.lang) if self.snapshot else ()
        return "\n".join(f"{r.mark} {r.question.id}\t{r.state}\t{r.value}" for r in listed)

    def on_tree_node_selected(self, event: Tree.NodeSelected[str]) -> None:
        """Enter or a click on a field."""
        if event.node.data:
            self.do(self.desk.ask(event.node.data, back_to="map"))

    def action_edit(self) -> None:
        """Ask the field under the cursor."""
        node = self.tree_of_fields.cursor_node
        if node is not None and node.data:
            self.do(self.desk.ask(node.data, back_to="map"))

    def action_all(self) -> None:
        """Also what is not needed; and back."""
        self.everything = not self.everything
        if self.snapshot:
            self.show(self.snapshot)
