"""Predictions of every shipped serving measurement: start-up logs, operating points, published throughput."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assistant.sizing.serving.estimate import estimate_serve
from assistant.sizing.serving.loads.batch import peak_rate
from assistant.sizing.serving.memory.engine_budget import GIB
from assistant.sizing.serving.request import ServeResult, serve_request
from assistant.validation.points import Compared, Part, Verdict
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput, UnknownName
from knowledge.measured import read_rows

LAYOUT = ("gpus", "tensor_parallel", "pipeline_parallel")
SPEED_FIELDS = (*LAYOUT[:2], "gpu", "engine", "engine_version", "attention_data_parallel", "expert_parallel")
MEMORY_FIELDS = (
    *("model", "gpu", "engine", "engine_version", "weight_dtype", "kv_dtype", "context", "memory_share"),
    *("max_batched_tokens", "max_sequences"),
)
SAME_AS = {"meta-llama/Llama-3.1-70B": "meta-llama/Llama-3.1-70B-Instruct"}


def speed_request(row: dict[str, str]) -> dict[str, Any]:
    """A measured operating point as a request; an empty precision is BF16 (by its time per token)."""
    return {
        "model": SAME_AS.get(row["model"], row["model"]),
        "weight_dtype": row["precision"] or "bf16",
        "input_tokens": float(row["input_tokens"]),
        "output_tokens": float(row["output_tokens"]),
        "concurrency": float(row["concurrency"]),
        **{name: row[name] for name in SPEED_FIELDS},
    }


def speed_points(catalogue: Catalogue) -> Iterator[Compared]:
    """TTFT and TPOT of the operating points, the fit half first."""
    cells = {row["id"]: row["cell"] for row in read_rows("serving/speed_split")}
    parts: tuple[Part, ...] = ("fit", "test")
    for part in parts:
        for row in read_rows(f"serving/speed_{part}"):
            result = estimate_serve(speed_request(row), catalogue)
            for metric in ("tpot_ms", "ttft_ms"):
                yield _timed(row, result, metric, part, cells[row["id"]], float(row[f"measured_{metric}"]))


def _timed(row: dict[str, str], result: ServeResult, metric: str, part: Part, cell: str, measured: float) -> Compared:
    return Compared(
        id=row["id"],
        metric=metric,
        part=part,
        cell=cell,
        model=result.model,
        gpu=result.gpu,
        engine=result.engine,
        precision=result.weight_dtype,
        measured=measured,
        predicted=getattr(result, metric),
        low=getattr(result, f"{metric}_p10"),
        high=getattr(result, f"{metric}_p90"),
    )


def throughput_points(catalogue: Catalogue) -> Iterator[Compared]:
    """Published maxima (TensorRT-LLM, MLPerf) and NIM's and Vultr's figures under load."""
    for row in read_rows("serving/throughput"):
        request: dict[str, Any] = {name: row[name] for name in (*LAYOUT, "model", "gpu", "engine", "engine_version")}
        request |= {name: float(row[name]) for name in ("input_tokens", "output_tokens")}
        request["weight_dtype"] = row["precision"]
        measured = float(row["value"])
        if row["concurrency"]:
            result = estimate_serve({**request, "concurrency": float(row["concurrency"])}, catalogue)
            yield _timed(row, result, row["metric"], "published", row["series"], measured)
            continue
        limits = [float(row[name]) if row[name] else None for name in ("ttft_limit_ms", "tpot_limit_ms")]
        peak = peak_rate(serve_request(request), catalogue, *limits)
        yield Compared(
            id=row["id"],
            metric="peak_tokens_per_s" if row["scenario"] == "offline" else "peak_tokens_per_s_within_targets",
            part="published",
            cell=row["series"],
            model=row["model"],
            gpu=row["gpu"],
            engine=row["engine"],
            precision=row["precision"],
            measured=measured,
            predicted=peak.output_tokens_per_s if peak else None,
            low=peak.output_tokens_per_s_p10 if peak else None,
            high=peak.output_tokens_per_s_p90 if peak else None,
        )


def memory_request(row: dict[str, str]) -> dict[str, Any]:
    """A start-up log as a request; its data-parallel ranks share experts where the log says so."""
    request: dict[str, Any] = {name: row[name] for name in (*LAYOUT, *MEMORY_FIELDS) if row[name]}
    if row["prefix_caching"] == "yes":
        request["prefix_cached_share"] = 0.5
    ranks = int(row["data_parallel"] or 1)
    if row["expert_parallel"] and ranks > 1:
        request |= {"attention_data_parallel": ranks, "expert_parallel": ranks}
    return request


def memory_logs(catalogue: Catalogue) -> Iterator[tuple[dict[str, str], ServeResult]]:
    """Logs that name a GPU and a model we know, each with our estimate."""
    for row in read_rows("serving/memory"):
        if not row["gpu"]:
            continue
        try:
            yield row, estimate_serve(memory_request(row), catalogue)
        except (UnknownName, BadInput):
            continue


def memory_points(catalogue: Catalogue) -> Iterator[Compared]:
    """Weights, KV pool, KV tokens and bytes a token as printed (GiB a GPU, tokens, bytes)."""
    for row, result in memory_logs(catalogue):
        for metric, measured, predicted in _memory_figures(row, result):
            yield Compared(
                id=row["id"],
                metric=metric,
                part="test" if row["part"] == "test" else "fit",
                cell=row["engine_version"] or "version not stated",
                model=result.model,
                gpu=result.gpu,
                engine=result.engine,
                precision=result.weight_dtype,
                measured=measured,
                predicted=predicted,
                low=result.kv_cache_gib_per_gpu_low if metric == "kv_cache_gib_per_gpu" else None,
                high=result.kv_cache_gib_per_gpu_high if metric == "kv_cache_gib_per_gpu" else None,
            )


def _memory_figures(row: dict[str, str], result: ServeResult) -> Iterator[tuple[str, float, float]]:
    if row["weights_gib"]:
        yield "weights_gib_per_gpu", float(row["weights_gib"]), result.weights_gib_per_gpu
    if row["complete"] != "yes":
        return
    if row["max_concurrency"] and result.max_concurrency:
        yield "max_concurrency", float(row["max_concurrency"]), result.max_concurrency
    pool, tokens = float(row["kv_gib"] or 0), float(row["kv_tokens"] or 0)
    if pool:
        yield "kv_cache_gib_per_gpu", pool, result.kv_cache_gib_per_gpu
    if tokens:
        yield "kv_cache_tokens", tokens, float(result.kv_cache_tokens)
    if pool and tokens:
        yield "kv_bytes_per_token_per_gpu", pool * GIB / tokens, result.kv_bytes_per_token_per_gpu


def memory_verdicts(catalogue: Catalogue) -> list[Verdict]:
    """Whether what ran is called fit, and what ran out of memory unfit."""
    return [Verdict(id=row["id"], ran=row["oom"] == "no", fits=result.fits) for row, result in memory_logs(catalogue)]
