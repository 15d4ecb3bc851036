"""What a vocabulary file must be: kinds of words, each with its words and two examples or more of their use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, RootModel, model_validator

from assistant.interview.parser.vocabulary.lexicon import FOLDER, Lexicon
from knowledge.evidence import Frozen
from knowledge.shipped import shipped_folder


class Kind(Frozen):
    """Words of one kind. Each example holds at least one of them; two examples are independent uses."""

    words: Annotated[tuple[str, ...], Field(min_length=1)]
    examples: Annotated[tuple[str, ...], Field(min_length=2)]

    @model_validator(mode="after")
    def _examples_hold_a_word(self) -> Kind:
        lexicon = Lexicon([{"kind": self.words}])
        without = [example for example in self.examples if not lexicon.find(example)]
        if without:
            raise ValueError(f"no word of the kind stands in {without}")
        if len(set(self.words)) != len(self.words):
            raise ValueError(f"words stand twice: {sorted({w for w in self.words if self.words.count(w) > 1})}")
        return self


class Vocabulary(RootModel[Mapping[str, Kind]]):
    """One file of a language."""


def load(language: str) -> Mapping[str, Kind]:
    """All kinds of a language, checked. Raises pydantic's ValidationError for a file that breaks the schema."""
    kinds: dict[str, Kind] = {}
    for document in shipped_folder(FOLDER / language).values():
        kinds |= Vocabulary.model_validate(document).root
    return kinds
