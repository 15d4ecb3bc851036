"""Plans side by side."""

from __future__ import annotations

from assistant.result import Sizing
from tui.views.lines import Row
from tui.views.plans import Cell, cell_lines, plan_rows


def by_key(sizing: Sizing) -> dict[str, Row]:
    return {row.key: row for row in plan_rows(sizing, "en") if row.key}


def test_each_plan_has_its_column(sizing: Sizing) -> None:
    rows = by_key(sizing)
    assert rows["gpus"].cells == ("GPUs", "8", "16", "32")
    assert rows["fits"].cells == ("fits", "no", "yes", "yes")
    assert rows["binding"].cells[1:] == ("memory", "spare", "spare")
    assert rows["capacity_after_one_failure"].cells[1:] == ("0%", "50%", "100%")
    # DGX H100 at 10.2 kW: 1, 2 and 4 of them
    assert rows["facility.nominal_it_kw"].cells[1:] == ("10.2 kW", "20.4 kW", "40.8 kW")
    assert rows["servers.dgx-h100.gpu"].cells == ("NVIDIA DGX H100 (GPU)", "1", "2", "4")
    assert rows["storage.capacity_tb.node_nvme"].cells == ("capacity, NVMe in servers", "1.5 TB", "1.5 TB", "1.5 TB")


def test_plans_are_told_in_german(sizing: Sizing) -> None:
    rows = {row.key: row for row in plan_rows(sizing, "de") if row.key}
    assert rows["binding"].cells[2:] == ("Reserve für einen Ausfall", "Reserve für einen Ausfall")
    assert rows["facility.nominal_it_kw"].cells[1:] == ("10,2 kW", "20,4 kW", "40,8 kW")
    assert rows["storage.capacity_tb.node_nvme"].cells[0] == "Kapazität, NVMe in Servern"


def test_sections_come_in_order_and_empty_ones_not_at_all(sizing: Sizing) -> None:
    heads = [row.cells[0] for row in plan_rows(sizing, "en") if row.heading]
    assert heads == ["Result", "Servers", "Network", "Storage", "Facility", "Bill of materials"]  # no cost given


def test_a_figure_unknown_in_all_plans_has_no_row(sizing: Sizing) -> None:
    assert "facility.coolant_l_per_min" not in by_key(sizing)


def test_bills_stand_side_by_side_and_a_line_that_a_plan_lacks_is_a_dash(sizing: Sizing) -> None:
    bill = {row.cells[0]: row.cells[1:] for key, row in by_key(sizing).items() if key.startswith("bill.")}
    assert bill == {
        "dgx-h100": ("1", "2", "4"),
        "  h100-sxm-80gb": ("8", "16", "32"),
        "rack (GPU servers)": ("1", "1", "2"),
        "rack (switches)": ("–", "–", "1"),
    }


def test_the_pane_says_what_drives_the_count(sizing: Sizing) -> None:
    lines = cell_lines(sizing, Cell("gpus", "recommended"), "en")
    assert lines[0].text == "GPUs: 16 (recommended)"
    assert [(line.label, line.text) for line in lines[1:]] == [("demanded by", "spare"), ("", "16 GPUs for the load")]


def test_a_plan_that_does_not_fit_says_why_and_what_would(sizing: Sizing) -> None:
    said = {line.label: line.text for line in cell_lines(sizing, Cell("gpus", "lean"), "en")}
    assert said["does not fit"] == "the first word comes too late"
    assert said["nearest change that fits"] == "gpus 16"


def test_other_cells_have_their_own_words(sizing: Sizing) -> None:
    def said(figure: str) -> list[str]:
        return [line.text for line in cell_lines(sizing, Cell(figure, "roomy"), "en")][1:]

    assert said("capacity_after_one_failure") == ["one node"]
    assert said("network.technology") == ["nothing spans servers"]
    assert said("facility.racks")[1:] == ["its weight is not published", "pue 1.54 (1.3 to 1.8) for air"]
    assert said("bill.1") == ["dgx-h100", "Included in the line above it; not ordered by itself."]
