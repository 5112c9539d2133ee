"""Snapshots: what they count, what they never tell, and that they never change."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from django.utils import timezone

from cranfield.server.boards.board_documents import board_of, document_of
from cranfield.server.boards.pages.board_access import table_of
from cranfield.server.boards.pages.leaderboards import _whole
from cranfield.server.models import Announcement, Snapshot, Submission, Task
from cranfield.server.submissions import intake
from tests.support.server.page_requests import text_of
from tests.support.server.users_and_tasks import qrels

if TYPE_CHECKING:
    from tests.support.server.users_and_tasks import World


def test_a_team_that_is_not_named_is_nowhere(world: World) -> None:
    task = world.task(anonymous_days=400)
    until = timezone.now().date() + timedelta(days=100)
    world.hand_in(task, "secret-name", 1, team="Beta")
    world.hand_in(task, "open-name", 0, team="Alpha")
    Submission.objects.filter(name="secret-name").update(anonymous=until, kind="secret-kind")
    world.work()
    address = "/tasks/ad-hoc/boards/1/"
    names = list(document_of(Snapshot.objects.get(task=task, kind="public").document_id)["panels"])
    assert "stability" in names
    for page in ("/", "/tasks/ad-hoc/", address, *(f"{address}{name}/" for name in names), f"{address}board.csv"):
        shown = text_of(world.client(), page)
        assert "secret" not in shown
        assert "Beta" not in shown
    assert f'Anonymous until <time datetime="{until}">{until}</time>' in text_of(world.client(), "/tasks/ad-hoc/")
    assert "secret-name" in text_of(world.client("organiser"), "/tasks/ad-hoc/full/")
    assert "secret-name" in text_of(world.client("organiser"), "/tasks/ad-hoc/full/stability/")


def test_a_withdrawn_run_stays_counted(world: World) -> None:
    """Fifty tries and one good one are not the same as one good one."""
    task = world.task(embargo_days=9)
    later = timezone.now().date() + timedelta(days=5)
    for shift in range(3):
        world.hand_in(task, f"r{shift}", shift, embargo=later if shift == 1 else None)
    world.work()
    intake.withdraw(Submission.objects.get(name="r0"), world.people["alice"])
    world.work()
    rows = board_of(Snapshot.objects.filter(task=task, kind="public").latest("number").document_id)["rows"]
    assert [(one["run"], one["runs"]) for one in rows] == [("r2", 3)]


def test_the_permalink_of_the_first_labels_never_changes(world: World) -> None:
    task = world.filled(private=4, show_private=True)
    addresses = ["", "?sort=value&order=up", "stability/", "sota/", "picture/stability", "board.csv", "board.json"]

    def bytes_of(name: str | None) -> list[bytes]:
        table_of.forget()
        _whole.forget()
        document_of.forget()
        board_of.forget()
        answers = [world.client(name).get(f"/tasks/ad-hoc/boards/1/{address}") for address in addresses]
        assert {answer.status_code for answer in answers} == {200}
        return [answer.content for answer in answers]

    before = bytes_of(None)
    assert bytes_of("alice") == before
    world.hand_in(task, "later", 3)
    world.work()
    from cranfield.server.tasks.label_versions import add_version
    from tests.support.server.users_and_tasks import arrived

    add_version(task, arrived(qrels({("301", "D01"): 0})).arriving, world.people["organiser"], note="changed")
    world.work()
    Announcement.objects.create(task=task, text="labels changed", by=world.people["organiser"])
    Submission.objects.filter(name="ideal").update(name="renamed", state=Submission.WITHDRAWN)
    Task.objects.filter(pk=task.pk).update(title="Another title", state=Task.CLOSED, closed=timezone.now())
    world.work()
    numbers = list(Snapshot.objects.filter(task=task, kind="public").order_by("number").values_list("version__number"))
    assert numbers[0] == (1,)
    assert numbers[-1] == (2,)
    for name in (None, "alice", "organiser", "operator"):
        assert bytes_of(name) == before
