"""Start and supervise the processes of a server: one web process and several workers."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.error import URLError
from urllib.request import Request, urlopen

from cranfield.core import ParameterError
from cranfield.server.site.django_setup import check_database, migrate, start
from cranfield.server.site.home_folder import URL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DEATH_OF_PARENT = 1  # PR_SET_PDEATHSIG
AGAIN = 1.0  # seconds before a worker that died is started again
ORDER = 8  # seconds in which requests may come to their end when the server is stopped
PATIENCE = 120.0  # seconds for the first answer, on a machine that is busy too
BEHIND = 10  # in niceness: how far workers stand behind those who answer


@dataclass(frozen=True, kw_only=True)
class Serving:
    """How a server is to run."""

    home: str
    address: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    web: int = 1  # processes that answer
    threads: int = 8  # of each of them
    certificate: str = ""
    key: str = ""
    insecure: bool = False  # a public address without TLS, on somebody's word
    database: str = ""

    @property
    def url(self) -> str:
        """Where it answers."""
        scheme = "https" if self.certificate else "http"
        host = f"[{self.address}]" if ":" in self.address else self.address
        return f"{scheme}://{host}:{self.port}"

    def check(self) -> None:
        """Refuse what would send passwords over the net in the clear."""
        try:
            near = ip_address(self.address).is_loopback
        except ValueError:
            near = self.address == "localhost"
        if not (near or self.certificate or self.insecure):
            hint = "give --certificate and --key, or --insecure if a proxy in front of it does TLS"
            raise ParameterError(f"{self.address} can be reached from outside, and there is no TLS", hint=hint)
        if bool(self.certificate) != bool(self.key):
            raise ParameterError("a certificate and its key belong together", hint="give --certificate and --key")


def die_with_parent(parent: int, how: int = signal.SIGTERM) -> None:
    """Ask the kernel to end this process when the one that started it ends, however that is; now, if it has ended."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(DEATH_OF_PARENT, how)
    if os.getppid() != parent:
        sys.exit(1)


@contextmanager
def stopping() -> Iterator[threading.Event]:
    """What is set when this process is asked to end; afterwards a signal does again what it did before."""
    stop = threading.Event()
    before = {one: signal.signal(one, lambda *_: stop.set()) for one in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield stop
    finally:
        for one, how in before.items():
            signal.signal(one, how)


def step_back() -> None:
    """Let those who answer pages go first: on few cores they would wait for pictures. Before any thread is begun."""
    os.nice(BEHIND)


def serve(how: Serving, *, say: Callable[[str], object], ready: Callable[[str, str], object]) -> int:
    """Run a server until it is told to stop: the processes live and die together. The exit code.

    ``ready`` is told where it answers, and the link that makes the first account, if there is none.
    """
    how.check()
    os.environ.setdefault(URL, how.url)
    start(how.home, database=how.database)
    check_database()
    migrate()
    first = _first_link()
    with stopping() as stop:
        return _watch(how, stop, say=say, ready=lambda: ready(how.url, first))


def _watch(how: Serving, stop: threading.Event, *, say: Callable[[str], object], ready: Callable[[], object]) -> int:
    """Start the processes, and workers that die again, until somebody asks for the end or the web process ends."""
    children = {"web": _child("web", how)}
    children |= {f"worker {i + 1}": _child("work", how) for i in range(how.workers)}
    try:
        if not _answers(how, children["web"], stop):
            if stop.is_set():
                return 0
            ended = children["web"].poll()
            say(f"the web process {f'gave no answer in {PATIENCE:.0f} s' if ended is None else f'ended with {ended}'}")
            return 1
        ready()
        while not stop.wait(0.2):
            for name, child in children.items():
                if child.poll() is None:
                    continue
                if name == "web":
                    say(f"the web process ended with {child.returncode}: stopping")
                    return 1
                say(f"{name} ended with {child.returncode}: starting it again")
                stop.wait(AGAIN)
                children[name] = _child("work", how)
        say("stopping: what is in hand comes to its end first")
        return 0
    finally:
        _end(children)


def _first_link() -> str:
    """Asked for before anything runs: from then on, whoever watches needs no database, which may be away."""
    from django.db import connections

    from cranfield.server.accounts.invitations import first_operator_link

    try:
        return first_operator_link()
    finally:
        connections.close_all()


def _child(what: str, how: Serving) -> subprocess.Popen[bytes]:
    told = json.dumps(asdict(replace(how, database="")))  # its password is in the environment, where others do not look
    # A session of its own: Ctrl-C reaches the watcher alone, which then ends the others in order.
    return subprocess.Popen(
        [sys.executable, "-m", "cranfield.server.jobs.processes", what, told, str(os.getpid())],
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )


def _answers(how: Serving, web: subprocess.Popen[bytes], stop: threading.Event) -> bool:
    """Wait for the first answer."""
    import ssl

    unchecked = ssl._create_unverified_context() if how.certificate else None  # the certificate is the operator's own
    here = replace(how, address={"0.0.0.0": "127.0.0.1", "::": "::1"}.get(how.address, how.address))
    near = Request(f"{here.url}/health", headers={"Host": "localhost"})  # by whatever name others know it
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and web.poll() is None and not stop.is_set():
        try:
            with urlopen(near, timeout=2, context=unchecked) as answer:
                return bool(answer.status == 200)
        except (URLError, OSError):
            stop.wait(0.1)
    return False


def _end(children: dict[str, subprocess.Popen[bytes]]) -> None:
    for child in children.values():
        if child.poll() is None:
            child.terminate()
    until = time.monotonic() + 2 * ORDER + 4
    for child in children.values():
        try:
            child.wait(max(0.1, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()


def _web(how: Serving) -> None:
    from pathlib import Path

    from granian import Granian
    from granian.constants import Interfaces
    from granian.log import LogLevels

    Granian(
        "cranfield.server.wsgi:application",
        address=how.address,
        port=how.port,
        interface=Interfaces.WSGI,
        workers=how.web,
        blocking_threads=how.threads,
        workers_kill_timeout=ORDER,
        websockets=False,
        log_access=False,
        log_level=LogLevels.error,
        ssl_cert=Path(how.certificate) if how.certificate else None,
        ssl_key=Path(how.key) if how.key else None,
        process_name=None,
    ).serve()


def main() -> None:
    """A child: ``web`` or ``work``, and how."""
    what, told, parent = sys.argv[1:]
    how = Serving(**json.loads(told))
    die_with_parent(int(parent))
    if what == "web":
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "cranfield.server.settings")
        _web(how)
        return
    step_back()
    start(how.home, database=how.database)
    from .job_queue import work

    with stopping() as stop:
        work(stop=stop)


if __name__ == "__main__":
    main()
