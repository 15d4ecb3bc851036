"""Counts of a GPU around its name: before it, after it, by machines, by memory, and of some of them."""

from __future__ import annotations

from assistant.interview.parser.names.systems import NODE, NUM, Found, number_of
from assistant.interview.parser.numbers.values import CJK_DIGIT, WORD
from assistant.interview.parser.reading import Reading
from knowledge import regexes as re

CARD = r"(?:gpus?|cards?|karten|grafikkarten|schede|scheda|kaarten|kart[ayęe]?|cartes?|tarjetas|placas|张卡|块卡|卡|장)"
LINK = (
    r"(?:\s?(?:x|\*|with|of|mit|mit je|po|da|con|met|z|à|"
    r"avec|con|com|de|each|a|je|jeweils|chacun|elk|elke|ciascuno|ognuno|cada|każdy|,|/|:|\(|가진|각|の)\s?){0,3}"
)
COUNT_LEFT = re.compile(
    rf"(?:(?P<nodes>{NUM})\s?(?:existing |identical |neue |vorhandene )?(?:gpu[- ]?)?{NODE}(?![A-Za-zÀ-ÿ]){LINK})?"
    rf"(?:(?<![A-Za-z0-9.])(?P<outer>\d{{1,12}})\s?[x*]\s?|"
    rf"(?<![A-Za-z0-9.]))(?:(?P<count>0{{0,40}}\d{{1,12}})\s?(?:[x*]|"
    rf"张|块|片|卡|장|개의?|枚の?|基の?|-)?\s?|(?P<word>{WORD}|{CJK_DIGIT}) ?(?:张|块)?)$",
    re.IGNORECASE,
)
_COUNT_AND_MEMORY_LEFT = re.compile(
    rf"(?<![\w.])(?:(?P<nodes>{NUM})\s?[x*]\s?)?(?P<count>\d{{1,4}})\s?[x*]\s?(?P<memory>\d{{2,3}})\s?gi?b?\s{{0,2}}$",
    re.IGNORECASE,
)
_COUNT_AND_MEMORY_RIGHT = re.compile(
    r"^s?[ (]{0,2}(?:(?P<nodes>\d{1,4})\s?[x*]\s?)?(?P<count>\d{1,4})\s?[x*]\s?(?P<memory>\d{2,3})\s?gi?b?(?![A-Za-z])"
    rf"(?:\s?[x*]\s?(?P<machines>{NUM})\s?{NODE}(?![A-Za-z]))?",
    re.IGNORECASE,
)
"""``8*24G A10G``, ``A800 7*80g``, ``4*8*80G A800``: pieces and the memory of each."""

_MEMORIES_GB = frozenset(
    {8, 10, 11, 12, 16, 20, 22, 24, 32, 36, 40, 48, 64, 72, 80, 94, 96, 128, 141, 144, 180, 192, 256, 288}
)
"""Memory of one accelerator as it is sold; another figure before a G is a network's speed."""

_PRODUCT_BEFORE = re.compile(
    r"(?:atlas|supermicro|poweredge|proliant|thinksystem|apollo|precision|thinkstation|primergy|edge|model|modell|"
    r"type|typ|"
    r"dell|hpe?|lenovo|inspur|asus|gigabyte|fujitsu|cisco|ucs|huawei|quanta|nova|series|serie|version|synergy|xe|dl|sr|"
    r"system|bladecenter|cray|nvidia tesla|quadro)[ -]$",
    re.IGNORECASE,
)
"""Makers and series whose products are numbers: the digits after them count nothing."""

_ARTICLE_LEFT = re.compile(
    rf"(?<![\w.])(?P<count>{NUM})\s?(?:[x*]|pcs\.?|stück|st\.?)\s?(?:article|artikel|art\.?|part|item|sku|p/n|pn|ref\.?|"
    r"référence|código|codice)\b[^()\n]{0,36}\(\s?$",
    re.IGNORECASE,
)
"""``6 x article 920-23687 (H100 PCIe)``: what the bracket names is what was counted."""

_NODES_OF_NAMED = re.compile(
    rf"(?<![\w.])(?P<nodes>{NUM})\s?[x*]?\s(?:[^\W\d_][\w.+/-]{{1,20}} ){{1,4}}\(\s?(?=(?:\d{{1,2}}\s?[x*]?\s?)$)",
    re.IGNORECASE,
)
"""``6 x Supermicro AS-4124GO (8x A100 each)``: what stands in the brackets is in every one."""

_NODES_ONLY = re.compile(rf"(?P<nodes>{NUM})\s?{NODE}{LINK}\s?$", re.IGNORECASE)
_CARDS_LEFT = re.compile(
    rf"(?<![\w.])(?:(?P<nodes>{NUM})\s?{NODE}(?![A-Za-zÀ-ÿ]){LINK})?(?P<count>{NUM})[ -]?{CARD}(?: of(?: type)?|"
    rf" vom typ| de)?[ :]?$",
    re.IGNORECASE,
)
_COUNT_RIGHT = re.compile(
    rf"^(?:\s?[x*]\s?(?P<count>\d{{1,4}})(?![\dA-Za-z])|"
    rf"\s?(?:が|を|は|の|가|를|을|은|는|이)?\s?(?:计|共)?(?P<pieces>{NUM})\s?(?:장|개|대|张|块|片|卡|枚|基|个)"
    rf"(?:\s?(?:の|的|짜리)?\s?(?:サーバー?|服务器|서버|机器|マシン|ノード|节点)\s?(?P<machines>{NUM})\s?[台대个])?|"
    rf"s?\s?[,:(-]?\s?(?P<of>{NUM})(?: of (?:them|those|these)| ?stück)\b)",
    re.IGNORECASE,
)
_PER_NODE = re.compile(
    rf"^s?[ ,]{{0,2}}\(?\s?(?P<count>{NUM})(?:[ -]?{CARD})?\s?(?:per|pro|je|par|por|/|each)\s?{NODE}?", re.IGNORECASE
)
_NODES_RIGHT = re.compile(
    rf"^[ -]{NODE}{LINK}(?P<count>\d{{1,3}})(?:[ -]?{CARD}(?![A-Za-z]))(?: each| je| chacun)?", re.IGNORECASE
)

