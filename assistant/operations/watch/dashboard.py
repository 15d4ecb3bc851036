"""A Grafana dashboard of the views that matter, from the same metrics as the alert rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from assistant.operations.watch.alerts import with_names
from knowledge.catalogue import Catalogue
from knowledge.schema.operations import Panel

SCHEMA_VERSION = 39
"""Of Grafana's dashboard model; later releases migrate it when they load it."""
DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}
WIDTH, COLUMNS, HEIGHT = 24, 2, 8
"""Grafana's grid: 24 columns; two panels beside each other."""


def dashboard(catalogue: Catalogue) -> dict[str, Any]:
    """The dashboard as Grafana imports it; the data source is asked for when it is opened."""
    panels: Sequence[Panel] = tuple(catalogue.entries("panels").values())
    return {
        "title": "GPU cluster operations",
        "uid": "sizewright-operations",
        "tags": ["gpu", "sizewright"],
        "schemaVersion": SCHEMA_VERSION,
        "version": 1,
        "editable": True,
        "graphTooltip": 1,
        "refresh": "1m",
        "time": {"from": "now-24h", "to": "now"},
        "timezone": "browser",
        "annotations": {"list": []},
        "links": [],
        "templating": {"list": [{"name": "datasource", "label": "Data source", "type": "datasource"} | _PROMETHEUS]},
        "panels": list(_laid_out(panels, catalogue)),
    }


_PROMETHEUS = {"query": "prometheus", "current": {}, "hide": 0, "includeAll": False, "multi": False, "options": []}


def _laid_out(panels: Sequence[Panel], catalogue: Catalogue) -> Iterator[dict[str, Any]]:
    """Sections as rows, each with its panels two by two."""
    top = number = 0
    for section in dict.fromkeys(panel.section for panel in panels):
        number += 1
        yield {"id": number, "type": "row", "title": section, "collapsed": False, "panels": [], "gridPos": _grid(top)}
        top += 1
        members = [panel for panel in panels if panel.section == section]
        for place, panel in enumerate(members):
            number += 1
            across, down = place % COLUMNS, place // COLUMNS
            width = WIDTH // COLUMNS
            grid = {"x": across * width, "y": top + down * HEIGHT, "w": width, "h": HEIGHT}
            yield _panel(number, panel, grid, catalogue)
        top += -(-len(members) // COLUMNS) * HEIGHT


def _grid(top: int) -> dict[str, int]:
    return {"x": 0, "y": top, "w": WIDTH, "h": 1}


def _panel(number: int, panel: Panel, grid: dict[str, int], catalogue: Catalogue) -> dict[str, Any]:
    sources = [catalogue.source(ident) for ident in panel.sources]
    addresses = [source.address for source in sources if source.address]
    table = panel.kind == "table"
    target = {
        "refId": "A",
        "datasource": DATASOURCE,
        "expr": with_names(panel.expr, catalogue),
        "instant": panel.kind != "timeseries",
        "range": panel.kind == "timeseries",
        "format": "table" if table else "time_series",
        "legendFormat": "__auto",
    }
    return {
        "id": number,
        "type": panel.kind,
        "title": panel.title,
        "description": "\n".join((panel.meaning, *addresses)),
        "datasource": DATASOURCE,
        "gridPos": grid,
        "targets": [target],
        "fieldConfig": {"defaults": {"unit": panel.unit, "custom": {}}, "overrides": []},
        "options": {},
        "transformations": [{"id": "organize", "options": {"excludeByName": {"Time": True}}}] if table else [],
    }
