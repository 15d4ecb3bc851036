"""Every text that a person reads: an id with typed values becomes a sentence in a language, once, at the edge.

A language is a folder of YAML files beside this one, a file a room: ``en/planning.yaml`` holds the messages
``planning.*``. ``template`` says how sentences are written, ``figures`` how many digits people see.
"""

from assistant.messages.catalogue import LANGUAGES, has
from assistant.messages.sentences import in_words, render

__all__ = ["LANGUAGES", "has", "in_words", "render"]
