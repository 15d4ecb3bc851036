"""Layouts and formats that engines accept and that nobody is known to have run: allowed, but not validated."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.sizing.serving.setup import Setup
from knowledge.message import Message, say


def untested(setup: Setup) -> Iterator[Message]:
    """Why no log or measurement stands behind ``setup``, one reason each."""
    layout, gpu, fmt = setup.layout, setup.basis.gpu, setup.basis.fmt
    if layout.tensor > gpu.node_gpus:
        yield say("serving.untested.node_border", ways=layout.tensor, gpus=gpu.node_gpus)
    if layout.tensor & (layout.tensor - 1):
        yield say("serving.untested.odd", ways=layout.tensor)
    if layout.decode_context > 1:
        yield say("serving.untested.decode_context")
    if layout.attention_data > 1 and not setup.basis.shape.is_moe:
        yield say("serving.untested.attention_data")
    if setup.basis.draft and layout.pipeline > 1:
        yield say("serving.untested.draft_stages")
    if fmt.name.startswith("nvfp4") and gpu.vendor != "NVIDIA":
        yield say("serving.untested.nvfp4", vendor=gpu.vendor)
    if gpu.vendor not in ("NVIDIA", "AMD"):
        yield say("serving.untested.vendor", gpu=gpu.id, vendor=gpu.vendor)
