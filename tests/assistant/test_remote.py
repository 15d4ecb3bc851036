"""Fetching a config from a hub on this machine that answers well, wrongly, slowly, in part, or with bad intent."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from assistant import cli, remote
from knowledge.errors import BadInput, SizewrightError

CONFIG = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256,
    "max_position_embeddings": 8192, "torch_dtype": "bfloat16", "tie_word_embeddings": False,
}  # fmt: skip
"""Llama 3 8B's shape: 2 x 8 heads x 128 x 32 layers x 2 bytes = 131,072 bytes of cache a token."""

Answer = Callable[[BaseHTTPRequestHandler], None]


class Hub:
    """A loopback server with one answer; ``seen`` holds path and Authorization of each request."""

    def __init__(self) -> None:
        self.answer: Answer = self.send(200, json.dumps(CONFIG).encode())
        self.seen: list[tuple[str, str | None]] = []
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                hub.seen.append((self.path, self.headers.get("Authorization")))
                hub.answer(self)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    @staticmethod
    def send(status: int, body: bytes = b"", length: int | None = None, **headers: str) -> Answer:
        def answer(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(status)
            handler.send_header("Content-Length", str(len(body) if length is None else length))
            for name, value in headers.items():
                handler.send_header(name, value)
            handler.end_headers()
            handler.wfile.write(body)

        return answer


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "HF_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    found = Hub()
    monkeypatch.setenv("HF_ENDPOINT", found.address)
    monkeypatch.setattr(remote, "cache_folder", lambda: tmp_path / "configs")
    yield found
    found.server.shutdown()
    found.server.server_close()


def test_fetched_once_then_from_the_cache(hub: Hub) -> None:
    place = remote.fetch_config("somebody/some-model")
    assert json.loads(place.read_text()) == CONFIG
    assert remote.fetch_config("somebody/some-model") == place
    assert hub.seen == [("/somebody/some-model/resolve/main/config.json", None)]
    assert [p.name for p in place.parent.iterdir()] == ["config.json"]


def test_token_goes_to_the_endpoint_alone(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    other = Hub()
    hub.answer = hub.send(307, Location=f"{other.address}/elsewhere")
    remote.fetch_config("somebody/some-model")
    assert hub.seen[0][1] == "Bearer hf_secret"
    assert other.seen == [("/elsewhere", None)]
    other.server.shutdown()
    other.server.server_close()


@pytest.mark.parametrize("name", ["no-owner", "a/b/c", "../etc/passwd", "a/..", "a/b?c", "https://x/y", "", "a/b\n"])
def test_names_that_are_no_repository(hub: Hub, name: str) -> None:
    with pytest.raises(BadInput):
        remote.fetch_config(name)
    assert hub.seen == []


@pytest.mark.parametrize(
    "address", ["http://example.org", "ftp://127.0.0.1", "file:///etc", "huggingface.co", "http://["]
)
def test_endpoints_that_are_refused(hub: Hub, monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("HF_ENDPOINT", address)
    with pytest.raises(BadInput, match="HF_ENDPOINT"):
        remote.fetch_config("somebody/some-model")


@pytest.mark.parametrize(("status", "words"), [(401, "HF_TOKEN"), (403, "HF_TOKEN"), (404, "none of this name")])
def test_what_the_user_can_mend_is_bad_input(hub: Hub, status: int, words: str) -> None:
    hub.answer = hub.send(status, b"no")
    with pytest.raises(BadInput, match=words):
        remote.fetch_config("somebody/some-model")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Hub.send(500, b"oops"), "status 500"),
        (Hub.send(200, b"<html>not found</html>"), "JSON object"),
        (Hub.send(200, b"[1, 2]"), "JSON object"),
        (Hub.send(200, b"[" * 100_000), "JSON object"),
        (Hub.send(200, b'{"a":' * 3000 + b"1" + b"}" * 3000), "JSON object"),
        (Hub.send(200, b"\xff\xfe{}"), "JSON object"),
        (Hub.send(200, b'{"model_type":', length=5000), "cannot be fetched"),
        (Hub.send(200, b"{", length=10**15), "larger than"),
        (Hub.send(200, b" " * (3 * 2**20)), "larger than"),
        (Hub.send(302, Location="http://example.org/config.json"), "not HTTPS"),
        (Hub.send(302, Location="file:///etc/passwd"), "not HTTPS"),
        (Hub.send(302, Location="/somebody/some-model/again"), "redirects more than"),
    ],
)
def test_hostile_and_broken_replies(hub: Hub, answer: Answer, words: str) -> None:
    hub.answer = answer
    with pytest.raises(SizewrightError, match=words):
        remote.fetch_config("somebody/some-model")
    assert list(remote.cache_folder().rglob("config.json")) == []


def test_a_reply_that_drips_is_given_up(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "MOST_SECONDS", 0.3)
    released = threading.Event()

    def drip(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        for _ in range(100):
            handler.wfile.write(b" ")
            handler.wfile.flush()
            if released.wait(0.05):
                return

    hub.answer = drip
    with pytest.raises(SizewrightError, match="within"):
        remote.fetch_config("somebody/some-model")
    released.set()


def test_a_silent_hub_times_out(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "WAIT_SECONDS", 0.2)
    released = threading.Event()

    def silence(handler: BaseHTTPRequestHandler) -> None:
        released.wait(10)

    hub.answer = silence
    with pytest.raises(SizewrightError, match="no answer in time"):
        remote.fetch_config("somebody/some-model")
    released.set()


def test_no_network_says_what_to_do(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.server.shutdown()
    hub.server.server_close()
    with pytest.raises(SizewrightError, match=r"copy the repository's config\.json"):
        remote.fetch_config("somebody/some-model")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(SizewrightError, match="HF_HUB_OFFLINE"):
        remote.fetch_config("somebody/some-model")


def test_estimate_fetches_only_when_asked(hub: Hub, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["estimate", "serve", "--model", "somebody/some-model", "--gpu", "h100", "--context", "8192", "--json"]
    assert cli.main(words) == 2
    assert hub.seen == []
    capsys.readouterr()
    assert cli.main([*words, "--fetch"]) == 0
    assert json.loads(capsys.readouterr().out)["kv_bytes_per_token_per_gpu"] == 131_072


def test_a_model_of_the_catalogue_is_not_fetched(hub: Hub, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["estimate", "serve", "--model", "Qwen/Qwen3-8B", "--gpu", "h100", "--context", "8192", "--json", "--fetch"]
    assert cli.main(words) == 0
    assert hub.seen == []


def test_lines_are_fetched_and_fail_each_for_itself(
    hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [{"model": "somebody/some-model", "gpu": "h100", "context": 8192}, {"model": "a/..", "gpu": "h100"}]
    file = tmp_path / "lines.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert cli.main(["estimate", "serve", "--fetch", "--jsonl", str(file)]) == 0
    good, bad = map(json.loads, capsys.readouterr().out.splitlines())
    assert good["fits"] is True
    assert bad["error"]["field"] == "model"


def test_not_imported_otherwise() -> None:
    code = (
        "import sys; from assistant.cli import main; "
        "main(['estimate', 'serve', '--model', 'qwen3 8b', '--gpu', 'h100', '--context', '8192', '--json']); "
        "sys.exit(any(name in sys.modules for name in ('httpx', 'assistant.remote')))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0
