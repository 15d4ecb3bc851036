"""One accelerator as serving arithmetic sees it: plain numbers in base units, made once per catalogue entry."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from knowledge.message import Message, say
from knowledge.schema import Accelerator

CONTEXT_BYTES = 0.55 * 2**30
"""What an engine does not see of the driver's total where its own figure is not known. Cards of the catalogue with
both:
0.26 to 0.92 GiB, 0.46 in the median; a little more than that is taken."""
NETWORK_BYTES_PER_S = 50e9
"""One 400 Gb/s port a GPU, one direction: what reference designs of eight-GPU servers give each."""
SLOW_BYTES_PER_S = 100e9
"""Links below it are PCIe or a network (at most 64 GB/s one way); the slowest NVLink of the fitted cards has 300
GB/s."""
PCIE_GB_PER_S = 32.0
"""PCIe 4.0 x16, one direction, where no link is known."""
DEFAULT_NODE_GPUS = 8
"""GPUs of a server, which tensor ranks do not leave."""
QUARTER = 4.0
"""4-bit products are this much faster than 16-bit ones (B200: 9,000 and 2,250 TFLOP/s dense)."""


@dataclass(frozen=True, eq=False)
class Gpu:
    """Bytes, bytes/s and FLOP/s. ``memory`` as engines see it, ``total`` as the driver reports; ``link`` one way
    between GPUs of a node; ``assumed`` names what had no figure; ``slice`` is the MIG profile of a part of a GPU;
    ``small_batches``: engines start it with the batch of small cards.
    """

    id: str
    family: str
    memory: float
    total: float
    bandwidth: float
    bf16: float
    fp8: float
    fp4: float
    int8: float
    link: float
    node_gpus: int
    sources: tuple[str, ...]
    assumed: tuple[Message, ...]
    slice: str | None = None
    vendor: str = "NVIDIA"
    small_batches: bool = False

    def rate(self, compute: str) -> float:
        """Peak FLOP/s of matrix products in ``compute`` (bf16, fp8, fp4, int8); the next wider where it has none."""
        return {"fp8": self.fp8, "fp4": self.fp4, "int8": self.int8}.get(compute, self.bf16)

    def link_for(self, ranks: int) -> float:
        """Bytes/s one way between ``ranks`` GPUs: the node's link, or one 400 Gb/s port each across nodes."""
        return self.link if ranks <= self.node_gpus else min(self.link, NETWORK_BYTES_PER_S)

    def is_slow(self, ranks: int) -> bool:
        """Whether ``ranks`` GPUs exchange over PCIe or the network, for which no constant was fitted."""
        return self.link_for(ranks) < SLOW_BYTES_PER_S


def _memory(a: Accelerator) -> tuple[float, bool]:
    if a.engine_visible_bytes.value:
        return float(a.engine_visible_bytes.value), False
    if a.memory_bytes.value:
        return a.memory_bytes.value - CONTEXT_BYTES, True
    if a.memory_label_gb:
        return a.memory_label_gb * 1e9 - CONTEXT_BYTES, True
    raise BadInput("gpu", a.id, "an accelerator whose memory is known; the catalogue has none for it")


@lru_cache(maxsize=1024)
def gpu_of(catalogue: Catalogue, name: str) -> Gpu:
    """The accelerator ``name``; raises UnknownName or AmbiguousName, or BadInput where it lacks memory."""
    return _numbers(catalogue.accelerator(name))


def _numbers(a: Accelerator) -> Gpu:
    memory, derived = _memory(a)
    stated = a.bf16_tflops.value or a.fp16_tflops.value
    fp4 = a.fp4_tflops.value or 0.0
    bf16 = stated or fp4 / QUARTER
    fp8 = a.fp8_tflops.value or (bf16 if stated else 2 * bf16)
    pcie = a.pcie_gb_per_s_per_direction.value
    link = a.scale_up_gb_per_s_per_direction.value or pcie
    bandwidth = a.bandwidth_gb_per_s.value
    assumed = [say("serving.card.memory", context=CONTEXT_BYTES / 2**30)] if derived else []
    if not stated and bf16:
        assumed.append(say("serving.card.rate"))
    if link is None:
        assumed.append(say("serving.card.link", link=PCIE_GB_PER_S))
    domain = a.scale_up_domain_gpus.value or 1
    cited = (a.engine_visible_bytes, a.memory_bytes, a.bandwidth_gb_per_s, a.bf16_tflops)
    return Gpu(
        id=a.id,
        family=a.generation.split("-")[0],
        memory=memory,
        total=max(float(a.memory_bytes.value or 0), memory),
        bandwidth=(bandwidth or 0.0) * 1e9,
        bf16=bf16 * 1e12,
        fp8=fp8 * 1e12,
        fp4=(a.fp4_tflops.value or fp8) * 1e12,
        int8=(a.int8_tops.value or bf16) * 1e12,
        link=(link or PCIE_GB_PER_S) * 1e9,
        node_gpus=domain if domain > DEFAULT_NODE_GPUS else DEFAULT_NODE_GPUS,
        sources=tuple(dict.fromkeys(source for cite in cited for source in cite.sources)),
        assumed=tuple(assumed),
        vendor=a.vendor,
        small_batches=bool(a.small_batches.value),
    )
