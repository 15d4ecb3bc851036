"""Themes: dark, light, the terminal's own colours (ansi), and grey only (mono). Marks and words carry the meaning."""

from __future__ import annotations

from textual.theme import Theme

DARK = Theme(
    name="dark",
    primary="#6cb6c9",
    secondary="#8fa3ad",
    accent="#e0b15e",
    warning="#e0b15e",
    error="#e5786d",
    success="#8cc28a",
    foreground="#d5dde0",
    background="#12181b",
    surface="#182024",
    panel="#202a2f",
    dark=True,
)
LIGHT = Theme(
    name="light",
    primary="#12667c",
    secondary="#4d626b",
    accent="#8a5a00",
    warning="#8a5a00",
    error="#a8332a",
    success="#2f6b2d",
    foreground="#1c2528",
    background="#fafaf7",
    surface="#f1f1ec",
    panel="#e5e6e0",
    dark=False,
)
MONO = Theme(
    name="mono",
    primary="#c8c8c8",
    secondary="#a0a0a0",
    accent="#ffffff",
    warning="#ffffff",
    error="#ffffff",
    success="#d8d8d8",
    foreground="#d8d8d8",
    background="#101010",
    surface="#181818",
    panel="#262626",
    dark=True,
)
OURS = (DARK, LIGHT, MONO)

NAMES = {"dark": "dark", "light": "light", "ansi": "ansi-dark", "ansi-light": "ansi-light", "mono": "mono"}
"""What ``--theme`` and the settings take -> Textual's name."""
DEFAULT = "dark"


def resolve(name: str | None) -> str | None:
    """Textual's name of a theme, or None where there is none of that name."""
    return NAMES.get(name or DEFAULT)
