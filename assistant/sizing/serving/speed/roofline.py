"""Time to first token and time per output token: a roofline whose constants are fitted to measured points.

One decode step of a replica takes the sum of: weight traffic (experts by the expected share of distinct ones touched,
1 - (1 - k/E)^batch), KV traffic, matrix products, tensor-parallel exchange (two all-reduces a layer), and overheads a
layer, a step and a sequence. In steady state each step also carries concurrency / output tokens new prompts, whose
prefill (products, attention, exchange) delays the decoding ones. All terms are seconds at the data sheet's peak; each
constant says how many times longer the engine needs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial

from assistant.sizing.serving.memory.kv import CachePlan
from assistant.sizing.serving.memory.weights import Layout, expert_bytes_per_gpu, read_bytes_per_gpu
from assistant.sizing.serving.parts.dtypes import WeightFormat
from assistant.sizing.serving.parts.hardware import Gpu
from assistant.sizing.serving.parts.shape import ServingShape
from assistant.sizing.serving.speed.cells import Calibrated

SLOW_EXCHANGE = 1.6
"""Over PCIe or a network all-reduces reach about 0.6 of the link; not fitted, our judgement."""
DRAFT_SHARE = 0.05
"""Time of drafting one token as a share of a step: a draft head has one layer of some 20 to 80 and the output head."""
CLASSES = ("8", "4", "16", "mx", "int")
_CLASS = {
    "fp8": "8", "fp8_block": "8", "fbgemm_fp8": "8", "mxfp8": "8", "int8": "8", "w8a16": "8", "bnb_8bit": "8",
    "q8_0": "8", "nvfp4": "4", "nvfp4_experts": "4", "mxfp4": "mx", "mxfp4_experts": "mx", "bf16": "16",
    "fp16": "16", "fp32": "16",
}  # fmt: skip


def weight_class(fmt: WeightFormat) -> str:
    """The calibration class of a format: 8, 4 (NVFP4), mx, 16 or int (4-bit integer and GGUF)."""
    return _CLASS.get(fmt.name, "int")


@dataclass(frozen=True, eq=False)
class SpeedPlan:
    """Per-sequence and per-step costs of one replica on one kind of GPU, in seconds at peak rates."""

    dense: float
    experts: float
    expert_share: float
    kv_bandwidth: float
    compute: float
    expert_compute: float
    exchange: float
    slow_exchange: float
    exchange_count: float
    layers: float
    expert_layers: float
    attention: tuple[tuple[float, int | None], ...]
    attention_rate: float
    prefill: float
    klass: str
    ranks_data: int
    stages: int
    cache: CachePlan


@lru_cache(maxsize=65536)
def speed_plan(
    shape: ServingShape, fmt: WeightFormat, layout: Layout, gpu: Gpu, engine: str, cache: CachePlan
) -> SpeedPlan:
    """Costs of a forward pass (formula ``serving.step``): per sequence in the batch, per token, and per step."""
    tensor, data = layout.tensor, layout.attention_data
    whole = Layout(tensor, 1, data, layout.expert)
    experts = expert_bytes_per_gpu(shape, fmt, whole)
    dense = read_bytes_per_gpu(shape, fmt, whole, engine)
    chosen = shape.experts * shape.experts_per_token / shape.expert_count if shape.is_moe else 0.0
    product = 2 * _dense_products(shape, fmt, gpu, tensor)
    head = 2 * shape.embedding / tensor / gpu.bf16
    ring = 2 * (tensor - 1) / tensor * 4 * shape.layers * shape.hidden / gpu.link_for(tensor)
    spread = 4 * shape.moe_layers * shape.hidden * (data - 1) / gpu.link_for(tensor * data)
    expert_rate = _expert_rate(fmt, gpu)
    slow = gpu.is_slow(tensor * data)
    return SpeedPlan(
        dense=dense / gpu.bandwidth,
        experts=experts / gpu.bandwidth,
        expert_share=shape.experts_per_token / shape.expert_count if shape.is_moe else 0.0,
        kv_bandwidth=gpu.bandwidth,
        compute=product + head,
        expert_compute=2 * chosen / tensor / expert_rate,
        exchange=0.0 if slow else ring + spread,
        slow_exchange=SLOW_EXCHANGE * (ring + spread) if slow else 0.0,
        exchange_count=2e-6 * shape.layers if tensor * data > 1 else 0.0,
        layers=1e-6 * shape.layers,
        expert_layers=1e-6 * shape.moe_layers,
        attention=tuple((count * width / tensor, window) for count, width, window, _ in shape.attention_widths),
        attention_rate=gpu.bf16,
        prefill=product,
        klass=weight_class(fmt),
        ranks_data=data,
        stages=layout.pipeline,
        cache=cache,
    )


def _expert_rate(fmt: WeightFormat, gpu: Gpu) -> float:
    """Rate of expert products; MXFP4 runs with 8-bit activations on Blackwell and 16-bit ones before it."""
    if fmt.name == "mxfp4" and gpu.family == "blackwell":
        return gpu.fp8
    return gpu.rate(fmt.compute) if "experts" in fmt.parts else gpu.bf16


def _dense_products(shape: ServingShape, fmt: WeightFormat, gpu: Gpu, tensor: int) -> float:
    """Seconds at peak of one token's multiply-adds in attention projections and dense MLPs on one GPU."""
    attention = shape.attention_split / tensor + shape.attention_kv / tensor + shape.attention_whole
    mlp = (shape.dense_mlp + shape.shared) / tensor
    rate_a = gpu.rate(fmt.compute) if "attention" in fmt.parts else gpu.bf16
    rate_m = gpu.rate(fmt.compute) if "mlp" in fmt.parts else gpu.bf16
    return attention / rate_a + mlp / rate_m


