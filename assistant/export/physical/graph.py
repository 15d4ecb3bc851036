"""The fabrics as graphs that other programs lay out: Graphviz with every box and link, D2 by groups."""

from __future__ import annotations

from assistant.export.physical.outline import outlines
from assistant.export.physical.subject import Subject
from assistant.sizing.physical.links import layout_links


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def dot(of: Subject) -> str:
    """Graphviz: a cluster a rack, an edge for the links between two boxes, labelled where they are more than one."""
    lines = [f"graph {_quoted(of.title)} {{", "  rankdir=BT;", "  node [shape=box];"]
    wired: dict[str, None] = {}
    edges = []
    for link in layout_links(of.layout):
        wired |= dict.fromkeys((link.low, link.high))
        label = f', label="{link.parallel}"' if link.parallel > 1 else ""
        rail = f", taillabel={link.rail}" if link.rail is not None else ""
        edges.append(f"  {_quoted(link.low)} -- {_quoted(link.high)} [class={link.purpose}{rail}{label}];")
    for rack in of.layout.racks:
        boxes = [device for device in rack.devices if device.name in wired]
        if boxes:
            lines += [f"  subgraph {_quoted('cluster_' + rack.name)} {{", f"    label={_quoted('Rack ' + rack.name)};"]
            lines += [f"    {_quoted(box.name)} [label={_quoted(box.name + ' ' + box.item)}];" for box in boxes]
            lines.append("  }")
    return "\n".join((*lines, *edges, "}")) + "\n"


def d2(of: Subject) -> str:
    """D2: a container a fabric, a shape a group of boxes, and the number of links between groups."""
    lines = [f"# {line}" for line in of.title.splitlines() or [""]]
    for outline in outlines(of.layout):
        lines.append(f"{outline.purpose}: {_quoted(f'{outline.purpose} fabric, {outline.item}')} {{")
        lines += [f"  {group.key}: {_quoted(f'{group.tier}: {group.label}')}" for group in outline.groups]
        lines += [f"  {low} -- {high}: {_quoted(f'{count:,} links')}" for (low, high), count in outline.links.items()]
        lines.append("}")
    return "\n".join(lines) + "\n"
