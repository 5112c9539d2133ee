"""The queue: whoever dies, whatever fails, every job is done once, or it is said why not."""

from __future__ import annotations

import threading
from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.db import InterfaceError, OperationalError, connection, transaction
from django.utils import timezone

from cranfield.core import InputError
from cranfield.server.jobs import job_queue
from cranfield.server.models import Job, Try
from tests.support.external_services import POSTGRES
from tests.support.server.concurrency import in_threads, wait_for, worker
from tests.support.server.job_queue import due_now, let_the_lease_run_out, only, take_one

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def errand() -> Iterator[list[dict[str, Any]]]:
    """A kind of work that only notes that it was done; what it is to raise stands in ``about``."""
    done: list[dict[str, Any]] = []
    faults: dict[str, Exception] = {
        "input": InputError("the file is empty", hint="hand in another", code="E-EMPTY"),
        "ours": ZeroDivisionError("a fault of ours"),
        "away": OperationalError("the database does not answer"),
        "gone": InterfaceError("connection already closed"),
        "full": OSError(28, "No space left on device"),
    }

    @job_queue.kind("errand")
    def run(*, fault: str = "", **about: Any) -> None:
        done.append(about)
        if fault:
            raise faults[fault]

    yield done
    del job_queue.KINDS["errand"]
    job_queue.FAILED.pop("errand", None)


@pytest.mark.django_db
def test_a_job_is_taken_done_and_over(errand: list[dict[str, Any]]) -> None:
    job_queue.put("errand", of=7)
    job = take_one("one")
    assert (job.state, job.worker, job.attempts) == (Job.RUNNING, "one", 1)
    assert job.lease is not None
    assert job.lease > timezone.now()
    assert job_queue.take("two") is None
    job_queue.do(job)
    assert errand == [{"of": 7}]
    assert (only().state, only().lease, only().error) == (Job.DONE, None, "")
    assert job_queue.take("two") is None


@pytest.mark.django_db
def test_what_is_urgent_goes_first_then_what_waited_longest(errand: list[dict[str, Any]]) -> None:
    for of, urgency in ((1, 0), (2, 5), (3, -5), (4, 5)):
        job_queue.put("errand", urgency=urgency, of=of)
    assert job_queue.work(once=True, least=0) == 3
    assert [one["of"] for one in errand] == [2, 4, 1]
    assert job_queue.work(once=True) == 1
    assert [one["of"] for one in errand] == [2, 4, 1, 3]


@pytest.mark.django_db
def test_a_place_in_the_queue_is_how_many_are_taken_until_then(errand: list[dict[str, Any]]) -> None:
    now = timezone.now()
    for number, urgency, ago in ((1, 0, 5), (2, 5, 1), (3, 0, 9), (4, -5, 60), (5, 0, 5)):
        job_queue.put("errand", urgency=urgency, after=now - timedelta(minutes=ago), number=number)
    places = {job.about["number"]: job_queue.place_of(job) for job in Job.objects.all()}
    taken = [take_one("one") for _ in range(5)]
    assert places == {job.about["number"]: place for place, job in enumerate(taken, 1)}
    assert {job_queue.place_of(job) for job in taken} == {0}  # all are being done
    assert not errand


@pytest.mark.django_db
def test_what_is_for_later_waits(errand: list[dict[str, Any]]) -> None:
    job_queue.put("errand", after=timezone.now() + timedelta(hours=1), of=1)
    assert job_queue.work(once=True) == 0
    job_queue.put("errand", after=timezone.now(), of=1)  # the same, for some time: nothing changes
    assert job_queue.work(once=True) == 0
    job_queue.put("errand", of=1)  # the same, now
    assert job_queue.work(once=True) == 1
    assert errand == [{"of": 1}]


@pytest.mark.django_db
def test_the_same_waits_once_and_is_put_again_while_it_runs(errand: list[dict[str, Any]]) -> None:
    job_queue.put("errand", of=1)
    job_queue.put("errand", of=1)
    job_queue.put("errand", of=2)
    assert Job.objects.count() == 2
    running = take_one("one")
    job_queue.put("errand", of=1)  # something changed while the first is at work
    assert Job.objects.count() == 3
    other = take_one("two")
    assert other.about == {"of": 2}
    assert job_queue.take("three") is None, "two jobs with one key at the same time: the older could end last"
    job_queue.do(running)
    assert take_one("three").about == {"of": 1}


