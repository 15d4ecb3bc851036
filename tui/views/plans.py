"""Plans side by side: one row a figure, one column a plan, in sections; and what stands behind one cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assistant.export.document import fix_text
from assistant.export.figures import figure_label, figure_text
from assistant.export.fleet import fleet_lines
from assistant.output import plain
from assistant.planning.building.planned import PlannedFacility
from assistant.result import Plan, Sizing
from assistant.sizing.bill.lines import BillLine
from tui.views.lines import DASH, Line, Row, Say, say_in

TOLD = frozenset({"why", "cooling_reason", "why_not"})
"""Sentences of a block; the pane has room for them, a column has not."""

Figure = Callable[[Plan], str]


@dataclass(frozen=True, slots=True)
class Cell:
    """One figure of one plan."""

    figure: str
    plan: str


def plan_rows(sizing: Sizing, lang: str) -> tuple[Row, ...]:
    """All figures of all plans; a row's key is the figure's path, such as ``facility.it_kw``."""
    plans, say = sizing.plans, say_in(lang)
    rows = [
        *_section(say("result"), _result(plans, say)),
        *_section(say("servers"), _servers(plans, say)),
        *_section(say("network"), _block(plans, "network", lang)),
        *_section(say("storage"), _block(plans, "storage", lang)),
        *_section(say("facility"), _block(plans, "facility", lang)),
        *_section(say("cost"), _block(plans, "cost", lang)),
        *_section(say("bill"), _bill(plans, say)),
    ]
    return tuple(rows)


def _section(title: str, rows: Iterable[Row]) -> Iterator[Row]:
    kept = tuple(rows)
    if kept:
        yield Row("", (title,))
        yield from kept


def _row(key: str, label: str, cells: Iterable[str]) -> Row:
    return Row(key, (label, *cells))


def _result(plans: Sequence[Plan], say: Say) -> Iterator[Row]:
    figures: dict[str, Figure] = {
        "fits": lambda p: say("yes") if p.fits else say("no"),
        "gpus": lambda p: say.quantity(p.gpus),
        "accelerator": lambda p: p.card,
        "binding": lambda p: say.word("binding", p.binding),
        "capacity_after_one_failure": lambda p: say.share(p.capacity_after_one_failure.share_of_required_load),
    }
    for key, figure in figures.items():
        yield _row(key, say(f"figure.{key}"), map(figure, plans))


def _servers(plans: Sequence[Plan], say: Say) -> Iterator[Row]:
    names = {(s.id, s.role): s for plan in plans for s in plan.servers}
    for (ident, role), server in names.items():
        counts = (sum(s.count for s in plan.servers if (s.id, s.role) == (ident, role)) for plan in plans)
        yield _row(
            f"servers.{ident}.{role}", f"{server.name} ({say.word('tui.view.server_role', role)})", _counts(counts, say)
        )


def _counts(counts: Iterable[int], say: Say) -> Iterator[str]:
    return (_count(count, say) for count in counts)


def _count(count: int, say: Say) -> str:
    return say.quantity(count) if count else DASH


def _scalar(value: Any) -> bool:
    return value is None or isinstance(value, (bool, int, float, str))


def _block(plans: Sequence[Plan], block: str, lang: str) -> Iterator[Row]:
    """The plain figures of a block, then its small tables (switches by id, gigabytes by tier) flattened."""
    blocks = [flat(plain(getattr(plan, block) or {})) for plan in plans]
    for name in dict.fromkeys(name for one in blocks for name in one):
        if name in TOLD or all(one.get(name) is None for one in blocks):
            continue
        cells = (figure_text(name, one[name], lang) if name in one else DASH for one in blocks)
        yield _row(f"{block}.{name}", figure_label(name, lang), cells)


def flat(block: Mapping[str, Any]) -> dict[str, Any]:
    """A block's scalars by name; the entries of a mapping follow as ``name.key``. Lists are told in the cell's pane."""
    found: dict[str, Any] = {}
    for name, value in block.items():
        if _scalar(value):
            found[name] = value
        elif isinstance(value, Mapping):
            found |= {f"{name}.{key}": item for key, item in flat(value).items()}
    return found


def bill_lines(plans: Sequence[Plan]) -> dict[tuple[str, str, bool], BillLine]:
    """Every line of any plan's bill, once, by what it is and what demanded it."""
    return {(b.item, b.of, b.included): b for plan in plans for b in plan.bill_of_materials}


