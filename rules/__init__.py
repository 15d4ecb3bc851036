"""What follows from what: rules as data. ``rules.engine.consult`` concludes, ``rules.decide.decide`` settles."""

from rules.base import RuleBase, load_rules

__all__ = ["RuleBase", "load_rules"]