@dataclass(frozen=True)
class Draft:
    """Speculative decoding: ``tokens`` drafted a step, each accepted with probability ``acceptance``."""

    tokens: int
    acceptance: float

    @property
    def tokens_per_step(self) -> float:
        """Expected output tokens of a step, (1 - a^(k+1)) / (1 - a) (formula ``serving.speculative``)."""
        return (1 - self.acceptance ** (self.tokens + 1)) / (1 - self.acceptance)


def stage_batch(plan: SpeedPlan, running: float) -> float:
    """Sequences that a pipeline stage works on at once: a share of those running, but never a part of one."""
    return max(running / plan.stages, min(running, 1.0))


def decode_terms(plan: SpeedPlan, running: float, tokens: float, width: int = 1) -> tuple[float, ...]:
    """The decode terms of one step, in the order of ``DECODE_TERMS``.

    ``running`` sequences of the replica at ``tokens`` mean length, of which each pipeline stage works on a share.
    ``width`` tokens of each sequence are worked on (more than one where drafts are verified); its cache is read once.
    """
    batch = stage_batch(plan, running)
    rank = batch / plan.ranks_data
    touched = 1 - (1 - plan.expert_share) ** (batch * width) if plan.expert_share else 0.0
    at = CLASSES.index(plan.klass)
    by_class = [0.0] * 10
    by_class[at] = plan.experts * touched
    by_class[5 + at] = plan.expert_layers
    kv = rank * plan.cache.sequence_bytes(tokens) * plan.stages / plan.kv_bandwidth
    rank *= width
    return (
        plan.dense, *by_class, kv, rank * plan.compute, rank * plan.expert_compute, rank * plan.exchange,
        plan.exchange_count, plan.layers, 1e-3, rank * 1e-6,
    )  # fmt: skip


def prefill_terms(plan: SpeedPlan, tokens: float, cached: float = 0.0) -> tuple[float, float, float, float]:
    """Products, expert products, attention and exchange of one prompt of ``tokens``, in seconds at peak.

    Causal attention: tokens^2 x heads x (key + value width) FLOP a layer, tokens x window where the window is less.
    The first ``cached`` tokens are found in the prefix cache and not worked out again.
    """
    attention = sum(
        width * (tokens * min(tokens, window or tokens) - cached * min(cached, window or cached))
        for width, window in plan.attention
    )
    tokens -= cached
    return (
        tokens * plan.prefill, tokens * plan.expert_compute, attention / plan.attention_rate, tokens * plan.exchange,
    )  # fmt: skip


@dataclass(frozen=True)
class Timing:
    """Seconds. ``running`` sequences of the replica; ``wait`` for a place, part of ``ttft``; ``explain`` gives the
    parts of a step by what they wait for, which a search over thousands of timings never asks for.
    """

    ttft: float
    tpot: float
    running: float
    explain: Callable[[], dict[str, float]]
    wait: float = 0.0

    @property
    def parts(self) -> dict[str, float]:
        """Seconds of a step by what it waits for: compute, memory, network, latency; and the queue's share of TTFT."""
        return self.explain()


