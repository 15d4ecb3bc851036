"""Training: from a request to memory, layout, speed, time and checkpoints.

``parts`` (plan, shape, public fields) -> ``arithmetic`` (memory, peaks and speed of one plan) -> ``search`` (a plan of
each split of the GPUs, judged) -> here: ``inputs`` (names to numbers), ``job`` (a request resolved), ``estimate``, with
``reasons``, ``fixes``, ``variants`` and ``explain``. ``finetuning`` and ``rl`` stand on it.
"""
