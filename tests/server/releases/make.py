"""Make the backup of a release: a small server with rows in every table.

Run it once when a version is released, and never for a version that is out:
``python -m tests.server.releases.make tests/server/releases/first.tar``
"""

from __future__ import annotations

import json
import sys
import tempfile
from datetime import timedelta
from pathlib import Path


def fill() -> None:
    """A row in every table, made as a server makes them where that is cheap."""
    from django.apps import apps
    from django.utils import timezone

    from cranfield.server.api import webhooks
    from cranfield.server.boards import snapshots
    from cranfield.server.boards.board_inputs import gather
    from cranfield.server.boards.panels import Made
    from cranfield.server.jobs import job_queue
    from cranfield.server.models import Announcement, Invite, Picture, Snapshot, Task, Token, Try, Worker
    from cranfield.server.site import blob_store
    from cranfield.server.tasks.label_versions import add_version
    from tests.support.server.users_and_tasks import World, arrived, qrels, run_text

    world = World.make()
    people, later = world.people, timezone.now() + timedelta(days=30)
    task = world.task(private=4, embargo_days=30, anonymous_days=30)
    webhooks.make("https://example.org/heard", ["scored", "closed"], people["alice"], team=world.teams["Alpha"])
    header = "# ir_metadata.start\n# actor:\n#   team: Alpha\n# ir_metadata.end"
    world.hand_in(task, "ideal", 0, text=run_text("ideal", header=header), description="the best, and ☃")
    world.hand_in(task, "poor", 5, team="Beta", anonymous=later.date())
    job_queue.work(once=True, least=5)
    version = task.version
    assert version is not None
    made = snapshots.store(Made(gather(task, version, Snapshot.PUBLIC)))
    assert made is not None
    svg = b'<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'
    panels = json.loads(blob_store.read(made.document_id))["panels"]
    drawn = next(name for name, panel in panels.items() if panel["picture"])
    Picture.objects.create(snapshot=made, panel=drawn, blob=blob_store.put(svg), media="image/svg+xml")
    add_version(task, arrived(qrels({("301", "D01"): 0}), "q").arriving, people["organiser"], note="mended")
    Announcement.objects.create(task=task, by=people["organiser"], text="Welcome.")
    Invite.objects.create(digest="0" * 64, made_by=people["operator"], expires=later, task=task, role="assessor")
    Token.make(people["alice"], "mine", Token.SUBMIT, later)
    Try.objects.create(what="log-in", key="0" * 64)
    Worker.objects.get_or_create(name="somewhere-1")
    Task.objects.filter(pk=task.pk).update(about="*about*", topics=blob_store.put(b"301\twhat is it\n"))
    empty = [
        model.__name__ for model in apps.get_app_config("server").get_models() if not model._default_manager.exists()
    ]
    assert not empty, f"no row of {empty}"


def main() -> None:
    """Write the backup that was asked for."""
    from cranfield.server.site.django_setup import migrate, start

    target = Path(sys.argv[1]).absolute()
    with tempfile.TemporaryDirectory() as home:
        start(home)
        migrate()
        from cranfield.server.operations.backups import backup

        fill()
        sys.stdout.write(f"{backup(target).sentence}\n")
        target.chmod(0o644)  # there is no secret in it


if __name__ == "__main__":
    main()
