"""Models by name and by size: ``Llama 3.1 70B and 405B``, ``some 70B model``, ``70 Milliarden Parameter``."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.interview.parser.names.find import STYLE, Name, find_names, refusal
from assistant.interview.parser.numbers.values import amount, quantity
from assistant.interview.parser.reading import Reading, tidy
from assistant.interview.parser.result import Ambiguous, Derived, Excluded, Mention, Span
from assistant.interview.parser.scope import of_today, replaced
from knowledge import regexes as re
from knowledge.errors import BadInput

_SIZE = re.compile(
    r"(?<![A-Za-zÀ-ÿ0-9_.,$€£])(?:[A-Za-z][A-Za-z._]{0,20}(?:-|"
    r"(?<=[A-Za-z])))?(?P<size>\d{1,4}(?:[.,]\d{1,2})?)\s?(?P<scale>bn|b|B)(?:-A\d{1,3}B)?"
    r"(?![A-Za-z0-9/])(?!\s?[*x]\s?\d)(?!\s?-?(?:active|activated|aktiv\w{0,2}|actifs?|activos?|ativos?|激活|활성|"
    r"tokens?|toks?|rows?|vectors?|zeilen|users?|euros?|eur|usd|dollars?)\b)",
)
_TIMES = re.compile(r"\d\s?[xX*]\s?$|(?:ascend|昇腾|huawei|atlas)[ -]?$", re.IGNORECASE)
_TERA = re.compile(
    r"(?<![\w.,$€£])(?P<size>\d{1,2}(?:[.,]\d{1,2})?)\s?T[- ](?:parameters?|params?|model|modell|"
    r"moe|dense|sparse|llm|class)\b",
    re.IGNORECASE,
)
_WORDS = re.compile(
    quantity(
        r"[- ]?(?:de |d'|of |di )?(?:model )?(?:parameters?|params?|parametern?|paramètres|parámetros|parâmetros|"
        r"参数|파라미터|parametr\w{1,3}|パラメータ|modell?\b)",
        letters="",
    ),
    re.IGNORECASE,
)
_CJK_SIZE = re.compile(r"(?P<a>\d{1,5}(?:\.\d{1,2})?)\s?(?P<s>万亿|亿|억|조)\s?(?:参数|规模|模型|파라미터|매개변수)")
_CJK_HUNDREDS = re.compile(r"(?<![\d.数几])(?P<q>[百千万])亿(?:级|规模)?(?:的)?(?:参数|模型)")
_HUNDREDS = {"百": 10.0, "千": 100.0, "万": 1000.0}
"""``千亿参数``: a thousand hundred millions are 100e9 parameters."""

_MORE = re.compile(
    r"^\s?(?:and|und|oder|or|/|,|&|\+|et|ou|y|e|和)\s?(?:the |das |die "
    r")?(?P<size>\d{1,4}(?:\.\d{1,2})?[bB])(?![A-Za-z0-9])"
)
_FAMILY_AND_SIZE = re.compile(
    r"(?<![\w])(?P<family>[A-Za-z]{3,16})[ -]?(?P<version>v?\d(?:\.\d{1,2})?)?[ "
    r"-:]{1,2}(?P<size>\d{1,4}(?:\.\d)?[bB])(?![A-Za-z0-9])"
)
_GENERIC = (
    "the some any our for with and run serve host use using model models modell modelle llm vlm size full "
    "local eine einen ein das "
    "von auf mit une uno taille fine tune tuning train training finetune der die le la el dense moe about "
    "around etwa rund like say "
    "take takes need needs want ancora than over unquantised both other another new good best small large big"
)
_NOT_A_FAMILY = frozenset(_GENERIC.split())


@dataclass
class _Model:
    ident: str | None
    span: Span
    name: Name | None = None
    note: str | None = None


def read_models(reading: Reading) -> None:
    """State ``models`` and ``parameters_b``; what follows from a name alone stands under ``derived``."""
    found = [m for name in find_names(reading, ("models",), 7) for m in _named(reading, name)]
    found = _not_of_today(reading, found)
    for one in found:
        reading.take(one.span.start, one.span.end)
    sizes = _sizes(reading)
    if not found:
        found = _misspelt(reading)
    _settle(reading, found, [size for size, _ in sizes])
    models = list(dict.fromkeys(m.ident for m in found if m.ident is not None))
    if models:
        first, *others = [m.span for m in found if m.ident is not None]
        note = "; ".join(m.note for m in found if m.note) or None
        reading.fields["models"] = Mention.model_construct(value=models, also=tuple(others), note=note, **first.place())
        reading.mentions += [
            ("models", Mention.model_construct(value=[m.ident], note=m.note, **m.span.place()))
            for m in found
            if m.ident is not None
        ]
    _state_sizes(reading, sizes, [m.span for m in found])
    _derive(reading, models)


_AS_A_KIND = re.compile(
    r"(?<!\w)(?:our|own|a|an|like|similar to|kind of|ein|eine?n?|eigene[sn]?|wie|un|une|notre|propre|comme|"
    r"propio|como|um|próprio|"
    r"uno|proprio|come|een|eigen|zoals|własny|jak)\s$",
    re.IGNORECASE,
)
"""``our own ChatGPT``: something of its kind is wanted."""


_TODAY = "what is in use today, not what is wanted"


def _not_of_today(reading: Reading, found: list[_Model]) -> list[_Model]:
    """Of several models those of a clause on today are not the ones that are wanted."""
    today = [m for m in found if of_today(reading.stream, m.span.start, m.span.end)]
    if not today or len(today) == len(found):
        return found
    for one in today:
        reading.unuse(one.span.start, one.span.end, "name", _TODAY, "models_today", one.ident)
    return [one for one in found if one not in today]


def _named(reading: Reading, name: Name) -> list[_Model]:
    span = reading.span(name.start, name.end)
    if STYLE.match(reading.after(name.end)):
        return []
    if reading.negated_beside(name.start, name.end):
        value = name.likeliest or span.text
        reading.excluded.append(Excluded.model_construct(field="models", value=value, span=span))
        reading.take(name.start, name.end)
        return []
    closed = name.likeliest is None
    if replaced(reading.stream, name.start, name.end) or (
        closed and of_today(reading.stream, name.start, name.end, closed=True)
    ):
        reading.unuse(name.start, name.end, "name", _TODAY, "models_today", name.likeliest or span.text)
        return []
    if span.text == "copilot" or (_AS_A_KIND.search(reading.before(name.start)) and name.likeliest is None):
        return []  # the kind of product, not the product
    if name.likeliest is None:
        reading.ambiguous.append(refusal("models", span, name))
        return [_Model(span.text, span)]
    models = [_Model(name.likeliest, span, name)]
    if variant := _VARIANT.match(reading.after(name.end, 24)):
        return [_variant(reading, name, reading.span(name.start, name.end + variant.end()))]
    more = _MORE.match(reading.after(name.end))
    if more and re.search(r"\d[bB]$", span.text):
        other = reading.catalogue.resolve("models", re.sub(r"[\d.]+[bB]$", more["size"], span.text))
        start = name.end + more.start("size")
        if other.id is not None:
            models.append(_Model(other.id, reading.span(start, start + len(more["size"]))))
    return models


_VARIANT = re.compile(
    r"[ -]?(?:v\d{1,2}(?:\.\d)?|(?:Small|Medium|Large|Mini|Nano|Tiny|Max|Ultra|Plus|Pro|Flash|Turbo|Lite|XL|Next|"
    r"Omni|Behemoth)(?: \d(?:\.\d)?(?![\w.]))?)(?!\w|\.\d)",
)
"""Words that make another model of a name."""


def _variant(reading: Reading, name: Name, span: Span) -> _Model:
    """A variant of a known name: one of its candidates where one is called so, else not known, with the nearest."""
    word = re.split(r"[ -]", span.text[name.end - name.start :].strip(" -").lower())[0]
    close = name.resolution.candidates or (name.likeliest or "",)
    fitting = tuple(c for c in close if re.search(rf"(?<![a-z]){re.escape(word)}(?![a-z])", c))
    reading.take(span.start, span.end)
    if fitting:
        question = f"Which {span.text} is meant: {', '.join(fitting)}?"
        reading.ambiguous.append(
            Ambiguous.model_construct(
                field="models", span=span, candidates=fitting, question=question, assumed=fitting[0]
            )
        )
        return _Model(fitting[0], span, note=f"{span.text} is taken for {fitting[0]}")
    question = f"{span.text} is not in the catalogue; nearest: {', '.join(close[:3])}"
    reading.ambiguous.append(Ambiguous.model_construct(field="models", span=span, candidates=(), question=question))
    return _Model(span.text, span)


def _sizes(reading: Reading) -> list[tuple[float, Span]]:
    """Sizes in 1e9 parameters, wherever they stand, names of models included."""
    sizes = [
        (float(m["size"].replace(",", ".")), reading.span(m.start("size"), m.end()))
        for m in _SIZE.finditer(reading.text)
        if not _TIMES.search(reading.text[max(0, m.start() - 10) : m.start()])
    ]
    sizes += [(float(m["size"].replace(",", ".")) * 1e3, reading.span(*m.span())) for m in _TERA.finditer(reading.text)]
    sizes += [(_HUNDREDS[m["q"]], reading.span(*m.span())) for m in _CJK_HUNDREDS.finditer(reading.text)]
    for match in (*_WORDS.finditer(reading.text), *_CJK_SIZE.finditer(reading.text)):
        size = amount(match, reading.lang).value / 1e9
        if 0.01 <= size <= 1e5:
            sizes.append((size, reading.span(match.start(), match.end())))
    return sizes


def _state_sizes(reading: Reading, sizes: list[tuple[float, Span]], models: list[Span]) -> None:
    """The largest size within a model's name; without one, the largest anywhere."""
    if not sizes:
        return
    named = [(size, s) for size, s in sizes if any(m.start <= s.start and s.end <= m.end for m in models)]
    largest, span = max(named or sizes, key=lambda s: (s[0], -s[1].start))
    others = tuple(s for _, s in sizes if s != span)
    for each, taken in sizes:
        reading.take(taken.start, taken.end)
        reading.mentions.append(
            ("parameters_b", Mention.model_construct(value=tidy(each), unit="1e9 parameters", **taken.place()))
        )
    reading.fields["parameters_b"] = Mention.model_construct(
        value=tidy(largest), unit="1e9 parameters", also=others, **span.place()
    )


