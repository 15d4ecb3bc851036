"""Records of driver and switch error codes, of the ways in which clusters break, and of what shows them."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import Field, model_validator

from knowledge.evidence import Frozen
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


Category = Literal[
    "gpu_lost_bus",
    "thermal_power",
    "nvlink_nvswitch",
    "fabric_manager",
    "memory_uncorrectable",
    "memory_remap_pending",
    "gsp_firmware",
    "nic_or_pcie_hardware",
    "link_flap",
    "roce_lossless",
    "rdma_unreachable",
    "socket_interface",
    "gpudirect_off",
    "pcie_p2p_iommu",
    "host_limits",
    "collective_slow_rank",
    "collective_missing_rank",
    "amd_ras",
    "app_fault",
    "driver_recovery_action",
    "monitor_noise_or_gap",
    "other",
]
"""What is at fault, in the words of the public contract."""

Action = Literal[
    "ignore",
    "investigate",
    "restart_app",
    "fix_application",
    "restart_service",
    "fix_configuration",
    "update_software",
    "reset_gpu",
    "drain_and_reset",
    "reboot_node",
    "drain_and_repair",
    "contact_support",
]
"""What to do now, the mildest first: of two actions the later one is the safer."""

Part = Literal["nvswitch"]
"""Hardware that not every machine has."""

Scope = Literal["job", "gpu", "node", "fabric", "facility"]
Kind = Literal[
    "xid",
    "sxid",
    "aer",
    "ecc",
    "nvlink",
    "gsp",
    "fabric_manager",
    "amd_ras",
    "nccl",
    "pytorch",
    "cuda",
    "slurm",
    "kubernetes",
    "network",
    "thermal",
    "power",
    "other",
]


class NvlinkCode(Entry):
    """One sub-code of Xid 144 to 150: what the first two registers of the line say.

    ``intr_info`` are two patterns of the first register, of older and newer drivers: 32 bits, the highest first, ``-``
    for any. ``error_status`` is the second register. ``immediate`` is the vendor's bucket: ``by_xid_154`` leaves it to
    the Xid 154 that follows. ``then`` is what to look into after, ``effect`` what is lost at which end.
    """

    xid: Annotated[int, Field(ge=144, le=150)]
    unit: str
    intr_info: tuple[Annotated[str, Field(pattern=r"^[01-]{32}$")], Annotated[str, Field(pattern=r"^[01-]{32}$")]]
    error_status: Annotated[int, Field(ge=0, lt=2**32)]
    severity: Literal["fatal", "link_fatal", "non_fatal"]
    immediate: Literal["ignore", "reset_gpu", "by_xid_154"]
    when_packets_are_lost: Literal["reset_gpu"] | None = None
    then: str | None = None
    origin: Literal["hardware", "software", "hardware_or_software", "firmware", "none"]
    effect: str
    sources: tuple[str, ...]


class NvlinkRegister(Entry):
    """What bits of one register of an Xid 74 say; ``number`` counts from 1, bits from the lowest.

    ``again`` is what to do where the bits come again on one link, or stand alone.
    """

    number: Annotated[int, Field(ge=1, le=7)]
    bits: Annotated[tuple[Annotated[int, Field(ge=0, le=31)], ...], Field(min_length=1)]
    verdict: Literal["ignore", "watch", "consequence", "marginal", "fault", "reseat", "support"]
    again: Action | None = None
    means: str
    sources: tuple[str, ...]


class OperationsCheck(Frozen):
    """One command, what it should say, and what is ruled out when it does."""

    command: str
    expected: str
    rules_out: str | None = None


class Opinion(Frozen):
    """What somebody else advises for the same symptom."""

    who: str
    says: str
    sources: tuple[str, ...] = ()


class FailureMode(Entry):
    """One way in which a cluster breaks: what it means, what to do now, what to check in which order, on whose word.

    ``depth`` is its place in the chain of causes (0 the building, 9 the job); ``explains`` names the modes that follow
    from it. ``xids`` and ``sxids`` are the codes it stands for, ``closed_by_...`` those that
    say that it ended. ``symptoms`` are regular expressions over what people
    say when they have no log. ``disagreements`` are other operators' advice; ``side`` says whom we follow and why.
    ``part`` is hardware that must be there; ``without_part`` names the mode that holds where a log shows that it is
    not.
    """

    name: str
    category: Category
    action: Action
    scope: Scope
    at_fault: Literal["application", "configuration", "hardware", "fabric", "facility", "monitoring", "undecided"]
    depth: Annotated[int, Field(ge=0, le=9)]
    meaning: str
    causes: tuple[str, ...]
    checks: tuple[OperationsCheck, ...]
    fix: tuple[str, ...]
    confirm: str
    return_when: str | None = None
    explains: tuple[str, ...] = ()
    xids: tuple[Count, ...] = ()
    sxids: tuple[Count, ...] = ()
    closed_by_xids: tuple[Count, ...] = ()
    closed_by_sxids: tuple[Count, ...] = ()
    symptoms: tuple[str, ...] = ()
    disagreements: tuple[Opinion, ...] = ()
    side: str | None = None
    part: Part | None = None
    without_part: str | None = None
    sources: tuple[str, ...]


class Recipient(Frozen):
    """What to collect of a program's trouble that nobody here knows, and who can read it."""

    what: str
    to: str


