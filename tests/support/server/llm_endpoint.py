"""A local stand-in for an LLM endpoint: a scripted server of chat completions."""

from __future__ import annotations

import json
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

USAGE = {"prompt_tokens": 70, "completion_tokens": 8, "total_tokens": 78}


@dataclass(frozen=True, kw_only=True)
class Reply:
    """An answer as it goes over the wire."""

    status: int = 200
    body: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    seconds: float = 0  # that it takes
    drips: bool = False  # byte for byte over that time


def completion(text: str | None, **more: Any) -> Reply:
    """What a model says."""
    said = {"model": "standin-2026-11", "choices": [{"message": {"role": "assistant", "content": text}}]}
    return Reply(body=json.dumps(said | {"usage": USAGE}), **more)


def graded(grade: Any, why: str = "It says so.") -> Reply:
    """A grade as the prompt asks for it."""
    return completion(json.dumps({"grade": grade, "why": why}))


def error(status: int, message: str, **headers: str) -> Reply:
    """A refusal, in the usual form."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status=status, body=json.dumps({"error": {"message": message}}), headers=named)


@dataclass
class StandIn:
    """A model that answers what it was told to, first the script, and keeps what it hears."""

    url: str
    says: Callable[[str], Reply]
    script: list[Reply] = field(default_factory=list)
    heard: list[tuple[str, dict[str, str], dict[str, Any]]] = field(default_factory=list)

    @property
    def prompts(self) -> list[str]:
        """What was asked, in order."""
        return [body["messages"][0]["content"] for _, _, body in self.heard]


@contextmanager
def standing_in(says: Callable[[str], Reply]) -> Iterator[StandIn]:
    """A model on loopback."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            model.heard.append((self.path, dict(self.headers.items()), body))
            reply = model.script.pop(0) if model.script else model.says(body["messages"][0]["content"])
            content = reply.body.encode()
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            try:
                self._send(content, reply)
            except OSError:  # who asked has gone
                self.close_connection = True

        def _send(self, content: bytes, reply: Reply) -> None:
            pieces = [content[i : i + 1] for i in range(len(content))] if reply.drips else [content]
            for piece in pieces:
                time.sleep(reply.seconds / len(pieces))
                self.wfile.write(piece)
                self.wfile.flush()

        def log_message(self, *words: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.block_on_close = False
    model = StandIn(f"http://127.0.0.1:{server.server_port}/v1", says)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
