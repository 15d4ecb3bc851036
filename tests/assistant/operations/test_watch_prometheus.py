"""Watch against a real Prometheus, started here on loopback, that scrapes a made exporter page."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from assistant import cli
from assistant.remote import get_json
from knowledge.errors import SizewrightError

PROMETHEUS = shutil.which("prometheus")
pytestmark = pytest.mark.skipif(PROMETHEUS is None, reason="prometheus is not installed")

PAGE = b"""# TYPE DCGM_FI_DEV_XID_ERRORS gauge
DCGM_FI_DEV_XID_ERRORS{gpu="0",Hostname="n1"} 0
DCGM_FI_DEV_XID_ERRORS{gpu="5",Hostname="n2"} 119
# TYPE DCGM_FI_DEV_ROW_REMAP_PENDING gauge
DCGM_FI_DEV_ROW_REMAP_PENDING{gpu="1",Hostname="n1"} 1
# TYPE DCGM_FI_DEV_CLOCK_THROTTLE_REASONS gauge
DCGM_FI_DEV_CLOCK_THROTTLE_REASONS{gpu="3",Hostname="n3"} 72
"""


class Exporter(BaseHTTPRequestHandler):
    def log_message(self, *args: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.send_header("Content-Length", str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    exporter = ThreadingHTTPServer(("127.0.0.1", 0), Exporter)
    thread = threading.Thread(target=exporter.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    config = {
        "global": {"scrape_interval": "1s"},
        "scrape_configs": [
            {"job_name": "dcgm", "static_configs": [{"targets": [f"127.0.0.1:{exporter.server_address[1]}"]}]}
        ],
    }
    (tmp_path / "prometheus.yml").write_text(json.dumps(config), encoding="utf-8")
    port = _free_port()
    command = [
        str(PROMETHEUS),
        f"--config.file={tmp_path / 'prometheus.yml'}",
        f"--storage.tsdb.path={tmp_path / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_for_samples(f"http://127.0.0.1:{port}")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)
        exporter.shutdown()
        exporter.server_close()
        thread.join()


def _wait_for_samples(address: str) -> None:
    for _ in range(240):
        try:
            answer = get_json(address + "/api/v1/query", {"query": "DCGM_FI_DEV_XID_ERRORS"})
        except SizewrightError:
            answer = {}
        if isinstance(answer, dict) and answer.get("data", {}).get("result"):
            return
        time.sleep(0.25)
    pytest.fail("prometheus did not scrape")


def test_a_real_server_names_the_nodes_to_drain(address: str, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert cli.main(["watch", "--prometheus", address, "--once", "--json"]) == 0
    document = json.loads(capsysbinary.readouterr().out)
    drained = {state["node"]: {item["alert"] for item in state["because"]} for state in document["drain"]}
    assert drained["n2"] == {"GpuGspFault"}
    assert "n1" not in drained
    # Heat that lasts for seconds yet, not for five minutes, is watched.
    watched = {
        state["node"]: {item["alert"]: item["lasted"] for item in state["because"]} for state in document["watch"]
    }
    assert set(watched) == {"n1", "n3"}
    assert watched["n3"]["GpuHardwareThermalSlowdown"] is False
    assert all("no such series" in missing["why"] for missing in document["not_evaluated"])
