"""Who somebody is, taken out of a message before it leaves the machine: people, companies, addresses, numbers to call.

What a sizing needs (models, hardware, places, figures) stays. Each find becomes a placeholder of its own, so that a
quotation of the redacted text can be led back to the words that were typed. Finds are offered to the user, who sees
what would be sent: a pattern misses some names, which is why nothing is sent unseen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge.evidence import Frozen

MOST_CHARACTERS = 20_000
"""More of a message is not sent."""

_NAME = r"[A-ZÄÖÜ][\w.'’&-]{1,40}"
_NAMES = rf"{_NAME}(?:[ \t]{_NAME}){{0,3}}"
_LEGAL_FORMS = (
    r"GmbH(?: & Co\.? KG)?|AG|SE|KGaA|KG|OHG|e\.?V\.?|mbH|Inc\.?|Ltd\.?|LLC|LLP|plc|Corp\.?|"
    r"S\.?A\.?(?:S\.?)?|S\.?p\.?A\.?|B\.?V\.?|N\.?V\.?|Oy|AB|A/S|Pty"
)
_BEFORE_A_PERSON = (
    "Mr ", "Mr. ", "Ms ", "Ms. ", "Mrs ", "Mrs. ", "Dr ", "Dr. ", "Herr ", "Herrn ", "Frau ", "Dear ", "Hello ",
    "Hallo ", "Hi ", "Liebe ", "Lieber ", "Madame ", "Monsieur ", "my name is ", "mein Name ist ", "egards,\n",
    "Grüßen\n", "Grüße\n", "Gruß\n", "Cheers,\n", "Thanks,\n",
)  # fmt: skip
_PATTERNS = (
    ("EMAIL", re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")),
    ("LINK", re.compile(r"\b(?:https?://|www\.)[^\s<>\"()]{1,500}", re.IGNORECASE)),
    ("PHONE", re.compile(r"(?<![\w.])\+\d[\d ()/-]{6,20}\d|(?<=[Tt]el[.: ])[ :]{0,3}\d[\d ()/-]{5,20}\d")),
    ("ADDRESS", re.compile(r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?!\d|\.\d)")),
    ("COMPANY", re.compile(rf"{_NAMES}(?=[ \t](?:{_LEGAL_FORMS})(?!\w))")),
    ("PERSON", re.compile("|".join(rf"(?<={re.escape(words)}){_NAMES}" for words in _BEFORE_A_PERSON))),
)
_NOBODY = frozenset(
    ["co", "all", "everyone", "team", "there", "zusammen", "sir", "madam", "colleagues", "kollegen", "folks"]
)


class Redacted(Frozen):
    """A message as it may be sent, and what its placeholders stand for."""

    text: str
    replaced: tuple[tuple[str, str], ...] = ()

    def restored(self, text: str) -> str:
        """A part of the redacted text in the words that were typed."""
        for placeholder, original in self.replaced:
            text = text.replace(placeholder, original)
        return text


def redact(text: str) -> Redacted:
    """``text`` without e-mail addresses, links, telephone numbers, addresses, companies and people; cut at
    ``MOST_CHARACTERS``."""
    sent = text[:MOST_CHARACTERS]
    replaced: dict[str, str] = {}
    for kind, pattern in _PATTERNS:
        for words in _found(pattern, sent):
            placeholder = replaced.get(words) or f"[{kind} {len(replaced) + 1}]"
            replaced[words] = placeholder
            sent = re.sub(rf"(?<!\w){re.escape(words)}(?!\w)", placeholder, sent)
    return Redacted(text=sent, replaced=tuple((placeholder, words) for words, placeholder in replaced.items()))


def _found(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    """What a pattern finds, the longest first so that no find cuts another."""
    finds = {match.group().strip(" .") for match in pattern.finditer(text)}
    yield from sorted((f for f in finds if f and f.lower() not in _NOBODY and "[" not in f), key=lambda f: (-len(f), f))
