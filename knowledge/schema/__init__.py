"""One pydantic record per kind of catalogue entry; ``KINDS`` maps a kind's name to its record.

A quantity's name ends in its unit. GB is 1e9 bytes and GiB 2**30. A ``Cited`` value of None means unknown.
"""

from __future__ import annotations

from collections.abc import Mapping

from knowledge.evidence import Source
from knowledge.schema.base import UNKNOWN, Count, Entry, Finite, Named, Positive, Share, Stated, Tally, cited_fields
from knowledge.schema.calibration import Residual, ServingCalibration
from knowledge.schema.claim import Claim, Term
from knowledge.schema.engine import Engine, EngineEra
from knowledge.schema.hardware import Accelerator, MigProfile, Nic, Optic, Server, Switch
from knowledge.schema.model import Model
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
from knowledge.schema.reference import City, Country, Facility, Formula, Refused, StorageSystem
from knowledge.schema.workload import Range, Throughput, TokenLengths, Workload

KINDS: Mapping[str, type[Entry] | type[Source]] = {
    "accelerators": Accelerator,
    "servers": Server,
    "switches": Switch,
    "optics": Optic,
    "nics": Nic,
    "storage": StorageSystem,
    "facilities": Facility,
    "countries": Country,
    "models": Model,
    "xids": Xid,
    "sxids": Sxid,
    "nvlink_codes": NvlinkCode,
    "nvlink_registers": NvlinkRegister,
    "failure_modes": FailureMode,
    "log_patterns": LogPattern,
    "log_programs": LogProgram,
    "metrics": Metric,
    "alert_rules": AlertRule,
    "settings": Setting,
    "incident_questions": IncidentQuestion,
    "panels": Panel,
    "maintenance": MaintenanceTask,
    "engines": Engine,
    "serving_calibrations": ServingCalibration,
    "cooling": CoolingMethod,
    "busbw": BusBandwidth,
    "prices": Price,
    "workloads": Workload,
    "throughputs": Throughput,
    "formulas": Formula,
    "refused": Refused,
    "claims": Claim,
    "terms": Term,
    "sources": Source,
}

__all__ = [
    "KINDS",
    "UNKNOWN",
    "Accelerator",
    "AlertRule",
    "BusBandwidth",
    "City",
    "Claim",
    "CoolingMethod",
    "Count",
    "Country",
    "Engine",
    "EngineEra",
    "Entry",
    "Facility",
    "FailureMode",
    "Finite",
    "Formula",
    "IncidentQuestion",
    "LogPattern",
    "LogProgram",
    "MaintenanceTask",
    "Metric",
    "MigProfile",
    "Model",
    "Named",
    "Nic",
    "NvlinkCode",
    "NvlinkRegister",
    "Optic",
    "Panel",
    "Positive",
    "Price",
    "Range",
    "Refused",
    "Residual",
    "Server",
    "ServingCalibration",
    "Setting",
    "Share",
    "Source",
    "Stated",
    "StorageSystem",
    "Switch",
    "Sxid",
    "Tally",
    "Term",
    "Throughput",
    "TokenLengths",
    "Workload",
    "Xid",
    "cited_fields",
]
