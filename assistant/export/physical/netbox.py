"""NetBox bulk import: one CSV an object type, numbered in the order in which NetBox needs them, in one archive.

Columns are those of NetBox 4's import forms (dcim/forms/bulk_import.py); everything is imported as planned.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator

from assistant.export.csv_checklist import guarded
from assistant.export.physical.subject import Subject
from assistant.sizing.physical.cabling import (
    length_m,
    made_length_m,
    medium_for,
    networks_of,
    run_of,
    spots_of,
)
from assistant.sizing.physical.layout import Layout
from assistant.sizing.physical.links import Link, layout_links
from knowledge.catalogue import Catalogue

SITE = "planned-site"
FIXED_TIME = (2026, 1, 1, 0, 0, 0)
"""The time stamp of every file in the archive, so that the same layout gives the same bytes."""

INTERFACE_TYPES = {
    ("infiniband", 25.0): "infiniband-hdr",
    ("infiniband", 50.0): "infiniband-ndr",
    ("infiniband", 100.0): "infiniband-xdr",
    ("ethernet", 12.5): "100gbase-x-qsfp28",
    ("ethernet", 25.0): "200gbase-x-qsfp56",
    ("ethernet", 50.0): "400gbase-x-osfp",
    ("ethernet", 100.0): "800gbase-x-osfp",
}
CABLE_TYPES = {"dac": "dac-passive", "acc": "dac-active", "aec": "dac-active", "aoc": "aoc"}
SINGLE_MODE_FROM_M = 50.0
"""Multi-mode optics reach 50 m on OM4; longer runs are single-mode."""

Rows = Iterable[tuple[str, ...]]


def archive(of: Subject) -> bytes:
    """The zip archive of all tables."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, header, rows in tables(of.layout, of.catalogue):
            packed.writestr(zipfile.ZipInfo(f"{name}.csv", FIXED_TIME), _csv(header, rows))
    return out.getvalue()


def _csv(header: tuple[str, ...], rows: Rows) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows([guarded(cell) for cell in row] for row in rows)
    return text.getvalue()


def slug(text: str) -> str:
    """What NetBox takes for a slug: lower-case letters, digits and dashes."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:100]


def tables(layout: Layout, catalogue: Catalogue) -> Iterator[tuple[str, tuple[str, ...], Rows]]:
    """(file name, header, rows) of each object type."""
    boxes = [(rack, device) for rack in layout.racks for device in rack.devices]
    types = {device.item: device for _, device in boxes}
    makers = {item: _maker(item, catalogue) for item in types}
    roles = dict.fromkeys(device.role for _, device in boxes)
    links = list(_cables(layout, catalogue))
    yield "1-sites", ("name", "slug", "status"), [(SITE, SITE, "planned")]
    yield "2-manufacturers", ("name", "slug"), [(name, slug(name)) for name in dict.fromkeys(makers.values())]
    yield "3-device-roles", ("name", "slug", "color"), [(role, slug(role), "9e9e9e") for role in roles]
    yield (
        "4-device-types",
        ("manufacturer", "model", "slug", "u_height", "is_full_depth"),
        [(makers[item], item, slug(item), str(box.height), "true") for item, box in types.items()],
    )
    yield (
        "5-racks",
        ("site", "name", "status", "width", "u_height", "description"),
        [
            (SITE, rack.name, "planned", "19", str(rack.height), f"{rack.kw:.4g} kW rated, {rack.kg:,.0f} kg")
            for rack in layout.racks
        ],
    )
    columns = (
        "name",
        "role",
        "manufacturer",
        "device_type",
        "status",
        "site",
        "rack",
        "position",
        "face",
        "description",
    )
    yield (
        "6-devices",
        columns,
        [
            (box.name, box.role, makers[box.item], box.item, "planned", SITE, rack.name, str(box.u), "front", box.of)
            for rack, box in boxes
        ],
    )
    ends = dict.fromkeys(end for link in links for end in (link[0], link[1]))
    yield "7-interfaces", ("device", "name", "type"), list(ends)
    yield (
        "8-cables",
        (
            *("side_a_device", "side_a_type", "side_a_name", "side_b_device", "side_b_type", "side_b_name"),
            *("type", "status", "length", "length_unit"),
        ),
        [
            (a[0], "dcim.interface", a[1], b[0], "dcim.interface", b[1], kind, "planned", f"{metres:g}", "m")
            for a, b, kind, metres in links
        ],
    )


def _maker(item: str, catalogue: Catalogue) -> str:
    for kind in ("servers", "switches", "storage"):
        entry = catalogue.entries(kind).get(item)
        if entry is not None:
            return str(getattr(entry, "vendor", None) or "any")
    return "any"


End = tuple[str, str, str]
"""Device, interface and NetBox's type of the interface."""


def _cables(layout: Layout, catalogue: Catalogue) -> Iterator[tuple[End, End, str, float]]:
    """Every link with an interface at both ends: rails at nodes, ports in turn at switches."""
    nets, spots = {net.purpose: net for net in networks_of(layout)}, spots_of(layout)
    used: Counter[str] = Counter()
    kinds: dict[object, str] = {}
    for link in layout_links(layout):
        net = nets[link.purpose]
        switch = catalogue.switch(net.switch)
        port_type = INTERFACE_TYPES.get((switch.technology, net.link_gb_per_s), "other")
        metres = made_length_m(length_m(spots[link.low], spots[link.high]))
        key = run_of(link, spots)
        if key not in kinds:
            medium = medium_for(net, key, catalogue).kind
            optical = "smf" if metres > SINGLE_MODE_FROM_M else "mmf-om4"
            kinds[key] = CABLE_TYPES.get(medium, optical)
        for _ in range(link.parallel):
            low, high = (_port(name, link, used) for name in (link.low, link.high))
            yield (link.low, low, port_type), (link.high, high, port_type), kinds[key], metres


def _port(name: str, link: Link, used: Counter[str]) -> str:
    """The next port of a switch, or of a node's adapters of this purpose."""
    kind = link.purpose if link.hop == "node to leaf" and name == link.low else "port"
    used[f"{name} {kind}"] += 1
    return f"{kind}-{used[f'{name} {kind}']}"
