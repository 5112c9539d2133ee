"""The API: tasks, boards, runs, and who may ask for what."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from django.conf import settings
from django.utils import timezone

from cranfield.core import VERSION
from cranfield.measures import catalogue
from cranfield.server.models import Audit, Participant, Snapshot, Submission, Task, Token
from cranfield.server.site import blob_store
from tests.support.server.api_client import program
from tests.support.server.users_and_tasks import DOCUMENTS, TOPICS, qrels, run_text

if TYPE_CHECKING:
    from tests.support.server.users_and_tasks import World

PRIVATE = set(TOPICS[-4:])


def test_the_list_shows_what_the_caller_may_see(world: World) -> None:
    world.task("seen")
    world.task("drafted", state=Task.DRAFT)
    world.task("closed-circle", invited_only=True)

    def slugs(name: str | None) -> set[str]:
        return {row["slug"] for row in program(world, name).get("tasks").told}

    assert slugs(None) == slugs("loner") == {"seen"}
    assert slugs("alice") == {"seen", "closed-circle"}
    assert slugs("organiser") == slugs("operator") == {"seen", "drafted", "closed-circle"}


def test_a_task_is_told_whole(world: World) -> None:
    world.filled(private=4, limit=3, days=7)
    told = program(world, "alice").get("tasks/ad-hoc").told
    assert told["topics"] == {"public": 8, "private": 4}
    assert told["measures"] == ["nDCG@10", "AP"]
    assert (told["limit"], told["days"], told["most"]) == (3, 7, 100)
    assert (told["runs"], told["version"], told["board"]) == (4, 1, 1)
    assert told["teams"] == ["alpha"]
    assert told["upload_mb"] == settings.OPTIONS.upload_mb
    assert not PRIVATE & set(json.dumps(told).split('"'))
    assert program(world).get("tasks/ad-hoc").told["teams"] == []


@pytest.mark.parametrize(
    "path",
    [
        "tasks/none",
        "tasks/drafted",
        "tasks/drafted/board",
        "tasks/drafted/labels",
        "submissions/0123456789ab",
        "submissions/nothing",
        "tasks/a%20b",
        "tasks/%00",
        "tasks/seen/boards/99",
        "tasks/seen/boards/0",
        "tasks/seen/labels/1",
        "nothing/at/all",
        "",
    ],
)
def test_what_is_not_there_or_not_to_be_seen_is_the_same(world: World, path: str) -> None:
    world.task("drafted", state=Task.DRAFT)
    world.task("seen")
    said = program(world, "loner").get(path)
    assert said.refused(404, "E-NOTFOUND") == program(world).get("tasks/none").told


def test_the_board_is_the_newest_public_one(world: World) -> None:
    task = world.filled(private=4)
    said = program(world).get("tasks/ad-hoc/board")
    shown = Snapshot.objects.get(task=task, kind=Snapshot.PUBLIC)
    assert said.body == blob_store.read(shown.document_id)
    assert said.told["rows"][0]["run"] == "ideal"
    assert said.headers["ETag"] == f'"{shown.document_id}"'
    again = program(world).get("tasks/ad-hoc/board", **{"If-None-Match": f'"x", W/{said.headers["ETag"]}'})
    assert (again.status, again.body) == (304, b"")
    assert program(world).get("tasks/ad-hoc/board", **{"If-None-Match": '"x"'}).status == 200
    old = program(world).get("tasks/ad-hoc/boards/1")
    assert (old.body, old.headers["ETag"]) == (said.body, said.headers["ETag"])


def test_the_full_board_is_for_organisers_and_has_a_tag_of_its_own(world: World) -> None:
    task = world.task(embargo_days=30)
    world.hand_in(task, "shown", 1)
    world.hand_in(task, "hushed", 2, embargo=(timezone.now() + timedelta(days=9)).date())
    world.work()
    public = program(world, "alice").get("tasks/ad-hoc/board")
    full = program(world, "organiser").get("tasks/ad-hoc/board?full=true")
    assert [row["run"] for row in public.told["rows"]] == ["shown"]
    assert sorted(row["run"] for row in full.told["rows"]) == ["hushed", "shown"]
    assert public.headers["ETag"] != full.headers["ETag"]
    for name in (None, "loner", "alice"):
        asked = program(world, name).get("tasks/ad-hoc/board?full=true", **{"If-None-Match": full.headers["ETag"]})
        asked.refused(403, "E-RIGHT")
        assert "ETag" not in asked.headers


def test_organisers_get_the_public_board_where_nothing_is_hidden(world: World) -> None:
    world.filled()
    asked = program(world, "organiser")
    assert asked.get("tasks/ad-hoc/board?full=true").body == asked.get("tasks/ad-hoc/board").body


def test_no_board_before_the_first_run(world: World) -> None:
    world.task()
    program(world).get("tasks/ad-hoc/board").refused(404, "E-NOTFOUND")


def test_submissions_that_are_left(world: World) -> None:
    task = world.task(limit=2)
    world.hand_in(task, "one")
    told = program(world, "adam", Token.READ).get("tasks/ad-hoc/left").told
    assert (told["team"], told["now"], told["of"], told["total"], told["next"]) == ("alpha", 1, 2, 1, None)
    assert told["takes_runs"] is True
    program(world).get("tasks/ad-hoc/left").refused(401, "E-TOKEN")
    program(world, "loner").get("tasks/ad-hoc/left").refused(403, "E-TEAM")
    program(world, "alice").get("tasks/ad-hoc/left?team=beta").refused(403, "E-TEAM")


def test_who_has_several_teams_says_which(world: World) -> None:
    task = world.task()
    world.teams["Beta"].people.add(world.people["alice"])
    alice = program(world, "alice")
    said = alice.get("tasks/ad-hoc/left").refused(422, "E-TEAM")
    assert said["hint"] == "say which: team=alpha or team=beta"
    assert alice.get("tasks/ad-hoc/left?team=beta").told["team"] == "beta"
    alice.post("tasks/ad-hoc/submissions", run_text("x"), name="x").refused(422, "E-TEAM")
    made = alice.post("tasks/ad-hoc/submissions", run_text("x"), name="x", team="beta")
    assert (made.status, made.told["team"]) == (201, "beta")
    Participant.objects.filter(task=task, team=world.teams["Beta"]).update(blocked=True)
    assert alice.get("tasks/ad-hoc/left").told["team"] == "alpha"


def test_a_run_from_hand_to_board(world: World) -> None:
    task = world.task(private=4)
    alice = program(world, "alice", Token.SUBMIT)
    world.hand_in(task, "before", 3, team="Beta")
    said = alice.post(
        "tasks/ad-hoc/submissions",
        run_text("mine", 1),
        name="mine",
        description="a *try*",
        kind="manual",
        link="https://example.org/code",
    )
    assert said.status == 201
    made = said.told
    assert (made["state"], made["position"], made["standing"], made["values"]) == ("received", 2, None, None)
    assert (made["name"], made["team"], made["kind"], made["link"]) == (
        "mine",
        "alpha",
        "manual",
        "https://example.org/code",
    )
    assert made["url"] == f"http://testserver/runs/{made['key']}/"
    row = Submission.objects.get(key=made["key"])
    assert blob_store.read(str(row.blob_id)).decode() == run_text("mine", 1)
    assert (row.by, row.description) == (world.people["alice"], "a *try*")
    world.work()
    now = alice.get(f"submissions/{made['key']}").told
    assert (now["state"], now["position"], now["version"]) == ("scored", None, 1)
    board = {row["run"]: row for row in program(world).get("tasks/ad-hoc/board").told["rows"]}
    assert now["values"]["nDCG@10"] == pytest.approx(board["mine"]["value"])
    assert now["standing"]["rank"] == board["mine"]["rank"]
    assert now["standing"]["of"] == 2
    assert now["private"] is None
    assert [run["key"] for run in alice.get("submissions").told] == [made["key"]]
    assert alice.get("submissions?task=other").told == []


def test_values_by_topic_leave_out_private_ones_until_the_end(world: World) -> None:
    task = world.filled(private=4)
    key = Submission.objects.get(name="good").key
    for name in (None, "alice", "beth", "assessor"):
        told = program(world, name).get(f"submissions/{key}/values").told
        assert set(told["values"]["AP"]) == set(TOPICS) - PRIVATE
        assert told["topics"] == 8
    assert set(program(world, "organiser").get(f"submissions/{key}/values").told["values"]["AP"]) == set(TOPICS)
    before = program(world, "organiser").get(f"submissions/{key}").told
    assert program(world, "beth").get(f"submissions/{key}").told["private"] is None
    assert program(world, "organiser").post("tasks/ad-hoc/close").told["state"] == "closed"
    assert set(program(world).get(f"submissions/{key}/values").told["values"]["AP"]) == set(TOPICS)
    assert program(world).get(f"submissions/{key}").told["private"] == before["private"]
    # The run "good" turns the order of ten documents by 1, 2, 3, 4 places, topic by topic: by hand for the first topic,
    # whose one relevant document D01 then stands at rank 2.
    assert program(world).get(f"submissions/{key}/values").told["values"]["AP"]["301"] == 0.5
    Task.objects.filter(pk=task.pk).update(state=Task.OPEN)


def test_the_released_value_is_told_where_the_task_tells_it(world: World) -> None:
    world.filled(private=4, show_private=True)
    key = Submission.objects.get(name="ideal").key
    told = program(world, "alice").get(f"submissions/{key}").told
    assert told["released"] == 1  # the ideal order is 1 at any number of decimals
    assert told["private"] is None


def test_others_do_not_see_what_is_a_team_s_own(world: World) -> None:
    task = world.task(embargo_days=30, anonymous_days=30)
    soon = (timezone.now() + timedelta(days=9)).date()
    hidden = world.hand_in(task, "hushed", 2, embargo=soon).key
    unnamed = world.hand_in(task, "secret-name", 1, anonymous=soon, description="of our laboratory").key
    world.work()
    for name in (None, "loner", "beth"):
        asked = program(world, name)
        asked.get(f"submissions/{hidden}").refused(404, "E-NOTFOUND")
        asked.get(f"submissions/{hidden}/values").refused(404, "E-NOTFOUND")
        told = asked.get(f"submissions/{unnamed}").told
        for field in (
            "name",
            "team",
            "description",
            "received",
            "problems",
            "position",
            "metadata",
            "link",
            "anonymous",
        ):
            assert told[field] is None, field
        assert told["standing"]["rank"] == 1
        asked.get(f"submissions/{unnamed}/file").refused(404, "E-NOTFOUND")
    assert program(world, "adam").get(f"submissions/{hidden}").told["embargo"] == soon.isoformat()
    assert program(world, "organiser").get(f"submissions/{unnamed}").told["name"] == "secret-name"


def test_a_run_before_it_is_evaluated_has_no_values(world: World) -> None:
    key = world.hand_in(world.task(), "early").key
    program(world, "beth").get(f"submissions/{key}").refused(404, "E-NOTFOUND")
    said = program(world, "alice").get(f"submissions/{key}/values").refused(404, "E-NOTFOUND")
    assert said["error"] == "the run has not been evaluated yet"


def test_the_file_is_the_one_that_was_handed_in(world: World) -> None:
    world.filled()
    key = Submission.objects.get(name="good").key
    said = program(world, "beth").get(f"submissions/{key}/file")
    assert said.body.decode() == run_text("good", 1)
    assert said.headers["Content-Disposition"] == 'attachment; filename="good.run"'
    program(world, "alice").get(f"submissions/{key}/file").refused(404, "E-NOTFOUND")
    Task.objects.update(state=Task.CLOSED, runs_public=True)
    assert program(world).get(f"submissions/{key}/file").body == said.body


def test_withdrawing(world: World) -> None:
    world.filled()
    key = Submission.objects.get(name="good").key
    program(world, "alice").post(f"submissions/{key}/withdraw").refused(403, "E-RIGHT")
    program(world, "beth", Token.READ).post(f"submissions/{key}/withdraw").refused(403, "E-SCOPE")
    Task.objects.update(state=Task.CLOSED)
    program(world, "beth", Token.SUBMIT).post(f"submissions/{key}/withdraw").refused(409, "E-CLOSED")
    Task.objects.update(state=Task.OPEN)
    assert program(world, "beth", Token.SUBMIT).post(f"submissions/{key}/withdraw").told["state"] == "withdrawn"
    program(world).get(f"submissions/{key}").refused(404, "E-NOTFOUND")
    world.work()
    assert "good" not in [row["run"] for row in program(world).get("tasks/ad-hoc/board").told["rows"]]


def test_new_labels_are_a_version_and_everything_is_evaluated_again(world: World) -> None:
    world.filled(private=4)
    organiser = program(world, "organiser")
    changed = qrels({("301", "D01"): 0})
    for name in ("alice", "assessor"):
        program(world, name).post("tasks/ad-hoc/labels", changed, field="qrels").refused(403, "E-RIGHT")
    program(world, "organiser", Token.SUBMIT).post("tasks/ad-hoc/labels", changed, field="qrels").refused(
        403, "E-SCOPE"
    )
    said = organiser.post("tasks/ad-hoc/labels", changed, field="qrels", note="one was wrong")
    assert (said.status, said.told["number"], said.told["topics"]) == (201, 2, 12)
    assert said.told["judgments"] == len(changed.splitlines())
    world.work()
    key = Submission.objects.get(name="ideal").key
    assert organiser.get(f"submissions/{key}").told["version"] == 2
    assert [row["number"] for row in program(world).get("tasks/ad-hoc/labels").told] == [2, 1]
    organiser.post("tasks/ad-hoc/labels", "not qrels\n", field="qrels").refused(422, "E-FIELDS")
    assert Task.objects.get().version.number == 2  # type: ignore[union-attr]


def test_labels_are_given_to_whom_they_may_be(world: World) -> None:
    world.task(private=4)
    organiser = program(world, "organiser").get("tasks/ad-hoc/labels/1")
    assert organiser.body.decode() == qrels()
    program(world, "alice").get("tasks/ad-hoc/labels/1").refused(404, "E-NOTFOUND")
    Task.objects.update(labels_public=True)
    told = program(world).get("tasks/ad-hoc/labels/1").body.decode()
    assert told == "".join(line for line in qrels().splitlines(keepends=True) if line.split()[0] not in PRIVATE)
    program(world).get("tasks/ad-hoc/labels/2").refused(404, "E-NOTFOUND")
    Task.objects.update(state=Task.CLOSED)
    assert program(world).get("tasks/ad-hoc/labels/1").body.decode() == qrels()


def test_the_log_is_for_organisers(world: World) -> None:
    world.filled()
    organiser = program(world, "organiser")
    rows = organiser.get("tasks/ad-hoc/audit").told
    assert [row["what"] for row in rows] == list(
        Audit.objects.filter(task="ad-hoc").order_by("id").values_list("what", flat=True)
    )
    assert organiser.get(f"tasks/ad-hoc/audit?after={rows[1]['id']}&limit=2").told == rows[2:4]
    organiser.get("tasks/ad-hoc/audit?limit=0").refused(422, "E-REQUEST")
    program(world, "alice").get("tasks/ad-hoc/audit").refused(403, "E-RIGHT")
    program(world).get("tasks/ad-hoc/audit").refused(401, "E-TOKEN")


def test_closing(world: World) -> None:
    world.task(private=4)
    program(world, "alice").post("tasks/ad-hoc/close").refused(403, "E-RIGHT")
    organiser = program(world, "organiser")
    assert organiser.post("tasks/ad-hoc/close").told["state"] == "closed"
    organiser.post("tasks/ad-hoc/close").refused(409, "E-CLOSED")
    assert Audit.objects.filter(what="close").get().who == "organiser"


def test_measures_and_health_are_for_everybody(world: World) -> None:
    rows = program(world).get("measures").told
    assert rows == catalogue().rows()  # what `cranfield measures` lists
    assert {"nDCG", "AP", "RR"} <= {row["name"] for row in rows}
    assert program(world).get("health").told == {"status": "ok", "version": VERSION}


def test_documents_of_the_world(world: World) -> None:
    """What the expectations above rest on: topic 301 has one relevant document, and the order is turned by one."""
    judged = [line.split() for line in qrels().splitlines()]
    assert [document for topic, _, document, grade in judged if topic == "301" and int(grade) > 0] == [DOCUMENTS[0]]
    assert run_text("good", 1).splitlines()[1].split()[:4] == ["301", "Q0", "D01", "2"]
