"""What an organiser may change of a task, and until when."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from cranfield.server.models import Audit, Snapshot, Task
from tests.support.server.users_and_tasks import TOPICS

if TYPE_CHECKING:
    from tests.support.server.users_and_tasks import World


def rules(task: Task, **changed: object) -> dict[str, object]:
    """What the form of settings sends if nothing is touched, and what is changed."""
    names = "title summary about measures rel test level limit days most embargo_days anonymous_days".split()
    told: dict[str, object] = {name: getattr(task, name) for name in names}
    return told | {"share": 0, "listed": " ".join(task.private)} | changed


def test_settings_change_what_may_be_changed(world: World) -> None:
    task = world.task(private=4)
    client, address = world.client("organiser"), reverse("task-settings", args=["ad-hoc"])
    client.post(address, rules(task, title="Another name", limit=3, opens="2026-01-02T03:04", invited_only="on"))
    task.refresh_from_db()
    assert (task.title, task.limit, task.invited_only) == ("Another name", 3, True)
    assert task.opens is not None
    assert task.opens.isoformat() == "2026-01-02T03:04:00+00:00"
    assert task.private == TOPICS[-4:]
    act = Audit.objects.get(what="settings")
    assert sorted(act.about["changed"]) == ["invited_only", "limit", "opens", "title"]
    client.post(address, rules(task, opens="2026-01-02T03:04", invited_only="on"))
    assert Audit.objects.filter(what="settings").count() == 1  # nothing was changed, so nothing is written down


def test_the_split_may_change_until_runs_are_in(world: World) -> None:
    task = world.task(private=4)
    client, address = world.client("organiser"), reverse("task-settings", args=["ad-hoc"])
    client.post(address, rules(task, listed="301 302, 303"))
    task.refresh_from_db()
    assert task.private == ["301", "302", "303"]
    client.post(address, rules(task, listed="", share=50, seed=7))
    task.refresh_from_db()
    assert len(task.private) == 6
    told = client.post(address, rules(task, listed="999")).content.decode()
    assert "Nobody judged topic 999" in told
    told = client.post(address, rules(task, listed=" ".join(TOPICS))).content.decode()
    assert "No topic is left for the board" in told
    before = list(task.private)
    world.hand_in(task, "first")
    page = client.get(address).content.decode()
    assert 'name="share"' not in page
    assert 'name="listed"' not in page
    client.post(address, rules(task, listed="301"))
    task.refresh_from_db()
    assert task.private == before


def test_other_measures_make_a_new_version_once_runs_are_in(world: World) -> None:
    task = world.filled()
    client, address = world.client("organiser"), reverse("task-settings", args=["ad-hoc"])
    told = client.post(address, rules(task, measures="P@5")).content.decode()
    assert "every run is evaluated again" in told
    task.refresh_from_db()
    assert task.measures == "nDCG@10 AP"
    client.post(address, rules(task, measures="p_5 map", again="on"))
    task.refresh_from_db()
    assert task.measures == "P@5 AP"
    version = task.version
    assert version is not None
    assert version.number == 2
    assert version.results.count() == 0
    world.work()
    assert version.results.count() == 4
    ideal = version.results.get(submission__name="ideal")
    # Topics 301 … 312 have 1, 2, 3, 1, 2, 3, … relevant documents, all found first: the mean of (1 + 2 + 3) / 3 / 5.
    assert ideal.public["P@5"] == pytest.approx(2 / 5)
    old = Snapshot.objects.filter(task=task).order_by("number").first()
    assert old is not None
    assert old.version.number == 1


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("measures", "nDCH@10", "There is no measure named"),
        ("measures", "", "required"),
        ("test", "guess", "There is no test named"),
        ("test", "t sign", "Give one test"),
        ("level", "2", "less than or equal to"),
        ("closes", "2020-01-01T00:00", "must close after it opens"),
        ("limit", "-1", "greater than or equal to"),
    ],
)
def test_settings_that_make_no_sense_are_refused(world: World, field: str, value: str, said: str) -> None:
    task = world.task()
    answer = world.client("organiser").post(
        reverse("task-settings", args=["ad-hoc"]), rules(task, opens="2021-01-01T00:00", **{field: value})
    )
    assert answer.status_code == 200
    assert said in answer.content.decode()
    assert not Audit.objects.filter(what="settings").exists()
