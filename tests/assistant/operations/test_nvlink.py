"""Registers of NVLink Xids, decoded by NVIDIA's Xid catalogue."""

from __future__ import annotations

import pytest

from assistant.operations.triage.diagnose import triage_text
from assistant.operations.triage.nvlink import registers
from knowledge.catalogue import Catalogue, load_catalogue


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue()


def test_the_table_is_whole(catalogue: Catalogue) -> None:
    codes = catalogue.entries("nvlink_codes").values()
    assert len(codes) == 94  # rows of the decode table
    assert {code.xid for code in codes} == set(range(144, 151))


def test_registers_are_read_with_and_without_commas() -> None:
    assert registers("link 14(0x0, 0x0, 0x10000, 0x0)") == (0, 0, 0x10000, 0)
    assert registers("Link 13 (0x0409a0c2 0x00000008 0x00000001)") == (0x0409A0C2, 8, 1)
    assert registers("Xid 74") == ()


FATAL, MINOR, FAULT = "nvlink5_fault", "nvlink_minor", "nvlink_fault"
"""Modes: fatal and other errors of the fifth generation, and Xid 74."""


@pytest.mark.parametrize(
    ("line", "mode", "action", "words"),
    [
        # gpud 1160: 144 with status 0x8 is not fatal; Xid 48 here, and the other end may see 94.
        ("144, SAW_MVB Nonfatal XC0 i0 Link 0 (0x1 0x8 0x0 0x0)", MINOR, "investigate", "Xid 48 here"),
        # Bits 20 to 25 of 0x025001c6 are 37: the other end of the link is the source; 40 is the host's.
        ("149, NETIR_LINK_EVT Fatal XC0 i0 Link 00 (0x025001c6 0x0 0x0 0x0)", FATAL, "reboot_node", "other end"),
        ("149, NETIR_LINK_EVT Fatal XC0 i0 Link 00 (0x028001c6 0x0 0x0 0x0)", FATAL, "reboot_node", "the host"),
        ("145, RLW_REMAP Nonfatal XC0 i0 Link 00 (0x4 0x00000100 0x0 0x0)", MINOR, "ignore", "nothing is lost"),
        ("145, RLW_REMAP Fatal XC0 i0 Link 00 (0x4 0x00000040 0x0 0x0)", FATAL, "reboot_node", "Xid 48"),
        ("145, RLW_RXPIPE Nonfatal XC0 i0 Link 13 (0x0409a0c2 0x8 0x1 0x0)", MINOR, "investigate", "RLW_RXPIPE"),
        ("149, NETIR_BER_EVENT Nonfatal XC0 i0 Link 00 (0x13 0x1 0x0 0x0)", MINOR, "investigate", "cables"),
        ("150, MSE_WATCHDOG Fatal XC0 i0 Link 00 (0x0 0x0 0x0 0x0)", FATAL, "reboot_node", "MSE_WATCHDOG"),
        # Registers that no row knows: the line's own word counts.
        ("147, TREX Nonfatal XC0 i0 Link 00 (0xffffffff 0x2 0x0 0x0)", MINOR, "investigate", ""),
        # Xid 74, the workflow's registers: third register bit 16, fifth bit 20, fourth bit 18, first bits 21, 8 and 24.
        ("74, NVLink: error on link 14(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0)", FAULT, "drain_and_reset", "bit 16"),
        ("74, NVLink: error on link 3(0x0, 0x0, 0x0, 0x0, 0x100000, 0x0)", MINOR, "investigate", "nothing was lost"),
        ("74, NVLink: error on link 3(0x0, 0x0, 0x0, 0x40000, 0x0, 0x0)", FAULT, "drain_and_reset", "fabric"),
        ("74, NVLink: error on link 3(0x200000, 0x0, 0x0, 0x0, 0x0, 0x0)", FAULT, "drain_and_reset", "marginal"),
        ("74, NVLink: error on link 3(0x1000100, 0x0, 0x0, 0x0, 0x0, 0x0)", FAULT, "drain_and_repair", "reseat"),
    ],
)
def test_sub_codes_decide(line: str, mode: str, action: str, words: str, catalogue: Catalogue) -> None:
    finding = triage_text(f"NVRM: Xid (PCI:0000:1a:00): {line}", catalogue).findings[0]
    assert (finding.mode, finding.action) == (mode, action)
    assert words in " ".join(finding.notes)


def test_one_link_more_than_twice_is_the_part(catalogue: Catalogue) -> None:
    line = "NVRM: Xid (PCI:0000:1a:00): 74, NVLink: error on link {}(0x10, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)"
    twice = "\n".join(line.format(link) for link in (3, 3, 5, 5))
    assert triage_text(twice, catalogue).verdict.action == "drain_and_reset"
    assert triage_text(f"{twice}\n{line.format(5)} again", catalogue).verdict.action == "drain_and_repair"
