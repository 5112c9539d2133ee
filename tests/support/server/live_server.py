"""A running server in separate processes, and clients that submit runs over HTTP."""

from __future__ import annotations

import http.client
import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from tests.support.server.home_subprocess import environment

if TYPE_CHECKING:
    from collections.abc import Callable

LEASE = 3  # seconds


def free_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def is_free(port: int) -> bool:
    """Whether somebody could listen there."""
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            one.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def wait_for(happened: Callable[[], Any], seconds: float, what: str) -> None:
    """Wait until something has happened."""
    until = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < until, f"in {seconds} seconds: no {what}"
        time.sleep(0.05)


@dataclass
class Running:
    """``cranfield serve`` for a home, started again after every death."""

    home: Path
    database: str = ""
    workers: int = 1
    port: int = field(default_factory=free_port)
    main: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> Path:
        """What it said on stderr."""
        return self.home.with_name(f"{self.home.name}.log")

    def start(self) -> None:
        """Start it, and wait until it answers."""
        words = ["serve", "--home", str(self.home), "--port", str(self.port), "--workers", str(self.workers)]
        words += ["--database", self.database] if self.database else []
        with self.log.open("ab") as log:
            self.main = subprocess.Popen(
                [sys.executable, "-c", "from cranfield.cli import run; run()", *words],
                env=environment(CRANFIELD_LEASE=str(LEASE)),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        wait_for(self._answers, 90, f"answer: {self.log.read_text()[-2000:]}")

    def _answers(self) -> bool:
        assert self.main is not None
        assert self.main.poll() is None, self.log.read_text()[-3000:]
        with suppress(OSError, http.client.HTTPException):
            return self.get("/health")[0] == 200
        return False

    def processes(self, what: str = "") -> list[int]:
        """The processes that work for this home: ``web``, ``work``, or all but the one that was started."""
        found = []
        for folder in Path("/proc").iterdir():
            with suppress(OSError):
                line = (folder / "cmdline").read_bytes().split(b"\0") if folder.name.isdigit() else []
                ours = b"cranfield.server.jobs.processes" in line and str(self.home).encode() in b" ".join(line)
                state = (folder / "stat").read_text().rpartition(")")[2].split()[0] if ours else ""
                if ours and state != "Z" and (not what or what.encode() in line):
                    found.append(int(folder.name))
        return sorted(found)

    def kill(self, what: str) -> None:
        """End one as ``kill -9`` does: the worker, the first or last web process, the one that watches over them."""
        assert self.main is not None
        if what == "main":
            self.main.send_signal(signal.SIGKILL)
            return
        kind = what.removeprefix("last ")
        wait_for(lambda: self.processes(kind), 30, kind)
        with suppress(ProcessLookupError):
            os.kill(self.processes(kind)[-1 if what != kind else 0], signal.SIGKILL)

    def is_gone(self) -> None:
        """No process is left, and the port is free."""
        assert self.main is not None
        wait_for(lambda: self.main is None or self.main.poll() is not None, 40, "end of the one that was started")
        wait_for(lambda: not self.processes(), 30, f"end of web {self.processes('web')}, work {self.processes('work')}")
        assert is_free(self.port)

    def stop(self) -> int:
        """End it in order; its exit code."""
        assert self.main is not None
        self.main.terminate()
        self.is_gone()
        return int(self.main.returncode)

    def end(self) -> None:
        """Whatever state it is in: leave nothing behind."""
        if self.main is not None and self.main.poll() is None:
            self.main.kill()
            self.main.wait()
        for number in self.processes():
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)

    def ask(
        self, method: str, path: str, body: bytes = b"", **headers: str
    ) -> tuple[int, str, http.client.HTTPMessage]:
        """One request; status, text, headers."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=40)
        try:
            link.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
            answer = link.getresponse()
            return answer.status, answer.read().decode("utf-8", "replace"), answer.headers
        finally:
            link.close()

    def get(self, path: str) -> tuple[int, str]:
        """What stands at an address."""
        return self.ask("GET", path)[:2]


def form(fields: dict[str, str], name: str, content: str) -> tuple[bytes, str]:
    """A form with a file, and its type."""
    edge = secrets.token_hex(8)
    parts = [
        f'--{edge}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n' for key, value in fields.items()
    ]
    parts.append(f'--{edge}\r\nContent-Disposition: form-data; name="run"; filename="{name}.run"\r\n\r\n{content}\r\n')
    return ("".join(parts) + f"--{edge}--\r\n").encode(), f"multipart/form-data; boundary={edge}"


def hand_in(server: Running, token: str, name: str, content: str) -> tuple[int, dict[str, Any]]:
    """A run through the API: status, and what the server says."""
    body, kind = form({"name": name}, name, content)
    answer = server.ask(
        "POST", "/api/tasks/ad-hoc/submissions", body, Content_Type=kind, Authorization=f"Bearer {token}"
    )
    return answer[0], json.loads(answer[1])


class Browser:
    """Somebody with a browser: cookies, and tokens out of forms."""

    def __init__(self, server: Running) -> None:
        self.server = server
        self.cookies: dict[str, str] = {}

    def ask(self, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, str]:
        """One request with all cookies."""
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        status, text, given = self.server.ask(method, path, body, Cookie=cookie, **headers)
        for line in given.get_all("Set-Cookie") or []:
            name, _, value = line.partition(";")[0].partition("=")
            self.cookies[name] = value
        return status, text

    def token(self, path: str) -> str:
        """The hidden field of the forms of a page."""
        found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', self.ask("GET", path)[1])
        assert found, path
        return found[1]

    def post(self, path: str, page: str, **fields: str) -> tuple[int, str]:
        """A form without a file."""
        body = urlencode(fields | {"csrfmiddlewaretoken": self.token(page)}).encode()
        return self.ask("POST", path, body, Content_Type="application/x-www-form-urlencoded")
