"""Memory against what engines printed: every usable log of knowledge/measured/serving/memory.csv."""

from __future__ import annotations

import statistics
from functools import lru_cache
from typing import NamedTuple

import pytest

from assistant.sizing.serving.memory.budget import MemoryPlan
from assistant.sizing.serving.memory.engine_budget import GIB
from assistant.sizing.serving.memory.weights import Layout, format_for, weight_bytes_per_gpu
from assistant.sizing.serving.parts.shape import shape_of
from assistant.sizing.serving.request import serve_request
from assistant.sizing.serving.setup import Setup, resolve
from assistant.validation.serving import memory_request
from knowledge.architecture import architecture_of
from knowledge.catalogue import Catalogue, load_catalogue
from knowledge.errors import BadInput, UnknownName
from knowledge.measured import read_rows

SIXTEEN_BIT = {"bfloat16", "float16"}
EIGHT_BIT = {"fp8", "fp8 block", "int8"}


class Log(NamedTuple):
    """A log with our sizing of it."""

    row: dict[str, str]
    setup: Setup

    @property
    def plan(self) -> MemoryPlan:
        return self.setup.memory

    @property
    def context(self) -> float:
        return self.setup.context or 8192.0


@lru_cache(maxsize=1)
def _catalogue() -> Catalogue:
    return load_catalogue()


def _log(row: dict[str, str]) -> Log | None:
    if not row["gpu"]:
        return None
    try:
        return Log(row, resolve(serve_request(memory_request(row)), _catalogue()))
    except (UnknownName, BadInput):
        return None


@lru_cache(maxsize=1)
def _logs() -> tuple[Log, ...]:
    return tuple(log for row in read_rows("serving/memory") if (log := _log(row)) is not None)


def _complete(part: str) -> list[Log]:
    return [log for log in _logs() if log.row["complete"] == "yes" and log.row["part"] == part]


def _off(predicted: float, printed: str) -> float:
    return abs(predicted / float(printed) - 1)


@pytest.mark.parametrize("part", ["fit", "test"])
def test_kv_bytes_per_token_of_complete_logs(part: str) -> None:
    """Within 0.5 % of KV GiB / tokens as printed (the printed GiB are rounded to 0.01) for 95 %."""
    logs = [log for log in _complete(part) if log.row["kv_tokens"] and log.row["kv_gib"]]
    right = [
        _off(log.plan.token_bytes(log.context), str(float(log.row["kv_gib"]) * GIB / float(log.row["kv_tokens"])))
        < 0.005
        for log in logs
    ]
    assert len(right) > 15
    assert sum(right) / len(right) >= 0.95


@pytest.mark.parametrize("part", ["fit", "test"])
def test_weights_of_sixteen_bit_logs(part: str) -> None:
    """Within 3 % of what the engine says that loading took, and within 1 % for 90 %."""
    logs = [log for log in _logs() if log.row["weights_gib"] and log.row["weight_dtype"] in SIXTEEN_BIT]
    errors = [_off(log.plan.weights / GIB, log.row["weights_gib"]) for log in logs if log.row["part"] == part]
    assert len(errors) > 20
    assert max(errors) < 0.03
    assert sum(error < 0.01 for error in errors) / len(errors) >= 0.9


def test_weights_of_mxfp4_logs() -> None:
    """Within 3 %: experts padded as the kernels of the version and the card's generation do, the rest in 16 bits."""
    logs = [log for log in _logs() if log.row["weights_gib"] and "mxfp4" in log.row["weight_dtype"]]
    assert len(logs) >= 5
    assert max(_off(log.plan.weights / GIB, log.row["weights_gib"]) for log in logs) < 0.03


def test_weights_of_eight_bit_logs() -> None:
    """Within 6 %: what a release keeps in 16 bits differs by who quantised it."""
    logs = [log for log in _logs() if log.row["weights_gib"] and log.row["weight_dtype"] in EIGHT_BIT]
    assert len(logs) >= 7
    assert max(_off(log.plan.weights / GIB, log.row["weights_gib"]) for log in logs) < 0.06


@pytest.mark.parametrize("part", ["fit", "test"])
def test_kv_tokens_of_complete_logs(part: str) -> None:
    """Median error 1 %, and within 10 % for at least 85 % of each half, 90 % of both."""
    errors = [
        _off(log.plan.tokens(log.context), log.row["kv_tokens"]) for log in _complete(part) if log.row["kv_tokens"]
    ]
    assert statistics.median(errors) < 0.01
    assert sum(error < 0.1 for error in errors) / len(errors) >= 0.85


@pytest.mark.parametrize("part", ["fit", "test"])
def test_sequences_at_once_of_complete_logs(part: str) -> None:
    """The engines' own "maximum concurrency": padded groups, windows and states of running sequences counted."""
    errors = [
        _off(log.setup.sequences * log.setup.layout.attention_data, log.row["max_concurrency"])
        for log in _complete(part)
        if log.row["max_concurrency"]
    ]
    assert len(errors) > 15
    assert statistics.median(errors) < 0.01
    assert sum(error < 0.1 for error in errors) / len(errors) >= 0.85


def test_what_ran_is_called_fit() -> None:
    """Of the engines that started 97 % are called fit; the rest set a share of memory that the log does not state."""
    ran = [log for log in _logs() if log.row["oom"] == "no"]
    unfit = [log.row["id"] for log in ran if not log.setup.fits]
    assert len(ran) > 100
    assert len(unfit) / len(ran) <= 0.03, unfit


def test_what_ran_out_of_memory_is_called_unfit() -> None:
    """Or is warned of: graphs that find no room beside the share start, and run out once requests come."""
    ran_out = [log for log in _logs() if log.row["oom"] == "yes"]
    fit = [log.row["id"] for log in ran_out if log.setup.fits and log.setup.graphs_fit]
    assert len(ran_out) > 14
    assert len(fit) <= 2, fit


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