def _dot(weights: tuple[float, ...], terms: tuple[float, ...]) -> float:
    return sum(map(float.__mul__, weights, terms))


def prompt_s(plan: SpeedPlan, cal: Calibrated, tokens: float, cached: float = 0.0) -> float:
    """Seconds to work out one prompt of ``tokens`` of which the first ``cached`` are found in the prefix cache."""
    return _dot(cal.prefill, prefill_terms(plan, tokens, cached)) + (tokens - cached) * plan.slow_exchange


def raw_tpot_s(
    plan: SpeedPlan, cal: Calibrated, running: float, inputs: float, outputs: float, prompt: float,
    draft: Draft | None = None,
) -> tuple[float, float]:  # fmt: skip
    """(time per output token, decode step) in seconds, before cell factors; ``prompt`` seconds prefill one prompt.

    With ``draft`` a step verifies one token more than was drafted and yields the expected accepted ones and one.
    """
    rank = stage_batch(plan, running) / plan.ranks_data
    step = _dot(cal.decode, decode_terms(plan, running, inputs + outputs / 2)) + rank * plan.slow_exchange
    if draft:
        width = draft.tokens + 1
        verify = _dot(cal.decode, decode_terms(plan, running, inputs + outputs / 2, width))
        verify += rank * width * plan.slow_exchange
        step = (verify + draft.tokens * DRAFT_SHARE * step) / draft.tokens_per_step
    arriving = running / plan.stages / plan.ranks_data / outputs
    return step + arriving * (prompt + cal.prompt * 1e-3), step


def ttft_terms(step: float, prompt: float, waiting_rank: float, queue_s: float) -> tuple[float, ...]:
    """Terms of the time to first token, in the order of ``TTFT_TERMS``: seconds."""
    return (1e-3, prompt, prompt * waiting_rank, step, waiting_rank * 1e-3, queue_s)


def timing(
    plan: SpeedPlan,
    cal: Calibrated,
    concurrency: float,
    capacity: float,
    inputs: float,
    outputs: float,
    factors: tuple[float, float],
    prompt: float,
    cached: float = 0.0,
    draft: Draft | None = None,
) -> Timing:
    """TTFT and TPOT of a replica with ``concurrency`` requests in flight in a closed loop.

    ``capacity``: sequences that the KV cache (or the engine's limit) holds; the rest queue for whole requests, so a
    request waits (concurrency / capacity - 1) services. ``prompt``: seconds that one prompt takes (``prompt_s``), of
    which ``cached`` tokens come from the prefix cache. ``factors`` correct TPOT and TTFT for the cell.
    """
    running = max(min(concurrency, capacity), min(1.0, concurrency))
    raw, step = raw_tpot_s(plan, cal, running, inputs, outputs, prompt, draft)
    tpot = raw * factors[0]
    queue = max(concurrency / running - 1.0, 0.0) * outputs * tpot
    waiting = running / plan.ranks_data
    wait = cal.ttft[-1] * queue
    first = _dot(cal.ttft[:-1], ttft_terms(step, prompt, waiting, queue)[:-1]) * factors[1] + wait
    share = queue / first if first else 0.0
    return Timing(first, tpot, running, partial(_parts, plan, cal, running, inputs, outputs, cached, share), wait)


def _parts(
    plan: SpeedPlan, cal: Calibrated, running: float, inputs: float, outputs: float, cached: float, queue_share: float
) -> dict[str, float]:
    """Seconds of a step by what it waits for: compute, memory, network, latency; and the queue's share of TTFT."""
    terms = tuple(map(float.__mul__, cal.decode, decode_terms(plan, running, inputs + outputs / 2)))
    arriving = running / plan.stages / plan.ranks_data / outputs
    rank = stage_batch(plan, running) / plan.ranks_data
    products, experts, attention, exchange = map(float.__mul__, cal.prefill, prefill_terms(plan, inputs, cached))
    return {
        "memory": terms[0] + sum(terms[1:6]) + terms[11],
        "compute": terms[12] + terms[13] + arriving * (products + experts + attention),
        "network": terms[14]
        + terms[15]
        + arriving * exchange
        + (rank + arriving * (inputs - cached)) * plan.slow_exchange,
        "latency": sum(terms[6:11]) + sum(terms[16:19]) + arriving * cal.prompt * 1e-3,
        "queue": queue_share,
    }
