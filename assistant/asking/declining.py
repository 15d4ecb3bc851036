"""What is said where nothing answers: what is missing, and the nearest questions that can be answered."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from assistant.asking.desk import Desk
from assistant.asking.draft import Draft
from assistant.asking.reading.lexicon import found, lexicon
from knowledge.evidence import Frozen
from knowledge.shipped import shipped_yaml

_LOGS = r"hang|time[sd]? ?out|\berrors?\b|crash|nccl|log\b|dmesg"


class Needed(Frozen):
    """What a quantity takes, in both languages, and questions of its kind that can be answered."""

    missing: str
    missing_de: str
    ask: tuple[str, ...]
    ask_de: tuple[str, ...]


class Declining(Frozen):
    """By quantity or kind: what it needs; ``other`` holds for the rest."""

    needs: dict[str, Needed]


@lru_cache(maxsize=1)
def _needs() -> dict[str, Needed]:
    return Declining.model_validate(shipped_yaml(Path(__file__).parent / "declining.yaml")).needs


def out_of_reach(desk: Desk) -> Draft | None:
    """That a question is on the state of an installation, the future, the market or people, which nothing here "
    "knows."""
    for name, patterns in lexicon().out_of_reach.items():
        if found(patterns, desk.lower):
            needed = _needs()[name]
            draft = not_known(desk)
            draft.missing = (desk.either(needed.missing, needed.missing_de),)
            draft.more[0] = f"{desk.either('Missing', 'Es fehlt')}: {draft.missing[0]}."
            return draft
    return None


def not_known(desk: Desk) -> Draft:
    """That it is not known, what is missing, and three questions near it that can be answered."""
    text = desk.either("That is not in the knowledge base.", "Das steht nicht in der Wissensbasis.")
    draft = Draft(kind="declined", first=text, declined=True)
    if not found(lexicon().trade, desk.lower) and desk.query.quantity is None:
        needed = _needs()["other"]
    else:
        needed = _needs().get(desk.query.quantity or "") or _needs().get(desk.query.kind) or _needs()["other"]
    draft.missing = (desk.either(needed.missing, needed.missing_de),)
    draft.nearest = needed.ask_de if desk.language == "de" else needed.ask
    draft.more.append(f"{desk.either('Missing', 'Es fehlt')}: {draft.missing[0]}.")
    listed = "; ".join(draft.nearest)
    draft.more.append(f"{desk.either('It can be asked', 'Fragen lässt sich')}: {listed}")
    if desk.says(_LOGS):
        draft.more.append(desk.either("`sizewright triage` reads logs.", "`sizewright triage` liest Logs."))
    return draft
