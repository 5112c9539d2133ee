"""The pages of operators: health, users, jobs."""

from __future__ import annotations

import json
import os
import re
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from django.conf import settings
from django.urls import reverse
from django.utils import timezone

from cranfield.core import ParameterError
from cranfield.server.accounts import roles
from cranfield.server.jobs.job_queue import KINDS
from cranfield.server.models import Audit, Invite, Job, Submission, Token, User, Worker
from cranfield.server.operations.health_checks import condition, retry
from cranfield.server.operations.pages import WORDS
from cranfield.server.site import blob_store
from cranfield.server.tasks.label_versions import change_one

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.server.users_and_tasks import World


@pytest.fixture
def a_backup() -> Iterator[Path]:
    """A backup of now."""
    path: Path = settings.HOME.backups / "backup.tar"
    path.write_bytes(b"x")
    yield path
    path.unlink()


@pytest.mark.parametrize("name", ["operate", "users", "jobs"])
def test_pages_are_for_operators_alone(world: World, name: str) -> None:
    assert world.client("operator").get(reverse(name)).status_code == 200
    for who in ("organiser", "alice", "assessor", "loner"):
        assert world.client(who).get(reverse(name)).status_code == 404
        assert (
            world.client(who).post(reverse(name), {"act": "operator", "which": world.people[who].pk}).status_code == 404
        )
    assert world.client().get(reverse(name)).status_code == 302
    assert User.objects.filter(is_superuser=True).count() == 1


