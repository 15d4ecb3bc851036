"""Every text that a person reads: an id with typed values becomes a sentence in a language, once, at the edge.

A language is a folder of YAML files beside this one, a file a room: ``en/planning.yaml`` holds the messages
``planning.*``. ``template`` says how sentences are written, ``figures`` how many digits people see.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from knowledge.lazily import names_of

if TYPE_CHECKING:
    from assistant.messages.catalogue import LANGUAGES, has
    from assistant.messages.sentences import in_words, render

# The command line needs the names of the languages alone, before anything is said.
__getattr__ = names_of(
    __name__,
    {
        "assistant.messages.catalogue": "LANGUAGES has",
        "assistant.messages.sentences": "in_words render",
    },
)

__all__ = ["LANGUAGES", "has", "in_words", "render"]
