"""Handing in a run on its page: what is said of a bad one, and what becomes of a good one."""

from __future__ import annotations

import gzip
import io
import re
import zipfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.conf import settings as django_settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from cranfield.server.models import Audit, Blob, Participant, Result, Submission, Task, Try
from cranfield.server.site import blob_store
from cranfield.server.submissions import intake
from cranfield.server.submissions.forms import name_from
from cranfield.studies import lint
from tests.support.server.page_requests import HTMX, shown
from tests.support.server.users_and_tasks import qrels, run_text

if TYPE_CHECKING:
    from pytest_django.fixtures import Settings

    from tests.support.server.users_and_tasks import World

BAD = (
    run_text("bad")
    .replace("301 Q0 D02 2 98 bad", "301 Q0 D02 2 NaN bad")
    .replace("302 Q0 D03 3 97 bad", "302 Q0 D03 3")
)


def file(text: str | bytes, name: str = "bm25.run.gz") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, text.encode() if isinstance(text, str) else text)


def form(world: World, text: str | bytes | None, called: str = "bm25.run", **told: Any) -> dict[str, Any]:
    sent: dict[str, Any] = {"team": world.teams["Alpha"].pk, "name": "", **told}
    return sent if text is None else sent | {"run": file(text, called)}


def test_a_run_is_received_named_after_its_file_and_evaluated(world: World) -> None:
    task = world.task(limit=2)
    client = world.client("alice")
    assert "2 of 2" in re.sub(r"<.*?>", "", shown(client.get("/tasks/ad-hoc/submit/")))
    sent = form(
        world, gzip.compress(run_text("x", 1).encode()), "my bm25.run.gz", description="we tried", link="example.org/p"
    )
    answer = client.post("/tasks/ad-hoc/submit/", sent, follow=True)
    assert answer.redirect_chain == [("/my/runs/", 302)]
    assert "my bm25 is received. 1 more submission is left in these 30 days." in shown(answer)
    run = Submission.objects.get()
    assert (run.name, run.team, run.by, run.task) == ("my bm25", world.teams["Alpha"], world.people["alice"], task)
    assert (run.description, run.link, run.file_name) == ("we tried", "https://example.org/p", "my bm25.run.gz")
    assert "next in the queue" in shown(answer)
    assert blob_store.is_sound(str(run.blob_id))
    world.work()
    page = shown(client.get("/my/runs/"))
    assert "evaluated" in page
    value = Result.objects.get().public["nDCG@10"]
    assert f"{value:.4f}" in page
    assert not list(Path(django_settings.HOME.incoming).iterdir())


@pytest.mark.parametrize(
    ("file_name", "run_name"),
    [
        ("bm25.run", "bm25"),
        ("bm25.v2.txt.gz", "bm25.v2"),
        ("C:\\runs\\bm25.tsv", "bm25"),
        ("../../etc/passwd", "passwd"),
        ("run<b>;x.res.zst", "run-b-x"),
        (".txt", "txt"),
        ("日本.run", "日本"),
        ("x" * 150 + ".run", "x" * 100),
        ("***.run", ""),
    ],
)
def test_a_name_from_the_name_of_the_file(file_name: str, run_name: str) -> None:
    assert name_from(file_name) == run_name
    assert not run_name or intake.NAME.fullmatch(run_name)


def test_a_bad_run_is_told_line_by_line_and_counts_nothing(world: World, tmp_path: Path) -> None:
    world.task(limit=1)
    client = world.client("alice")
    told = form(world, BAD, description="<b>kept</b>", link="https://example.org/x", name="mine")
    answer = client.post("/tasks/ad-hoc/submit/", told)
    assert answer.status_code == 422
    page = shown(answer)
    (tmp_path / "q").write_text(qrels())
    (tmp_path / "bm25.run").write_text(BAD)
    rows = lint([tmp_path / "bm25.run"], qrels=tmp_path / "q")["problems"].rows()
    assert {row["line"] for row in rows if row["severity"] == "error"} == {2, 13}  # 10 lines a topic
    for row in rows:
        for part in (row["code"], row["message"], row["hint"], row["severity"], f'class="number">{row["line"]}<'):
            assert str(part) in page
    assert "Nothing was taken, and nothing counts against your limit." in page
    assert "&lt;b&gt;kept" in answer.content.decode()
    assert 'value="https://example.org/x"' in page
    assert 'value="mine"' in page
    assert not Submission.objects.exists()
    assert not Blob.objects.exclude(pk__in=Task.objects.values("versions__qrels")).exists()
    assert not list(Path(django_settings.HOME.incoming).iterdir())
    assert "1 of 1" in re.sub(r"<.*?>", "", page)
    good = client.post("/tasks/ad-hoc/submit/", form(world, run_text("good")))
    assert good.status_code == 302


