"""How a server is reached: certificates of both sides, logins, slow and busy servers, on loopback."""

from __future__ import annotations

import base64
import json
import shutil
import ssl
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from assistant import cli, remote
from assistant.remote import Access, get_json
from knowledge.errors import BadInput, SizewrightError

OPENSSL = shutil.which("openssl")
pytestmark = pytest.mark.skipif(OPENSSL is None, reason="openssl is not installed")


class Server(ThreadingHTTPServer):
    """Answers every question with no samples; ``statuses`` are given first, one a request."""

    daemon_threads = True
    login: str | None = None
    scheme = "http"

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.statuses: list[int] = []
        self.asked = 0

    @property
    def address(self) -> str:
        return f"{self.scheme}://localhost:{self.server_address[1]}"

    def handle_error(self, *args: Any) -> None:
        """A client that refuses our certificate is expected."""


class Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, *args: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self.server.asked += 1
        wanted = self.server.login and "Basic " + base64.b64encode(self.server.login.encode()).decode()
        refused = bool(wanted) and self.headers.get("Authorization") != wanted
        data: object = [] if "label" in self.path else {"resultType": "vector", "result": []}
        status = 401 if refused else self.server.statuses.pop(0) if self.server.statuses else 200
        body = json.dumps({"status": "success", "data": data}).encode() if status == 200 else b"not now"
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _openssl(folder: Path, *args: str) -> None:
    subprocess.run([str(OPENSSL), *args], cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An authority, and certificates of a server on this machine and of a client signed by it."""
    folder = tmp_path_factory.mktemp("certificates")
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2")
    _openssl(folder, "req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=authority")
    for name, extra in (("server", ("-addext", "subjectAltName=DNS:localhost")), ("client", ())):
        signed = ("-CA", "ca.pem", "-CAkey", "ca.key", "-subj", f"/CN={name}")
        _openssl(folder, "req", "-x509", *key, *signed, *extra, "-keyout", f"{name}.key", "-out", f"{name}.pem")
    return folder


def _serve(context: ssl.SSLContext | None) -> Iterator[Server]:
    running = Server()
    if context is not None:
        running.scheme = "https"
        running.socket = context.wrap_socket(running.socket, server_side=True)
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield running
    running.shutdown()
    running.server_close()
    thread.join()


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(remote, "PAUSE_S", 0.01)


@pytest.fixture
def plain() -> Iterator[Server]:
    yield from _serve(None)


@pytest.fixture
def encrypted(certificates: Path) -> Iterator[Server]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates / "server.pem", certificates / "server.key")
    yield from _serve(context)


@pytest.fixture
def asking(certificates: Path) -> Iterator[Server]:
    """A server that wants to know who asks."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates / "server.pem", certificates / "server.key")
    context.load_verify_locations(certificates / "ca.pem")
    context.verify_mode = ssl.CERT_REQUIRED
    yield from _serve(context)


def _watch(server: Server, *options: str) -> int:
    return cli.main(["watch", "--prometheus", server.address, "--once", "--json", "--retries", "0", *options])


def test_a_certificate_of_an_unknown_authority_is_refused(
    encrypted: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _watch(encrypted) == 1
    assert "certificate" in capsys.readouterr().err.lower()


def test_an_authority_can_be_named(encrypted: Server, certificates: Path) -> None:
    assert _watch(encrypted, "--ca-file", str(certificates / "ca.pem")) == 0


def test_trusting_any_certificate_is_said(encrypted: Server, capsys: pytest.CaptureFixture[str]) -> None:
    assert _watch(encrypted, "--insecure") == 0
    assert "not checked" in capsys.readouterr().err


def test_a_server_may_ask_for_our_certificate(asking: Server, certificates: Path) -> None:
    authority = ("--ca-file", str(certificates / "ca.pem"))
    ours = ("--cert", str(certificates / "client.pem"), "--key", str(certificates / "client.key"))
    assert _watch(asking, *authority) == 1
    assert _watch(asking, *authority, *ours) == 0


def test_a_login_is_sent(plain: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    plain.login = "ops:secret"
    monkeypatch.setenv("SIZEWRIGHT_PROMETHEUS_PASSWORD", "secret")
    assert _watch(plain, "--user", "ops") == 0
    monkeypatch.setenv("SIZEWRIGHT_PROMETHEUS_PASSWORD", "guess")
    assert _watch(plain, "--user", "ops") == 2
    error = capsys.readouterr().err
    assert "401" in error
    assert "guess" not in error


def test_a_busy_server_is_asked_again(plain: Server) -> None:
    plain.statuses = [503, 429]
    assert get_json(plain.address, {}, Access(tries=3))
    assert plain.asked == 3


def test_a_server_that_stays_busy_is_given_up(plain: Server) -> None:
    plain.statuses = [503] * 5
    with pytest.raises(SizewrightError, match="localhost"):
        get_json(plain.address + "/api", {}, Access(tries=2))
    assert plain.asked == 2


def test_no_server_is_tried_as_often_as_asked_for() -> None:
    with pytest.raises(SizewrightError, match=r"127\.0\.0\.1"):
        get_json("http://127.0.0.1:9/", {}, Access(tries=2))


@pytest.mark.parametrize(
    ("options", "field"),
    [
        (("--ca-file", "/no/such/file"), "--ca-file"),
        (("--cert", "/no/such/file"), "--cert"),
        (("--key", "some.key"), "--key"),
        (("--timeout", "0"), "--timeout"),
        (("--retries", "99"), "--retries"),
    ],
)
def test_options_that_cannot_be_are_named(
    options: tuple[str, ...], field: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["watch", "--prometheus", "http://localhost:9", "--once", *options]) == 2
    assert field in capsys.readouterr().err


def test_a_file_that_holds_no_certificate_is_named(tmp_path: Path) -> None:
    path = tmp_path / "empty.pem"
    path.write_text("nothing", encoding="utf-8")
    with pytest.raises(BadInput, match="PEM"):
        get_json("https://localhost:9", {}, Access(ca_file=str(path)))
