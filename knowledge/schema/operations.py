"""Records of driver and switch error codes."""

from __future__ import annotations

from knowledge.schema.base import Count, Entry


class Xid(Entry):
    """One NVIDIA driver Xid as the vendor's catalogue and public tools describe it."""

    code: Count
    mnemonic: str | None = None
    description: str
    status: str | None = None
    applies_to: str | None = None
    immediate_bucket: str | None = None
    immediate_action: str | None = None
    investigatory_bucket: str | None = None
    xid154_linkage: str | None = None
    likely_cause: str | None = None
    cause_tags: tuple[str, ...] = ()
    note: str | None = None
    sources: tuple[str, ...]


class Sxid(Entry):
    """One NVSwitch SXid; ``group`` is fatal, non_fatal and so on."""

    code: Count
    description: str
    group: str | None = None
    recovery: str | None = None
    repair_actions: tuple[str, ...] = ()
    note: str | None = None
    sources: tuple[str, ...]
