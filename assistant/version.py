"""The program's version, from the installed distribution."""

from __future__ import annotations


def version() -> str:
    """Version of the installed distribution, or of the checkout where none is installed."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("sizewright")
    except PackageNotFoundError:
        return "0.1.0+checkout"
