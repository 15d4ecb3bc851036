"""A table of every decision: its choices, a brief that reaches each, and the single change that flips it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assistant.advice import advise
from assistant.interview.brief import Brief
from assistant.messages import render
from assistant.requests.answers import answers_of
from assistant.result import Decision
from assistant.service import Assistant
from knowledge.errors import BadInput


@dataclass(frozen=True)
class Reached:
    """A brief that reaches a choice, with what would flip it; ``why`` facts stand for a brief that there cannot be."""

    brief: str
    said: Mapping[str, Any]
    decision: Decision
    why: str | None = None


def reached(assistant: Assistant, rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Reached]]:
    """Decision -> choice -> the first of ``rows`` that reaches it. Raises BadInput for a row without id."""
    found: dict[str, dict[str, Reached]] = {ident: {} for ident in assistant.rules.decisions}
    for row in rows:
        if "id" not in row or not {"brief", "facts"} & row.keys():
            raise BadInput("briefs", str(row)[:80], "rows of id and either brief or facts")
        for decision in _decisions(assistant, row):
            said = row.get("brief") or row["facts"]
            best = found[decision.id].get(decision.choice)
            if best is None or (not best.decision.flips_when and decision.flips_when):
                found[decision.id][decision.choice] = Reached(row["id"], said, decision, row.get("why"))
    return found


def _decisions(assistant: Assistant, row: Mapping[str, Any]) -> Sequence[Decision]:
    if "facts" in row:
        return advise(assistant.rules, row["facts"]).decisions
    return assistant.size(
        Brief().with_answers(answers_of(dict(row["brief"]), assistant.catalogue)), questions=False
    ).decisions


def markdown(assistant: Assistant, rows: Sequence[Mapping[str, Any]]) -> str:
    """The table as Markdown; a choice that no brief reaches says so."""
    return "\n".join(_lines(assistant, rows)) + "\n"


def _lines(assistant: Assistant, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield from (
        "# Decisions",
        "",
        "Made by `sizewright rules decisions tests/data/decisions/briefs.yaml`; a test keeps it in step.",
        "Each choice with a brief that reaches it, and the nearest single change that flips it, found by trying.",
    )
    found = reached(assistant, rows)
    for ident, spec in assistant.rules.decisions.items():
        yield from (
            "",
            f"## {spec.title} (`{ident}`)",
            "",
            "| choice | brief | it says | flips to | when |",
            "|---|---|---|---|---|",
        )
        for choice in spec.choices or sorted(found[ident].keys() - {"none"}):
            yield _row(choice, found[ident].get(choice))


def _row(choice: str, how: Reached | None) -> str:
    if how is None:
        return f"| `{choice}` | not reached | | | |"
    said = ", ".join(f"{name} {_short(value)}" for name, value in how.said.items())
    said += f" (facts: {how.why})" if how.why else ""
    if how.decision.because and how.decision.because[0].rule.startswith("planner."):
        other = f"`{how.decision.runner_up}`" if how.decision.runner_up else "nothing"
        return f"| `{choice}` | {how.brief} | {said} | {other} | the sizing computes it from the load |"
    flip = next(iter(how.decision.flips_when), None)
    to, when = (f"`{flip.choice}`", render(flip.change)) if flip else ("nothing", "no single change does")
    return f"| `{choice}` | {how.brief} | {said} | {to} | {when} |"


def _short(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return " + ".join(_short(item) for item in value)
    if isinstance(value, Mapping):
        return " x ".join(str(value[key]) for key in ("count", "gpu") if key in value)
    return f"{value:g}" if isinstance(value, float) else str(value)
