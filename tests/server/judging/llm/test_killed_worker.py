"""A worker that asks a machine is killed, and another process goes on."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from cranfield.server.models import Machine
from cranfield.server.site.home_folder import Home
from tests.support.server.home_subprocess import environment
from tests.support.server.live_server import LEASE, wait_for
from tests.support.server.llm_endpoint import graded, standing_in
from tests.support.server.llm_judging import KEY, VARIABLE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


MAKE = """\
import sys
from cranfield.server.site.django_setup import migrate, start
start(sys.argv[1])
migrate()
from tests.support.server import llm_judging
from tests.support.server.users_and_tasks import World
world = World.make()
llm_judging.start(world, llm_judging.pooled(world))
"""


@pytest.mark.once
def test_a_worker_that_is_killed_is_followed_by_another_process(tmp_path: Path) -> None:
    home = Home(tmp_path / "home").make()
    own = environment(CRANFIELD_LEASE=str(LEASE), **{VARIABLE: KEY})

    def rows(what: str) -> list[tuple[object, ...]]:
        with closing(sqlite3.connect(home.database, timeout=30)) as database:
            return database.execute(what).fetchall()

    @contextmanager
    def worker() -> Iterator[subprocess.Popen[bytes]]:
        words = ["worker", "--home", str(home.folder)]
        command = [sys.executable, "-c", "from cranfield.cli import run; run()", *words]
        with subprocess.Popen(command, env=own, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as found:
            try:
                yield found
            finally:
                found.kill()

    with standing_in(lambda _: replace(graded(1), seconds=1.5)) as model:
        told = f'machine_url = "{model.url}"\nmachine_models = ["standin"]\nmachine_key_variable = "{VARIABLE}"\n'
        home.settings.write_text(told)
        subprocess.run([sys.executable, "-c", MAKE, str(home.folder)], env=own, check=True, timeout=120)
        with worker():
            wait_for(lambda: len(model.heard) == 3, 60, "third question")
        kept = rows("select count(*) from server_judgment where kind = 'machine'")
        assert kept == [(2,)]
        with worker():
            done = "select state from server_machine"
            wait_for(lambda: rows(done) == [(Machine.DONE,)], 90, "end")
    assert rows("select count(*), count(distinct question_id) from server_judgment where kind = 'machine'") == [(6, 6)]
    # The answer that was on its way is asked for again, and no other.
    assert sorted(Counter(model.prompts).values()) == [1, 1, 1, 1, 1, 2]
