"""Training: from a request to memory, layout, speed, time and checkpoints.

``request`` (public fields) -> ``inputs`` (names to numbers) -> ``job`` (a request resolved) -> ``layout`` (search, by
``memory`` and ``speed`` of a ``plan`` for a ``shape``) -> ``estimate``, with ``reasons``, ``fixes`` and ``explain``.
``finetuning`` is the same with the memory of ``finetune_memory``.
"""

from assistant.sizing.training.estimate import estimate_train
from assistant.sizing.training.request import TrainRequest, TrainResult

__all__ = ["TrainRequest", "TrainResult", "estimate_train"]
