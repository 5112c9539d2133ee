"""Pictures of boards: drawn later where a worker died, and always as the board stood."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from django.utils import timezone

from cranfield.server.boards import snapshots
from cranfield.server.boards.board_inputs import gather
from cranfield.server.boards.panels import Made, pictures_of
from cranfield.server.jobs import job_queue
from cranfield.server.models import Job, Snapshot, Submission
from cranfield.server.site import blob_store
from cranfield.server.submissions import intake
from cranfield.server.tasks import lifecycle
from cranfield.server.tasks.label_versions import change_one

if TYPE_CHECKING:
    from cranfield.server.models import Task
    from tests.support.server.users_and_tasks import World


def without_pictures(task: Task, kind: str) -> tuple[Snapshot, dict[str, bytes]]:
    """A snapshot whose worker dies before it draws, and the pictures that it would have drawn."""
    version = task.version
    assert version is not None
    made = Made(gather(task, version, kind))
    kept = snapshots.store(made)
    assert kept is not None
    return kept, {panel: content for panel, content, _ in pictures_of(made)}


def drawn(snapshot: Snapshot) -> dict[str, bytes]:
    return {one.panel: blob_store.read(one.blob_id) for one in snapshot.pictures.all()}


def due(task: Task) -> None:
    Job.objects.filter(task=task, kind="draw").update(after=timezone.now() - timedelta(seconds=1))


def test_a_board_that_was_overtaken_gets_its_own_pictures(world: World) -> None:
    task = world.task(private=6, anonymous_days=10)
    soon = timezone.now().date() + timedelta(days=5)
    for name, shift, team, day in (("one", 0, "Alpha", None), ("two", 2, "Beta", soon), ("three", 5, "Alpha", None)):
        world.hand_in(task, name, shift, team=team, anonymous=day)
    job_queue.work(once=True, least=5)  # they are evaluated; no board yet
    baseline = Submission.objects.get(name="three")
    lifecycle.set_baseline(baseline, world.people["organiser"], baseline=True)
    lost = [without_pictures(task, kind) for kind in (Snapshot.PUBLIC, Snapshot.FULL)]
    # Everything a picture shows changes before somebody comes to draw.
    lifecycle.set_baseline(baseline, world.people["organiser"], baseline=False)
    world.hand_in(task, "four", 1, team="Beta")
    intake.withdraw(Submission.objects.get(name="one"), world.people["alice"])
    Submission.objects.filter(name="two").update(anonymous=None)
    lifecycle.change(task, world.people["organiser"], {"measures": "AP", "level": 0.2})
    change_one(task, world.people["organiser"], topic="301", document="D02", grade=1)
    lifecycle.close(task, world.people["organiser"])
    due(task)
    world.work()
    assert Snapshot.objects.filter(task=task, kind=Snapshot.PUBLIC).count() > 1
    for snapshot, expected in lost:
        assert drawn(snapshot) == expected
        assert {"sota", "significance", "outcomes", "baseline"} <= set(expected)
        assert ("private" in expected) == (snapshot.kind == Snapshot.FULL)


def test_a_board_of_history_alone_gets_its_picture_too(world: World) -> None:
    task = world.task()
    for place, name in enumerate(("past", "later")):
        Submission.objects.create(
            task=task,
            team=world.teams["Alpha"],
            name=name,
            state=Submission.SCORED,
            stated=0.2 + 0.1 * place,
            baseline=not place,
            received=timezone.now() - timedelta(days=30 - place),
        )
    snapshot, expected = without_pictures(task, Snapshot.PUBLIC)
    Submission.objects.filter(name="past").update(state=Submission.WITHDRAWN)
    snapshots.draw(snapshot=snapshot.pk)
    assert drawn(snapshot) == expected
    assert set(expected) == {"sota"}


def test_what_is_drawn_stays(world: World) -> None:
    task = world.filled()
    last = Snapshot.objects.get(task=task)
    before = list(last.pictures.values_list("pk", "blob"))
    assert before
    snapshots.draw(snapshot=last.pk)
    assert list(last.pictures.values_list("pk", "blob")) == before
