"""Requests from outside: options, JSON lines and files, checked against one pydantic model with errors for people."""

from __future__ import annotations

import argparse
import json
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any, TypeVar, get_args

from pydantic import AliasChoices, BaseModel, ValidationError
from pydantic.fields import FieldInfo

from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from knowledge.names import parse_count_prefix

M = TypeVar("M", bound=BaseModel)


def option_of(field: str) -> str:
    """``tensor_parallel`` -> ``--tensor-parallel``."""
    return "--" + field.replace("_", "-")


def add_model_options(
    parser: argparse.ArgumentParser, model: type[BaseModel], title: str = "request", skip: Collection[str] = ()
) -> None:
    """One long option for each field of a request model; values are checked by the model, not by argparse."""
    group = parser.add_argument_group(title, "each option is also a key of a request line, with _ for -")
    for name, info in model.model_fields.items():
        if name in skip:
            continue
        words = words_of(name, info)
        names = [option_of(word) for word in words] + ["--" + word for word in words if "_" in word]
        text = (info.description or "").replace("%", "%%")
        if not info.is_required() and info.default is not None:
            text = f"{text} (default {info.default})".replace("%%%%", "%%")
        group.add_argument(*names, dest=f"request_{name}", default=None, metavar="VALUE", help=text or None)


def words_of(name: str, info: FieldInfo) -> list[str]:
    """The names under which requests may give a field, its own first."""
    alias = info.validation_alias
    others = [str(choice) for choice in alias.choices] if isinstance(alias, AliasChoices) else []
    return list(dict.fromkeys([name, *others]))


def options_given(args: argparse.Namespace) -> dict[str, Any]:
    """The request options that were given, JSON objects and lists decoded."""
    given: dict[str, Any] = {}
    for key, value in vars(args).items():
        if key.startswith("request_") and value is not None:
            given[key.removeprefix("request_")] = _decoded(value)
    return given


def _decoded(text: str) -> Any:
    stripped = text.strip()
    if stripped[:1] in "{[" and stripped:
        try:
            return json.loads(stripped)
        except (ValueError, RecursionError):
            return text
    if stripped.lower() in ("true", "false"):
        return stripped.lower() == "true"
    return text


@lru_cache(maxsize=64)
def _fields_by_word(model: type[BaseModel]) -> Mapping[str, str]:
    """Every name under which a request may give a field, with the field's own."""
    return {word: name for name, info in model.model_fields.items() for word in words_of(name, info)}


def build(model: type[M], raw: Mapping[str, Any]) -> M:
    """``raw`` as a request. Raises BadInput naming the first field that is wrong and what would work."""
    fields = _fields_by_word(model)
    for key in raw:
        if key not in fields:
            known = list(model.model_fields)
            raise BadInput(
                str(key), raw[key], f"there is no such field; fields are {', '.join(known)}", _near(str(key), known)
            )
    cleaned = {fields[k]: v for k, v in raw.items() if v is not None and v != ""}
    for key, value in cleaned.items():
        if isinstance(value, bool) and _takes_numbers(model, key):
            raise BadInput(key, value, "a number is expected")
    try:
        return model.model_validate(cleaned)
    except ValidationError as error:
        raise _as_bad_input(error) from None


def counted_gpus(raw: dict[str, Any], catalogue: Catalogue) -> dict[str, Any]:
    """``raw``, with the count of "8xH100" as ``gpus`` where none is stated; beside a stated one it tells the server."""
    named = raw.get("gpu")
    if not isinstance(named, str) or raw.get("gpus") not in (None, "") or raw.get("nodes"):
        return raw
    count, name = parse_count_prefix(named)
    if count is None or catalogue.resolve("accelerators", name).id is None:
        return raw
    return raw | {"gpu": name, "gpus": count}


@lru_cache(maxsize=512)
def _takes_numbers(model: type[BaseModel], field: str) -> bool:
    """Whether a field holds numbers and no yes or no; pydantic would read true as one."""
    kinds, open_kinds = set[Any](), [model.model_fields[field].annotation]
    while open_kinds:
        kind = open_kinds.pop()
        kinds.add(kind)
        open_kinds += get_args(kind)
    return bool(kinds & {int, float}) and bool not in kinds


def _near(word: str, known: list[str]) -> list[str]:
    import difflib  # only for who wrote a wrong word

    return difflib.get_close_matches(word.replace("-", "_"), known, n=2, cutoff=0.6)


def _as_bad_input(error: ValidationError) -> BadInput:
    first = error.errors(include_url=False)[0]
    field = ".".join(str(part) for part in first["loc"]) or "request"
    context = first.get("ctx") or {}
    accepted = context.get("expected")
    nearest = [str(part).strip("'") for part in str(accepted).replace(" or ", ", ").split(", ")] if accepted else []
    nearest += [f"{context[bound]:g}" for bound in ("ge", "le") if isinstance(context.get(bound), (int, float))]
    value = "nothing" if first["type"] == "missing" else first.get("input")
    return BadInput(field, value, first["msg"], nearest[:12])
