"""Consulting the rules: the adapter to durable-rules, and the choice between it and the plain evaluator.

durable-rules 2.0.28 is a Rete engine in C that is right inside a narrow subset and crashes, hangs or stays silent
outside it (docs/adr/0001). This module compiles only that subset, and nothing else may import the library:

- one fact per topic, every pattern anchored by its topic, constants only, no joins between facts;
- values cross the boundary as small whole numbers: their *rank* among the constants that the rules compare the topic
  with (``rules.patterns``). Order and equality survive exactly, on the line and on both sides of it, for numbers of
  any size and for any text; floats that the engine cannot parse and comparisons between types cannot occur;
- limited numbers of rules, topics and patterns in one rule set: more go to further sets;
- no Host (its threads never stop), rule sets compiled once per rule base and process, one session per consultation,
  deleted afterwards; a fact that no rule waits for, or a repeated one, is no error; exceptions that the library
  swallows are raised.

Derived facts are handed to every set of the stratum that tests them, until nothing new follows.
"""

from __future__ import annotations

import importlib.util
import itertools
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from knowledge.errors import BadInput, SizewrightError
from rules import plain
from rules.base import RuleBase
from rules.consultation import Consultation, check_facts, conclusions
from rules.patterns import Constants, constants, gate, patterns, rank, split
from rules.schema import Rule, Scalar

_ENGINES = ("auto", "durable", "plain")
_OPENING = "~opening"
_SESSION = itertools.count()
_LOCK = threading.Lock()


class EngineFailure(SizewrightError):
    """durable-rules reported an error. The message is the library's."""


def consult(base: RuleBase, facts: Mapping[str, object], engine: str = "auto") -> Consultation:
    """Everything that follows from ``facts`` (topic id -> value in the topic's unit).

    ``engine`` is ``durable``, ``plain`` or ``auto``: what SIZEWRIGHT_ENGINE says, else durable-rules where it can be
    imported. Raises BadInput for facts that are not declared or not of their topic's type.
    """
    known = check_facts(base.topics, facts)
    name = engine_name(engine)
    run = plain.run(base.strata, known) if name == "plain" else _compiled(base).run(known)
    fired, derived = run
    return Consultation(name, derived, tuple(conclusions(base.rules, fired, derived)))


def engine_name(engine: str = "auto") -> str:
    """The engine that a consultation would use: ``durable-rules`` or ``plain``. Raises BadInput for another name."""
    field, wanted = "engine", engine
    if engine == "auto":
        field, wanted = "SIZEWRIGHT_ENGINE", os.environ.get("SIZEWRIGHT_ENGINE", "").strip().lower() or "auto"
    if wanted not in _ENGINES:
        raise BadInput(field, wanted, f"one of {', '.join(_ENGINES)}")
    if wanted == "plain":
        return "plain"
    if _library() is not None:
        return "durable-rules"
    if wanted == "durable":
        raise BadInput(field, wanted, f"plain: durable-rules cannot be imported on Python {sys.version.split()[0]}")
    return "plain"


@lru_cache(maxsize=1)
def _library() -> Any | None:
    """The module ``durable.engine``, or None where it cannot be imported."""
    if importlib.util.find_spec("durable") is None:
        return None
    try:
        from durable import engine
    except ImportError:  # Python 3.13: builds, then misses PyEval_CallObject
        return None
    return engine


def _required_library() -> Any:
    library = _library()
    if library is None:
        raise EngineFailure("durable-rules cannot be imported")
    return library


_COMPILED: dict[str, _Program] = {}


def _compiled(base: RuleBase) -> _Program:
    """The base's program, compiled once per process. Rule sets cannot be freed, so few bases should be compiled."""
    with _LOCK:
        if base.version not in _COMPILED:
            _COMPILED[base.version] = _Program(base.version, base.strata)
        return _COMPILED[base.version]


