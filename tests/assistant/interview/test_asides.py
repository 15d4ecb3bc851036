"""What is said besides answers never becomes a fact, and an answer that spoils the sizing does not stay."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.interview.brief import Provenance
from assistant.interview.dialogue import Interview
from assistant.service import Assistant
from assistant.session import Session
from assistant.sessions.conversation import converse
from assistant.store import Store


class Talk:
    """A saved interview, and what it said last."""

    def __init__(self, store: Store, lang: str = "en") -> None:
        self.store = store
        self.session = Session.new(Assistant(), store)
        self.interview: Interview = converse(self.session, lang)
        self.told = ""

    def say(self, *lines: str) -> str:
        for line in lines:
            self.told = "\n".join(output.text for output in self.interview.say(line))
        return self.told

    def value(self, field: str) -> object:
        stored = self.store.brief(self.session.id)
        assert stored.only_stated() == self.interview.brief.only_stated() == self.session.brief.only_stated()
        return stored.value(field)


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Talk]:
    with Store(str(tmp_path / "talk.db")) as store:
        yield Talk(store)


START = "chat for 200 people with Llama 3.1 8B on our own site in Berlin"


def test_a_supposition_is_tried_and_changes_nothing(talk: Talk) -> None:
    talk.say(START)
    told = talk.say("what if 2000 users?")
    assert "not taken" in told
    assert "->" in told
    assert talk.value("users_total") == 200


def test_a_supposition_is_kept_when_asked(talk: Talk) -> None:
    talk.say(START, "what if 2000 users?", "keep")
    assert talk.value("users_total") == 2000
    assert "Nothing was supposed" in talk.say("keep")


def test_a_supposition_becomes_a_session_of_its_own(talk: Talk) -> None:
    talk.say(START, "what about AMD MI300X instead?", "fork the AMD way")
    assert talk.value("gpus") is None
    rows = {row.label: row for row in talk.store.sessions()}
    other = talk.store.brief(rows["the AMD way"].id)
    assert other.value("gpus")[0]["gpu"] == "mi300x"
    assert other.value("users_total") == 200


def test_a_question_is_answered_and_changes_nothing(talk: Talk) -> None:
    talk.say(START)
    before = talk.interview.brief
    told = talk.say("What is Xid 79?")
    assert "fallen off the bus" in told
    assert talk.interview.brief == before


def test_a_first_message_that_asks_is_still_a_message(talk: Talk) -> None:
    talk.say("How many GPUs do we need for 500 users with Llama 3.3 70B?")
    assert talk.value("users_total") == 500


def test_you_decide_is_an_assumption_that_is_marked(talk: Talk) -> None:
    talk.say(START)
    asked = talk.interview.current
    assert asked is not None
    assert "Left to us" in talk.say("you decide")
    assert talk.interview.brief.get(asked).provenance is Provenance.DONT_KNOW


@pytest.mark.parametrize(
    ("field", "said", "value"),
    [
        ("weight_dtype", "no", "bf16"),
        ("weight_dtype", "yes", None),
        ("kv_dtype", "yes", "fp8"),
        ("gpus", "no", None),
        ("budget", "nein", None),
    ],
)
def test_yes_or_no_means_what_the_question_asked(talk: Talk, field: str, said: str, value: object) -> None:
    talk.say(START)
    talk.interview.ask(field)
    talk.say(said)
    assert talk.value(field) == value
    assert talk.session.sizing is not None
    assert "not accepted" not in talk.told


def test_what_is_no_format_is_not_stored(talk: Talk) -> None:
    talk.say(START)
    assert "not accepted" in talk.say("set weight_dtype yes")
    assert talk.value("weight_dtype") is None
    talk.say("set weight_dtype q4_k_m")
    assert talk.value("weight_dtype") == "q4_k_m"


def test_an_answer_that_nothing_can_be_sized_from_does_not_stay(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    from knowledge.errors import BadInput

    talk.say(START)
    size = talk.session.assistant.size

    def refusing(brief, why=False, questions=True):  # type: ignore[no-untyped-def] # as the assistant's own
        if brief.value("users_total") == 666:
            raise BadInput("users_total", 666, "another number")
        return size(brief, why, questions)

    monkeypatch.setattr(talk.session.assistant, "size", refusing)
    told = talk.say("set users_total 666")
    assert "Not taken" in told
    assert "Understood" not in told
    assert talk.value("users_total") == 200
    talk.say("redo")
    assert talk.value("users_total") == 200
    assert talk.session.sizing is not None


def test_a_message_that_changes_much_asks_before_it_replaces_the_model(talk: Talk) -> None:
    talk.say(START)
    told = talk.say("We are now 900 people in Paris and it is a coding assistant with Qwen2.5-Coder-32B")
    assert "yes, no, or both" in told
    assert talk.value("models") == ["llama-3.1-8b-instruct"]
    assert talk.value("users_total") == 900
    assert talk.value("country") == "FR"
    talk.say("no")
    assert talk.value("models") == ["llama-3.1-8b-instruct"]


@pytest.mark.parametrize(
    ("reply", "models"),
    [
        ("1", {"qwen2.5-32b-instruct"}),
        ("2", {"qwen2.5-32b-instruct", "llama-3.3-70b-instruct"}),
        ("both", {"llama-3.1-8b-instruct", "llama-3.3-70b-instruct", "qwen2.5-32b-instruct"}),
        ("no", {"llama-3.1-8b-instruct", "llama-3.3-70b-instruct"}),
    ],
)
def test_a_third_model_does_not_replace_two_unasked(talk: Talk, reply: str, models: set[str]) -> None:
    talk.say("chat for 200 people with Llama 3.1 8B and Llama 3.3 70B on our own site in Berlin")
    assert talk.value("models") == ["llama-3.1-8b-instruct", "llama-3.3-70b-instruct"]
    assert "What becomes of them?" in talk.say("We use Qwen2.5-32B-Instruct")
    talk.say(reply)
    assert set(talk.value("models")) == models  # type: ignore[call-overload] # a list of names


def test_a_bare_correction_of_the_model_is_taken(talk: Talk) -> None:
    talk.say(START, "we take Qwen2.5-32B-Instruct")
    assert talk.value("models") == ["qwen2.5-32b-instruct"]


def test_another_line_leaves_the_named_model_and_is_read(talk: Talk) -> None:
    talk.say("chat for 200 people with Llama 3.1 8B and Llama 3.3 70B on our own site in Berlin")
    talk.say("We use Qwen2.5-32B-Instruct", "we are 300 people")
    assert talk.value("models") == ["llama-3.1-8b-instruct", "llama-3.3-70b-instruct"]
    assert talk.value("users_total") == 300
