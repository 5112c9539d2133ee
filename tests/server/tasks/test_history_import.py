"""History from a table: looked at, imported, shown, taken off again."""

from __future__ import annotations

import csv
import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from cranfield.core import InputError
from cranfield.server.models import Audit, Result, Snapshot, Submission, Task, Team
from cranfield.server.site import blob_store
from cranfield.server.submissions.intake import left
from cranfield.server.tasks.history_import import columns_of, import_history, read_history

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.server.users_and_tasks import World

PAGE = "/organise/ad-hoc/import/"
TABLE = """\
id,date,,description,team,value
a1,2020/08/11,🏛,the first,Alpha,0.2
a2,2020/08/16,,a better one,"Gamma, of Delta",0.3
a3,,,without a date,Gamma,0.4
a4,2020/09/01,,without a value,Gamma,
a5,2020/09/02,,"<script>alert(1)</script>",,0.35
"""


def a_file(text: str, name: str = "board.csv") -> dict[str, Any]:
    return {"table": SimpleUploadedFile(name, text.encode())}


def token_of(text: str) -> str:
    return text.split('name="held_table" value="')[1].split('"')[0]


CHOSEN = {"run": "c0", "date": "c1", "baseline": "c2", "description": "c3", "group": "c4", "value": "c5"}


def test_a_table_is_looked_at_first(world: World) -> None:
    world.task()
    text = world.client("organiser").post(PAGE, a_file(TABLE)).content.decode()
    assert "3 rows can be imported" in text
    assert "1 without a date left out" in text
    assert "1 without a value left out" in text
    assert "(column 3, without a name)" in text
    assert "&lt;script&gt;" in text
    assert "<script>alert" not in text
    assert not Submission.objects.exists()


def test_rows_become_history(world: World) -> None:
    task = world.task()
    client = world.client("organiser")
    token = token_of(client.post(PAGE, a_file(TABLE)).content.decode())
    answer = client.post(PAGE, CHOSEN | {"held_table": token, "import": "1"})
    assert answer["Location"] == reverse("task-runs", args=["ad-hoc"])
    rows = {row.name: row for row in Submission.objects.all()}
    assert set(rows) == {"a1", "a2", "a5"}
    first = rows["a1"]
    assert (first.state, first.stated, first.blob_id, first.baseline) == (Submission.SCORED, 0.2, None, True)
    assert first.received.isoformat() == "2020-08-11T00:00:00+00:00"
    assert first.team == world.teams["Alpha"]  # a team that was here
    assert rows["a2"].team.name == "Gamma, of Delta"
    assert rows["a2"].team.slug == "gamma-of-delta"
    assert not rows["a2"].team.people.exists()
    assert rows["a5"].team.name == "unknown"
    act = Audit.objects.get(what="import")
    assert act.about == {"rows": 3, "file": "board.csv"}
    assert left(task, world.teams["Alpha"]).total == 0  # history is no submission of theirs
    world.work()
    document = json.loads(blob_store.read(Snapshot.objects.get(task=task).document_id))
    assert [(row["run"], row["value"], row["rank"]) for row in document["rows"]] == [
        ("a5", 0.35, None), ("a2", 0.3, None), ("a1", 0.2, None)
    ]  # fmt: skip
    assert document["rows"][0]["badges"] == ["history"]
    assert not Result.objects.exists()
    board = world.client().get(reverse("board", args=["ad-hoc"])).content.decode()
    assert "a2" in board
    assert "<script>alert" not in board


def test_the_same_table_twice_adds_nothing(world: World) -> None:
    world.task()
    client = world.client("organiser")
    for _ in range(2):
        text = client.post(PAGE, a_file(TABLE)).content.decode()
        client.post(PAGE, CHOSEN | {"held_table": token_of(text), "import": "1"})
    assert Submission.objects.count() == 3
    assert Audit.objects.filter(what="import").count() == 1
    assert "3 with a name that is on the board already" in text


def test_history_stands_beside_runs(world: World) -> None:
    task = world.filled()
    client = world.client("organiser")
    token = token_of(client.post(PAGE, a_file(TABLE)).content.decode())
    client.post(PAGE, CHOSEN | {"held_table": token, "import": "1"})
    world.work()
    last = Snapshot.objects.filter(task=task).order_by("-number").first()
    assert last is not None
    rows = json.loads(blob_store.read(last.document_id))["rows"]
    assert [row["run"] for row in rows if row["rank"] is None] == ["a5", "a2", "a1"]
    assert len(rows) == 7


