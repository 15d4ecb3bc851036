"""Memory against what engines printed: every usable log of knowledge/measured/serving/memory.csv."""

from __future__ import annotations

import csv
import statistics
from functools import lru_cache
from typing import NamedTuple

import pytest

from assistant.sizing.engine_budget import GIB, engine_plan
from assistant.sizing.memory import MemoryPlan, memory_plan
from assistant.sizing.setup import kv_dtype_of
from assistant.sizing.shape import shape_of
from assistant.sizing.weights import Layout, format_for, weight_bytes_per_gpu
from knowledge.architecture import architecture_of
from knowledge.catalogue import Catalogue, load_catalogue
from knowledge.errors import UnknownName
from knowledge.measured import ROOT

DATA = ROOT / "serving/memory.csv"
SIXTEEN_BIT = {"bfloat16", "float16"}


class Log(NamedTuple):
    """A log with our memory plan of it."""

    row: dict[str, str]
    plan: MemoryPlan
    context: float

    @property
    def fits(self) -> bool:
        return self.plan.cache > 0 and self.plan.sequences(self.context) >= 1


@lru_cache(maxsize=1)
def _catalogue() -> Catalogue:
    return load_catalogue()


def _log(row: dict[str, str]) -> Log | None:
    if not row["gpu"] and not row["reported_total_gib"]:
        return None
    try:
        model = architecture_of(_catalogue().model(row["model"]))
    except UnknownName:
        return None
    card = _catalogue().accelerator(row["gpu"]) if row["gpu"] else None
    seen = card and (card.engine_visible_bytes.value or (card.memory_bytes.value or 0) - 0.55 * GIB)
    total = float(row["reported_total_gib"]) * GIB if row["reported_total_gib"] else float(seen or 0)
    fmt = format_for(model, row["weight_dtype"] or None)
    spread = int(row["data_parallel"] or 1) if row["expert_parallel"] else 1
    tensor = int(row["tensor_parallel"] or row["gpus"])
    layout = Layout(tensor, int(row["pipeline_parallel"] or 1), spread, spread)
    context = float(row["context"] or model.max_context or 8192)
    a100 = row["gpu"].startswith("a100")
    engine = engine_plan(_catalogue(), row["engine"], row["engine_version"] or None, total, a100, None, context)
    share = float(row["memory_share"]) if row["memory_share"] else None
    kv = kv_dtype_of(row["kv_dtype"], model, fmt, engine.engine)
    return Log(row, memory_plan(shape_of(model), fmt, layout, engine, total, share, kv, True), context)


@lru_cache(maxsize=1)
def _logs() -> tuple[Log, ...]:
    with DATA.open() as handle:
        return tuple(log for row in csv.DictReader(handle) if (log := _log(row)) is not None)


def _complete(part: str) -> list[Log]:
    return [log for log in _logs() if log.row["complete"] == "yes" and log.row["part"] == part]


def _off(predicted: float, printed: str) -> float:
    return abs(predicted / float(printed) - 1)


@pytest.mark.parametrize("part", ["fit", "test"])
def test_kv_bytes_per_token_of_complete_logs(part: str) -> None:
    """Within 0.5 % of KV GiB / tokens as printed (the printed GiB are rounded to 0.01) for 95 %."""
    logs = [log for log in _complete(part) if log.row["kv_tokens"]]
    right = [
        _off(log.plan.token_bytes(log.context), str(float(log.row["kv_gib"]) * GIB / float(log.row["kv_tokens"])))
        < 0.005
        for log in logs
    ]
    assert len(right) > 15
    assert sum(right) / len(right) >= 0.95


@pytest.mark.parametrize("part", ["fit", "test"])
def test_weights_of_sixteen_bit_logs(part: str) -> None:
    """Within 3 % of what the engine says that loading took, for 90 %."""
    logs = [log for log in _logs() if log.row["weights_gib"] and log.row["weight_dtype"] in SIXTEEN_BIT]
    right = [_off(log.plan.weights / GIB, log.row["weights_gib"]) < 0.03 for log in logs if log.row["part"] == part]
    assert len(right) > 12
    assert sum(right) / len(right) >= 0.9


def test_weights_of_mxfp4_logs() -> None:
    """Within 8 %: 9.46 GiB of experts padded from 2,880 to 3,072, and 3.35 GiB in 16 bits."""
    logs = [log for log in _logs() if log.row["weights_gib"] and "mxfp4" in log.row["weight_dtype"]]
    assert len(logs) >= 5
    assert max(_off(log.plan.weights / GIB, log.row["weights_gib"]) for log in logs) < 0.08


@pytest.mark.parametrize("part", ["fit", "test"])
def test_kv_tokens_of_complete_logs(part: str) -> None:
    """Median error 3 %, and within 10 % for at least 80 % (first-engine and shared-card logs are the rest)."""
    errors = [_off(log.plan.tokens(log.context), log.row["kv_tokens"]) for log in _complete(part)]
    assert statistics.median(errors) < 0.03
    assert sum(error < 0.1 for error in errors) / len(errors) >= 0.8


def test_what_ran_is_called_fit() -> None:
    """Of the complete logs of engines that started all are called fit."""
    ran = [log for log in _logs() if log.row["oom"] == "no" and log.row["complete"] == "yes"]
    assert [log.row["id"] for log in ran if not log.fits] == []


@pytest.mark.parametrize(
    ("model", "dtype", "stages", "printed_gib"),
    [
        # vLLM 0.19 logs: Qwen3-8B on one GPU 15.27 GiB, in three stages 5.48 GiB (12 layers and the embeddings).
        ("Qwen3-8B", "bf16", 1, 15.27),
        ("Qwen3-8B", "bf16", 3, 5.48),
    ],
)
def test_fullest_pipeline_stage(model: str, dtype: str, stages: int, printed_gib: float) -> None:
    shape = architecture_of(_catalogue().model(model))
    size = weight_bytes_per_gpu(shape_of(shape), format_for(shape, dtype), Layout(1, stages), "vllm")
    assert size / GIB == pytest.approx(printed_gib, rel=0.01)
