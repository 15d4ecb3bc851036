"""What times one replica: its capacity, lengths and calibration cell, as a function of the requests in flight."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from assistant.sizing.serving.request import ServeRequest
from assistant.sizing.serving.setup import Setup
from assistant.sizing.serving.speed.cells import Calibrated, Cell, calibrated, cell_of
from assistant.sizing.serving.speed.roofline import Draft, SpeedPlan, Timing, prompt_s, speed_plan, timing
from assistant.sizing.serving.speed.terms import OWN_PREFILL
from knowledge.catalogue import Catalogue


def capacity_sequences(setup: Setup, inputs: float, outputs: float) -> float:
    """Sequences of mean length in progress that one replica runs at once: by KV cache and by the engine's limit.

    A running sequence holds its prompt and on average half its output.
    """
    size = setup.memory.plan.sequence_bytes(inputs + outputs / 2)
    by_cache = max(setup.memory.cache, 0.0) / size if size else float("inf")
    return max(min(by_cache, float(setup.basis.engine.max_sequences)), 1.0) * setup.layout.attention_data


@dataclass(frozen=True, eq=False)
class Timer:
    """Timing of one replica as a function of its requests in flight, with the calibration cell whose band applies."""

    cal: Calibrated
    plan: SpeedPlan
    cell: Cell
    capacity: float
    inputs: float
    outputs: float
    cached: float
    draft: Draft | None

    def __call__(self, concurrency: float) -> Timing:
        """Seconds with ``concurrency`` requests in flight."""
        factors = (self.cell.tpot_factor, self.cell.ttft_factor)
        return timing(
            self.plan, self.cal, concurrency, self.capacity, self.inputs, self.outputs, factors, self.prompt_s,
            self.cached, self.draft,
        )  # fmt: skip

    @cached_property
    def prompt_s(self) -> float:
        """Seconds to work out one prompt of mean length."""
        return prompt_s(self.plan, self.cal, self.inputs, self.cached)

    def longer_s(self, tokens: float) -> float:
        """Seconds by which a prompt of ``tokens`` comes later to its first token than one of mean length."""
        more = prompt_s(self.plan, self.cal, tokens, self.cached) - self.prompt_s
        return self.cal.ttft[OWN_PREFILL] * more * self.cell.ttft_factor


def timer(request: ServeRequest, setup: Setup, catalogue: Catalogue) -> Timer | None:
    """What times one replica; None where lengths or the card's rates are unknown, or nothing runs."""
    basis = setup.basis
    if not request.input_tokens or not request.output_tokens or not basis.gpu.bandwidth or not basis.gpu.bf16:
        return None
    if setup.misfit or setup.memory.cache <= 0:
        return None
    cal = calibrated(catalogue, basis.engine.calibrated_as)
    plan = speed_plan(basis.shape, basis.fmt, setup.layout, basis.gpu, basis.engine.engine, setup.memory.plan)
    inputs, outputs = request.input_tokens.mean, request.output_tokens.mean
    return Timer(
        cal=cal,
        plan=plan,
        cell=cell_of(cal, basis.shape, basis.gpu, plan.klass, request.engine_version),
        capacity=capacity_sequences(setup, inputs, outputs),
        inputs=inputs,
        outputs=outputs,
        cached=inputs * request.prefix_cached_share,
        draft=Draft(request.draft_tokens, request.acceptance) if request.draft_tokens and request.acceptance else None,
    )