def test_a_check_tells_the_same_and_uses_nothing(world: World) -> None:
    world.task(limit=1)
    client = world.client("alice")
    bad = client.post("/tasks/ad-hoc/submit/check", form(world, BAD, description="kept"))
    assert bad.status_code == 422
    assert "2 errors in bm25.run." in re.sub(r"<.*?>", "", shown(bad))
    assert "E-FINITE" in shown(bad)
    assert "kept" in shown(bad)
    assert "This field is required" not in shown(bad)
    good = client.post("/tasks/ad-hoc/submit/check", form(world, run_text("x")))
    assert good.status_code == 200
    assert "bm25.run can be submitted as it is" in shown(good)
    assert "Without another name it is called <strong>bm25</strong>." in shown(good)
    named = client.post("/tasks/ad-hoc/submit/check", form(world, run_text("x"), name="other"))
    assert "Without another name" not in shown(named)
    fragment = client.post("/tasks/ad-hoc/submit/check", form(world, BAD), headers=HTMX)
    assert fragment.status_code == 200
    assert "<html" not in shown(fragment)
    assert "E-FINITE" in shown(fragment)
    assert not Submission.objects.exists()
    assert not Audit.objects.filter(what="submit").exists()
    assert not list(Path(django_settings.HOME.incoming).iterdir())
    assert client.get("/tasks/ad-hoc/submit/check").status_code == 405


def test_warnings_are_told_and_do_not_stop_a_run(world: World) -> None:
    world.task()
    client = world.client("alice")
    short = run_text("x", topics=["301", "302"])
    told = shown(client.post("/tasks/ad-hoc/submit/check", form(world, short)))
    assert "can be submitted as it is; 1 thing to know" in told
    assert "warning" in told
    assert client.post("/tasks/ad-hoc/submit/", form(world, short)).status_code == 302
    assert [row["severity"] for row in Submission.objects.get().problems] == ["warning"]
    assert "1 thing to know" in shown(client.get("/my/runs/"))


def test_sixty_checks_an_hour(world: World) -> None:
    world.task()
    client = world.client("alice")
    for _ in range(59):
        Try.objects.create(what="other", key="x")  # of something else
    for number in range(61):
        answer = client.post("/tasks/ad-hoc/submit/check", form(world, "301 Q0 D01 1 1 x"))
        assert answer.status_code == (200 if number < 60 else 429), number
    assert "Too many checks. Wait 60 minutes, then try again." in shown(answer)
    assert world.client("adam").post("/tasks/ad-hoc/submit/check", form(world, run_text("x"))).status_code == 200
    assert client.post("/tasks/ad-hoc/submit/", form(world, run_text("x"))).status_code == 302  # no check


def zipped() -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("run.txt", run_text("x"))
    return held.getvalue()


@pytest.mark.parametrize("page", ["submit/", "submit/check"])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, {"submit/": "Choose a file.", "submit/check": "There is no file to look at"}),
        (b"", {"submit/": "The file is empty.", "submit/check": "The file is empty."}),
        (zipped(), "this is a zip archive, not a text file"),
        (b"301 Q0 D\x001 1 1 x\n", "NUL byte"),
        (b"\n\n", "E-EMPTY"),
        (b"%PDF-1.4 \xff\xfe\n", "E-"),
    ],
    ids=["none", "empty", "zip", "nul", "blank", "pdf"],
)
def test_what_is_no_run_is_refused_with_clear_words(
    world: World, page: str, text: bytes | None, said: str | dict[str, str]
) -> None:
    world.task()
    answer = world.client("alice").post(f"/tasks/ad-hoc/{page}", form(world, text))
    assert answer.status_code == 422
    assert (said if isinstance(said, str) else said[page]) in shown(answer)
    assert not Submission.objects.exists()


