"""A loopback server that speaks, or fails to speak, like an OpenAI-compatible endpoint."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = Callable[[BaseHTTPRequestHandler], None]


class Endpoint:
    """A loopback server with one reply; ``seen`` holds path, authorization and body of each request."""

    def __init__(self) -> None:
        self.reply: Reply = self.say("A report is due from 500 kW on [L-EED-01].")
        self.seen: list[tuple[str, str | None, dict[str, Any]]] = []
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                endpoint.seen.append((self.path, self.headers.get("Authorization"), json.loads(body)))
                endpoint.reply(self)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    @staticmethod
    def raw(body: bytes, status: int = 200, length: int | None = None) -> Reply:
        def reply(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(status)
            handler.send_header("Content-Length", str(len(body) if length is None else length))
            handler.end_headers()
            handler.wfile.write(body)

        return reply

    @classmethod
    def say(cls, text: str) -> Reply:
        return cls.raw(json.dumps({"choices": [{"message": {"role": "assistant", "content": text}}]}).encode())
