"""Fits the constants of the serving speed model and writes them as catalogue entries.

Run from the repository's root: ``python tests/calibration/fit_serving.py``. Reads only the fit half of the measured
points (knowledge/measured/serving/speed_fit.csv; the split is speed_split.csv) and refuses any other row. The
bands come from rows held out inside that half: by configuration (thirds) for cells that are seen, by whole (model,
GPU) cells for those that are not. Deterministic; no libraries beyond the program's own.
"""

from __future__ import annotations

import csv
import math
import statistics
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).parents[2]))

from assistant.sizing.serving.request import serve_request
from assistant.sizing.serving.setup import resolve
from assistant.sizing.serving.speed.roofline import decode_terms, prefill_terms, speed_plan, ttft_terms
from assistant.sizing.serving.speed.terms import DECODE_TERMS, PREFILL_TERMS, TERMS, TTFT_TERMS
from assistant.sizing.serving.timer import capacity_sequences
from assistant.validation.serving import speed_request
from knowledge.catalogue import Catalogue, load_catalogue

ROOT = Path(__file__).parents[2]
DATA = ROOT / "knowledge/measured/serving"
TARGET = ROOT / "knowledge/data/serving_calibrations"
DATE = "2026-11-29"
ENGINES = ("vllm", "sglang", "trtllm")

# Where the fit starts and what few rows are pulled towards; bounds keep a constant physical where rows cannot tell.
PRIOR = {
    "dense": 1.1, "experts_8": 1.3, "experts_4": 1.2, "experts_16": 1.3, "experts_mx": 1.3, "experts_int": 1.6,
    "expert_layer_8": 25.0, "expert_layer_4": 20.0, "expert_layer_16": 20.0, "expert_layer_mx": 15.0,
    "expert_layer_int": 30.0, "kv": 1.0, "compute": 1.4, "expert_compute": 2.0, "exchange": 3.0,
    "exchange_count": 8.0, "layer": 45.0, "step": 0.2, "sequence": 2.0, "prefill": 1.1, "prefill_experts": 1.2,
    "prefill_attention": 2.5, "prefill_exchange": 1.2, "prompt": 3.0,
}  # fmt: skip
# Grouped products of experts are no faster than dense ones, which the fit puts at 1.6 to 2 times their time at peak:
# few rows have batches large enough to tell, published maxima of Mixtral do.
LEAST = {
    "dense": 1.0, "experts_8": 1.0, "experts_4": 1.0, "experts_16": 1.0, "experts_mx": 1.0, "experts_int": 1.0,
    "kv": 0.7, "compute": 1.0, "expert_compute": 1.8, "exchange": 1.0, "prefill": 0.8, "prefill_experts": 0.8,
    "prefill_attention": 1.2, "prefill_exchange": 0.5,
}  # fmt: skip
MOST = {"prefill_attention": 4.0}
TTFT_PRIOR = {"base": 20.0, "own_prefill": 1.2, "others_prefill": 0.06, "steps": 2.0, "arrival": 0.5, "wait": 0.9}
TTFT_LEAST = {"own_prefill": 0.8, "wait": 0.7}  # a prompt cannot be read faster than at peak; who queues, waits
TTFT_MOST = {"wait": 1.0}
# Quantiles of a few rows are too narrow elsewhere: bands are widened by this power of the ratio.
ALLOWANCE = 1.1


@dataclass(frozen=True)
class Row:
    """One measured point with the terms of the model: seconds."""

    ident: str
    engine: str
    group: str
    version: str | None
    cell: str
    config: int
    tpot: float
    ttft: float
    terms: tuple[float, ...]
    prefill: tuple[float, ...]
    waiting: float
    queue_services: float
    outputs: float
    moe: bool


def read_rows(path: Path, catalogue: Catalogue, only: str = "fit") -> list[Row]:
    """The points of ``path`` with their terms; refuses rows that the split does not put into part ``only``."""
    with (DATA / "speed_split.csv").open() as handle:
        part = {entry["id"]: entry["part"] for entry in csv.DictReader(handle)}
    with path.open() as handle:
        points = list(csv.DictReader(handle))
    strangers = [point["id"] for point in points if part.get(point["id"]) != only]
    if strangers:
        raise SystemExit(f"{path.name}: {len(strangers)} rows are not of the {only} half, {strangers[0]} for one")
    return [_row(point, catalogue) for point in points]


