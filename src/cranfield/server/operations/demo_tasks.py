"""Demo content: an open and a closed task with simulated runs and ready accounts."""

from __future__ import annotations

import secrets
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from cranfield.core import SEED
from cranfield.data import read_entries, read_qrels, split_topics
from cranfield.server.boards import snapshots
from cranfield.server.boards.board_inputs import gather
from cranfield.server.boards.panels import Made
from cranfield.server.jobs import job_queue
from cranfield.server.models import Announcement, Membership, Participant, Role, Snapshot, Submission, Task, Team, User
from cranfield.server.site import blob_store
from cranfield.server.site.uploads import Arrived
from cranfield.server.submissions import intake
from cranfield.server.tasks.history_import import History, Row, import_history
from cranfield.server.tasks.label_versions import add_version
from cranfield.simulate import Campaign

from . import audit_log, demo_judging

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import date
    from pathlib import Path

    from cranfield.data import Entry
    from cranfield.simulate import Written

ABOUT = """\
Find the documents that answer each of 50 questions. Hand in a **run**: up to 1,000 documents for each topic, in the
format of TREC.

- Half of the topics are *private*: they take no part in the board until the task closes.
- A team may hand in two runs in 30 days; a dry run costs nothing.

The collection, the questions and the systems are made up by `cranfield simulate`.
"""
HEADER = """\
# ir_metadata.start
# actor:
#   team: {team}
# method:
#   automatic: {automatic}
#   description: {description}
# resources:
#   runtime:
#     wallclock: {seconds} s
# ir_metadata.end
"""
PEOPLE = ("operator", "organiser", "participant", "assessor")
CLOSED, OPEN = "ad-hoc-2024", "ad-hoc-2025"
PAST = (("boolean search", 0.06), ("vectors", 0.11), ("probabilities", 0.14), ("feedback", 0.19))  # made up, too


@dataclass(frozen=True, kw_only=True)
class Account:
    """An account that is ready, and its password, which is told once."""

    name: str
    password: str


def fill(
    *, seed: int = SEED, runs: int = 40, topics: int = 50, progress: Callable[[int, int], object] | None = None
) -> list[Account]:
    """Fill an empty server; the accounts that were made. What waits then is for a worker, or for :func:`settle`."""
    accounts = [Account(name=name, password=secrets.token_urlsafe(9)) for name in PEOPLE]
    people = {one.name: User.objects.create_user(one.name, "", one.password) for one in accounts}
    User.objects.filter(username="operator").update(is_superuser=True)
    User.objects.filter(username="organiser").update(may_organise=True)
    with tempfile.TemporaryDirectory() as folder:
        written = Campaign(seed=seed, runs=runs, topics=topics).write(folder)
        entries = list(read_entries(written.table))
        private = split_topics(read_qrels(written.qrels).topics.to_list(), 0.5, seed=seed)[1]
        total, done = len(entries) + len(entries) // 2, 0
        for slug, some, ago in ((CLOSED, entries, 400), (OPEN, entries[::2], 35)):
            task = _task(slug, written, private, people["organiser"])
            shift = _shift(some, ago)
            for place, entry in enumerate(some):
                _hand_in(task, entry, written, people["participant"], place, shift)
                done += 1
                if progress:
                    progress(done, total)
            _finish(task, people["organiser"], shift, entries)
        other = User.objects.create_user("colleague")  # of the assessor; nobody logs in as them
        demo_judging.fill(written, people["organiser"], (people["assessor"], other))
    return accounts


def _task(slug: str, written: Written, private: Sequence[str], organiser: User) -> Task:
    task = Task.objects.create(
        slug=slug,
        title=f"Ad hoc search {slug[-4:]}",
        summary="Find documents that answer a question (simulated campaign).",
        about=ABOUT,
        state=Task.OPEN,
        private=list(private),
        measures="AP nDCG@10 RR@100",
        anonymous_days=365,
        embargo_days=365,
        labels_public=True,
        runs_public=True,
    )
    Role.objects.create(task=task, user=organiser, role=Role.ORGANISER)
    with blob_store.incoming() as topic_texts:
        topic_texts.write(written.topics.read_bytes())
        Task.objects.filter(pk=task.pk).update(topics=topic_texts.keep())
    with blob_store.incoming() as labels:
        labels.write(written.qrels.read_bytes())
        add_version(task, labels, organiser, note="the judgments of the pool")
    Announcement.objects.create(task=task, by=organiser, text="Welcome. The board is made up; its doubts are real.")
    return task


