"""Triage: logs in, findings and a verdict out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO, cast

from assistant.operations.triage.archives import NotALog, unpacked
from assistant.operations.triage.correlate import ACTIONS, Fault, faults_of, ordered
from assistant.operations.triage.findings import Authority, Check, Confidence, Disagreement, Finding, Triage, Verdict
from assistant.operations.triage.lines import DEVICE, PORT
from assistant.operations.triage.patterns import patterns_of
from assistant.operations.triage.recognise import read_stream
from assistant.operations.triage.sightings import NOWHERE, Seen
from knowledge.catalogue import Catalogue
from knowledge.errors import SizewrightError
from knowledge.schema.operations import Action, Kind, Opinion, Recipient

TOLD_NOTE = "read as a description in somebody's words, not as a line of a log: look before anything is done"
ANYBODY = Recipient(
    what="the lines before and after, dmesg -T of the node, versions of driver and program",
    to="those who run the cluster",
)
MAX_NAMES = 64
"""Nodes and GPUs listed with a finding; the count says how many lines there are."""


def triage_stream(stream: BinaryIO, catalogue: Catalogue, name: str | None = None) -> Triage:
    """Diagnose one stream of log text, packed or not. Raises NotALog where it is none."""
    seen = read_stream(unpacked(stream), patterns_of(catalogue))
    if seen.refused is not None or (seen.cut and seen.lines == 0):
        raise NotALog(seen.refused or f"a packed file that {seen.cut[0]}")
    return diagnose(seen, catalogue, [name])


def triage_text(text: str, catalogue: Catalogue) -> Triage:
    """Diagnose pasted log text."""
    import io

    raw = io.BytesIO(text.encode("utf-8", errors="surrogateescape"))
    return diagnose(read_stream(raw, patterns_of(catalogue)), catalogue, [None])


def triage_files(
    paths: Sequence[str], catalogue: Catalogue, progress: Callable[[int, int], None] | None = None, workers: int = 0
) -> Triage:
    """Diagnose log files together; each file that names no host counts as one node, named after the file.

    ``progress`` is told bytes read and bytes in all; ``workers`` 0 means one per processor that may be used. A file
    that cannot be read is listed in ``unreadable`` and does not stop the others.
    """
    from assistant.operations.triage.parallel import read_files

    dumps = [path for path in paths if _is_dump(path)]
    seen, unreadable = read_files([p for p in paths if p not in dumps], catalogue, progress, workers)
    unreadable += _read_dumps(dumps, seen)
    result = diagnose(seen, catalogue, [p for p in paths if p not in dumps])
    return result.model_copy(update={"unreadable": tuple(unreadable), "files_read": len(paths) - len(unreadable)})


def _is_dump(path: str) -> bool:
    from assistant.operations.triage.flight_recorder import is_dump

    try:
        return is_dump(path)
    except OSError:
        return False  # the reader of logs says why


def _read_dumps(paths: Sequence[str], seen: Seen) -> list[str]:
    """Add what flight-recorder dumps say together; the ones that could not be read."""
    from assistant.operations.triage.flight_recorder import Dump, compare, read_dump

    dumps: list[Dump] = []
    unreadable: list[str] = []
    for number, path in enumerate(paths):
        try:
            dumps.append(read_dump(path, number))
        except (OSError, SizewrightError) as error:
            unreadable.append(f"{path}: {error}")
    for hit, text in compare(dumps):
        seen.add(hit, None, NOWHERE, text)
    return unreadable


def diagnose(seen: Seen, catalogue: Catalogue, files: Sequence[str | None]) -> Triage:
    """What was seen as findings, causes first, and the verdict."""
    from assistant.operations.triage.corruption import checksum_hits
    from assistant.operations.triage.nccl_tests import bandwidth_hits

    for hit, text in bandwidth_hits(seen.facts, catalogue):
        seen.add(hit, None, NOWHERE, text)
    for hit, text, host in checksum_hits(seen.facts):
        seen.add(hit, host or None, NOWHERE, text)
    faults = list(ordered(faults_of(seen, catalogue.entries("failure_modes"))))
    findings = tuple(_finding(fault, root, catalogue, files) for fault, root in faults)
    return Triage(
        findings=findings,
        verdict=_verdict([fault for fault, root in faults if root is None], findings, seen, files, catalogue),
        unrecognised=seen.unrecognised,
        unrecognised_lines=tuple(seen.unrecognised_lines),
        lines_read=seen.lines,
        files_read=len(files),
        unreadable=(),
        cut=tuple(seen.cut),
    )


def _finding(fault: Fault, root: Fault | None, catalogue: Catalogue, files: Sequence[str | None]) -> Finding:
    mode = fault.mode
    file = files[fault.first.file] if fault.first.file < len(files) else None
    action = fault.action
    return Finding(
        kind=cast("Kind", fault.kind),
        code=fault.code,
        mode=mode.id,
        name=mode.name,
        count=fault.count,
        first_line=fault.first.line,
        file=file,
        lines=fault.texts,
        meaning=mode.meaning,
        likely_cause=fault.cause or (f"a consequence of: {root.mode.name}" if root else mode.causes[0]),
        causes=mode.causes,
        category=mode.category,
        action=cast("Action", action),
        scope=mode.scope,
        at_fault=mode.at_fault,
        because_of=root.code if root else None,
        nodes=tuple(sorted(fault.nodes))[:MAX_NAMES],
        gpus=_named(fault.gpus),
        ports=_named(fault.gpus, PORT),
        devices=_named(fault.gpus, DEVICE),
        state="closed" if fault.closed is not None else "open",
        opened=fault.texts[0] if fault.texts else None,
        closed=fault.closed,
        told=fault.told,
        notes=(*fault.notes, *((TOLD_NOTE,) if fault.told else ())),
        checks=tuple(Check(**check.model_dump()) for check in mode.checks),
        fix=mode.fix,
        confirm=mode.confirm,
        return_when=mode.return_when,
        sources=tuple(authority(ident, catalogue) for ident in mode.sources),
        disagreements=tuple(_disagreement(opinion, catalogue) for opinion in mode.disagreements),
        we_follow=mode.side,
    )


def authority(ident: str, catalogue: Catalogue) -> Authority:
    """A source of the catalogue as it is shown."""
    source = catalogue.source(ident)
    return Authority(id=source.id, title=source.title, address=source.address, grade=source.grade.value)


def _disagreement(opinion: Opinion, catalogue: Catalogue) -> Disagreement:
    address = catalogue.source(opinion.sources[0]).address if opinion.sources else None
    return Disagreement(who=opinion.who, says=opinion.says, sources=opinion.sources, address=address)


def _named(subjects: Sequence[str], kind: str | None = None) -> tuple[str, ...]:
    """The subjects of a kind without its word; GPUs are those of no other kind."""
    if kind is None:
        found = [name for name in subjects if not name.startswith((PORT, DEVICE))]
    else:
        found = [name.removeprefix(kind) for name in subjects if name.startswith(kind)]
    return tuple(found[:MAX_NAMES])


def _unknown(seen: Seen, catalogue: Catalogue) -> Verdict:
    """Nothing recognised: harmless where every line that frightens is known to be, else not known."""
    excused = tuple(seen.harmless)
    send: tuple[Recipient, ...] = ()
    if seen.unrecognised:
        why = f"no line is known here; {seen.unrecognised} look like faults"
        programs = catalogue.entries("log_programs")
        send = tuple(p.send for name, p in programs.items() if name in seen.programs and p.send) or (ANYBODY,)
    elif excused:
        why = f"harmless: {excused[0]}"
    else:
        why = "no line is a known fault and none looks like one; that is no proof of health"
    return Verdict(
        action="ignore" if excused and not seen.unrecognised else "unknown",
        scope="job",
        confidence="medium" if excused and not seen.unrecognised else "low",
        category=None,
        finding=None,
        at_fault=None,
        nodes=(),
        gpus=(),
        why=why,
        send=send,
    )


def _verdict(
    roots: Sequence[Fault], findings: Sequence[Finding], seen: Seen, files: Sequence[str | None], catalogue: Catalogue
) -> Verdict:
    if not roots:
        return _unknown(seen, catalogue)
    top, finding = roots[0], findings[0]
    followers = [
        f.action for f in findings if f.because_of == top.code and f.at_fault == "hardware" and f.state == "open"
    ]
    nodes = finding.nodes or _silent_nodes(top, seen, files)
    return Verdict(
        # A cause that asks for little does not make light of the hardware that it broke.
        action=cast("Action", max((top.action, *followers), key=ACTIONS.index)),
        scope=top.mode.scope,
        confidence=_confidence(roots),
        category=top.mode.category,
        finding=top.code,
        at_fault=top.mode.at_fault,
        nodes=_silent_nodes(top, seen, files) or nodes,
        gpus=finding.gpus,
        why=_why(top, findings),
    )


def _silent_nodes(top: Fault, seen: Seen, files: Sequence[str | None]) -> tuple[str, ...]:
    """Of a job that timed out, the few nodes whose log does not complain: the ones that the others waited for."""
    if top.mode.id not in ("collective_missing_rank", "nccl_peer_lost") or len(files) < 3:
        return ()
    quiet = sorted({Path(f).name.partition(".")[0] for f in files if f} - top.nodes)
    return tuple(quiet) if 0 < len(quiet) <= len(files) // 4 + 1 else ()


def _why(top: Fault, findings: Sequence[Finding]) -> str:
    why = f"{top.mode.name}: {top.cause}" if top.cause else top.mode.name
    if top.closed is not None:
        why += "; it ended, as a later line says"
    followers = [f.name for f in findings if f.because_of == top.code and f.mode != top.mode.id]
    if followers:
        why += f"; it explains {len(followers)} further finding{'s' if len(followers) > 1 else ''}"
    return why


def _confidence(roots: Sequence[Fault]) -> Confidence:
    top = roots[0]
    rivals = [
        r for r in roots[1:] if ACTIONS.index(r.action) > ACTIONS.index("investigate") and r.mode.id != top.mode.id
    ]
    if top.told or top.mode.at_fault == "undecided" or len(rivals) > 1:
        return "low"
    firm = top.kind in ("xid", "sxid", "aer", "ecc", "amd_ras", "thermal", "power") and not rivals
    return "high" if firm else "medium"
