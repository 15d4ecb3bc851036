"""Key bindings by id, and the settings file that can change them.

Every binding has an id such as ``interview.skip``; its words are the message ``key.<id>``, its help ``help.<id>``.
The settings file is ``config.toml`` in the platform's configuration folder (``SIZEWRIGHT_CONFIG`` names another):

    theme = "light"

    [keys]
    "interview.skip" = "f6,ctrl+n"

Never a default: ctrl+b and ctrl+a (tmux, screen), ctrl+s (flow control), ctrl+j, ctrl+m, ctrl+h, ctrl+i (the same as
Enter, Enter, Backspace, Tab), ctrl+enter (few terminals send it).
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from textual.binding import Binding
from textual.dom import DOMNode

from tui.messages import has, t

FORBIDDEN = frozenset(
    {"ctrl+b", "ctrl+a", "ctrl+s", "ctrl+j", "ctrl+m", "ctrl+h", "ctrl+i", "ctrl+enter", "ctrl+z+shift"}
)
"""Keys that a terminal or multiplexer takes for itself."""

KNOWN: dict[str, type] = {"theme": str, "mouse": bool, "keys": dict}
"""Settings and their types."""

REGISTERED: dict[str, Binding] = {}
"""Every binding made by ``key``, by id: what the settings file may name and the cheat sheet lists."""


def key(binding_id: str, keys: str, action: str, show: bool = True, priority: bool = False) -> Binding:
    """A binding whose words come from the messages. ``keys`` is a comma-separated list."""
    made = Binding(keys, action, t(f"key.{binding_id}"), show=show, priority=priority, id=binding_id)
    REGISTERED[binding_id] = made
    return made


NEXT_FIELD = (
    Binding("tab", "app.focus_next", show=False, priority=True),
    Binding("shift+tab", "app.focus_previous", show=False, priority=True),
)
"""Textual's own keys, at once: from a widget's queue they would come after the text that is typed behind them."""


def localise(node: DOMNode, lang: str) -> None:
    """Put the words of a node's bindings into a language."""
    for bindings in node._bindings.key_to_bindings.values():
        bindings[:] = [_localised(binding, lang) for binding in bindings]


def _localised(binding: Binding, lang: str) -> Binding:
    if binding.action == "command_palette":  # Textual's own, which has no id
        return replace(binding, description=t("footer.palette", lang))
    named = binding.id and has(f"key.{binding.id}")
    return replace(binding, description=t(f"key.{binding.id}", lang)) if named else binding


@dataclass(frozen=True)
class Settings:
    """What the settings file says, and what is wrong with it in words."""

    theme: str | None = None
    mouse: bool = True
    keys: dict[str, str] = field(default_factory=dict)
    problems: tuple[str, ...] = ()


def settings_path() -> Path:
    """Where the settings file is looked for."""
    if named := os.environ.get("SIZEWRIGHT_CONFIG"):
        return Path(named)
    from platformdirs import user_config_path

    return Path(user_config_path("sizewright", appauthor=False)) / "config.toml"


def read_settings(path: Path | None = None) -> Settings:
    """The settings; a file that cannot be used is a problem to show, never a reason not to start."""
    path = path or settings_path()
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Settings()
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        return Settings(problems=(f"{path}: {error}",))
    problems = [f"{path}: {text}" for text in _problems(raw)]
    theme, mouse, keys = raw.get("theme"), raw.get("mouse", True), raw.get("keys", {})
    return Settings(
        theme=theme if isinstance(theme, str) else None,
        mouse=mouse if isinstance(mouse, bool) else True,
        keys={str(k): v for k, v in keys.items() if isinstance(v, str)} if isinstance(keys, dict) else {},
        problems=tuple(problems),
    )


def _problems(raw: dict[str, Any]) -> Iterator[str]:
    """What in a settings file cannot be used, in words."""
    for name, value in raw.items():
        if name not in KNOWN:
            yield f"{name} is no setting; known: {', '.join(KNOWN)}"
        elif not isinstance(value, KNOWN[name]):
            yield f"{name} = {value!r} is not a {KNOWN[name].__name__}"
    keys = raw.get("keys")
    for binding_id, value in (keys if isinstance(keys, dict) else {}).items():
        if not isinstance(value, str):
            yield f"keys.{binding_id} = {value!r} is not a list of keys as text"


def unknown_ids(keys: dict[str, str]) -> list[str]:
    """Binding ids of a settings file that no binding has, once all screens are known."""
    return sorted(set(keys) - set(REGISTERED))
