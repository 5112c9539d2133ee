"""Boards: what a page shows, in which order, and how browsers keep it."""

from __future__ import annotations

import gzip
import re
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from cranfield.server.models import Announcement, Submission, Task
from tests.support.server.page_requests import text_of
from tests.support.server.simulated_boards import document, keep, row

if TYPE_CHECKING:
    from django.test import Client

    from tests.support.server.users_and_tasks import World


def runs_of(page: str) -> list[str]:
    """The runs of a board in the order in which they stand."""
    return re.findall(r'<th scope="row" class="who">(?:<label[^>]*><input [^>]*></label>)?(?:<a [^>]*>)?([^<]*)', page)


@pytest.fixture
def task(world: World) -> Task:
    return world.task()


@pytest.fixture
def client(world: World) -> Client:
    return world.client()


def test_a_row_says_everything(client: Client, task: Task) -> None:
    one = row(1, rank=1, rank_low=1, rank_high=6, letters="ab", value=0.51234, low=0.4, high=0.6, p_first=0.4567)
    two = row(2, rank=3, rank_low=2, rank_high=4, difference=-0.0321, p_adjusted=0.0123, badges=["baseline"], runs=7)
    keep(task, document(task, [one, two]))
    page = text_of(client, "/tasks/ad-hoc/")
    words = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page))
    assert "ab 1 (1–6) run-001 Team 1 0.5123" in words
    assert "(0.4000 to 0.6000) best 45.7 %" in words
    assert "3 (2–4) run-002 Team 2" in words
    assert "−0.0321 p = .012" in words
    assert "automatic 2026-03-03 7 baseline" in words
    assert "2 runs by mean nDCG@10 over 50 topics; bars are 95 % confidence intervals, brackets the places" in words
    assert "run-001 is first by mean nDCG@10." in words
    assert "Labels: version 1, 1,234 judgments" in words
    assert 'href="/tasks/ad-hoc/boards/1/"' in page


def test_the_bar_lies_on_the_scale_of_the_whole_board(client: Client, task: Task) -> None:
    keep(task, document(task, [row(1, low=0.5, value=0.75, high=1.0), row(2, low=0.0, value=0.25, high=0.5)]))
    page = text_of(client, "/tasks/ad-hoc/")
    assert re.findall(r'class="interval" d="([^"]*)"', page) == ["M50.0 4H100.0", "M0.0 4H50.0"]
    assert re.findall(r'class="at" d="([^"]*)"', page) == ["M75.0 0v8", "M25.0 0v8"]
    assert "style=" not in page


def test_equal_values_have_a_bar_too(client: Client, task: Task) -> None:
    keep(task, document(task, [row(1, low=1.0, value=1.0, high=1.0)]))
    assert 'd="M0.0 4H0.0"' in text_of(client, "/tasks/ad-hoc/")


def test_columns_in_which_there_is_nothing_are_left_out(client: Client, task: Task) -> None:
    nothing: dict[str, Any] = {"answered": None, "unjudged": None, "kind": "", "badges": []}
    keep(task, document(task, [row(1, **nothing), row(2, **nothing)]))
    page = text_of(client, "/tasks/ad-hoc/")
    for title in ("Answered", "Unjudged@10", "Private", "Type", "Notes"):
        assert f">{title}</a>" not in page
    keep(task, document(task, [row(1, released=0.31), row(2)]))
    page = text_of(client, "/tasks/ad-hoc/")
    assert ">Private</a>" in page
    assert '<td class="number" data-label="Private">0.31</td>' in page


def test_hidden_runs_are_on_the_full_board_alone(world: World, task: Task) -> None:
    keep(task, document(task, [row(1)]))
    keep(task, document(task, [row(1), row(2, badges=["hidden"])], kind="full"), kind="full")
    assert runs_of(text_of(world.client("organiser"), "/tasks/ad-hoc/")) == ["run-001"]
    full = text_of(world.client("organiser"), "/tasks/ad-hoc/full/")
    assert runs_of(full) == ["run-001", "run-002"]
    assert "Do not pass it on" in full
    assert text_of(world.client("operator"), "/tasks/ad-hoc/full/stability/")
    picture = world.client("organiser").get("/tasks/ad-hoc/full/picture/stability")
    assert picture.headers["Cache-Control"] == "private, no-store"
    for name in (None, "alice", "beth", "assessor", "loner"):
        for address in ("full/", "full/stability/", "full/picture/stability"):
            assert world.client(name).get(f"/tasks/ad-hoc/{address}").status_code == 404


