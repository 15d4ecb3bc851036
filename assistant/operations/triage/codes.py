"""Xids and SXids in a line, with what their payload says."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.operations.triage.lines import gpu_of, pci_address
from assistant.operations.triage.nvlink import read_nvlink5, read_xid74
from assistant.operations.triage.patterns import Patterns
from assistant.operations.triage.sightings import Hit

_XID = re.compile(r"\bXid\s*\((?:PCI:)?([0-9a-fA-F:.]+)\)\s*:\s*(\d{1,3})\b(?:,\s*)?(.*)")
_SXID = re.compile(r"\bSXid\s*\((?:PCI:)?([0-9a-fA-F:.]+)\)\s*:\s*(\d{4,6})\b(?:,\s*)?(.*)", re.IGNORECASE)
_SXID_TOLD = re.compile(
    r"\bSXid[ _a-z]{0,12}[:=#( ]*\s*(\d{5})\b(.*)|NVSwitch (?:non-)?fatal error (\d{5})\b(.*)", re.I
)
_XID_TOLD = re.compile(
    r"(?<![S\w])(?:Xid|XID)s?(?:\s+(?:errors?|codes?|event))?\s*[:=#(\"]*\s*(\d{1,3})\b(?![.:]\d)(.*)"
    r"|XID_ERRORS?\b\S*.*?\s(\d{1,3})(?:\.0)?\s*$()"
    r"|(?:gpu|GPU|nvidia|NVIDIA).*?\bxid\"?\s*[=:]?\s*\"?(\d{1,3})\b(?![.:]\d)(.*)"
)
_ABOUT_MONITORS = re.compile(
    r"\b(stale|old (?:syslog|log|lines?|entr)\w*|false (?:positive|alarm|alert)s?|no condition"
    r"|not (?:detected|raised|seen|exported|reported|reset)|missed|blind|never cleared|re-?reported"
    r"|(?:stays?|keeps?|still) .{0,20}(?:drained|unhealthy|flagged|cordoned))\b",
    re.IGNORECASE,
)
"""What people say of a monitor that is wrong about an Xid, not of the GPU."""

_PREVIOUS = re.compile(r"caused by previous Xid (\d{1,3})", re.IGNORECASE)
_LOCATION = re.compile(r"GPC (\d+), TPC (\d+)")
_PID = re.compile(r"\bpid=(\d+)")
_NONFATAL = re.compile(r"\bnon-?fatal\b", re.IGNORECASE)
_FATAL = re.compile(r"\bfatal\b", re.IGNORECASE)

_RECOVERIES = (
    ("reboot", "driver_recovery_reboot"),
    ("drain p2p", "driver_recovery_drain"),
    ("reset", "driver_recovery_reset"),
)


def read_codes(text: str, patterns: Patterns) -> list[Hit]:
    """The Xids and SXids of a line; none where it holds no code."""
    switch = "sxid" in text.lower() or "NVSwitch" in text
    if switch and (found := _SXID.search(text)):
        if found.group(3).startswith("Data {"):
            return []  # registers of the line before
        return [_sxid_hit(int(found.group(2)), found.group(3), pci_address(found.group(1)), patterns)]
    if switch and (found := _SXID_TOLD.search(text)):
        code = int(found.group(1) or found.group(3))
        return [_sxid_hit(code, text, gpu_of(text), patterns)]
    if found := _XID.search(text):
        gpu = pci_address(found.group(1) + ".0") or found.group(1)
        return list(_xid_hits(int(found.group(2)), found.group(3), gpu, patterns))
    if found := _XID_TOLD.search(text):
        number, rest = next((n, r) for n, r in zip(found.groups()[::2], found.groups()[1::2], strict=True) if n)
        if _ABOUT_MONITORS.search(text):
            return [Hit("monitor_stalled", "other", "monitor", gpu_of(text))]
        if int(number) in patterns.xids:
            return list(_xid_hits(int(number), rest or "", gpu_of(text), patterns))
    return []


def _sxid_hit(code: int, rest: str, gpu: str | None, patterns: Patterns) -> Hit:
    entry = patterns.sxids.get(code)
    group = entry.group if entry else None
    fatal = bool(_FATAL.search(_NONFATAL.sub("", rest))) and not _NONFATAL.search(rest)
    if _NONFATAL.search(rest) or re.search(r"\bSeverity 0\b", rest):
        fatal = False
    elif group in ("fatal_port_scope", "always_fatal"):
        fatal = True
    if code in patterns.closing_sxids:
        return Hit(patterns.closing_sxids[code], "sxid", str(code), gpu, note=_sxid_note(entry), closes=True)
    if code in patterns.modes["gpu_thermal"].sxids:
        return Hit("gpu_thermal", "sxid", str(code), gpu, note=_sxid_note(entry))
    mode = "nvswitch_fault" if fatal else "nvswitch_nonfatal"
    action = "reboot_node" if fatal and group == "always_fatal" else None
    return Hit(mode, "sxid", str(code), gpu, action, _sxid_note(entry))


def _sxid_note(entry: object) -> str | None:
    description, recovery = getattr(entry, "description", None), getattr(entry, "recovery", None)
    return f"{description}: {recovery}" if description and recovery else description


def _xid_hits(code: int, rest: str, gpu: str | None, patterns: Patterns) -> Iterator[Hit]:
    previous = _PREVIOUS.search(rest) if "previous" in rest else None
    if previous:
        yield from _xid_hits(int(previous.group(1)), "", gpu, patterns)
    if code in patterns.closing_xids:
        yield Hit(patterns.closing_xids[code], "xid", str(code), gpu, note=patterns.meanings.get(code), closes=True)
        return
    mode, action = patterns.mode_of_xid.get(code, "xid_other"), None
    if code == 154:
        mode = _recovery(rest)
    note = patterns.meanings.get(code)
    details = tuple(("place", f"{g}/{t}") for g, t in _LOCATION.findall(rest)) if "GPC" in rest else ()
    if code == 74 or 144 <= code <= 150:
        reading = read_xid74(rest, patterns.registers) if code == 74 else read_nvlink5(code, rest, patterns.sub_codes)
        mode, action, note = reading.mode, reading.action, reading.note or note
        details = (("link", reading.link),) if reading.link else ()
    pid = _PID.search(rest) if details else None
    yield Hit(mode, "xid", str(code), gpu, action, note, details, pid.group(1) if pid else None)


def _recovery(rest: str) -> str:
    """The failure mode that the text of Xid 154 names; what it changed to counts."""
    target = rest.lower().rpartition(" to ")[2] or rest.lower()
    return next((mode for words, mode in _RECOVERIES if words in target), "driver_recovery_none")
