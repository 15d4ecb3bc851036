"""A question's answer: the sentence that answers, what it rests on, who says otherwise, and the sources."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.asking.answer import Answer
from assistant.asking.text import against_text, claim_text
from assistant.asking.understood import understood
from tui.views.lines import Line, Say, source_lines

EXAMPLES = (
    "RoCE or InfiniBand for 16 nodes?",
    "Do we have to report to the EU with 40 DGX H100 in Munich?",
    "What is Xid 79?",
    "Why not Kubernetes for training?",
    "How many kW per rack can air cool?",
)


def example_lines(say: Say) -> tuple[Line, ...]:
    """What can be asked, before anything was."""
    return (Line("head", say("for_example")), *(Line("item", text) for text in EXAMPLES))


def answer_lines(answer: Answer, say: Say) -> tuple[Line, ...]:
    """The whole answer; a language model's wording stands above the computed one where there is one."""
    return (
        Line("quiet", answer.question),
        *((Line("quiet", f"{say('understood_as')}: {line}"),) if (line := understood(answer)) else ()),
        *_wording(answer, say),
        *_section(say("rests_on"), [claim_text(claim) for claim in answer.claims]),
        *_section(say("who_disagrees"), [against_text(item) for item in answer.disagreements]),
        *_sources(answer, say),
    )


def _wording(answer: Answer, say: Say) -> Iterator[Line]:
    worded = answer.phrased
    if worded is not None and worded.text:
        yield Line("title", worded.text)
        yield Line("head", f"{say('as_computed')} ({worded.model})")
        yield Line("text", answer.answer)
        return
    yield Line("title", answer.answer)
    if worded is not None and worded.failed:
        yield Line("quiet", f"{worded.model}: {worded.failed}")


def _section(title: str, texts: list[str]) -> Iterator[Line]:
    if texts:
        yield Line("head", title)
        yield from (Line("item", text) for text in texts)


def _sources(answer: Answer, say: Say) -> Iterator[Line]:
    if answer.sources:
        yield Line("head", say("sources"))
        named = {source.id: source for source in answer.sources}
        yield from source_lines(tuple(named), named, say)
