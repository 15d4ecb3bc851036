"""Loading: what is accepted, what is refused and with which words, overlays, version."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from knowledge.errors import BadInput
from knowledge.evidence import Grade, SeenAs, Source
from rules.base import PACKAGE, RuleBase, load_rules, read_rules
from rules.validate import Problem

ReadBase = Callable[[str], tuple[RuleBase, list[Problem]]]
MakeBase = Callable[[str], RuleBase]

DATA = Path(__file__).parent / "data"
EXAMPLE_SOURCES = {
    ident: Source(id=ident, title=ident, grade=grade, seen_as=SeenAs.PRIMARY_TEXT)
    for ident, grade in {
        "law": Grade.LAW,
        "paper": Grade.PAPER,
        "blog": Grade.VENDOR_BLOG,
        "opinion": Grade.PRACTITIONER_OPINION,
    }.items()
}


def rule(**changed: str) -> str:
    """A sound rule as YAML, with fields replaced."""
    fields = {
        "id": "r",
        "title": "Title",
        "when": "[{topic: gpus, op: '>', value: 8}]",
        "then": "[{kind: question, field: x}]",
        "reason": "Because it was measured.",
        "sources": "[paper]",
    } | changed
    first, *rest = (f"{key}: {value}" for key, value in fields.items())
    return "\n".join([f"- {first}", *(f"  {line}" for line in rest)]) + "\n"


REFUSED = {
    "unknown topic": rule(when="[{topic: gpu, value: 8}]"),
    "unknown topic in unless": rule(unless="[{topic: nothing, value: 8}]"),
    "float for int": rule(when="[{topic: gpus, op: '>', value: 8.5}]"),
    "text for number": rule(when="[{topic: power_kw, op: '>', value: '500'}]"),
    "number for bool": rule(when="[{topic: shared, value: 1}]"),
    "bool for int": rule(when="[{topic: gpus, value: true}]"),
    "order of words": rule(when="[{topic: work, op: '<', value: training}]"),
    "order of booleans": rule(when="[{topic: shared, op: '>=', value: true}]"),
    "unknown word": rule(when="[{topic: work, value: trainig}]"),
    "derived is false": rule(when="[{topic: big, value: false}]"),
    "unknown source": rule(sources="[papr]"),
    "unknown source in dissent": rule(dissent="[{says: No., sources: [nobody]}]"),
    "unknown decision": rule(then="[{kind: support, decision: fabrik, choice: roce, strength: weak}]"),
    "unknown choice": rule(then="[{kind: support, decision: fabric, choice: rose, strength: weak}]"),
    "unknown item": rule(then="[{kind: checklist, item: itm}]"),
    "asserts an input": rule(then="[{kind: assert, topic: shared}]"),
    "value topic unknown": rule(then="[{kind: obligation, id: o, applies: open, value_topic: kw}]"),
    "units differ": rule(
        then="[{kind: obligation, id: o, applies: open, threshold: 1, unit: MW, value_topic: power_kw}]"
    ),
    "requires on a blog": rule(
        then="[{kind: support, decision: fabric, choice: roce, strength: requires}]", sources="[blog, opinion]"
    ),
    "requires on a summary": rule(
        then="[{kind: support, decision: fabric, choice: roce, strength: requires}]", sources="[law_summary]"
    ),
    "stop on opinion": rule(then="[{kind: warning, id: w, severity: stop, text: No.}]", sources="[opinion]"),
    "duty on a summary": rule(then="[{kind: obligation, id: o, applies: true}]", sources="[law_summary]"),
    "duty on a paper": rule(then="[{kind: obligation, id: o, applies: true}]", sources="[paper]"),
    "too many comparisons": rule(
        when="[{topic: gpus, op: '>', value: 8}, {topic: gpus, op: '<', value: 64},"
        " {topic: gpus, op: '!=', value: 9}, {topic: gpus, op: '!=', value: 10}]"
    ),
    "duplicate": rule() + rule(),
    "circle": rule(unless="[{topic: big, value: true}]", then="[{kind: assert, topic: big}]"),
    "circle of two": rule(unless="[{topic: big, value: true}]", then="[{kind: assert, topic: huge}]")
    + rule(id="s", when="[{topic: huge, value: true}]", then="[{kind: assert, topic: big}]"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_by_name_of_file_and_rule(name: str, read_base: ReadBase) -> None:
    _, problems = read_base(REFUSED[name])
    assert problems
    assert {(p.file, p.entry) for p in problems} <= {("packs/test.yaml", "r"), ("packs/test.yaml", "s")}


def test_nearest_name_is_offered(read_base: ReadBase) -> None:
    _, problems = read_base(REFUSED["unknown topic"])
    assert problems[0].nearest == ("gpus",)


MALFORMED = {
    "no reason": rule(reason="''"),
    "no source": rule(sources="[]"),
    "no condition": rule(when="[]"),
    "no conclusion": rule(then="[]"),
    "unknown key": rule(wen="1"),
    "unknown operator": rule(when="[{topic: gpus, op: '=', value: 8}]"),
    "known takes no value": rule(when="[{topic: gpus, op: known, value: 8}]"),
    "no value": rule(when="[{topic: gpus}]"),
    "unknown conclusion": rule(then="[{kind: obey}]"),
    "draft obliges": rule(then="[{kind: obligation, id: o, applies: true, draft: true}]", sources="[law]"),
    "threshold without unit": rule(then="[{kind: obligation, id: o, applies: open, threshold: 5}]"),
    "derived false": rule(then="[{kind: assert, topic: big, value: false}]"),
    "id with a space": rule(id="'a b'"),
    "not a list": "a: b",
    "not a mapping": "- 5",
    "not YAML": "- {",
    "key twice": rule() + "  title: Again\n",
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_names_the_file(name: str, read_base: ReadBase) -> None:
    with pytest.raises(BadInput, match=r"test\.yaml"):
        read_base(MALFORMED[name])


def test_firm_source_carries_what_soft_ones_only_colour(make_base: MakeBase) -> None:
    base = make_base(
        rule(then="[{kind: support, decision: fabric, choice: roce, strength: requires}]", sources="[opinion, spec]")
        + rule(id="s", then="[{kind: obligation, id: o, applies: true}]", sources="[law]")
        + rule(id="t", then="[{kind: obligation, id: o, applies: open}]", sources="[law_summary]")
    )
    assert base.grade(base.rules["r"]) is Grade.VENDOR_SPECIFICATION


def test_strata_put_what_unless_asks_about_below(make_base: MakeBase) -> None:
    base = make_base(
        rule(id="last", unless="[{topic: huge, value: true}]")
        + rule(id="middle", unless="[{topic: big, value: true}]", then="[{kind: assert, topic: huge}]")
        + rule(id="first", then="[{kind: assert, topic: big}]")
        + rule(id="positive", when="[{topic: big, value: true}]")
    )
    assert [[r.id for r in stratum] for stratum in base.strata] == [["first", "positive"], ["middle"], ["last"]]


def test_reach_follows_what_rules_conclude(make_base: MakeBase) -> None:
    base = make_base(
        rule(id="a", then="[{kind: assert, topic: big}]")
        + rule(id="b", when="[{topic: shared, value: true}]", unless="[{topic: big, value: true}]")
        + rule(id="c", when="[{topic: secret, value: true}]")
    )
    assert [r.id for stratum in base.reach["gpus"] for r in stratum] == ["a", "b"]
    assert [r.id for stratum in base.reach["shared"] for r in stratum] == ["b"]


def test_example_pack_loads_over_the_shipped_topics(tmp_path: Path) -> None:
    for part, file in (("packs", "example_pack.yaml"), ("checklist", "example_checklist.yaml")):
        (tmp_path / part).mkdir()
        (tmp_path / part / "example.yaml").write_text((DATA / file).read_text())
    (tmp_path / "decisions.yaml").write_text((PACKAGE / "decisions.yaml").read_text())
    (tmp_path / "topics.yaml").write_text((DATA / "example_topics.yaml").read_text())
    base, problems = read_rules([tmp_path], EXAMPLE_SOURCES)
    assert problems == []
    assert list(base.rules) == ["example.several_nodes", "example.roce", "example.eed", "example.eed_open"]


def test_overlay_adds_and_replaces(folder: Path, tmp_path_factory: pytest.TempPathFactory, make_base: MakeBase) -> None:
    ours = make_base(rule() + rule(id="s"))
    overlay = tmp_path_factory.mktemp("overlay")
    (overlay / "packs").mkdir()
    (overlay / "packs" / "house.yaml").write_text(rule(title="House rule") + rule(id="t"))
    base, problems = read_rules([folder, overlay], ours.sources)
    assert problems == []
    assert {ident: r.title for ident, r in base.rules.items()} == {"r": "House rule", "s": "Title", "t": "Title"}
    assert base.version != ours.version


def test_version_is_of_the_content(make_base: MakeBase) -> None:
    first = make_base(rule()).version
    assert make_base(rule()).version == first
    assert make_base(rule(title="Other")).version != first


def test_shipped_base_loads() -> None:
    base = load_rules()
    assert {"build_rent_sovereign", "accelerator", "fabric_technology", "scheduler", "cooling", "isolation"} <= set(
        base.decisions
    )
