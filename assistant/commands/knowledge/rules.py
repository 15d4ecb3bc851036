"""``sizewright rules``: the rule base, its linter, and where sources contradict one another."""

from __future__ import annotations

import argparse
import datetime
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from assistant.catalogue import open_catalogue
from assistant.output import print_json
from assistant.validation.topics_asserted import produced_topics, read_fields
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput, UnknownName
from knowledge.yaml_files import read_yaml
from rules.base import PACKAGE, RuleBase, load_rules, read_rules
from rules.conflicts import Statement, contradictions
from rules.consultation import nearest
from rules.document import markdown, source_text, then_text
from rules.examples import firing
from rules.lint import MAX_SOURCE_AGE_YEARS, Finding, lint
from rules.lint_knowledge import lint_knowledge
from rules.schema import Rule
from rules.validate import Problem


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Options of ``rules``."""
    parser: argparse.ArgumentParser = subparsers.add_parser("rules", help="the rule base, with its sources")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="all rules, or those of one pack")
    listing.add_argument("pack", nargs="?", metavar="PACK", help="the name of a pack")
    show = actions.add_parser("show", help="one rule: conditions, conclusions, reason, sources, who disagrees")
    show.add_argument("id", metavar="ID")
    check = actions.add_parser("check", help="the linter; exit status 1 when it finds an error")
    check.add_argument("--max-age-years", type=float, default=MAX_SOURCE_AGE_YEARS, metavar="YEARS")
    check.add_argument("--today", type=datetime.date.fromisoformat, metavar="DATE", help="judge ages on this day")
    conflicts = actions.add_parser("conflicts", help="every contradiction, both statements, and what we side with")
    doc = actions.add_parser("doc", help="the whole base as Markdown")
    decisions = actions.add_parser("decisions", help="each choice with a brief that reaches it and what flips it")
    decisions.add_argument("briefs", metavar="FILE", help="YAML list of {id, brief} or {id, facts}")
    for action in (listing, show, check, conflicts, doc, decisions):
        action.add_argument("--json", action="store_true", help="print one JSON document")
    return parser


def run(args: argparse.Namespace) -> int:
    """Do what was asked. Raises UnknownName for a rule or pack that is not there."""
    overlay = getattr(args, "overlay", None)
    if args.action == "check":
        return _check(args, overlay)
    if args.action == "decisions":
        return _decisions(args.briefs, overlay, args.json)
    catalogue = open_catalogue(overlay)
    base = load_rules([Path(overlay)] if overlay else [], catalogue.entries("sources"))
    if args.action == "list":
        _list(base, args.pack, args.json)
    elif args.action == "show":
        _show(base, args.id, args.json)
    elif args.action == "conflicts":
        _conflicts(base, catalogue, args.json)
    else:
        _doc(base, catalogue, args.json)
    return 0


def _decisions(path: str, overlay: str | None, as_json: bool) -> int:
    from assistant.service import Assistant
    from assistant.validation.decisions import markdown as table

    rows = read_yaml(Path(path))
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadInput("FILE", path, "a YAML list of {id, brief} or {id, facts}")
    text = table(Assistant(overlay), rows)
    if as_json:
        print_json({"markdown": text})
    else:
        print(text, end="")
    return 0


def _list(base: RuleBase, pack: str | None, as_json: bool) -> None:
    packs = {ident: Path(base.files[ident]).stem for ident in base.rules}
    if pack is not None and pack not in packs.values():
        raise UnknownName("pack", pack, "the name of a pack", sorted(set(packs.values())))
    rules = [rule for rule in base.rules.values() if pack in (None, packs[rule.id])]
    if as_json:
        print_json([rule.model_dump(mode="json") | {"pack": packs[rule.id]} for rule in rules])
        return
    for rule in rules:
        print(f"{rule.id:<36} {base.grade(rule):<22} {rule.title}")
    print(f"{len(rules)} rules, version {base.version[:12]}")


def _show(base: RuleBase, ident: str, as_json: bool) -> None:
    if ident not in base.rules:
        raise UnknownName("rule", ident, "the id of a rule", nearest(ident, base.rules))
    rule = base.rules[ident]
    cited = dict.fromkeys([*rule.sources, *(source for dissent in rule.dissent for source in dissent.sources)])
    if as_json:
        texts = [base.sources[source].model_dump(mode="json") for source in cited]
        print_json(rule.model_dump(mode="json") | {"file": base.files[ident], "source_texts": texts})
        return
    for line in _rule_lines(base, rule):
        print(line)
    example = firing(base, rule)
    if example:
        print("  e.g.    " + ", ".join(f"{topic} = {value}" for topic, value in example.items()))
    print("sources")
    for source in cited:
        print(f"  {source}: {source_text(base.sources[source])}")


def _rule_lines(base: RuleBase, rule: Rule) -> list[str]:
    return [
        f"{rule.id}: {rule.title}  ({base.files[rule.id]}, {base.grade(rule)}, confidence {rule.confidence})",
        *(f"  when    {condition}" for condition in rule.when),
        *(f"  unless  {condition}" for condition in rule.unless),
        *(f"  then    {then_text(then)}" for then in rule.then),
        f"  because {rule.reason}  [{', '.join(rule.sources)}]",
        *(f"  against {dissent.says}  [{', '.join(dissent.sources)}]" for dissent in rule.dissent),
    ]


def _check(args: argparse.Namespace, overlay: str | None) -> int:
    folders = [PACKAGE, Path(overlay) / "rules"] if overlay else [PACKAGE]
    catalogue = open_catalogue(overlay)
    base, problems = read_rules(folders, catalogue.entries("sources"))
    found = findings(base, problems, catalogue, args.today or datetime.date.today(), args.max_age_years)
    errors = sum(finding.level == "error" for finding in found)
    if args.json:
        print_json({"version": base.version, "errors": errors, "findings": [asdict(finding) for finding in found]})
    else:
        for finding in found:
            print(_line(finding))
        print(f"{len(base.rules)} rules: {errors} errors, {len(found) - errors} notes")
    return 1 if errors else 0


def findings(
    base: RuleBase, problems: Sequence[Problem], catalogue: Catalogue, today: datetime.date, max_age_years: float
) -> list[Finding]:
    """Everything the linter knows to look for, with what the program asserts and reads."""
    fields = brief_fields()
    produced = produced_topics(base.topics)
    found = lint(base, problems, today=today, max_age_years=max_age_years, produced=produced, fields=fields)
    found += lint_knowledge(base, catalogue.entries("claims"), sorted(fields), read_fields(fields))
    return sorted(found, key=lambda finding: finding.level)


def _line(finding: Finding) -> str:
    return f"{finding.level}: {finding.kind}: {finding.file}: {finding.entry}: {finding.text}"


def brief_fields() -> frozenset[str]:
    """The fields of the brief that rules may ask for."""
    from assistant.interview.questions import load_questions

    return frozenset(load_questions().by_id())


def _conflicts(base: RuleBase, catalogue: Catalogue, as_json: bool) -> None:
    found = contradictions(base, catalogue)
    if as_json:
        print_json(found)
        return
    for item in found:
        print(f"{item.about}  ({item.kind})")
        print(f"  {_side(item.ours)}")
        print(f"  {_side(item.theirs)}")
        print(f"  we side with {'the first' if item.side == 'ours' else 'neither'}: {item.why}")
    print(f"{len(found)} contradictions")


def _side(said: Statement) -> str:
    value = f" = {said.value:g} {said.unit or ''}".rstrip() if said.value is not None else ""
    return f"{said.id}{value}  {said.text}  [{', '.join(said.sources)}; {said.grade.replace('_', ' ')}]"


def _doc(base: RuleBase, catalogue: Catalogue, as_json: bool) -> None:
    text = markdown(base, catalogue.entries("claims"))
    if as_json:
        print_json({"version": base.version, "markdown": text})
    else:
        print(text, end="")
