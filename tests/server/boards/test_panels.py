"""Panels of a board: picture, sentence, numbers."""

from __future__ import annotations

import csv
import io
import re
from html import unescape
from typing import TYPE_CHECKING, Any

import pytest

from cranfield.core import Study, Table
from cranfield.server.boards import panel_sentences
from cranfield.server.boards.board_documents import document_of
from cranfield.server.models import Picture, Snapshot
from cranfield.server.site import blob_store
from cranfield.server.templatetags import formatting
from tests.support.server.simulated_boards import PICTURE, document, keep, row

if TYPE_CHECKING:
    from tests.support.server.users_and_tasks import World

BOARD = "/tasks/ad-hoc/boards/1/"


def test_every_panel_of_a_real_board(world: World) -> None:
    world.filled(private=4)
    told = document_of(Snapshot.objects.get(kind=Snapshot.PUBLIC).document_id)
    names = {"sota", "stability", "significance", "outcomes", "novelty", "topics", "health"}
    assert set(told["panels"]) == names
    board = unescape(world.client().get(BOARD).content.decode())
    sentences = set()
    for name in names:
        assert f'href="{BOARD}{name}/"' in board
        page = unescape(world.client().get(f"{BOARD}{name}/").content.decode())
        panel = told["panels"][name]
        sentences.add(panel["sentence"])
        assert f'<img src="{BOARD}picture/{name}" alt="{panel["sentence"]}"' in page
        assert f'<p class="verdict">{formatting.told(panel["sentence"])}</p>' in page
        assert f'<a href="{BOARD}{name}/" aria-current="page">' in page
        assert page.count("<tr>") == 1 + len(panel["table"]["rows"])
        picture = world.client().get(f"{BOARD}picture/{name}")
        assert picture.headers["Content-Type"] == "image/svg+xml"
        assert picture.content.startswith(b"<svg")
    assert len(sentences) == len(names)  # each says something of its own
    assert told["sentence"] not in sentences


def test_a_closed_task_shows_what_private_topics_change(world: World) -> None:
    from cranfield.server.boards.snapshots import board

    task = world.filled(private=4)
    for private in ("private", "moves"):
        assert world.client().get(f"{BOARD}{private}/").status_code == 404
    task.state = "closed"
    task.save()
    board(task_id=task.pk)
    shown = document_of(Snapshot.objects.get(kind="public", number=2).document_id)["panels"]
    moves = [dict(zip(shown["moves"]["table"]["columns"], one, strict=True)) for one in shown["moves"]["table"]["rows"]]
    moved = sum(one["public_rank"] != one["private_rank"] for one in moves)
    assert shown["moves"]["sentence"].startswith(f"{moved} of 4 runs change" if moved else "No run of 4 changes")
    page = world.client().get("/tasks/ad-hoc/boards/2/private/").content.decode()
    assert "ideal, first on the public topics" in page
    assert world.client().get(f"{BOARD}private/").status_code == 404  # what was not told then is not told there


def test_pictures_can_do_nothing(world: World) -> None:
    task = world.task()
    keep(task, document(task, [row(1)]))
    answer = world.client().get(f"{BOARD}picture/stability")
    assert answer.content == PICTURE
    assert answer.headers["Content-Type"] == "image/svg+xml"
    assert answer.headers["Content-Security-Policy"] == "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    again = world.client().get(f"{BOARD}picture/stability", headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_a_picture_that_is_not_drawn_yet_is_not_kept(world: World) -> None:
    task = world.task()
    made = keep(task, document(task, [row(1)]))
    Picture.objects.all().delete()
    waiting = world.client().get(f"{BOARD}picture/stability")
    assert b"being drawn" in waiting.content
    assert waiting.headers["Cache-Control"] == "no-store"
    Picture.objects.create(snapshot=made, panel="stability", blob=blob_store.put(b"\x89PNG"), media="image/png")
    drawn = world.client().get(f"{BOARD}picture/stability")
    assert (drawn.headers["Content-Type"], drawn.content) == ("image/png", b"\x89PNG")


def test_a_long_table_is_cut_and_whole_as_a_file(world: World) -> None:
    task = world.task()
    told = document(task, [row(1)])
    rows = [[f"=run-{i}", i, -i / 1000] for i in range(1, 1001)]
    told["panels"]["stability"]["table"]["rows"] = rows
    keep(task, told)
    page = unescape(world.client().get(f"{BOARD}stability/").content.decode())
    assert page.count("<tr>") == 401
    assert "The first 400 of 1,000 rows." in page
    answer = world.client().get(f"{BOARD}stability.csv")
    read = list(csv.reader(io.StringIO(answer.content.decode())))
    assert read[0] == ["run", "rank", "share"]
    assert read[1:] == [[f"'=run-{i}", str(i), str(-i / 1000)] for i in range(1, 1001)]
    assert answer.headers["Content-Disposition"] == 'attachment; filename="ad-hoc-board-1-stability.csv"'


def test_a_panel_without_a_picture_says_why(world: World) -> None:
    task = world.task()
    why = {"title": "What runs add", "sentence": "One run adds nothing.", "picture": False, "table": None}
    told = document(task, [row(1)])
    told["panels"]["novelty"] = why
    keep(task, told)
    page = world.client().get(f"{BOARD}novelty/").content.decode()
    assert "One run adds nothing." in page
    assert "<img" not in page
    assert world.client().get(f"{BOARD}picture/novelty").status_code == 404
    assert world.client().get(f"{BOARD}novelty.csv").status_code == 404
    for address in ("nothing/", "picture/nothing", "nothing.csv"):
        assert world.client().get(f"{BOARD}{address}").status_code == 404


