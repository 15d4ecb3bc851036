"""Layouts and formats that engines accept and that nobody is known to have run: allowed, but not validated."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.sizing.serving.setup import Setup


def untested(setup: Setup) -> Iterator[str]:
    """Why no log or measurement stands behind ``setup``, one reason each."""
    layout, gpu, fmt = setup.layout, setup.basis.gpu, setup.basis.fmt
    if layout.tensor > gpu.node_gpus:
        yield f"tensor parallel {layout.tensor} crosses the node border at {gpu.node_gpus} GPUs"
    if layout.tensor & (layout.tensor - 1):
        yield f"tensor parallel {layout.tensor} is not a power of two"
    if layout.decode_context > 1:
        yield "decode context parallel: by the engine's documentation, no log of it was read"
    if layout.attention_data > 1 and not setup.basis.shape.is_moe:
        yield "attention data parallel without experts: replicas do the same"
    if setup.basis.draft and layout.pipeline > 1:
        yield "a draft together with pipeline stages"
    if fmt.name.startswith("nvfp4") and gpu.vendor != "NVIDIA":
        yield f"NVFP4 weights on {gpu.vendor}"
    if gpu.vendor not in ("NVIDIA", "AMD"):
        yield f"serving on {gpu.id}: none of the logs and measurements is of {gpu.vendor}"
