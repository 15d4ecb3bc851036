"""Choices by the words that people use for them: the synonyms of ``questions.yaml`` found in running text."""

from __future__ import annotations

import re
from functools import lru_cache

from assistant.interview.parser.reading import Reading
from assistant.interview.parser.result import Ambiguous, Excluded
from assistant.interview.questions import Question, question

FROM_TEXT = (
    "workload",
    "hosting",
    "network",
    "scheduler",
    "data_class",
    "storage_kind",
    "redundancy",
    "operating_hours",
    "training_method",
    "weight_dtype",
    "isolation",
)
"""Choices that are understood anywhere in a message; the words of the others mean too many things."""

_TOO_COMMON = frozenset(
    {
        "shared",
        "office",
        "geteilt",
        "gpu",
        "node",
        "cluster",
        "full",
        "n",
        "none",
        "public",
        "internal",
        "personal",
        "geheim",
        "intern",
        "wir",
        "self",
        "several",
        "simulation",
        "agent",
        "summary",
        "health",
        "classified",
        "local",
        "both",
        "beides",
        "anpassen",
        "adapter",
        "mixed",
        "video",
        "vision",
        "assistant",
        "mieten",
        "housing",
        "resumo",
        "resumen",
        "dialog",
        "öffentlich",
        "hybride",
        "nvme",
        "auto",
        "default",
        "rl",
    }
)
"""Words that answer the question but state nothing in running text."""


@lru_cache(maxsize=64)
def _words(name: str) -> dict[str, str]:
    """The value of each word of a choice, longest word first."""
    words = {
        word.lower(): choice.value
        for choice in question(name).choices
        for word in choice.synonyms
        if word.lower() not in _TOO_COMMON
    }
    return {word: words[word] for word in sorted(words, key=len, reverse=True)}


def _pattern(name: str, text: str) -> re.Pattern[str] | None:
    """A pattern for the words of a choice that occur in ``text``; a pattern of all words would take long to build."""
    plain = text.lower().replace("-", " ")
    present = tuple(word for word in _words(name) if word.replace("-", " ") in plain)
    return _built(present) if present else None


@lru_cache(maxsize=256)
def _built(longest_first: tuple[str, ...]) -> re.Pattern[str]:
    latin, other = ([w for w in longest_first if (w[0] < "\u3000") is script] for script in (True, False))
    parts = [f"(?<![A-Za-zÀ-ÿ0-9])(?:{_any(latin)})(?![A-Za-zÀ-ÿ0-9])"] if latin else []
    return re.compile("|".join([*parts, *([_any(other)] if other else [])]), re.IGNORECASE)


def _any(words: list[str]) -> str:
    return "|".join(re.escape(word).replace(r"\ ", "[ -]") for word in words)


def read_choices(reading: Reading) -> None:
    """State each choice whose words occur; negated words are excluded, asked ones state nothing."""
    for name in FROM_TEXT:
        pattern = _pattern(name, reading.text)
        hits = _hits(reading, name, pattern, _words(name)) if pattern else []
        if hits:
            _settle(reading, question(name), hits)


def _only_a_name(reading: Reading, match: re.Match[str]) -> bool:
    """A reranker named beside a chat model does not make the task reranking, nor do call agents make it agents."""
    return bool(re.match(r"rerank|embedding|agents?$", match[0], re.IGNORECASE)) and not reading.free(*match.span())


_OTHERWISE = {
    "hosting": re.compile(r"^ (?:support|service|staff|engineers?|visits?|team|maintenance|training|spares?)\b", re.I),
    "redundancy": re.compile(
        r"^[ -]?(?:psus?|power|supply|supplies|"
        r"netzteil\w*|strom\w*|feeds?|network\w*|netz\w*|uplinks?|links?|cooling|kühl\w*|"
        r"alimentation\w*|fuentes|fontes|data|array|disks?|drives?)\b|^[^.;,\n]{0,12}(?:netzteil|stromversorgung)",
        re.IGNORECASE,
    ),
}
"""What is meant by a word when this follows it: a redundant power supply is no spare server."""

