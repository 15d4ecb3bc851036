"""What the program says to people, before it is a sentence: the id of a message and its typed values.

Arithmetic, planning and rules make messages; ``assistant.messages`` holds the sentences of each language and makes
text of them at the edge. Nothing in between reads a sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias, Union

from pydantic import Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema

Value: TypeAlias = Union[str, int, float, bool, "Message", tuple["Message", ...], None]
"""What a blank of a sentence is filled with. A tuple is a list in a sentence; text is a name in every language."""

PRINTED = "printed"
"""The id of a message of which only the sentence is left."""

RENDER = "render"
"""The key of a serialization context under which a renderer stands."""


@dataclass(frozen=True, slots=True)
class Message:
    """One thing to say. Two messages are equal when id and values are.

    ``text`` is the English sentence of data that brings its own (a rule, a checklist item, an entry of an overlay):
    what is said where a language has no sentence under the id.

    In a pydantic model a message is kept as ``{"id": ..., "values": {...}}``, so that what is stored can be read in
    another language later; dumped with ``context={"render": renderer}`` it is the sentence.
    """

    id: str
    values: tuple[tuple[str, Value], ...] = ()
    text: str | None = None

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """From a message or from what one was kept as; to either form."""
        return core_schema.no_info_plain_validator_function(
            message_of,
            serialization=core_schema.plain_serializer_function_ser_schema(_dumped, info_arg=True),
        )

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """What ``--json`` prints of it: the sentence."""
        return {"type": "string"}


Text: TypeAlias = Annotated[str | Message, Field(union_mode="left_to_right")]
"""A message, or words that are nobody's to translate: a customer's, a product's, those of an old saved result."""


def say(id: str, /, **values: Value | Iterable[Message]) -> Message:
    """The message ``id`` with its blanks filled: ``say("planning.spare", servers=1)``."""
    return Message(id, tuple((name, _value(value)) for name, value in values.items()))


def verbatim(id: str, text: str) -> Message:
    """The message ``id`` of data that brings its English sentence along."""
    return Message(id, text=text)


def kept(message: Message) -> dict[str, object]:
    """``message`` as JSON values, from which ``message_of`` makes it again."""
    made: dict[str, object] = {"id": message.id}
    if message.values:
        made["values"] = {name: _kept_value(value) for name, value in message.values}
    if message.text is not None:
        made["text"] = message.text
    return made


def message_of(raw: object) -> Message:
    """A message from ``raw``: one, what ``kept`` made of one, or a sentence of a document that was printed.

    Raises ValueError for anything else.
    """
    if isinstance(raw, Message):
        return raw
    if isinstance(raw, str):
        return Message(PRINTED, text=raw)
    if not isinstance(raw, Mapping) or not isinstance(raw.get("id"), str) or set(raw) - {"id", "values", "text"}:
        raise ValueError("a message is an object of id and values")
    values = raw.get("values", {})
    text = raw.get("text")
    if not isinstance(values, Mapping) or not isinstance(text, str | None):
        raise ValueError("the values of a message are an object, its text is text")
    return Message(raw["id"], tuple((str(name), _value(value)) for name, value in values.items()), text)


def _value(raw: object) -> Value:
    if raw is None or isinstance(raw, (str, int, float, Message)):
        return raw
    if isinstance(raw, Mapping):
        return message_of(raw)
    if isinstance(raw, Iterable):
        return tuple(message_of(one) for one in raw)
    raise ValueError(f"a value of a message is text, a number, a truth value or a message, not {type(raw).__name__}")


def _kept_value(value: Value) -> object:
    if isinstance(value, Message):
        return kept(value)
    return [kept(one) for one in value] if isinstance(value, tuple) else value


def _dumped(message: Message, info: core_schema.SerializationInfo) -> object:
    renderer: Callable[[Message], str] | None = (info.context or {}).get(RENDER)
    return kept(message) if renderer is None else renderer(message)
