"""Failures of a training run: how often, what a checkpoint costs, what is left of the time, what spot capacity does.

``options`` and ``request`` (public fields) -> ``conditions`` (a request resolved: ``rates``, ``checkpoints``, ``spot``)
-> ``goodput`` and ``spares`` -> ``estimate``. The simulator plays the same ``Conditions``.
"""

from assistant.sizing.reliability.estimate import estimate_reliability, of_run
from assistant.sizing.reliability.request import ReliabilityRequest, ReliabilityResult, RunFailures

__all__ = ["ReliabilityRequest", "ReliabilityResult", "RunFailures", "estimate_reliability", "of_run"]
