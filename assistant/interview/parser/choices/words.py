"""Choices by the words that people use for them: the synonyms of ``questions.yaml`` found in running text."""

from __future__ import annotations

from functools import lru_cache

from assistant.interview.parser.choices.tasks import in_a_model, over_documents, tasks_named
from assistant.interview.parser.reading import Reading
from assistant.interview.parser.result import Ambiguous, Excluded, Mention
from assistant.interview.parser.scope import places_compared
from assistant.interview.questions import Question, question
from knowledge import regexes as re

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
    "speech_task",
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
    return "|".join(re.sub(r"\\[ -]", "[ -]", re.escape(word)) for word in words)


def read_choices(reading: Reading) -> None:
    """State each choice whose words occur; negated words are excluded, asked ones state nothing."""
    for name in FROM_TEXT:
        pattern = _pattern(name, reading.text)
        hits = _hits(reading, name, pattern, _words(name)) if pattern else []
        if name == "speech_task" and not hits:
            hits = [("recognition", w.start, w.end) for w in reading.stream.words if "recognition" in w.kinds][:1]
        if name == "workload":
            hits = sorted({*hits, *tasks_named(reading), *over_documents(reading)}, key=lambda hit: hit[1:])
        for value, start, end in hits:
            span = reading.span(start, end)
            reading.mentions.append((name, Mention.model_construct(value=value, **span.place())))
        if name == "hosting":
            hits = _not_only_today(reading, hits)
        if hits:
            _settle(reading, question(name), hits)


