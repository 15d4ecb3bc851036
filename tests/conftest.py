"""The order of the tests: those that take long first, so that no worker is left with one when the others are done."""

from __future__ import annotations

import pytest


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests marked ``long`` go first."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)
