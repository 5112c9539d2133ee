"""A local HTTP server that records the webhook calls it receives."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass
class Receiver:
    """A program that is told things, and answers as it was told to."""

    url: str
    answer: int = 200
    heard: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)


@contextmanager
def listening(answer: int = 200) -> Iterator[Receiver]:
    """A ear on loopback."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            ear.heard.append((self.path, dict(self.headers.items()), body))
            self.send_response(ear.answer)
            if 300 <= ear.answer < 400:
                self.send_header("Location", f"{ear.url}elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *words: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    ear = Receiver(f"http://127.0.0.1:{server.server_port}/", answer)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield ear
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
