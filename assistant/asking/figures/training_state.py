"""Memory of what training keeps for each parameter, by method; activations apart."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.asking.desk import Desk


@dataclass(frozen=True)
class Method:
    """A way to train: bytes a parameter of the whole model, and its names."""

    bytes_a_parameter: float
    english: str
    german: str


METHODS = {
    "full": Method(
        16.0, "full training with mixed-precision Adam", "volles Training mit Adam in gemischter Genauigkeit"
    ),
    "lora": Method(2.2, "LoRA over 16-bit weights", "LoRA über 16-Bit-Gewichten"),
    "qlora": Method(0.6, "QLoRA over 4-bit weights", "QLoRA über 4-Bit-Gewichten"),
}
"""Full: 2 weights, 2 gradients, 12 for FP32 weights, momentum and variance (the ZeRO paper). LoRA: frozen 2 bytes, and
16 bytes for adapters of about 1 % of the weights. QLoRA: 0.53 bytes for 4-bit weights with their scales (QLoRA paper:
65B in 48 GB with activations), and adapters as with LoRA."""


def method_of(desk: Desk) -> str:
    """The method that the question names; full where it names none."""
    if desk.says(r"\bqlora\b|4[- ]?bit.{0,20}lora"):
        return "qlora"
    return "lora" if desk.says(r"\blora\b|adapter|\bpeft\b") else "full"


def state_gb(parameters: float, method: str) -> float:
    """Weights, gradients and optimizer state in 10^9 bytes."""
    return parameters * METHODS[method].bytes_a_parameter / 1e9


def trains(desk: Desk) -> bool:
    """Whether the question is about training or fine-tuning a model, and not about running one that was."""
    return desk.says(
        r"\btrain(?!ed\b)|fine-?tun(?!ed\b)|pre-?train(?!ed\b)|\bq?lora\b|trainier(?!t)|feintun|\bsft\b|adam\b"
    )
