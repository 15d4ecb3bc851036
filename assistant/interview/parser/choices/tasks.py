"""Tasks by the words of the message's own language, and retrieval by what a chatbot answers from."""

from __future__ import annotations

from assistant.interview.parser.reading import Reading
from assistant.interview.questions import question
from knowledge import regexes as re


def tasks_named(reading: Reading) -> list[tuple[str, int, int]]:
    """Tasks by the words of the message's own language."""
    known = set(question("workload").values)
    found = []
    for word in reading.stream.words:
        task = next((kind[2:] for kind in sorted(word.kinds) if kind.startswith("w_") and kind[2:] in known), None)
        if task is None or in_a_model(reading, word.start, word.end) or reading.negated(word.start, word.end):
            continue
        if _only_a_task_name(reading, task, word.start, word.end):
            continue
        found.append((task, word.start, word.end))
    return found


_OVER_REACH = 60
"""Characters between a chatbot and the documents that it answers from."""


def over_documents(reading: Reading) -> list[tuple[str, int, int]]:
    """``a chatbot over our manuals``, ``Fragen zu unseren Richtlinien``: answers from documents are retrieval."""
    stream, found = reading.stream, []
    for word in stream.words:
        if not word.kinds & {"w_chat", "queries"} or in_a_model(reading, word.start, word.end):
            continue
        if reading.negated(word.start, word.end):
            continue
        _, last = stream.sentence(word.start)
        reach = min(last, word.end + _OVER_REACH)
        for over in stream.linked(word.end, reach, "over"):
            between = reading.text[word.end : over.start]
            if any(c in between for c in ",;:()") or re.search(r"\d", between):
                break
            near = (over.end, min(last, over.end + 40))
            known = stream.within(*near, "documents", "pages", "data", "classified")
            texts = sorted((*stream.linked(*near, "corpus", "it"), *known), key=lambda text: text.start)
            if texts and not re.search(r"[,;:()\d]", reading.text[over.end : texts[0].start]):
                found.append(("rag", word.start, texts[0].end))
                break
    return found


def _only_a_task_name(reading: Reading, task: str, start: int, end: int) -> bool:
    return task in ("embeddings", "agents") and not reading.free(start, end)


def in_a_model(reading: Reading, start: int, end: int) -> bool:
    """``chat`` in ``llama-2-70b-chat`` names no task."""
    places = [(m.start, m.end) for n, m in reading.mentions if n == "models"]
    places += [(also.start, also.end) for n, m in reading.mentions if n == "models" for also in m.also]
    return any(first <= start and end <= last for first, last in places)