MOST_IN_A_SERVER = 16
"""More GPUs than a server holds: ``three H100 servers, 24 GPUs`` counts them all."""


def count_around(reading: Reading, found: Found, left: str) -> None:
    if _count_with_memory(reading, found, left) or _some_of_them(reading, found, left):
        return
    match = (
        COUNT_LEFT.search(left) or _ARTICLE_LEFT.search(left) or _CARDS_LEFT.search(left) or _NODES_ONLY.search(left)
    )
    if match and not re.search(r"[x*]\s?$", match[0], re.IGNORECASE) and _PRODUCT_BEFORE.search(left[: match.start()]):
        match = None
    groups = match.groupdict() if match else {}
    count, outer = number_of(groups.get("count") or groups.get("word")), number_of(groups.get("outer"))
    nodes = number_of(groups.get("nodes"))
    if match and (count is not None or nodes):
        found.start -= len(match[0])
    right = _COUNT_RIGHT.search(reading.after(found.end))
    each = _NODES_RIGHT.search(reading.after(found.end, 60))
    if each and count and int(each["count"]) > MOST_IN_A_SERVER:
        nodes, found.end = count, found.end + each.end()
        found.nodes, found.count = nodes, int(each["count"])
        return
    if each and count:
        nodes, count = count, number_of(each["count"]) or count
        found.end += each.end()
    elif right and not (count and right["of"]):  # "16 H100s, 8 of them in Bonn" are 16
        found.end += right.end()
        said = number_of(right["count"] or right["pieces"] or right["of"])
        nodes, count = (count, said) if count else (nodes or number_of(right["machines"]), said)
    elif outer and count:
        nodes = outer
    elif count and nodes is None and (several := _NODES_OF_NAMED.search(left)):
        nodes = number_of(several["nodes"])
        found.start = min(found.start, found.start - (len(left) - several.start() - len(match[0] if match else "")))
    elif nodes and count is None and (per := _PER_NODE.search(reading.after(found.end))):
        count, found.end = number_of(per["count"]), found.end + per.end()
    found.nodes = nodes
    found.count = count * nodes if count and nodes else count
    if found.count and not nodes and (spread := _SPREAD.match(reading.after(found.end, 50))):
        found.nodes, found.end = number_of(spread["nodes"]), found.end + spread.end()


_SPREAD = re.compile(
    rf"^s?(?: [^\W\d_]{{2,14}}){{0,2}} (?:in|on|over|across|en|auf|su|em|na|w|sur|dans|"
    rf"entre) (?P<nodes>{NUM}) {NODE}(?![A-Za-zÀ-ÿ])",
    re.IGNORECASE,
)
"""``16 L40S spread over 4 nodes``: how many machines hold what was counted in all."""

_OF_THEM_LEFT = re.compile(
    rf"(?<![\w.])(?P<nodes>{NUM}) (?:of (?:them|these|those|which)|davon|d'entre eux|de ellos|deles|di loro|"
    rf"daarvan|z nich)"
    r"(?: (?:with|have|has|having|carry|mit|haben|avec|ont|con|tienen|com|hanno|met|z|mają))?(?: an?| je)?\s$",
    re.IGNORECASE,
)
_EACH_RIGHT = re.compile(
    rf"^s?\s?\(?(?P<count>{NUM})\s?(?:[x*]\s?)?(?:each|per (?:node|server)|je|pro|chacun|cada|ciascuno|elk|każdy)\b",
    re.IGNORECASE,
)


def _some_of_them(reading: Reading, found: Found, left: str) -> bool:
    """``24 nodes, 16 of them with H100 (8 each)``: the machines that carry the card, and how many each."""
    match = _OF_THEM_LEFT.search(left)
    if match is None or not re.search(NODE, left[: match.start()], re.IGNORECASE):
        return False
    found.nodes, found.start = number_of(match["nodes"]), found.start - len(match[0])
    if each := _EACH_RIGHT.match(reading.after(found.end)):
        found.end += each.end()
        found.count = (found.nodes or 1) * (number_of(each["count"]) or 0)
    return True


def _count_with_memory(reading: Reading, found: Found, left: str) -> bool:
    """Pieces and memory in one product before or after the name; the memory chooses among its sizes."""
    before = _COUNT_AND_MEMORY_LEFT.search(left)
    after = None if before else _COUNT_AND_MEMORY_RIGHT.search(reading.after(found.end))
    match = before or after
    if (
        match is None
        or int(match["memory"]) not in _MEMORIES_GB
        or (not before and re.search(r"\d\s?[x*]?\s?$", left))
        or (found.name is not None and found.name.kind == "servers")
    ):
        return False
    if before:
        found.start -= len(before[0])
    else:
        found.end += match.end()
    found.nodes = number_of(match["nodes"] or match.groupdict().get("machines"))
    found.count = int(match["count"]) * (found.nodes or 1)
    sized = reading.catalogue.resolve(
        "accelerators", f"{family(found.name.words(reading) if found.name else None)} {match['memory']}GB"
    )
    found.memory = sized.id or (sized.candidates[0] if sized.candidates else None)
    return True


def family(gpu: str | None) -> str:
    return (gpu or "").split("-")[0]
