"""What can be taken home, and what is said of a task."""

from __future__ import annotations

import csv
import io
import json
from html import unescape
from typing import TYPE_CHECKING, Any

import pytest
from django.utils import timezone

from cranfield.server.models import Announcement, Snapshot, Task
from cranfield.server.site import blob_store
from cranfield.server.site.csv_output import guarded, to_csv
from tests.support.server.simulated_boards import document, keep, row
from tests.support.server.users_and_tasks import TOPICS, qrels

if TYPE_CHECKING:
    from tests.support.server.users_and_tasks import World

TASK = "/tasks/ad-hoc/"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_no_text_becomes_a_formula(start: str) -> None:
    assert guarded(f"{start}1+1") == f"'{start}1+1"


@pytest.mark.parametrize(
    ("cell", "shown"),
    [(None, ""), (-0.25, -0.25), (3, 3), (True, "true"), ("a=b", "a=b"), (["x", "y"], "x y"), (["=x"], "'=x")],
    ids=["nothing", "number", "whole", "truth", "text", "list", "formula-list"],
)
def test_other_cells_stay_as_they_are(cell: Any, shown: Any) -> None:
    assert guarded(cell) == shown


def test_columns_are_guarded_too() -> None:
    assert to_csv(["=a", "b"], [['say "hi", you', -1]]) == '\'=a,b\r\n"say ""hi"", you",-1\r\n'


def test_a_board_as_files(world: World) -> None:
    task = world.task()
    told = document(task, [row(1, run="=HYPERLINK(1)"), row(2)])
    made = keep(task, told)
    answer = world.client().get(f"{TASK}boards/1/board.csv")
    read = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert [one["run"] for one in read] == ["'=HYPERLINK(1)", "run-002"]
    assert [float(one["difference"]) for one in read] == [one["difference"] for one in told["rows"]]
    assert read[0]["metadata"] == "platform.software: Lucene"
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="ad-hoc-board-1.csv"'
    answer = world.client().get(f"{TASK}boards/1/board.json")
    assert answer.content == blob_store.read(made.document_id)
    assert json.loads(answer.content) == told
    assert answer.headers["Content-Type"] == "application/json"


def lines_of(world: World, name: str | None, address: str) -> list[str]:
    answer = world.client(name).get(f"{TASK}downloads/{address}")
    assert answer.status_code == 200
    return answer.content.decode().splitlines()


def test_judgments_of_private_topics_are_kept_until_the_task_closes(world: World) -> None:
    task = world.task(private=4, labels_public=True)
    public = [line for line in qrels().splitlines() if line.split()[0] in TOPICS[:8]]
    assert lines_of(world, None, "qrels-1.txt") == public
    assert lines_of(world, "alice", "qrels-1.txt") == public
    assert lines_of(world, "organiser", "qrels-1.txt") == qrels().splitlines()
    page = unescape(world.client().get(f"{TASK}downloads/").content.decode())
    assert "Judgments of private topics are left out" in page
    assert world.client().get(f"{TASK}downloads/qrels-2.txt").status_code == 404
    Task.objects.filter(pk=task.pk).update(state=Task.CLOSED, closed=timezone.now())
    assert lines_of(world, None, "qrels-1.txt") == qrels().splitlines()


def test_judgments_that_are_not_public_are_not_there(world: World) -> None:
    world.task()
    assert world.client("alice").get(f"{TASK}downloads/qrels-1.txt").status_code == 404
    assert "qrels-1" not in world.client().get(f"{TASK}downloads/").content.decode()
    assert world.client("organiser").get(f"{TASK}downloads/qrels-1.txt").status_code == 200


def test_a_run_needs_the_texts_of_all_topics(world: World) -> None:
    task = world.task(private=4)
    assert world.client().get(f"{TASK}downloads/topics").status_code == 404
    assert "give no texts" in world.client().get(f"{TASK}downloads/").content.decode()
    texts = "".join(f"{topic}\ttext of {topic}\n" for topic in TOPICS)
    task.topics = blob_store.put(texts.encode())
    task.save()
    assert lines_of(world, None, "topics") == texts.splitlines()  # and they do not say which are private


def page_of(world: World, address: str) -> str:
    answer = world.client().get(f"{TASK}{address}")
    assert answer.status_code == 200
    return " ".join(unescape(answer.content.decode()).split())


def test_the_page_about_a_task(world: World) -> None:
    task = world.task(about="# Rules\n\n<script>alert(1)</script> [here](https://example.org)")
    page = world.client().get(f"{TASK}about/").content.decode()
    assert "<h2>Rules</h2>" in page
    assert "&lt;script&gt;alert(1)" in page
    assert '<a href="https://example.org" rel="nofollow noopener">here</a>' in page
    Task.objects.filter(pk=task.pk).update(about="")
    assert "have not described the task yet" in page_of(world, "about/")


def test_methods_come_from_the_settings(world: World) -> None:
    world.task(measures="nDCG@10 AP", limit=3, days=7, most=40, level=0.01, test="sign", embargo_days=5)
    page = page_of(world, "methods/")
    for said in (
        "the mean of <b>nDCG@10</b> over 12 topics.",
        "DCG as a share of the DCG of the perfect ranking",
        "from 0 to 1; more is better",
        "<dt>AP</dt><dd>Average precision",
        "over all pairs of runs, at level 0.01. The test is <code>sign</code>.",
        "99 % of the draws",
        "All topics are public",
        "hand in 3 runs in 7 days, and 40 in all",
        "may stay hidden for 5 days",
        "Every team is named",
        "version 1 (96 judgments)",
    ):
        assert said in page, said
    assert "Ladder" not in page


def test_methods_say_what_is_told_of_private_topics(world: World) -> None:
    task = world.task(private=4, anonymous_days=1)
    page = page_of(world, "methods/")
    assert "over 8 public topics" in page
    assert "4 topics take no part in this board while the task is open" in page
    assert "No value on private topics is told while the task is open: with 4 topics" in page
    assert "No run can be hidden" in page
    assert "may stay unnamed for 1 day; then" in page
    Task.objects.filter(pk=task.pk).update(show_private=True)
    page = page_of(world, "methods/")
    assert "through the Ladder" in page
    assert "rounded to 0 decimals" in page  # floor(log10 4)
    Task.objects.filter(pk=task.pk).update(state=Task.CLOSED, closed=timezone.now())
    page = page_of(world, "methods/")
    assert "over 4 private topics" in page
    assert "runs are ranked by these topics alone" in page
    assert "Ladder" not in page


def test_the_history_of_a_task(world: World) -> None:
    task = world.task()
    page = page_of(world, "history/")
    assert "There is no board yet" in page
    assert "None yet." in page
    assert "Version 1</th>" in page
    keep(task, document(task, [row(1)]))
    keep(task, document(task, [row(1), row(2)]))
    keep(task, document(task, [row(1), row(2), row(3)], kind="full"), kind=Snapshot.FULL)
    Announcement.objects.create(task=task, text="*news*", by=None)
    page = page_of(world, "history/")
    assert page.index('href="/tasks/ad-hoc/boards/2/"') < page.index('href="/tasks/ad-hoc/boards/1/"')
    assert "boards/3/" not in page
    assert page.count("made up") == 2  # why each public board differs; the full one is nobody's business
    assert "<em>news</em>" in page


def test_a_task_without_labels_has_pages(world: World) -> None:
    Task.objects.create(slug="ad-hoc", title="Bare", state=Task.OPEN)
    assert "There are no judgments yet" in page_of(world, "history/")
    assert "over 0 topics" in page_of(world, "methods/")
    assert "There is no board yet" in page_of(world, "downloads/")