def _settle(reading: Reading, found: list[_Model], sizes: list[float]) -> None:
    """A family without a size takes the size written elsewhere; what stays open becomes a question."""
    for one in found:
        if one.name is None or one.name.resolution.id is not None:
            continue
        candidates = one.name.resolution.candidates
        fitting = tuple(c for c in candidates if any(abs(_billions(reading, c) - s) <= 0.06 * s for s in sizes))
        if len(fitting) == 1:
            one.ident = fitting[0]
            continue
        candidates = fitting or candidates
        one.ident = candidates[0]
        question = f"Which {one.span.text} is meant: {', '.join(candidates)}?"
        reading.ambiguous.append(
            Ambiguous.model_construct(
                field="models", span=one.span, candidates=candidates, question=question, assumed=candidates[0]
            )
        )


def _billions(reading: Reading, ident: str) -> float:
    entry = reading.catalogue.entry("models", ident)
    return float(entry.total_params or entry.stated_params or 0) / 1e9


def _misspelt(reading: Reading) -> list[_Model]:
    """A family with a size that is nearly a known name: taken for it, and asked."""
    for match in _FAMILY_AND_SIZE.finditer(reading.text):
        if match["family"].lower() in _NOT_A_FAMILY:
            continue
        near = _nearest(reading, match[0])
        if near is None:
            continue
        span = reading.span(match.start(), match.end())
        question = f"Is {span.text} the model {near}?"
        reading.ambiguous.append(
            Ambiguous.model_construct(field="models", span=span, candidates=(near,), question=question, assumed=near)
        )
        return [_Model(near, span, note=f"{span.text} is read as {near}")]
    return []


