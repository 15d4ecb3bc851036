"""The one object behind both faces: what the command line and the app call."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.catalogue import open_catalogue
from assistant.interview.brief import Answer, Brief

if TYPE_CHECKING:
    from assistant.asking.answer import Answer as AskedAnswer
    from assistant.interview.parser import ParseResult
    from assistant.interview.questions import Question
    from assistant.result import Sizing
    from knowledge.catalogue import Catalogue
    from rules.base import RuleBase
    from rules.conflicts import Contradiction


class Assistant:
    """Catalogue and rules with a company's overlay, opened when first needed. Pure: it stores nothing."""

    def __init__(self, overlay: str | None = None) -> None:
        self.overlay = overlay

    @cached_property
    def catalogue(self) -> Catalogue:
        """Ours, with the overlay merged over it."""
        return open_catalogue(self.overlay)

    @cached_property
    def rules(self) -> RuleBase:
        """The rule base, with the overlay's rules."""
        from rules.base import load_rules

        folders = (Path(self.overlay),) if self.overlay else ()
        return load_rules(folders, self.catalogue.entries("sources"))

    def parse(self, text: str) -> ParseResult:
        """What is understood of a message."""
        from assistant.interview.parser import parse

        return parse(text, self.catalogue)

    def understand(self, text: str) -> list[Answer]:
        """The answers that a message gives."""
        from assistant.interview.parser import to_answers

        return to_answers(self.parse(text))

    def complete(self, brief: Brief) -> Brief:
        """The brief with every open field that has a sensible assumption filled in."""
        from assistant.interview.assume import complete

        return complete(brief, self.catalogue)

    def next_question(
        self, brief: Brief, passed: frozenset[str] = frozenset(), long: bool = True, audience: str = "presales"
    ) -> Question | None:
        """The question to ask next, or None."""
        from assistant.interview.assume import next_question

        return next_question(brief, passed, long, audience)

    def ask(self, text: str) -> AskedAnswer:
        """What the knowledge base and the rules say to a question. Raises BadInput where it is empty or too long."""
        from assistant.asking.ask import ask
        from assistant.asking.library import Library

        return ask(text, Library(self))

    def contradictions(self) -> list[Contradiction]:
        """Where rules, claims or catalogue values rest on sources that contradict one another."""
        from rules.conflicts import contradictions

        return contradictions(self.rules, self.catalogue)

    def size(self, brief: Brief, why: bool = False, questions: bool = True) -> Sizing:
        """The sizing of a brief: a function of brief, catalogue version and rules version.

        Without ``questions`` it leaves out what to ask next, which is most of the work.
        """
        from assistant.conclusions.size import size

        return size(brief, self.catalogue, self.rules, why, questions)