_OF_PARTS = re.compile(
    r"(?:\b(?:ib|infiniband|network|netz|power|strom|psus?|fabric|uplinks?|links?|"
    r"feeds?|a/b|cooling|kühlung|storage|raid)[ -](?:is |are |ist )?)$",
    re.IGNORECASE,
)

_NON = re.compile(r"(?:\bnon-?\s?|\bnot |\bnicht |\bun)$", re.IGNORECASE)


def _of_something_else(reading: Reading, name: str, match: re.Match[str]) -> bool:
    pattern = _OTHERWISE.get(name)
    return pattern is not None and bool(
        pattern.search(reading.after(match.end()))
        or _NON.search(reading.before(match.start()))
        or (name == "redundancy" and _OF_PARTS.search(reading.before(match.start())))
    )


def _hits(reading: Reading, name: str, pattern: re.Pattern[str], words: dict[str, str]) -> list[tuple[str, int, int]]:
    hits: list[tuple[str, int, int]] = []
    serving = name in ("workload", "training_method") and _SERVED_ADAPTERS.search(reading.text)
    for match in pattern.finditer(reading.text):
        if (
            (serving and match[0].lower() == "lora")
            or _only_a_name(reading, match)
            or _of_something_else(reading, name, match)
        ):
            continue
        value = (
            words.get(re.sub(r"[ -]", " ", match[0].lower())) or words.get(match[0].lower()) or _loose(words, match[0])
        )
        if reading.negated(*match.span()):
            reading.excluded.append(Excluded(field=name, value=value, span=reading.span(*match.span())))
        elif name in _EVEN_ASKED or not reading.asked(*match.span()):
            hits.append((value, match.start(), match.end()))
    return hits


def _loose(words: dict[str, str], text: str) -> str:
    wanted = re.sub(r"[ -]", "", text.lower())
    return next(value for word, value in words.items() if re.sub(r"[ -]", "", word) == wanted)


_SERVED_ADAPTERS = re.compile(r"multi-?lora|\blora adapters?\b|\badapters\b", re.IGNORECASE)
"""Serving LoRA adapters is no fine-tuning."""

_EVEN_ASKED = frozenset({"workload", "training_method"})
"""A question about one of these is about doing it."""

_RANK = {
    "workload": (
        "rl",
        "pretraining",
        "finetuning",
        "ocr",
        "speech",
        "image_generation",
        "video",
        "agents",
        "coding",
        "rag",
        "reranking",
        "embeddings",
        "summarising",
        "vision",
        "batch",
        "chat",
        "hpc",
        "mixed",
    ),
    "hosting": ("hybrid", "sovereign_cloud", "colocation"),
    "training_method": ("qlora", "lora"),
}
"""Which value wins where the words of several occur; else the one said first."""


def _settle(reading: Reading, asked: Question, hits: list[tuple[str, int, int]]) -> None:
    values = list(dict.fromkeys(value for value, _, _ in hits))
    chosen = next((v for v in _RANK.get(asked.id, ()) if v in values), values[0])
    if asked.id == "scheduler" and {"slurm", "kubernetes"} <= set(values):
        chosen = "both"
    value, start, end = next((h for h in hits if h[0] == chosen), hits[0])
    if asked.id == "hosting" and {"on_prem", "cloud"} <= set(values) and chosen == values[0]:
        question_text = "Both own site and cloud are mentioned: which is wanted, or are they to be compared?"
        candidates = (chosen, *(v for v in values if v != chosen))
        reading.ambiguous.append(
            Ambiguous(
                field=asked.id,
                span=reading.span(start, end),
                candidates=candidates,
                question=question_text,
                assumed=chosen,
            )
        )
    reading.state(asked.id, chosen if chosen != value else value, start, end)
