"""32 assessors at a real ``cranfield serve``: how long the next document takes, and whether a judgment is ever lost."""

import http.client
import json
import random
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import Any
from urllib.parse import urlencode

from benchmarks.report import Row
from tests.support.external_services import PostgresServer
from tests.support.server.home_subprocess import environment
from tests.support.server.live_server import Running

ASSESSORS, SECONDS = 32, 120
PACE = 3.0  # seconds from one judgment of somebody to their next: faster than anybody reads
MOST_MS = 150  # of the 95th percentile
AGAIN = 0.1  # of the answers are sent twice, as by a browser that heard nothing
PEOPLE = 2  # who judge a tenth of the documents
SECRET = "c" * 32  # of forms: any, as long as cookie and header say the same

# Each runs in a process of its own, as Django is told about one home only.
FILL = """
import json, random, sys
from cranfield.server.site.django_setup import start, migrate
start(sys.argv[1], database=sys.argv[2]); migrate()
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from cranfield.server.judging import pool_lifecycle
from cranfield.server.models import Participant, Role, Task, Team, User
from cranfield.server.site import blob_store
from cranfield.server.site.uploads import Arrived
from cranfield.server.submissions import intake
runs, topics, documents = map(int, sys.argv[4:7])
def arrived(text, name):
    file = blob_store.Incoming()
    file.write(text.encode())
    return Arrived(file, name)
organiser = User.objects.create_user("organiser")
team = Team.objects.create(name="Team", slug="team")
asked = "".join(json.dumps({"topic": str(t), "title": f"topic {t}"}) + "\\n" for t in range(topics))
task = Task.objects.create(slug="judged", title="Judged", state="open", measures="nDCG@10", limit=10**4, most=10**4)
task.topics = arrived(asked, "topics.jsonl").arriving.keep()
task.save()
Participant.objects.create(task=task, team=team)
Role.objects.create(task=task, user=organiser, role=Role.ORGANISER)
dice = random.Random(1)
for run in range(runs):
    lines = []
    for t in range(topics):  # of as many again as a run has, those with small numbers come early
        order = sorted(range(2 * documents), key=lambda d: d + dice.uniform(0, documents))[:documents]
        lines += [f"{t} Q0 d{d} {r} {documents - r} run{run}" for r, d in enumerate(order, 1)]
    intake.receive(task, team, organiser, arrived("\\n".join(lines) + "\\n", "run.txt"), name=f"run{run}")
pool = pool_lifecycle.draw_up(task, organiser, strategy="nrg", depth=documents, overlap=10, judges=2)
pool_lifecycle.begin(pool, organiser)
sessions = {}
for number in range(int(sys.argv[3])):
    user = User.objects.create_user(f"assessor{number}")
    Role.objects.create(task=task, user=user, role=Role.ASSESSOR)
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    sessions[user.username] = session.session_key
print(json.dumps({"pool": pool.key, "sessions": sessions, "documents": pool_lifecycle.cost(pool).documents}))
"""
HELD = """
import json, sys
from cranfield.server.site.django_setup import start
start(sys.argv[1], database=sys.argv[2], make=False)
from cranfield.server.models import Event, Judgment
said = Judgment.objects.filter(taken_back=None).order_by("id")
told = said.values_list("user__username", "key", "question__topic", "question__document", "grade")
steps = Event.objects.order_by("number").values_list("number", "kind", "topic", "document", "grade")
print(json.dumps({"judgments": list(told), "events": list(steps)}))
"""


@dataclass(frozen=True)
class Kept:
    """A judgment that the server has acknowledged, or that it holds."""

    who: str
    key: str
    topic: str
    document: str
    grade: float


@dataclass
class Load:
    """What assessors saw."""

    nexts: list[float] = field(default_factory=list)  # milliseconds of a question
    says: list[float] = field(default_factory=list)  # milliseconds of an answer
    kept: list[Kept] = field(default_factory=list)
    again: int = 0  # answers that were sent twice
    failures: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{len(self.kept):,} judgments, {self.again} sent twice: next {median(self.nexts):.0f} ms, "
            f"p95 {p95(self.nexts):.0f} ms; say {median(self.says):.0f} ms, p95 {p95(self.says):.0f} ms"
        )


def p95(took: Sequence[float]) -> float:
    """In what time nineteen of twenty are answered."""
    return quantiles(took, n=20)[-1]