@pytest.mark.parametrize("extra", [100, 2 << 20], ids=["a little", "much"])  # found on the way, known before
@pytest.mark.parametrize("page", ["submit/", "submit/check"])
def test_too_large_a_file_is_refused_and_leaves_nothing(
    world: World, settings: Settings, page: str, extra: int
) -> None:
    settings.OPTIONS = replace(django_settings.OPTIONS, upload_mb=1)
    world.task()
    before = set(Path(django_settings.HOME.blobs).rglob("*"))
    answer = world.client("alice").post(f"/tasks/ad-hoc/{page}", form(world, b"x" * ((1 << 20) + extra), name="mine"))
    assert answer.status_code == 413
    assert "The file is larger than 1 MB. Pack it with gzip or zstd." in re.sub(r"<.*?>", "", shown(answer))
    assert not list(Path(django_settings.HOME.incoming).iterdir())
    assert set(Path(django_settings.HOME.blobs).rglob("*")) == before
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(world.people["alice"])
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', shown(strict.get("/tasks/ad-hoc/submit/")))
    assert token is not None
    sent = {"csrfmiddlewaretoken": token[1]} | form(world, b"x" * ((1 << 20) + extra))
    assert strict.post(f"/tasks/ad-hoc/{page}", sent).status_code == 413  # the token came before the file


def test_a_file_as_large_as_it_may_be_is_looked_at(world: World, settings: Settings) -> None:
    settings.OPTIONS = replace(django_settings.OPTIONS, upload_mb=1)
    world.task()
    filled = run_text("x").encode()
    text = filled + b"\n" * ((1 << 20) - len(filled))
    assert world.client("alice").post("/tasks/ad-hoc/submit/check", form(world, text)).status_code == 200


def test_strangers_send_no_files(world: World) -> None:
    world.task()
    answer = Client().post("/tasks/ad-hoc/submit/", form(world, run_text("x")))
    assert (answer.status_code, answer["Location"]) == (302, "/log-in/?next=/tasks/ad-hoc/submit/")
    assert not list(Path(django_settings.HOME.incoming).iterdir())


@pytest.mark.parametrize("step", ["write", "end"])
def test_a_full_disk_gives_a_clear_page(world: World, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    world.task()

    def full(self: blob_store.Incoming, *piece: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(blob_store.Incoming, step, full)
    answer = world.client("alice").post("/tasks/ad-hoc/submit/", form(world, run_text("x")))
    assert answer.status_code == 503
    assert "The disk of this server is full. Nothing was taken, nothing was lost." in shown(answer)
    assert not list(Path(django_settings.HOME.incoming).iterdir())


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"name": "taken"}, "There is a run called"),
        ({"name": "a/b"}, "A name has letters, digits"),
        ({"name": "-x"}, "A name has letters, digits"),
        ({"called": "***.run"}, "Write a name."),
        ({"link": "javascript:alert(1)"}, "Enter a valid URL"),
        ({"link": "ftp://example.org/x"}, "A link starts with https:// or http://."),
        ({"kind": "magic"}, "not one of the available choices"),
        ({"description": "x" * 4001}, "at most 4000 characters"),
    ],
    ids=["name-taken", "name-slash", "name-dash", "no-name", "script", "ftp", "kind", "long"],
)
def test_a_wrong_entry_is_told_at_its_place(world: World, told: dict[str, str], said: str) -> None:
    task = world.task()
    world.hand_in(task, "Taken", team="Beta")
    answer = world.client("alice").post("/tasks/ad-hoc/submit/", form(world, run_text("x"), **told))
    assert answer.status_code == 422
    assert said in shown(answer)
    assert Submission.objects.count() == 1


def test_nobody_submits_for_another_team(world: World) -> None:
    world.task()
    answer = world.client("alice").post(
        "/tasks/ad-hoc/submit/", form(world, run_text("x"), team=world.teams["Beta"].pk)
    )
    assert answer.status_code == 422
    assert not Submission.objects.exists()


