"""A filled server that runs in a separate process, for tests of commands."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[3]
FILL = """
import json, sys
from datetime import timedelta
from cranfield.server.site.django_setup import migrate, start
start(sys.argv[1])
migrate()
from django.utils import timezone
from cranfield.server.models import Submission, Token
from tests.support.server.users_and_tasks import World
world = World.make()
world.filled("ad-hoc", private=4, labels_public=True, limit=1000)
world.task("narrow", limit=1)
later = timezone.now() + timedelta(days=1)
tokens = {name: Token.make(world.people[name], name, Token.ORGANISE, later)[1] for name in world.people}
tokens["reader"] = Token.make(world.people["alice"], "reader", Token.READ, later)[1]
tokens["expired"] = Token.make(world.people["alice"], "expired", Token.SUBMIT, timezone.now() - timedelta(days=1))[1]
print(json.dumps({"tokens": tokens, "keys": dict(Submission.objects.values_list("name", "key"))}))
"""


@dataclass(frozen=True)
class Running:
    """A server that answers, and what is in it."""

    url: str
    home: Path
    tokens: dict[str, str]
    keys: dict[str, str]
    said: Path

    @property
    def task(self) -> str:
        return f"{self.url}/tasks/ad-hoc/"


def free_port() -> int:
    """A port on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as ear:
        return int(ear.getsockname()[1])


def started(*words: str, said: Path, **environment: str) -> subprocess.Popen[str]:
    """A command that goes on: what it says on stdout is read, the rest goes to a file."""
    with said.open("w") as words_of_it:
        return subprocess.Popen(
            [sys.executable, "-c", "from cranfield.cli import main; main()", *words],
            stdout=subprocess.PIPE,
            stderr=words_of_it,
            text=True,
            env=os.environ | environment,
        )


def first_line(process: subprocess.Popen[str], said: Path) -> str:
    """What it says first on stdout: a server says where it is, once it answers."""
    assert process.stdout is not None
    line = process.stdout.readline().strip()
    assert line, said.read_text()
    return line


def ended(process: subprocess.Popen[str]) -> int:
    """Its exit code after Ctrl-C."""
    process.send_signal(signal.SIGINT)
    try:
        return process.wait(30)
    finally:
        process.kill()
        process.communicate()


def filled(home: Path) -> dict[str, dict[str, str]]:
    """A home with two tasks, four runs and everybody's tokens; the tokens, and the keys of the runs."""
    made = subprocess.run(
        [sys.executable, "-c", FILL, str(home)], cwd=ROOT, capture_output=True, text=True, check=False, timeout=300
    )
    assert made.returncode == 0, made.stderr
    told: dict[str, dict[str, str]] = json.loads(made.stdout)
    return told


@contextmanager
def serving(folder: Path) -> Iterator[Running]:
    """A server with that."""
    home, said = folder / "home", folder / "said.txt"
    told = filled(home)
    process = started("serve", "--home", str(home), "--port", str(free_port()), said=said)
    try:
        yield Running(first_line(process, said), home, told["tokens"], told["keys"], said)
    finally:
        assert ended(process) == 0
