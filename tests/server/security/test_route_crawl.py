"""Every route by everybody: who reads which secret stands in a table, and nothing else is ever read."""

from __future__ import annotations

import logging
import re
from collections import defaultdict
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from django.utils import timezone

from cranfield.server.jobs import scheduled_jobs
from cranfield.server.models import Job, Snapshot, Submission
from tests.support.server.security.crawler import ask, crawl, paths_of, routes
from tests.support.server.security.leak_checks import numbers, rows
from tests.support.server.security.planted_secrets import MAIN, OPERATORS, ROLES, Planted, Secret, forget, of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tests.support.server.security.crawler import Answer

EVERYBODY = of(*ROLES)
pytestmark = pytest.mark.once


@pytest.fixture
def planted(db: None) -> Iterator[Planted]:
    """Quietly: every address that somebody may not see is a line of the log."""
    del db
    logging.disable(logging.ERROR)
    yield Planted.make()
    logging.disable(logging.NOTSET)


def leaks(answers: Iterable[Answer], secrets: dict[str, Secret]) -> tuple[list[str], dict[str, set[str]]]:
    """What was read by somebody who may not; and who read what."""
    wrong: list[str] = []
    seen: dict[str, set[str]] = defaultdict(set)
    for answer in answers:
        assert answer.status < 500, (answer.role, answer.path, answer.body[:400])
        text = answer.text
        for name, secret in secrets.items():
            # A path repeats what was asked for, in links to log in for one.
            found = [word for word in secret.words if word in text and word not in answer.path]
            if not found:
                continue
            seen[name].add(answer.role)
            on = secret.readers.get(answer.role)
            if on is None or (on and answer.route not in on):
                wrong.append(f"{answer.role or 'nobody'} reads {name} ({found[0]}) at {answer.path} [{answer.status}]")
    return wrong, seen


def read_numbers(answers: Iterable[Answer], planted: Planted) -> set[tuple[str, str]]:
    """Who reads a number on private topics, and where."""
    means, each = planted.private_values()
    short, long = numbers(means, 4), numbers([*means, *each], 7)
    found = set()
    for answer in answers:
        text = answer.text
        if long.search(text) or (answer.kind == "text/html" and short.search(answer.body.decode())):
            found.add((answer.role, answer.path))
    return found


def test_the_crawler_knows_every_route() -> None:
    found = {route.pattern for route in routes()}
    assert {"", "tasks/<slug:slug>/", "runs/<slug:key>/", "api/tasks/<slug>/board", "operate/"} <= found
    assert len(found) > 60


def assert_table(planted: Planted, answers: list[Answer]) -> None:
    """Nobody reads more than the table says, and who may read something of a run or a task does."""
    wrong, seen = leaks(answers, planted.secrets)
    assert not wrong, "\n".join(sorted(set(wrong))[:40])
    asked = {answer.role for answer in answers}
    for name, secret in planted.secrets.items():
        must = set(secret.readers) & asked
        missed = must - seen[name] if name.startswith(("a ", "who")) else must & {"organiser"} - seen[name]
        assert not missed, f"{missed} should read {name} somewhere: has the crawler missed a place?"


def permalinks(answers: Iterable[Answer]) -> dict[str, bytes]:
    return {one.path: one.body for one in answers if one.role == "" and "/boards/" in one.path and one.status == 200}


def test_every_route_by_everybody_while_a_task_is_open_when_it_is_closed_and_when_embargoes_end(
    planted: Planted,
) -> None:
    Snapshot.objects.update(made=timezone.now() - timedelta(days=3))
    before = rows()
    answers = list(crawl(planted))
    assert len(answers) > 1000
    assert_table(planted, answers)
    read = read_numbers(answers, planted)
    assert {role for role, _ in read} == set(OPERATORS), sorted(read)[:20]
    assert rows() == before, "a GET changed something"
    kept = permalinks(answers)
    assert len(kept) > 25

    scheduled_jobs.close(task_id=planted.task.pk, by="organiser")
    tomorrow = timezone.now() + timedelta(days=1)
    Job.objects.filter(kind="score", state=Job.WAITING).update(after=tomorrow)  # one run still waits
    planted.world.work()
    planted.task.refresh_from_db()
    planted.list_secrets()
    for name in ("private topics", "their texts"):
        planted.secrets[name].readers |= EVERYBODY
    few = ("", "beth", "alice", "wanda", "nina", "organiser")
    answers = list(crawl(planted, few))
    assert_table(planted, answers)
    _, seen = leaks(answers, planted.secrets)
    assert seen["private topics"] == seen["their texts"] == set(few)
    assert {role for role, _ in read_numbers(answers, planted)} == set(few)  # with them, the values

    past = timezone.now() - timedelta(days=2)
    Snapshot.objects.filter(number__gt=1).update(made=past)
    Job.objects.filter(kind="board").update(started=past)
    Submission.objects.filter(embargo__isnull=False).update(embargo=timezone.now().date())
    Submission.objects.filter(anonymous__isnull=False).update(anonymous=timezone.now().date())
    scheduled_jobs.tidy()
    planted.world.work()
    planted.list_secrets()
    for name in ("private topics", "their texts", "a hidden run", "who is anonymous"):
        planted.secrets[name].readers |= EVERYBODY
    forget()
    answers = list(crawl(planted, few))
    assert_table(planted, answers)
    _, seen = leaks(answers, planted.secrets)
    assert seen["a hidden run"] == seen["who is anonymous"] == set(few)
    board = next(one for one in answers if one.path == f"/tasks/{MAIN}/" and one.role == "")
    assert {"wombatrun", "numbatrun"} <= set(re.findall(r"\w+run", board.text))

    now = permalinks(answers)
    for path, body in kept.items():
        assert now[path] == body, f"{path} has changed"


