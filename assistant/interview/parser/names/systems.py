"""Systems that hold GPUs: counts of servers, HGX boards and racks, and servers that are said with their card."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.interview.parser.names.find import Name
from assistant.interview.parser.numbers.values import CJK_DIGIT, NUMBER_WORDS, WORD
from assistant.interview.parser.reading import Reading
from assistant.interview.parser.vocabulary import fragments as v
from knowledge import regexes as re

NODE = (
    r"(?:nodes?|servers?|machines?|boxes|box|hosts?|systems?|knoten|macchine|nodi|knooppunten|węz\w{1,4}|serwer\w{0,3}|"
    r"servern?|maschinen|rechnern?|systeme|"
    r"nœuds?|noeuds?|serveurs?|equipos|"
    r"machines|nodos?|servidor(?:es)?|máquinas?|nós|台|机|节点|노드|서버|대)"
)
NUM = rf"(?:0{{0,40}}\d{{1,6}}|{WORD}|{CJK_DIGIT})"
_RACK_RIGHT = re.compile(rf"^[ -]?{v.RACK}(?![A-Za-zÀ-ÿ])", re.IGNORECASE)
_RACKS_LEFT = re.compile(
    rf"(?:(?<![\w.])(?P<count>{NUM}) ?)?(?:full |whole |volle |ganze )?(?<![A-Za-zÀ-ÿ]){v.RACK} ?"
    r"(?:x |of |mit |von |de |d'|with |avec |con |com |:)?$",
    re.IGNORECASE,
)
_ONE = re.compile(r"\b(?:a|an|one|single|ein|eine|einem|einen|un|une|um|uma)\s$", re.IGNORECASE)
_RACK_SCALE = ("gb200", "gb300")
"""Accelerators that are sold by the rack: a rack of them is an NVL72 with or without saying so."""

_SYSTEMS_RIGHT = re.compile(rf"^(?: ?(?:gpu|pcie|sxm5?|hgx))?[ -]{NODE}(?![A-Za-zÀ-ÿ])", re.IGNORECASE)
_SYSTEMS_WITHIN = re.compile(rf"[ -]{NODE}$", re.IGNORECASE)
_BASEBOARD_GPUS = 8
"""GPUs on an HGX baseboard from A100 on, unless the four-GPU board is named."""

_OPEN_COUNT = re.compile(
    r"\b(?:several|many|some|multiple|a few|a number of|mehrere[nr]?|einige[nr]?|viele[nr]?|ein paar|plusieurs|"
    r"quelques|varios|varias|algunos|vários|várias|alguns)(?: [a-zà-ÿ]{3,12})??"
    rf"(?: (?P<system>{NODE})(?: with| of| mit| mit je| avec| de| con| com)?)?\s$|"
    r"(?:多台|几台|若干台?|여러 대의?)\s?$",
    re.IGNORECASE,
)
_CARRIES = re.compile(
    r"^\s?(?:with|mit|avec|con|com|,|\(|/|:|each with|mit je|having)?\s?(?:je |each )?(?:\d{1,2}\s?[x*]?\s?)?$",
    re.IGNORECASE,
)


@dataclass
class Found:
    """One mention of GPUs; ``start`` and ``end`` take in its counts, ``nodes`` are servers or racks of it.

    ``uncounted`` are several: how many was left open.
    """

    gpu: str | None
    count: int | None
    start: int
    end: int
    nodes: int | None = None
    name: Name | None = None
    note: str | None = None
    server: str | None = None
    uncounted: bool = False
    memory: str | None = None


def number_of(text: str | None) -> int | None:
    """A count in digits or words; None where none was written."""
    if not text:
        return None
    return int(text) if text.isdecimal() else NUMBER_WORDS.get(text.lower())


def without_system(text: str, start: int, end: int) -> int:
    """Where a card's name ends, without the server that it stands in: ``H100 servers`` are no cards."""
    system = _SYSTEMS_WITHIN.search(text[start:end])
    return start + system.start() if system else end


def count_systems(reading: Reading, found: Found, left: str) -> None:
    """Counts of racks, of HGX systems, of plain servers, and of "several": none of them counts GPUs."""
    if found.server is None and found.gpu in _RACK_SCALE:
        _count_racks(reading, found, left)
        return
    own_words = reading.text[found.start : found.end]
    system = _SYSTEMS_RIGHT.search(reading.after(found.end, 40))
    several = _OPEN_COUNT.search(reading.text[max(0, found.start - 50) : found.start])
    if several and found.nodes is None and (system or several["system"] or found.server):
        each = f"{found.count} GPUs in each; " if found.count else ""
        found.count, found.start, found.uncounted = None, found.start - len(several[0]), True
        found.note = _joined(found.note, f"{each}how many was not said")
    elif found.server is None and found.nodes is None and found.count:
        multiplied = re.search(r"\d\s?[x*]", own_words, re.IGNORECASE)
        board = re.search(r"hgx[ -]", own_words, re.IGNORECASE)
        if board and found.count < (_BASEBOARD_GPUS if multiplied else MANY):
            found.nodes, found.count = found.count, found.count * _BASEBOARD_GPUS
            found.note = _joined(found.note, f"{_BASEBOARD_GPUS} GPUs on each HGX baseboard")
        elif system and not multiplied:
            found.nodes, found.count = found.count, None
            found.note = _joined(found.note, "GPUs in each were not said")


