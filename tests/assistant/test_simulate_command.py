"""``sizewright simulate`` from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assistant.cli import main
from assistant.operations.simulator import SimulateRequest
from assistant.operations.simulator.inputs import of_sizing
from assistant.result import Sizing
from knowledge.errors import BadInput

Captured = pytest.CaptureFixture[str]
RUN = ("--gpus", "1024", "--days", "10", "--seeds", "3")


def document(capsys: Captured, *words: str) -> Any:
    assert main(["simulate", *words, "--json"]) == 0
    out, err = capsys.readouterr()
    assert not err
    return json.loads(out)


def test_json_is_one_document_and_the_same_for_the_same_seed(capsys: Captured) -> None:
    one, again = document(capsys, *RUN, "--seed", "9"), document(capsys, *RUN, "--seed", "9")
    assert one == again
    assert one["nodes"] == 128
    assert sum(one["shares"].values()) == pytest.approx(1.0, abs=1e-4)
    assert one["timeline"][-1]["event"] == "finished"
    assert {row["spares"] for row in one["by_spares"]} >= {0, one["spares"]}
    assert one["goodput"]["p10"] <= one["goodput"]["p50"] <= one["goodput"]["p90"]


def test_the_text_has_figures_timeline_and_both_comparisons(capsys: Captured) -> None:
    assert main(["simulate", *RUN, "--compare-intervals-min", "10,20,40", "--compare-spares", "0,4"]) == 0
    out = capsys.readouterr().out
    for words in ("days to finish", "P10", "closed form", "work lost", "checkpoint interval", "spares", "loaded"):
        assert words in out
    assert " 40 min" in out


def test_estimate_and_simulate_share_interval_restart_spares_and_rate(capsys: Captured) -> None:
    words = ("--gpus", "4096", "--checkpoint-gb", "980", "--saving", "sync", "--fleet", "rsc1")
    played = document(capsys, *words, "--seeds", "1")
    assert main(["estimate", "reliability", *words, "--json"]) == 0
    estimated = json.loads(capsys.readouterr().out)
    for name in ("failures_per_day", "mttf_h", "checkpoint_write_s", "checkpoint_interval_min", "restart_min"):
        assert played[name] == estimated[name], name
    assert played["spares"] == estimated["spare_nodes"]


def test_a_model_and_its_layout(capsys: Captured) -> None:
    words = ("--model", "llama-3.1-8b", "--gpu", "h100", "--gpus", "64", "--tokens", "100B", "--seeds", "1")
    played = document(capsys, *words)
    assert main(["estimate", "train", *words[:-2], "--json"]) == 0
    trained = json.loads(capsys.readouterr().out)
    assert played["days_undisturbed"] == pytest.approx(trained["days"], rel=1e-4)
    assert played["step_time_s"] == pytest.approx(trained["step_time_s"], rel=1e-4)
    assert played["checkpoint_gb"] == trained["checkpoint_gb"]


def test_a_saved_session(capsys: Captured, tmp_path: Any) -> None:
    db = ("--db", str(tmp_path / "s.db"))
    said = "Pre-training a 7B model on 1T tokens with 64 H100 on our own site in Norway"
    assert main(["size", "--say", said, "--save", "seven", "--json", *db]) == 0
    capsys.readouterr()
    assert main(["sessions", "list", "--json", *db]) == 0
    session = json.loads(capsys.readouterr().out)[0]["id"]
    played = document(capsys, "--session", session, "--seeds", "1", *db)
    assert played["nodes"] == 8
    assert played["step_time_s"] > 0


def test_a_session_without_training_is_refused() -> None:
    chat = Path(__file__).parents[1] / "tui" / "data" / "sizing.json"
    sizing = Sizing.model_validate_json(chat.read_text(encoding="utf-8"))
    with pytest.raises(BadInput, match="training"):
        of_sizing(SimulateRequest(), sizing, "c0ffee")


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ((), "gpus"),
        (("--gpus", "0"), "gpus"),
        (("--gpus", "many"), "gpus"),
        (("--gpus", "8", "--seeds", "0"), "seeds"),
        (("--gpus", "8", "--days", "-1"), "days"),
        (("--gpus", "8", "--fleet", "mars"), "fleet"),
        (("--gpus", "8", "--spot", "mars"), "spot"),
        (("--gpus", "8", "--spot", "other"), "notice_s"),
        (("--gpus", "8", "--compare-spares", "1,x"), "compare_spares"),
        (("--gpus", "8", "--compare-intervals-min", "0"), "compare_intervals_min"),
        (("--model", "llama-3.1-8b", "--gpus", "8"), "gpu"),
        (("--session", "none"), "none"),
        (
            ("--gpus", "8", "--failures-per-1000-node-days", "1", "--hardware-failures-per-1000-node-days", "2"),
            "hardware",
        ),
    ],
)
def test_bad_input_is_named(capsys: Captured, tmp_path: Any, words: tuple[str, ...], named: str) -> None:
    assert main(["simulate", *words, "--db", str(tmp_path / "s.db")]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert named in err


def test_why_names_formula_and_source(capsys: Captured) -> None:
    why = {one["name"]: one for one in document(capsys, *RUN, "--why")["why"]}
    assert "llama3_paper" in why["failures_per_day"]["sources"]
    assert why["goodput"]["formula"] == "ettr_first_order"
