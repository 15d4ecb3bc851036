"""A training run, played: what fails when, what is lost, and when it is over.

``request`` (public fields) -> ``inputs`` (a model, a session or figures: what the run meets) -> ``run`` (one seeded
run: a ``stretch`` of undisturbed training between two ``events``) -> ``study`` (many seeds, other intervals and spares)
-> ``text``. ``words``: a request from a line of options, and back. Rates, write times, restarts and spares are those of
``assistant.sizing.reliability``.
"""

from assistant.operations.simulator.request import SimulateRequest, SimulateResult
from assistant.operations.simulator.study import simulate

__all__ = ["SimulateRequest", "SimulateResult", "simulate"]
