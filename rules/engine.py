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

Derived facts are handed to every set that tests them, until nothing new follows; then the next stratum's gates open.
"""

from __future__ import annotations

import contextlib
import importlib.util
import itertools
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
    """A rule base as durable-rules rule sets.

    The strata share the sets: what keeps a rule with an ``unless`` waiting is its gate, opened when its turn has come.
    """

    def __init__(self, version: str, strata: Sequence[Sequence[Rule]]) -> None:
        rules = [rule for stratum in strata for rule in stratum]
        self._constants = constants(rules)
        self._asserts = {rule.id: tuple(rule.asserts()) for rule in rules}
        derivable = frozenset(itertools.chain.from_iterable(self._asserts.values()))
        self._gated = [
            [(rule, frozenset(c.topic for c in rule.when) - derivable) for rule in stratum if rule.unless]
            for stratum in strata
        ]
        self._sets = [_RuleSet(f"{version[:16]}-{next(_SESSION)}", chunk, self._constants) for chunk in split(rules)]

    def run(self, facts: Mapping[str, Scalar]) -> tuple[frozenset[str], dict[str, Scalar]]:
        """As ``plain.run``."""
        known = dict(facts)
        fired: set[str] = set()
        with _LOCK:
            sessions = [_Session(rules, f"s{next(_SESSION)}") for rules in self._sets]
            try:
                news = self._ranked(known, known)
                for gated in self._gated:
                    news += [(gate(rule), 0) for rule in _open(gated, known)]
                    fired |= self._settle(sessions, news, known)
                    news = []
            finally:
                for session in sessions:
                    session.forget()
        return frozenset(fired), known

    def _settle(self, sessions: Sequence[_Session], news: list[tuple[str, int]], known: dict[str, Scalar]) -> set[str]:
        """Fire everything that follows from ``news``; ``known`` grows by what is derived."""
        fired: set[str] = set()
        while news:
            newly = [ident for session in sessions for ident in session.tell(news)]
            topics = dict.fromkeys(topic for ident in newly for topic in self._asserts[ident])
            derived = [topic for topic in topics if topic not in known]
            known.update(dict.fromkeys(derived, True))
            fired.update(newly)
            news = self._ranked(derived, known)
        return fired

    def _ranked(self, topics: Iterable[str], known: Mapping[str, Scalar]) -> list[tuple[str, int]]:
        """Those of the topics that any rule tests, each with the rank of its value."""
        return [
            (topic, rank(self._constants[topic], known[topic])) for topic in sorted(topics) if topic in self._constants
        ]


def _open(gated: Sequence[tuple[Rule, frozenset[str]]], known: Mapping[str, Scalar]) -> Iterator[Rule]:
    """The rules of a stratum that may fire: all they need is known and nothing of ``unless``, settled by now, holds."""
    for rule, needed in gated:
        if needed <= known.keys() and not any(plain.holds(condition, known) for condition in rule.unless):
            yield rule


class _RuleSet:
    """One durable-rules rule set without a Host. Calls are made under the module's lock, by one thread at a time."""

    def __init__(self, name: str, rules: Sequence[Rule], ordered: Constants) -> None:
        self._durable = _required_library()
        self.topics = frozenset(c.topic for rule in rules for c in rule.when) | {gate(r) for r in rules if r.unless}
        self._fired: list[str] = []
        definition: dict[str, Any] = {_OPENING: {"all": [{"m": {"topic": _OPENING}}], "run": lambda _context: None}}
        for rule in rules:
            definition[rule.id] = {"all": patterns(rule, ordered), "run": self._action(rule)}
        self._library_set = self._durable.Ruleset(name, None, definition)

    def _action(self, rule: Rule) -> Callable[[Any], None]:
        def fire(_context: Any) -> None:
            self._fired.append(rule.id)

        return fire

    def assert_fact(self, fact: Mapping[str, object]) -> int:
        """Assert a fact that some rule waits for, and return the handle of its session."""
        handle: int = self._library_set.assert_fact(fact)
        return handle

    def assert_facts(self, facts: Sequence[Mapping[str, object]]) -> None:
        """Assert facts in one call. That no rule waits for one of them, or that one is known already, is no error."""
        with contextlib.suppress(self._durable.MessageNotHandledException, self._durable.MessageObservedException):
            self._library_set.assert_facts(facts)

    def run(self, handle: int) -> list[str]:
        """Run what is due in a session, and return the ids of the rules that fired. Raises EngineFailure."""
        self._fired.clear()
        outcome: list[object] = []
        self._library_set.do_actions(handle, lambda error, state: outcome.append(error or _swallowed(state)))
        if any(outcome):
            raise EngineFailure(f"durable-rules: {next(filter(None, outcome))}")
        return list(self._fired)

    def delete(self, session: str) -> None:
        """Delete a session; without this every consultation would keep its memory."""
        self._library_set.delete_state(session)


class _Session:
    """One consultation of one rule set.

    It begins by firing the opening rule: the library leaves two pointers of a new session unset until its first action
    has run, and frees them when the session is deleted (state.c, createStateNode and deleteStateNode), so that a
    session in which nothing fired would crash.
    """

    def __init__(self, rules: _RuleSet, name: str) -> None:
        self._rules = rules
        self._name = name
        self._handle = rules.assert_fact({"topic": _OPENING, "value": 0, "sid": name})
        rules.run(self._handle)

    def tell(self, news: Iterable[tuple[str, int]]) -> list[str]:
        """Assert facts (topic and rank), all in one call, and return the ids of the rules that fire on them."""
        facts = [{"topic": t, "value": place, "sid": self._name} for t, place in news if t in self._rules.topics]
        if not facts:
            return []
        self._rules.assert_facts(facts)
        return self._rules.run(self._handle)

    def forget(self) -> None:
        """End it."""
        self._rules.delete(self._name)


def _swallowed(state: Mapping[str, object] | None) -> object:
    """The text of an exception in an action, which the library keeps in the session's state."""
    return (state or {}).get("exception")
