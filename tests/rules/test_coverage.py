"""Every rule fires on some facts and refuses on others beside them; what is missing is listed by name."""

from __future__ import annotations

from functools import lru_cache

from rules.base import RuleBase, load_rules
from rules.engine import consult
from rules.examples import firing, refusing
from rules.schema import Scalar


@lru_cache(maxsize=1)
def base() -> RuleBase:
    return load_rules()


@lru_cache(maxsize=1)
def examples() -> dict[str, dict[str, Scalar] | None]:
    return {ident: firing(base(), rule) for ident, rule in base().rules.items()}


def test_every_rule_fires() -> None:
    assert [ident for ident, facts in examples().items() if facts is None] == []


def test_every_rule_refuses_when_one_fact_changes() -> None:
    found = {ident: facts for ident, facts in examples().items() if facts is not None}
    assert [ident for ident, facts in found.items() if refusing(base(), base().rules[ident], facts) is None] == []


def test_the_engine_agrees_on_every_example() -> None:
    for ident, facts in examples().items():
        if facts is not None:
            assert ident in consult(base(), facts).fired, ident


def test_a_rule_that_cannot_fire_has_no_example() -> None:
    never = (
        base()
        .rules["reg.eed.applies"]
        .model_copy(update={"id": "never", "unless": base().rules["reg.eed.applies"].when[:1]})
    )
    assert firing(base(), never) is None
