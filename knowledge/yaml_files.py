"""YAML as our data files use it: YAML 1.2 scalars, and a repeated key is an error.

``NO`` stays a string (Norway), a date stays a string, ``1e9`` is a number; ``.nan`` and ``.inf`` are not numbers here.
A document is a tree of JSON values: keys are text, and there are no anchors that point back to themselves.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from knowledge.errors import BadInput

if TYPE_CHECKING:
    _Base = yaml.SafeLoader
else:
    _Base = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_Base):
    """The C loader where there is one, with our scalars."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 (PyYAML's own name)


_Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^(?:~|null|)$"), ["~", "n", ""])
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), ["t", "f"])
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^(?:0|-?[1-9][0-9]*)$"), list("-0123456789"))
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$"),
    list("-0123456789"),
)


def _construct_mapping(loader: _Loader, node: yaml.MappingNode) -> dict[str, Any]:
    """A mapping with its keys as text, as JSON has them."""
    made: dict[str, Any] = {}
    for key_node, value_node in node.value:
        if not isinstance(key_node, yaml.ScalarNode):
            raise yaml.constructor.ConstructorError(None, None, "a key must be text", key_node.start_mark)
        if key_node.value in made:
            problem = f"key {key_node.value!r} appears twice"
            raise yaml.constructor.ConstructorError(None, None, problem, key_node.start_mark)
        made[key_node.value] = loader.construct_object(value_node, deep=True)
    return made


_Loader.add_constructor("tag:yaml.org,2002:map", _construct_mapping)


def parse_yaml(text: bytes | str, name: str) -> Any:
    """The document in ``text``; ``name`` is the file's, for messages. Raises BadInput with line and column."""
    try:
        return yaml.load(text, Loader=_Loader)
    except yaml.YAMLError as error:
        raise BadInput(name, _where(error), f"valid YAML ({_problem(error)})") from error
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise BadInput(name, str(error), "valid YAML in UTF-8") from error


def read_yaml(path: Path) -> Any:
    """The document in the file at ``path``. Raises BadInput when it cannot be read or is not valid YAML."""
    try:
        text = path.read_bytes()
    except OSError as error:
        raise BadInput(str(path), error.strerror, "a readable YAML file") from error
    return parse_yaml(text, str(path))


def _where(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    return f"line {mark.line + 1}, column {mark.column + 1}" if mark else "the file"


def _problem(error: yaml.YAMLError) -> str:
    return str(getattr(error, "problem", None) or error)