def _bill(plans: Sequence[Plan], say: Say) -> Iterator[Row]:
    lines = bill_lines(plans)
    often = Counter(item for item, _, _ in lines)
    for place, (item, of, included) in enumerate(lines):
        counts = (_counted(plan, (item, of, included)) for plan in plans)
        label = f"{item} ({of})" if often[item] > 1 else item
        yield _row(f"bill.{place}", ("  " if included else "") + label, _counts(counts, say))


def _counted(plan: Plan, key: tuple[str, str, bool]) -> int:
    return sum(b.count for b in plan.bill_of_materials if (b.item, b.of, b.included) == key)


# The pane below the table


def cell_lines(sizing: Sizing, cell: Cell, lang: str) -> tuple[Line, ...]:
    """The whole text of one cell and what drives it."""
    plan, say = next(p for p in sizing.plans if p.name == cell.plan), say_in(lang)
    block, _, name = cell.figure.partition(".")
    if block == "bill":
        return tuple(_bill_lines(sizing, plan, int(name), say))
    row = next(r for r in plan_rows(sizing, lang) if r.key == cell.figure)
    column = [p.name for p in sizing.plans].index(plan.name) + 1
    title = Line("title", f"{row.cells[0]}: {row.cells[column]} ({say('plan.' + plan.name)})")
    return (title, *_drivers(plan, block, lang))


def _drivers(plan: Plan, block: str, lang: str) -> Iterator[Line]:
    say = say_in(lang)
    if block in ("gpus", "accelerator", "binding", "fits", "servers"):
        yield from count_lines(plan, say)
    elif block == "capacity_after_one_failure":
        yield Line("text", say.tell(plan.capacity_after_one_failure.what_is_lost))
    elif block == "network" and plan.network.get("why"):
        yield Line("text", say.tell(plan.network["why"]))
    elif block == "facility":
        yield from facility_lines(plan.facility, say)
    elif block == "cost":
        yield Line("text", say("cost_note"))


def count_lines(plan: Plan, say: Say) -> Iterator[Line]:
    """What demands the GPU count, and what would make a plan fit that does not."""
    if not plan.fits:
        yield Line("field", say.tell(plan.why_not), say("does_not_fit"))
        if plan.nearest_fix:
            yield Line("field", fix_text(plan, say), say("nearest_fix"))
    yield Line("field", say.word("binding", plan.binding), say("figure.binding"))
    yield from (Line("item", say.tell(cause)) for cause in plan.causes)
    yield from (Line("item", say.tell(line)) for line in fleet_lines(plan))


def facility_lines(facility: PlannedFacility, say: Say) -> Iterator[Line]:
    """The facility's own words: why this cooling, what was assumed, which figures stand in for unknown ones."""
    if facility.cooling_reason:
        yield Line("text", say.tell(facility.cooling_reason))
    yield from (Line("field", say.quantity(gap.why), say("unknown")) for gap in facility.unknown)
    yield from (Line("field", say.tell(text), say("assumed")) for text in facility.assumptions)


def _bill_lines(sizing: Sizing, plan: Plan, place: int, say: Say) -> Iterator[Line]:
    key, line = list(bill_lines(sizing.plans).items())[place]
    count = f"{_count(_counted(plan, key), say)} {say.word('bill.unit', line.unit)}"
    yield Line("title", f"{line.item}: {count} ({say('plan.' + plan.name)})")
    yield Line("field", line.of, say("demanded_by"))
    if line.included:
        yield Line("quiet", say("included"))
