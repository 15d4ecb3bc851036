"""``sizewright sweep``: every combination in order, gone on with after an interruption, errors in their place."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from assistant.cli import main
from assistant.sweep.space import space_of
from knowledge.errors import BadInput

Captured = pytest.CaptureFixture[str]
RUN = ("sweep", "reliability", "--set", "failures_per_1000_node_days=3.79", "--vary", "nodes=64,128", "--vary")


def rows(capsys: Captured, *words: str) -> list[dict[str, Any]]:
    assert main([*words, "--workers", "1"]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_every_combination_once_the_last_field_fastest(capsys: Captured) -> None:
    found = rows(capsys, *RUN, "checkpoint_interval_min=10:30:10")
    points = [(row["point"]["nodes"], row["point"]["checkpoint_interval_min"]) for row in found]
    assert points == [("64", 10), ("64", 20), ("64", 30), ("128", 10), ("128", 20), ("128", 30)]
    assert found[3]["result"]["failures_per_day"] == pytest.approx(128 * 3.79 / 1000)


def test_the_same_as_single_requests(capsys: Captured) -> None:
    words = ("--set", "model=llama-3.1-8b", "--vary", "gpu=h100,l40s")
    swept = [row["result"] for row in rows(capsys, "sweep", "serve", *words)]
    for gpu, result in zip(("h100", "l40s"), swept, strict=True):
        assert main(["estimate", "serve", "--model", "llama-3.1-8b", "--gpu", gpu, "--json"]) == 0
        assert json.loads(capsys.readouterr().out) == result


def test_a_bad_point_is_an_error_in_its_place(capsys: Captured) -> None:
    found = rows(capsys, *RUN, "fleet=rsc1,mars,rsc2")
    assert ["error" in row for row in found] == [False, True, False] * 2
    assert found[1]["error"]["field"] == "fleet"


def test_sizes_have_the_main_figures(capsys: Captured) -> None:
    words = ("sweep", "size", "--say", "chatbot with Llama 3.1 8B", "--vary", "users_total=50,5000")
    small, large = (row["result"] for row in rows(capsys, *words))
    assert small["gpus"] < large["gpus"]
    assert {"accelerator", "nominal_it_kw", "racks", "decisions", "servers"} <= set(small)


def test_it_goes_on_where_it_was_cut_off(capsys: Captured, tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    words = (*RUN, "saving=sync,async", "--workers", "1", "--to")
    assert main([*words, str(whole)]) == 0
    content = whole.read_bytes()
    lines = content.splitlines(keepends=True)
    assert len(lines) == 4
    cut.write_bytes(b"".join(lines[:2]) + lines[2][:40])
    assert main([*words, str(cut)]) == 0
    assert cut.read_bytes() == content
    assert "2 of 4 are there already" in capsys.readouterr().err
    other = (*RUN[:-3], "--vary", "nodes=8,16", "--vary", "saving=sync,async", "--to", str(whole))
    assert main(list(other)) == 2
    assert whole.read_bytes() == content


def test_two_processes_give_the_same_in_the_same_order(tmp_path: Path) -> None:
    words = (*RUN, "checkpoint_interval_min=1:6:1", "--to")
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    assert main([*words, str(one), "--workers", "1"]) == 0
    assert main([*words, str(two), "--workers", "2"]) == 0
    assert one.read_bytes() == two.read_bytes()


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("nothing", "--vary", "a=1"), "PART"),
        (("serve",), "--vary"),
        (("serve", "--vary", "colour=red"), "colour"),
        (("serve", "--vary", "gpus"), "FIELD=VALUE"),
        (("serve", "--vary", "gpus="), "at least one value"),
        (("serve", "--vary", "gpus=9:1:1"), "upwards"),
        (("serve", "--vary", "gpus=[1,"), "JSON"),
        (("serve", "--vary", "gpus=1", "--say", "x"), "--say"),
        (("serve", "--vary", "gpus=1", "--workers", "0"), "--workers"),
        (("size", "--vary", "users_total=1:1000000:1", "--vary", "rack_kw=1:1000:1"), "at most"),
    ],
)
def test_bad_input_is_named(capsys: Captured, words: tuple[str, ...], named: str) -> None:
    assert main(["sweep", *words]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert named in err


def test_a_scheduler_without_dask_is_refused_by_name(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert main([*RUN, "saving=sync", "--scheduler", "tcp://localhost:8786"]) == 2
    assert "sizewright[dask]" in capsys.readouterr().err


def test_a_json_list_holds_values_with_commas() -> None:
    space = space_of("size", None, [], ['models=["llama-3.1-8b", "llama-3.1-70b"]'])
    assert list(space.points(1)) == [{"models": "llama-3.1-70b"}]
    with pytest.raises(BadInput):
        space_of("simulate", None, ["job=1"], ["gpus=8"])
