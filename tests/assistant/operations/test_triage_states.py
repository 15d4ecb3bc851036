"""Events open and close; what is ordered needs the part; places are named as people name them."""

from __future__ import annotations

import pytest

from assistant.operations.triage.diagnose import triage_text
from knowledge.catalogue import Catalogue, load_catalogue


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue()


@pytest.mark.parametrize(
    ("opened", "closed", "mode"),
    [
        # NVSentinel issue 1252: 162 says that the smoothing which 163 reported off is at work again.
        (
            "NVRM: Xid (PCI:0008:01:00): 163, pid=0, name=, PSHC disengaged",
            "NVRM: Xid (PCI:0008:01:00): 162, pid=0, name=, PSHC re-engaged",
            "power_smoothing_worn",
        ),
        (
            "mlx5_core 0000:3b:00.0 ens1f0np0: Link down",
            "mlx5_core 0000:3b:00.0 ens1f0np0: Link up",
            "link_flap",
        ),
        ("kernel: nfs: server a7 not responding", "kernel: nfs: server a7 OK", "storage_stalled"),
        ("slurmctld: error: Nodes g-01 not responding", "slurmctld: Node g-01 now responding", "slurm_node_lost"),
        ("nvme nvme0: Failed reconnect attempt 12", "nvme nvme0: Successfully reconnected", "nvme_fabrics_lost"),
    ],
)  # fmt: skip
def test_a_later_line_closes_an_earlier_one(opened: str, closed: str, mode: str, catalogue: Catalogue) -> None:
    text = f"{opened}\n{closed}"
    (finding,) = triage_text(text, catalogue).findings
    assert (finding.mode, finding.state, finding.action) == (mode, "closed", "ignore")
    assert (finding.opened, finding.closed) == (opened, closed)
    (again,) = triage_text(f"{text}\n{opened}", catalogue).findings
    assert again.state == "open"


def test_another_port_closes_nothing(catalogue: Catalogue) -> None:
    text = "mlx5_core 0000:3b:00.0 ens1f0np0: Link down\nmlx5_core 0000:5e:00.0 ens2f0np0: Link up"
    (finding,) = triage_text(text, catalogue).findings
    assert (finding.state, finding.ports, finding.gpus, finding.nodes) == ("open", ("ens1f0np0",), (), ())


def test_a_port_that_flaps_is_looked_at_though_it_is_up(catalogue: Catalogue) -> None:
    pair = "mlx5_core 0000:3b:00.0 ens1f0np0: Link down\nmlx5_core 0000:3b:00.0 ens1f0np0: Link up\n"
    (finding,) = triage_text(pair * 4, catalogue).findings
    assert (finding.state, finding.count, finding.action) == ("closed", 4, "investigate")


def test_an_open_fault_leads_before_a_closed_one(catalogue: Catalogue) -> None:
    lost = "NVRM: Xid (PCI:0000:1a:00): 79, pid=1, name=x, GPU has fallen off the bus."
    text = f"kernel: nfs: server a1 not responding, still trying\nkernel: nfs: server a1 OK\n{lost}"
    result = triage_text(text, catalogue)
    assert [f.state for f in result.findings] == ["open", "closed"]
    assert result.verdict.action == "reboot_node"


FABRIC = (
    "request to query NVSwitch device information from NVSwitch driver failed with error:"
    "WARNING Nothing to do [NV_WARN_NOTHING_TO_DO]"
)


def test_no_baseboard_is_repaired_where_there_is_none(catalogue: Catalogue) -> None:
    # gpu-operator issue 610: two RTX 4090, Fabric Manager has nothing to do.
    verdict = triage_text(f"GPU 0: NVIDIA GeForce RTX 4090 (UUID: GPU-1)\n{FABRIC}", catalogue).verdict
    assert (verdict.action, verdict.category) == ("fix_configuration", "fabric_manager")
    board = "detected number of NVSwitches don't match with any supported system topology, aborting fabric manager"
    assert triage_text(board, catalogue).verdict.action == "drain_and_repair"


@pytest.mark.parametrize(
    ("line", "node"),
    [
        ("nvidia-nvswitch1: SXid (PCI:0000:0a:00.0): 20034, Fatal, Link 48 LTSSM Fault Up", ()),
        ("[1668693503.4] [ampere7:1188443:0] ib_log.c:246 UCX  ERROR mlx5_0: ibv_create_cq() failed", ("ampere7",)),
        ('{"level":"error","msg":"failed to reconcile DCGM state","hostname":"ip-10-0-0-1"}', ("ip-10-0-0-1",)),
        ("(Ray pid=9) gpu07:92:93 [0] NCCL WARN NET/IB : Got completion with error 12", ("gpu07",)),
        ("slurmstepd: error: Prolog hung on node worker-12", ("worker-12",)),
    ],
)  # fmt: skip
def test_a_node_is_a_host_and_never_a_device(line: str, node: tuple[str, ...], catalogue: Catalogue) -> None:
    assert triage_text(line, catalogue).findings[0].nodes == node


def test_one_link_down_is_looked_at_and_three_are_repaired(catalogue: Catalogue) -> None:
    down = "mlx5_core 0000:3b:00.0 ens1f0np0: Link down\n"
    assert triage_text(down, catalogue).verdict.action == "investigate"
    assert triage_text(down * 3, catalogue).verdict.action == "drain_and_repair"


def test_the_host_of_a_journal_entry_is_kept(catalogue: Catalogue) -> None:
    entry = '{"MESSAGE":"NVRM: Xid (PCI:0000:1a:00): 79, pid=1, GPU has fallen off the bus.","_HOSTNAME":"n7"}'
    verdict = triage_text(entry, catalogue).verdict
    assert (verdict.nodes, verdict.gpus) == (("n7",), ("0000:1a:00",))
