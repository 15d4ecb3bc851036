"""What the registers of an NVLink Xid say: Xid 74 up to the fourth generation, Xid 144 to 150 for the fifth."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from knowledge.schema.operations import NvlinkCode, NvlinkRegister

_HEX = r"0x[0-9a-fA-F]{1,8}"
_REGISTERS = re.compile(rf"\(({_HEX}(?:,? +{_HEX})+)\)")
_UNIT = re.compile(r"\b([A-Z]{3,5}(?:_[A-Z0-9_/]+)?)\s+(?:(?:Link )?Fatal|Non-?fatal)", re.IGNORECASE)
_LINK = re.compile(r"\blink (\d{1,2})\b", re.IGNORECASE)
_NONFATAL = re.compile(r"\bnon-?fatal\b", re.IGNORECASE)


class Reading(NamedTuple):
    """The failure mode that a line shows, what it asks for where that differs from the mode's, and why.

    ``link`` is set where the same bits on the same link would be a reason to return the part.
    """

    mode: str
    action: str | None = None
    note: str | None = None
    link: str | None = None


def registers(text: str) -> tuple[int, ...]:
    """The 32-bit registers in brackets at the end of the line, from the first; none where there are none."""
    found = _REGISTERS.search(text)
    return tuple(int(word, 16) for word in re.findall(_HEX, found.group(1))) if found else ()


def read_xid74(text: str, known: Sequence[NvlinkRegister]) -> Reading:
    """Xid 74 by the bits of its registers: what may be ignored, what is to be reseated, what counts when it returns."""
    values = registers(text)
    set_bits = {(n, bit) for n, value in enumerate(values, 1) for bit in range(32) if value >> bit & 1}
    said = [entry for entry in known if set_bits & {(entry.number, bit) for bit in entry.bits}]
    if not set_bits or not said:
        return Reading("nvlink_fault")
    note = "; ".join(f"register {entry.number} bit {_bits(entry, set_bits)}: {entry.means}" for entry in said)
    covered = {(entry.number, bit) for entry in said for bit in entry.bits}
    verdicts = {entry.verdict for entry in said} | ({"support"} if set_bits - covered else set())
    if verdicts <= {"ignore", "watch"}:
        return Reading("nvlink_minor", "ignore" if verdicts == {"ignore"} else "investigate", note)
    link = _LINK.search(text)
    return Reading(
        "nvlink_fault",
        "drain_and_repair" if "reseat" in verdicts else None,
        note,
        link.group(1) if link and "fault" in verdicts else None,
    )


def _bits(entry: NvlinkRegister, set_bits: Iterable[tuple[int, int]]) -> str:
    return ", ".join(str(bit) for number, bit in sorted(set_bits) if number == entry.number and bit in entry.bits)


def read_nvlink5(xid: int, text: str, known: Sequence[NvlinkCode]) -> Reading:
    """Xid 144 to 150 by unit, intrInfo and errorStatus; without a code that fits, by the line's own severity."""
    code = _code(xid, text, known)
    if code is None:
        return Reading("nvlink_minor" if _NONFATAL.search(text) else "nvlink5_fault")
    then = f"; then {code.then}" if code.then else ""
    drops = "; reset the GPU where packets are lost" if code.when_packets_are_lost else ""
    note = (
        f"{code.unit}, errorStatus {code.error_status:#x}: {code.severity.replace('_', ' ')}, from "
        f"{code.origin.replace('_', ' ')}; {code.effect}. NVIDIA: {code.immediate.replace('_', ' ')}{then}{drops}"
    )
    if code.severity != "non_fatal":
        return Reading("nvlink5_fault", None, note)
    quiet = code.immediate == "ignore" and code.then is None
    return Reading("nvlink_minor", "ignore" if quiet else "investigate", note)


def _code(xid: int, text: str, known: Sequence[NvlinkCode]) -> NvlinkCode | None:
    """The code whose first register fits; of several the one with the line's unit, and of those the gravest."""
    values = registers(text)
    if len(values) < 2:
        return None
    unit = found.group(1).upper() if (found := _UNIT.search(text)) else ""
    fits = [
        code
        for code in known
        if code.xid == xid
        and any(_matches(pattern, values[0]) for pattern in code.intr_info)
        and _status_fits(code, values[1])
    ]
    named = [code for code in fits if unit and (unit in code.unit.split("/") or code.unit.startswith(unit))]
    order = ("fatal", "link_fatal", "non_fatal")
    return min(named or fits, key=lambda code: order.index(code.severity), default=None)


def _matches(pattern: str, value: int) -> bool:
    return all(wanted in ("-", got) for wanted, got in zip(pattern, f"{value:032b}", strict=True))


def _status_fits(code: NvlinkCode, status: int) -> bool:
    """Link events number their status, the other units set one bit a cause."""
    if code.unit.startswith("NETIR") or code.error_status == 0:
        return status == code.error_status
    return bool(status & code.error_status)
