"""``sizewright validate``: what it says of known points, and the bars that its verdicts are held to."""

from __future__ import annotations

import json
from functools import cache

import pytest

from assistant import cli
from assistant.validation.points import Compared, by, spread, worst
from assistant.validation.report import Report, validate
from assistant.validation.serving import throughput_points
from knowledge.catalogue import load_catalogue
from knowledge.errors import BadInput


def _point(measured: float, predicted: float | None, low: float = 1.0, high: float = 2.0, gpu: str = "a") -> Compared:
    return Compared(
        id=f"{measured}-{predicted}",
        metric="tpot_ms",
        part="test",
        cell="seen",
        model="m",
        gpu=gpu,
        engine="e",
        precision="bf16",
        measured=measured,
        predicted=predicted,
        low=low,
        high=high,
    )


@cache
def _memory() -> Report:
    return validate(load_catalogue(), "memory")


def test_spread_by_hand() -> None:
    """Errors 0.1, 0.3 and -0.5 of measured; one refusal; measured 1.0 and 2.0 lie in 1 to 2, 4.0 does not."""
    found = spread([_point(1.0, 1.1), _point(2.0, 2.6), _point(4.0, 2.0), _point(1.5, None)])
    assert (found.points, found.refused) == (4, 1)
    assert found.median_error == pytest.approx(0.3)
    assert found.mean_error == pytest.approx(0.3)
    assert found.bias == pytest.approx(0.1)
    assert found.covered == pytest.approx(3 / 4)
    assert found.band_width == 2


def test_worst_first_and_refusals_before_all() -> None:
    """Half and twice are equally far off; a refusal is further."""
    points = [_point(1.0, 1.2), _point(1.0, 2.5), _point(1.0, 0.5), _point(1.0, None)]
    assert [p.predicted for p in worst(points, 3)] == [None, 2.5, 0.5]
    assert next(iter(by([_point(1, 1.1), _point(1, 3, gpu="b")], "gpu"))) == ("b",)


def test_fit_verdicts_on_engine_logs() -> None:
    """Of the logs that ran out of memory three quarters are called unfit; of those that ran 19 in 20 are called fit.

    Called unfit though they ran: two whose checkpoint leaves less in 16 bits than its name says, one whose memory
    share, one whose quantisation the log does not state.
    """
    found = _memory().verdicts
    assert found is not None
    assert found.out_of_memory >= 12
    assert found.out_of_memory_called_unfit / found.out_of_memory >= 0.75
    assert found.ran >= 75
    assert found.ran_called_fit / found.ran >= 0.945


def test_kv_tokens_of_engine_logs() -> None:
    """As printed: median within 3 %, nine of ten within 10 %."""
    points = [p for p in _memory().worst if p.metric == "kv_cache_tokens"]
    everything = [g for g in _memory().metrics if g.keys["metric"] == "kv_cache_tokens"]
    count = sum(g.spread.points for g in everything)
    assert count >= 50
    assert max(g.spread.median_error or 0 for g in everything) < 0.03
    assert sum(abs(p.error or 0) > 0.1 for p in points) <= count / 10


def test_published_maxima_that_nothing_was_fitted_on() -> None:
    """TensorRT-LLM's and MLPerf's offline tables: median error of a quarter at most, seven in ten within the band."""
    points = [p for p in throughput_points(load_catalogue()) if p.metric == "peak_tokens_per_s"]
    found = spread(points)
    assert found.points >= 380
    assert found.refused == 0
    assert found.median_error is not None
    assert found.median_error <= 0.25
    assert found.covered is not None
    assert found.covered >= 0.7


def test_unknown_metric_names_the_known() -> None:
    with pytest.raises(BadInput, match="tpot_ms"):
        validate(load_catalogue(), "goodness")


def test_command_prints_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["validate", "--metric", "memory", "--json", "--worst", "3"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert len(document["worst"]) == 3
    assert {group["keys"]["metric"] for group in document["metrics"]} >= {"weights_gib_per_gpu", "kv_cache_tokens"}


def test_command_prints_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["validate", "--metric", "memory", "--by", "gpu"]) == 0
    out = capsys.readouterr().out
    assert "by gpu" in out
    assert "by model" not in out
    assert "called unfit" in out
