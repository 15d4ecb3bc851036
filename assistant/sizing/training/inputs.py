"""From names to numbers: the model's shape, the GPU's rates, and the recipe's bytes a parameter."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from assistant.sizing.training.arithmetic.memory import Recipe
from assistant.sizing.training.arithmetic.speed import Machine
from assistant.sizing.training.parts.plan import Precision, Recompute, Sharding
from assistant.sizing.training.parts.request import ModelRequest, TrainRequest
from assistant.sizing.training.parts.shape import DEFAULT_VOCABULARY, Shape, dense_shape, shape_of, sparse_shape
from knowledge.architecture import architecture_of
from knowledge.calibration.training import TrainingCalibration
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from knowledge.message import Message, say
from knowledge.schema import Accelerator

SHAPE_FIELDS = ("layers", "hidden", "heads")


@dataclass(frozen=True)
class Subject:
    """The model of a request: shape, longest sequence where known, how it was arrived at; the name it is known by."""

    shape: Shape
    name: str
    max_context: int | None
    sources: tuple[str, ...] = ()
    note: Message | None = None
    known_as: str | None = None


def subject_of(request: ModelRequest, catalogue: Catalogue) -> Subject:
    """The model of a request. Raises BadInput where none is described, or a shape is incomplete."""
    given = [name for name in SHAPE_FIELDS if getattr(request, name) is not None]
    described = len(given) == len(SHAPE_FIELDS) or request.parameters is not None
    if request.model and not (described and _in_no_catalogue(request.model, catalogue)):
        return _beside(_named(request.model, catalogue), request)
    if request.model:
        alone = subject_of(request.model_copy(update={"model": None}), catalogue)
        note = say("training.assumed.unknown_model", model=request.model)
        both = say("training.assumed.and", first=note, second=alone.note) if alone.note else note
        return replace(alone, name=request.model, note=both)
    if len(given) == len(SHAPE_FIELDS):
        return Subject(stated_shape(request), "stated shape", None)
    if given:
        missing = [name for name in SHAPE_FIELDS if name not in given]
        raise BadInput(missing[0], None, "layers, hidden and heads together describe a shape")
    if request.parameters is None:
        raise BadInput("model", None, "a model name, a path to a config.json, a shape, or parameters")
    return _counted(request)


def _in_no_catalogue(name: str, catalogue: Catalogue) -> bool:
    """Whether nothing is known by this name: no file, no model, no reason why it is not sized."""
    if name.endswith(".json"):
        return False
    found = catalogue.resolve("models", name)
    return found.id is None and not found.candidates and not found.note


def _beside(subject: Subject, request: ModelRequest) -> Subject:
    """A named model, with a note where what is stated beside the name is not what it has."""
    shape = subject.shape
    stated = {name: getattr(request, name) for name in ModelRequest.model_fields if name != "model"}
    own = {name: getattr(shape, name, None) for name in stated} | {"experts_per_token": shape.top_k}
    other = [f"{name} {value:g}" for name, value in stated.items() if _another(value, own[name])]
    if not other:
        return subject
    unused = say("training.assumed.unused", model=subject.name, stated=", ".join(other))
    return replace(subject, note=unused)


def _another(stated: float | None, own: float | None) -> bool:
    """Whether a stated dimension is not the model's own; published sizes are rounded, by up to a tenth."""
    return stated is not None and own is not None and abs(stated - own) > 0.1 * own


def _named(name: str, catalogue: Catalogue) -> Subject:
    if name.endswith(".json") or "\\" in name:
        from knowledge.architecture.config import from_config_file

        if not Path(name).is_file():
            raise BadInput("model", name, "a catalogue name, or the path of an existing config.json")
        read = from_config_file(Path(name))
        return Subject(shape_of(read), read.name, read.max_context, known_as=name)
    model = catalogue.model(name)
    built = architecture_of(model)
    return Subject(shape_of(built), model.name, model.max_context, tuple(model.sources[:2]), known_as=name)


