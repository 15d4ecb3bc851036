"""Instance names of clouds (``p5.48xlarge``, ``ND H100 v5``, ``a3-highgpu-8g``): the GPUs that one of them has.

Cards and counts as the providers' instance pages list them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assistant.interview.parser.numbers.values import CJK_DIGIT, NUMBER_WORDS, WORD
from assistant.interview.parser.reading import Reading
from knowledge import regexes as re

_SMALL = {"xlarge": 1, "2xlarge": 1, "4xlarge": 1, "8xlarge": 1, "16xlarge": 1, "12xlarge": 4, "24xlarge": 4}
_AWS: dict[str, tuple[str, dict[str, int]]] = {
    "p3": ("v100-sxm2-16gb", {"2xlarge": 1, "8xlarge": 4, "16xlarge": 8}),
    "p3dn": ("v100-sxm2-32gb", {"24xlarge": 8}),
    "p4d": ("a100-sxm-40gb", {"24xlarge": 8}),
    "p4de": ("a100-sxm-80gb", {"24xlarge": 8}),
    "p5": ("h100-sxm-80gb", {"48xlarge": 8, "4xlarge": 1}),
    "p5e": ("h200-sxm-141gb", {"48xlarge": 8}),
    "p5en": ("h200-sxm-141gb", {"48xlarge": 8}),
    "p6-b200": ("b200-sxm", {"48xlarge": 8}),
    "p6-b300": ("b300-sxm", {"48xlarge": 8}),
    "g4dn": ("t4", {**_SMALL, "12xlarge": 4, "metal": 8}),
    "g5": ("a10g", {**_SMALL, "48xlarge": 8}),
    "g6": ("l4", {**_SMALL, "48xlarge": 8}),
    "g6e": ("l40s", {**_SMALL, "48xlarge": 8}),
}
"""Family -> card, and GPUs by size. A family whose sizes all have as many may be named without one."""

_GOOGLE = {
    "a2-highgpu": "a100-sxm-40gb",
    "a2-megagpu": "a100-sxm-40gb",
    "a2-ultragpu": "a100-sxm-80gb",
    "a3-edgegpu": "h100-sxm-80gb",
    "a3-highgpu": "h100-sxm-80gb",
    "a3-megagpu": "h100-sxm-80gb",
    "a3-ultragpu": "h200-sxm-141gb",
    "a4-highgpu": "b200-sxm",
    "a4x-highgpu": "gb200",
}
_GOOGLE_LARGEST = 8
_AZURE = {
    "h100v5": ("h100-sxm-80gb", 8),
    "h200v5": ("h200-sxm-141gb", 8),
    "mi300xv5": ("mi300x", 8),
    "a100v4": ("a100-sxm-40gb", 8),
    "ma100v4": ("a100-sxm-80gb", 8),
    "gb200v6": ("gb200", 4),
}
_BARE = ("p3dn", "p4de", "p4d", "p5en", "p5e", "g4dn", "g6e")
"""Families that mean nothing else; the shorter names count only before the word instance."""

_PATTERN = re.compile(
    r"(?<![\w.-])(?:"
    rf"(?P<aws>{'|'.join(sorted(_AWS, key=len, reverse=True))})\.(?P<size>\d{{0,2}}xlarge|metal)|"
    rf"(?P<google>{'|'.join(_GOOGLE)})(?:-(?P<g>\d{{1,2}})g)?|"
    r"(?:standard_)?nd(?P<m>m)?(?:\d{1,3}[a-z]{0,5})?[ _-]?(?P<azure>h100|h200|a100|mi300x|gb200)[ _-]?(?P<v>v[456])|"
    rf"(?P<bare>{'|'.join(_BARE)})|"
    rf"(?P<family>{'|'.join(_AWS)})(?=[ -](?:instances?|instanzen?|vms?|nodes?|knoten)\b)"
    r")(?![\w.])",
    re.IGNORECASE,
)
_LEFT = re.compile(
    rf"(?<![\w.])(?P<n>\d{{1,5}}|{WORD}|{CJK_DIGIT})\s?(?:[x*]|instances?|台|个|대)?\s?(?:aws |of |von |de )?$",
    re.IGNORECASE,
)
_HOW_MANY = re.compile(r"(?:how many|wie viele|combien de|cuánt[oa]s|quant[oa]s|多少)\s?$", re.IGNORECASE)


@dataclass(frozen=True)
class Instances:
    """A mention of instances: the card, GPUs in one (None: its size was not said), how many, and where it stands."""

    gpu: str
    per_instance: int | None
    count: int | None
    start: int
    end: int
    text: str


def find_instances(reading: Reading) -> Iterator[Instances]:
    """Instance names in places not taken yet."""
    for match in reading.find(_PATTERN):
        known = _known(match)
        if known is None:
            continue
        gpu, per = known
        left = reading.text[max(0, match.start() - 24) : match.start()]
        counted = _LEFT.search(left)
        count = _count(counted["n"]) if counted else None if _HOW_MANY.search(left) else 1
        start = match.start() - (len(counted[0]) if counted else 0)
        yield Instances(gpu, per, count, start, match.end(), match[0])


def _count(text: str) -> int | None:
    return int(text) if text.isdecimal() else NUMBER_WORDS.get(text.lower())


def _known(match: re.Match[str]) -> tuple[str, int | None] | None:
    if match["google"]:
        return _GOOGLE[match["google"].lower()], int(match["g"] or _GOOGLE_LARGEST)
    if match["azure"]:
        return _AZURE.get(f"{match['m'] or ''}{match['azure']}{match['v']}".lower())
    gpu, sizes = _AWS[(match["aws"] or match["bare"] or match["family"]).lower()]
    if match["size"]:
        per = sizes.get(match["size"].lower())
        return None if per is None else (gpu, per)
    return gpu, next(iter(sizes.values())) if len(sizes) == 1 else None