def test_panels_lead_to_each_other(world: World) -> None:
    task = world.task()
    told = document(task, [row(1)])
    other = told["panels"]["stability"]
    told["panels"] = {"topics": other | {"title": "Topics"}, "stability": other, "sota": other}
    keep(task, told)
    pages = {name: world.client().get(f"{BOARD}{name}/").content.decode() for name in told["panels"]}
    leads = {name: re.findall(r'href="([^"]*)" rel="(\w+)"', page) for name, page in pages.items()}
    assert leads == {  # in the order of the panels, whatever that of the document
        "sota": [(BOARD, "prev"), (f"{BOARD}stability/", "next")],
        "stability": [(f"{BOARD}sota/", "prev"), (f"{BOARD}topics/", "next")],
        "topics": [(f"{BOARD}stability/", "prev")],
    }


def study(**tables: list[dict[str, Any]]) -> Study:
    """A study of these rows."""
    made = {name: Table.from_rows(rows, list(rows[0]), caption="a test") for name, rows in tables.items()}
    return Study("board", made, {"sentence": "The verdict."})


def step(run: str, significant: bool | None) -> dict[str, Any]:
    return {"run": run, "mean": 0.25, "date": "2026-01-02", "significant": significant}


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([step("a", None)], "1 SOTA step, none significant. a (0.2500) has had the best mean since 2026-01-02."),
        (
            [step("a", None), step("b", True), step("c", False)],
            "3 SOTA steps, 1 significant. c (0.2500) has had the best mean since 2026-01-02.",
        ),
        (
            [step("a", None), step("b", None), step("c", True)],
            "3 SOTA steps, 1 significant (1 could not be tested). c (0.2500) has had the best mean since 2026-01-02.",
        ),
        ([step("a", None) | {"date": None}], "1 SOTA step, none significant. a (0.2500) has the best mean."),
    ],
    ids=["one", "tested", "untested", "undated"],
)
def test_steps_of_the_state_of_the_art(steps: list[dict[str, Any]], said: str) -> None:
    assert panel_sentences.of_history(study(sota=steps)) == said


def test_no_step() -> None:
    empty = Study("board", {"sota": Table.from_rows([], ["run", "mean", "date", "significant"])})
    assert panel_sentences.of_history(empty) == "No run is above the baselines."


def rank(run: str, low: int, high: int, p_first: float = 0.5) -> dict[str, Any]:
    return {"run": run, "rank_low": low, "rank_high": high, "p_first": p_first}


def test_stability() -> None:
    assert (
        panel_sentences.of_stability(study(ranks=[rank("a", 1, 1)])) == "a is the only run: there is no rank to lose."
    )
    rows = [rank("a", 1, 2, 0.75), rank("b", 1, 4), rank("c", 5, 5)]
    assert panel_sentences.of_stability(study(ranks=rows)) == (
        "a is first in 75.0% of the bootstrap resamples of the topics; 1 of 3 runs keeps one rank, "
        "and b moves most, from 1 to 4."
    )
    rows = [rank("a", 1, 1, 1.0), rank("b", 2, 2)]
    assert panel_sentences.of_stability(study(ranks=rows)).endswith("; 2 of 2 runs keep one rank.")


@pytest.mark.parametrize(
    ("sure", "said"),
    [
        ([True, False, True], "2 of 3 pairs of runs differ significantly (test: a test)."),
        ([True, False], "1 of 2 pairs of runs differs significantly (test: a test)."),
        ([False, False], "None of 2 pairs of runs differ significantly (test: a test)."),
        ([False], "The two runs do not differ significantly (test: a test)."),
        ([True], "The two runs differ significantly (test: a test)."),
    ],
    ids=["two", "one", "none", "equal", "apart"],
)
def test_pairs(sure: list[bool], said: str) -> None:
    assert panel_sentences.of_pairs(study(pairs=[{"significant": one} for one in sure])) == said


def value(run: str, topic: str, number: float | None, measure: str = "AP") -> dict[str, Any]:
    return {"run": run, "topic": topic, "measure": measure, "value": number}


def test_the_hardest_topic() -> None:
    rows = [value("a", "1", 0.5), value("b", "1", 0.25), value("a", "2", 0.75), value("b", "2", 0.75)]
    assert panel_sentences.of_topics(study(per_topic=rows)) == (
        "Topic 1 is the hardest of 2: the best run there has AP 0.5000; in 1 topic all runs are equal."
    )
    assert panel_sentences.of_topics(study(per_topic=rows[:1])).endswith("has AP 0.5000.")
    assert panel_sentences.of_topics(study(per_topic=[value("a", "1", None)])) == "No topic has a value."


@pytest.mark.parametrize(
    ("moves", "said"),
    [
        ([0, 0], "No run of 2 changes its rank on private topics."),
        ([0, 2, -3], "2 of 3 runs change the rank on private topics; run-3 moves most, from 3 to 6."),
        ([1, 0], "1 of 2 runs changes the rank on private topics; run-1 moves most, from 1 to 0."),
    ],
    ids=["none", "two", "one"],
)
def test_the_shake_up(moves: list[int], said: str) -> None:
    rows = [
        {"run": f"run-{i}", "move": move, "public_rank": i, "private_rank": i - move} for i, move in enumerate(moves, 1)
    ]
    assert panel_sentences.of_moves(study(moves=rows)) == said


def test_without_private_topics_the_verdict_stands() -> None:
    given = study(ranks=[rank("a", 1, 1)])
    assert panel_sentences.of_private(given) == panel_sentences.of_ranking(given) == "The verdict."
