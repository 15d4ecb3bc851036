"""What an engine does with a GPU's memory besides weights and cache, by engine and version.

The profiling peak of vLLM-like engines is the larger of two: the sampler's warm-up (sequences x vocabulary) on top of
what a forward pass of the largest batch leaves (three hidden states a token, the products of the chosen experts), and
the forward pass itself with the MLP's products and the workspace of delta nets. SGLang leaves a reserve outside its
share instead, by its own rule.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from assistant.sizing.serving.memory.weights import Layout
from assistant.sizing.serving.parts.dtypes import WeightFormat
from assistant.sizing.serving.parts.shape import ServingShape
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from knowledge.evidence import Cited
from knowledge.schema.engine import Engine, EngineEra

GIB = float(2**30)
"""Bytes of a GiB."""
MODEL_ERROR_SHARE = 0.03
"""Of weights and activations, either way: what the logs of docs/accuracy.md are mostly within."""
MIB = float(2**20)
"""Bytes of a MiB."""
LARGE_CARD_BYTES = 70 * GIB
"""From here on vLLM takes the defaults of large cards (source vllm-arg-utils of the catalogue)."""
WHOLE_PROMPT_TOKENS = 32_768
"""Contexts up to which vLLM's first engine reads prompts whole; beyond it, it chunks them."""
STILL_TOWER_BYTES = 0.25 * GIB
"""Activations of a tower that takes images of one size (source own-memory-fit of the catalogue)."""
FEW_SEQUENCES, FEW_GRAPHS = 16, 0.25
"""With so few sequences the list of captured batches is short: a quarter of the estimate; our judgement."""


@dataclass(frozen=True, eq=False)
class EnginePlan:
    """One engine at one version (or range of versions) on one size of card."""

    engine: str
    calibrated_as: str
    version_known: bool
    block_tokens: int
    era: EngineEra
    max_batched_tokens: int
    max_sequences: int
    linked: bool = True
    large_card: bool = True
    vendors: tuple[str, ...] = ()


@dataclass(frozen=True)
class Overheads:
    """Bytes of one GPU beside weights and cache. ``graphs`` may lie outside the engine's budget."""

    activation: float
    non_torch: float
    graphs: float


def _version_key(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text.split("+")[0])[:3])


def _era(engine: Engine, version: str | None) -> tuple[EngineEra, bool]:
    key = _version_key(version) if version else ()
    if not key or not re.match(r"v?\d+\.", version or ""):
        return next(era for era in engine.eras if era.since == engine.assumed_since), False
    fitting = [era for era in engine.eras if _version_key(era.since) <= key]
    return (fitting or list(engine.eras))[-1], True


@lru_cache(maxsize=1024)
def _engine_at(catalogue: Catalogue, name: str, version: str | None) -> tuple[Engine, EngineEra, bool]:
    """The engine that ``name`` means, its era at ``version``, and whether the version told which."""
    resolved = catalogue.resolve("engines", name)
    if resolved.id is None:
        known = sorted(catalogue.entries("engines"))
        raise BadInput("engine", name, f"one of {', '.join(known)}", known[:3])
    record: Engine = catalogue.entry("engines", resolved.id)
    return record, *_era(record, version)


def engine_plan(
    catalogue: Catalogue, name: str, version: str | None, gpu_bytes: float, small_batches: bool, batched: int | None,
    context: float | None = None, linked: bool = True, sequences: int | None = None,
) -> EnginePlan:  # fmt: skip
    """The engine ``name`` at ``version``; raises ``BadInput`` on ``engine`` for one that is not known.

    vLLM's server batches 8,192 tokens and 1,024 sequences on cards of 70 GiB and more, else (and where the card's name
    asks for ``small_batches``) 2,048 and 256; its first engine reads whole prompts of up to ``context``; SGLang's chunk
    grows with the card.
    """
    _, era, _ = _engine_at(catalogue, name, version)
    large = gpu_bytes >= LARGE_CARD_BYTES and not small_batches
    whole = context if era.whole_prompts else None
    return _plan(catalogue, name, version, gpu_bytes, large, batched, whole, linked, sequences)


@lru_cache(maxsize=4096)
def _plan(
    catalogue: Catalogue, name: str, version: str | None, gpu_bytes: float, large: bool, batched: int | None,
    context: float | None, linked: bool, sequences: int | None,
) -> EnginePlan:  # fmt: skip
    record, era, known = _engine_at(catalogue, name, version)
    return EnginePlan(
        engine=record.id,
        calibrated_as=record.calibrated_as or record.id,
        version_known=known,
        block_tokens=record.block_tokens,
        era=era,
        max_batched_tokens=batched or _default_batch(record.id, era, gpu_bytes, large, context),
        max_sequences=sequences or era.max_sequences or (1024 if large else 256),
        linked=linked,
        large_card=large,
        vendors=record.vendors,
    )


def reads_whole_prompts(catalogue: Catalogue, name: str, version: str | None) -> bool:
    """Whether the engine's largest batch follows from the context; raises ``BadInput`` as ``engine_plan`` does."""
    return _engine_at(catalogue, name, version)[1].whole_prompts


def assumed_version(catalogue: Catalogue, engine: str) -> str:
    """The first version of the range of ``engine`` that is assumed where none is stated."""
    record: Engine = catalogue.entry("engines", engine)
    return record.assumed_since


