"""Training: from a request to memory, layout, speed, time and checkpoints.

``request`` (public fields) -> ``inputs`` (names to numbers) -> ``job`` (a request resolved) -> ``layout`` (a search:
``settle`` makes a plan of each split, ``memory`` and ``speed`` judge it) -> ``estimate``, with ``reasons``, ``fixes``,
``peaks``, ``variants``, ``duties`` and ``explain``. ``finetuning`` is the same with the memory of ``finetune_memory``;
``rl`` adds ``rollout`` by the serving arithmetic.
"""

from assistant.sizing.training.estimate import estimate_train
from assistant.sizing.training.request import TrainRequest, TrainResult

__all__ = ["TrainRequest", "TrainResult", "estimate_train"]