def _not_only_today(reading: Reading, hits: list[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    """``currently on AWS, want to move on-prem``: of two places the one of today is not the one that is wanted."""
    if len({value for value, _, _ in hits}) < 2:
        return hits
    stream = reading.stream
    return [hit for hit in hits if not stream.within(*stream.clause(hit[1], hit[2]), "now")] or hits


def _only_a_name(reading: Reading, match: re.Match[str]) -> bool:
    """A reranker named beside a chat model does not make the task reranking, nor do call agents make it agents."""
    return bool(re.match(r"rerank|embedding|agents?$", match[0], re.IGNORECASE)) and not reading.free(*match.span())


_OWN = r"(?:buy(?:ing)?|own(?:ing)?|build(?:ing)?|purchas\w+|kauf\w*|achat|acheter|comprar|compra|购买|自建)"
_RENT = r"(?:rent(?:ing)?|cloud|mieten?|louer|location|alquil\w+|alug\w+)"
_OR = r"(?: [^.;!?\n]{0,30}?)?? ?(?:vs\.?|versus|or|/|oder|ou|o|还是) ?(?:to )?"
_RENT_OR_BUY = re.compile(rf"\b(?:{_RENT}{_OR}{_OWN}|{_OWN}{_OR}{_RENT})", re.IGNORECASE)
"""Whether to rent or to buy is what such a message asks; it states neither."""

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


_ONE_OF_TWO = re.compile(r"^\s?(?:or|vs\.?|versus|oder|ou|还是)\s[^.;!\n]{0,140}\?", re.IGNORECASE)

_OTHER_OF_TWO = re.compile(r"\b(?:or|vs\.?|versus|oder|ou)\s(?:[\w-]{1,16}\s){0,2}$", re.IGNORECASE)


def _compared(reading: Reading, name: str, match: re.Match[str]) -> bool:
    """``Spectrum-X or Quantum-2 for 256 GPUs?`` and ``rent vs buy`` ask for the choice."""
    if name == "hosting":
        return places_compared(reading.stream, match.start()) or any(
            m.start() <= match.start() < m.end() for m in _RENT_OR_BUY.finditer(reading.text)
        )
    after = reading.after(match.end(), 160)
    return name in ("network", "scheduler") and bool(
        _ONE_OF_TWO.match(after) or (_OTHER_OF_TWO.search(reading.before(match.start())) and "?" in after)
    )


def _of_something_else(reading: Reading, name: str, match: re.Match[str]) -> bool:
    if _compared(reading, name, match):
        return True
    pattern = _OTHERWISE.get(name)
    return pattern is not None and bool(
        pattern.search(reading.after(match.end()))
        or _NON.search(reading.before(match.start()))
        or (name == "redundancy" and _OF_PARTS.search(reading.before(match.start())))
    )


_NOT_THERE_BEFORE = re.compile(
    r"(?:\b(?:not|never|cannot|nicht|nie|kein\w*|pas|jamais|rien|nada|no|ni|não|nunca)|n't)\b"
    r"(?:(?!\b(?:but|sondern|mais|sino|mas|only|nur|just)\b)[^.,;:!?\n]){0,36}$",
    re.IGNORECASE,
)
_NOT_THERE_AFTER = re.compile(
    r"^[^.,;:!?\n]{0,24}\b(?:(?:is|are|ist|sind|est|es|é|está) )?"
    r"(?:(?:not|no|never|nicht|pas|não|keine?) (?:an? |eine? |une |uma |una )?"
    r"(?:options?|allowed|possible|permitted|acceptable|"
    r"erlaubt|möglich|zulässig|gewünscht|gestattet|option|autorisée?|permise?|envisageable|opción|permitid[oa]|opção|"
    r"posible|possível)|forbidden|prohibited|ruled out|off the table|out of the question|ausgeschlossen|verboten|"
    r"tabu|scheidet aus|"
    r"interdite?|exclue?|prohibid[oa]|descartad[oa]|excluid[oa]|proibid[oa])\b|"
    r"^.{0,6}(?:不允许|不行|不可以|禁止|불가|안 됩|금지)",
    re.IGNORECASE,
)


def _ruled_out(reading: Reading, value: str, start: int, end: int) -> bool:
    """Whether the cloud is refused with words between: ``not allowed to use the public cloud``, ``Cloud ist tabu``."""
    return value == "cloud" and bool(
        _NOT_THERE_BEFORE.search(reading.before(start, 60)) or _NOT_THERE_AFTER.search(reading.after(end, 60))
    )


_CALLS = re.compile(r"call ?cent(?:er|re)", re.IGNORECASE)
_TOKENS = re.compile(r"\d[\d.,k ]*(?:tokens? )?(?:in|out|tokens?)(?!\w)", re.IGNORECASE)
"""Lengths in tokens: what is read and written is text, whoever speaks."""


def _hits(reading: Reading, name: str, pattern: re.Pattern[str], words: dict[str, str]) -> list[tuple[str, int, int]]:
    hits: list[tuple[str, int, int]] = []
    serving = name in ("workload", "training_method") and _SERVED_ADAPTERS.search(reading.text)
    for match in pattern.finditer(reading.text):
        if name == "workload" and in_a_model(reading, *match.span()):
            continue
        bits = reading.fields.get("vector_bits") if name == "weight_dtype" else None
        if bits is not None and match.start() < bits.end and bits.start < match.end():
            continue  # the precision of an index
        if name == "workload" and _CALLS.match(match[0]) and _TOKENS.search(reading.text):
            continue  # an assistant for those who take the calls, stated in text
        if name == "hosting" and not reading.free(*match.span()):
            continue  # a cloud that is ruled out, or whose operator is
        if (
            (serving and match[0].lower() == "lora")
            or _only_a_name(reading, match)
            or _of_something_else(reading, name, match)
        ):
            continue
        value = (
            words.get(re.sub(r"[ -]", " ", match[0].lower())) or words.get(match[0].lower()) or _loose(words, match[0])
        )
        if reading.negated(*match.span()) or _ruled_out(reading, value, *match.span()):
            reading.excluded.append(Excluded.model_construct(field=name, value=value, span=reading.span(*match.span())))
        elif name == "hosting" and _paid(reading, *match.span()):
            continue  # where something is paid for today is no place that is wanted
        elif name in _EVEN_ASKED or not reading.asked(*match.span()):
            hits.append((value, match.start(), match.end()))
    return hits


def _paid(reading: Reading, start: int, end: int) -> bool:
    first, last = reading.stream.clause(start, end)
    return bool(reading.stream.linked(first, last, "paid")) and not reading.stream.within(first, last, "wanted")


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
        "embeddings",
        "reranking",
        "summarising",
        "vision",
        "batch",
        "chat",
        "hpc",
        "mixed",
    ),
    "hosting": ("hybrid", "sovereign_cloud", "colocation"),
    "training_method": ("qlora", "lora", "dpo", "grpo"),
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
            Ambiguous.model_construct(
                field=asked.id,
                span=reading.span(start, end),
                candidates=candidates,
                question=question_text,
                assumed=chosen,
            )
        )
    reading.state(asked.id, chosen if chosen != value else value, start, end)