def test_without_hidden_runs_the_full_board_is_the_board(world: World, task: Task) -> None:
    assert "There is nothing to rank yet" in text_of(world.client("organiser"), "/tasks/ad-hoc/full/")
    assert world.client("organiser").get("/tasks/ad-hoc/full/stability/").status_code == 404
    keep(task, document(task, [row(1)]))
    assert runs_of(text_of(world.client("organiser"), "/tasks/ad-hoc/full/")) == ["run-001"]


@pytest.mark.parametrize(
    ("asked", "order"),
    [
        ("", [1, 2, 3, 4, 5]),
        ("?sort=rank&order=down", [4, 3, 2, 1, 5]),
        ("?sort=value", [2, 1, 4, 3, 5]),
        ("?sort=value&order=up", [5, 3, 4, 1, 2]),
        ("?sort=run&order=down", [5, 4, 3, 2, 1]),
        ("?sort=p_first", [3, 1, 2, 4, 5]),
        ("?sort=p_first&order=up", [1, 2, 4, 3, 5]),
        ("?sort=kind", [4, 1, 2, 3, 5]),
        ("?sort=badges&order=down", [4, 3, 2, 1, 5]),
        ("?sort=nonsense&order=sideways", [1, 2, 3, 4, 5]),
        ("?kind=manual", [1, 2, 3]),
        ("?q=RUN-00", [1, 2, 3, 4, 5]),
        ("?q=team+three", [3]),
        ("?meta=lucene", [1, 3, 5]),
        ("?meta=platform.software:+Luc&kind=manual&sort=run&order=down", [3, 1]),
    ],
)
def test_rows_are_sorted_and_chosen_by_the_address(client: Client, task: Task, asked: str, order: list[int]) -> None:
    values, chances = [0.5, 0.7, 0.2, 0.3], [0.1, 0.1, 0.9, 0.1]
    rows = [row(i + 1, value=values[i], p_first=chances[i], kind="manual", low=None, high=None) for i in range(4)]
    rows[3]["kind"] = "automatic"
    rows[2]["group"] = "Team Three"
    stated: dict[str, Any] = dict.fromkeys(("rank", "p_first", "low", "high", "letters"))
    rows.append(row(5, value=0.1, kind="", badges=["history"], **stated))
    keep(task, document(task, rows))
    page = text_of(client, f"/tasks/ad-hoc/{asked}")
    # A stated value stands apart from the runs, whatever the order.
    expected = [place for place in order if place != 5] + [5] * (5 in order)
    assert runs_of(page) == [f"run-{place:03d}" for place in expected]


def test_a_board_without_runs_says_what_comes_first(client: Client, task: Task) -> None:
    """Labels make a board before there is a run: a table without rows is of no use to anybody."""
    keep(task, document(task, []))
    page = text_of(client, "/tasks/ad-hoc/")
    assert "There is nothing to rank yet" in page
    assert "six columns: topic, Q0, document, rank, score, tag" in page
    assert "<table" not in page
    then = text_of(client, "/tasks/ad-hoc/boards/1/")
    assert "No run is on this board." in then
    assert "<table" not in then


def test_stated_values_are_no_runs(client: Client, task: Task) -> None:
    stated: dict[str, Any] = {"rank": None, "badges": ["history"], "runs": 4}
    keep(task, document(task, [row(1), row(2), row(3, **stated)]))
    page = text_of(client, "/tasks/ad-hoc/")
    assert "2 runs by mean" in page
    assert "4</td>" not in page.partition("Stated values")[2]  # nobody handed them in
    assert "1 of 2 runs by mean" in text_of(client, "/tasks/ad-hoc/?q=run-001")
    assert "<dt>Runs</dt><dd>2</dd>" in text_of(client, "/")