def _row(point: dict[str, str], catalogue: Catalogue) -> Row:
    request = serve_request(speed_request(point))
    setup = resolve(request, catalogue)
    basis = setup.basis
    plan = speed_plan(basis.shape, basis.fmt, setup.layout, basis.gpu, basis.engine.engine, setup.memory.plan)
    inputs, outputs, concurrency = (float(point[k]) for k in ("input_tokens", "output_tokens", "concurrency"))
    capacity = capacity_sequences(setup, inputs, outputs)
    running = max(min(concurrency, capacity), 1.0)
    arriving = running / plan.stages / plan.ranks_data / outputs
    prefill = prefill_terms(plan, inputs)
    decode = decode_terms(plan, running, inputs + outputs / 2)
    group = f"{basis.gpu.family}/{plan.klass}/{'moe' if basis.shape.is_moe else 'dense'}"
    return Row(
        ident=point["id"],
        engine=basis.engine.calibrated_as,
        group=group,
        version=f"{point['engine_version']}/{group}" if point["engine_version"] else None,
        cell=f"{basis.shape.name}/{basis.gpu.id}/{plan.klass}",
        config=int(point["id"].split("-")[1]) % 3,
        tpot=float(point["measured_tpot_ms"]) / 1e3,
        ttft=float(point["measured_ttft_ms"]) / 1e3,
        terms=(*decode, *(arriving * term for term in prefill), arriving * 1e-3),
        prefill=prefill,
        waiting=running / plan.ranks_data,
        queue_services=max(concurrency / running - 1, 0.0) * outputs,
        outputs=outputs,
        moe=basis.shape.is_moe,
    )


def solve(
    terms: Sequence[Sequence[float]], measured: Sequence[float], prior: Sequence[float], least: Sequence[float],
    most: Sequence[float], pull: float, rounds: int = 12,
) -> list[float]:  # fmt: skip
    """Bounded least absolute relative error by reweighted least squares, pulled towards ``prior``.

    Each row counts as term / measured; ``pull`` is the weight of the prior in rows' worth of relative error.
    """
    size, count = len(prior), len(measured)
    scaled = [[value / y for value in row] for row, y in zip(terms, measured, strict=True)]
    weights = [1.0] * count
    solution = list(prior)
    for _ in range(rounds):
        matrix, target = _normal(scaled, weights, size)
        for i in range(size):
            stiffness = pull * count / max(prior[i], 0.1) ** 2
            matrix[i][i] += stiffness
            target[i] += stiffness * prior[i]
        _descend(matrix, target, solution, least, most)
        for n, row in enumerate(scaled):
            predicted = sum(map(float.__mul__, row, solution))
            weights[n] = 1 / max(abs(math.log(max(predicted, 1e-9))), 0.03)
    return solution


def _normal(rows: list[list[float]], weights: list[float], size: int) -> tuple[list[list[float]], list[float]]:
    matrix = [[0.0] * size for _ in range(size)]
    target = [0.0] * size
    for row, weight in zip(rows, weights, strict=True):
        live = [(i, value) for i, value in enumerate(row) if value]
        for i, value in live:
            share = weight * value
            target[i] += share
            line = matrix[i]
            for j, other in live:
                line[j] += share * other
    return matrix, target


def _descend(
    matrix: list[list[float]], target: list[float], solution: list[float], least: Sequence[float], most: Sequence[float]
) -> None:
    """Cyclic coordinate descent within bounds, in place."""
    for _ in range(200):
        moved = 0.0
        for i, line in enumerate(matrix):
            rest = target[i] - sum(map(float.__mul__, line, solution)) + line[i] * solution[i]
            value = min(max(rest / line[i], least[i]), most[i])
            moved = max(moved, abs(value - solution[i]) / max(abs(value), 1e-3))
            solution[i] = value
        if moved < 1e-4:
            return


