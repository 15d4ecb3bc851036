"""Records of driver and switch error codes."""

from __future__ import annotations

from typing import Literal

from knowledge.schema.base import Count, Entry


class Xid(Entry):
    """One Xid of NVIDIA's driver.

    ``description`` is the vendor's short name, ``meaning`` ours. The two buckets are the vendor's words for what to do
    at once and what to look into after; ``immediate_action`` says the first in plain form. ``xid154_linkage`` is the
    driver release from which Xid 154 follows with the recovery to take. ``applies_to`` is empty where the vendor's
    table names no architecture. ``cause_tags`` are Meta gcm's; ``in_azure_fail_list`` is Azure's node check.
    """

    code: Count
    mnemonic: str | None = None
    description: str
    meaning: str | None = None
    status: Literal["active", "unused_or_legacy"] = "active"
    applies_to: tuple[str, ...] = ()
    immediate_bucket: str | None = None
    immediate_action: str | None = None
    investigatory_bucket: str | None = None
    xid154_linkage: str | None = None
    cause_tags: tuple[str, ...] = ()
    in_azure_fail_list: bool | None = None
    note: str | None = None
    sources: tuple[str, ...]


class Sxid(Entry):
    """One SXid of an NVSwitch.

    ``group`` is the fabric manager guide's class, ``recovery`` what it advises; ``repair_actions`` are gpud's.
    """

    code: Count
    description: str
    group: Literal["always_fatal", "fatal_port_scope", "non_fatal", "other_notable"]
    recovery: str | None = None
    repair_actions: tuple[str, ...] = ()
    note: str | None = None
    sources: tuple[str, ...]
