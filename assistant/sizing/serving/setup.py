"""A serving request brought to definite values: model, card, engine, layout and the memory of one GPU."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path

from assistant.sizing.serving.layouts import candidates, check_gpus, divisibility, replicas_of
from assistant.sizing.serving.memory.adapters import adapter_bytes
from assistant.sizing.serving.memory.budget import MemoryPlan, memory_plan
from assistant.sizing.serving.memory.drafts import OWN_LAYERS, Draft, draft_bytes
from assistant.sizing.serving.memory.engine_budget import EnginePlan, engine_plan, versions_after
from assistant.sizing.serving.memory.weights import Layout, format_for
from assistant.sizing.serving.parts.dtypes import WeightFormat, format_in_name, kv_bytes, weight_format
from assistant.sizing.serving.parts.hardware import Gpu
from assistant.sizing.serving.parts.mig import sliced_gpu
from assistant.sizing.serving.parts.shape import ServingShape, shape_of
from assistant.sizing.serving.request import ServeRequest
from knowledge.architecture import ModelArchitecture, architecture_of
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput

HIGH_SHARE = 0.95
SMALL_BATCH = 2048
LEAST_CONTEXT = 4096
UNDATED = "9999"


@dataclass(frozen=True)
class Setup:
    """Everything the arithmetic needs, resolved. ``replicas`` independent ones of ``layout``."""

    model: ModelArchitecture
    shape: ServingShape
    gpu: Gpu
    fmt: WeightFormat
    kv_dtype: str
    engine: EnginePlan
    layout: Layout
    replicas: int
    context: float | None
    share: float | None
    graphs: bool
    memory: MemoryPlan
    misfit: str | None = None
    tuned: bool = False
    lora: tuple[int, int] = (0, 0)
    draft: Draft | None = None
    state_copies: int = 1

    @cached_property
    def sequences(self) -> float:
        """Sequences of ``context`` that one attention rank's cache holds."""
        return self.memory.sequences(self.context) if self.context else math.inf

    @cached_property
    def fits(self) -> bool:
        """Whether the engine starts: layout allowed, budget not exceeded, cache for one sequence of ``context``."""
        room = self.memory.cache > 0 or (not self.memory.plan.kinds and self.memory.cache >= 0)
        return self.misfit is None and room and self.graphs_fit and self.sequences >= 1

    @property
    def graphs_fit(self) -> bool:
        """Whether graphs outside the engine's share find room in the rest; judged only where the version is known."""
        if not self.engine.version_known or not self.memory.outside:
            return True
        share = self.share or self.engine.era.memory_share.value or 0.9
        return self.memory.outside <= (1 - share) * self.gpu.memory


@lru_cache(maxsize=2048)
def _named_model(catalogue: Catalogue, name: str) -> ModelArchitecture:
    return architecture_of(catalogue.model(name))


@lru_cache(maxsize=256)
def _file_model(path: str, modified_ns: int) -> ModelArchitecture:
    from knowledge.architecture import from_config_file

    return from_config_file(Path(path))


def model_of(catalogue: Catalogue, model: str | ModelArchitecture) -> ModelArchitecture:
    """The architecture of a catalogue name or of a ``config.json``'s path (anything ending in .json)."""
    if isinstance(model, ModelArchitecture):
        return model
    if model.endswith(".json"):
        path = Path(model)
        if not path.is_file():
            raise BadInput("model", model, "a catalogue name, or the path of an existing config.json")
        return _file_model(model, path.stat().st_mtime_ns)
    return _named_model(catalogue, model)


def _format(
    model: ModelArchitecture, name: str | ModelArchitecture, weight_dtype: str | None, engine: str
) -> WeightFormat:
    """The stated format; else what the given name says (``...-FP8``, ``...-AWQ``); else the checkpoint's own.

    llama.cpp reads GGUF files, which unless stated are Q4_K_M: what its tools and Ollama's library offer first;
    those of gpt-oss keep its MXFP4.
    """
    if isinstance(name, str) and not model.quantisation:
        named = format_in_name(name.removesuffix(".json"))
        # "FP8" of a checkpoint that is known to quantise less than all means what that checkpoint does.
        if weight_dtype is None or (named == "fbgemm_fp8" and weight_format(weight_dtype).name == "fp8"):
            weight_dtype = named or weight_dtype
    if weight_dtype is None and engine == "llama.cpp":
        own = format_for(model, None)
        return own if own.name.startswith("mxfp4") else format_for(model, "q4_k_m")
    return format_for(model, weight_dtype)


