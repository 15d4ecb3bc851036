"""Sessions side by side: answers and figures that differ, and what each answer moves by itself."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.sessions.compare import Comparison, Driver
from tui.views.lines import Line, Row, Say, words


def comparison_rows(found: Comparison, say: Say) -> tuple[Row, ...]:
    """What drives the difference, strongest first; then the figures, then the answers that differ."""
    return (
        *_section(
            "compare_drivers",
            [(f"driver.{n}", say.word("fields", one.field), _short(one, say)) for n, one in enumerate(found.drivers)],
            say,
        ),
        *_section(
            "compare_figures",
            [
                (f"figures.{n}", say.tell(r.what), " | ".join(map(say.tell, r.values)))
                for n, r in enumerate(found.figures)
            ],
            say,
        ),
        *_section(
            "compare_answers",
            [
                (f"answers.{n}", say.word("fields", say.tell(r.what)), " | ".join(map(say.tell, r.values)))
                for n, r in enumerate(found.answers)
            ],
            say,
        ),
    )


def _section(title: str, rows: list[tuple[str, str, str]], say: Say) -> Iterator[Row]:
    if rows:
        yield Row("", (say(title), ""))
        yield from (Row(key, (what, values)) for key, what, values in rows)


def _short(one: Driver, say: Say) -> str:
    """What an answer moves, in a few signs: GPUs, power, then how many decisions and duties turn."""
    parts = [f"{one.before} → {one.after}"]
    if one.gpus[0] != one.gpus[1]:
        parts.append(f"GPUs {say.quantity(one.gpus[0])} → {say.quantity(one.gpus[1])}")
    if one.nominal_it_kw[0] != one.nominal_it_kw[1]:
        parts.append(" → ".join("?" if kw is None else say.quantity(kw) for kw in one.nominal_it_kw) + " kW")
    return ", ".join(parts)


def comparison_lines(found: Comparison, key: str, say: Say) -> tuple[Line, ...]:
    """One row in full: the value in each session, or what one answer moves."""
    kind, _, place = key.partition(".")
    names = [one.label or one.id for one in found.sessions]
    if kind == "driver":
        return tuple(
            _driver(found.drivers[int(place)], dict(zip((s.id for s in found.sessions), names, strict=True)), say)
        )
    row = (found.figures if kind == "figures" else found.answers)[int(place)]
    told = (Line("field", say.tell(value), name) for name, value in zip(names, row.values, strict=True))
    return (Line("title", say.tell(row.what) if kind == "figures" else say.word("fields", say.tell(row.what))), *told)


def _driver(one: Driver, names: dict[str, str], say: Say) -> Iterator[Line]:
    yield Line("title", say.word("fields", one.field))
    yield Line("field", f"{one.before} → {one.after}", names.get(one.session, one.session))
    yield Line("field", f"{say.quantity(one.gpus[0])} → {say.quantity(one.gpus[1])}", "GPUs")
    yield Line(
        "field",
        " → ".join("?" if kw is None else say.quantity(kw, "kW") for kw in one.nominal_it_kw),
        say("compare_power"),
    )
    for label, idents in (("compare_decisions", one.decisions), ("compare_duties", one.duties)):
        if idents:
            yield Line("field", ", ".join(map(words, idents)), say(label))
    yield Line("quiet", say("compare_alone"))
