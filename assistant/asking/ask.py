"""``ask``: a question to the knowledge base, answered from rules and claims or declined; never guessed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from assistant.asking.answer import Answer
from assistant.asking.declining import not_known
from assistant.asking.desk import Desk
from assistant.asking.draft import Draft, finished
from assistant.asking.matching import matches
from knowledge.errors import BadInput

if TYPE_CHECKING:
    from assistant.asking.library import Library

LONGEST = 2_000
"""Characters; more is a message to size from (``size --say``) and not a question."""


def ask(text: str, library: Library, before: str | None = None) -> Answer:
    """The answer to ``text``. Its first sentence answers; claims, sources and who disagrees follow.

    ``before`` is the question before it, which "and in BF16?" continues.

    Raises BadInput for an empty question and for one that is too long.
    """
    question = " ".join(text.split())
    if not question:
        raise BadInput("TEXT", text, "a question, as in 'RoCE or InfiniBand for 16 nodes?'")
    if len(question) > LONGEST:
        raise BadInput("TEXT", f"{len(question)} characters", f"at most {LONGEST}; `size --say` takes whole messages")
    if before:
        from assistant.asking.reading.following import continued

        question = continued(question, " ".join(before.split())[:LONGEST], library)
    desk = Desk(question, library)
    return finished(desk, _draft(desk))


def _draft(desk: Desk) -> Draft:
    """The first draft that answers what was asked; one of another kind or quantity is passed over."""
    drafts = (handler(desk) for handler in _handlers())
    answers = (draft for draft in drafts if draft is not None and matches(desk, draft))
    return next(answers, None) or not_known(desk)


def _handlers() -> Iterator[Callable[[Desk], Draft | None]]:
    """In this order: codes, arithmetic on what is stated, statements on the matter, words, prices, laws, choices.

    Each is imported when those before it had no answer: most questions meet a few.
    """
    from assistant.asking.declining import out_of_reach
    from assistant.asking.errors import about_code, about_sxid, about_xid

    yield from (out_of_reach, about_xid, about_sxid, about_code)
    from assistant.asking.figures import about_numbers, calculated

    yield calculated
    from assistant.asking.lookup import about_anything, about_price, about_term
    from assistant.asking.matter import about_matter
    from assistant.asking.sayings import about_saying

    yield from (about_term, about_matter, about_saying, about_price)
    from assistant.asking.duties import about_law

    yield from (about_law, about_numbers)
    from assistant.asking.choices import about_choice, choice_left

    yield from (about_choice, about_anything, choice_left)