def kv_dtype_of(asked: str, model: ModelArchitecture, fmt: WeightFormat, engine: str) -> str:
    """The cache's format. ``auto``: what the checkpoint declares, as published NVFP4 ones (and TensorRT-LLM's FP8
    ones) do; that of compressing attention is 8 bits everywhere; else 16 bits.
    """
    if asked != "auto":
        kv_bytes(asked)
        return asked
    if model.quantisation and model.quantisation.kv_cache_dtype:
        return model.quantisation.kv_cache_dtype
    if any(group.attention and group.attention.compression > 1 for group in model.groups):
        return "fp8"
    if fmt.name.startswith("nvfp4") or (engine == "trtllm" and fmt.compute == "fp8"):
        return "fp8"
    return "bf16"


def _context(request: ServeRequest, model: ModelArchitecture) -> float | None:
    if request.context:
        return float(request.context)
    if request.input_tokens and request.output_tokens:
        return request.input_tokens.max + request.output_tokens.max
    return float(model.max_context) if model.max_context else None


def resolve(request: ServeRequest, catalogue: Catalogue) -> Setup:
    """The request with everything that was left out chosen, and one GPU's memory.

    Where the engine's default share and batch leave no room although neither was stated, a high share and a small
    batch are tried, as people who run such a configuration set them; ``Setup.tuned`` says so.
    """
    model = model_of(catalogue, request.model)
    gpu = sliced_gpu(catalogue, request.gpu, request.mig_profile)
    context = _context(request, model)
    plan = _engine(request, gpu, catalogue, request.engine_version, context, request.max_batched_tokens)
    fmt = _format(model, request.model, request.weight_dtype, plan.engine)
    if plan.version_known and gpu.family in plan.era.mxfp4_pads:
        fmt = replace(fmt, expert_pads=plan.era.mxfp4_pads[gpu.family])
    base = Setup(
        model=model,
        shape=shape_of(model),
        gpu=gpu,
        fmt=fmt,
        kv_dtype=kv_dtype_of(request.kv_dtype, model, fmt, plan.engine),
        engine=plan,
        layout=Layout(),
        replicas=1,
        context=context,
        share=request.memory_share,
        graphs=request.cuda_graphs,
        memory=None,  # type: ignore[arg-type]
        lora=(request.lora_adapters or 0, request.lora_rank),
        draft=_draft(request, model, catalogue, plan.engine),
        state_copies=1 + (request.prefix_cached_share > 0) + (request.draft_tokens or 0),
    )
    chosen = _starting(request, _chosen_layout(request, base, catalogue))
    untouched = request.memory_share is None and request.max_batched_tokens is None
    if chosen.fits or chosen.misfit or not untouched or not request.input_tokens:
        return chosen
    small = _engine(request, gpu, catalogue, request.engine_version, context, SMALL_BATCH)
    tuned = _chosen_layout(request, replace(base, engine=small, share=HIGH_SHARE, tuned=True), catalogue)
    return tuned if tuned.fits else chosen


def _draft(request: ServeRequest, model: ModelArchitecture, catalogue: Catalogue, engine: str) -> Draft | None:
    """The draft that is named: layers of the model's own, or another model in its own format."""
    if request.draft_model is None:
        return None
    if request.draft_model.lower() in OWN_LAYERS:
        return Draft(layers=max(model.mtp_layers, 1))
    try:
        other = model_of(catalogue, request.draft_model)
    except BadInput as error:
        expected = f"{', '.join(OWN_LAYERS)} for the model's own layers, or a model"
        raise BadInput("draft_model", request.draft_model, expected, error.nearest) from None
    if other.vocab != model.vocab:
        raise BadInput("draft_model", request.draft_model, f"a model with the vocabulary of {model.name}")
    return Draft(shape_of(other), _format(other, request.draft_model, None, engine))


def _on_any_version(request: ServeRequest, setup: Setup, catalogue: Catalogue) -> Setup:
    """``setup``, or that of the first range of versions that does not start it.

    Whether stated GPUs hold a model, asked without a version and without a load, is answered for every version that
    came after model and card; a load is one of a new deployment, sized for the version assumed.
    """
    if setup.engine.version_known or not setup.fits or request.input_tokens:
        return setup
    if request.gpus is None and request.tensor_parallel is None:
        return setup
    for since in versions_after(catalogue, setup.engine.engine, _made(request, setup, catalogue)):
        plan = _engine(request, setup.gpu, catalogue, since, setup.context, request.max_batched_tokens)
        engine = replace(plan, version_known=False)
        other = with_layout(replace(setup, engine=engine), setup.layout, setup.replicas)
        if not other.fits:
            return other
    return setup


