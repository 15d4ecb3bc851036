"""``sessions fork``, ``compare`` and ``import``: new sessions out of old ones, and several side by side."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant.messages import render
from assistant.messages.voice import DASH
from assistant.output import harmless, plain, print_json, say
from assistant.store import Store

if TYPE_CHECKING:
    from assistant.service import Assistant
    from assistant.sessions.compare import Comparison, Driver
    from assistant.sessions.importing import Reading

BRIEFS = (".yaml", ".yml", ".json")
"""Files of answers; any other is read as a chat log or an e-mail."""


def add_parsers(actions: Any) -> None:
    """The options of the three."""
    fork = actions.add_parser("fork", help="a copy of one with answers changed, and what that moves")
    fork.add_argument("id", metavar="ID")
    fork.add_argument("--set", metavar="FIELD=VALUE", action="append", default=[], help="one answer, changed")
    fork.add_argument("--say", metavar="TEXT", help="what is different, in words")
    fork.add_argument("--label", help="label of the new session")
    compare = actions.add_parser("compare", help="two or more side by side, with what drives the difference")
    compare.add_argument("ids", metavar="ID", nargs="+")
    importing = actions.add_parser("import", help="a new session from a file of answers, a chat log or an e-mail")
    importing.add_argument("file", metavar="FILE", help="YAML or JSON answers, or text; - for standard input")
    importing.add_argument("--as", dest="kind", choices=("brief", "chat"), help="what FILE is (default: by its suffix)")
    importing.add_argument("--us", metavar="NAME", action="append", default=[], help="a speaker on our side: no facts")
    importing.add_argument("--transcript", metavar="PATH", help="write the log as a transcript too")
    importing.add_argument("--label", default="", help="label of the new session")


def fork(store: Store, args: argparse.Namespace) -> int:
    """Copy, change, and say what moved."""
    from assistant.requests.answers import answers_of
    from assistant.service import Assistant
    from assistant.session import Session

    assistant = Assistant(args.overlay)
    origin = store.session(args.id)
    answers = assistant.understand(harmless(args.say)) if args.say else []
    answers += answers_of(dict(_pair(text) for text in args.set), assistant.catalogue)
    before = Session(assistant, store, origin.id).sizing
    label = args.label if args.label is not None else f"{origin.label or origin.id} (what-if)"
    session = Session(assistant, store, store.copy(origin.id, harmless(label)))
    session.sizing = before
    change = session.answer(answers) if answers else session.resize()
    moved = [plain({"what": one.what, "before": one.before or DASH, "after": one.after}) for one in change.moved]
    if args.json:
        print_json({"id": session.id, "of": origin.id, "moved": moved, "problem": change.problem})
        return 0
    print(session.id)
    for one in change.moved:
        say(harmless(f"  {render(one.what)}: {render(one.before or DASH)} -> {render(one.after)}"))
    if change.problem or not change.moved:
        say(harmless(change.problem or "Nothing of the plan moves."))
    return 0


def _pair(text: str) -> tuple[str, str]:
    from knowledge.errors import BadInput

    field, sign, value = text.partition("=")
    if not sign or not field.strip() or not value.strip():
        raise BadInput("--set", text, "FIELD=VALUE is expected, as in users_total=500")
    return field.strip(), value.strip()


def compare(store: Store, args: argparse.Namespace) -> int:
    """Several sessions side by side."""
    from assistant.service import Assistant
    from assistant.session import Session
    from assistant.sessions.compare import compare as compared

    assistant = Assistant(args.overlay)
    found = compared([Session(assistant, store, one) for one in args.ids], assistant)
    if args.json:
        print_json(found)
    else:
        print(harmless("\n".join(lines(found))))
    return 0


def lines(found: Comparison) -> list[str]:
    """A comparison as text: a block of answers, one of figures, and what each answer moves by itself."""
    names = [one.label or one.id for one in found.sessions]
    told = ["Sessions: " + "; ".join(f"{one.id} {one.label}".strip() for one in found.sessions)]
    for title, rows in (("Answers that differ", found.answers), ("What comes out", found.figures)):
        told += ["", title if rows else f"{title}: nothing"]
        for row in rows:
            told.append(f"  {render(row.what)}")
            told += [f"    {name}: {render(value)}" for name, value in zip(names, row.values, strict=True)]
    return [*told, "", "What drives it, each answer alone put into the first", *(_driver(one) for one in found.drivers)]


def _driver(one: Driver) -> str:
    moved = []
    if one.gpus[0] != one.gpus[1]:
        moved.append(f"{one.gpus[0]} -> {one.gpus[1]} GPUs")
    if one.nominal_it_kw[0] != one.nominal_it_kw[1]:
        moved.append(" -> ".join("unknown" if kw is None else f"{kw:.4g}" for kw in one.nominal_it_kw) + " kW")
    moved += [f"decision {ident} turns" for ident in one.decisions] + [f"duty {ident} turns" for ident in one.duties]
    return f"  {one.field} {one.before} -> {one.after} ({one.session}): {', '.join(moved) or 'nothing by itself'}"


def import_session(store: Store, args: argparse.Namespace) -> int:
    """A session from a file."""
    from assistant.interview.brief import Brief
    from assistant.service import Assistant

    assistant = Assistant(args.overlay)
    is_brief = args.kind == "brief" or (args.kind is None and (args.file == "-" or _suffix(args.file) in BRIEFS))
    if is_brief:
        from assistant.requests.answers import answers_of
        from assistant.requests.files import read_mapping

        answers = answers_of(read_mapping(args.file, "FILE"), assistant.catalogue)
    else:
        answers = _logged(args, assistant)
    sizing = assistant.size(Brief().with_answers(answers))
    session = store.keep(harmless(args.label), answers, sizing, kind="import")
    if args.json:
        print_json({"id": session})
    else:
        print(session)
    return 0


def _suffix(path: str) -> str:
    return Path(path).suffix.lower()


def _logged(args: argparse.Namespace, assistant: Assistant) -> list[Any]:
    from assistant.export import write
    from assistant.requests.files import read_text
    from assistant.sessions.importing import as_transcript, brief_of, corrections, read_log

    readings = read_log(read_text(args.file, "FILE"), assistant.catalogue, args.us)
    _narrate(readings)
    for before, after in corrections(readings):
        say(harmless(f"  corrected: {after.field} {plain(before.value)} -> {plain(after.value)}, “{after.text}”"))
    if args.transcript:
        write(Path(args.transcript), as_transcript(readings, args.label or Path(args.file).stem, "en"), force=False)
    return list(brief_of(readings).answers.values())


def _narrate(readings: tuple[Reading, ...]) -> None:
    """Who said how much of use."""
    count: dict[str, int] = {}
    for reading in readings:
        who = reading.turn.speaker or "unnamed"
        count[f"{who} (us)" if reading.own else who] = count.get(who, 0) + len(reading.answers)
    say(harmless("; ".join(f"{who}: {number} answers" for who, number in count.items())))
