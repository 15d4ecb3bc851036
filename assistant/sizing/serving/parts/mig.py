"""MIG: a GPU divided into parts with memory, cache and processors of their own; a process runs within one part.

A profile such as ``3g.40gb`` takes three compute parts and four of eight memory parts. A compute part is an eighth of
the chip: 16 of the 132 multiprocessors of an H100, 14 of the 108 of an A100 (formula ``serving.mig``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from assistant.sizing.serving.parts.hardware import Gpu, gpu_of
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from knowledge.schema import Accelerator

PARTS = 8
"""Memory slices that MIG divides a GPU into (NVIDIA MIG user guide)."""
MIB = 2**20
"""Bytes of a MiB."""
_PROFILE = re.compile(r"(\d)g\.(\d+)gb")


@dataclass(frozen=True)
class Slice:
    """One profile: instances on a GPU, bytes of each as the driver reports them, shares of compute and bandwidth."""

    profile: str
    per_gpu: int
    memory: float
    compute_share: float
    bandwidth_share: float


def slices_of(card: Accelerator) -> tuple[Slice, ...]:
    """The profiles that divide ``card``, smallest first; none where it cannot be divided.

    Profiles that reserve a media engine, and the one that takes the whole GPU, are left out.
    """
    named = [(match, p) for p in card.mig_profiles.value or () if (match := _PROFILE.fullmatch(p.name))]
    whole_gb = max((int(match[2]) for match, _ in named), default=0)
    total = float(card.memory_bytes.value or (card.memory_label_gb or 0) * 1e9)
    found = []
    for match, profile in named:
        parts = round(PARTS * int(match[2]) / whole_gb)
        if parts < PARTS:
            memory = profile.memory_mib * MIB if profile.memory_mib else total * parts / PARTS
            found.append(Slice(profile.name, profile.instances, memory, int(match[1]) / PARTS, parts / PARTS))
    return tuple(sorted(found, key=lambda s: (s.memory, s.compute_share)))


@lru_cache(maxsize=1024)
def sliced_gpu(catalogue: Catalogue, name: str, profile: str | None) -> Gpu:
    """The accelerator, or one instance of ``profile`` on it as a GPU of its own without links.

    Raises BadInput where the accelerator has no such profile.
    """
    gpu = gpu_of(catalogue, name)
    if profile is None:
        return gpu
    known = {s.profile: s for s in slices_of(catalogue.accelerator(name))}
    if not known:
        raise BadInput("mig_profile", profile, f"nothing: {gpu.id} cannot be divided by MIG")
    part = known.get(profile.lower().removeprefix("mig").lstrip(" -"))
    if part is None:
        raise BadInput("mig_profile", profile, f"one of {', '.join(known)}", list(known)[:3])
    return replace(
        gpu,
        slice=part.profile,
        memory=part.memory * gpu.memory / gpu.total,
        total=part.memory,
        bandwidth=gpu.bandwidth * part.bandwidth_share,
        bf16=gpu.bf16 * part.compute_share,
        fp8=gpu.fp8 * part.compute_share,
        fp4=gpu.fp4 * part.compute_share,
        int8=gpu.int8 * part.compute_share,
        node_gpus=1,
    )