def test_all_is_well(world: World, a_backup: Path) -> None:
    world.filled()
    Worker.objects.update_or_create(name="w", defaults={"seen": timezone.now()})
    Job.objects.filter(state=Job.WAITING).delete()
    assert condition().warnings == []
    text = world.client("operator").get(reverse("operate")).content.decode()
    assert "All is well" in text
    assert condition().database in text
    assert "nothing waits" in text
    live = world.client("operator").get(reverse("operate"), headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in live
    assert "All is well" in live


def test_what_is_wrong_is_said(world: World, a_backup: Path) -> None:
    now = timezone.now()
    Worker.objects.create(name="gone", seen=now - timedelta(minutes=2))
    Job.objects.create(kind="board", key="late", after=now - timedelta(hours=3))
    Job.objects.create(kind="board", key="broken", state=Job.FAILED, error="it broke")
    Job.objects.create(kind="board", key="later", after=now + timedelta(hours=3))
    old = (now - timedelta(days=5)).timestamp()
    os.utime(a_backup, (old, old))
    found = condition()
    assert found.waiting == 1
    assert found.waited == "3 hours"
    said = " ".join(found.warnings)
    for words in ("No worker has been seen", "waited for 3 hours", "1 job failed", "older than 2 days"):
        assert words in said
    text = world.client("operator").get(reverse("operate")).content.decode()
    assert "it broke" in text
    a_backup.write_bytes(b"")
    os.utime(a_backup)
    assert "backup" not in " ".join(condition().warnings)


def test_without_a_backup_it_says_so(world: World) -> None:
    del world
    assert condition().backup is None
    assert any("no backup yet" in one for one in condition().warnings)


def test_a_failed_job_is_tried_again(world: World) -> None:
    task = world.task()
    run = world.hand_in(task, "ideal")
    Job.objects.update(state=Job.FAILED, attempts=3, error="it broke")
    Submission.objects.update(state=Submission.FAILED, failure="it broke")
    job = Job.objects.get(kind="score")
    page = reverse("jobs")
    assert "it broke" in world.client("operator").get(page, {"state": "failed"}).content.decode()
    world.client("operator").post(page, {"which": job.pk})
    job.refresh_from_db()
    run.refresh_from_db()
    assert (job.state, job.attempts, job.error) == (Job.WAITING, 0, "")
    assert (run.state, run.failure) == (Submission.RECEIVED, "")
    assert Audit.objects.get(what="retry").about["job"] == "score"
    world.work()
    run.refresh_from_db()
    assert run.state == Submission.SCORED
    told = world.client("operator").post(page, {"which": job.pk}, follow=True).content.decode()
    assert "has not failed" in told
    assert world.client("operator").post(page, {"which": "0"}).status_code == 404


def test_a_failed_job_that_waits_again_anyway_is_forgotten(world: World) -> None:
    failed = Job.objects.create(kind="board", key="same", state=Job.FAILED)
    Job.objects.create(kind="board", key="same")
    retry(failed, world.people["operator"])
    assert Job.objects.get().state == Job.WAITING


def test_jobs_are_listed_by_state(world: World) -> None:
    world.filled()
    client = world.client("operator")
    assert "evaluate a run" in client.get(reverse("jobs")).content.decode()
    assert "No such job" in client.get(reverse("jobs"), {"state": "failed"}).content.decode()
    assert "evaluate a run" in client.get(reverse("jobs"), {"state": "anything"}).content.decode()


def test_jobs_are_told_by_the_names_that_people_know(world: World) -> None:
    task = world.filled(private=4)
    change_one(task, world.people["organiser"], topic="301", document="D01", grade=0)
    world.work()
    text = world.client("operator").get(reverse("jobs")).content.decode()
    for words, of in (
        ("evaluate a run", "fair; labels, version 2"),
        ("draw pictures", "full board 1"),
        ("draw pictures", "board 2"),
        ("compare labels", "labels, version 2"),
        ("look for runs that are alike", "ideal"),
        ("make the board", ""),
    ):
        assert f'{words} <span class="sub">{of}</span>' in text
    assert "submission=" not in text
    assert set(WORDS) == set(KINDS)  # every kind of work has words


def act(world: World, what: str, who: str) -> str:
    answer = world.client("operator").post(reverse("users"), {"act": what, "which": world.people[who].pk}, follow=True)
    world.people[who] = User.objects.get(username=who)  # permissions are kept by the object
    return answer.content.decode()


def test_somebody_may_organise(world: World) -> None:
    assert not roles.may_organise(world.people["loner"])
    assert "may make tasks" in act(world, "organise", "loner")
    assert roles.may_organise(world.people["loner"])
    assert world.client("loner").get(reverse("new-task")).status_code == 200
    act(world, "not-organise", "loner")
    assert not roles.may_organise(world.people["loner"])
    assert world.client("loner").get(reverse("new-task")).status_code == 404
    assert roles.may_organise(world.people["operator"])
    assert not roles.may_organise(None)
    assert [row.what for row in Audit.objects.all()] == ["may organise", "may not organise"]


def test_an_account_is_locked_and_opened(world: World) -> None:
    assert world.client("alice").get(reverse("organise")).status_code == 200
    act(world, "lock", "alice")
    assert world.client("alice").get(reverse("organise")).status_code == 302
    act(world, "open", "alice")
    assert User.objects.get(username="alice").is_active
    assert "cannot lock yourself out" in act(world, "lock", "operator")
    assert User.objects.get(username="operator").is_active


def test_operators_are_made_and_one_stays(world: World) -> None:
    assert "the last operator" in act(world, "not-operator", "operator")
    act(world, "operator", "beth")
    assert world.client("beth").get(reverse("operate")).status_code == 200
    act(world, "not-operator", "beth")
    assert world.client("beth").get(reverse("operate")).status_code == 404
    with pytest.raises(ParameterError, match="last operator"):
        roles.set_operator(world.people["operator"], world.people["operator"], operator=False)
    act(world, "nonsense", "beth")
    assert not Audit.objects.filter(what="nonsense").exists()


def test_people_are_found_and_invited(world: World) -> None:
    client, page = world.client("operator"), reverse("users")
    text = client.get(page, {"name": "ali"}).content.decode()
    assert "alice" in text
    assert "beth@" not in text
    told = client.post(page, {"act": "invite", "role": "", "uses": 1, "days": 7, "note": "for Yan"}, follow=True)
    link = told.content.decode().split("/join/")[1].split("/")[0]
    assert world.client().get(f"/join/{link}/").status_code == 200
    made = Invite.objects.get()
    assert "for Yan" in client.get(page).content.decode()
    client.post(page, {"act": "void", "which": made.pk})
    assert world.client().get(f"/join/{link}/").status_code != 200
    assert "less than or equal" in client.post(page, {"act": "invite", "uses": 9999, "days": 7}).content.decode()
    assert client.post(page, {"act": "lock", "which": "none"}).status_code == 404


def test_names_with_markup_are_text(world: World) -> None:
    User.objects.filter(username="alice").update(name="<b onclick=x>Alice</b>")
    text = world.client("operator").get(reverse("users")).content.decode()
    assert "<b onclick" not in text
    assert "&lt;b onclick=x&gt;" in text


def test_a_new_password_by_a_link_of_the_operators(world: World) -> None:
    alice = world.people["alice"]
    Token.make(alice, "old", Token.READ, timezone.now() + timedelta(days=1))
    page = world.client("operator").post("/operate/users/", {"act": "password", "which": alice.pk}, follow=True)
    link = re.search(r"http://testserver(/new-password/[^<\s]+)", page.content.decode())
    assert link is not None
    visitor = world.client()
    form = visitor.get(link[1], follow=True)
    assert form.status_code == 200
    assert "Four words in a row" in form.content.decode()
    there = form.redirect_chain[-1][0]
    weak = visitor.post(there, {"password": "alice", "again": "alice"})
    assert weak.status_code == 200
    assert "at least 10 characters" in weak.content.decode()
    done = visitor.post(there, {"password": "another long secret", "again": "another long secret"}, follow=True)
    assert "Your password is set" in done.content.decode()
    alice.refresh_from_db()
    assert alice.check_password("another long secret")
    assert not Token.objects.filter(user=alice).exists()  # whoever had one is out
    acts = Audit.objects.order_by("-id").values_list("what", flat=True)
    assert list(acts[:2]) == ["password by link", "password link"]
    again = world.client().get(link[1], follow=True)
    assert "was used before" in again.content.decode()


def test_an_organiser_says_which_run_is_to_be_beaten(world: World) -> None:
    task = world.filled()
    run = task.submissions.get(name="poor")
    asked = {"run": run.key, "baseline": "yes"}
    assert world.client("alice").post("/organise/ad-hoc/runs/", asked).status_code == 404
    assert world.client("organiser").post("/organise/ad-hoc/runs/", asked).status_code == 302
    world.work()
    document = json.loads(blob_store.read(task.snapshots.order_by("-number")[0].document_id))
    assert [row["run"] for row in document["rows"] if "baseline" in row["badges"]] == ["poor"]
    against = document["panels"]["baseline"]["table"]
    assert {row[against["columns"].index("baseline")] for row in against["rows"]} == {"poor"}
    world.client("organiser").post("/organise/ad-hoc/runs/", {"run": run.key, "baseline": "no"})
    run.refresh_from_db()
    assert not run.baseline
