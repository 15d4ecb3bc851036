"""A serving request brought to definite values: the basis on a layout, the memory of one GPU, and whether it fits."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from assistant.sizing.serving.basis import Asked, Basis, asked_of, basis_of, model_of, on_version
from assistant.sizing.serving.layouts import candidates, check_gpus, divisibility, replicas_of
from assistant.sizing.serving.memory.adapters import adapter_bytes
from assistant.sizing.serving.memory.budget import MemoryPlan, memory_plan
from assistant.sizing.serving.memory.drafts import draft_bytes
from assistant.sizing.serving.memory.engine_budget import versions_after
from assistant.sizing.serving.memory.weights import Layout
from assistant.sizing.serving.request import ServeRequest
from knowledge.architecture import ModelArchitecture
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from knowledge.message import Message, say

HIGH_SHARE = 0.95
"""The memory share that is tried where the default leaves no room, as people who run such models set it; our
judgement."""
SMALL_BATCH = 2048
"""Batched tokens that go with it: vLLM's default on small cards."""
LEAST_CONTEXT = 4096
"""Tokens below which a context that nobody asked for is not shortened further; our judgement."""
UNDATED = "9999"
"""A month after all others: a model without a date is new."""


@dataclass(frozen=True, eq=False)
class Setup:
    """A basis on a layout, for lengths that make one sequence ``context`` tokens. ``replicas`` independent ones."""

    basis: Basis
    layout: Layout
    replicas: int
    context: float | None
    memory: MemoryPlan
    misfit: Message | None = None

    @property
    def sequences(self) -> float:
        """Sequences of ``context`` that one attention rank's cache holds."""
        return self.memory.sequences(self.context) if self.context else math.inf

    @cached_property
    def fits(self) -> bool:
        """Whether the engine starts: layout allowed, budget not exceeded, cache for one sequence of ``context``."""
        room = self.memory.cache > 0 or (not self.memory.plan.kinds and self.memory.cache >= 0)
        return self.misfit is None and room and self.sequences >= 1

    @property
    def graphs_fit(self) -> bool:
        """Whether graphs outside the engine's share are expected to find room in the rest.

        No condition of ``fits``: what graphs take is an estimate, and layouts that it forbade have run.
        """
        share = self.basis.share or self.basis.engine.era.memory_share.value or 0.9
        return self.memory.outside <= (1 - share) * self.basis.gpu.memory


def _context(request: ServeRequest, model: ModelArchitecture) -> float | None:
    if request.context:
        return float(request.context)
    if request.input_tokens and request.output_tokens:
        return request.input_tokens.max + request.output_tokens.max
    return float(model.max_context) if model.max_context else None


def resolve(request: ServeRequest, catalogue: Catalogue) -> Setup:
    """The request with everything that was left out chosen, and one GPU's memory.

    Where the engine's default share and batch leave no room although neither was stated, a high share and a small
    batch are tried, as people who run such a configuration set them; ``Basis.tuned`` says so.
    """
    model = model_of(catalogue, request.model)
    context = _context(request, model)
    asked = asked_of(request, context, catalogue)
    basis = basis_of(asked, model, catalogue)
    chosen = _starting(request, _chosen_layout(request, asked, basis, context, catalogue))
    untouched = request.memory_share is None and request.max_batched_tokens is None
    if chosen.fits or chosen.misfit or not untouched or not request.input_tokens:
        return chosen
    small = asked._replace(batched=SMALL_BATCH, share=HIGH_SHARE, tuned=True)
    tuned = _chosen_layout(request, small, basis_of(small, model, catalogue), context, catalogue)
    return tuned if tuned.fits else chosen


def _on_any_version(request: ServeRequest, asked: Asked, setup: Setup, catalogue: Catalogue) -> Setup:
    """``setup``, or that of the first range of versions that does not start it.

    Whether stated GPUs hold a model, asked without a version and without a load, is answered for every version that
    came after model and card; a load is one of a new deployment, sized for the version assumed.
    """
    if setup.basis.engine.version_known or not setup.fits or request.input_tokens:
        return setup
    if request.gpus is None and request.tensor_parallel is None:
        return setup
    for since in versions_after(catalogue, setup.basis.engine.engine, _made(request, setup, catalogue)):
        other = with_basis(setup, on_version(setup.basis, asked, setup.context, catalogue, since))
        if not other.fits:
            return other
    return setup


def caches_by_version(request: ServeRequest, setup: Setup, catalogue: Catalogue) -> dict[str, float]:
    """Bytes of KV cache on each range of versions, by its first one, that came after model and card."""
    asked = asked_of(request, setup.context, catalogue)
    caches = {}
    for since in versions_after(catalogue, setup.basis.engine.engine, _made(request, setup, catalogue)):
        basis = on_version(setup.basis, asked, setup.context, catalogue, since)
        caches[since] = with_basis(setup, basis).memory.cache
    return caches


