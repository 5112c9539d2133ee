"""A real ``cranfield serve``: how long a large run takes from upload to value, how fast a board is under load."""

import gzip
import http.client
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from statistics import quantiles
from typing import Any
from urllib.parse import urlsplit

from benchmarks import make_big_run
from benchmarks.report import Row

RATE, SECONDS = 100, 30  # requests a second, for so long
MOST_MS, MOST_KB = 50, 100  # of the 95th percentile, and of the page as it travels
RECOMPUTED, ACCEPTED = 2.0, 5.0  # seconds
CLIENTS = 8  # connections

# Each runs in a process of its own, as Django is told about one home only.
FILL = """
import json, sys, time
from cranfield.server.site.django_setup import start, migrate
start(sys.argv[1]); migrate()
from cranfield.server.operations.demo_tasks import fill
from cranfield.server.jobs.job_queue import work
fill(runs=129)
work(once=True)
from django.utils import timezone
from cranfield.server.models import Job
Job.objects.filter(kind="draw").update(after=timezone.now())  # pictures of boards that were overtaken
work(once=True)
from cranfield.server.boards import snapshots
from cranfield.server.boards.board_inputs import gather
from cranfield.server.models import Task
from cranfield.server.boards.panels import Made
took = []
for _ in range(5):
    started = time.perf_counter()
    task = Task.objects.get(slug="ad-hoc-2024")
    document = snapshots.to_document(Made(gather(task, task.version, "public")))
    took.append(time.perf_counter() - started)
print(json.dumps({"seconds": took, "rows": len(document["rows"])}))
"""
DRAW = """
import json, sys, time
from cranfield.server.site.django_setup import start
start(sys.argv[1])
from cranfield.server.jobs import job_queue
from cranfield.server.models import Job, Picture, Snapshot
before = Job.objects.filter(kind="draw", state="done").count()
until = time.monotonic() + float(sys.argv[2])
while time.monotonic() < until:
    if not Job.objects.filter(kind="draw", state__in=Job.LIVE).exists():
        Picture.objects.all().delete()
        for made in Snapshot.objects.all():
            job_queue.put("draw", snapshot=made.pk)
    time.sleep(0.2)
print(json.dumps({"drawn": Job.objects.filter(kind="draw", state="done").count() - before}))
"""
BIG = """
import json, sys
from cranfield.server.site.django_setup import start, migrate
start(sys.argv[1]); migrate()
from datetime import timedelta
from django.utils import timezone
from cranfield.server.site import blob_store
from cranfield.server.models import Membership, Participant, Task, Team, Token, User
from cranfield.server.tasks.label_versions import add_version
user = User.objects.create_user("somebody")
team = Team.objects.create(name="Team", slug="team")
Membership.objects.create(team=team, user=user, leader=True)
task = Task.objects.create(slug="big", title="Big", state="open", measures="RR@10 nDCG@10 AP P@10 R@1000", limit=100)
Participant.objects.create(task=task, team=team)
file = blob_store.Incoming()
file.write(open(sys.argv[2], "rb").read())
add_version(task, file, user)
print(json.dumps(Token.make(user, "benchmark", Token.SUBMIT, timezone.now() + timedelta(days=1))[1]))
"""