def _counted(request: ModelRequest) -> Subject:
    parameters, active = request.parameters or 0.0, request.active_parameters
    if parameters < 1e6:
        raise BadInput("parameters", parameters, "at least a million parameters", ["7B", "70B"])
    vocabulary = request.vocabulary or DEFAULT_VOCABULARY
    if active is None or active >= parameters:
        note = say("training.assumed.shape", parameters=parameters / 1e9)
        return Subject(dense_shape(parameters, vocabulary), "assumed dense model", None, note=note)
    note = say("training.assumed.sparse_shape", parameters=parameters / 1e9, active=active / 1e9)
    return Subject(sparse_shape(parameters, active, vocabulary), "assumed mixture of experts", None, note=note)


def stated_shape(request: ModelRequest) -> Shape:
    """A shape from its fields. Without a gate where the feed-forward is four times as wide as the model (GPT)."""
    hidden, heads = request.hidden or 0, request.heads or 0
    grouped = request.kv_heads is not None and request.kv_heads < heads
    width = request.intermediate or (round(3.5 * hidden) if grouped else 4 * hidden)
    gated = request.gated if request.gated is not None else width != 4 * hidden
    if heads > hidden:
        raise BadInput("heads", heads, f"at most hidden ({hidden})")
    head_dim = request.head_dim or hidden // heads
    experts, top_k = request.experts or 0, request.experts_per_token or 0
    if bool(experts) != bool(top_k) or top_k > experts:
        raise BadInput("experts_per_token", top_k or None, f"between 1 and experts ({experts or 'not given'})")
    return Shape(
        layers=request.layers or 0,
        hidden=hidden,
        intermediate=width,
        heads=heads,
        kv_heads=request.kv_heads or heads,
        head_dim=head_dim,
        value_dim=head_dim,
        vocabulary=request.vocabulary or DEFAULT_VOCABULARY,
        gated=gated,
        tied=request.tied if request.tied is not None else not gated,
        experts=experts,
        top_k=top_k,
        expert_intermediate=width if experts else 0,
        moe_layers=(request.layers or 0) if experts else 0,
    )


def recipe_of(name: str, sharding: Sharding, precision: Precision, classic: bool, known: TrainingCalibration) -> Recipe:
    """Bytes a parameter by optimizer name. The distributed optimizer (ZeRO-1) keeps FP32 gradients.

    ``classic`` is the BF16 stack of 2022, which accumulated gradients in FP32 beside the BF16 ones. Raises BadInput.
    """
    key = name.lower().replace("-", "_").removeprefix("paged_")
    for suffix in ("_torch_fused", "_torch", "_fused"):
        key = key.removesuffix(suffix)
    key = known.aliases.get(key, key)
    if key not in known.recipes:
        raise BadInput("optimizer", name, "one of " + ", ".join(known.recipes), list(known.recipes)[:3])
    row = known.recipes[key]
    weights, gradients, optimizer = row.weights, row.gradients, row.optimizer
    if precision is Precision.FP32:
        return Recipe(f"{key}_fp32", 4.0, 4.0, max(0.0, optimizer - 4.0) if optimizer >= 4.0 else optimizer)
    if classic:
        classes = known.classic_gradients
        classic_bytes = classes.fp16 if precision is Precision.FP16 else classes.bf16
        return Recipe(f"{key}_fp32_accumulation", weights, classic_bytes, optimizer)
    if sharding is Sharding.ZERO1 and key in known.fp32_gradients:
        return Recipe(f"{key}_fp32_gradients", weights, 4.0, optimizer)
    return Recipe(key, weights, gradients, optimizer)


def classic_stack(request: TrainRequest, gpu: Accelerator) -> bool:
    """Whether this is a run as of 2022: full recomputation stated on Ampere, and nothing said that came later."""
    return (
        gpu.generation == "ampere"
        and request.recompute is Recompute.FULL
        and not request.sequence_parallel
        and request.sharding is not Sharding.ZERO3
        and (request.pipeline_parallel or 1) * (request.tensor_parallel or 1) > 1
    )


@dataclass(frozen=True)
class Device:
    """The GPU of a request: rates, bytes available, how well its speed is known, and what is assumed."""

    accelerator: Accelerator
    machine: Machine
    available: float
    calibrated: bool
    assumptions: tuple[Message, ...]
    sources: tuple[str, ...]