class Assessor(threading.Thread):
    """Somebody who judges as fast as the ``pace`` says, over one connection."""

    def __init__(self, port: int, pool: str, who: str, session: str, until: float, pace: float) -> None:
        super().__init__(daemon=True)
        self.link = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.pool, self.who, self.until, self.pace = pool, who, until, pace
        self.cookies = f"cranfield={session}; csrftoken={SECRET}"
        self.dice = random.Random(who)
        self.seen = Load()

    def run(self) -> None:
        """Judge until the time is over, or there is nothing more."""
        try:
            self._judge()
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.seen.failures.append(repr(error))
        finally:
            self.link.close()

    def _judge(self) -> None:
        time.sleep(self.dice.uniform(0, self.pace))  # nobody begins at the same moment
        number = 0
        while (began := time.perf_counter()) < self.until:
            told = self.ask("GET", "next", self.seen.nexts)
            if not told or not told["questions"]:
                return
            number += 1
            self.say(told["questions"][0], f"{self.who}-{number}")
            time.sleep(max(0.0, self.pace * self.dice.uniform(0.5, 1.5) - (time.perf_counter() - began)))

    def say(self, question: dict[str, str], key: str) -> None:
        """Answer, now and then twice; the second may say something else, and must not count."""
        grade = self.dice.choice([0, 0, 0, 1])
        sent = {"key": key, "topic": question["topic"], "document": question["document"]}
        if self.ask("POST", "say", self.seen.says, sent | {"grade": grade}) is None:
            return
        self.seen.kept.append(Kept(self.who, key, question["topic"], question["document"], float(grade)))
        if self.dice.random() < AGAIN:
            self.seen.again += 1
            self.ask("POST", "say", self.seen.says, sent | {"grade": 1 - grade})

    def ask(self, method: str, what: str, took: list[float], form: dict[str, Any] | None = None) -> Any:
        """One request; what the server says, None where it refuses."""
        headers = {"Cookie": self.cookies, "Accept": "application/json", "X-CSRFToken": SECRET}
        if form is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        started = time.perf_counter()
        self.link.request(method, f"/judge/{self.pool}/{what}", urlencode(form or {}), headers)
        answer = self.link.getresponse()
        text = answer.read()
        took.append(1000 * (time.perf_counter() - started))
        if answer.status != 200:
            self.seen.failures.append(f"{method} {what}: {answer.status} {text[:200].decode('utf-8', 'replace')}")
            return None
        return json.loads(text)


def script(text: str, *words: object) -> dict[str, Any]:
    """What a piece of Python prints last, run in a process of its own."""
    command = [sys.executable, "-c", text, *map(str, words)]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def assess(port: int, filled: dict[str, Any], *, seconds: float, pace: float) -> Load:
    """All assessors at once; what they saw together."""
    until = time.perf_counter() + seconds
    people = [Assessor(port, filled["pool"], who, session, until, pace) for who, session in filled["sessions"].items()]
    for one in people:
        one.start()
    for one in people:
        one.join()
    seen = Load()
    for one in people:
        seen.nexts += one.seen.nexts
        seen.says += one.seen.says
        seen.kept += one.seen.kept
        seen.again += one.seen.again
        seen.failures += one.seen.failures
    return seen


def differences(seen: Load, held: dict[str, Any]) -> list[str]:
    """What is wrong with what the server holds: judgments that are lost, doubled, or that nobody has sent."""
    there = Counter(Kept(*row) for row in held["judgments"])
    sent = Counter(seen.kept)
    wrong = [f"lost: {one}" for one in sent - there] + [f"not acknowledged: {one}" for one in there - sent]
    each = Counter((one.topic, one.document, one.who) for one in there.elements())
    wrong += [f"judged {often} times by one person: {which}" for which, often in each.items() if often > 1]
    documents = Counter((topic, document) for topic, document, _ in each)
    wrong += [f"judged by {often} people: {which}" for which, often in documents.items() if often > PEOPLE]
    steps = held["events"]
    if [number for number, *_ in steps] != list(range(1, len(steps) + 1)):
        wrong.append("the steps of the pool have a gap")
    told = [((topic, document), grade) for _, kind, topic, document, grade in steps if kind == "told"]
    first = {(topic, document): grade for _, _, topic, document, grade in reversed(held["judgments"])}
    if len(told) != len(first) or dict(told) != first:
        wrong.append("the pool has learnt something else than was said")
    return wrong


class _Durable(PostgresServer):
    """PostgreSQL that waits for the disk, as it does for its users."""

    def start(self) -> None:
        options = f"-c listen_addresses='' -c unix_socket_directories={self.folder}"
        self._control("--wait", "--log", self.folder / "log", "--options", options, "start")


@contextmanager
def database_of(name: str) -> Iterator[str]:
    """Where a database is, while it is needed; SQLite has its place in the home."""
    if name == "SQLite":
        yield ""
        return
    postgres = _Durable()
    try:
        postgres.start()
        try:
            yield postgres.url()
        finally:
            postgres.stop()
    finally:
        shutil.rmtree(postgres.folder)


@contextmanager
def serving(home: Path, database: str = "") -> Iterator[Running]:
    """A server that runs."""
    server = Running(home, database)
    try:
        server.start()
        yield server
    finally:
        server.end()


def judge(home: Path, name: str, sizes: Sequence[int], *, seconds: float, pace: float) -> tuple[Load, list[str]]:
    """What assessors see of a new pool of so many runs, topics and documents of each; and all that went wrong."""
    with database_of(name) as database:
        filled = script(FILL, home, database, ASSESSORS, *sizes)
        with serving(home, database) as server:
            seen = assess(server.port, filled, seconds=seconds, pace=pace)
        return seen, [*differences(seen, script(HELD, home, database)), *seen.failures]


def judging(folder: Path, rounds: int) -> list[Row]:
    """All rows."""
    del rounds
    rows = []
    for name in ("SQLite", "PostgreSQL"):
        seen, wrong = judge(folder / f"judged-{name}", name, (20, 50, 100), seconds=SECONDS, pace=PACE)
        print(f"  {name}: {seen}; {len(wrong)} wrong")
        what = f"{ASSESSORS} assessors on {name}, each a judgment every {PACE:g} s for {SECONDS} s"
        what += ", a tenth of documents for two"
        told = f"{len(seen.kept):,} judgments, {len(wrong)} lost, doubled or failed"
        for said, took in (("the next document", seen.nexts), ("an answer, with what comes next", seen.says)):
            good = p95(took) <= MOST_MS and not wrong
            figure = f"{p95(took):.0f} ms"
            rows.append(Row(f"{what} ({told}): {said}, 95th percentile", figure, f"≤ {MOST_MS} ms", good))
    return rows