def test_a_board_of_cards_can_be_sorted_too(client: Client, task: Task) -> None:
    """Where a phone shows cards there are no heads of columns: the form has the same choice."""
    keep(task, document(task, [row(1), row(2)]))
    page = text_of(client, "/tasks/ad-hoc/?sort=value")
    choices = re.findall(r'<option value="(\w+)"( selected)?>', page.partition('name="sort"')[2])
    assert [name for name, chosen in choices if chosen] == ["value"]
    assert [name for name, _ in choices] == re.findall(r'<a id="by-(\w+)"', page)
    assert 'name="order"' not in page  # so that each column comes its own way round
    assert '<input type="hidden" name="order" value="up">' in text_of(client, "/tasks/ad-hoc/?sort=value&order=up")


def test_runs_can_be_ticked_and_compared(client: Client, task: Task) -> None:
    stated: dict[str, Any] = {"rank": None}
    keep(task, document(task, [row(1), row(2), row(3, **stated)]))
    page = text_of(client, "/tasks/ad-hoc/")
    assert '<form id="compare" class="actions" method="get" action="/tasks/ad-hoc/compare/">' in page
    ticks = re.findall(r'name="run" value="(\w+)" form="compare" aria-label="Compare ([\w-]+)">', page)
    assert ticks == [(f"{1:012x}", "run-001"), (f"{2:012x}", "run-002")]
    keep(task, document(task, [row(1)]))
    assert 'id="compare"' not in text_of(client, "/tasks/ad-hoc/")


def test_the_sorted_column_says_so(client: Client, task: Task) -> None:
    keep(task, document(task, [row(1), row(2)]))
    page = text_of(client, "/tasks/ad-hoc/?sort=value&q=run")
    assert re.findall(r'<th scope="col"[^>]*aria-sort="(\w+)"[^>]*><a id="([\w-]+)"', page) == [
        ("descending", "by-value")
    ]
    assert 'id="by-value" href="?sort=value&order=up&q=run"' in page
    assert 'id="by-run" href="?sort=run&order=up&q=run"' in page
    assert re.findall(r'aria-sort="(\w+)"', text_of(client, "/tasks/ad-hoc/")) == ["ascending"]


def test_a_search_that_finds_nothing_says_what_to_do(client: Client, task: Task) -> None:
    keep(task, document(task, [row(1)]))
    page = text_of(client, "/tasks/ad-hoc/?q=<script>")
    assert "No run is like that." in page
    assert '<a href="?sort=rank&order=up">Show all runs</a>' in page
    assert '<script>"' not in client.get("/tasks/ad-hoc/?q=<script>").content.decode()
    assert b"&lt;script&gt;" in client.get("/tasks/ad-hoc/?q=<script>").content
    assert runs_of(text_of(client, f"/tasks/ad-hoc/?q={'x' * 5000}")) == []


def test_stated_values_stand_apart(world: World) -> None:
    task = world.filled()
    team = world.teams["Alpha"]
    Submission.objects.create(task=task, team=team, name="of old", state=Submission.SCORED, stated=0.123)
    from cranfield.server.boards.snapshots import board

    board(task_id=task.pk)
    page = text_of(world.client(), "/tasks/ad-hoc/")
    ranked, _, stated = page.partition("Stated values, of which there is no run")
    assert "of old" not in re.sub(r"<[^>]*>", "", ranked.partition("<tbody>")[2])
    assert "of old" in stated
    assert "0.1230" in stated