def device_of(request: TrainRequest, catalogue: Catalogue, constants: TrainingCalibration) -> Device:
    """Rates of the GPU at the request's precision. Raises BadInput where the GPU cannot compute in it."""
    gpu = catalogue.accelerator(request.gpu)
    bf16 = gpu.bf16_tflops.value or gpu.fp16_tflops.value or gpu.fp32_tflops.value
    peak = _peak(gpu, request.precision)
    if (peak is None or bf16 is None) and "precision" not in request.model_fields_set:
        raise BadInput("gpu", request.gpu, f"a GPU whose 16-bit rate is known; that of {gpu.name} is not")
    if peak is None or bf16 is None:
        able = [p.value for p in Precision if _peak(gpu, p) is not None]
        raise BadInput(
            "precision", request.precision.value, f"what {gpu.name} computes in: {', '.join(able)}", able[:2]
        )
    cell, calibrated = _cell(gpu, request.precision, constants)
    notes: list[Message] = []
    bandwidth = gpu.bandwidth_gb_per_s.value
    if bandwidth is None:
        raise BadInput("gpu", request.gpu, f"a GPU whose memory bandwidth is known; that of {gpu.name} is not")
    scale_up = gpu.scale_up_gb_per_s_per_direction.value
    domain = gpu.scale_up_domain_gpus.value or 8
    if scale_up is None:
        scale_up, domain = gpu.pcie_gb_per_s_per_direction.value or 32.0, 8
        notes.append(say("training.assumed.pcie", rate=scale_up))
    network = request.network_gb_per_s
    if network is None:
        network = constants.network_gb_per_s.get(gpu.id, constants.network_gb_per_s["default"])
        notes.append(say("training.assumed.network", rate=network))
    available = gpu.engine_visible_bytes.value
    if available is None and gpu.memory_bytes.value is not None:
        available = int(gpu.memory_bytes.value * 0.985)
        notes.append(say("training.assumed.of_total"))
    if available is None and gpu.memory_label_gb is not None:
        available = int(gpu.memory_label_gb * 1e9 * 0.98)
        notes.append(say("training.assumed.of_label"))
    if available is None:
        raise BadInput("gpu", request.gpu, f"a GPU whose memory is known; that of {gpu.name} is not")
    machine = Machine(
        cell=cell,
        matrix_flops=peak * 1e12,
        attention_flops=bf16 * 1e12,
        memory_bytes_per_s=bandwidth * 1e9,
        scale_up=scale_up * 1e9,
        domain=domain,
        scale_out=network * 1e9,
    )
    cited = (*gpu.bf16_tflops.sources, *gpu.engine_visible_bytes.sources)
    return Device(gpu, machine, float(available), calibrated, tuple(notes), cited)


def _peak(gpu: Accelerator, precision: Precision) -> float | None:
    """Dense peak in TFLOP/s of the matrix products, None where the GPU has no units for them or none is published.

    Units that scale blocks of 32 values came with those for 4 bits (Blackwell, CDNA 4); Hopper's FP8 has none.
    """
    return {
        Precision.BF16: gpu.bf16_tflops.value,
        Precision.FP16: gpu.fp16_tflops.value or gpu.bf16_tflops.value,
        Precision.FP32: gpu.tf32_tflops.value or gpu.fp32_tflops.value,
        Precision.FP8: gpu.fp8_tflops.value,
        Precision.MXFP8: gpu.fp8_tflops.value if gpu.fp4_tflops.value else None,
        Precision.NVFP4: gpu.fp4_tflops.value,
    }[precision]


def _cell(gpu: Accelerator, precision: Precision, constants: TrainingCalibration) -> tuple[str, bool]:
    """Calibration cell of a GPU at a precision, and whether it was measured there; else the likeliest relative."""
    family = constants.families.get(gpu.id)
    near = family or constants.relatives.get(gpu.generation, constants.relatives["default"])
    kind = "bf16" if precision in (Precision.FP16, Precision.FP32) else precision.value
    cells = constants.speed.cells
    for candidate in (kind, "fp8" if kind in ("mxfp8", "nvfp4") else "bf16", "bf16"):
        if f"{near}-{candidate}" in cells:
            return f"{near}-{candidate}", family is not None and candidate == kind
    raise BadInput("gpu", gpu.id, "a GPU with a calibration cell")