class LogProgram(Entry):
    """A program that writes logs, and how its lines are told.

    ``tags`` are the names by which syslog and the journal put its lines; ``match`` is a regular expression over a line
    that stands without such a name. A ``foreign`` program is none of the stack: nothing is looked for in its lines.
    ``send`` is for lines that look like faults and are not known.
    """

    tags: tuple[str, ...] = ()
    match: str | None = None
    foreign: bool = False
    send: Recipient | None = None

    @model_validator(mode="after")
    def _can_be_told(self) -> LogProgram:
        if not self.tags and self.match is None:
            raise ValueError("a program is told by tags or by an expression")
        re.compile(self.match or "")
        return self


class LogPattern(Entry):
    """A regular expression (case is ignored) over one line of a log, and the failure mode that it shows.

    ``hints`` are plain lower-case words of which a matching line holds one: they decide cheaply which lines are looked
    at. ``use`` says what a match is: a ``finding``; ``closes``, the end of what ``closes`` names; ``benign``, and then
    nothing else is looked for, ``harmless`` saying why where the line frightens people; a ``fault`` line that nothing
    explains, which is only counted; or ``context``, which names the GPU of the lines that follow, or a ``part`` that
    the machine has or ``lacks``.

    ``programs`` are those whose lines may match (empty: any of the stack). Lines that say of themselves that they
    inform or debug match only where ``informs``: some faults are told at that level.
    """

    use: Literal["finding", "closes", "benign", "fault", "context"] = "finding"
    mode: str | None = None
    kind: Kind = "other"
    code: str | None = None
    match: str
    hints: tuple[str, ...]
    programs: tuple[str, ...] = ()
    informs: bool = False
    action: Action | None = None
    note: str | None = None
    closes: tuple[str, ...] = ()
    harmless: str | None = None
    part: Part | None = None
    lacks: bool = False

    @model_validator(mode="after")
    def _says_what_it_means(self) -> LogPattern:
        re.compile(self.match)
        if (self.use == "finding") != (self.mode is not None):
            raise ValueError("a finding names its mode, and nothing else does")
        if (self.use == "closes") != bool(self.closes):
            raise ValueError("what closes names the modes that it closes, and nothing else does")
        if not self.hints or any(hint != hint.lower() for hint in self.hints):
            raise ValueError("hints are needed, in lower case")
        return self


class Metric(Entry):
    """A series that exporters offer: its names, today's first, and DCGM's field id where it has one.

    ``unit`` is the series' own; a ``ratio`` runs from 0 to 1.
    """

    field_id: Count | None = None
    names: Annotated[tuple[str, ...], Field(min_length=1)]
    unit: str
    meaning: str
    note: str | None = None
    sources: tuple[str, ...]


class AlertRule(Entry):
    """A failure mode as it shows in metrics.

    ``expr`` is PromQL in which ``$id`` stands for a metric under all its names, also as ``increase($id[1h])``.
    ``severity`` says whether the node is to be drained, watched, or the fact is only told. ``held`` is how long it
    must last.
    """

    alert: Annotated[str, Field(pattern=r"^[A-Z][A-Za-z0-9]+$")]
    mode: str
    expr: str
    held: Annotated[str, Field(pattern=r"^\d+[smh]$")] = "0s"
    severity: Literal["drain", "watch", "info"]
    summary: str
    threshold: str
    sources: tuple[str, ...]


class Setting(Entry):
    """An environment variable of the collectives library or the framework, with what it is good for.

    ``value`` may hold ``{interface}`` and ``{hcas}``, which the design fills. ``fabrics`` empty means all.
    """

    variable: Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]+$")]
    value: str
    fabrics: tuple[Literal["nvlink_only", "roce", "infiniband"], ...] = ()
    reason: str
    sources: tuple[str, ...]


class Panel(Entry):
    """One view of the dashboard; ``expr`` is PromQL in which ``$id`` stands for a metric, as in an ``AlertRule``.

    ``unit`` is Grafana's id of a unit. Panels of one ``section`` stand together, in the order of the file.
    """

    section: str
    title: str
    kind: Literal["stat", "table", "timeseries"]
    unit: str
    expr: str
    meaning: str
    sources: tuple[str, ...]


class MaintenanceTask(Entry):
    """Something done at fixed times, with the command and what it should say."""

    every: Literal["day", "week", "month", "quarter", "half_year", "year"]
    title: str
    what: str
    command: str
    expected: str
    sources: tuple[str, ...]


class IncidentAnswer(Frozen):
    """One answer of an incident's question, and the failure modes that it speaks for."""

    id: str
    text: str
    speaks_for: tuple[str, ...]


class IncidentQuestion(Entry):
    """A question about an incident without a log; ``why`` says what it tells apart."""

    text: str
    why: str
    answers: Annotated[tuple[IncidentAnswer, ...], Field(min_length=2)]
