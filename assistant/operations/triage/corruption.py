"""A reference run for silent data corruption: the same products on every GPU, and checksums that must agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from assistant.operations.triage.sightings import Hit

MARK = "sizewright-checksum"
"""Begins each line that the script prints: mark, host, GPU, model, checksum."""
MODE = "silent_corruption"

SCRIPT = r"""#!/bin/sh
# Reference run for silent data corruption, one task a node:
#   srun --ntasks-per-node=1 sh reference.sh | sizewright triage
# 1. dcgmi diag -r 4: every test must say Pass (SKIP_DIAG=1 leaves it out).
# 2. Products of small whole numbers on every GPU, in BF16 and TF32. Every sum is exact, whatever the order of
#    additions, so that all GPUs of one model must print one checksum. One that differs computes wrongly: drain it, run
#    it again, and return it when it differs again.
set -u
export LC_ALL=C
if [ "${SKIP_DIAG:-0}" != 1 ]; then
  timeout 10800 dcgmi diag -r 4 || echo "dcgmi diag -r 4 failed on $(hostname)"
fi
exec python3 - <<'PYTHON'
import hashlib
import socket

import torch

SIZE, ROUNDS = 4096, 100
# Type, depth, largest number. 256 products of 1 stay at 256 or below, where BF16 holds every whole number; 4096
# products of 16 stay below 2**24, where FP32 does.
KINDS = ((torch.bfloat16, 256, 1), (torch.float32, 4096, 4))
torch.backends.cuda.matmul.allow_tf32 = True
torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False


def numbers(made, rows, columns, largest, kind):
    drawn = torch.randint(-largest, largest + 1, (rows, columns), generator=made, dtype=torch.int8)
    return drawn.to("cuda", kind)


for device in range(torch.cuda.device_count()):
    torch.cuda.set_device(device)
    digest = hashlib.sha256()
    for number in range(ROUNDS):
        for kind, depth, largest in KINDS:
            made = torch.Generator().manual_seed(number)
            product = numbers(made, SIZE, depth, largest, kind) @ numbers(made, depth, SIZE, largest, kind)
            for side in (0, 1):
                digest.update(product.sum(dim=side, dtype=torch.float64).cpu().numpy().tobytes())
    model = torch.cuda.get_device_name(device).replace(" ", "-")
    print("MARK", socket.gethostname(), f"gpu{device}", model, digest.hexdigest()[:32], flush=True)
PYTHON
""".replace("MARK", MARK)


def checksum_hits(facts: Sequence[tuple[str, str]]) -> Iterator[tuple[Hit, str, str]]:
    """A hit, the line's text and the host for each GPU whose checksum differs from that of most of its model."""
    rows = [parts for name, value in facts if name == "checksum" and len(parts := value.split()) == 4]
    for model in dict.fromkeys(row[2] for row in rows):
        sums = Counter(row[3] for row in rows if row[2] == model)
        usual, most = sums.most_common(1)[0]
        if len(sums) == 1 or 2 * most <= sums.total():
            yield from _tie(model, sums)
            continue
        for host, gpu, _, checksum in (row for row in rows if row[2] == model and row[3] != usual):
            text = f"{host} {gpu} {model}: checksum {checksum}, {most} others say {usual}"
            yield Hit(MODE, "nccl", "checksum", gpu, note=text), text, host


def _tie(model: str, sums: Counter[str]) -> Iterator[tuple[Hit, str, str]]:
    if len(sums) > 1:
        text = f"{model}: {len(sums)} checksums and no majority; run it on more GPUs"
        yield Hit(MODE, "nccl", "checksum", note=text), text, ""