_MISSPELLING_LIKENESS = 84
"""Least likeness in percent at which a name counts as misspelt rather than unknown."""


def _nearest(reading: Reading, text: str) -> str | None:
    from rapidfuzz import fuzz  # needed only once a name has missed

    try:
        reading.catalogue.named("models", text)
    except BadInput as error:
        size = re.search(r"[\d.]+[bB]$", text)
        for near in error.nearest:
            same_size = size is None or re.search(rf"(?<![\d.]){re.escape(size[0])}(?![\d])", near, re.IGNORECASE)
            if (
                same_size
                and fuzz.ratio(_letters(text), _letters(near)[: len(_letters(text)) + 1]) >= _MISSPELLING_LIKENESS
            ):
                return near
    return None


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


FOR_CODE = re.compile(r"coder|codestral|devstral|codellama|starcoder|codegemma", re.IGNORECASE)
_WORKLOAD_OF_KIND = {
    "embedding": "embeddings",
    "reranker": "reranking",
    "asr": "speech",
    "diffusion": "image_generation",
}


def _derive(reading: Reading, names: list[str]) -> None:
    models = [name for name in names if name in reading.catalogue.entries("models")]
    if not models:
        return
    largest = max(models, key=lambda m: _billions(reading, m))
    size = _billions(reading, largest)
    if "parameters_b" not in reading.fields and size:
        reading.derived["parameters_b"] = Derived.model_construct(
            value=tidy(round(size, 3)), unit="1e9 parameters", because=f"size of {largest}"
        )
    kind = reading.catalogue.entry("models", models[0]).kind
    if kind in _WORKLOAD_OF_KIND:
        reading.derived["workload"] = Derived.model_construct(
            value=_WORKLOAD_OF_KIND[kind], because=f"{models[0]} is such a model"
        )
    elif code := next((m for m in models if FOR_CODE.search(m)), None):
        reading.derived["workload"] = Derived.model_construct(
            value="coding", because=f"{code} is a model for code", sure=False
        )
