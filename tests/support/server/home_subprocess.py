"""Calls of functions in a separate process that uses another server home."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from django.apps import apps
from django.test import Client

if TYPE_CHECKING:
    from pathlib import Path

ASK = """\
import json, sys
from cranfield.server.site.django_setup import start
start(sys.argv[1], database=sys.argv[2], make=False)
from tests.support.server import home_subprocess
found = getattr(home_subprocess, sys.argv[3])(*json.loads(sys.argv[4]))
sys.stdout.write(json.dumps(found))
"""


def environment(**more: str) -> dict[str, str]:
    """That of a user: nothing that points to the server of these tests."""
    own = ("CRANFIELD_HOME", "CRANFIELD_DATABASE", "DJANGO_SETTINGS_MODULE")
    return {name: value for name, value in os.environ.items() if name not in own} | more


def ask(home: Path, what: str, *about: Any, database: str = "") -> Any:
    """Call a function of this module in a process that works for another home."""
    done = subprocess.run(
        [sys.executable, "-c", ASK, str(home), database, what, json.dumps(about)],
        env=environment(),
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def cranfield(*words: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """A command as somebody types it."""
    return subprocess.run(
        [sys.executable, "-c", "from cranfield.cli import main; main()", *words],
        env=environment(**more),
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def all_rows() -> dict[str, list[dict[str, Any]]]:
    """Every row of every table of ours, as JSON says it."""
    found = {
        model.__name__: list(model._default_manager.order_by("pk").values())
        for model in apps.get_app_config("server").get_models()
    }
    rows: dict[str, list[dict[str, Any]]] = json.loads(json.dumps(found, default=str))
    return rows


def answers(addresses: list[str]) -> dict[str, list[Any]]:
    """What anybody sees at some addresses."""
    client = Client(SERVER_NAME="localhost")
    found = {}
    for address in addresses:
        answer = client.get(address)
        content = b"".join(answer) if answer.streaming else answer.content
        found[address] = [answer.status_code, content.decode("utf-8", "replace")]
    return found


def checked() -> list[Any]:
    """How many blobs are sound, how many acts there are, the last digest, and what is wrong with the chain."""
    from cranfield.server.operations import audit_log, backups

    return [backups.check(), *audit_log.head(), list(audit_log.broken())]


def kinds_of_work() -> list[str]:
    """What a worker can do, after it has imported what it imports."""
    from cranfield.server.jobs import job_queue, scheduled_jobs

    assert scheduled_jobs.TIDY
    return sorted(job_queue.KINDS)


def judge_on() -> list[Any]:
    """Read the corpus, and say what is found in it, and what the assessor of the first pool is asked next."""
    from cranfield.server.jobs import job_queue
    from cranfield.server.judging import judgments
    from cranfield.server.models import Pool, User
    from cranfield.server.tasks import corpora

    job_queue.work(once=True)
    pool = Pool.objects.get()
    question = judgments.next_for(pool, User.objects.get(username="assessor"))
    found = [one.name for one in corpora.search(pool.task, "ship")]
    return [found, question and [question.topic, question.document], pool.events.count()]


def read_dataset(folder: str | None = None) -> list[Any]:
    """Read the corpus, a dataset that is in a folder where one is given: its state, and what is found in it."""
    from pathlib import Path

    from cranfield.server.jobs import job_queue
    from cranfield.server.models import Corpus
    from cranfield.server.tasks import corpora
    from tests.support.ir_datasets_catalogue import Catalogue

    if folder is not None:
        catalogue = Catalogue(Path(folder))
        catalogue.add("cranfield-test/ships", catalogue.documents())
    job_queue.work(once=True)
    corpus = Corpus.objects.get()
    return [corpus.name, corpus.state, corpus.failure, [one.name for one in corpora.search(corpus.task, "railway")]]


def hand_in_another() -> list[str]:
    """Hand in one more run where some are, and evaluate it."""
    from cranfield.server.jobs import job_queue
    from cranfield.server.models import Submission, Task, Team, User
    from cranfield.server.submissions.intake import receive
    from tests.support.server.users_and_tasks import arrived, run_text

    task, team = Task.objects.get(), Team.objects.get(name="Alpha")
    made = receive(task, team, User.objects.get(username="alice"), arrived(run_text("another", 4)), name="another")
    job_queue.work(once=True)
    return list(Submission.objects.values_list("name", "state").get(pk=made.pk))


def make_without_rows() -> str:
    """A home whose database was never made."""
    from django.conf import settings

    settings.HOME.make()
    return "made"


def make_world(tokens: int) -> list[str]:
    """A home with people and an open task; the texts of tokens with which runs may be handed in."""
    from datetime import timedelta

    from django.conf import settings
    from django.utils import timezone

    from cranfield.server.models import Token
    from cranfield.server.site.django_setup import migrate
    from tests.support.server.users_and_tasks import World

    settings.HOME.make()
    migrate()
    world = World.make()
    world.task(limit=10_000, most=10_000)
    until = timezone.now() + timedelta(days=1)
    return [Token.make(world.people["alice"], f"token {n}", Token.SUBMIT, until)[1] for n in range(tokens)]


def state_of_all() -> dict[str, Any]:
    """What became of every run, and whether everything holds."""
    from collections import Counter

    from cranfield.server.models import Audit, Job, Result, Snapshot, Submission
    from cranfield.server.operations import audit_log, backups

    def acts(what: str) -> dict[str, int]:
        return Counter(about["run"] for about in Audit.objects.filter(what=what).values_list("about", flat=True))

    last = Snapshot.objects.filter(kind=Snapshot.PUBLIC).order_by("-number").first()
    return {
        "runs": dict(Submission.objects.values_list("key", "name")),
        "states": Counter(Submission.objects.values_list("state", flat=True)),
        "failures": sorted(set(Submission.objects.values_list("failure", flat=True))),
        "results": Counter(Result.objects.values_list("submission__key", flat=True)),
        "submitted": acts("submit"),
        "evaluated": acts("evaluated"),
        "jobs": Counter(f"{kind} {state}" for kind, state in Job.objects.values_list("kind", "state")),
        "waiting": list(Job.objects.filter(state__in=("waiting", "running")).values_list("kind", "error")),
        "board": last.runs if last else 0,
        "blobs": backups.check(),
        "chain": list(audit_log.broken()),
    }


def make_filled() -> str:
    """A home with a task that has a board."""
    from django.conf import settings

    from cranfield.server.site.django_setup import migrate
    from tests.support.server.users_and_tasks import World

    settings.HOME.make()
    migrate()
    World.make().filled()
    return "filled"


def is_up_to_date() -> bool:
    """Whether the database has every migration."""
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    plan = MigrationExecutor(connection)
    return plan.migration_plan(plan.loader.graph.leaf_nodes()) == []


LATER = """\
from django.db import migrations, models

