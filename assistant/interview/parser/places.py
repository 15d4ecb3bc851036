"""Where it is to run: countries by their names and cities."""

from __future__ import annotations

from assistant.interview.parser.names import find_names
from assistant.interview.parser.reading import Reading
from assistant.interview.parser.result import Ambiguous, Excluded

_BY_SCRIPT = {
    **dict.fromkeys(("中国", "北京", "上海", "深圳", "杭州"), "CN"),
    **dict.fromkeys(("한국", "대한민국", "서울"), "KR"),
    **{"德国": "DE", "法国": "FR", "日本": "JP", "新加坡": "SG", "美国": "US"},
}
"""Names in scripts that the catalogue's word index does not split."""


def read_country(reading: Reading) -> None:
    """State ``country`` (ISO 3166-1 alpha-2); countries that are ruled out are listed apart."""
    for name in find_names(reading, ("countries",), 3):
        span = reading.span(name.start, name.end)
        if name.likeliest is None:
            continue
        if reading.negated(name.start, name.end):
            reading.excluded.append(Excluded(field="country", value=name.likeliest, span=span))
            continue
        if name.resolution.id is None:
            question = f"Which {span.text} is meant: {', '.join(name.resolution.candidates)}?"
            candidates = name.resolution.candidates
            reading.ambiguous.append(
                Ambiguous(field="country", span=span, candidates=candidates, question=question, assumed=name.likeliest)
            )
        reading.state("country", name.likeliest, name.start, name.end)
    for word, code in _BY_SCRIPT.items():
        at = reading.text.find(word)
        if at >= 0 and not reading.negated(at, at + len(word)):
            reading.state("country", code, at, at + len(word))
