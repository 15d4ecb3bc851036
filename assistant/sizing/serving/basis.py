"""What a serving request names, looked up: model, card, formats and engine, before any layout.

All of it is the same for every request of one model on one card with one engine, so it is made once for each and kept;
everything that is worked out from it is cached by its identity.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from assistant.sizing.serving.memory.drafts import OWN_LAYERS, Draft
from assistant.sizing.serving.memory.engine_budget import EnginePlan, engine_plan, reads_whole_prompts
from assistant.sizing.serving.memory.weights import format_for
from assistant.sizing.serving.parts.dtypes import WeightFormat, format_in_name, kv_bytes, weight_format
from assistant.sizing.serving.parts.hardware import Gpu
from assistant.sizing.serving.parts.mig import sliced_gpu
from assistant.sizing.serving.parts.shape import ServingShape, served_shape
from assistant.sizing.serving.request import ServeRequest
from knowledge.architecture import ModelArchitecture, architecture_of
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput


@dataclass(frozen=True, eq=False)
class Basis:
    """Everything that the arithmetic needs beside a layout and the lengths.

    ``share`` None is the engine's default; ``lora`` holds slots and rank; ``tuned``: memory share and batch were set so
    that the engine starts.
    """

    model: ModelArchitecture
    shape: ServingShape
    gpu: Gpu
    fmt: WeightFormat
    kv_dtype: str
    engine: EnginePlan
    share: float | None
    graphs: bool
    lora: tuple[int, int] = (0, 0)
    draft: Draft | None = None
    state_copies: int = 1
    tuned: bool = False


class Asked(NamedTuple):
    """The part of a request that a ``Basis`` follows from; ``whole_prompt`` is a context that the engine batches."""

    model: str | ModelArchitecture
    gpu: str
    mig_profile: str | None
    engine: str
    engine_version: str | None
    weight_dtype: str | None
    kv_dtype: str
    share: float | None
    batched: int | None
    sequences: int | None
    graphs: bool
    lora: tuple[int, int]
    draft_model: str | None
    state_copies: int
    whole_prompt: float | None = None
    tuned: bool = False


def asked_of(request: ServeRequest, context: float | None, catalogue: Catalogue) -> Asked:
    """What of ``request`` its basis follows from."""
    whole = reads_whole_prompts(catalogue, request.engine, request.engine_version)
    return Asked(
        model=request.model,
        gpu=request.gpu,
        mig_profile=request.mig_profile,
        engine=request.engine,
        engine_version=request.engine_version,
        weight_dtype=request.weight_dtype,
        kv_dtype=request.kv_dtype,
        share=request.memory_share,
        batched=request.max_batched_tokens,
        sequences=request.max_sequences,
        graphs=request.cuda_graphs,
        lora=(request.lora_adapters or 0, request.lora_rank),
        draft_model=request.draft_model,
        state_copies=1 + (request.prefix_cached_share > 0) + (request.draft_tokens or 0),
        whole_prompt=context if whole else None,
    )


def basis_of(asked: Asked, model: ModelArchitecture, catalogue: Catalogue) -> Basis:
    """The basis of ``asked``, whose model is ``model``."""
    read = model if isinstance(asked.model, str) and asked.model.endswith(".json") else None
    return _basis(asked, read, catalogue)


@lru_cache(maxsize=16384)
def _basis(asked: Asked, read: ModelArchitecture | None, catalogue: Catalogue) -> Basis:
    """``read``: the content of a ``config.json``, which may change while its path does not."""
    model = read or model_of(catalogue, asked.model)
    gpu = sliced_gpu(catalogue, asked.gpu, asked.mig_profile)
    plan = _engine_on(asked, gpu, catalogue, asked.engine_version, asked.whole_prompt)
    fmt = _format(model, asked.model, asked.weight_dtype, plan.engine, catalogue)
    if plan.version_known and gpu.family in plan.era.mxfp4_pads:
        fmt = replace(fmt, expert_pads=plan.era.mxfp4_pads[gpu.family])
    return Basis(
        model=model,
        shape=served_shape(model, catalogue),
        gpu=gpu,
        fmt=fmt,
        kv_dtype=kv_dtype_of(asked.kv_dtype, model, fmt, plan.engine),
        engine=plan,
        share=asked.share,
        graphs=asked.graphs,
        lora=asked.lora,
        draft=_draft(asked.draft_model, model, catalogue, plan.engine),
        state_copies=asked.state_copies,
        tuned=asked.tuned,
    )


def _engine_on(asked: Asked, gpu: Gpu, catalogue: Catalogue, version: str | None, context: float | None) -> EnginePlan:
    return engine_plan(
        catalogue, asked.engine, version, gpu.memory, gpu.small_batches, asked.batched, context, not gpu.is_slow(2),
        asked.sequences,
    )  # fmt: skip


def on_version(basis: Basis, asked: Asked, context: float | None, catalogue: Catalogue, since: str) -> Basis:
    """``basis`` with the engine of another range of versions, of which none is stated, for a ``context``."""
    # Most ranges come out the same whatever the context, so that only the others are told it.
    read = context if reads_whole_prompts(catalogue, asked.engine, since) else None
    return _on_version(basis, asked, read, catalogue, since)


@lru_cache(maxsize=16384)
def _on_version(basis: Basis, asked: Asked, context: float | None, catalogue: Catalogue, since: str) -> Basis:
    plan = _engine_on(asked, basis.gpu, catalogue, since, context)
    return replace(basis, engine=replace(plan, version_known=False))


@lru_cache(maxsize=2048)
def _named_model(catalogue: Catalogue, name: str) -> ModelArchitecture:
    return architecture_of(catalogue.model(name))


@lru_cache(maxsize=256)
def _file_model(path: str, modified_ns: int) -> ModelArchitecture:
    from knowledge.architecture import from_config_file  # reads files, which few requests name

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
    model: ModelArchitecture, name: str | ModelArchitecture, weight_dtype: str | None, engine: str, catalogue: Catalogue
) -> WeightFormat:
    """The stated format; else what the given name says (``...-FP8``, ``...-AWQ``); else the checkpoint's own.

    llama.cpp reads GGUF files, which unless stated are Q4_K_M: what its tools and Ollama's library offer first;
    those of gpt-oss keep its MXFP4.
    """
    if isinstance(name, str) and not model.quantisation:
        named, own = format_in_name(name.removesuffix(".json")), _own_fp8(name, catalogue)
        # "FP8" of a checkpoint that is known to quantise less than all means what that checkpoint does.
        if weight_dtype is None or (own and weight_format(weight_dtype).name == "fp8"):
            weight_dtype = own or named or weight_dtype
    if weight_dtype is None and engine == "llama.cpp":
        checkpoint = format_for(model, None)
        return checkpoint if checkpoint.name.startswith("mxfp4") else format_for(model, "q4_k_m")
    return format_for(model, weight_dtype)


def _own_fp8(name: str, catalogue: Catalogue) -> str | None:
    """What "FP8" means in the name of the publisher's own checkpoint, where that is not all layers."""
    if name.endswith(".json") or format_in_name(name) != "fp8":
        return None
    record = catalogue.model(name)
    of_publisher = name.lower().startswith(record.repo.partition("/")[0].lower() + "/")
    return record.own_fp8.value if of_publisher else None


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


def _draft(named: str | None, model: ModelArchitecture, catalogue: Catalogue, engine: str) -> Draft | None:
    """The draft that is named: layers of the model's own, or another model in its own format."""
    if named is None:
        return None
    if named.lower() in OWN_LAYERS:
        return Draft(layers=max(model.mtp_layers, 1))
    try:
        other = model_of(catalogue, named)
    except BadInput as error:
        expected = f"{', '.join(OWN_LAYERS)} for the model's own layers, or a model"
        raise BadInput("draft_model", named, expected, error.nearest) from None
    if other.vocab != model.vocab:
        raise BadInput("draft_model", named, f"a model with the vocabulary of {model.name}")
    return Draft(served_shape(other, catalogue), _format(other, named, None, engine, catalogue))
