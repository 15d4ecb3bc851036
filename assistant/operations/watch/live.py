"""The operations rules on live metrics: which nodes to drain, and why. Nothing is changed on the cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal

from assistant.operations.triage.correlate import ACTIONS
from assistant.operations.watch.alerts import metrics_in, promql, rules_of
from knowledge.catalogue import Catalogue
from knowledge.errors import SizewrightError
from knowledge.evidence import Frozen
from knowledge.schema.operations import Action, AlertRule, Category

Ask = Callable[[str, dict[str, str]], object]
"""Asks the Prometheus HTTP API: a path below the server's address and its parameters -> the decoded answer."""

NODE_LABELS = ("Hostname", "hostname", "node", "kubernetes_node", "nodename", "instance")
GPU_LABELS = ("gpu", "device", "GPU_I_ID", "UUID")
MAX_EVIDENCE = 64
STEP_S = 30
"""How closely it is looked whether a rule held all the time that it asks for."""
Labels = frozenset[tuple[str, str]]


class Evidence(Frozen):
    """One rule that holds for one node; ``where`` names GPU, port or rank, ``value`` is the series' own.

    ``lasted`` is False where it does not hold yet for as long as the rule asks; then its severity is watch at most.
    """

    alert: str
    severity: Literal["drain", "watch", "info"]
    summary: str
    mode: str
    category: Category
    action: Action
    where: str | None
    value: float | None
    threshold: str
    lasted: bool
    metric: tuple[str, ...]
    source: str | None


class NodeState(Frozen):
    """A node with what was seen on it, the gravest first. ``node`` None: the job, the fabric or the building."""

    node: str | None
    action: Action
    because: tuple[Evidence, ...]


class NotEvaluated(Frozen):
    """A rule that could not be evaluated, and why: silence is no health."""

    alert: str
    why: str
    metrics: tuple[str, ...]


class Watch(Frozen):
    """What the metrics say now."""

    drain: tuple[NodeState, ...]
    watch: tuple[NodeState, ...]
    evaluated: int
    not_evaluated: tuple[NotEvaluated, ...]


def watch_once(ask: Ask, catalogue: Catalogue) -> Watch:
    """Evaluate every rule once. Raises SizewrightError where the server does not answer at all."""
    present = _series_present(ask)
    evidence: dict[str | None, list[Evidence]] = {}
    missing: list[NotEvaluated] = []
    rules = rules_of(catalogue)
    for rule in rules:
        needed = metrics_in(rule, catalogue)
        absent = [m for m in needed if not present.intersection(m.names)]
        if absent:
            why = "no such series; turn it on in the exporter"
            missing.append(NotEvaluated(alert=rule.alert, why=why, metrics=absent[0].names))
            continue
        try:
            for node, item in _evidence(rule, ask, catalogue):
                evidence.setdefault(node, []).append(item)
        except SizewrightError as error:
            names = tuple(name for metric in needed for name in metric.names)
            missing.append(NotEvaluated(alert=rule.alert, why=str(error), metrics=names))
    states = [_state(node, items) for node, items in evidence.items()]
    states.sort(key=lambda s: (-ACTIONS.index(s.action), s.node or ""))
    drained = [s for s in states if s.node is not None and s.because[0].severity == "drain"]
    return Watch(
        drain=tuple(drained),
        watch=tuple(s for s in states if s not in drained),
        evaluated=len(rules) - len(missing),
        not_evaluated=tuple(missing),
    )


def _series_present(ask: Ask) -> frozenset[str]:
    names = _data(ask("/api/v1/label/__name__/values", {}))
    if not isinstance(names, list):
        raise SizewrightError("the server does not answer as Prometheus does")
    return frozenset(name for name in names if isinstance(name, str))


def _data(answer: object) -> Any:
    """The data of an answer. Raises SizewrightError with the server's own words for an error."""
    if not isinstance(answer, dict) or answer.get("status") not in ("success", "error"):
        raise SizewrightError("the server does not answer as Prometheus does")
    if answer["status"] == "error":
        raise SizewrightError(f"{answer.get('errorType', 'error')}: {str(answer.get('error', ''))[:200]}")
    return answer.get("data")


def _evidence(rule: AlertRule, ask: Ask, catalogue: Catalogue) -> Iterator[tuple[str | None, Evidence]]:
    mode = catalogue.entry("failure_modes", rule.mode)
    names = tuple(name for metric in metrics_in(rule, catalogue) for name in metric.names)
    found = list(_query(promql(rule, catalogue), ask))
    old = _lasting(rule, ask, catalogue) if found and rule.held != "0s" else None
    for labels, value in found:
        lasted = old is None or _series(labels) in old
        yield (
            _label(labels, NODE_LABELS),
            Evidence(
                alert=rule.alert,
                severity=rule.severity if lasted or rule.severity != "drain" else "watch",
                summary=rule.summary,
                mode=mode.id,
                category=mode.category,
                action=mode.action,
                where=_label(labels, (*GPU_LABELS, "port", "rank")),
                value=value,
                threshold=rule.threshold,
                lasted=lasted,
                metric=names,
                source=catalogue.source(rule.sources[0]).address,
            ),
        )


def _query(expression: str, ask: Ask) -> Iterator[tuple[Mapping[str, str], float | None]]:
    return _vector(_data(ask("/api/v1/query", {"query": expression})))


def _lasting(rule: AlertRule, ask: Ask, catalogue: Catalogue) -> frozenset[Labels]:
    """The series for which the rule held at every step of the time that it must last."""
    query = f"count_over_time(({promql(rule, catalogue)})[{rule.held}:{STEP_S}s])"
    steps = seconds(rule.held) // STEP_S
    return frozenset(_series(labels) for labels, count in _query(query, ask) if (count or 0) >= steps)


def _series(labels: Mapping[str, str]) -> Labels:
    return frozenset((name, value) for name, value in labels.items() if name != "__name__")


def seconds(span: str) -> int:
    """A span of a rule, such as 5m, in seconds."""
    return int(span[:-1]) * {"s": 1, "m": 60, "h": 3600}[span[-1]]


def _vector(data: object) -> Iterator[tuple[Mapping[str, str], float | None]]:
    """Labels and value of each sample of an instant vector; anything else is refused."""
    result = data.get("result") if isinstance(data, dict) else None
    if not isinstance(result, list):
        raise SizewrightError("the answer holds no vector")
    for sample in result:
        labels = sample.get("metric") if isinstance(sample, dict) else None
        pair = sample.get("value") if isinstance(sample, dict) else None
        if not isinstance(labels, dict) or not isinstance(pair, list) or len(pair) != 2:
            raise SizewrightError("the answer holds no vector")
        yield {str(k): str(v) for k, v in labels.items()}, _finite(pair[1])


def _finite(text: object) -> float | None:
    import math

    try:
        value = float(str(text))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _label(labels: Mapping[str, str], names: Iterable[str]) -> str | None:
    """The first of these labels that is set; an instance without its port, a GPU's number as ``gpu3``."""
    for name in names:
        if text := labels.get(name):
            if name == "instance":
                return text.rsplit(":", 1)[0]
            return f"gpu{text}" if name == "gpu" and text.isdecimal() else text
    return None


def _state(node: str | None, items: list[Evidence]) -> NodeState:
    order = ("drain", "watch", "info")
    items.sort(key=lambda e: (order.index(e.severity), -ACTIONS.index(e.action), e.alert, e.where or ""))
    gravest = max((e.action for e in items if e.severity == items[0].severity), key=ACTIONS.index)
    return NodeState(node=node, action=gravest, because=tuple(items[:MAX_EVIDENCE]))
