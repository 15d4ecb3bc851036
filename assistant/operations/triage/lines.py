"""What every line of a log may say beside its message: when, on which node, about which GPU."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import NamedTuple

MAX_CHARS = 1200
"""Longer lines are cut: no message of interest is longer, and a hostile one would cost time."""

_ANSI = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-_])")
_ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?")
_SYSLOG = re.compile(
    r"\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}(\d{1,2}) (\d\d):(\d\d):(\d\d)(?:\.(\d+))?"
)
_GLOG = re.compile(r"\b[IWEF](\d\d)(\d\d) (\d\d):(\d\d):(\d\d)\.(\d+)")
_UPTIME = re.compile(r"\[ *(\d{1,9}\.\d{3,9})\]")
_MONTHS = {
    name: n
    for n, name in enumerate(("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"), 1)
}
_YEARLESS = 2000

_SYSLOG_HOST = re.compile(
    r"^(?:<\d+>)?(?:\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?|[A-Z][a-z]{2} {1,2}\d{1,2} [\d:.]+) "
    r"([A-Za-z0-9][\w.-]{0,62}) (?:kernel|[A-Za-z][\w./()-]{0,40}(?:\[\d+\])?):"
)
_NCCL_HOST = re.compile(r"(?:^|[\s)|])([A-Za-z][\w.-]{0,62}):\d+:\d+ \[\d+\] ")
_UCX_HOST = re.compile(r"^\[\d+\.\d+\] \[([A-Za-z][\w.-]{0,62}):\d+(?::\d+)?\]|^\[([A-Za-z][\w.-]{0,62}):\d+\] ")
_PREFIX_HOST = re.compile(r"^(?:\[?\d+\]? ?)?([A-Za-z][\w-]*\d[\w.-]*): +\S")
_JSON_HOST = re.compile(r"\"(?:host(?:name)?|_HOSTNAME|node(?:_?name)?|nodeName)\": ?\"([A-Za-z][\w.-]*)\"")
_NAMED_HOST = re.compile(r"\b(?:[Nn]odes?|host(?:name)?|NodeName)[ =:\"/]+([A-Za-z][\w-]*\d[\w.-]*)\b(?!:)")
_HOSTS = (_SYSLOG_HOST, _NCCL_HOST, _UCX_HOST, _PREFIX_HOST, _JSON_HOST, _NAMED_HOST)
_SURE_HOSTS = (_SYSLOG_HOST, _NCCL_HOST, _UCX_HOST, _JSON_HOST)
_NO_HOST = re.compile(
    r"(?:nvidia-nvswitch|mlx\d|nvme|amdgpu|gpu|cuda|ib|eth|en[pso]|bond|sd[a-z]|md|irq|hsn|rdma|roce|bnxt|ens|swp|port|rank"
    r"|tp|dp|ep|pp|cpu|link|xid|sxid|slot|fan|psu|dimm|core|step|epoch|iter|layer|v|line|stage|id|step)[\w]*\d*$"
    r"|[0-9a-f]{1,8}$|.*\.(?:py|cc|cpp|go|c|h|sh|log|conf|yaml)$|INFO|EngineCore\w*|kernel",
    re.IGNORECASE,
)
"""Names before a colon that are a device, a process or a source file, not a host."""
_PORT = re.compile(
    r"\b(mlx[45]_(?:bond_)?\d+)\b(?:[ /:](?:port )?(\d)\b)?|\b(ib\d+|ibp\w+|eth\d+|en[pso]\d\w*|bond\d+|rdma\d+"
    r"|roce\w*\d|hsn\d+|p\d+p\d+|swp\d+(?:s\d)?|Ethernet\d+(?:/\d+)*|efa_\d+|bnxt_re\d+|irdma\d+|nvme\d+(?:n\d+)?)\b"
)
_OTHER_DEVICE = re.compile(
    r"\b(?:mlx[45]_core|bnxt_en|ice|i40e|ixgbe|igb|efa|pcieport|pciehp|nvidia-nvswitch\d*|SXid|nvme|ahci|megaraid\w*)\b"
)
_PCI = re.compile(r"\b(?:([0-9a-fA-F]{4,8}):)?([0-9a-fA-F]{2}):([0-9a-fA-F]{2})(?:\.([0-7]))?\b")
_GPU_INDEX = re.compile(r"\b(?:gpu|GPU)[ =:#_\"]{0,3}(\d{1,2})\b")


class Moment(NamedTuple):
    """A time of a log line in seconds on one of its clocks; moments of different clocks do not compare."""

    clock: str
    seconds: float


def clean(raw: bytes) -> str:
    """One line as text: UTF-8 or replaced, without colours and control signs, cut to ``MAX_CHARS``."""
    text = raw[: 8 * MAX_CHARS].decode("utf-8", errors="replace")
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    text = text.replace("\0", "")[:MAX_CHARS].rstrip()
    return text if text.isprintable() else "".join(sign if sign.isprintable() else " " for sign in text)


def moment(text: str) -> Moment | None:
    """When the line was written, where it says so."""
    head = text[:200]
    try:
        if found := _ISO.search(head):
            *whole, part = found.groups()
            return Moment("wall", _seconds(*map(int, whole)) + float(f"0.{part or 0}"))
        if found := _SYSLOG.search(head):
            month, day, hour, minute, second, part = found.groups()
            return _yearless(_MONTHS[month], int(day), int(hour), int(minute), int(second), part)
        if found := _GLOG.search(head):
            month, day, hour, minute, second, part = found.groups()
            return _yearless(int(month), int(day), int(hour), int(minute), int(second), part)
    except (ValueError, OverflowError, OSError):
        return None
    found = _UPTIME.search(head)
    return Moment("uptime", float(found.group(1))) if found else None


def _seconds(year: int, month: int, day: int, hour: int, minute: int, second: int) -> float:
    return datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp()


def _yearless(month: int, day: int, hour: int, minute: int, second: int, part: str | None) -> Moment:
    at = _seconds(_YEARLESS, month, day, hour, minute, second)
    return Moment("yearless", at + float(f"0.{part or 0}"))


def node_of(text: str) -> str | None:
    """The host that wrote the line, or that it is about; an address, device or file is none."""
    for pattern in _HOSTS:
        if found := pattern.search(text):
            name = next(group for group in found.groups() if group)
            if pattern in _SURE_HOSTS or not _NO_HOST.match(name):
                return name
    return None


def pci_address(text: str) -> str | None:
    """``00000000:1A:00.0`` and its short forms as ``0000:1a:00``; times of day are none."""
    for found in _PCI.finditer(text):
        domain, bus, device, function = found.groups()
        if domain is None and function is None:
            continue
        return f"{(domain or '0000')[-4:]}:{bus}:{device}".lower()
    return None


def gpu_of(text: str) -> str | None:
    """The GPU or device that a line names: its PCI address, else its number on the node as ``gpu3``."""
    if address := pci_address(text):
        return address
    found = _GPU_INDEX.search(text) if "gpu" in text or "GPU" in text else None
    return f"gpu{found.group(1)}" if found else None


PORT, DEVICE = "port ", "device "
"""Before the name of what is no GPU."""


def subject_of(text: str, kind: str) -> str | None:
    """What a line is about, as people name it: a GPU, ``port mlx5_3/1``, or ``device 0000:17:01.0`` of another kind."""
    if kind in ("network", "thermal", "other", "nccl", "aer", "power") and (found := _PORT.search(text)):
        device, port, interface = found.groups()
        return PORT + (interface or (f"{device}/{port}" if port else device))
    if _OTHER_DEVICE.search(text) and (address := pci_address(text)):
        return DEVICE + address
    return gpu_of(text)