@pytest.mark.django_db
def test_a_key_of_ones_own(errand: list[dict[str, Any]]) -> None:
    job_queue.put("errand", key="any", of=1)
    job_queue.put("errand", key="any", of=2)
    assert only().about == {"of": 1}
    assert str(only()) == "any"
    assert job_queue.work(once=True) == 1


@pytest.mark.django_db
def test_a_lease_that_ran_out_is_taken_over_and_the_first_worker_writes_nothing_more(
    errand: list[dict[str, Any]],
) -> None:
    job_queue.put("errand", of=1)
    first = take_one("one")
    let_the_lease_run_out()
    second = take_one("two")
    assert (second.pk, second.worker, second.attempts) == (first.pk, "two", 2)
    job_queue.do(first)  # it was only slow
    assert only().state == Job.RUNNING
    first.about = {"fault": "input"}
    job_queue.do(first)
    first.about = {"fault": "ours"}
    job_queue.do(first)
    assert (only().state, only().worker, only().error) == (Job.RUNNING, "two", "")
    job_queue.do(second)
    assert only().state == Job.DONE
    assert len(errand) == 4


@pytest.mark.django_db
def test_confirm_stops_a_worker_whose_job_was_taken_over() -> None:
    told: list[str] = []

    @job_queue.kind("slow")
    def slow() -> None:
        job_queue.confirm()
        told.append("still mine")
        let_the_lease_run_out()
        take_one("two")
        with transaction.atomic():
            job_queue.confirm()
            told.append("never")

    job_queue.confirm()  # outside of a job there is nothing to lose
    job_queue.put("slow")
    job_queue.do(take_one("one"))
    del job_queue.KINDS["slow"]
    assert told == ["still mine"]
    assert (Job.objects.get().state, Job.objects.get().worker) == (Job.RUNNING, "two")


@pytest.mark.django_db
def test_an_error_of_the_input_is_final(errand: list[dict[str, Any]]) -> None:
    job_queue.put("errand", fault="input")
    assert job_queue.work(once=True) == 1
    assert (only().state, only().error) == (Job.FAILED, "the file is empty\nhand in another")
    assert len(errand) == 1


@pytest.mark.django_db
def test_a_fault_of_ours_is_tried_three_times(errand: list[dict[str, Any]]) -> None:
    given_up: list[str] = []

    @job_queue.if_failed("errand")
    def told(*, error: str, **about: Any) -> None:
        given_up.append(f"{sorted(about.items())}: {error}")

    job_queue.put("errand", fault="ours", of=1)
    for attempt in (1, 2, 3):
        before = timezone.now()
        job_queue.do(take_one("one"))
        assert only().attempts == attempt
        assert only().error == "ZeroDivisionError: a fault of ours"
        if attempt < 3:
            assert only().state == Job.WAITING
            assert timedelta(0) <= only().after - before - timedelta(seconds=2**attempt) < timedelta(seconds=5)
            assert job_queue.take("one") is None
        due_now()
    assert only().state == Job.FAILED
    assert job_queue.take("one") is None
    assert given_up == ["[('fault', 'ours'), ('of', 1)]: ZeroDivisionError: a fault of ours"]


@pytest.mark.django_db
def test_a_failed_job_makes_way_for_the_same_that_waits(errand: list[dict[str, Any]]) -> None:
    job_queue.put("errand", fault="ours")
    first = take_one("one")
    job_queue.put("errand", fault="ours")
    job_queue.do(first)
    assert (only().state, only().attempts, only().pk != first.pk) == (Job.WAITING, 0, True)
    assert len(errand) == 1


@pytest.mark.django_db
@pytest.mark.parametrize("fault", ["away", "gone", "full"])
def test_what_the_machine_is_to_blame_for_is_tried_until_it_works(errand: list[dict[str, Any]], fault: str) -> None:
    job_queue.put("errand", fault=fault)
    for _ in range(2 * job_queue.DEATHS):
        job_queue.do(take_one("one"))
        assert (only().state, only().attempts) == (Job.WAITING, 0)
        assert only().error
        due_now()
    Job.objects.update(about={})
    job_queue.do(take_one("one"))
    assert (only().state, only().error) == (Job.DONE, "")


