"""From sightings to faults: what several lines say together, which fault explains which, and what that asks for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import get_args

from assistant.operations.triage.closing import closing_of
from assistant.operations.triage.lines import Moment
from assistant.operations.triage.sightings import MAX_TOLD, Detail, Key, Place, Seen, Sighting
from knowledge.schema.operations import Action, FailureMode

ACTIONS: tuple[str, ...] = get_args(Action)
"""The mildest first."""

SEPARATE_S = 60.0
"""Lines of one crash come within a minute; later ones are another event."""
AGAIN_S = 600.0
"""A GPU lost again after ten minutes came back in between."""
LATE_S = 120.0
"""A cause may be logged this much after its consequence: watchdogs, buffers and clocks differ."""
START_SEQUENCE = 5
"""The first few collectives of a job are still its start."""
SAME_LINK = 2
"""NVIDIA's Xid catalogue: an ECC or parity error of a link counts as hardware after more than two on that link."""
PHASE_LINES = 200
"""A slow phase that began within so many lines before a time-out is likely what the ranks waited for."""
REPAIRS = ("reset_gpu", "drain_and_reset", "reboot_node", "drain_and_repair", "contact_support")
DOWN_CODES = ("link_down", "port_state")
RESTARTS = ("restart_app", "restart_service")
FLAPS = 3
"""As often opened and closed again it is no passing event."""
LOSS_CAUSES = ("pcie_uncorrected", "pcie_corrected", "gpu_thermal", "gpu_power_brake", "psu_failed")
"""What makes a reboot too little for a GPU that left the bus."""
WEAK_CODES = ("unhandled_system_error",)
"""Messages that only say that something failed: any other finding of the job says more."""


@dataclass(frozen=True)
class Fault:
    """One mode and code with all its places."""

    mode: FailureMode
    kind: str
    code: str
    count: int
    first: Place
    first_at: Moment | None
    last_at: Moment | None
    texts: tuple[str, ...]
    details: tuple[Detail, ...]
    action: str
    nodes: frozenset[str]
    gpus: tuple[str, ...]
    notes: tuple[str, ...]
    cause: str | None = None
    told: bool = False
    closed: str | None = None
    parts: tuple[tuple[Key, Sighting], ...] = field(default=(), repr=False)


def faults_of(seen: Seen, modes: Mapping[str, FailureMode]) -> list[Fault]:
    """Sightings gathered by mode, kind and code, with what they say together."""
    groups: dict[tuple[str, str, str, bool], list[tuple[Key, Sighting]]] = {}
    for key, sighting in seen.sightings.items():
        if key.told and seen.lines > MAX_TOLD:
            continue
        mode = _of_parts_there(_mode_together(key, sighting), seen, modes)
        groups.setdefault((mode, key.kind, key.code, key.told), []).append((key, sighting))
    faults = [_fault(modes[mode], kind, code, told, parts) for (mode, kind, code, told), parts in groups.items()]
    sharp = [_sharpened(fault, faults, seen, modes) for fault in faults if not _says_nothing(fault, faults)]
    return [_settled(fault, seen) for fault in sharp]


def _of_parts_there(mode: str, seen: Seen, modes: Mapping[str, FailureMode]) -> str:
    """The mode, or what holds in its place where the log shows that the machine lacks the part."""
    entry = modes[mode]
    lacks = entry.part is not None and seen.parts.get(entry.part) is False
    return entry.without_part if lacks and entry.without_part else mode


def _fault(mode: FailureMode, kind: str, code: str, told: bool, parts: list[tuple[Key, Sighting]]) -> Fault:
    first = min((s for _, s in parts), key=lambda s: s.first)
    actions = {action for _, s in parts for action in s.actions}
    texts = dict.fromkeys(text for _, s in parts for text in s.texts)
    return Fault(
        mode=mode,
        kind=kind,
        code=code,
        count=sum(s.count for _, s in parts),
        first=first.first,
        first_at=first.first_at,
        last_at=max((s.last_at for _, s in parts if s.last_at), default=None),
        texts=tuple(texts)[:5],
        details=tuple(d for _, s in parts for d in s.details),
        action=max(actions, key=ACTIONS.index) if actions else mode.action,
        nodes=frozenset(k.node for k, _ in parts if k.node),
        gpus=tuple(dict.fromkeys(k.gpu for k, _ in parts if k.gpu)),
        notes=tuple(dict.fromkeys(n for _, s in parts for n in s.notes)),
        told=told,
        parts=tuple(parts),
    )