def _shift(entries: Sequence[Entry], ago: int) -> timedelta:
    """What moves the days of a campaign so that the last one was so many days ago."""
    last = max((entry.date for entry in entries if entry.date), default=timezone.now().date())
    return timezone.now().date() - timedelta(days=ago) - last


def _hand_in(task: Task, entry: Entry, written: Written, participant: User, place: int, shift: timedelta) -> None:
    """One run of the campaign, handed in by its group on its day; some say more of themselves than others."""
    group = entry.group or "nobody"
    team, new = Team.objects.get_or_create(name=group, defaults={"slug": slugify(group)})
    if new and not Membership.objects.exists():
        Membership.objects.create(team=team, user=participant, leader=True)
    Participant.objects.get_or_create(task=task, team=team)
    path = next(path for path in written.runs if path.name.partition(".")[0] == entry.run)
    is_open = task.slug == OPEN
    soon = timezone.now().date() + timedelta(days=60)
    with transaction.atomic():
        made = intake.receive(
            task,
            team,
            participant,
            _file(path, entry, place),
            name=entry.run,
            description=entry.description,
            embargo=soon if is_open and place == 5 else None,
            anonymous=soon if is_open and place == 9 else None,
            baseline="BM25, plain" in entry.description,
            exempt=True,
        )
        day = datetime.combine(entry.date + shift, time(12), tzinfo=UTC) if entry.date else timezone.now()
        Submission.objects.filter(pk=made.pk).update(received=day)


def _file(path: Path, entry: Entry, place: int) -> Arrived:
    """The run; every third with ir_metadata in its header."""
    header = HEADER.format(
        team=entry.group, automatic=str(place % 2 == 0).lower(), description=entry.description, seconds=20 + 7 * place
    )
    file = blob_store.Incoming()
    file.write(header.encode() * (place % 3 == 0) + path.read_bytes())
    return Arrived(file, path.name)


def _finish(task: Task, organiser: User, shift: timedelta, entries: Sequence[Entry]) -> None:
    """The closed task is over; the open one goes on from what was known before it."""
    first = min((entry.date for entry in entries if entry.date), default=timezone.now().date()) + shift
    if task.slug == OPEN:
        Task.objects.filter(pk=task.pk).update(closes=timezone.now() + timedelta(days=90))
        import_history(task, organiser, History(rows=[_past(first, i) for i in range(len(PAST))]), name="history.csv")
        return
    with audit_log.acting():
        over = datetime.combine(first + timedelta(days=90), time(12), tzinfo=UTC)
        Task.objects.filter(pk=task.pk).update(state=Task.CLOSED, closed=over)
        audit_log.record(organiser, "close", task=task)


def _past(first: date, place: int) -> Row:
    name, value = PAST[place]
    day = first - timedelta(days=300 * (len(PAST) - place))
    return Row(name=name, team="the literature", date=day, value=value, description="as a paper states it")


def settle() -> int:
    """Evaluate the runs and make the first boards, then mend some labels and withdraw a run; how many boards.

    The pictures, what follows from the new labels, and what is less urgent is left to the workers of the server.
    """
    job_queue.work(once=True, least=5)
    for made in map(_board, Task.objects.order_by("slug")):
        if made is not None:
            job_queue.put("draw", task=made.task, snapshot=made.pk)
    organiser = User.objects.get(username="organiser")
    task = Task.objects.get(slug=OPEN)
    version = task.version
    assert version is not None
    with blob_store.incoming() as labels:
        labels.write(_mended(blob_store.read(version.qrels_id)))
        add_version(task, labels, organiser, note="some judgments were mended after complaints")
    handed_in = Submission.objects.filter(task=task, embargo=None, blob__isnull=False)
    intake.withdraw(handed_in.order_by("name")[0], organiser)
    return Snapshot.objects.count()


def _board(task: Task) -> Snapshot | None:
    """The first board of a task, without its pictures."""
    version = task.version
    if version is None:  # of what is being judged there is none yet
        return None
    return snapshots.store(Made(gather(task, version, Snapshot.PUBLIC)))


def _mended(qrels: bytes) -> bytes:
    """Judgments, of which every fortieth relevant one is taken back."""
    lines, seen = qrels.decode().splitlines(), 0
    for place, line in enumerate(lines):
        topic, unused, document, grade = line.split()
        seen += int(grade) > 0
        if int(grade) > 0 and seen % 40 == 0:
            lines[place] = f"{topic} {unused} {document} 0"
    return "".join(f"{line}\n" for line in lines).encode()