def test_hiding_and_not_naming_within_what_the_task_allows(world: World) -> None:
    plain = world.task("plain")
    page = shown(world.client("alice").get("/tasks/plain/submit/"))
    assert "Hide it until" not in page
    assert "Do not name our team until" not in page
    today = datetime.now(UTC).date()
    sly = form(world, run_text("x"), embargo=f"{today + timedelta(days=3)}", anonymous=f"{today + timedelta(days=3)}")
    world.client("alice").post("/tasks/plain/submit/", sly)
    run = Submission.objects.get(task=plain)
    assert (run.embargo, run.anonymous) == (None, None)  # this task has no such fields
    world.task("shy", embargo_days=10, anonymous_days=20)
    for wrong in (
        {"embargo": today + timedelta(days=11)},
        {"anonymous": today},
        {"anonymous": today + timedelta(days=21)},
    ):
        answer = world.client("alice").post("/tasks/shy/submit/", form(world, run_text("x"), "x.run", **wrong))
        assert answer.status_code == 422
        assert "A run cannot be" in shown(answer)
    days = {"embargo": today + timedelta(days=10), "anonymous": today + timedelta(days=20)}
    assert (
        world.client("alice").post("/tasks/shy/submit/", form(world, run_text("x"), "x.run", **days)).status_code == 302
    )
    run = Submission.objects.get(task__slug="shy")
    assert (run.embargo, run.anonymous) == (days["embargo"], days["anonymous"])
    mine = shown(world.client("adam").get("/my/runs/"))
    assert f'from <time datetime="{days["embargo"]}">' in mine
    assert f'named from <time datetime="{days["anonymous"]}">' in mine


@pytest.mark.parametrize(
    ("who", "changes", "said"),
    [
        ("loner", {}, "Runs are handed in by a team, also by a team of one person."),
        ("alice", {"state": Task.CLOSED, "closed": datetime(2026, 1, 2, tzinfo=UTC)}, "The task is closed since"),
        ("alice", {"opens": datetime(2999, 1, 2, 3, 4, tzinfo=UTC)}, "The task takes runs from <time"),
        ("alice", {"closes": datetime(2020, 1, 2, 3, 4, tzinfo=UTC)}, "The time for submissions ended at <time"),
        ("organiser", {"state": Task.DRAFT}, "The task is a draft"),
        ("organiser", {"invited_only": True}, "Ask its organisers for a link."),
    ],
    ids=["no-team", "closed", "not-yet", "over", "draft", "invited"],
)
def test_where_nothing_can_be_submitted_the_page_says_what_to_do(
    world: World, who: str, changes: dict[str, Any], said: str
) -> None:
    task = world.task()
    Task.objects.filter(pk=task.pk).update(**changes)
    client = world.client(who)
    page = client.get("/tasks/ad-hoc/submit/")
    assert page.status_code == 200
    assert said in shown(page)
    answer = client.post("/tasks/ad-hoc/submit/", form(world, run_text("x")))
    assert answer.status_code in (200, 422)
    assert not Submission.objects.exists()


@pytest.mark.parametrize(("state", "invited"), [(Task.DRAFT, False), (Task.OPEN, True)])
def test_a_task_one_may_not_know_of_is_not_there(world: World, state: str, invited: bool) -> None:
    world.task(state=state, invited_only=invited)
    client = world.client("loner")
    for page in ("submit/", "submit/check", "join"):
        assert client.post(f"/tasks/ad-hoc/{page}", {}).status_code == 404
        assert client.post(f"/tasks/none/{page}", {}).status_code == 404
    assert client.get("/tasks/ad-hoc/submit/").status_code == 404


def test_no_check_of_a_task_that_is_closed(world: World) -> None:
    world.task(state=Task.CLOSED)
    answer = world.client("alice").post("/tasks/ad-hoc/submit/check", form(world, run_text("x")))
    assert answer.status_code == 422
    assert "The task is closed" in shown(answer)
    fragment = world.client("alice").post("/tasks/ad-hoc/submit/check", form(world, run_text("x")), headers=HTMX)
    assert "The task takes no submissions now" in shown(fragment)


def test_a_task_without_judgments_takes_nothing(world: World) -> None:
    task = Task.objects.create(slug="bare", title="Bare", state=Task.OPEN)
    Participant.objects.create(task=task, team=world.teams["Alpha"])
    for page in ("submit/", "submit/check"):
        answer = world.client("alice").post(f"/tasks/bare/{page}", form(world, run_text("x")))
        assert answer.status_code == 422
        assert "he task has no judgments yet" in shown(answer)