def server(folder: Path, rounds: int) -> list[Row]:
    """All rows."""
    del rounds
    told = script(FILL, folder / "boards")
    recomputed = sorted(told["seconds"])[len(told["seconds"]) // 2]
    print(f"  a board of {told['rows']} runs × 50 topics: {recomputed:.2f} s")
    with running(folder / "boards") as address:
        size = weigh(address, "/tasks/ad-hoc-2024/")
        slow, asked, failed = load(address, "/tasks/ad-hoc-2024/")
        print(f"  {asked} requests at {RATE}/s: p95 {slow:.1f} ms, {failed} failed; {size:.1f} kB")
        with ThreadPoolExecutor() as aside:
            drawing = aside.submit(script, DRAW, folder / "boards", SECONDS + 2)
            time.sleep(2)
            busy, asked, lost = load(address, "/tasks/ad-hoc-2024/")
            boards = drawing.result()["drawn"]
        print(f"  the same while a worker draws {boards} boards: p95 {busy:.1f} ms, {lost} failed")
    whole = accepted(folder)
    what = f"the board of {told['rows']} runs × 50 topics"
    return [
        Row(
            f"{what}: recomputed, the numbers of all panels",
            f"{recomputed:.2f} s",
            f"≤ {RECOMPUTED:g} s",
            recomputed <= RECOMPUTED,
        ),
        Row(
            f"{what}: {RATE} requests a second for {SECONDS} s, 95th percentile ({failed} failed)",
            f"{slow:.0f} ms",
            f"≤ {MOST_MS} ms",
            slow <= MOST_MS and not failed,
        ),
        Row(
            f"the same while a worker draws {boards} boards on the same two cores ({lost} failed)",
            f"{busy:.0f} ms",
            f"≤ {MOST_MS} ms",
            busy <= MOST_MS and not lost,
        ),
        Row(f"{what}: the page, packed", f"{size:.0f} kB", f"≤ {MOST_KB} kB", size <= MOST_KB),
        Row("a run of 255 MB: uploaded, checked, evaluated", f"{whole:.1f} s", f"≤ {ACCEPTED:g} s", whole <= ACCEPTED),
    ]


def script(text: str, *words: object) -> dict[str, Any]:
    """What a piece of Python prints last, run in a process of its own."""
    done = subprocess.run([sys.executable, "-c", text, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


@contextmanager
def running(home: Path) -> Iterator[str]:
    """The address of a server that runs."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = ["cranfield", "serve", "--home", str(home), "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait(30)


def weigh(address: str, page: str) -> float:
    """Kilobytes of a page as it travels."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc)
    connection.request("GET", page, headers={"Accept-Encoding": "gzip"})
    answer = connection.getresponse()
    content = answer.read()
    if answer.status != 200 or b"<table" not in gzip.decompress(content):
        sys.exit(f"{page} is no board")
    return len(content) / 1000


def load(address: str, page: str) -> tuple[float, int, int]:
    """Requests at fixed times, whether or not earlier ones were answered: p95 in ms from when each was due."""
    took: list[float] = []
    failed = 0
    lock = threading.Lock()
    begin = time.perf_counter() + 0.5
    places = iter(range(RATE * SECONDS))

    def ask() -> None:
        nonlocal failed
        connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=20)
        while True:
            with lock:
                place = next(places, None)
            if place is None:
                return
            due = begin + place / RATE
            time.sleep(max(0.0, due - time.perf_counter()))
            try:
                connection.request("GET", page, headers={"Accept-Encoding": "gzip"})
                answer = connection.getresponse()
                good = bool(answer.read()) and answer.status == 200
            except (OSError, http.client.HTTPException):
                connection.close()
                good = False
            with lock:
                took.append(1000 * (time.perf_counter() - due))
                failed += not good

    clients = [threading.Thread(target=ask) for _ in range(CLIENTS)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    return quantiles(took, n=20)[-1], len(took), failed


def accepted(folder: Path) -> float:
    """Seconds from the first byte of a large run to its value."""
    run, qrels = make_big_run.write(folder / "big.run")
    token = str(script(BIG, folder / "big-home", qrels))
    with running(folder / "big-home") as address:
        started = time.perf_counter()
        done = subprocess.run(
            ["cranfield", "submit", f"{address}/tasks/big/", str(run), "--name", "big", "--wait"],
            env=os.environ | {"CRANFIELD_TOKEN": token},
            capture_output=True,
            text=True,
            check=False,
        )
        took = time.perf_counter() - started
    if done.returncode:
        sys.exit(done.stderr)
    print(f"  255 MB: {took:.1f} s")
    return took