@pytest.mark.django_db
def test_a_job_that_kills_its_workers_is_given_up(errand: list[dict[str, Any]]) -> None:
    @job_queue.if_failed("errand")
    def fails(*, error: str) -> None:
        raise RuntimeError(error)

    job_queue.put("errand")
    for _ in range(job_queue.DEATHS):
        take_one("one")
        let_the_lease_run_out()
    job_queue.put("errand", of=2)
    assert take_one("one").about == {"of": 2}, "the next one is not kept waiting, though nobody could be told"
    given_up = Job.objects.get(about={})
    assert (given_up.state, given_up.error) == (Job.FAILED, f"its worker died {job_queue.DEATHS} times")
    assert errand == []


@pytest.mark.django_db
def test_a_kind_that_nobody_knows_fails() -> None:
    job_queue.put("dance")
    for _ in range(job_queue.MOST):
        job_queue.do(take_one("one"))
        due_now()
    job = Job.objects.get()
    assert (job.state, job.error) == (Job.FAILED, "KeyError: 'dance'")


@pytest.mark.django_db(transaction=True)
def test_workers_never_take_the_same_job(errand: list[dict[str, Any]]) -> None:
    for of in range(40):
        job_queue.put("errand", of=of)
    taken: list[int] = []

    def work(number: int) -> None:
        while (job := job_queue.take(f"worker {number}")) is not None:
            taken.append(int(job.about["of"]))
            job_queue.do(job)

    assert in_threads(6, work) == []
    if POSTGRES:  # a row that is locked is skipped: some may have been left behind by a worker that saw nothing
        job_queue.work(once=True)
    assert Counter(one["of"] for one in errand) == Counter(range(40))
    assert len(set(taken)) == len(taken)
    assert set(Job.objects.values_list("state", "attempts")) == {(Job.DONE, 1)}


@pytest.mark.django_db(transaction=True)
def test_the_same_put_by_many_at_once_waits_once(errand: list[dict[str, Any]]) -> None:
    def work(number: int) -> None:
        for _ in range(10):
            with transaction.atomic():
                job_queue.put("errand", key="any", of=1)
            if number == 0:
                job_queue.work(once=True)

    assert in_threads(5, work) == []
    job_queue.work(once=True)
    assert not Job.objects.exclude(state=Job.DONE).exists()
    assert len(errand) == Job.objects.count()


@pytest.mark.django_db(transaction=True)
def test_a_job_that_waits_is_not_done_before_what_it_is_about_is_there() -> None:
    """Somebody puts a job that waits already, and has not committed yet: it must not be over before that."""
    seen: list[bool] = []

    @job_queue.kind("look")
    def look() -> None:
        seen.append(Try.objects.filter(what="changed").exists())

    put, ended = threading.Event(), threading.Event()

    def writer() -> None:
        with transaction.atomic():
            Try.objects.create(what="changed", key="")
            job_queue.put("look")
            put.set()
            ended.wait(0.5)
        connection.close()

    job_queue.put("look")
    thread = threading.Thread(target=writer)
    thread.start()
    put.wait(10)
    job_queue.work(once=True)  # SQLite waits for the writer, PostgreSQL passes the row by
    ended.set()
    thread.join(10)
    job_queue.work(once=True)
    del job_queue.KINDS["look"]
    assert seen == [True]


@pytest.mark.django_db(transaction=True)
def test_a_worker_outlives_a_connection_that_breaks(
    errand: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_queue, "AWAY", timedelta(0))

    @job_queue.kind("cut")
    def cut() -> None:
        errand.append({})
        if len(errand) == 1:
            if POSTGRES:
                connection.cursor().execute("select pg_terminate_backend(pg_backend_pid())")
            connection.connection.close()  # not told to Django: as if the other end had gone
            Job.objects.count()

    job_queue.put("cut")
    stop = threading.Event()
    thread = worker(stop=stop, idle=0.05)
    thread.start()
    wait_for(lambda: Job.objects.filter(kind="cut", state=Job.DONE).exists())
    stop.set()
    thread.join(10)
    del job_queue.KINDS["cut"]
    assert len(errand) == 2
    assert not thread.is_alive()