def _made(request: ServeRequest, setup: Setup, catalogue: Catalogue) -> str:
    """The month (YYYY-MM) since which model and card exist; far ahead where the model's is not known."""
    if isinstance(request.model, ModelArchitecture) or request.model.endswith(".json"):
        return UNDATED
    return _made_in(request.model, setup.basis.gpu.id, catalogue)


@lru_cache(maxsize=4096)
def _made_in(model: str, gpu: str, catalogue: Catalogue) -> str:
    month = catalogue.model(model).release_date
    card = catalogue.accelerator(gpu).released.value
    return max(month, card or "")[:7] if month else UNDATED


def _starting(request: ServeRequest, setup: Setup) -> Setup:
    """Engines other than vLLM start with any cache: a context that nobody asked for then falls to what it holds."""
    asked = request.context or request.input_tokens
    if setup.fits or asked or setup.misfit or setup.basis.engine.engine == "vllm" or not setup.context:
        return setup
    tokens = min(setup.memory.tokens(setup.context), setup.context)
    shorter = replace(setup, context=float(tokens))
    return shorter if tokens >= LEAST_CONTEXT and shorter.fits else setup


def _chosen_layout(
    request: ServeRequest, asked: Asked, basis: Basis, context: float | None, catalogue: Catalogue
) -> Setup:
    """The stated layout, or the smallest that fits; the largest tried where none does."""
    data, expert = request.attention_data_parallel, request.expert_parallel
    if request.tensor_parallel is not None:
        stated = _stated_layout(request, basis, request.tensor_parallel, context)
        return _on_any_version(request, asked, stated, catalogue)
    last: Setup | None = None
    for tensor, pipeline in candidates(request, basis.shape, basis.gpu, data):
        layout = Layout(tensor, pipeline, data, expert)
        replicas = replicas_of(request, layout)
        if replicas is None or (request.gpus and request.gpus != layout.gpus * replicas):
            continue
        setup = _on_any_version(request, asked, on_layout(basis, layout, replicas, context), catalogue)
        if setup.misfit and last is not None:
            continue
        if setup.fits:
            return setup
        last = setup
    if last is None:
        raise BadInput("gpus", request.gpus, f"a multiple of {data} attention-data ranks by powers of two", [str(data)])
    return last


def _stated_layout(request: ServeRequest, basis: Basis, tensor: int, context: float | None) -> Setup:
    """The stated tensor ranks; where they alone hold no replica, ``gpus`` says how many pipeline stages do."""
    data, expert = request.attention_data_parallel, request.expert_parallel
    replicas = request.data_parallel or 1
    layout = Layout(tensor, request.pipeline_parallel or 1, data, expert, request.decode_context_parallel)
    setup = on_layout(basis, layout, replicas, context)
    if request.gpus is None or request.gpus == layout.gpus * replicas:
        return setup
    stages, rest = divmod(request.gpus, layout.gpus * replicas)
    if setup.fits or rest or request.pipeline_parallel is not None:
        check_gpus(request, request.gpus, layout.gpus, replicas)
    return on_layout(basis, replace(layout, pipeline=stages), replicas, context)


def with_basis(setup: Setup, basis: Basis) -> Setup:
    """``setup`` on another basis."""
    return on_layout(basis, setup.layout, setup.replicas, setup.context)


def on_layout(basis: Basis, layout: Layout, replicas: int, context: float | None) -> Setup:
    """``basis`` on ``layout``, its memory worked out."""
    memory, misfit = _laid_out(basis, layout)
    return Setup(basis, layout, replicas, context, memory, misfit)


@lru_cache(maxsize=65536)
def _laid_out(basis: Basis, layout: Layout) -> tuple[MemoryPlan, Message | None]:
    return _memory(basis, layout), _misfit(basis, layout)


def _misfit(basis: Basis, layout: Layout) -> Message | None:
    """Why ``layout`` is not allowed, or None."""
    engine, gpu = basis.engine, basis.gpu
    if gpu.slice and layout.gpus > 1:
        return say("serving.misfit.one_instance", instances=layout.gpus, profile=gpu.slice)
    if engine.vendors and gpu.vendor not in engine.vendors:
        vendors = " / ".join(engine.vendors)
        return say("serving.misfit.vendor", engine=engine.engine, vendors=vendors, gpu=gpu.id)
    return divisibility(basis.shape, layout)


def _memory(basis: Basis, layout: Layout) -> MemoryPlan:
    slots, rank = basis.lora
    extra = adapter_bytes(basis.shape, layout.tensor, layout.pipeline, slots, rank) if slots else 0.0
    if basis.draft:
        extra += draft_bytes(basis.draft, basis.shape, basis.fmt, layout, basis.engine.engine)
    return memory_plan(
        basis.shape, basis.fmt, layout, basis.engine, basis.gpu.memory, basis.share, basis.kv_dtype, basis.graphs,
        extra, basis.state_copies, basis.draft,
    )  # fmt: skip