MANY = 100_000
"""More systems than anybody names."""


def _joined(*notes: str | None) -> str:
    return "; ".join(note for note in notes if note)


def _count_racks(reading: Reading, found: Found, left: str) -> None:
    """``two GB200 racks``, ``2 Racks GB300``: each is an NVL72."""
    right, before = _RACK_RIGHT.search(reading.after(found.end, 20)), _RACKS_LEFT.search(left)
    if right is None and before is None:
        return
    product = reading.catalogue.resolve("servers", f"{found.gpu} NVL72").id
    if product is None:
        return
    if right:
        found.end += right.end()
    elif before:
        found.start, found.count = found.start - len(before[0]), number_of(before["count"])
    if found.count is None and _ONE.search(reading.before(found.start)):
        found.count = 1
    per = reading.catalogue.entry("servers", product).gpu_count or 0
    found.server, found.nodes = product, found.count
    found.count = found.count * per if found.count else None
    found.note = _joined(found.note, f"a rack of {found.gpu} is taken for an NVL72 of {per} GPUs")


def carried(reading: Reading, found: list[Found]) -> list[Found]:
    """``2 XE9680 with H200``: a server said with its card has that card, not the catalogue's usual one."""
    kept: list[Found] = []
    for one in found:
        last = kept[-1] if kept else None
        between = "" if last is None else reading.text[last.end : one.end]
        named = between[: len(between) - (one.end - (one.name.start if one.name else one.start))] if last else ""
        if (
            last is not None
            and last.server is not None
            and one.server is None
            and last.gpu != one.gpu
            and _CARRIES.match(named)
        ):
            last.gpu, last.end, last.note = one.gpu, one.end, one.note
            last.count = one.count * (last.nodes or 1) if one.count else last.count
            last.name = one.name if one.name is not None and one.name.resolution.id is None else last.name
            continue
        kept.append(one)
    return kept


_ONE_NODE = re.compile(
    rf"(?<![A-Za-zÀ-ÿ0-9])(?:(?:a|one|just a) single|single|one|just one|only one|un seul|un unique|une seule|"
    r"un solo|una sola|"
    rf"un único|una única|um único|um só|uma única|uma só|"
    r"eine?[mnr]? einzige[mnrs]?|nur eine[mn]?|genau eine[mn]?|einen|einem)\s"
    rf"(?:(?:8-?gpu|4-?gpu|gpu|big|large|"
    rf"physical|großen|grossen|gros)[ -])?{NODE}(?:\s(?:gpu|con gpu|com gpu|à gpu))?(?![A-Za-zÀ-ÿ])|"
    r"(?:单台|一台|单机)(?:服务器|机器|节点)?|단일 (?:서버|노드)|(?:서버|노드) (?:한|1) ?대",
    re.IGNORECASE,
)
_IF_ONE_FAILS = re.compile(
    r"^\s?(?:fails?|failing|failure|dies|goes|down|is down|crash|ausfäll|fällt|ausfall|"
    r"tombe|falla|cae|per\b|each|pro\b|or\b|oder\b|ou\b)|"
    r"^[^.;!?\n]{0,20}(?:ausfäll|fällt aus|fails|goes down)|"
    r"^[^.;!?\n]{0,30}\b(?:and|und|et|y|e) (?:one|another|eine?[mnr]?|une?|otr[oa]|outr[oa])\b",
    re.IGNORECASE,
)
_NOT_ENOUGH = re.compile(
    r"(?:\b(?:not|nicht|pas|no|não|cannot|than)|n't)\b[^.;!?\n]{0,24}$|"
    r"\b(?:if|when|wenn|si|per|pro|each|jede[mnrs]?)\s$",
    re.IGNORECASE,
)


def read_one_node(reading: Reading) -> None:
    """State ``nodes`` 1 for ``a single server``, ``un seul serveur``, ``EINEN GPU-Server``; not for one that fails."""
    for match in _ONE_NODE.finditer(reading.text):
        after, before = reading.after(match.end()), reading.before(match.start())
        if _IF_ONE_FAILS.search(after) or _NOT_ENOUGH.search(before) or reading.asked(*match.span()):
            continue
        reading.state("nodes", 1, *match.span(), unit="nodes")
        return