@lru_cache(maxsize=4096)
def versions_after(catalogue: Catalogue, engine: str, made: str) -> tuple[str, ...]:
    """First versions of the ranges of ``engine`` that were not over by the month ``made`` (YYYY-MM)."""
    record: Engine = catalogue.entry("engines", engine)
    return tuple(f"{era.since}.0" for era in record.eras if not era.until or era.until > made)


def _default_batch(engine: str, era: EngineEra, gpu_bytes: float, large: bool, context: float | None) -> int:
    if engine == "sglang":
        return _sglang_chunk(gpu_bytes)[0]
    if era.whole_prompts and context and context <= WHOLE_PROMPT_TOKENS:
        return max(int(context), 2048)
    return 8192 if large else 2048


def _sglang_chunk(gpu_bytes: float) -> tuple[int, int, int]:
    """SGLang's default (chunk tokens, graph batch below 4 ranks, from 4 ranks) by card size (its PR 10975)."""
    gib = gpu_bytes / GIB
    table = ((20, 2048, 8, 8), (35, 2048, 24, 80), (60, 4096, 32, 160), (160, 8192, 256, 512))
    return next(((chunk, few, many) for top, chunk, few, many in table if gib < top), (16384, 512, 512))


def sglang_reserve_bytes(plan: EnginePlan, gpu_bytes: float, layout: Layout) -> float:
    """Memory SGLang leaves outside its share: 512 MiB, 1.5 MiB a chunk token, 2 MiB a graph sequence, ranks."""
    _, few, many = _sglang_chunk(gpu_bytes)
    graph_batch = many if layout.tensor >= 4 else few
    reserve = 512 + 1.5 * max(plan.max_batched_tokens, 2048) + 2.0 * graph_batch
    reserve += layout.tensor * layout.pipeline / 8 * 1024
    if layout.attention_data > 1:
        reserve += graph_batch * layout.attention_data * (4.5 if graph_batch > 300 else 3.0)
    if gpu_bytes > 60 * GIB:
        reserve = max(reserve, 10 * 1024)
    return reserve * MIB


def _expert_activation_values(shape: ServingShape, fmt: WeightFormat, layout: Layout) -> float:
    """Values a token of the chosen experts' products: gate and up, their product, and the output of each."""
    if not shape.is_moe or fmt.name == "mxfp4":
        return 0.0
    width = shape.expert_width / (1 if layout.expert > 1 else layout.tensor)
    return shape.experts_per_token * (3 * width + shape.expert_hidden)


def _non_torch(plan: EnginePlan) -> dict[int, float]:
    """GiB by ranks; cards that no fast link joins hold no buffers for custom all-reduces."""
    return _values(plan.era.non_torch_gib if plan.linked else plan.era.non_torch_pcie_gib or plan.era.non_torch_gib)


def _values(table: Mapping[int, Cited[float]]) -> dict[int, float]:
    return {ranks: cited.value or 0.0 for ranks, cited in table.items()}


def _by_ranks(table: dict[int, float], ranks: int) -> float:
    """The value at the largest tabulated number of ranks not above ``ranks``."""
    return table[max((known for known in table if known <= ranks), default=min(table))]


def _graph_gib(shape: ServingShape, layout: Layout, plan: EnginePlan) -> float:
    """Memory of captured graphs: by layer where the era says so, else 0.55 GiB + 12 MiB a layer, 0.4 for experts.

    Half of it where the engine estimates it for the shorter list of batches of a smaller card, less for a handful.
    """
    layers = shape.layers / layout.pipeline
    if plan.era.graph_gib_per_layer:
        return _by_ranks(_values(plan.era.graph_gib_per_layer), layout.tensor) * layers
    whole = 0.55 + 0.012 * layers + (0.4 if shape.is_moe else 0.0)
    if not plan.era.graphs_in_budget:
        return whole
    return whole * (1.0 if plan.large_card else FEW_GRAPHS if plan.max_sequences <= FEW_SEQUENCES else 0.5)


def _sampler_bytes(plan: EnginePlan) -> float:
    small = None if plan.large_card else plan.era.sampler_bytes_small_cards.value
    return small or plan.era.sampler_bytes.value or 0.0


@lru_cache(maxsize=65536)
def overheads(shape: ServingShape, fmt: WeightFormat, layout: Layout, plan: EnginePlan, graphs: bool) -> Overheads:
    """Activation peak, non-torch memory and CUDA graphs of one GPU (formulas ``serving.activation``, ``.overhead``)."""
    sampler = _sampler_bytes(plan) * plan.max_sequences * shape.vocab
    values = 3 * shape.hidden + _expert_activation_values(shape, fmt, layout)
    left = 2.0 * plan.max_batched_tokens * values
    products = 3 * (shape.dense_width or shape.expert_width * shape.experts_per_token) / layout.tensor
    workspace = (plan.era.delta_net_gib_per_head.value or 0.0) * GIB * shape.delta_heads / layout.tensor
    forward = left + 2.0 * plan.max_batched_tokens * products + workspace
    vision = STILL_TOWER_BYTES if shape.vision else 0.0
    if plan.era.sampler_apart:
        peak = max(sampler, forward if plan.era.whole_prompts else left)
    else:
        peak = max(sampler + left, forward if shape.delta_heads else 0.0)
    if shape.any_resolution:
        peak = max(peak, (plan.era.vision_gib.value or 0.0) * GIB)
    non_torch = _by_ranks(_non_torch(plan), layout.tensor * layout.attention_data) * GIB
    graph_gib = _graph_gib(shape, layout, plan) if graphs else 0.0
    return Overheads(peak + vision, non_torch, graph_gib * GIB)