def tpot_constants(rows: list[Row], prior: Sequence[float], pull: float) -> list[float]:
    """The constants of TPOT that fit ``rows``."""
    least = [LEAST.get(name, 0.0) for name in TERMS]
    most = [MOST.get(name, math.inf) for name in TERMS]
    return solve([r.terms for r in rows], [r.tpot for r in rows], prior, least, most, pull)


def tpot_of(row: Row, constants: Sequence[float]) -> float:
    """Predicted TPOT in seconds, before factors."""
    return sum(map(float.__mul__, row.terms, constants))


def first_terms(row: Row, constants: Sequence[float]) -> tuple[float, ...]:
    """The TTFT terms of ``row`` given the constants of TPOT."""
    step = sum(a * b for a, b in zip(row.terms[: len(DECODE_TERMS)], constants, strict=False))
    begin = len(DECODE_TERMS)
    prompt = sum(map(float.__mul__, row.prefill, constants[begin : begin + len(PREFILL_TERMS)]))
    return ttft_terms(step, prompt, row.waiting, row.queue_services * tpot_of(row, constants))


def ttft_constants(rows: list[Row], constants: Sequence[float], prior: Sequence[float], pull: float) -> list[float]:
    """The constants of TTFT that fit ``rows``."""
    terms = [first_terms(r, constants) for r in rows]
    least = [TTFT_LEAST.get(name, 0.0) for name in TTFT_TERMS]
    most = [TTFT_MOST.get(name, math.inf) for name in TTFT_TERMS]
    return solve(terms, [r.ttft for r in rows], prior, least, most, pull)


@dataclass(frozen=True)
class Fit:
    """Constants of every engine and the factors of groups and cells, for TPOT and TTFT."""

    tpot: dict[str, list[float]]
    ttft: dict[str, list[float]]
    factors: dict[str, dict[tuple[str, str], float]]

    def predict(self, row: Row, metric: str) -> float:
        """Seconds, with the group's and the cell's factor where there is one."""
        base = self.base(row, metric)
        of = self.factors[metric]
        keys = (row.group, row.version, row.cell)
        return base * math.prod(of.get((row.engine, key), 1.0) for key in keys if key)

    def base(self, row: Row, metric: str) -> float:
        """Seconds by the engine's constants alone."""
        constants = self.tpot[row.engine]
        if metric == "tpot":
            return tpot_of(row, constants)
        return sum(map(float.__mul__, first_terms(row, constants), self.ttft[row.engine]))


def fit(rows: list[Row]) -> Fit:
    """All engines together first, each engine pulled towards that, then what is left over by group, version, cell."""
    start = [PRIOR[name] for name in TERMS]
    together = tpot_constants(rows, start, 0.002)
    of_engine = {e: [r for r in rows if r.engine == e] for e in ENGINES}
    tpot = {e: tpot_constants(some, _pull(some, together, start), 0.004) for e, some in of_engine.items()}
    prior = [TTFT_PRIOR[name] for name in TTFT_TERMS]
    ttft = {e: ttft_constants(some, tpot[e], prior, 0.001) if some else prior for e, some in of_engine.items()}
    made = Fit(tpot, ttft, {"tpot": {}, "ttft": {}})
    for metric in ("tpot", "ttft"):
        _add_factors(made, rows, metric, "group", 10)
        _add_factors(made, rows, metric, "version", 6)
        _add_factors(made, rows, metric, "cell", 4)
    return made


def _pull(rows: list[Row], together: list[float], start: list[float]) -> list[float]:
    """What an engine's constants are pulled to: those of all engines, or the start where it has no row of the kind."""
    seen = [any(row.terms[i] for row in rows) for i in range(len(TERMS))]
    return [all_engines if has else first for has, all_engines, first in zip(seen, together, start, strict=True)]


def _add_factors(made: Fit, rows: list[Row], metric: str, key: str, shrink: int) -> None:
    """Median of measured over predicted by group or cell, shrunk as if ``shrink`` more rows had none."""
    left: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in rows:
        if getattr(row, key) is None:
            continue
        left[row.engine, getattr(row, key)].append(math.log(getattr(row, metric) / made.predict(row, metric)))
    for name, logs in left.items():
        made.factors[metric][name] = math.exp(statistics.median(logs) * len(logs) / (len(logs) + shrink))


