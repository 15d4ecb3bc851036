"""``sizewright checklist ID``: show and maintain the checklist of a saved session."""

from __future__ import annotations

import argparse
import difflib
from typing import Any

from assistant.export.document import expected_text, voice_of
from assistant.messages import LANGUAGES
from assistant.messages.voice import Voice
from assistant.output import harmless, plain, print_json, say
from assistant.result import ChecklistEntry
from assistant.service import Assistant
from assistant.session import Session
from assistant.store import Store
from assistant.store_types import ItemState
from knowledge.errors import BadInput


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Options of ``checklist``."""
    parser: argparse.ArgumentParser = subparsers.add_parser("checklist", help="show and maintain a checklist")
    parser.add_argument("id", metavar="ID", help="session")
    change = parser.add_mutually_exclusive_group()
    change.add_argument("--done", metavar="ITEM", help="tick an item")
    change.add_argument("--open", metavar="ITEM", help="untick an item")
    change.add_argument("--assign", metavar="ITEM", help="give an item an owner with --owner")
    parser.add_argument("--by", metavar="NAME", help="who did it")
    parser.add_argument("--evidence", metavar="TEXT", help="what shows it: a measured value, a ticket, a file")
    parser.add_argument("--owner", metavar="NAME", help="who is to do it")
    parser.add_argument("--phase", metavar="PHASE", help="only this phase")
    parser.add_argument("--todo", action="store_true", help="only what is not done")
    parser.add_argument("--lang", choices=LANGUAGES, help="language (default: the session's)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    return parser


def run(args: argparse.Namespace) -> int:
    """Show, or change one item and say what changed."""
    _refuse_halves(args)
    with Store(args.db) as store:
        session = store.session(args.id)
        sizing = Session(Assistant(args.overlay), store, session.id).sizing
        if sizing is None:
            raise BadInput("session", session.id, "it has no sizing yet, so it has no checklist")
        item = args.done or args.open or args.assign
        if item:
            entry = find(sizing.checklist, item)
            before = store.checklist(session.id).get(entry.id, ItemState())
            done = before.done if args.assign else bool(args.done)
            by, evidence, owner = (text and harmless(text) for text in (args.by, args.evidence, args.owner))
            store.mark(session.id, entry.id, done, by, evidence, owner)
            say(f"{entry.id}: " + (f"given to {args.owner}" if args.assign else "done" if done else "open"))
        _refuse_unknown_phase(args.phase, sizing.checklist)
        states = store.checklist(session.id)
        entries = [e for e in sizing.checklist if _wanted(e, states.get(e.id, ItemState()), args)]
        if item and not (args.json or args.todo or args.phase):
            entries = [find(sizing.checklist, item)]
        _show(entries, dict(states), args.json, voice_of(args.lang or session.lang))
    return 0


def _refuse_halves(args: argparse.Namespace) -> None:
    """Options that mean nothing alone: dropping them silently would lose what somebody reported."""
    if args.assign and not args.owner:
        raise BadInput("--assign", args.assign, "--owner NAME says to whom")
    for option in ("by", "evidence", "owner"):
        if getattr(args, option) and not (args.done or args.open or args.assign):
            raise BadInput(
                f"--{option}", getattr(args, option), "it belongs to --done ITEM, --open ITEM or --assign ITEM"
            )


def _refuse_unknown_phase(phase: str | None, entries: tuple[ChecklistEntry, ...]) -> None:
    known = list(dict.fromkeys(entry.phase for entry in entries))
    if phase and phase not in known:
        raise BadInput(
            "--phase", phase, f"one of {', '.join(known)}", difflib.get_close_matches(phase, known, n=2, cutoff=0.4)
        )


def find(entries: tuple[ChecklistEntry, ...], item: str) -> ChecklistEntry:
    """The item with this id. Raises BadInput with the nearest ids."""
    known = {entry.id: entry for entry in entries}
    if item not in known:
        near = difflib.get_close_matches(item, known, n=3, cutoff=0.4)
        raise BadInput("ITEM", item, f"an item of this checklist ({len(known)} items)", near)
    return known[item]


def _wanted(entry: ChecklistEntry, state: ItemState, args: argparse.Namespace) -> bool:
    return (not args.phase or entry.phase == args.phase) and not (args.todo and state.done)


def _show(entries: list[ChecklistEntry], states: dict[str, ItemState], as_json: bool, voice: Voice) -> None:
    if as_json:
        print_json([{**plain(e), **states.get(e.id, ItemState()).model_dump()} for e in entries])
        return
    phase = None
    for entry in entries:
        if entry.phase != phase:
            phase = entry.phase
            print(f"\n{voice.word('export.phase', phase).upper()}")
        _print_item(entry, states.get(entry.id, ItemState()), voice)


def _print_item(entry: ChecklistEntry, state: ItemState, voice: Voice) -> None:
    print(f"[{'x' if state.done else ' '}] {entry.id}: {voice.tell(entry.item)}")
    if entry.command:
        print(f"      command   {entry.command}")
    if entry.expected:
        print(f"      expected  {expected_text(entry, voice)}")
    print(harmless(f"      owner     {state.owner or voice.tell(entry.owner_role)}"))
    if state.by or state.evidence:
        print(harmless(f"      by        {state.by or 'not named'}{': ' + state.evidence if state.evidence else ''}"))
