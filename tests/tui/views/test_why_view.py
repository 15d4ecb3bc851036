"""From a figure to its formula."""

from __future__ import annotations

from assistant.result import Sizing
from tui.views.lines import say_in
from tui.views.why import Node, figure_of, why_tree

SAY = say_in("en")


def texts(node: Node) -> list[str]:
    return [node.text, *(text for child in node.children for text in texts(child))]


def test_the_count_comes_first_with_what_demands_it(sizing: Sizing) -> None:
    assert texts(why_tree(sizing, SAY)[0]) == [
        "GPUs = 16 x h100-sxm-80gb",
        "demanded by: spare",
        "16 GPUs for the load",
    ]


def test_a_figure_unfolds_to_formula_inputs_and_graded_sources(sizing: Sizing) -> None:
    power = why_tree(sizing, SAY)[1]
    assert texts(power) == [
        "IT power, nominal (EU) = 20.4 kW",
        "formula nominal_it: Sum of the rated maximum.",
        "inputs",
        "max",
        "dgx-h100 = 10.2 kW",
        "Sources",
        "Act (law, read as primary text, 2023)",
        "https://law.example",
    ]


def test_an_input_that_is_a_figure_unfolds_into_it(sizing: Sizing) -> None:
    heat = texts(why_tree(sizing, SAY)[2])
    assert heat[0] == "heat = 69,600 BTU/h"
    assert "formula nominal_it: Sum of the rated maximum." in heat
    assert "pue 1.54 (1.3 to 1.8) for air" in heat  # the assumption in the facility's own words


def test_a_step_that_the_plan_does_not_show_says_so(sizing: Sizing) -> None:
    racks = why_tree(sizing, SAY)[3]  # recorded 9, the plan has 1
    assert "the plan shows 1" in texts(racks)
    assert "its weight is not published" in texts(racks)


def test_rows_of_the_plans_lead_to_their_figure(sizing: Sizing) -> None:
    assert figure_of("facility.nominal_it_kw", sizing) == "nominal_it_kw"
    assert figure_of("servers.dgx-h100.gpu", sizing) == "gpus"
    assert figure_of("binding", sizing) == "gpus"
