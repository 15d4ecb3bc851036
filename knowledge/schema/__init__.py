"""One pydantic record per kind of catalogue entry; ``KINDS`` maps a kind's name to its record.

A quantity's name ends in its unit. GB is 1e9 bytes and GiB 2**30. A ``Cited`` value of None means unknown.

A record costs half a millisecond to define, and most starts touch few kinds: each module is imported when one of its
records is first asked for, of ``KINDS`` or by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from knowledge.lazily import names_of

if TYPE_CHECKING:
    from knowledge.evidence import Source
    from knowledge.schema.accelerator import Accelerator, MigProfile
    from knowledge.schema.base import UNKNOWN, Count, Entry, Finite, Named, Positive, Share, Stated, Tally, cited_fields
    from knowledge.schema.calibration import Residual, ServingCalibration
    from knowledge.schema.claim import Claim, Term
    from knowledge.schema.engine import Engine, EngineEra
    from knowledge.schema.model import Model, VisionTower
    from knowledge.schema.network import Nic, Optic, Switch
    from knowledge.schema.operations import (
        AlertRule,
        FailureMode,
        IncidentQuestion,
        LogPattern,
        LogProgram,
        MaintenanceTask,
        Metric,
        NvlinkCode,
        NvlinkRegister,
        Panel,
        Setting,
        Sxid,
        Xid,
    )
    from knowledge.schema.physical import BusBandwidth, CoolingMethod, Price
    from knowledge.schema.provision import Instance, LeadTime, Licence, Population, ServiceNode
    from knowledge.schema.reference import City, Country, Facility, Formula, Refused, StorageSystem
    from knowledge.schema.server import Server
    from knowledge.schema.workload import Range, Throughput, TokenLengths, Workload

__getattr__ = names_of(
    __name__,
    {
        "knowledge.schema.accelerator": "Accelerator MigProfile",
        "knowledge.schema.base": "Count Entry Finite Named Positive Share Stated Tally UNKNOWN cited_fields",
        "knowledge.schema.calibration": "Residual ServingCalibration",
        "knowledge.schema.claim": "Claim Term",
        "knowledge.schema.engine": "Engine EngineEra",
        "knowledge.schema.model": "Model VisionTower",
        "knowledge.schema.network": "Nic Optic Switch",
        "knowledge.schema.operations": (
            "AlertRule FailureMode IncidentQuestion LogPattern LogProgram MaintenanceTask Metric NvlinkCode "
            "NvlinkRegister Panel Setting Sxid Xid"
        ),
        "knowledge.schema.physical": "BusBandwidth CoolingMethod Price",
        "knowledge.schema.provision": "Instance LeadTime Licence Population ServiceNode",
        "knowledge.schema.reference": "City Country Facility Formula Refused StorageSystem",
        "knowledge.schema.server": "Server",
        "knowledge.schema.workload": "Range Throughput TokenLengths Workload",
        "knowledge.evidence": "Source",
    },
)


class _Kinds(Mapping[str, "type[Entry] | type[Source]"]):
    """Kind -> record."""

    def __init__(self, records: Mapping[str, str]) -> None:
        self._records = records

    def __getitem__(self, kind: str) -> type[Entry] | type[Source]:
        record: type[Entry] | type[Source] = __getattr__(self._records[kind])
        return record

    def __contains__(self, kind: object) -> bool:
        return kind in self._records

    def __iter__(self) -> Iterator[str]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)


KINDS = _Kinds(
    {
        "accelerators": "Accelerator",
        "servers": "Server",
        "switches": "Switch",
        "optics": "Optic",
        "nics": "Nic",
        "storage": "StorageSystem",
        "facilities": "Facility",
        "countries": "Country",
        "models": "Model",
        "vision_towers": "VisionTower",
        "xids": "Xid",
        "sxids": "Sxid",
        "nvlink_codes": "NvlinkCode",
        "nvlink_registers": "NvlinkRegister",
        "failure_modes": "FailureMode",
        "log_patterns": "LogPattern",
        "log_programs": "LogProgram",
        "metrics": "Metric",
        "alert_rules": "AlertRule",
        "settings": "Setting",
        "incident_questions": "IncidentQuestion",
        "panels": "Panel",
        "maintenance": "MaintenanceTask",
        "engines": "Engine",
        "serving_calibrations": "ServingCalibration",
        "cooling": "CoolingMethod",
        "busbw": "BusBandwidth",
        "prices": "Price",
        "instances": "Instance",
        "licences": "Licence",
        "service_nodes": "ServiceNode",
        "lead_times": "LeadTime",
        "populations": "Population",
        "workloads": "Workload",
        "throughputs": "Throughput",
        "formulas": "Formula",
        "refused": "Refused",
        "claims": "Claim",
        "terms": "Term",
        "sources": "Source",
    }
)
"""The kinds whose entries people call by several names (their record is a ``Named``)."""