def _settled(fault: Fault, seen: Seen) -> Fault:
    """What stands at the end of the log: a closed fault asks for nothing, one that opens again and again for a look.

    A repair of a part that not every machine has is ordered only where the log shows the part; what somebody says in
    their own words stops and starts nothing.
    """
    order = fault.action
    unseen = fault.mode.part is not None and not seen.parts.get(fault.mode.part)
    if ((fault.told or unseen) and order in REPAIRS) or (fault.told and order in RESTARTS):
        order = min(order, "investigate", key=ACTIONS.index)
    closings = [closing_of(fault.mode.id, key, sighting, seen.closings) for key, sighting in fault.parts]
    if not all(closings):
        return fault if order == fault.action else replace(fault, action=order)
    last = max((s for s in closings if s), key=lambda s: s.last)
    again = fault.count >= FLAPS * len(fault.parts)
    mild = min(order, "investigate" if again else "ignore", key=ACTIONS.index)
    return replace(fault, action=mild, closed=last.last_text)


def _mode_together(key: Key, sighting: Sighting) -> str:
    """Xid 13 in one place of one GPU, in separate runs, is the GPU's; else a line keeps its mode."""
    if key.kind == "xid" and key.code == "13" and key.gpu and _same_place_again(sighting.details):
        return "sm_suspect"
    return key.mode


def _same_place_again(details: Iterable[Detail]) -> bool:
    places: dict[str, list[Detail]] = {}
    for detail in details:
        if detail.name == "place":
            places.setdefault(detail.value, []).append(detail)
    if len(places) != 1:
        return False
    (seen,) = places.values()
    return _events(seen) > 1


def _events(details: Sequence[Detail]) -> int:
    """How many separate events: by process where it is known, else by time."""
    processes = {detail.by for detail in details if detail.by}
    if len(processes) > 1:
        return len(processes)
    times = sorted(d.at.seconds for d in details if d.at)
    return 1 + sum(later - earlier > SEPARATE_S for earlier, later in pairwise(times))


def _says_nothing(fault: Fault, faults: Sequence[Fault]) -> bool:
    return fault.code in WEAK_CODES and any(
        other.mode.category != "monitor_noise_or_gap" and other.mode.depth < 9 for other in faults if other is not fault
    )


def _sharpened(fault: Fault, faults: Sequence[Fault], seen: Seen, modes: Mapping[str, FailureMode]) -> Fault:
    name = fault.mode.id
    if name == "gpu_lost":
        return _lost_again(fault, faults)
    if name == "link_flap" and fault.code in DOWN_CODES and fault.count < FLAPS * len(fault.parts):
        return replace(
            fault, action="investigate", cause="a link went down; a cable pulled or a port closed do the same"
        )
    if name == "app_gpu_fault":
        return _application(fault, faults)
    if fault.code == "apei" and any(other.code == "apei_pcie" for other in faults):
        bus = modes["pcie_uncorrected"]
        return replace(fault, mode=bus, kind="aer", action=bus.action)
    if name == "collective_missing_rank" and fault.kind == "pytorch":
        return _waited(fault, seen, modes)
    if name == "nvlink_fault":
        return _same_link_again(fault)
    if name == "gpu_memory_contained" and max((_repeats(s) for _, s in fault.parts), default=1) > 1:
        return replace(fault, action="drain_and_reset", cause="the same GPU failed again; drain and reset it")
    return fault


def _same_link_again(fault: Fault) -> Fault:
    """An ECC or parity error of one link of one GPU is the link's, and the part's, when it comes more than twice."""
    for _, sighting in fault.parts:
        links = Counter(detail.value for detail in sighting.details if detail.name == "link")
        if links and (most := links.most_common(1)[0])[1] > SAME_LINK:
            return replace(fault, action="drain_and_repair", cause=f"link {most[0]} failed {most[1]} times")
    return fault


def _repeats(sighting: Sighting) -> int:
    """2 where the first and the last line are separate events, else 1."""
    a, b = sighting.first_at, sighting.last_at
    return 2 if a and b and a.clock == b.clock and b.seconds - a.seconds > AGAIN_S else 1


def _lost_again(fault: Fault, faults: Sequence[Fault]) -> Fault:
    if any(_repeats(sighting) > 1 for _, sighting in fault.parts):
        return replace(
            fault, action="drain_and_repair", cause="the same GPU was lost before; seating, power or the GPU"
        )
    for other in faults:
        if other.mode.id in LOSS_CAUSES and _before(other, fault):
            return replace(fault, action="drain_and_repair", cause=f"{other.mode.name.lower()} came before it")
    return fault


