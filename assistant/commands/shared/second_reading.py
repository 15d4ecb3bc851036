"""A language model reads a message too, on the command line: asked for by an option, taken when accepted."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assistant.output import harmless, plain, say
from knowledge.errors import BadInput

if TYPE_CHECKING:
    from assistant.interview.brief import Answer
    from assistant.interview.helper import Helped
    from knowledge.catalogue import Catalogue


def add_helper_options(parser: argparse.ArgumentParser) -> None:
    """``--helper`` and ``--helper-as-is``."""
    parser.add_argument(
        "--helper",
        action="store_true",
        help="let the language model of SIZEWRIGHT_LLM_URL read the message too, names and addresses taken out",
    )
    parser.add_argument("--helper-as-is", action="store_true", help="the same with nothing taken out")


def wanted(args: argparse.Namespace) -> bool:
    """Whether one of the options was given."""
    return bool(args.helper or args.helper_as_is)


def read_again(text: str, known: Sequence[Answer], args: argparse.Namespace, catalogue: Catalogue) -> Helped:
    """What the configured model proposes for ``text``; says on standard error what goes where.

    Raises BadInput where none is configured. A model that fails is no error: the parser's reading stands.
    """
    from assistant.interview.helper import configured
    from assistant.interview.redaction import Redacted, redact

    helper = configured()
    if helper is None:
        raise BadInput("--helper", "no language model", "SIZEWRIGHT_LLM_URL naming an OpenAI-compatible endpoint")
    sent = Redacted(text=text) if args.helper_as_is else redact(text)
    taken_out = ", ".join(words for _, words in sent.replaced) or "nothing"
    say(harmless(f"Sent to {helper.host}, taken out: {taken_out}."))
    helped = helper.propose(sent, text, known, catalogue)
    if helped.failed:
        say(harmless(f"The language model was of no help: {helped.failed}. What the parser read stands."))
    return helped


def as_json(helped: Helped) -> dict[str, Any]:
    """The public form of what came of it."""
    proposed = [
        {**proposal.answer.model_dump(mode="json", exclude_none=True, exclude={"sources"}), "confirmed": False}
        | ({"instead_of": plain(proposal.instead_of.value)} if proposal.instead_of else {})
        for proposal in helped.proposals
    ]
    dropped = [one.model_dump() for one in helped.dropped]
    return {"model": helped.model, "proposed": proposed, "dropped": dropped, "failed": helped.failed}


def accepted(helped: Helped, accept: str | None) -> list[Answer]:
    """The proposals that ``accept`` (``all``, or fields with commas) takes, or that the user takes one by one where
    somebody sits at a terminal; none otherwise. Raises BadInput for a field that was not proposed."""
    offered = {proposal.answer.field: proposal.answer for proposal in helped.proposals}
    if accept is not None and accept != "all":
        names = [name.strip() for name in accept.split(",") if name.strip()]
        if unknown := [name for name in names if name not in offered] if not helped.failed else []:
            raise BadInput("--accept", unknown[0], "all, or fields that were proposed", list(offered))
        return [offered[name] for name in names if name in offered]
    for proposal in helped.proposals:
        say(f"Proposed: {described(proposal.answer)}")
    if accept == "all":
        return list(offered.values())
    if sys.stdin.isatty() and sys.stderr.isatty():
        return [answer for answer in offered.values() if _asked(answer)]
    if offered:
        say(f"Not taken, since nobody confirmed it: --accept all, or --accept {','.join(offered)}")
    return []


def _asked(answer: Answer) -> bool:
    say(f"Take {answer.field}? y takes it, anything else does not.")
    return sys.stdin.readline().strip().lower() in ("y", "yes", "j", "ja")


def described(answer: Answer) -> str:
    """A proposal in one line, with its quotation."""
    from assistant.interview.questions import question
    from assistant.interview.wording import show_answer

    return harmless(f'{answer.field}: {show_answer(question(answer.field), answer, "en")}  from "{answer.text}"')
