"""An assistant that sizes nothing, for tests that are about answers alone, and quick."""

from __future__ import annotations

from assistant.interview.brief import Brief
from assistant.result import Sizing
from assistant.service import Assistant
from knowledge.errors import SizewrightError


class Unsized(Assistant):
    """Every sizing fails, which an answer survives."""

    def size(self, brief: Brief, why: bool = False, questions: bool = True) -> Sizing:
        raise SizewrightError("not sized here")
