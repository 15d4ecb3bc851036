"""The error codes say what the vendor's table says."""

from pathlib import Path

import pytest

from knowledge.schema import Sxid, Xid
from knowledge.yaml_files import read_yaml

DATA = Path(__file__).parents[2] / "knowledge" / "data"


@pytest.fixture(scope="module")
def xids() -> dict[int, Xid]:
    return {x.code: x for x in (Xid.model_validate(raw) for raw in read_yaml(DATA / "xids" / "xids.yaml"))}


@pytest.fixture(scope="module")
def sxids() -> dict[int, Sxid]:
    return {s.code: s for s in (Sxid.model_validate(raw) for raw in read_yaml(DATA / "sxids" / "sxids.yaml"))}


def test_the_vendors_table_runs_from_1_to_172_without_gaps(xids: dict[int, Xid]) -> None:
    assert sorted(xids) == list(range(1, 173))


# Immediate and investigatory buckets as printed in NVIDIA's catalogue
# (docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html).
@pytest.mark.parametrize(
    ("code", "bucket", "then"),
    [
        (13, "RESTART_APP", "WORKFLOW_XID_13"),
        (31, "RESTART_APP", "WORKFLOW_XID_31"),
        (48, "WORKFLOW_XID_48", "WORKFLOW_XID_48"),
        (63, "IGNORE", "IGNORE"),
        (64, "RESET_GPU", "CONTACT_SUPPORT"),
        (74, "WORKFLOW_NVLINK_ERR", "CONTACT_SUPPORT"),
        (79, "RESTART_BM", "CONTACT_SUPPORT"),
        (94, "RESTART_APP", "IGNORE (sympathetic)"),
        (95, "RESET_GPU", "IGNORE (sympathetic)"),
        (119, "RESET_GPU", "INVESTIGATE_SW"),
        (149, "WORKFLOW_NVLINK5_ERR", "WORKFLOW_NVLINK5_ERR"),
    ],
)
def test_buckets_are_the_vendors(xids: dict[int, Xid], code: int, bucket: str, then: str) -> None:
    assert (xids[code].immediate_bucket, xids[code].investigatory_bucket) == (bucket, then)


def test_every_code_in_use_has_a_meaning(xids: dict[int, Xid]) -> None:
    assert [x.code for x in xids.values() if x.status == "active" and not x.meaning] == []


def test_azures_node_check_fails_on_18_codes(xids: dict[int, Xid]) -> None:
    assert sum(bool(x.in_azure_fail_list) for x in xids.values()) == 18


def test_xid_79_is_not_tied_to_one_generation(xids: dict[int, Xid]) -> None:
    assert xids[79].applies_to == ("A100", "H100", "B100", "GB200")


def test_sxids_by_group(sxids: dict[int, Sxid]) -> None:
    # 93 codes of guide DU-09883-001 v1.3 as gpud lists them.
    groups = [s.group for s in sxids.values()]
    assert len(sxids) == 93
    assert groups.count("always_fatal") == 21
    assert groups.count("fatal_port_scope") == 42


def test_sxid_23003_is_fatal_to_the_whole_host(sxids: dict[int, Sxid]) -> None:
    assert sxids[23003].group == "always_fatal"
    assert sxids[23003].recovery == "restart the host, or reset all GPUs and switches together"
