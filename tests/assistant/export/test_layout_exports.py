"""Exports of a layout: pictures that parse, graphs and imports with every link once, files that schedulers read."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections import Counter
from xml.etree import ElementTree

import pytest
import yaml

from assistant.export.physical import ENDINGS, ending_of
from assistant.export.physical.graph import d2, dot
from assistant.export.physical.netbox import archive, slug
from assistant.export.physical.outline import MOST_GROUPS, outlines
from assistant.export.physical.schedulers import gres_conf, hostlist, kueue, topology_conf
from assistant.export.physical.subject import Subject, subject_of
from assistant.export.physical.svg import both, racks, topology
from assistant.interview.brief import Brief
from assistant.service import Assistant
from knowledge.errors import BadInput

SAID = {
    "dgx": "64 DGX H100 servers with InfiniBand for training, own site in Frankfurt, 45 kW per rack",
    "nvl72": "two GB200 NVL72 racks in Munich",
    "one": "one server with 4 L40S for a chatbot for 20 users on our own site",
}


@pytest.fixture(scope="module")
def subjects() -> dict[str, Subject]:
    assistant = Assistant()
    made = {}
    for name, said in SAID.items():
        sizing = assistant.size(Brief().with_answers(assistant.understand(said)))
        made[name] = subject_of(sizing, assistant.catalogue, f'Test "<{name}>" & more')
    return made


@pytest.mark.parametrize("name", SAID)
@pytest.mark.parametrize("draw", [both, racks, topology])
def test_pictures_are_svg_without_scripts_or_addresses(subjects: dict[str, Subject], name: str, draw: object) -> None:
    text = draw(subjects[name])  # type: ignore[operator]
    root = ElementTree.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root[0].text == f'Test "<{name}>" & more'
    assert "script" not in text
    assert text.count("http") == 1


def test_the_elevation_names_every_box_once(subjects: dict[str, Subject]) -> None:
    of = subjects["dgx"]
    told = [title.text or "" for title in ElementTree.fromstring(racks(of)).iter("{http://www.w3.org/2000/svg}title")]
    names = Counter(text.partition(":")[0] for text in told[1:])
    assert set(names) == set(of.layout.places)
    assert set(names.values()) == {1}
    assert "node-01: dgx-h100, GPU server, U1-8, 10.2 kW; for GPUs of the plan" in told


def test_the_outline_counts_every_link(subjects: dict[str, Subject]) -> None:
    """64 x 8 fill 16 leaves of 32 down and 32 up; two leaves give an uplink for a manager's port: 512 - 2."""
    compute = outlines(subjects["dgx"].layout)[0]
    sums: Counter[tuple[str, str]] = Counter()
    for (low, high), count in compute.links.items():
        sums[low.rstrip("0123456789"), high.rstrip("0123456789")] += count
    assert sums == {("node", "leaf"): 512, ("manager", "leaf"): 2, ("leaf", "spine"): 510}
    assert all(len(compute.tier(tier)) <= MOST_GROUPS for tier in ("node", "leaf", "spine"))


def test_graphs_hold_every_link(subjects: dict[str, Subject]) -> None:
    text = dot(subjects["dgx"])
    assert text.startswith('graph "Test \\"<dgx>\\" & more" {')
    assert text.count("{") == text.count("}")
    assert len(re.findall(r'"node-\d+" -- "leaf-\d+"', text)) == 512
    drawn = d2(subjects["dgx"])
    compute, storage = drawn.split("storage: ", 1)
    assert compute.count("{") == compute.count("}") == storage.count("{") == storage.count("}") == 1
    assert 'node1 -- leaf1: "256 links"' in compute
    # Each of 32 nodes has two ports to the storage fabric.
    assert 'node1 -- leaf1: "64 links"' in storage


def _tables(of: Subject) -> dict[str, list[dict[str, str]]]:
    with zipfile.ZipFile(io.BytesIO(archive(of))) as packed:
        texts = {name: packed.read(name).decode("utf-8") for name in packed.namelist()}
    return {name[2:-4]: list(csv.DictReader(io.StringIO(text))) for name, text in texts.items()}


NETBOX_COLUMNS = {
    "sites": {"name", "slug", "status"},
    "manufacturers": {"name", "slug"},
    "device-roles": {"name", "slug", "color"},
    "device-types": {"manufacturer", "model", "slug", "u_height", "is_full_depth"},
    "racks": {"site", "name", "status", "width", "u_height", "description"},
    "devices": {
        *("name", "role", "manufacturer", "device_type", "status", "site", "rack", "position", "face", "description")
    },
    "interfaces": {"device", "name", "type"},
    "cables": {
        *("side_a_device", "side_a_type", "side_a_name", "side_b_device", "side_b_type", "side_b_name"),
        *("type", "status", "length", "length_unit"),
    },
}
"""Fields of NetBox's import forms, netbox-community/netbox, netbox/dcim/forms/bulk_import.py."""


