"""Live metrics from a server on loopback that speaks Prometheus' HTTP API."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from assistant import cli
from assistant.operations.watch.live import watch_once
from assistant.remote import Access, get_json
from knowledge.catalogue import Catalogue, load_catalogue
from knowledge.errors import BadInput, SizewrightError


class Server(ThreadingHTTPServer):
    """Answers by a table of metric name -> samples; ``mode`` makes it misbehave."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.samples: dict[str, list[tuple[dict[str, str], str]]] = {}
        self.mode = "well"
        self.token: str | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, *args: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if self.server.token and self.headers.get("Authorization") != f"Bearer {self.server.token}":
            return self._reply(401, b"who are you")
        if self.server.mode == "html":
            return self._reply(200, b"<html>login</html>")
        if self.server.mode == "slow":
            time.sleep(1.0)
        if parts.path.endswith("/label/__name__/values"):
            return self._data(sorted(self.server.samples))
        query = parse_qs(parts.query).get("query", [""])[0]
        if self.server.mode == "failing" and "XID" in query:
            return self._reply(
                422, json.dumps({"status": "error", "errorType": "execution", "error": "too many"}).encode()
            )
        found = [sample for name, samples in self.server.samples.items() if name in query for sample in samples]
        result = [{"metric": labels, "value": [1700000000.0, value]} for labels, value in found]
        return self._data({"resultType": "vector", "result": result})

    def _data(self, data: object) -> None:
        self._reply(200, json.dumps({"status": "success", "data": data}).encode())

    def _reply(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with contextlib.suppress(ConnectionError):  # who asked may be gone
            self.wfile.write(body)


@pytest.fixture
def server(on_loopback: Callable[[HTTPServer], None]) -> Server:
    running = Server()
    on_loopback(running)
    return running


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue()


def test_nodes_to_drain_are_named_with_their_evidence(server: Server, catalogue: Catalogue) -> None:
    server.samples = {
        "DCGM_FI_DEV_ROW_REMAP_FAILURE": [({"Hostname": "n7", "gpu": "3"}, "1")],
        "node_infiniband_port_discards_transmitted_total": [({"instance": "n9:9100", "device": "mlx5_2"}, "181")],
    }
    result = watch_once(lambda path, question: get_json(server.address + path, question), catalogue)
    assert [(s.node, s.action, s.because[0].where) for s in result.drain] == [("n7", "drain_and_repair", "gpu3")]
    assert [s.node for s in result.watch] == ["n9"]
    assert result.drain[0].because[0].source is not None


def test_what_has_not_lasted_long_enough_is_no_reason_to_drain(server: Server, catalogue: Catalogue) -> None:
    # The thermal rule asks for five minutes: ten steps of 30 s. One sample a step is counted.
    server.samples = {"DCGM_FI_DEV_CLOCKS_EVENT_REASONS": [({"Hostname": "n7", "gpu": "3"}, "9")]}
    young = watch_once(lambda path, question: get_json(server.address + path, question), catalogue)
    server.samples = {"DCGM_FI_DEV_CLOCKS_EVENT_REASONS": [({"Hostname": "n7", "gpu": "3"}, "10")]}
    old = watch_once(lambda path, question: get_json(server.address + path, question), catalogue)
    assert (young.drain, [s.node for s in young.watch]) == ((), ["n7"])
    assert [s.node for s in old.drain] == ["n7"]
    assert not young.watch[0].because[0].lasted


def test_series_that_are_missing_are_said(server: Server, catalogue: Catalogue) -> None:
    server.samples = {"DCGM_FI_DEV_XID_ERRORS": []}
    result = watch_once(lambda path, question: get_json(server.address + path, question), catalogue)
    missing = {m.alert for m in result.not_evaluated}
    assert "NvlinkRecovery" in missing
    assert "GpuFallenOffBus" not in missing
    assert result.drain == ()


def test_a_rule_that_the_server_refuses_does_not_stop_the_others(server: Server, catalogue: Catalogue) -> None:
    server.samples = {
        "DCGM_FI_DEV_XID_ERRORS": [],
        "DCGM_FI_DEV_ROW_REMAP_FAILURE": [({"Hostname": "n7"}, "1")],
    }
    server.mode = "failing"
    result = watch_once(lambda path, question: get_json(server.address + path, question), catalogue)
    assert [s.node for s in result.drain] == ["n7"]
    assert "execution: too many" in {m.why for m in result.not_evaluated}


@pytest.mark.parametrize("mode", ["html"])
def test_another_kind_of_server_is_refused(server: Server, catalogue: Catalogue, mode: str) -> None:
    server.mode = mode
    with pytest.raises(SizewrightError, match="no JSON"):
        watch_once(lambda path, question: get_json(server.address + path, question), catalogue)


def test_a_slow_server_is_given_up(server: Server) -> None:
    server.mode = "slow"
    with pytest.raises(SizewrightError, match="no answer within"):
        get_json(server.address + "/api/v1/query", {"query": "up"}, Access(wait_s=0.1))


def test_who_may_not_ask_is_told_so(server: Server) -> None:
    server.token = "secret"
    with pytest.raises(BadInput, match="401"):
        get_json(server.address + "/api/v1/query", {"query": "up"})
    assert get_json(server.address + "/api/v1/query", {"query": "up"}, Access(token="secret"))


def test_no_server_is_no_traceback(capsys: pytest.CaptureFixture[str], server: Server) -> None:
    address = "http://127.0.0.1:9"
    assert cli.main(["watch", "--prometheus", address, "--once", "--retries", "0"]) == 1
    assert "127.0.0.1" in capsys.readouterr().err


@pytest.mark.parametrize("address", ["prometheus:9090", "ftp://x", "http://", "http://[", ""])
def test_an_address_that_cannot_be_is_bad_input(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["watch", "--prometheus", address, "--once"]) == 2
    assert "--prometheus" in capsys.readouterr().err


def test_the_command_prints_one_document(
    server: Server, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    server.samples = {"DCGM_FI_DEV_ROW_REMAP_FAILED": [({"Hostname": "n1", "gpu": "0"}, "1")]}
    server.token = "secret"
    monkeypatch.setenv("SIZEWRIGHT_PROMETHEUS_TOKEN", "secret")
    assert cli.main(["watch", "--prometheus", server.address + "/", "--once", "--json"]) == 0
    document = json.loads(capsysbinary.readouterr().out)
    assert [state["node"] for state in document["drain"]] == ["n1"]
