"""The words of an answered choice: the choice for what was asked, the runner-up, the reason, and what would flip it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from assistant.asking.answer import Verdict
from assistant.asking.desk import Desk
from assistant.messages import render
from assistant.result import Decision
from knowledge.shipped import shipped_yaml
from rules.schema import Condition, Scalar

_YES_NO = {"en": {"yes": "Yes", "no": "No"}, "de": {"yes": "Ja", "no": "Nein"}}


@lru_cache(maxsize=1)
def _words() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    found: Mapping[str, Mapping[str, Mapping[str, str]]] = shipped_yaml(Path(__file__).parent / "words.yaml")
    return found


def worded(choice: str | None, language: str) -> str:
    """A choice in people's words."""
    name, words = choice or "none", _words()["choices"]
    return words[language].get(name) or words["en"].get(name) or name.replace("_", " ")


def _choice(decision: Decision, language: str) -> str:
    nothing = _words()["nothing"][language].get(decision.id) if decision.choice == "none" else None
    return nothing or worded(decision.choice, language)


def first_sentence(desk: Desk, decision: Decision, facts: Mapping[str, Scalar], verdict: Verdict | None) -> str:
    """Yes or no where that was asked, the choice for what was asked, the runner-up, and the weightiest reason."""
    language = desk.language
    runner = ""
    if decision.runner_up not in (None, "none", decision.choice):
        other = worded(decision.runner_up, language)
        runner = f", danach {other}" if language == "de" else f", with {other} next"
    head = f"{_where(desk, facts)}{_choice(decision, language)}{runner}."
    if verdict in ("yes", "no"):
        head = f"{_YES_NO[language][verdict]}: {head}"
    return f"{head[0].upper()}{head[1:]} {render(decision.because[0].text, language).rstrip('.')}."


def second_best(desk: Desk, decision: Decision) -> str:
    """Where the question asks whether the runner-up will do."""
    best, other = worded(decision.choice, desk.language), worded(decision.runner_up, desk.language)
    reason = render(decision.because[0].text, desk.language).rstrip(".")
    if desk.language == "de":
        return f"Ja, als zweite Wahl: zuerst {best}, danach {other}. {reason}."
    return f"Yes, as the second choice: {best} first, then {other}. {reason}."


def unsettled(desk: Desk, ways: Sequence[tuple[str, Sequence[Condition]]]) -> str:
    """What a decision turns on that the question leaves open: each choice with the conditions that reach it."""
    german = desk.language == "de"
    topics = dict.fromkeys(words(condition.topic) for _, conditions in ways for condition in conditions)
    join = " und " if german else " and "
    parts = [
        f"{worded(choice, desk.language)} {'bei' if german else 'where'} {join.join(map(_condition, conditions))}"
        for choice, conditions in ways
    ]
    start = "Das hängt ab von" if german else "That turns on"
    return f"{start} {', '.join(topics)}: {'; '.join(parts)}."


def _condition(condition: Condition) -> str:
    if condition.value is True:
        return words(condition.topic)
    if condition.value is False:
        return f"not {words(condition.topic)}"
    return words(str(condition))


def words(name: str) -> str:
    """An identifier as words."""
    return name.replace("_", " ")


def _where(desk: Desk, facts: Mapping[str, Scalar]) -> str:
    """What the answer is for, with the number that the question named."""
    nodes, gpus = facts.get("nodes"), facts.get("gpus")
    if not isinstance(nodes, int | float) or not isinstance(gpus, int | float):
        return ""
    if desk.language == "de":
        return f"für {desk.show(nodes)} Server ({desk.show(gpus)} {'GPU' if gpus == 1 else 'GPUs'}): "
    servers, cards = "server" if nodes == 1 else "servers", "GPU" if gpus == 1 else "GPUs"
    return f"for {desk.show(nodes)} {servers} ({desk.show(gpus)} {cards}): "


def more(desk: Desk, decision: Decision, assumed: list[str]) -> list[str]:
    """What speaks against it, what was taken for granted, the nearest flip, and how sure it is."""
    lines = []
    german = desk.language == "de"
    if decision.against and decision.against[0].text != decision.because[0].text:
        lines.append(("Dagegen: " if german else "Against it: ") + render(decision.against[0].text, desk.language))
    if assumed:
        lines.append(("Angenommen: " if german else "Taken for granted: ") + "; ".join(assumed) + ".")
    flips = sorted(decision.flips_when, key=lambda flip: flip.choice != decision.runner_up)
    if flips:
        what, change = worded(flips[0].choice, desk.language), render(flips[0].change, desk.language)
        lines.append(
            f"Anders ({what}), wenn: {change}." if german else f"It would be {what} if this changed: {change}."
        )
    lines.append(f"Sicherheit: {decision.confidence}." if german else f"Confidence: {decision.confidence}.")
    return lines
