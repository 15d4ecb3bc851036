"""The operations rules in PromQL, and as a Prometheus rule file."""

from __future__ import annotations

import re
from typing import Any

from knowledge.catalogue import Catalogue
from knowledge.schema.operations import AlertRule, Metric

GROUP = "sizewright-operations"
_CALL = re.compile(r"(\w+)\(\$(\w+)((?:\{[^}]*\})?\[\w+\])\)")
_PLAIN = re.compile(r"\$(\w+)((?:\{[^}]*\})?(?: offset \w+)?)")


def rules_of(catalogue: Catalogue) -> tuple[AlertRule, ...]:
    """All alert rules in the order of the catalogue."""
    return tuple(catalogue.entries("alert_rules").values())


def metrics_in(rule: AlertRule, catalogue: Catalogue) -> tuple[Metric, ...]:
    """The metrics that a rule reads."""
    idents = dict.fromkeys(re.findall(r"\$(\w+)", rule.expr))
    return tuple(catalogue.entry("metrics", ident) for ident in idents)


def promql(rule: AlertRule, catalogue: Catalogue) -> str:
    """The rule's expression with every metric under all its names, so that old and new exporters both count."""
    return with_names(rule.expr, catalogue)


def with_names(expression: str, catalogue: Catalogue) -> str:
    """PromQL in which ``$id`` of a metric is replaced by all its names."""

    def names(ident: str) -> tuple[str, ...]:
        metric: Metric = catalogue.entry("metrics", ident)
        return metric.names

    def alternatives(parts: list[str]) -> str:
        return parts[0] if len(parts) == 1 else "(" + " or ".join(parts) + ")"

    called = _CALL.sub(lambda m: alternatives([f"{m[1]}({n}{m[3]})" for n in names(m[2])]), expression)
    return _PLAIN.sub(lambda m: alternatives([n + m[2] for n in names(m[1])]), called)


def rule_file(catalogue: Catalogue) -> dict[str, Any]:
    """A Prometheus rule file; each alert carries action, category, threshold and the address of its reason."""
    return {"groups": [{"name": GROUP, "rules": [_alert(rule, catalogue) for rule in rules_of(catalogue)]}]}


def _alert(rule: AlertRule, catalogue: Catalogue) -> dict[str, Any]:
    mode = catalogue.entry("failure_modes", rule.mode)
    reasons = (catalogue.source(ident).address for ident in (*rule.sources, *mode.sources))
    reason = next((address for address in reasons if address), None)
    annotations = {
        "summary": f"{rule.summary} on {{{{ or $labels.Hostname $labels.instance }}}}",
        "description": mode.meaning,
        "threshold": rule.threshold,
        "check": "; ".join(check.command for check in mode.checks[:2]),
    }
    alert: dict[str, Any] = {
        "alert": rule.alert,
        "expr": promql(rule, catalogue),
        "labels": {"severity": rule.severity, "category": mode.category, "action": mode.action, "mode": mode.id},
        "annotations": annotations | ({"runbook_url": reason} if reason else {}),
    }
    return alert if rule.held == "0s" else {**alert, "for": rule.held}