def test_a_board_of_stated_values_alone(world: World) -> None:
    from cranfield.server.boards.snapshots import board

    task = world.task()
    for name, value, year in (("old", 0.2, 2001), ("older", 0.1, 1999), ("new", 0.3, 2020)):
        Submission.objects.create(
            task=task,
            team=world.teams["Alpha"],
            name=name,
            state=Submission.SCORED,
            stated=value,
            received=datetime(year, 5, 6, tzinfo=UTC),
        )
    board(task_id=task.pk)
    assert runs_of(text_of(world.client(), "/tasks/ad-hoc/")) == ["new", "old", "older"]
    page = text_of(world.client(), "/tasks/ad-hoc/boards/1/sota/")
    assert (
        "3 SOTA steps, none significant (2 could not be tested). new (0.3000) has had the best mean since 2020-05-06."
        in page
    )


def test_a_permalink_is_kept_by_browsers(client: Client, task: Task) -> None:
    made = keep(task, document(task, [row(1)]))
    answer = client.get("/tasks/ad-hoc/boards/1/")
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer.headers["ETag"] == f'"{made.document_id}"'
    assert "Cookie" not in answer.headers.get("Vary", "")
    assert "Set-Cookie" not in answer.headers
    again = client.get("/tasks/ad-hoc/boards/1/", headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get("/tasks/ad-hoc/boards/2/").status_code == 404
    assert client.get("/tasks/ad-hoc/boards/0/").status_code == 404


def test_a_board_tells_what_is_announced(world: World, task: Task) -> None:
    Announcement.objects.create(task=task, text="**Mind** the <script>gap</script>", by=world.people["organiser"])
    assert "<strong>Mind</strong> the &lt;script&gt;" in world.client().get("/tasks/ad-hoc/").content.decode()
    keep(task, document(task, [row(1)]))
    assert "<strong>Mind</strong>" in text_of(world.client(), "/tasks/ad-hoc/")
    assert "Mind" not in text_of(world.client(), "/tasks/ad-hoc/boards/1/")


def test_names_are_shown_as_text(client: Client, task: Task) -> None:
    evil = '"><img src=x onerror=alert(1)>'
    keep(task, document(task, [row(1, run=evil, group=evil, kind=evil, badges=[evil])], sentence=evil))
    for address in (
        "/",
        "/tasks/ad-hoc/",
        "/tasks/ad-hoc/boards/1/",
        f"/tasks/ad-hoc/?q={evil}&kind={evil}&meta={evil}",
    ):
        assert b"<img src=x" not in client.get(address).content


def test_a_board_is_tied_to_its_place_in_the_site(client: Client, task: Task) -> None:
    keep(task, document(task, [row(1)]))
    page = text_of(client, "/tasks/ad-hoc/")
    for landmark in (
        "<main ",
        "<header ",
        "<footer ",
        'aria-label="Site"',
        'aria-label="You are here"',
        'href="#main"',
    ):
        assert landmark in page
    assert [int(level) for level in re.findall(r"<h(\d)", page)] == [1, 2]
    assert "<caption>" in page
    assert " onclick" not in page
    for name in re.findall(r'"(/static/[^"]+)"', page):
        answer = client.get(name)
        assert b"".join(answer.streaming_content)  # type: ignore[attr-defined]
        answer.close()


def test_a_large_board_is_quick_and_small(world: World, task: Task) -> None:
    keep(task, document(task, [row(place) for place in range(1, 130)]))
    for name, address, queries in (
        (None, "/tasks/ad-hoc/", 3),  # task, board, announcements
        ("alice", "/tasks/ad-hoc/", 6),  # and session, account, roles
        (None, "/tasks/ad-hoc/?sort=value&kind=manual", 3),
        (None, "/tasks/ad-hoc/boards/1/", 1),
        ("alice", "/tasks/ad-hoc/boards/1/", 1),
        (None, "/", 1),
    ):
        client = world.client(name)
        client.get(address)
        with CaptureQueriesContext(connection) as asked:
            answer = client.get(address)
        assert len(asked) <= queries, [one["sql"] for one in asked]
        assert len(gzip.compress(answer.content, 6)) < 100_000
    client, times = world.client(), []
    for _ in range(20):
        start = time.perf_counter()
        assert len(runs_of(client.get("/tasks/ad-hoc/").content.decode())) == 129
        times.append(time.perf_counter() - start)
    assert sorted(times)[10] < 0.05