def caches_by_version(request: ServeRequest, setup: Setup, catalogue: Catalogue) -> dict[str, float]:
    """Bytes of KV cache on each range of versions, by its first one, that came after model and card."""
    caches = {}
    for since in versions_after(catalogue, setup.engine.engine, _made(request, setup, catalogue)):
        plan = _engine(request, setup.gpu, catalogue, since, setup.context, request.max_batched_tokens)
        caches[since] = with_layout(replace(setup, engine=plan), setup.layout, setup.replicas).memory.cache
    return caches


def _engine(
    request: ServeRequest, gpu: Gpu, catalogue: Catalogue, version: str | None, context: float | None,
    batched: int | None,
) -> EnginePlan:  # fmt: skip
    a100, linked = gpu.id.startswith("a100"), not gpu.is_slow(2)
    return engine_plan(
        catalogue, request.engine, version, gpu.memory, a100, batched, context, linked, request.max_sequences
    )


def _made(request: ServeRequest, setup: Setup, catalogue: Catalogue) -> str:
    """The month (YYYY-MM) since which model and card exist; far ahead where the model's is not known."""
    if isinstance(request.model, ModelArchitecture) or request.model.endswith(".json"):
        return UNDATED
    model = catalogue.model(request.model).release_date
    card = catalogue.accelerator(setup.gpu.id).released.value
    return max(model, card or "")[:7] if model else UNDATED


def _starting(request: ServeRequest, setup: Setup) -> Setup:
    """Engines other than vLLM start with any cache: a context that nobody asked for then falls to what it holds."""
    asked = request.context or request.input_tokens
    if setup.fits or asked or setup.misfit or setup.engine.engine == "vllm" or not setup.context:
        return setup
    tokens = min(setup.memory.tokens(setup.context), setup.context)
    shorter = replace(setup, context=float(tokens))
    return shorter if tokens >= LEAST_CONTEXT and shorter.fits else setup


def _chosen_layout(request: ServeRequest, base: Setup, catalogue: Catalogue) -> Setup:
    """The stated layout, or the smallest that fits; the largest tried where none does."""
    data, expert = request.attention_data_parallel, request.expert_parallel
    if request.tensor_parallel is not None:
        return _on_any_version(request, _stated_layout(request, base, request.tensor_parallel), catalogue)
    last: Setup | None = None
    for tensor, pipeline in candidates(request, base.shape, base.gpu, data):
        layout = Layout(tensor, pipeline, data, expert)
        replicas = replicas_of(request, layout)
        if replicas is None or (request.gpus and request.gpus != layout.gpus * replicas):
            continue
        setup = _on_any_version(request, with_layout(base, layout, replicas), catalogue)
        if setup.misfit and last is not None:
            continue
        if setup.fits:
            return setup
        last = setup
    if last is None:
        raise BadInput("gpus", request.gpus, f"a multiple of {data} attention-data ranks by powers of two", [str(data)])
    return last


def _stated_layout(request: ServeRequest, base: Setup, tensor: int) -> Setup:
    """The stated tensor ranks; where they alone hold no replica, ``gpus`` says how many pipeline stages do."""
    data, expert = request.attention_data_parallel, request.expert_parallel
    replicas = request.data_parallel or 1
    layout = Layout(tensor, request.pipeline_parallel or 1, data, expert, request.decode_context_parallel)
    setup = with_layout(base, layout, replicas)
    if request.gpus is None or request.gpus == layout.gpus * replicas:
        return setup
    stages, rest = divmod(request.gpus, layout.gpus * replicas)
    if setup.fits or rest or request.pipeline_parallel is not None:
        check_gpus(request, request.gpus, layout.gpus, replicas)
    return with_layout(base, replace(layout, pipeline=stages), replicas)


def with_layout(base: Setup, layout: Layout, replicas: int) -> Setup:
    """``base`` on another layout, its memory worked out again."""
    misfit = divisibility(base.shape, layout)
    if base.engine.vendors and base.gpu.vendor not in base.engine.vendors:
        misfit = f"{base.engine.engine} runs on {' and '.join(base.engine.vendors)} only, not on {base.gpu.id}"
    if base.gpu.slice and layout.gpus > 1:
        misfit = f"a process runs within one MIG instance: {layout.gpus} of {base.gpu.slice} cannot hold one replica"
    slots, rank = base.lora
    extra = adapter_bytes(base.shape, layout.tensor, layout.pipeline, slots, rank) if slots else 0.0
    if base.draft:
        extra += draft_bytes(base.draft, base.shape, base.fmt, layout, base.engine.engine)
    memory = memory_plan(
        base.shape, base.fmt, layout, base.engine, base.gpu.memory, base.share, base.kv_dtype, base.graphs, extra,
        base.state_copies, base.draft,
    )  # fmt: skip
    return replace(base, layout=layout, replicas=replicas, memory=memory, misfit=misfit)
