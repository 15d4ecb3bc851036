"""The checklist: progress, filter, state."""

from __future__ import annotations

from assistant.result import Sizing
from assistant.store_types import ItemState
from tui.views.checklist import Filter, Progress, checklist_rows, headless, item_lines, next_phase, progress, summary
from tui.views.lines import say_in

SAY = say_in("en")
STATES = {"spares": ItemState(done=True, by="Kim", evidence="ticket 7", owner="Lee")}


def test_progress_counts_each_phase_whatever_is_shown(sizing: Sizing) -> None:
    assert progress(sizing.checklist, STATES) == (Progress("before_order", 1, 2), Progress("acceptance", 0, 1))


def test_rows_stand_below_their_phase(sizing: Sizing) -> None:
    rows = checklist_rows(sizing, STATES, Filter(), SAY)
    assert [row.cells[0] for row in rows] == ["Before the order  1/2", "[ ]", "[x]", "Acceptance  0/1", "[ ]"]
    assert rows[2].cells[2] == "Lee"  # the owner, where one is named, else the role
    assert rows[1].cells[2] == "cluster engineer"


def test_filters_by_state_phase_and_text(sizing: Sizing) -> None:
    def shown(by: Filter) -> list[str]:
        return [row.key for row in checklist_rows(sizing, STATES, by, SAY) if row.key]

    assert shown(Filter(todo=True)) == ["memory_plan", "nccl"]
    assert shown(Filter(phase="acceptance")) == ["nccl"]
    assert shown(Filter(text="ticket")) == ["spares"]  # evidence is searched too
    assert shown(Filter(phase="acceptance", text="memory")) == []


def test_phases_go_round(sizing: Sizing) -> None:
    assert next_phase(sizing.checklist, None) == "before_order"
    assert next_phase(sizing.checklist, "before_order") == "acceptance"
    assert next_phase(sizing.checklist, "acceptance") is None
    assert next_phase(sizing.checklist, "gone with another sizing") is None


def test_the_summary_says_what_is_hidden(sizing: Sizing) -> None:
    assert (
        summary(sizing, STATES, Filter("acceptance", True, "x"), SAY)
        == "1/3 done · Acceptance · only what is to do · “x”"
    )


def test_an_item_in_full(sizing: Sizing) -> None:
    said = {line.label: line.text for line in item_lines(sizing, STATES, "nccl", SAY) if line.label}
    assert said["command"] == "nccl-tests"
    assert said["expected"] == ">= 370 GB/s ± 5%"
    done = {line.label: line.text for line in item_lines(sizing, STATES, "spares", SAY) if line.label}
    assert (done["state"], done["by"], done["evidence"], done["owner"]) == ("[x] done", "Kim", "ticket 7", "Lee")


def test_the_command_does_what_the_tick_would() -> None:
    assert (
        headless("abc", "nccl", ItemState(), "Kim O'Hara")
        == """sizewright checklist abc --done nccl --by 'Kim O'"'"'Hara'"""
    )
    assert headless("abc", "nccl", ItemState(done=True)) == "sizewright checklist abc --open nccl --by NAME"
    assert headless("abc", None, ItemState()) == "sizewright checklist abc"
