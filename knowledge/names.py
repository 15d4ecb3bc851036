"""Names as people write them: exact id, alias, vaguer name with a note, ambiguous name, or the nearest ones.

Case, spaces, hyphens and punctuation do not matter, nor does a vendor's name in front, nor the order of the words.
A misspelt name is never silently accepted: it is unknown, with the nearest names beside it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

_VENDOR_WORDS = frozenset(
    {"nvidia", "amd", "intel", "instinct", "geforce", "tesla", "habana", "google", "aws", "amazon", "apple"}
    | {"dell", "hpe", "lenovo", "supermicro", "cisco", "arista", "mellanox", "microsoft", "the"}
)
_FILLER_WORDS = frozenset(
    {"gpu", "gpus", "card", "cards", "accelerator", "accelerators", "server", "servers", "switch", "tensor", "core"}
)
_COUNT_BEFORE = re.compile(r"^\s*(\d{1,6})\s*(?:[x×*]\s*(?=\w)|\s+(?=[^\W\d_]))", re.IGNORECASE)
_COUNT_AFTER = re.compile(r"(?:\s[x×*]\s*|(?<=[^\W_t])[x×]|\s*[×*]\s*)(\d{1,4})\s*$", re.IGNORECASE)


@dataclass(frozen=True)
class Resolution:
    """What a name came to.

    ``id`` is None when the name is unknown (``candidates`` empty) or ambiguous (``candidates`` lists the ids, the
    likeliest first). ``note`` says what was assumed, or why a known product is refused; ``instead`` then lists ids to
    name in its place.
    """

    id: str | None
    note: str | None = None
    candidates: tuple[str, ...] = ()
    instead: tuple[str, ...] = ()


@dataclass(frozen=True)
class NameIndex:
    """The names of one kind, by key (see ``name_key``): ids, notes for vaguer names, ambiguous names, refusals."""

    exact: Mapping[str, str]
    assumed: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    ambiguous: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    refused: Mapping[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        """The index as JSON values, for the compiled form."""
        return {name: dict(getattr(self, name)) for name in ("exact", "assumed", "ambiguous", "refused")}

    @classmethod
    def from_plain(cls, data: Mapping[str, Mapping[str, Any]]) -> NameIndex:
        """The index of ``plain``."""
        return cls(
            exact=data["exact"],
            assumed={key: (ident, note) for key, (ident, note) in data["assumed"].items()},
            ambiguous={key: tuple(ids) for key, ids in data["ambiguous"].items()},
            refused={key: (reason, tuple(instead)) for key, (reason, instead) in data["refused"].items()},
        )


def name_key(text: str) -> str:
    """``text`` in lower case without accents, spaces and punctuation: ``H100-SXM 80GB`` -> ``h100sxm80gb``.

    A decimal point stays (``opt-1.3b`` is not ``opt-13b``).
    """
    return "".join(_words(text))


def _words(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    return re.findall(r"(?:[^\W_]|(?<=\d)\.(?=\d))+", plain.replace("+", " plus "))


def _keys(text: str) -> Iterator[str]:
    """Keys to try, closest to what was written first."""
    words = _words(text)
    yield "".join(words)
    while words and words[0] in _VENDOR_WORDS:
        words = words[1:]
        yield "".join(words)
    words = [word for word in words if word not in _FILLER_WORDS]
    yield "".join(words)
    yield word_set_key(words)


def word_set_key(words: Sequence[str]) -> str:
    """A key that does not depend on the order of the words; it starts with ``~`` so that it meets no other key."""
    pieces = re.findall(r"[0-9][0-9.]*[a-z]*|[a-z]+|[^a-z0-9\s]+", " ".join(words))
    return "~" + " ".join(sorted(pieces))


def parse_count_prefix(text: str) -> tuple[int | None, str]:
    """The count written with a name, and the name: ``8xH100`` -> (8, "H100"), ``A100 x 4`` -> (4, "A100")."""
    for pattern in (_COUNT_BEFORE, _COUNT_AFTER):
        match = pattern.search(text)
        if match and int(match[1]) > 0:
            return int(match[1]), (text[: match.start()] + text[match.end() :]).strip()
    return None, text.strip()


def resolve_name(index: NameIndex, text: str) -> Resolution:
    """What ``text`` means in ``index``; see ``Resolution`` for unknown and ambiguous names.

    A count written with the name (``8xH100``) is not part of it; ``parse_count_prefix`` reads it.
    """
    for key in dict.fromkeys(_keys(text)):
        if key in index.exact:
            return Resolution(index.exact[key])
        if key in index.assumed:
            ident, note = index.assumed[key]
            return Resolution(ident, note)
        if key in index.ambiguous:
            return Resolution(None, f"{text.strip()} can mean several products", index.ambiguous[key])
        if key in index.refused:
            reason, instead = index.refused[key]
            return Resolution(None, reason, instead=instead)
    count, name = parse_count_prefix(text)
    return resolve_name(index, name) if count else Resolution(None)


def nearest_names(index: NameIndex, text: str, limit: int = 3) -> tuple[str, ...]:
    """Ids whose names are closest to ``text``, best first, at most ``limit``; empty when none is close."""
    from rapidfuzz import fuzz, process  # needed only once a name has missed

    keys = [key for key in index.exact if not key.startswith("~")]
    hits = process.extract(name_key(text), keys, scorer=fuzz.WRatio, limit=5 * limit, score_cutoff=60)
    return tuple(dict.fromkeys(index.exact[key] for key, _, _ in hits))[:limit]


def build_index(entries: Mapping[str, Mapping[str, Any]], refused: Iterable[Mapping[str, Any]] = ()) -> NameIndex:
    """The index of raw entries by id. Raises ValueError when a name means two entries without saying so."""
    exact: dict[str, str] = {}
    for ident, entry in entries.items():
        for text in _certain_names(ident, entry):
            for key in _index_keys(text):
                owner = exact.setdefault(key, ident)
                if owner != ident:
                    raise ValueError(f"{text!r} names both {owner} and {ident}")
    assumed = _assumed(entries, exact)
    ambiguous = _ambiguous(entries, {**exact, **{key: ident for key, (ident, _) in assumed.items()}})
    _add_looser_keys(exact, entries)
    for ident, entry in entries.items():
        for text, note in (entry.get("assumed_for") or {}).items():
            assumed.setdefault(word_set_key(_words(text)), (ident, note))
    return NameIndex(exact, assumed, ambiguous, _refusals(refused))


def _refusals(refused: Iterable[Mapping[str, Any]]) -> dict[str, tuple[str, tuple[str, ...]]]:
    answers = [(entry, (str(entry["reason"]), tuple(entry.get("instead") or ()))) for entry in refused]
    return {key: said for entry, said in answers for text in _certain_names("", entry) for key in _index_keys(text)}


def _certain_names(ident: str, entry: Mapping[str, Any]) -> Sequence[str]:
    names = [ident, *(str(entry.get(single) or "") for single in _NAME_FIELDS)]
    for listed in _NAME_LISTS:
        names.extend(entry.get(listed) or ())
    for city in entry.get("cities") or ():
        names.extend((city["name"], *(city.get("aliases") or ())))
    return [text for text in names if text]


_NAME_FIELDS = ("name", "name_de", "name_fr", "alpha_3", "repo")
_NAME_LISTS = ("aliases", "variants")


def _index_keys(text: str) -> set[str]:
    return {"".join(words) for words in _index_words(text)}


def _index_words(text: str) -> Iterator[list[str]]:
    """The words of a name, and without the vendor in front."""
    words = _words(text)
    yield words
    while len(words) > 1 and words[0] in _VENDOR_WORDS:
        words = words[1:]
        yield words


def _assumed(entries: Mapping[str, Mapping[str, Any]], taken: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    assumed: dict[str, tuple[str, str]] = {}
    for ident, entry in entries.items():
        for text, note in (entry.get("assumed_for") or {}).items():
            for key in _index_keys(text):
                owner = assumed.setdefault(key, (ident, note))[0]
                if key in taken or owner != ident:
                    raise ValueError(f"{text!r} is assumed for {ident} but names {taken.get(key, owner)}")
    return assumed


def _ambiguous(entries: Mapping[str, Mapping[str, Any]], taken: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    ambiguous: dict[str, tuple[str, ...]] = {}
    for ident, entry in entries.items():
        for text in entry.get("ambiguous_as") or ():
            for key in _index_keys(text):
                if key in taken:
                    raise ValueError(f"{text!r} is called ambiguous but names {taken[key]}")
                ambiguous[key] = (*ambiguous.get(key, ()), ident)
    return ambiguous


def _add_looser_keys(exact: dict[str, str], entries: Mapping[str, Mapping[str, Any]]) -> None:
    """Add keys that mean one entry only: the words in any order, and names without their decimal points."""
    looser: dict[str, set[str]] = {}
    for ident, entry in entries.items():
        for text in _certain_names(ident, entry):
            for words in _index_words(text):
                looser.setdefault(word_set_key(words), set()).add(ident)
    for key, ident in exact.items():
        if "." in key:
            looser.setdefault(key.replace(".", ""), set()).add(ident)
    exact.update({key: next(iter(ids)) for key, ids in looser.items() if len(ids) == 1 and key not in exact})
