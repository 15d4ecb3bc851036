"""The number format of the weights where the customer names none: what the rules choose for the accelerator."""

from __future__ import annotations

from assistant.planning.choices import choices_of
from assistant.planning.demands.demand import Demands, ServingDemand
from knowledge.message import say
from knowledge.schema import Accelerator
from rules.base import RuleBase
from rules.schema import Scalar

QUANTISED = ("fp8", "float8", "mxfp4", "nvfp4", "int8", "int4", "awq", "gptq", "fp4")
"""Checkpoint formats that are served as they are: nobody quantises them a second time."""

FITS_SHARE = 0.85
"""Share of a server's memory that 8-bit weights may take and leave room for the cache."""

FORMAT_OF = {"fp4": "nvfp4"}
SERVED = ("bf16", "fp16", "fp8", "int8", "int4", "fp4")
"""Choices of the precision decision that are formats of served weights."""
FAMILIES = {
    "fp8": "fp8",
    "mxfp8": "fp8",
    "nvfp4": "fp4",
    "mxfp4": "fp4",
    "int8": "int8",
    "w8a": "int8",
    "int4": "int4",
    "w4a": "int4",
    "awq": "int4",
    "gptq": "int4",
    "fp16": "fp16",
    "fp32": "fp32",
    "bf16": "bf16",
}


def fits_fp8(params_b: float, gpus: int, card: Accelerator) -> bool | None:
    """Whether 8-bit weights fit ``gpus`` with room for a cache; None where the memory is unknown."""
    memory = card.engine_visible_bytes.value or card.memory_bytes.value
    return None if memory is None else params_b * 1e9 < FITS_SHARE * gpus * memory


def family(dtype: str | None) -> str | None:
    """The decision's word for a weight format: ``fbgemm_fp8`` is fp8, ``awq`` is int4."""
    if dtype is None:
        return None
    word = dtype.lower()
    return next((name for part, name in FAMILIES.items() if part in word), None)


def prepared(demands: Demands, rules: RuleBase, card: Accelerator, per_unit: int) -> Demands:
    """The demands with the weight format that the rules choose for an accelerator in servers of ``per_unit`` GPUs."""
    largest = max((model.params_b for model in demands.models), default=0.0)
    facts: dict[str, Scalar] = {
        "workload": demands.workload,
        "serves": bool(demands.serving),
        "trains": bool(demands.training),
        "has_fp8": card.fp8_tflops.value is not None,
        "has_fp4": card.fp4_tflops.value is not None,
    }
    fits = fits_fp8(largest, per_unit, card)
    if fits is not None:
        facts["gpu_memory_fits_fp8"] = fits
    return with_format(demands, choices_of(rules, facts).get("precision"), card)


def with_format(demands: Demands, precision: str | None, card: Accelerator) -> Demands:
    """The demands with a weight format where none is stated and the checkpoint is not quantised already.

    A stated format that the accelerator does not compute in gives way to the rules' choice, and the notes say so.
    """
    dtype = FORMAT_OF.get(precision or "", precision) if precision in SERVED else None
    return demands.model_copy(update={"serving": tuple(_served(d, dtype, card) for d in demands.serving)})


def _served(demand: ServingDemand, dtype: str | None, card: Accelerator) -> ServingDemand:
    own = demand.model.architecture.dtype if demand.model.architecture else None
    if dtype is None or (demand.weight_dtype is None and is_quantised(own)):
        return demand
    if demand.weight_dtype is None:
        return demand.model_copy(update={"weight_dtype": dtype})
    if computes(card, family(demand.weight_dtype)):
        return demand
    note = say("planning.other_format", card=card.name, asked=demand.weight_dtype, dtype=dtype)
    return demand.model_copy(update={"weight_dtype": dtype, "notes": (*demand.notes, note)})


def computes(card: Accelerator, precision: str | None) -> bool:
    """Whether the accelerator multiplies in a format that cannot be unpacked into another (FP8, FP4)."""
    rate = {"fp8": card.fp8_tflops.value, "fp4": card.fp4_tflops.value}
    return precision not in rate or rate[precision] is not None


def is_quantised(dtype: str | None) -> bool:
    """Whether a checkpoint's own format is below 16 bits."""
    return dtype is not None and any(word in dtype.lower() for word in QUANTISED)