def motto(apps, schema_editor):
    for team in apps.get_model("server", "Team").objects.all():
        team.motto = f"we are {{team.name}}"
        team.save()

class Migration(migrations.Migration):
    dependencies = [("server", "{last}")]
    operations = [
        migrations.AddField("team", "motto", models.CharField(max_length=50, default="")),
        migrations.RunPython(motto),
    ]
"""


def _with_a_later_migration(folder: str) -> None:
    """As if this were the next version: one migration more, with a column and what stands in it; none to undo it."""
    import shutil
    from pathlib import Path

    from django.conf import settings

    import cranfield.server.migrations as package

    there = Path(folder) / "later_migrations"
    shutil.copytree(Path(package.__path__[0]), there, ignore=shutil.ignore_patterns("__pycache__"))
    last = sorted(path.stem for path in there.glob("0*.py"))[-1]
    (there / "9999_later.py").write_text(LATER.format(last=last), encoding="utf-8")
    sys.path.insert(0, folder)
    settings.MIGRATION_MODULES = {"server": "later_migrations"}


def restore_with_a_later_migration(file: str, folder: str) -> dict[str, Any]:
    """Restore a backup with the next version; its last migration, and what that wrote."""
    from django.conf import settings
    from django.db import connection

    from cranfield.server.operations.backups import _apps_now, restore

    settings.HOME.make()
    _with_a_later_migration(folder)
    restore(file)
    with connection.cursor() as cursor:
        cursor.execute("select name, motto from server_team order by name")
        return {"migration": _apps_now()[1], "teams": [list(row) for row in cursor.fetchall()]}


def back_up_before_a_later_migration(file: str, folder: str) -> str:
    """Restore a backup, then make one with the next version; the migration that this one is of."""
    from pathlib import Path

    from django.conf import settings

    from cranfield.server.operations.backup_archive import packed
    from cranfield.server.operations.backups import backup, restore

    settings.HOME.make()
    restore(file)
    _with_a_later_migration(folder)
    with packed(backup(Path(folder) / "again.tar").path) as pack:
        return str(pack.manifest["migration"])
