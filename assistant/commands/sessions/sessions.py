"""``sizewright sessions``: what was saved."""

from __future__ import annotations

import argparse
from typing import Any

from assistant.commands.sessions import session_forks
from assistant.messages import render
from assistant.output import harmless, plain, print_json, say
from assistant.store import Store
from assistant.store_types import SessionRow


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Options of ``sessions``."""
    parser: argparse.ArgumentParser = subparsers.add_parser("sessions", help="saved sessions")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="all saved sessions, last changed first")
    listing.add_argument("--deleted", action="store_true", help="the deleted ones")
    show = actions.add_parser("show", help="answers and last sizing of one")
    show.add_argument("id", metavar="ID")
    diff = actions.add_parser("diff", help="what differs between two")
    diff.add_argument("id", metavar="ID")
    diff.add_argument("other", metavar="OTHER")
    for name, text in (("delete", "hide one; restore brings it back"), ("restore", "undo delete")):
        action = actions.add_parser(name, help=text)
        action.add_argument("id", metavar="ID")
    session_forks.add_parsers(actions)
    for action in actions.choices.values():
        action.add_argument("--json", action="store_true", help="print one JSON document")
    return parser


def run(args: argparse.Namespace) -> int:
    """Do what was asked for."""
    with Store(args.db) as store:
        return int(ACTIONS[args.action](store, args))


def _list(store: Store, args: argparse.Namespace) -> int:
    rows = [_row(store, session) for session in store.sessions(args.deleted)]
    if args.json:
        print_json(rows)
    elif not rows:
        say("No saved sessions. `sizewright size --say TEXT --save LABEL` makes one.")
    else:
        for row in rows:
            size = f"{row['gpus']} GPUs, {row['nominal_it_kw']:.4g} kW" if row["gpus"] is not None else "not sized yet"
            print(harmless(f"{row['id']}  {row['updated_at']}  {size:<24}  {row['label'] or 'unnamed'}"))
    return 0


def _row(store: Store, session: SessionRow) -> dict[str, Any]:
    sizing = store.last_sizing(session.id)
    plan = sizing.plan() if sizing else None
    power = {name: getattr(plan.facility, name) if plan else None for name in ("it_kw", "nominal_it_kw")}
    size = {"gpus": plan.gpus if plan else None, **power}
    return {**session.model_dump(), **size}


def _show(store: Store, args: argparse.Namespace) -> int:
    session = store.session(args.id)
    brief, sizing = store.brief(session.id), store.last_sizing(session.id)
    if args.json:
        print_json({**session.model_dump(), **plain(brief), "sizing": plain(sizing)})
        return 0
    print(harmless(f"{session.id}  {session.label}"))
    for answer in brief.every():
        field = f"{answer.group}.{answer.field}" if answer.group else answer.field
        words = f'  "{answer.text}"' if answer.text else ""
        print(harmless(f"  {field}: {plain(answer.value)}{' ' + answer.unit if answer.unit else ''}{words}"))
    if sizing:
        print(f"\n{render(sizing.summary, session.lang)}")
    return 0


def _diff(store: Store, args: argparse.Namespace) -> int:
    rows = differences(store, args.id, args.other)
    if args.json:
        print_json(rows)
    else:
        for row in rows:
            print(harmless(f"{row['what']}: {row['left']} -> {row['right']}"))
        if not rows:
            say("No difference.")
    return 0


def differences(store: Store, left: str, right: str) -> list[dict[str, Any]]:
    """What differs between two sessions: answers first, then figures of the recommended plan."""
    tables = [_flat(store, store.session(session).id) for session in (left, right)]
    keys = dict.fromkeys([*tables[0], *tables[1]])
    return [
        {"what": key, "left": tables[0].get(key), "right": tables[1].get(key)}
        for key in keys
        if tables[0].get(key) != tables[1].get(key)
    ]


def _flat(store: Store, session: str) -> dict[str, Any]:
    flat = {f"answer {a.group + '.' if a.group else ''}{a.field}": plain(a.value) for a in store.brief(session).every()}
    sizing = store.last_sizing(session)
    if sizing:
        plan = sizing.plan()
        flat |= {"gpus": plan.gpus, "accelerator": plan.accelerator, "binding": plan.binding}
        flat |= {
            f"facility {k}": plain(v) for k, v in plain(plan.facility).items() if not isinstance(v, (dict, list, tuple))
        }
        flat |= {f"decision {d.id}": d.choice for d in sizing.decisions}
    return flat


def _delete(store: Store, args: argparse.Namespace) -> int:
    session = store.session(args.id)
    store.delete(session.id)
    say(f"Deleted {session.id}. `sizewright sessions restore {session.id}` brings it back.")
    if args.json:
        print_json({"id": session.id, "deleted": True})
    return 0


def _restore(store: Store, args: argparse.Namespace) -> int:
    session = store.session(args.id)
    store.restore(session.id)
    if args.json:
        print_json({"id": session.id, "deleted": False})
    return 0


ACTIONS = {
    "list": _list,
    "show": _show,
    "diff": _diff,
    "delete": _delete,
    "restore": _restore,
    "fork": session_forks.fork,
    "compare": session_forks.compare,
    "import": session_forks.import_session,
}
