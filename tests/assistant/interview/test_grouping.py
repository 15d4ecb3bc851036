"""Several groups in one talk: each keeps its own answers, and a correction changes the one that it names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.interview.brief import Answer, Brief, Status
from assistant.requests.answers import answers_of
from assistant.service import Assistant
from assistant.session import Session
from assistant.sessions.conversation import converse
from assistant.store import Store
from knowledge.errors import BadInput

TWO = (
    "200 developers use Qwen2.5-Coder-32B for coding. 2,000 office workers chat with Llama 3.3 70B. "
    "Our own site in Vienna."
)


class Talk:
    def __init__(self, store: Store) -> None:
        self.store = store
        self.session = Session.new(Assistant(), store)
        self.interview = converse(self.session)

    def say(self, line: str) -> str:
        return "\n".join(output.text for output in self.interview.say(line))

    def of(self, name: str, field: str) -> object:
        brief = self.store.brief(self.session.id)
        assert brief == self.interview.brief == self.session.brief
        group = brief.group(name)
        assert group is not None, [g.name for g in brief.groups]
        return group.answers[field].value if field in group.answers else None


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Talk]:
    with Store(str(tmp_path / "talk.db")) as store:
        yield Talk(store)


def test_each_group_keeps_its_own_people_and_model(talk: Talk) -> None:
    told = talk.say(TWO)
    assert talk.of("developers", "users_total") == 200
    assert talk.of("office workers", "users_total") == 2000
    assert talk.of("office workers", "models") == ["llama-3.3-70b-instruct"]
    assert talk.interview.brief.value("country") == "AT"
    assert talk.interview.brief.value("users_total") is None  # neither 200 nor 2,200 for all
    assert "developers: users_total" in told
    assert talk.session.sizing is not None
    assert len(talk.session.sizing.workloads) == 2


def test_a_correction_changes_the_group_that_it_names(talk: Talk) -> None:
    talk.say(TWO)
    talk.say("Sorry, there are 350 developers")
    assert talk.of("developers", "users_total") == 350
    assert talk.of("office workers", "users_total") == 2000
    talk.say("set office workers.users_total 900")
    talk.say("set developers.users_total 80")
    assert talk.of("developers", "users_total") == 80


def test_a_number_without_its_group_is_asked_back(talk: Talk) -> None:
    talk.say(TWO)
    assert "Of which group" in talk.say("we have 500 users now")
    assert talk.of("developers", "users_total") == 200
    assert talk.of("office workers", "users_total") == 2000


def test_undo_takes_groups_back_and_redo_brings_them_again(talk: Talk) -> None:
    talk.say("own site in Vienna")
    talk.say(TWO)
    talk.say("undo")
    assert talk.interview.brief.groups == ()
    talk.say("redo")
    assert talk.of("developers", "users_total") == 200


def test_steps_lead_from_one_brief_to_another_with_groups() -> None:
    first = Brief().with_answers([Answer(field="country", value="AT"), Answer(field="users_total", value=5, group="a")])
    then = Brief().with_answers(
        [Answer(field="users_total", value=6, group="a"), Answer(field="users_total", value=7, group="b")]
    )
    assert first.with_answers(first.steps_to(then)) == then
    assert then.with_answers(then.steps_to(first)) == first
    assert then.with_answers([Answer(field="users_total", group="b", status=Status.OPEN)]).groups == then.groups[:1]


def test_a_file_may_list_groups() -> None:
    catalogue = Assistant().catalogue
    told = {
        "country": "DE",
        "groups": [{"name": "developers", "users_total": "200"}, {"name": "clerks", "users_total": 9}],
    }
    brief = Brief().with_answers(answers_of(told, catalogue))
    assert [(g.name, g.answers["users_total"].value) for g in brief.groups] == [("developers", 200), ("clerks", 9)]
    again = Brief().with_answers(answers_of(brief.model_dump(mode="json"), catalogue))
    assert [(a.group, a.field, a.value) for a in again.every()] == [(a.group, a.field, a.value) for a in brief.every()]


@pytest.mark.parametrize("groups", ["developers", [3], [{"users_total": 3}], [{"name": "a" * 200, "users_total": 3}]])
def test_groups_that_are_none_are_refused(groups: object) -> None:
    with pytest.raises(BadInput, match="groups"):
        answers_of({"groups": groups}, Assistant().catalogue)


def test_what_every_group_says_is_not_asked_and_what_is_assumed_of_one_is_listed(talk: Talk) -> None:
    talk.say(TWO)
    sizing = talk.session.sizing
    assert sizing is not None
    assert "users_total" not in {question.id for question in sizing.next_questions}
    listed = {assumption.field for assumption in sizing.assumptions}
    assert "workload" not in listed
    assert "developers.input_tokens" in listed  # code is longer than chat


def test_hardware_said_beside_groups_is_that_of_all(talk: Talk) -> None:
    talk.say(f"{TWO} Are 8 H100 enough?")
    assert talk.interview.brief.value("gpus") == [{"gpu": "h100-sxm-80gb", "count": 8}]
    sizing = talk.session.sizing
    assert sizing is not None
    assert sizing.plan().binding == "stated"
    assert [reply.kind for reply in sizing.replies] == ["enough"]
    assert sizing.replies[0].verdict in ("yes", "no")


def test_a_group_may_be_called_by_its_model() -> None:
    told = {"groups": [{"name": "llama-3.3-70b", "users_total": 7}]}
    (group,) = Brief().with_answers(answers_of(told, Assistant().catalogue)).groups
    assert (group.name, group.answers["users_total"].value) == ("llama-3.3-70b", 7)