def test_history_can_be_taken_off_the_board(world: World) -> None:
    task = world.filled()
    client = world.client("organiser")
    token = token_of(client.post(PAGE, a_file(TABLE)).content.decode())
    client.post(PAGE, CHOSEN | {"held_table": token, "import": "1"})
    assert "3 imported rows" in client.get(PAGE).content.decode()
    client.post(PAGE, {"forget": "1"})
    assert Submission.objects.filter(task=task, state=Submission.WITHDRAWN).count() == 3
    assert Submission.objects.filter(task=task, state=Submission.SCORED).count() == 4  # runs stay
    assert Audit.objects.get(what="import withdrawn").about == {"rows": 3}
    client.post(PAGE, {"forget": "1"})
    assert Audit.objects.filter(what="import withdrawn").count() == 1


def test_a_table_with_a_wrong_column_can_come_again(world: World) -> None:
    task = world.task()
    client = world.client("organiser")
    text = "id,date,team,dev,eval\na1,2020-08-11,Alpha,0.2,0.1\nA2,2020-08-16,Gamma,0.3,0.4\n"
    chosen = {"run": "c0", "date": "c1", "group": "c2", "baseline": "", "description": ""}
    token = token_of(client.post(PAGE, a_file(text)).content.decode())
    client.post(PAGE, chosen | {"held_table": token, "value": "c3", "import": "1"})
    client.post(PAGE, {"forget": "1"})
    again = client.post(PAGE, a_file(text.replace("A2", "a2"))).content.decode()
    assert "2 rows can be imported" in again
    client.post(PAGE, chosen | {"held_table": token_of(again), "value": "c4", "import": "1"})
    rows = Submission.objects.filter(task=task).order_by("name").values_list("name", "state", "stated")
    assert list(rows) == [("a1", Submission.SCORED, 0.1), ("a2", Submission.SCORED, 0.4)]


def test_two_imports_at_once_add_each_row_once(world: World, tmp_path: Path) -> None:
    task = world.task()
    path = tmp_path / "t"
    path.write_text("run,date,value\na,2020-01-01,1\nb,2020-01-02,2\n")
    looked = [read_history(str(path), value="value", columns={}, task=task) for _ in range(2)]
    assert [import_history(task, world.people["organiser"], one) for one in looked] == [2, 0]
    assert Submission.objects.count() == 2


@pytest.mark.parametrize("text", ["run,date,value\na\0b,2020-01-01,1\n", "r\0un,date,value\na,2020-01-01,1\n"])
def test_a_table_with_a_nul_is_refused(world: World, text: str) -> None:
    """PostgreSQL cannot keep such a name; SQLite can, and then no backup moves from one to the other."""
    world.task()
    page = world.client("organiser").post(PAGE, a_file(text)).content.decode()
    assert "The table holds a NUL byte. Is this a text file, or a packed one?" in page
    assert "held_table" not in page


def test_a_page_asks_for_what_it_cannot_guess_and_says_where_a_table_is_wrong(world: World) -> None:
    world.task()
    client = world.client("organiser")
    assert "(optional)" not in client.get(PAGE).content.decode()  # without a table there is nothing to import
    page = client.post(PAGE, a_file("a,b\n1,2\n")).content.decode()
    token = token_of(page)
    assert page.count("choose a column") == 2
    page = client.post(PAGE, {"held_table": token, "value": "c1", "look": "1"}).content.decode()
    assert "Which column holds the run?" in page
    assert "Which column holds the date?" in page
    page = client.post(PAGE, a_file("run,date,value\na,2020-01-01,1\n,2020-01-01,1\n")).content.decode()
    assert "Line 3 of the table: the row has nothing under &#x27;run&#x27;. Choose another column." in page
    page = client.post(PAGE, a_file("")).content.decode()
    assert "The table is empty." in page
    assert "no table with commas" not in page