class _Program:
    """A rule base as durable-rules rule sets, by stratum."""

    def __init__(self, version: str, strata: Sequence[Sequence[Rule]]) -> None:
        self._constants = constants(rule for stratum in strata for rule in stratum)
        self._strata: list[list[_RuleSet]] = []
        for level, stratum in enumerate(strata):
            derivable = frozenset(topic for rule in stratum for topic in rule.asserts())
            named = ((f"{version[:16]}-{next(_SESSION)}-{level}", chunk) for chunk in split(stratum))
            self._strata.append([_RuleSet(name, chunk, self._constants, derivable) for name, chunk in named])

    def run(self, facts: Mapping[str, Scalar]) -> tuple[frozenset[str], dict[str, Scalar]]:
        """As ``plain.run``."""
        known = dict(facts)
        fired: set[str] = set()
        with _LOCK:
            session = f"s{next(_SESSION)}"
            for stratum in self._strata:
                fired |= self._settle(stratum, session, known)
        return frozenset(fired), known

    def _settle(self, stratum: Sequence[_RuleSet], session: str, known: dict[str, Scalar]) -> set[str]:
        """Fire everything in a stratum; ``known`` grows by what is derived."""
        fired: set[str] = set()
        try:
            for rules in stratum:
                rules.open(session)
                for opened in rules.open_gates(known):
                    fired.update(rule.id for rule in rules.tell(session, opened, 0))
                for topic in sorted(rules.topics & known.keys()):
                    fired.update(rule.id for rule in self._tell(rules, session, topic, known))
            new = self._derived(stratum, fired, known)
            while new:
                for topic, rules in itertools.product(new, stratum):
                    if topic in rules.topics:
                        fired.update(rule.id for rule in self._tell(rules, session, topic, known))
                new = self._derived(stratum, fired, known)
        finally:
            for rules in stratum:
                rules.forget(session)
        return fired

    def _derived(self, stratum: Sequence[_RuleSet], fired: set[str], known: dict[str, Scalar]) -> list[str]:
        topics = (topic for rules in stratum for rule in rules.rules if rule.id in fired for topic in rule.asserts())
        new = [topic for topic in dict.fromkeys(topics) if topic not in known]
        known.update(dict.fromkeys(new, True))
        return new

    def _tell(self, rules: _RuleSet, session: str, topic: str, known: Mapping[str, Scalar]) -> list[Rule]:
        return rules.tell(session, topic, rank(self._constants[topic], known[topic]))


class _RuleSet:
    """One durable-rules rule set without a Host. Calls are made under the module's lock, by one thread at a time."""

    def __init__(self, name: str, rules: Sequence[Rule], ordered: Constants, derivable: frozenset[str]) -> None:
        self._durable = _required_library()
        self.rules = rules
        self.topics = frozenset(condition.topic for rule in rules for condition in rule.when)
        self._gated = [(rule, frozenset(c.topic for c in rule.when) - derivable) for rule in rules if rule.unless]
        self._fired: list[Rule] = []
        definition: dict[str, Any] = {_OPENING: {"all": [{"m": {"topic": _OPENING}}], "run": lambda _context: None}}
        for rule in rules:
            definition[rule.id] = {"all": patterns(rule, ordered), "run": self._action(rule)}
        self._rule_set = self._durable.Ruleset(name, None, definition)

    def _action(self, rule: Rule) -> Callable[[Any], None]:
        def fire(_context: Any) -> None:
            self._fired.append(rule)

        return fire

    def open(self, session: str) -> None:
        """Begin a session by firing the opening rule.

        The library leaves two pointers of a new session unset until its first action has run, and frees them when the
        session is deleted (state.c, createStateNode and deleteStateNode): a session in which nothing fired would crash.
        """
        self.tell(session, _OPENING, 0)

    def open_gates(self, known: Mapping[str, Scalar]) -> list[str]:
        """The gates of the rules that may fire and whose ``unless`` does not hold, which is settled by now."""
        may_fire = (rule for rule, needed in self._gated if needed <= known.keys())
        return [gate(rule) for rule in may_fire if not any(plain.holds(c, known) for c in rule.unless)]

    def tell(self, session: str, topic: str, rank: int) -> list[Rule]:
        """Assert a fact and return the rules that fire on it. Raises EngineFailure."""
        self._fired.clear()
        fact = {"topic": topic, "value": rank, "sid": session}
        try:
            handle = self._rule_set.assert_fact(fact)
        except (self._durable.MessageNotHandledException, self._durable.MessageObservedException):
            return []  # no rule waits for this value, or it is known already
        outcome: list[object] = []
        self._rule_set.do_actions(handle, lambda error, state: outcome.append(error or _swallowed(state)))
        if any(outcome):
            raise EngineFailure(f"durable-rules: {next(filter(None, outcome))}")
        return list(self._fired)

    def forget(self, session: str) -> None:
        """Delete the session; without this every consultation would keep its memory."""
        self._rule_set.delete_state(session)


def _swallowed(state: Mapping[str, object] | None) -> object:
    """The text of an exception in an action, which the library keeps in the session's state."""
    return (state or {}).get("exception")
