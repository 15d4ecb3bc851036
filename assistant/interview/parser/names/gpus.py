"""GPU shorthand: ``8xH100``, ``2 * H800 * 8``, ``4 Knoten mit je 8 H100``, ``96 DGX A100 (8X40G)``, GB200 racks."""

from __future__ import annotations

from assistant.interview.parser.load.around import COUNTED
from assistant.interview.parser.names.counts import CARD, COUNT_LEFT, count_around, family
from assistant.interview.parser.names.find import Name, find_names, refusal
from assistant.interview.parser.names.instances import find_instances
from assistant.interview.parser.names.systems import NODE, NUM, Found, carried, count_systems, number_of, without_system
from assistant.interview.parser.reading import Reading
from assistant.interview.parser.result import Ambiguous, Derived, Excluded, Heard, Mention, Span
from assistant.interview.parser.scope import of_today, replaced, ruled_out
from knowledge import regexes as re

_EACH = re.compile(r"^\s?\(?(?P<count>\d)\s?[x*]\s?(?P<memory>\d{2,3})\s?g(?:b)?\)?", re.IGNORECASE)
_NODES_BARE = re.compile(
    rf"(?<![\w.])(?P<nodes>{NUM})[ -]?{NODE}\s?(?:x|\*|with|of|mit|mit je|à|avec|con|com|"
    rf",)\s?(?P<count>\d{{1,3}})(?:[ -]?{CARD})?(?![\w.])",
    re.IGNORECASE,
)
_CARDS_BARE = re.compile(
    rf"(?<![\w.])(?P<count>{NUM})[ -]?(?:nvidia |amd |intel )?{CARD}\b(?P<each> each| apiece| je\b| chacun| cada)?",
    re.IGNORECASE,
)
_EACH_BEFORE = re.compile(
    r"\b(?:each|jeweils|je|chacun|cada uno?|per (?:node|server))(?: (?:with|of|mit|avec|con))?\s$", re.IGNORECASE
)
_MEMORY_RIGHT = re.compile(
    r"^(?:\s?(?:with|mit|,|\(|avec|con|com|de|à|von|of))?\s?(?P<memory>\d{2,3})\s?(?:GB|G|Go)\b"
    r"(?! (?:in )?total)",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"\b(?:not|no|kein\w*|without|nicht|ohne|instead of|statt)\s(?:an?\s|the\s|on\s)?$", re.IGNORECASE
)
_REPORTED = re.compile(
    r"\b(?:readme|paper|docs?|documentation|article) (?:says?|used?|only mentions?|mentions?|needs?|"
    r"requires?)\W[^,;.\n]{0,12}$",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(
    r"\b(?:which|what|welche[rsn]?) (?:type|gpu|card|model|kind|karte|typ)s?\s?\([^)]{0,40}$", re.IGNORECASE
)
_SYSTEM = re.compile(rf"[- ]?(?:{NODE}|cluster|partition)", re.IGNORECASE)


_CARDS_CJK = re.compile(r"(?P<n>[一二两三四五六七八九]|\d{1,3})?(?P<unit>百|千|万)卡")
_HUNDREDS = {"百": 100, "千": 1000, "万": 10_000}
"""``千卡集群``: a cluster of a thousand GPUs."""


def read_gpus(reading: Reading) -> None:
    """State ``gpus`` (id and count, either may be unknown) and ``nodes``; ambiguous names become questions."""
    _ = reading.stream.numbers  # a number within hardware ends what is said of the one before it
    rented = _instances(reading)
    found = [_read(reading, name) for name in find_names(reading, ("servers", "accelerators"), 5)]
    kept = _not_of_today(reading, [*rented, *carried(reading, [f for f in found if f is not None])])
    kept = _merge(kept)
    named_anything = bool(found or rented)
    if kept or not named_anything:
        _bare_counts(reading, kept)
    for one in kept:
        reading.take(one.start, one.end)
        if one.name is not None and one.name.resolution.id is None:
            _ask(reading, one, one.name)
    if kept:
        _state(reading, kept)


def _instances(reading: Reading) -> list[Found]:
    """GPUs of instances of a cloud, which then is where it runs unless something else is said."""
    found = []
    for one in list(find_instances(reading)):
        reading.take(one.start, one.end)
        total = one.per_instance * one.count if one.per_instance and one.count else None
        each = "" if one.per_instance is None else f"{one.per_instance} x "
        note = f"one {one.text} has {each}{one.gpu}"
        nodes = one.count if one.count and one.count > 1 else None
        found.append(Found(one.gpu, total, one.start, one.end, nodes, note=note))
        reading.derived["hosting"] = Derived.model_construct(
            value="cloud", because=f"{one.text} is an instance of a cloud provider"
        )
    return found


def _read(reading: Reading, name: Name) -> Found | None:
    left = reading.text[max(0, name.start - 60) : name.start]
    if _REPORTED.search(left) or _EXAMPLE.search(left):
        reading.take(name.start, name.end)
        return None
    if reading.told_of(name.start, name.end) == "somebody else's figures":
        _leave_quoted(reading, name, left)
        return None
    if _NEGATED.search(left) or ruled_out(reading.stream, name.start, name.end):
        reading.excluded.append(
            Excluded.model_construct(
                field="gpus", value=name.likeliest or name.words(reading), span=reading.span(name.start, name.end)
            )
        )
        reading.take(name.start, name.end)
        return None
    if replaced(reading.stream, name.start, name.end) or _serves_today(reading, name):
        counted = COUNT_LEFT.search(left)
        start = name.start - (len(counted[0]) if counted and counted["count"] else 0)
        why = "there today and not what is wanted"
        reading.unuse(start, name.end, "name", why, "gpus_today", name.likeliest or name.words(reading))
        return None
    found = Found(None, None, name.start, name.end, name=name, note=name.resolution.note)
    if name.kind == "accelerators":
        found.end = without_system(reading.text, name.start, name.end)
    count_around(reading, found, left)
    _resolve_server(reading, found)
    _memory(reading, found)
    count_systems(reading, found, left)
    return found


def _serves_today(reading: Reading, name: Name) -> bool:
    """``today we manage 22 a minute on an L4``: what was measured is measured on what is there."""
    first, last = reading.stream.clause(name.start, name.end)
    measured = reading.told_of(name.start, name.end) == "measured"
    return (
        measured and bool(reading.stream.within(first, name.start, "now")) and "?" not in reading.text[last : last + 1]
    )


def _leave_quoted(reading: Reading, name: Name, left: str) -> None:
    """A figure that somebody else published is heard, and is nobody's wish."""
    counted = COUNT_LEFT.search(left)
    start = name.start - (len(counted[0]) if counted and counted["count"] else 0)
    reading.unuse(start, name.end, "name", "named in what others published, not as what is wanted or there")


def _resolve_server(reading: Reading, found: Found) -> None:
    """A system name stands for its GPUs; a count before it counts systems."""
    if found.name is None or found.name.kind != "servers":
        found.gpu = (found.memory or found.name.likeliest or found.name.words(reading)) if found.name else None
        if found.memory:
            found.name = None
        return
    server = reading.catalogue.entry("servers", found.name.likeliest or "")
    found.gpu, found.server = server.accelerator, found.name.likeliest
    _memory_of_system(reading, found, server.gpu_count or 1)
    each = _EACH.match(reading.after(found.end))
    per = int(each["count"]) if each else server.gpu_count
    if each:
        found.end += each.end()
        sized = reading.catalogue.resolve("accelerators", f"{family(found.gpu)} {each['memory']}GB")
        found.gpu = sized.id or found.gpu
    if found.count is not None:
        found.nodes, found.count = found.count, found.count * per if per else None
    elif (
        not reading.before(found.start)
        .strip()
        .lower()
        .endswith(("combien de", "how many", "wie viele", "cuántos", "quantos"))
    ):
        found.count = None


def _memory_of_system(reading: Reading, found: Found, pieces: int) -> None:
    """``DGX A100 (40GB)``, ``DGX A100 640GB``: the memory of each card, or of all."""
    match = _MEMORY_RIGHT.match(reading.after(found.end))
    if match is None or not found.gpu:
        return
    for memory in (int(match["memory"]), int(match["memory"]) // pieces):
        name = f"{family(found.gpu)} {memory}GB"
        sized = reading.catalogue.resolve("accelerators", name) if memory else None
        ident = sized and (sized.id or next(iter(sized.candidates), None))
        if ident and f"{memory}gb" in ident:
            found.gpu, found.end = ident, found.end + match.end()
            return


def _memory(reading: Reading, found: Found) -> None:
    """Memory written after an ambiguous name chooses among its candidates."""
    if found.name is None or found.name.resolution.id is not None:
        return
    match = _MEMORY_RIGHT.match(reading.after(found.end))
    if match is None:
        return
    fitting = [c for c in found.name.resolution.candidates if re.search(rf"\b{match['memory']}gb", c)]
    if fitting:
        found.gpu, found.end = fitting[0], found.end + match.end()
        found.name = None
        found.note = f"taken for {fitting[0]}" if len(fitting) > 1 else None


def _merge(found: list[Found]) -> list[Found]:
    """One entry a GPU: a count said once holds, and a vague name said beside an exact one means the same."""
    kept: list[Found] = []
    for one in found:
        same = next((k for k in kept if _same(k, one)), None)
        if same is None:
            kept.append(one)
            continue
        if same.count is None and one.count is not None:
            same.count, same.nodes = one.count, one.nodes
        same.server = same.server or one.server
        if same.name is not None and same.name.resolution.id is None and (one.name is None or one.name.resolution.id):
            same.gpu, same.name, same.note = one.gpu, one.name, one.note
    return kept


def _not_of_today(reading: Reading, found: list[Found]) -> list[Found]:
    """``currently on 4 A100, in future 2 H200``: of what is there and what is wanted the latter is sized."""
    today = [f for f in found if of_today(reading.stream, f.start, f.end)]
    others = [f for f in found if f not in today and f.gpu not in {t.gpu for t in today}]
    wanted = any(reading.stream.within(*reading.stream.clause(f.start, f.end), "wanted") for f in others)
    if not today or not wanted:
        return found
    for one in today:
        reading.unuse(one.start, one.end, "name", "there today and not what is wanted", "gpus_today", one.gpu)
    return [f for f in found if f not in today]


def _same(a: Found, b: Found) -> bool:
    def meanings(one: Found) -> set[str | None]:
        vague = one.name is not None and one.name.kind == "accelerators" and one.name.resolution.id is None
        return set(one.name.resolution.candidates) if vague and one.name else {one.gpu}

    return bool(meanings(a) & meanings(b))


def _bare_counts(reading: Reading, kept: list[Found]) -> None:
    """``4 machines x 8`` or ``4 cards`` count the one GPU named without a count, or GPUs of no name."""
    without = [k for k in kept if k.count is None and not k.uncounted]
    if kept and not (len(kept) == 1 and without):
        return
    if cards := next(reading.find(_CARDS_CJK), None):
        total = (number_of(cards["n"]) or 1) * _HUNDREDS[cards["unit"]]
        if without:
            without[0].count = total
        else:
            kept.append(Found(None, total, *cards.span()))
        return
    if without and _of_them(reading, without[0]):
        return
    for pattern in (_NODES_BARE, _CARDS_BARE):
        match = next((m for m in reading.find(pattern) if _outside(m, kept)), None)
        if match is None:
            continue
        count, nodes = number_of(match["count"]) or 0, number_of(match.groupdict().get("nodes"))
        word_and_system = not match["count"].isdecimal() and _SYSTEM.match(reading.after(match.end()))
        if nodes is None and (word_and_system or re.match(r"\s?(?:per|pro|je|/)\b", reading.after(match.end()))):
            continue
        total = count * (nodes or 1)
        if without:
            each = match.groupdict().get("each") or _EACH_BEFORE.search(reading.before(match.start()))
            if each and without[0].nodes and nodes is None:
                total, nodes = count * without[0].nodes, without[0].nodes
            without[0].count, without[0].nodes = total, nodes or without[0].nodes
        else:
            kept.append(Found(None, total, match.start(), match.end(), nodes))
        return


_SO_MANY = re.compile(
    rf"(?<!\w)(?:en (?:faut|faudrait|voulons|voudrions|prenons|prendrions|veut|prend|achetons)|"
    rf"ne (?:servono|vogliamo|prendiamo|vorremmo)) (?P<count_of>{NUM})(?![\w%.,]*\d)(?! ?%)|"
    rf"(?<![\w.])(?P<count>{NUM}) (?:of (?:them|those|these)|davon|stück|d'entre (?:eux|elles)|de (?:ellos|ellas)|"
    rf"del[ea]s|di (?:loro|essi|esse)|ervan|daarvan|z nich)(?!\w)",
    re.IGNORECASE,
)


def _of_them(reading: Reading, one: Found) -> bool:
    """``The L40S looks right, we'd take 16 of them``: the pronoun is the card, where no people stand between."""
    match = _SO_MANY.search(reading.text, one.end, one.end + 160)
    if match is None or reading.stream.within(one.end, match.start(), *COUNTED):
        return False
    if reading.stream.within(match.end(), match.end() + 30, "at_once", "active"):
        return False
    one.count = number_of(match["count"] or match["count_of"])
    reading.take(*match.span())
    reading.context.append(Heard.model_construct(kind="other", **reading.span(*match.span()).place()))
    return True


def _outside(match: re.Match[str], kept: list[Found]) -> bool:
    return all(match.end() <= k.start or k.end <= match.start() for k in kept)


def _ask(reading: Reading, one: Found, name: Name) -> None:
    span = reading.span(name.start, name.end)
    if not name.resolution.candidates:
        reading.ambiguous.append(refusal("gpus", span, name))
        return
    reading.ambiguous.append(
        Ambiguous.model_construct(
            field="gpus",
            span=span,
            candidates=name.resolution.candidates,
            question=f"Which {span.text} is meant: {', '.join(name.resolution.candidates)}?",
            assumed=one.gpu,
        )
    )


def _state(reading: Reading, kept: list[Found]) -> None:
    spans = [reading.span(k.start, k.end) for k in kept]
    value = [{"gpu": k.gpu, "count": k.count} for k in kept]
    notes = [k.note for k in kept if k.note]
    first: Span = spans[0]
    reading.fields["gpus"] = Mention.model_construct(
        value=value, unit="GPUs", also=tuple(spans[1:]), note="; ".join(notes) or None, **first.place()
    )
    reading.mentions += [
        ("gpus", Mention.model_construct(value=[entry], unit="GPUs", **span.place()))
        for entry, span in zip(value, spans, strict=True)
    ]
    product = next((k for k in kept if k.server), None)
    if product is not None:
        words = reading.original[product.start : product.end].strip()
        reading.derived["server"] = Derived.model_construct(value=product.server, because=f"{words} names this product")
    with_nodes = next((k for k in kept if k.nodes), None)
    if with_nodes is not None:
        reading.state("nodes", with_nodes.nodes, with_nodes.start, with_nodes.end, unit="nodes")