def test_other_columns_may_be_chosen(world: World) -> None:
    world.task()
    client = world.client("organiser")
    token = token_of(client.post(PAGE, a_file(TABLE)).content.decode())
    text = client.post(PAGE, CHOSEN | {"held_table": token, "run": "c3", "look": "1"}).content.decode()
    assert "a better one" in text
    assert not Submission.objects.exists()
    wrong = client.post(PAGE, CHOSEN | {"held_table": token, "value": "c3"}).content.decode()
    assert "is not a finite number" in wrong
    assert "held-" not in wrong.split("token")[0]  # no path of the server is told
    assert client.post(PAGE, CHOSEN | {"held_table": token, "value": "c77"}).status_code == 200
    bad = client.post(PAGE, CHOSEN | {"held_table": token, "date": "c3"}).content.decode()
    assert "is none" in bad
    assert str(os.sep + "incoming") not in bad


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({}, "Choose a table"),
        ({"held_table": "forged"}, "no longer here"),
        (a_file("just one line of text\n"), "no table with commas"),
        (a_file("run,date,value\n"), "There is no run. Each line below the first is a run."),
        (a_file("run,date,value\nr,2020-13-45,1\n"), "is none"),
    ],
    ids=["nothing", "forged", "text", "no-rows", "no-date"],
)
def test_what_is_no_table_is_refused(world: World, sent: dict[str, Any], said: str) -> None:
    world.task()
    for file in sent.values():
        if hasattr(file, "seek"):
            file.seek(0)
    assert said in world.client("organiser").post(PAGE, sent).content.decode()
    assert not Submission.objects.exists()


def test_long_and_equal_names_are_made_to_fit(tmp_path: Path) -> None:
    long = "x" * 150
    path = tmp_path / "t"
    path.write_text(
        f"run,team,date,value\n{long},{long},2020-01-01,1\n{long.upper()},t,2020-01-02,2\n{long}y,t,2020-01-03,3\n"
    )
    rows = read_history(str(path), value="value", columns={}).rows
    assert [len(row.name) for row in rows] == [100, 100, 100]
    assert rows[0].name == "x" * 99 + "…"
    assert rows[1].name == "X" * 96 + " (2)"  # another only by case, so for the database the same
    assert rows[2].name == "x" * 96 + " (3)"
    assert rows[0].team == "x" * 99 + "…"


def test_too_many_rows_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_text("run,date,value\n" + "".join(f"r{i},2020-01-01,1\n" for i in range(5001)))
    with pytest.raises(InputError, match="5,001 rows"):
        read_history(str(path), value="value", columns={})
    assert columns_of(str(path)) == ["run", "date", "value"]
    with path.open("ab") as file:
        file.truncate((16 << 20) + 1)
    with pytest.raises(InputError, match="larger than 16 MB"):
        columns_of(str(path))


def test_two_teams_whose_names_look_alike_in_addresses(world: World) -> None:
    world.task()
    client = world.client("organiser")
    table = "run,team,date,value\na,A-B,2020-01-01,1\nb,A B,2020-01-02,2\nc,検索,2020-01-03,3\n"
    token = token_of(client.post(PAGE, a_file(table)).content.decode())
    chosen = {"run": "c0", "group": "c1", "date": "c2", "value": "c3", "baseline": "", "description": ""}
    client.post(PAGE, chosen | {"held_table": token, "import": "1"})
    assert set(Team.objects.values_list("slug", flat=True)) == {"alpha", "beta", "a-b", "a-b-2", "team"}


def test_the_board_of_ms_marco_becomes_history(world: World, shared_data: Path) -> None:
    path = shared_data / "leaderboards" / "msmarco-document.csv"
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["date"] and row["MRR@100 (Eval)"]]
    world.task(measures="RR@100")
    client = world.client("organiser")
    text = client.post(PAGE, {"table": SimpleUploadedFile("msmarco.csv", path.read_bytes())}).content.decode()
    assert f"{len(rows)} rows can be imported" in text
    with path.open(encoding="utf-8-sig", newline="") as file:
        columns = next(csv.reader(file))
    parts = {"run": "id", "date": "date", "baseline": "", "description": "description", "group": "team"}
    chosen = {part: f"c{columns.index(name)}" for part, name in parts.items()} | {
        "value": f"c{columns.index('MRR@100 (Eval)')}"
    }
    client.post(PAGE, chosen | {"held_table": token_of(text), "import": "1"})
    assert Submission.objects.count() == len(rows)
    best = max(rows, key=lambda row: float(row["MRR@100 (Eval)"]))
    stored = Submission.objects.get(name=best["id"])
    assert stored.stated == float(best["MRR@100 (Eval)"])
    assert Submission.objects.filter(baseline=True).count() == sum(bool(row[""]) and "🏛" in row[""] for row in rows)
    world.work()
    document = json.loads(blob_store.read(Snapshot.objects.get().document_id))
    assert document["rows"][0]["value"] == stored.stated
    assert Task.objects.get().state == Task.OPEN
