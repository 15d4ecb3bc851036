"""Messages keep ids and typed values, and become sentences only where a renderer is given."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter, ValidationError

from knowledge.evidence import Frozen
from knowledge.message import Message, Text, kept, message_of, say, verbatim


class Note(Frozen):
    text: Text


INNER = say("words.spare", servers=2)
SAID = say("planning.count", gpus=16, share=0.25, name="A", fits=True, missing=None, one=INNER, parts=[INNER, INNER])


def test_a_model_keeps_the_id_and_the_values_and_reads_them_back() -> None:
    stored = Note(text=SAID).model_dump_json()
    assert '"id":"planning.count"' in stored
    assert '"share":0.25' in stored
    assert Note.model_validate_json(stored) == Note(text=SAID)
    assert Note.model_validate_json('{"text": "as it was"}').text == "as it was"


def test_with_a_renderer_in_the_context_a_model_is_dumped_as_sentences() -> None:
    dumped = Note(text=SAID).model_dump(mode="json", context={"render": lambda message: message.id.upper()})
    assert dumped == {"text": "PLANNING.COUNT"}


def test_python_dumps_keep_the_message_too() -> None:
    assert Note.model_validate(Note(text=SAID).model_dump()) == Note(text=SAID)


def test_messages_are_values() -> None:
    assert say("a.b", n=1) == say("a.b", n=1) != say("a.b", n=2)
    assert len({say("a.b", n=1), say("a.b", n=1)}) == 1
    assert message_of(kept(verbatim("rules.x.reason", "Why."))) == Message("rules.x.reason", text="Why.")


def test_a_printed_document_can_be_read_again() -> None:
    """What ``--json`` printed holds sentences; they stay what they are."""
    read = Report.model_validate({"text": "as it was", "said": "two servers"})
    assert read.text == "as it was"
    assert read.said.text == "two servers"


class Report(Frozen):
    text: Text
    said: Message


@pytest.mark.parametrize("raw", [{"id": 1}, {"id": "a", "more": 1}, {"id": "a", "values": {"n": 1j}}, 7, None])
def test_what_is_no_message_is_refused(raw: object) -> None:
    with pytest.raises(ValueError, match="message"):
        message_of(raw)
    with pytest.raises(ValidationError):
        TypeAdapter(Text).validate_python(raw)


def test_the_schema_names_what_json_prints() -> None:
    assert TypeAdapter(Message).json_schema(mode="serialization") == {"type": "string"}