def held_out(
    rows: list[Row], metric: str, seen: dict[str, Fit], unseen: dict[str, Fit]
) -> tuple[dict[str, float], dict[str, float]]:
    """Measured over predicted of every row by fits that did not use it: by configuration, and by cell."""
    by_config = {r.ident: getattr(r, metric) / seen[str(r.config)].predict(r, metric) for r in rows}
    by_cell = {r.ident: getattr(r, metric) / unseen[r.cell].predict(r, metric) for r in rows if r.cell in unseen}
    return by_config, by_cell


def band(values: Sequence[float]) -> tuple[float, float]:
    """P10 and P90, not closer to one than 3 %."""
    ordered = sorted(values)
    last = len(ordered) - 1
    return min(ordered[int(0.1 * last + 0.5)], 0.97), max(ordered[int(0.9 * last + 0.5)], 1.03)


def residual(factor: float, values: Sequence[float], fallback: tuple[float, float]) -> dict[str, Any]:
    """A residual record; with few rows the band is the engine's."""
    low, high = band(values) if len(values) >= 8 else fallback
    low, high = low**ALLOWANCE, high**ALLOWANCE
    return {"factor": round(factor, 4), "low": round(low, 4), "high": round(high, 4), "rows": len(values)}


def _entry(engine: str, rows: list[Row], made: Fit, seen: dict[str, Fit], unseen: dict[str, Fit]) -> dict[str, Any]:
    mine = [r for r in rows if r.engine == engine]
    constants = dict(zip(TERMS, made.tpot[engine], strict=True))
    constants |= {f"ttft_{name}": value for name, value in zip(TTFT_TERMS, made.ttft[engine], strict=True)}
    entry: dict[str, Any] = {
        "id": engine,
        "date": DATE,
        "fitted_on": "knowledge/measured/serving/speed_fit.csv",
        "rows": len(mine),
        "constants": {name: float(f"{value:.6g}") for name, value in constants.items()},
        "sources": ["inferencex-aiconfigurator"],
        "errors": {},
    }
    for metric in ("tpot", "ttft"):
        by_config, by_cell = held_out(mine, metric, seen, unseen)
        every = band(list(by_config.values()))
        for kind in ("group", "cell"):
            of: dict[str, list[float]] = defaultdict(list)
            for row in mine:
                of[getattr(row, kind)].append(by_config[row.ident])
            entry[f"{metric}_{kind}"] = {
                name: residual(made.factors[metric][engine, name], values, every) for name, values in sorted(of.items())
            }
        entry[f"{metric}_version"] = {
            version: round(made.factors[metric][engine, version], 4)
            for version in sorted({row.version for row in mine if row.version})
        }
        low, high = band(list(by_cell.values()))
        entry[f"{metric}_unseen"] = residual(1.0, list(by_cell.values()), every)
        entry[f"{metric}_elsewhere"] = {
            "factor": 1.0, "low": round(min(low**1.5, 0.6), 4), "high": round(max(high**1.5, 1.7), 4), "rows": 0,
        }  # fmt: skip
        for name, found in (("seen", by_config), ("unseen", by_cell)):
            errors = [abs(1 / value - 1) for value in found.values()]
            entry["errors"][f"{metric}_median_{name}"] = round(statistics.median(errors), 4)
    return entry


def main() -> None:
    """Fit, hold out, write one YAML file an engine."""
    catalogue = load_catalogue()
    rows = read_rows(DATA / "speed_fit.csv", catalogue)
    made = fit(rows)
    seen = {str(third): fit([r for r in rows if r.config != third]) for third in range(3)}
    unseen = {c: fit([r for r in rows if r.cell != c]) for c in sorted({r.cell for r in rows})}
    TARGET.mkdir(exist_ok=True)
    for engine in ENGINES:
        entry = _entry(engine, rows, made, seen, unseen)
        text = yaml.safe_dump([entry], sort_keys=False, width=120)
        (TARGET / f"{engine}.yaml").write_text(f"# Written by tests/calibration/fit_serving.py; do not edit.\n{text}")
        print(engine, entry["errors"])


if __name__ == "__main__":
    main()
