"""``ask``: a question to the knowledge base, answered from rules and claims or declined; never guessed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from assistant.asking.answer import Answer
from assistant.asking.desk import Desk
from assistant.asking.draft import Draft, finished
from knowledge.errors import BadInput

if TYPE_CHECKING:
    from assistant.asking.library import Library

LONGEST = 2_000
"""Characters; more is a message to size from (``size --say``) and not a question."""


def ask(text: str, library: Library) -> Answer:
    """The answer to ``text``. Its first sentence answers; claims, sources and who disagrees follow.

    Raises BadInput for an empty question and for one that is too long.
    """
    question = " ".join(text.split())
    if not question:
        raise BadInput("TEXT", text, "a question, as in 'RoCE or InfiniBand for 16 nodes?'")
    if len(question) > LONGEST:
        raise BadInput("TEXT", f"{len(question)} characters", f"at most {LONGEST}; `size --say` takes whole messages")
    desk = Desk(question, library)
    return finished(desk, _draft(desk))


def _draft(desk: Desk) -> Draft:
    drafts = (handler(desk) for handler in _handlers())
    return next((draft for draft in drafts if draft is not None), None) or _looked_up(desk)


def _looked_up(desk: Desk) -> Draft:
    """What a search finds; where it finds nothing, what the rules decide of the matter."""
    from assistant.asking.choices import choice_of
    from assistant.asking.lookup import about_anything

    found = about_anything(desk)
    if not found.declined:
        return found
    return found if desk.says(_TROUBLE) else choice_of(desk) or found


_TROUBLE = (
    r"hang|time[sd]? ?out|fail|\berrors?\b|crash|too (slow|low)|very low|stuck|not found|expected|hints\?|kaputt|hängt"
)
"""Words of somebody with a fault, whom no choice helps."""


def _handlers() -> Iterator[Callable[[Desk], Draft | None]]:
    """In this order: what names a code or a word alone, prices, laws, figures, choices."""
    from assistant.asking.choices import about_choice
    from assistant.asking.duties import about_law
    from assistant.asking.errors import about_code, about_sxid, about_xid
    from assistant.asking.figures import about_numbers
    from assistant.asking.lookup import about_price, about_term

    yield from (about_xid, about_sxid, about_code, about_term, about_price, about_law, about_numbers, about_choice)
