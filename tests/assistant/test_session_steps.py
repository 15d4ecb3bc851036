"""Steps of a session: undo and redo go on where they were when the session is opened again, whoever opens it."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.interview.brief import Answer, Brief, Provenance, Status
from assistant.interview.validation import validate
from assistant.session import Session, history
from assistant.sessions.conversation import converse
from assistant.store import Store
from tests.assistant.unsized import Unsized


def test_undo_and_redo_survive_reopening(tmp_path: Path) -> None:
    with Store(tmp_path / "s.db") as store:
        session = Session.new(Unsized(), store)
        talk = converse(session)
        talk.start()
        for line in ("RAG for 100 people, Llama 3.1 8B", "set users_total 300", "set users_total 900", "undo"):
            talk.say(line)
    with Store(tmp_path / "s.db") as store:
        again = converse(Session(Unsized(), store, session.id))
        again.say("redo")
        assert again.brief.value("users_total") == 900
        again.say("undo")
        again.say("undo")
        assert again.brief.value("users_total") == 100
        again.say("undo")
        assert not again.brief.answers
        assert "nothing to take back" in again.say("undo")[0].text
        again.say("redo")
        assert store.brief(session.id).value("users_total") == 100


ANSWERS = [
    *(validate("users_total", str(n)) for n in (10, 20)),
    validate("country", "DE"),
    Answer(field="country", status=Status.OPEN),
    Answer(field="users_total", status=Status.ASSUMED, provenance=Provenance.DONT_KNOW),
]
STEPS = st.lists(st.one_of(st.sampled_from(("undo", "redo")), st.sampled_from(ANSWERS)), max_size=20)


@given(STEPS)
@settings(max_examples=200, deadline=None)
def test_the_history_of_the_steps_is_that_of_one_who_never_left(steps: list[str | Answer]) -> None:
    """Against two stacks kept by hand while the steps are taken."""
    brief, back, forth, recorded = Brief(), list[Brief](), list[Brief](), list[tuple[str, tuple[Answer, ...]]]()
    for step in steps:
        if isinstance(step, Answer):
            then, kind = brief.with_answers([step]), "answer"
            if then != brief:
                back.append(brief)
                forth.clear()
            recorded.append((kind, (step,)))
        else:
            mine, other = (back, forth) if step == "undo" else (forth, back)
            if not mine:
                continue
            then = mine.pop()
            other.append(brief)
            recorded.append((step, brief.steps_to(then)))
        brief = then
    assert history(recorded) == (back, forth)