def _application(fault: Fault, faults: Sequence[Fault]) -> Fault:
    """Several places of the GPU, or the program's own CUDA error beside it, make the application certain."""
    places = {(d.value) for d in fault.details if d.name == "place"}
    if len(places) > 1:
        return replace(fault, action="fix_application", cause="several GPCs or TPCs at once: the program's own bug")
    if any(other.mode.id == "cuda_error" for other in faults):
        return replace(fault, action="fix_application", cause="the program reports the same illegal access itself")
    return fault


def _waited(fault: Fault, seen: Seen, modes: Mapping[str, FailureMode]) -> Fault:
    """Whether a time-out was a slow phase, and which ranks are where."""
    sequences = {d.by: int(d.value) for d in fault.details if d.name == "seq" and d.by}
    if len(set(sequences.values())) > 1:
        behind = min(sequences, key=lambda rank: sequences[rank])
        span = f"{min(sequences.values())} to {max(sequences.values())}"
        return replace(fault, cause=f"ranks are at different collectives ({span}); rank {behind} is furthest behind")
    phase = next((what for place, what in reversed(seen.phases) if _just_before(place, fault.first)), None)
    started = sequences and max(sequences.values()) <= START_SEQUENCE
    if phase or started:
        why = (
            f"the ranks wait while one is busy: {phase}" if phase else "the first collectives of the job: a slow start"
        )
        slow = modes["collective_slow_rank"]
        return replace(fault, mode=slow, action=slow.action, cause=why)
    return fault


def _just_before(place: Place, first: Place) -> bool:
    return place.file == first.file and 0 <= first.line - place.line <= PHASE_LINES


def _before(cause: Fault, effect: Fault) -> bool:
    """Whether ``cause`` may have come before ``effect``: by time where both have one, else by their place in a file."""
    if not _together(cause, effect):
        return False
    a, b = cause.first_at, effect.first_at
    if a and b and a.clock == b.clock:
        return a.seconds <= b.seconds + LATE_S
    if cause.mode.depth > effect.mode.depth and cause.first.file == effect.first.file:
        return cause.first.line < effect.first.line
    return cause.mode.depth <= effect.mode.depth


def _together(a: Fault, b: Fault) -> bool:
    """Faults of different nodes meet only where one of them is the job's, the fabric's or the building's."""
    wide = ("job", "fabric", "facility")
    if a.mode.scope in wide or b.mode.scope in wide:
        return True
    return not a.nodes or not b.nodes or bool(a.nodes & b.nodes)


def explains(cause: Fault, effect: Fault) -> bool:
    """Whether ``cause`` accounts for ``effect``."""
    if effect.mode.id not in cause.mode.explains or not _before(cause, effect):
        return False
    if cause.mode.depth < effect.mode.depth or cause.mode.id not in effect.mode.explains:
        return True
    a, b = cause.first_at, effect.first_at
    if a and b and a.clock == b.clock:
        return a.seconds < b.seconds
    return cause.first < effect.first


def causes_of(faults: Sequence[Fault]) -> dict[int, int]:
    """Index of a fault -> index of the deepest fault that explains it."""
    direct = {
        n: min(found, key=lambda m: (faults[m].mode.depth, faults[m].first))
        for n, fault in enumerate(faults)
        if (found := [m for m, other in enumerate(faults) if m != n and explains(other, fault)])
    }
    return {n: root for n in direct if (root := _root(n, direct)) != n}


def _root(n: int, direct: Mapping[int, int]) -> int:
    passed = [n]
    while passed[-1] in direct and direct[passed[-1]] not in passed:
        passed.append(direct[passed[-1]])
    return passed[-1]


def ordered(faults: Sequence[Fault]) -> Iterator[tuple[Fault, Fault | None]]:
    """Faults with their root: the gravest root first, each followed by its consequences, cause before effect."""
    causes = causes_of(faults)
    roots = sorted((n for n in range(len(faults)) if n not in causes), key=lambda n: _gravity(faults[n]))
    for root in roots:
        yield faults[root], None
        followers = [n for n, cause in causes.items() if cause == root]
        for n in sorted(followers, key=lambda n: (faults[n].mode.depth, faults[n].first)):
            yield faults[n], faults[root]


def _gravity(fault: Fault) -> tuple[bool, int, int, Place]:
    return fault.closed is not None, -ACTIONS.index(fault.action), fault.mode.depth, fault.first