@pytest.mark.parametrize("name", SAID)
def test_the_netbox_import_refers_only_to_what_it_brings(subjects: dict[str, Subject], name: str) -> None:
    tables = _tables(subjects[name])
    for table, rows in tables.items():
        assert all(set(row) == NETBOX_COLUMNS[table] for row in rows)
    names = {table: {row.get("name") or row.get("model") for row in rows} for table, rows in tables.items()}
    for device in tables["devices"]:
        assert device["rack"] in names["racks"]
        assert device["device_type"] in names["device-types"]
        assert device["role"] in names["device-roles"]
        assert device["manufacturer"] in names["manufacturers"]
    ends = {(row["device"], row["name"]) for row in tables["interfaces"]}
    assert len(ends) == len(tables["interfaces"])
    used = [(row[f"side_{side}_device"], row[f"side_{side}_name"]) for row in tables["cables"] for side in "ab"]
    assert len(set(used)) == len(used)
    assert set(used) == ends
    assert {device for device, _ in used} <= names["devices"]
    assert len(tables["cables"]) == sum(run.links for run in subjects[name].layout.cables)


def test_the_netbox_archive_is_the_same_each_time(subjects: dict[str, Subject]) -> None:
    assert archive(subjects["dgx"]) == archive(subjects["dgx"])
    assert slug("DGX H100 / 8U") == "dgx-h100-8u"


def test_slurm_tree(subjects: dict[str, Subject]) -> None:
    """Form of topology.conf(5): SwitchName=s0 Nodes=dev[0-5], SwitchName=s3 Switches=s[0-2]; 32 nodes share leaves."""
    lines = [line for line in topology_conf(subjects["dgx"]).splitlines() if not line.startswith("#")]
    assert lines == [
        "SwitchName=block-1 Nodes=node-[01-32]",
        "SwitchName=block-2 Nodes=node-[33-64]",
        "SwitchName=top Switches=block-[1-2]",
    ]


def test_slurm_blocks_of_nvlink_racks(subjects: dict[str, Subject]) -> None:
    """topology/block of the same page: a rack of 18 trays is one block."""
    lines = [line for line in topology_conf(subjects["nvl72"]).splitlines() if not line.startswith("#")]
    assert lines == [
        "BlockName=nvl-1 Nodes=nvl-1-tray-[01-18]",
        "BlockName=nvl-2 Nodes=nvl-2-tray-[01-18]",
        "BlockSizes=18",
    ]


def test_slurm_gres(subjects: dict[str, Subject]) -> None:
    assert "NodeName=node-[01-64] Name=gpu Type=h100 Count=8" in gres_conf(subjects["dgx"])
    assert "AutoDetect=nvml" in gres_conf(subjects["dgx"])
    assert "Name=gpu Type=gb200 Count=4" in gres_conf(subjects["nvl72"])


def test_hostlists() -> None:
    names = ["node-001", "node-002", "node-004", "nvl-1-tray-01", "nvl-1-tray-02", "alone-7"]
    assert hostlist(names) == "node-[001-002,004],nvl-1-tray-[01-02],alone-7"


def test_kueue_topology(subjects: dict[str, Subject]) -> None:
    """kueue.sigs.k8s.io/docs/concepts/topology: levels from the coarsest, kubernetes.io/hostname last."""
    docs = [doc for doc in yaml.safe_load_all(kueue(subjects["dgx"])) if doc]
    top, flavor, *nodes = docs
    levels = [level["nodeLabel"] for level in top["spec"]["levels"]]
    assert levels[-1] == "kubernetes.io/hostname"
    assert flavor["spec"]["topologyName"] == top["metadata"]["name"]
    assert len(nodes) == 64
    assert all(set(levels) <= set(node["metadata"]["labels"]) for node in nodes)


def test_endings() -> None:
    assert {ending: ending_of(f"a.{ending}") for ending in ENDINGS} == {ending: ending for ending in ENDINGS}
    assert ending_of("topology.conf") == "topology.conf"
    assert ending_of("slurm-gres.conf") == "gres.conf"
    assert ending_of("other.conf") is None
    assert ending_of("notes.md") is None


def test_an_old_sizing_without_a_layout_is_refused_with_the_way_out(subjects: dict[str, Subject]) -> None:
    sizing = subjects["one"].sizing
    old = sizing.model_copy(update={"plans": tuple(p.model_copy(update={"layout": None}) for p in sizing.plans)})
    with pytest.raises(BadInput, match="size it anew"):
        subject_of(old, subjects["one"].catalogue, "x")
