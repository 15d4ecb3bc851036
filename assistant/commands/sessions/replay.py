"""``sizewright replay``: recorded interviews through today's program, and what differs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant.output import print_json, say

if TYPE_CHECKING:
    from assistant.service import Assistant
    from assistant.sessions.coverage import Share
    from assistant.sessions.replay import Failure, Replayed
    from assistant.transcript import Transcript


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Options of ``replay``."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "replay", help="replay recorded interviews and compare", epilog="Status 1 when a transcript fails."
    )
    parser.add_argument("paths", metavar="PATH", nargs="*", help="files or folders; without any, those shipped")
    parser.add_argument(
        "--update", action="store_true", help="write today's conclusions below the marker; nothing above it changes"
    )
    parser.add_argument(
        "--coverage", action="store_true", help="what the transcripts exercise, and what none of them does"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    return parser


def run(args: argparse.Namespace) -> int:
    """Replay all, print what differs; every file is read and checked before the first is replayed."""
    from assistant.service import Assistant
    from assistant.sessions.replay import replay
    from assistant.transcript import load_transcript, transcript_files

    transcripts = {path: load_transcript(path) for path in transcript_files(args.paths)}
    assistant = Assistant(args.overlay)
    results: dict[Path, Replayed] = {}
    for path, transcript in transcripts.items():
        results[path] = result = replay(transcript, assistant)
        if args.update:
            _update(path, result)
        if not args.json:
            _print(path, result, args.update)
    failed = sum(_failed(result, args.update) for result in results.values())
    closing = f"{len(results) - failed} passed, {failed} failed"
    if args.json:
        rows = [_row(path, result, args.update) for path, result in results.items()]
        document: dict[str, Any] = {"transcripts": rows, "passed": len(results) - failed, "failed": failed}
        if args.coverage:
            document["coverage"] = [share.model_dump() for share in _coverage(transcripts, results, assistant)]
        print_json(document)
        say(closing)
    else:
        print(closing)
        for share in _coverage(transcripts, results, assistant) if args.coverage else ():
            print(f"{share.what}: {share.covered} of {share.of} ({share.share:.0%})")
            if share.missing:
                print(f"  never: {', '.join(share.missing)}")
    return 1 if failed else 0


def _coverage(
    transcripts: dict[Path, Transcript], results: dict[Path, Replayed], assistant: Assistant
) -> tuple[Share, ...]:
    from assistant.sessions.coverage import coverage_of
    from rules.engine import consult

    asked = [result.facts for result in results.values() if result.facts]
    fired = {rule for facts in asked for rule in consult(assistant.rules, facts, engine="plain").fired}
    return coverage_of(transcripts.values(), assistant.rules, fired)


def _failed(result: Replayed, updated: bool) -> bool:
    """Drift fails until somebody has looked at it and accepted it with ``--update``."""
    return bool(result.failures) if updated else not result.passed


def _update(path: Path, result: Replayed) -> None:
    from assistant.export import write
    from assistant.transcript import with_recorded

    if result.recorded is None:
        return
    content = path.read_bytes()
    renewed = with_recorded(content, result.recorded)
    if renewed != content:
        write(path, renewed.decode(), force=True)


def _row(path: Path, result: Replayed, updated: bool) -> dict[str, Any]:
    row = result.model_dump(mode="json", exclude={"recorded", "facts"})
    return {"file": str(path), "passed": not _failed(result, updated), **row}


def _print(path: Path, result: Replayed, updated: bool) -> None:
    word = "FAIL" if _failed(result, updated) else "ok"
    print(f"{word:<5} {path.name}: {result.title} ({result.state})")
    for failure in result.failures:
        print(f"      {_line(failure)}")
        if failure.why:
            print(f"        because {failure.why}")
    for drift in result.drift:
        print(f"      {'was' if updated else 'recorded'} {drift.where}: {drift.expected} -> {drift.got}")


def _line(failure: Failure) -> str:
    return f"{failure.where}: expected {failure.expected}, got {failure.got}"
