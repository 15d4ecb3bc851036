"""Several lines together: causes before consequences, the node at fault, the application told from hardware."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.operations.triage.diagnose import triage_files, triage_text
from knowledge.catalogue import Catalogue, load_catalogue
from knowledge.schema.operations import FailureMode, LogPattern

LOST = "kernel: NVRM: Xid (PCI:0000:1a:00): 79, pid=1, name=x, GPU has fallen off the bus."
AER = "kernel: pcieport 0000:17:01.0: AER: Uncorrected (Fatal) error received: 0000:18:00.0"
WATCHDOG = (
    "[rank3]:[E ProcessGroupNCCL.cpp:607] [Rank 3] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=9001, OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600029 milliseconds before timing out."
)


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue()


def test_aer_then_lost_gpu_then_time_out_are_one_story(catalogue: Catalogue) -> None:
    text = "\n".join(
        (
            f"Nov 29 12:10:00 node7 trainer: {WATCHDOG}",
            f"Nov 29 12:00:01 node7 {LOST}",
            f"Nov 29 12:00:00 node7 {AER}",
        )
    )
    result = triage_text(text, catalogue)
    assert [f.mode for f in result.findings] == ["pcie_uncorrected", "gpu_lost", "collective_missing_rank"]
    assert [f.because_of for f in result.findings] == [None, "aer_uncorrected", "aer_uncorrected"]
    assert result.verdict.action == "drain_and_repair"
    assert result.verdict.nodes == ("node7",)


def test_what_comes_after_is_no_cause(catalogue: Catalogue) -> None:
    text = f"Nov 29 12:00:00 node7 {LOST}\nNov 29 13:00:00 node7 {AER}"
    lost = next(f for f in triage_text(text, catalogue).findings if f.mode == "gpu_lost")
    assert lost.because_of is None


def test_a_gpu_lost_twice_goes_to_repair(catalogue: Catalogue) -> None:
    once = f"Nov 29 12:00:00 node7 {LOST}"
    again = f"{once}\nNov 29 18:00:00 node7 {LOST}"
    assert triage_text(once, catalogue).verdict.action == "reboot_node"
    assert triage_text(again, catalogue).verdict.action == "drain_and_repair"


def test_the_node_at_fault_is_found_among_many(tmp_path: Path, catalogue: Catalogue) -> None:
    paths = []
    for number in range(8):
        path = tmp_path / f"gpu{number:02d}.log"
        lines = [f"2026-11-29 12:10:0{number} {WATCHDOG}".replace("ank3", f"ank{number}")]
        if number == 5:
            lines.insert(0, "2026-11-29 12:00:00 NVRM: Xid (PCI:0000:3b:00): 119, pid=9, name=python, Timeout after 6s")
        path.write_text("\n".join(lines), encoding="utf-8")
        paths.append(str(path))
    verdict = triage_files(paths, catalogue).verdict
    assert (verdict.category, verdict.nodes, verdict.gpus) == ("gsp_firmware", ("gpu05",), ("0000:3b:00",))


def test_the_one_that_does_not_complain_is_suspected(tmp_path: Path, catalogue: Catalogue) -> None:
    paths = []
    for number in range(8):
        path = tmp_path / f"gpu{number:02d}.log"
        path.write_text("" if number == 2 else WATCHDOG, encoding="utf-8")
        paths.append(str(path))
    assert triage_files(paths, catalogue).verdict.nodes == ("gpu02",)


def test_one_place_of_one_gpu_again_and_again_is_the_gpu(catalogue: Catalogue) -> None:
    line = (
        "NVRM: Xid (PCI:0000:1a:00): 13, pid={}, name=python, Graphics SM Warp Exception on (GPC 1, TPC 1, SM 1): Out"
    )
    apart = f"Nov 29 12:00:00 n1 kernel: {line.format(5)}\nNov 29 15:00:00 n1 kernel: {line.format(77)}"
    burst = f"Nov 29 12:00:00 n1 kernel: {line.format(5)}\nNov 29 12:00:00 n1 kernel: {line.format(5)} x"
    assert triage_text(apart, catalogue).verdict.at_fault == "hardware"
    assert triage_text(burst, catalogue).verdict.category == "app_fault"


@pytest.mark.parametrize(
    ("text", "mode", "action"),
    [
        # NVIDIA's Xid catalogue: the text of 154 decides; bits 0, 23, 30 of Xid 74 are ignored, 8 and 9 reseat.
        ("Xid (PCI:0000:1a:00): 154, changed from 0x1 (Reset) to 0x0 (None)", "driver_recovery_none", "ignore"),
        ("Xid (PCI:0000:1a:00): 154, from 0x0 (None) to 0x3 (Drain P2P)", "driver_recovery_drain", "drain_and_reset"),
        ("Xid (PCI:0000:1a:00): 74, NVLink: fatal error detected on link 6(0x1, 0x0, 0x0)", "nvlink_minor", "ignore"),
        ("Xid (PCI:0000:1a:00): 74, NVLink: error on link 6(0x300, 0x0, 0x0)", "nvlink_fault", "drain_and_repair"),
        ("Xid (PCI:0000:1a:00): 94, pid=4, Contained: CE User Channel", "gpu_memory_contained", "restart_app"),
        ("Xid (PCI:0000:1a:00): 48, pid=4, DBE", "gpu_memory_uncorrectable", "drain_and_reset"),
        ("Xid (PCI:0000:1a:00): 144, SAW_MVB Nonfatal XC0 i0 Link 0", "nvlink_minor", "investigate"),
        # The Fabric Manager guide: a minion halt is always fatal and needs the host restarted.
        ("nvidia-nvswitch0: SXid (PCI:0000:0a:00.0): 22003, Fatal, Minion Halt", "nvswitch_fault", "reboot_node"),
    ],
)  # fmt: skip
def test_payloads_are_read(text: str, mode: str, action: str, catalogue: Catalogue) -> None:
    finding = triage_text(f"NVRM: {text}", catalogue).findings[0]
    assert (finding.mode, finding.action) == (mode, action)


def test_xid_13_is_the_application_and_the_contrary_opinion_is_shown(catalogue: Catalogue) -> None:
    finding = triage_text("NVRM: Xid (PCI:0000:1a:00): 13, Graphics Exception: ESR 0x52e7b0", catalogue).findings[0]
    assert (finding.category, finding.at_fault) == ("app_fault", "application")
    assert any("pending memory error" in opinion.says for opinion in finding.disagreements)
    assert finding.we_follow is not None


def test_gid_index_is_said_to_concern_roce_alone(catalogue: Catalogue) -> None:
    finding = triage_text(
        "NCCL WARN NET/IB : Got completion with error 12, opcode 1, len 0, vendor err 129", catalogue
    ).findings[0]
    assert any("NCCL_IB_GID_INDEX" in step and "RoCE" in step for step in finding.fix)


def test_flight_recorder_is_named_anew(catalogue: Catalogue) -> None:
    finding = triage_text(WATCHDOG, catalogue).findings[0]
    assert any("TORCH_FR_BUFFER_SIZE" in step for step in finding.fix)


def test_bus_bandwidth_is_held_against_published_figures(catalogue: Catalogue) -> None:
    devices = [
        f"#  Rank {n:2d} Group  0 Pid 42 on node{n // 8} device {n % 8} [0x1b] NVIDIA H100 80GB HBM3" for n in range(16)
    ]
    row = "  8589934592    2147483648     float     sum      -1   400000   21.4   {}      0   400000   21.4   {}      0"
    slow = triage_text("\n".join([*devices, row.format("40.2", "40.1")]), catalogue)
    good = triage_text("\n".join([*devices, row.format("389.0", "389.0")]), catalogue)
    wrong = triage_text(row.format("389.0", "389.0").replace("389.0      0", "389.0      7", 1), catalogue)
    assert [f.mode for f in slow.findings] == ["bandwidth_low"]
    assert good.findings == ()
    assert [f.mode for f in wrong.findings] == ["silent_corruption"]


def test_every_pattern_and_consequence_names_a_mode_that_exists(catalogue: Catalogue) -> None:
    modes: dict[str, FailureMode] = dict(catalogue.entries("failure_modes"))
    patterns: dict[str, LogPattern] = dict(catalogue.entries("log_patterns"))
    assert {p.mode for p in patterns.values() if p.mode} <= set(modes)
    assert {name for mode in modes.values() for name in mode.explains} <= set(modes)
    assert len(modes) >= 25


def test_every_xid_in_use_has_exactly_one_mode_or_asks_support(catalogue: Catalogue) -> None:
    codes = [code for mode in catalogue.entries("failure_modes").values() for code in mode.xids]
    assert len(codes) == len(set(codes))
    codes += [code for mode in catalogue.entries("failure_modes").values() for code in mode.closed_by_xids]
    unassigned = {x.code for x in catalogue.entries("xids").values() if x.status == "active"} - set(codes)
    assert unassigned == set()
