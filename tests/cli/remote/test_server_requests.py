"""What the commands say to other machines, and make of what those answer."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING

import pytest

from cranfield.core import InputError, ParameterError
from cranfield.server.api import client
from cranfield.server.api.client import Address, Form
from tests.support.cli.commands import Command, expect_refusal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("nothing_saved")


@contextmanager
def other_server(status: int, kind: str, body: bytes, **headers: str) -> Iterator[str]:
    """A web server that is not ours."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words: object) -> None:
            pass

    found = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=found.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{found.server_port}"
    finally:
        found.shutdown()
        thread.join()
        found.server_close()


@pytest.mark.parametrize(
    ("status", "kind", "body", "error"),
    [
        (200, "text/html", b"<p>hello", "this is no cranfield server, or another address of it (it answered 200)"),
        (404, "text/html", b"<p>nothing", "this is no cranfield server, or another address of it (it answered 404)"),
        (502, "application/json", b"[]", "this is no cranfield server, or another address of it (it answered 502)"),
    ],
    ids=["a page", "no page", "other JSON"],
)
def test_what_is_no_server_of_ours(cranfield: Command, status: int, kind: str, body: bytes, error: str) -> None:
    with other_server(status, kind, body) as url:
        ended = cranfield("status", f"{url}/runs/0123456789ab/")
    expect_refusal(
        ended, 1, f"{url}: {error}", "give the address of the task's page: https://example.org/tasks/ad-hoc/"
    )


def test_a_token_is_not_carried_elsewhere(cranfield: Command) -> None:
    with other_server(302, "text/html", b"", Location="http://127.0.0.1:1/") as url:
        ended = cranfield("status", f"{url}/runs/0123456789ab/", "--token", "cf_0123456789")
    expect_refusal(ended, 1, f"{url} sends to http://127.0.0.1:1/", "give that address")


def test_a_proxy_s_413_has_words_too(cranfield: Command) -> None:
    with other_server(413, "text/html", b"<h1>413") as url:
        ended = cranfield("status", f"{url}/runs/0123456789ab/")
    expect_refusal(ended, 1, "the file is larger than the server takes", "pack it with gzip or zstd")


def test_proxies_of_the_environment_are_asked(cranfield: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    with other_server(404, "application/json", b'{"error": "by the proxy", "hint": "none"}') as url:
        monkeypatch.setenv("http_proxy", url)
        ended = cranfield("status", "http://example.invalid/runs/0123456789ab/")
    expect_refusal(ended, 1, "by the proxy", "none")


def test_what_speaks_another_language(cranfield: Command) -> None:
    with socket.create_server(("127.0.0.1", 0)) as ear:

        def talk() -> None:
            line, _ = ear.accept()
            with line:
                line.recv(1000)
                line.sendall(b"SSH-2.0-OpenSSH\r\n")

        thread = threading.Thread(target=talk)
        thread.start()
        place = f"http://127.0.0.1:{ear.getsockname()[1]}"
        ended = cranfield("status", f"{place}/runs/0123456789ab/")
        thread.join()
    error = f"{place}: what answers there does not speak the same language"
    expect_refusal(ended, 1, error, "check the address: does it start with http:// or https://?")


def test_a_server_that_has_heard_enough(tmp_path: Path) -> None:
    """It answers before the end of the file, and closes: its answer is what the user reads."""
    big = tmp_path / "big.run"
    big.write_bytes(b"x" * (4 << 20))
    said = b'{"error": "the file is larger than 1 MB", "hint": "pack it", "code": "E-LARGE"}'
    with socket.create_server(("127.0.0.1", 0)) as ear:

        def talk() -> None:
            line, _ = ear.accept()
            with line:
                line.recv(2000)
                head = (
                    f"HTTP/1.1 413 Too Large\r\nContent-Type: application/json\r\nContent-Length: {len(said)}\r\n\r\n"
                )
                line.sendall(head.encode() + said)
                time.sleep(0.3)  # as a web server lingers

        thread = threading.Thread(target=talk)
        thread.start()
        there = client.Server(Address.of(f"http://127.0.0.1:{ear.getsockname()[1]}/tasks/x/"), "cf_token")
        with pytest.raises(client.ServerSaid) as caught:
            there.send("tasks/x/check", {}, name="run", file=big)
        thread.join()
    # The kernel may throw away what was said when the line is cut; then at least the hint is of use.
    assert caught.value.status == 413 or "the connection broke off" in caught.value.problem


def test_progress_is_told_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / 'a"b.run'
    file.write_bytes(b"y" * 600_000)
    form, seen = Form({"name": "é"}, "run", file), []
    body = b"".join(form.pieces(lambda done, total: seen.append((done, total))))
    assert len(body) == int(form.headers["Content-Length"])
    assert seen == [(262_144, 600_000), (524_288, 600_000), (600_000, 600_000)]
    assert b'filename="a_b.run"' in body
    assert "é".encode() in body


def test_a_file_that_shrinks_is_told(tmp_path: Path) -> None:
    file = tmp_path / "a.run"
    file.write_bytes(b"y" * 600_000)
    form = Form({}, "run", file)
    file.write_bytes(b"y" * 10)
    with pytest.raises(InputError, match="became shorter"):
        list(form.pieces(None))


@pytest.mark.parametrize(
    ("text", "base", "task", "run"),
    [
        ("https://example.org/tasks/ad-hoc/", "https://example.org", "ad-hoc", ""),
        ("https://example.org/tasks/ad-hoc", "https://example.org", "ad-hoc", ""),
        ("https://example.org/api/tasks/ad-hoc", "https://example.org", "ad-hoc", ""),
        ("https://example.org/tasks/ad-hoc/boards/3/?x=1#y", "https://example.org", "ad-hoc", ""),
        ("http://localhost:8000/runs/0123456789ab/", "http://localhost:8000", "", "0123456789ab"),
        ("http://localhost:8000/api/submissions/0123456789ab", "http://localhost:8000", "", "0123456789ab"),
        ("https://example.org/under/here/tasks/x/", "https://example.org/under/here", "x", ""),
        ("https://me:secret@example.org/", "https://example.org", "", ""),
        ("https://example.org/api/", "https://example.org", "", ""),
        ("https://example.org", "https://example.org", "", ""),
    ],
)
def test_addresses(text: str, base: str, task: str, run: str) -> None:
    assert Address.of(text) == Address(base=base, task=task, run=run)


@pytest.mark.parametrize(
    "text", ["example.org/tasks/x", "ftp://example.org/tasks/x", "https://", "https://x:99999/", ""]
)
def test_no_addresses(text: str) -> None:
    with pytest.raises(ParameterError, match="is no address"):
        Address.of(text)


def test_who_may_read_along() -> None:
    assert Address.of("http://example.org/tasks/x/").in_the_clear
    assert not Address.of("https://example.org/tasks/x/").in_the_clear
    assert not Address.of("http://127.0.0.1:8000/tasks/x/").in_the_clear
