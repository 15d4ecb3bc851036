"""The order of the tests, those that take long first, so that no worker is left with one; and servers on loopback."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from http.server import HTTPServer

import pytest

from knowledge.catalogue import Catalogue
from tests import shared


def pytest_addoption(parser: pytest.Parser) -> None:
    """How many generated briefs the chain of planning is tried on."""
    parser.addoption("--briefs", type=int, default=20, help="generated briefs for tests/assistant/planning (CI: 200)")


@pytest.fixture
def briefs(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--briefs"))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests marked ``long`` go first."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    """Our own catalogue, opened once."""
    return shared.catalogue()


@pytest.fixture
def on_loopback(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[HTTPServer], None]]:
    """Runs a server on a thread, with no proxy before it; it is gone afterwards."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with contextlib.ExitStack() as stack:

        def run(server: HTTPServer) -> None:
            thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
            thread.start()
            stack.callback(thread.join)
            stack.callback(server.server_close)
            stack.callback(server.shutdown)

        yield run