def test_a_digest_tells_nobody_whether_a_hidden_board_is_there(planted: Planted) -> None:
    """Who knows the hash of something that is not for them gets the same answer as everybody else."""
    hidden = [
        *Snapshot.objects.filter(kind=Snapshot.FULL).values_list("document_id", flat=True),
        *Snapshot.objects.filter(task__slug="circle").values_list("document_id", flat=True),
        *planted.secrets["the full board"].words,
        *(str(run.blob_id) for run in planted.runs.values() if run.name in ("wombatrun", "quollrun", "bilbyrun")),
    ]
    known = ", ".join(f'"{digest}"' for digest in hidden)
    for route in routes():
        for path in paths_of(route, planted):
            answer = ask(planted, "loner", route.pattern, path, **{"If-None-Match": known})
            assert answer.status != 304, path
    public = Snapshot.objects.get(task=planted.task, kind=Snapshot.PUBLIC).document_id
    same = ask(planted, "loner", "", f"/tasks/{MAIN}/boards/1/", **{"If-None-Match": f'"{public}"'})
    assert same.status == 304  # of what everybody may see, it works
    for path in ("/tasks/circle/boards/1/", "/tasks/circle/boards/1/board.json", "/api/tasks/circle/board"):
        assert ask(planted, "beth", "", path, **{"If-None-Match": "*"}).status == 404
        assert ask(planted, "alice", "", path, **{"If-None-Match": "*"}).status == 304


def test_head_says_as_much_as_get(planted: Planted) -> None:
    for route in routes():
        for path in paths_of(route, planted)[:4]:
            got, head = (ask(planted, "", route.pattern, path, method) for method in ("get", "head"))
            assert head.status in (got.status, 405), path
            assert head.body == b"" or head.status == 405, path
            if head.status == 200:
                assert head.headers.get("etag") == got.headers.get("etag"), path


def test_what_is_not_there_and_what_may_not_be_seen_is_one_answer(planted: Planted) -> None:
    """The same page, but for the address in its link to log in: nobody finds out which names are taken."""

    def page(role: str, path: str, word: str) -> tuple[int, bytes]:
        answer = ask(planted, role, "", path)
        hidden = re.sub(rb'(csrfmiddlewaretoken" value=")[^"]+', rb"\1", answer.body)
        return answer.status, hidden.replace(word.encode(), b"")

    for role in ("", "loner", "beth", "rival"):
        for pattern in (
            "/tasks/{}/",
            "/tasks/{}/about/",
            "/tasks/{}/downloads/",
            "/organise/{}/",
            "/tasks/{}/boards/1/",
        ):
            assert page(role, pattern.format("bettong-draft"), "bettong-draft") == page(
                role, pattern.format("nothing"), "nothing"
            ), (role, pattern)
        for pattern in ("/runs/{}/", "/runs/{}/file", "/runs/{}/edit", "/runs/{}/withdraw", "/runs/{}/state"):
            key = planted.runs["wombatrun"].key
            assert page(role, pattern.format(key), key) == page(role, pattern.format("0123456789ab"), "0123456789ab")
        for pattern in ("/api/tasks/{}", "/api/tasks/{}/board", "/api/tasks/{}/labels"):
            assert page(role, pattern.format("circle"), "circle") == page(role, pattern.format("nothing"), "nothing")
        assert page(role, "/teams/wombatteam/", "wombatteam") == page(role, "/teams/nothing/", "nothing")
