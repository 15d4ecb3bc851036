"""The quick preview concludes what a consultation with its decisions does, whatever the facts."""

from __future__ import annotations

import random

import pytest

from rules.base import RuleBase, load_rules
from rules.decide import decide
from rules.engine import consult
from rules.preview import previews_of
from rules.schema import Obligation, Scalar, TopicType

SETS = 40


@pytest.fixture(scope="module")
def base() -> RuleBase:
    return load_rules()


def facts(base: RuleBase, chance: random.Random) -> dict[str, Scalar]:
    """Some topics with a value each: of the constants that rules compare it with, and of what lies around them."""
    constants: dict[str, set[Scalar]] = {}
    for rule in base.rules.values():
        for condition in (*rule.when, *rule.unless):
            if condition.value is not None:
                constants.setdefault(condition.topic, set()).add(condition.value)
    found: dict[str, Scalar] = {}
    for topic in base.topics.values():
        known = sorted(constants.get(topic.id, ()), key=str)
        if topic.origin == "derived" or not known or chance.random() < 0.5:
            continue
        value = chance.choice(known)
        if topic.type is TopicType.BOOL:
            value = chance.random() < 0.5
        elif topic.type is TopicType.INT:
            value = max(0, int(value) + chance.choice((-1, 0, 1)))
        elif topic.type is TopicType.FLOAT:
            value = float(value) * chance.choice((0.99, 1.0, 1.01))
        found[topic.id] = value
    return found


@pytest.mark.parametrize("seed", range(3))
def test_a_preview_is_the_consultation_without_its_reasons(base: RuleBase, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(SETS):
        told = facts(base, chance)
        consultation = consult(base, told, engine="plain")
        preview = previews_of(base).preview(told)
        assert preview.choices == {d.id: d.choice for d in decide(base, consultation)}, (seed, told)
        duties = [c.then for c in consultation.conclusions if isinstance(c.then, Obligation)]
        assert preview.duties.keys() == {duty.id for duty in duties}, (seed, told)
        for ident, applies in preview.duties.items():
            said = {duty.applies for duty in duties if duty.id == ident}
            assert applies == next(state for state in (True, "open", False) if state in said), (seed, told)
