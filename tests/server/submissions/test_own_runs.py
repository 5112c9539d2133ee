"""My runs: what became of them, and what may still be changed."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.test import Client
from django.utils import timezone

from cranfield.server.models import Audit, Job, Result, Submission, Task
from cranfield.server.site import blob_store
from cranfield.server.submissions import intake
from cranfield.server.submissions.evaluation import values_of
from tests.support.server.page_requests import HTMX, shown

if TYPE_CHECKING:
    from tests.support.server.users_and_tasks import World


def test_my_runs_are_my_teams_runs(world: World) -> None:
    task = world.filled()
    mine = shown(world.client("adam").get("/my/runs/"))
    assert "ideal" in mine
    assert "fair" in mine
    assert "poor" not in mine
    assert "You are in no team yet" in shown(world.client("loner").get("/my/runs/"))
    Submission.objects.update(team=world.teams["Beta"])
    assert "Nothing is handed in yet" in shown(world.client("alice").get("/my/runs/"))
    Task.objects.filter(pk=task.pk).update(state=Task.DRAFT)  # taken back: nothing of it is seen
    assert "poor" not in shown(world.client("beth").get("/my/runs/"))


def test_places_in_the_queue_and_what_the_page_asks_for_again(world: World) -> None:
    task = world.task()
    first, second = world.hand_in(task, "first"), world.hand_in(task, "second", 1)
    client = world.client("alice")
    page = shown(client.get("/my/runs/"))
    assert "next in the queue" in page
    assert "place 2 in the queue" in page
    state = client.get(f"/runs/{second.key}/state")
    assert "place 2 in the queue" in shown(state)
    assert f'hx-get="/runs/{second.key}/state"' in shown(state)
    assert "<html" not in shown(state)
    Job.objects.filter(about__submission=first.pk).update(state=Job.RUNNING)
    assert "being evaluated" in shown(client.get(f"/runs/{first.key}/state"))
    assert "next in the queue" in shown(client.get(f"/runs/{second.key}/state"))
    Job.objects.filter(about__submission=first.pk).update(state=Job.WAITING, attempts=1, error="OSError: lost\nmore")
    assert "tried again after: OSError: lost" in shown(client.get(f"/runs/{first.key}/state"))
    world.work()
    done = shown(client.get(f"/runs/{second.key}/state"))
    assert "evaluated" in done
    assert "hx-get" not in done
    for other in ("beth", "loner", "assessor"):
        assert world.client(other).get(f"/runs/{second.key}/state").status_code == 404
    assert client.get("/runs/none/state").status_code == 404


def test_a_run_whose_job_is_not_there_waits(world: World) -> None:
    run = world.hand_in(world.task(), "first")
    Job.objects.all().delete()
    page = shown(world.client("alice").get(f"/runs/{run.key}/state"))
    assert "waiting" in page
    assert "queue" not in page


def test_a_type_from_elsewhere_stays_unless_it_is_changed(world: World) -> None:
    run = world.hand_in(world.task(), "first", kind="neural")
    page = shown(world.client("alice").get(f"/runs/{run.key}/edit"))
    assert '<option value="neural" selected>' in page
    told = {"description": "", "kind": "neural", "link": ""}
    assert "Nothing was changed." in shown(world.client("alice").post(f"/runs/{run.key}/edit", told, follow=True))
    world.client("alice").post(f"/runs/{run.key}/edit", told | {"kind": ""})
    run.refresh_from_db()
    assert run.kind == ""  # the file says nothing


def test_a_task_that_is_over_has_no_limits_to_tell(world: World) -> None:
    world.filled()
    assert "left in 30 days" in shown(world.client("alice").get("/my/runs/"))
    Task.objects.update(state=Task.CLOSED)
    assert "left in 30 days" not in shown(world.client("alice").get("/my/runs/"))


def test_a_run_that_failed_says_why(world: World) -> None:
    task = world.task()
    run = world.hand_in(task, "broken")
    blob_store.path_of(str(run.blob_id)).write_text("no run at all\n")
    world.work()
    page = shown(world.client("alice").get("/my/runs/"))
    run.refresh_from_db()
    assert run.state == Submission.FAILED
    assert run.failure
    assert run.failure in page


def test_private_values_are_told_only_as_far_as_they_may_be(world: World) -> None:
    task = world.filled(private=4)
    result = Result.objects.get(submission__name="fair")
    private = f"{result.private['nDCG@10']:.4f}"
    assert f"{result.public['nDCG@10']:.4f}" != private
    client = world.client("alice")

    def fair() -> str:
        return shown(client.get(f"/runs/{result.submission.key}/state"))

    by_hand = values_of(result)["nDCG@10"]
    assert private == f"{sum(by_hand[topic] for topic in task.private) / 4:.4f}"
    assert private not in fair()
    assert "as far as it is told" not in fair()
    Task.objects.update(show_private=True)
    Result.objects.filter(pk=result.pk).update(released=0.7)
    assert "0.7<" in fair()
    assert "as far as it is told" in fair()
    assert private not in fair()
    Task.objects.update(state=Task.CLOSED)
    assert private in fair()


def test_withdrawing_asks_first_and_is_for_ones_own(world: World) -> None:
    task = world.filled(limit=2)
    run = Submission.objects.get(name="fair")
    for other in ("beth", "loner", "assessor"):
        assert world.client(other).get(f"/runs/{run.key}/withdraw").status_code == 404
        assert world.client(other).post(f"/runs/{run.key}/withdraw").status_code == 404
    page = shown(world.client("adam").get(f"/runs/{run.key}/withdraw"))
    assert "still counts against the limit of Alpha" in page
    run.refresh_from_db()
    assert run.state == Submission.SCORED
    assert world.client("adam").post(f"/runs/{run.key}/withdraw")["Location"] == "/my/runs/"
    run.refresh_from_db()
    assert (run.state, run.withdrawn is not None) == (Submission.WITHDRAWN, True)
    assert intake.left(task, world.teams["Alpha"]).now == 0
    assert Job.objects.filter(kind="board", state=Job.WAITING).exists()
    assert list(Audit.objects.filter(what="withdraw").values_list("who", flat=True)) == ["adam"]
    world.client("adam").post(f"/runs/{run.key}/withdraw")
    assert Audit.objects.filter(what="withdraw").count() == 1  # once
    assert f"{run.name} is withdrawn" in shown(world.client("adam").get(f"/runs/{run.key}/withdraw"))
    poor = Submission.objects.get(name="poor")
    assert world.client("organiser").post(f"/runs/{poor.key}/withdraw")["Location"] == "/organise/ad-hoc/runs/"


def test_once_a_task_is_closed_only_its_organisers_withdraw(world: World) -> None:
    """Otherwise who did badly on the private topics could take it back, and ranks would change for everybody."""
    world.filled(private=4, state=Task.OPEN)
    run = Submission.objects.get(name="fair")
    page, question = f"/runs/{run.key}/", f"/runs/{run.key}/withdraw"
    assert question in shown(world.client("alice").get(page))
    Task.objects.update(state=Task.CLOSED)
    assert question not in shown(world.client("alice").get(page))
    assert question not in shown(world.client("alice").get("/my/runs/"))
    assert f"/runs/{run.key}/edit" in shown(world.client("alice").get(page))
    asked = shown(world.client("alice").get(question))
    assert "its board stands" in asked
    assert '<form method="post">' not in asked
    answer = shown(world.client("alice").post(question, follow=True))
    assert "The task is closed, and its board stands. Ask its organisers." in answer
    run.refresh_from_db()
    assert run.state == Submission.SCORED
    card = shown(world.client("organiser").get(page))
    assert question in card
    assert f"/runs/{run.key}/edit" not in card  # what is said of a run is its team's
    world.client("organiser").post(question)
    run.refresh_from_db()
    assert run.state == Submission.WITHDRAWN
    assert list(Audit.objects.filter(what="withdraw").values_list("who", flat=True)) == ["organiser"]


def test_what_is_said_of_a_run_may_change_the_run_may_not(world: World) -> None:
    task = world.task(embargo_days=30, anonymous_days=30)
    today = datetime.now(UTC).date()
    until = today + timedelta(days=20)
    run = world.hand_in(task, "first", embargo=until, anonymous=until)
    world.work()
    url = f"/runs/{run.key}/edit"
    client = world.client("adam")
    for other in ("beth", "loner", "organiser", "operator"):
        assert world.client(other).get(url).status_code == 404
    page = shown(client.get(url))
    assert f'value="{until}"' in page

    def told(embargo: date | str, anonymous: date | str = until, **more: str) -> dict[str, Any]:
        return {"description": "new", "kind": "manual", "link": "https://example.org/", "embargo": str(embargo)} | {
            "anonymous": str(anonymous),
            **more,
        }

    for wrong in (until + timedelta(days=1), today - timedelta(days=1)):
        answer = client.post(url, told(wrong))
        assert "It can be shown and named earlier, never later." in shown(answer)
    run.refresh_from_db()
    assert (run.description, run.embargo) == ("", until)
    earlier = until - timedelta(days=5)
    assert client.post(url, told(earlier, name="other", state="failed")).status_code == 302
    run.refresh_from_db()
    assert (run.description, run.kind, run.link) == ("new", "manual", "https://example.org/")
    assert (run.embargo, run.anonymous, run.name, run.state) == (earlier, until, "first", Submission.SCORED)
    row = Audit.objects.get(what="edit")
    assert (row.who, row.about["before"]["embargo"], row.about["after"]["embargo"]) == (
        "adam",
        str(until),
        str(earlier),
    )
    assert Job.objects.filter(kind="board", state=Job.WAITING).exists()
    assert client.post(url, told("", "")).status_code == 302
    run.refresh_from_db()
    assert (run.embargo, run.anonymous) == (None, None)
    assert "Hidden until" not in shown(client.get(url))
    client.post(url, told(until))  # no way back
    run.refresh_from_db()
    assert run.embargo is None
    assert "Nothing was changed." in shown(client.post(url, told(until), follow=True))
    intake.withdraw(run, world.people["alice"])
    assert "The run was withdrawn." in shown(client.post(url, told("", description="again")))


def test_a_long_list_has_pages(world: World) -> None:
    task = world.task()
    blob = blob_store.put(b"x")
    Submission.objects.bulk_create(
        Submission(
            task=task,
            team=world.teams["Alpha"],
            name=f"run{i}",
            blob=blob,
            state="failed",
            received=timezone.now() + timedelta(seconds=i),
        )
        for i in range(60)
    )
    first = shown(world.client("alice").get("/my/runs/"))
    assert "run59" in first
    assert "run9<" not in first
    assert "Page 1 of 2" in first
    assert "run9<" in shown(world.client("alice").get("/my/runs/", {"page": "2"}))


def test_where_the_session_is_over_the_whole_page_goes_to_the_log_in(world: World) -> None:
    run = world.hand_in(world.task(), "first")
    told = HTMX | {"HX-Current-URL": "http://testserver/my/runs/"}
    answer = Client().get(f"/runs/{run.key}/state", headers=told)
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer["HX-Redirect"] == "/log-in/?next=/my/runs/"
    assert Client().get(f"/runs/{run.key}/state", headers=HTMX)["HX-Redirect"] == "/log-in/?next=/"
    checked = Client().post("/tasks/ad-hoc/submit/check", headers=told)
    assert checked["HX-Redirect"] == "/log-in/?next=/my/runs/"
    plain = Client().get(f"/runs/{run.key}/state")
    assert plain["Location"] == f"/log-in/?next=/runs/{run.key}/state"
