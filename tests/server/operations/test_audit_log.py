"""The chain of acts: a row that was changed, removed, put in between or moved is found; many may write at once."""

from __future__ import annotations

import threading
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.db import IntegrityError, transaction

from cranfield.server.models import Audit, Task
from cranfield.server.operations import audit_log
from tests.support.server.concurrency import in_threads

if TYPE_CHECKING:
    from tests.support.server.users_and_tasks import World

pytestmark = pytest.mark.django_db


@pytest.fixture
def acts() -> list[Audit]:
    return [audit_log.record("alice", "look", number=number) for number in range(6)]


def rows_in_question() -> list[int]:
    return sorted({number for number, _ in audit_log.broken()})


def test_a_chain_that_nobody_touched_holds(acts: list[Audit]) -> None:
    assert list(audit_log.broken()) == []
    assert audit_log.head() == (6, acts[-1].digest)
    assert acts[0].previous == audit_log.START
    assert [act.previous for act in acts[1:]] == [act.digest for act in acts[:-1]]


def test_of_no_acts() -> None:
    assert list(audit_log.broken()) == []
    assert audit_log.head() == (0, audit_log.START)


@pytest.mark.parametrize(
    "change",
    [
        {"who": "bob"},
        {"what": "glance"},
        {"task": "another"},
        {"about": {"number": 4}},
        {"about": {"number": 3, "more": 1}},
        {"digest": "f" * 64},
        {"previous": "f" * 64},
    ],
    ids=lambda change: "-".join(change),
)
def test_a_changed_row_is_found(acts: list[Audit], change: dict[str, Any]) -> None:
    Audit.objects.filter(pk=acts[3].pk).update(**change)
    found = rows_in_question()
    assert found
    assert set(found) <= {acts[3].pk, acts[4].pk}


def test_another_time_is_found_to_the_microsecond(acts: list[Audit]) -> None:
    Audit.objects.filter(pk=acts[3].pk).update(at=acts[3].at + timedelta(microseconds=1))
    assert list(audit_log.broken()) == [(acts[3].pk, "it was changed")]


def test_a_changed_row_with_a_new_digest_is_found_in_the_next(acts: list[Audit]) -> None:
    acts[3].who = "bob"
    acts[3].digest = audit_log.digest_of(acts[3])
    acts[3].save()
    assert list(audit_log.broken()) == [(acts[4].pk, "what stood before it was removed or changed")]


@pytest.mark.parametrize("place", [0, 2, 4])
def test_a_removed_row_is_found(acts: list[Audit], place: int) -> None:
    acts[place].delete()
    assert rows_in_question() == [acts[place + 1].pk]


def test_an_end_that_was_cut_off_shows_in_the_head(acts: list[Audit]) -> None:
    noted = audit_log.head()
    Audit.objects.filter(pk__gte=acts[4].pk).delete()
    assert list(audit_log.broken()) == []  # nothing in what is left says that there was more …
    assert audit_log.head() == (4, acts[3].digest) != noted  # … but the head does


def test_a_digest_that_was_noted_is_there_as_long_as_its_act(acts: list[Audit]) -> None:
    assert all(audit_log.holds(act.digest) for act in acts)
    assert audit_log.holds(audit_log.START)  # of a log in which there was nothing
    acts[-1].delete()
    assert not audit_log.holds(acts[-1].digest)
    assert audit_log.holds(acts[-2].digest)


def test_a_row_put_in_between_is_found(acts: list[Audit]) -> None:
    Audit.objects.filter(pk__gte=acts[3].pk).delete()
    later = [Audit(pk=act.pk + 1, **contents(act)) for act in acts[3:]]
    new = Audit(pk=acts[3].pk, at=acts[2].at, who="bob", what="look", about={}, previous=acts[2].digest)
    new.digest = audit_log.digest_of(new)
    with pytest.raises(IntegrityError), transaction.atomic():  # two rows after the same one cannot be
        Audit.objects.bulk_create([new, *later])
    later[0].previous = new.digest
    Audit.objects.bulk_create([new, *later])
    assert list(audit_log.broken()) == [(acts[3].pk + 1, "it was changed")]


def test_swapped_rows_are_found(acts: list[Audit]) -> None:
    Audit.objects.filter(pk__in=[acts[2].pk, acts[3].pk]).delete()
    Audit.objects.create(pk=acts[2].pk, **contents(acts[3]))
    Audit.objects.create(pk=acts[3].pk, **contents(acts[2]))
    assert rows_in_question() == [acts[2].pk, acts[3].pk, acts[4].pk]


def contents(act: Audit) -> dict[str, Any]:
    return {name: getattr(act, name) for name in ("at", "who", "what", "task", "about", "previous", "digest")}


@pytest.mark.parametrize(
    "value",
    [
        0.1,
        1e-7,
        1e16,
        1.5e300,
        -0.0,
        3.0,
        2**70,
        True,
        None,
        "é\u2028\n",
        (1, 2),
        [{"b": 1, "a": [1e20]}],
        {10: 1, 9: 2},
    ],
    ids=str,
)
def test_every_kind_of_value_comes_back_as_it_was_written(value: object) -> None:
    audit_log.record(None, "say", value=value)
    act = Audit.objects.get()
    assert act.who == "the server"
    assert list(audit_log.broken()) == []


def test_no_number_is_not_written() -> None:
    with pytest.raises(ValueError, match="JSON"):
        audit_log.record(None, "say", value=float("nan"))


def test_who_and_where_are_names(world: World) -> None:
    task = world.task()
    act = audit_log.record(world.people["alice"], "look", task=task)
    assert (act.who, act.task) == ("alice", "ad-hoc")


@pytest.mark.django_db(transaction=True)
def test_an_act_that_is_taken_back_leaves_no_gap() -> None:
    audit_log.record("alice", "look")
    with suppress(ZeroDivisionError), transaction.atomic():
        audit_log.record("alice", "never")
        _ = 1 / 0
    audit_log.record("alice", "look again")
    assert list(audit_log.broken()) == []
    assert list(Audit.objects.order_by("id").values_list("what", flat=True)) == ["look", "look again"]


@pytest.mark.django_db(transaction=True)
def test_acts_of_a_part_that_is_taken_back_are_not_written() -> None:
    with audit_log.acting():
        audit_log.record("alice", "begin")
        with suppress(ZeroDivisionError), audit_log.acting():
            audit_log.record("alice", "never")
            _ = 1 / 0
        audit_log.record("alice", "end")
        assert not Audit.objects.exists()  # not yet: it is the last step
    with suppress(ZeroDivisionError), audit_log.acting():
        audit_log.record("alice", "never")
        _ = 1 / 0
    assert list(Audit.objects.order_by("id").values_list("what", flat=True)) == ["begin", "end"]
    assert list(audit_log.broken()) == []


def test_nobody_waits_for_a_row_while_holding_the_log(world_of_threads: World) -> None:
    task = world_of_threads.task()
    meet = threading.Barrier(2)

    def wait() -> None:
        with suppress(threading.BrokenBarrierError):  # on SQLite the second begins when the first has ended
            meet.wait(1)

    def work(number: int) -> None:
        with audit_log.acting():
            if number == 0:
                audit_log.record("one", "said first")
                wait()
                Task.objects.select_for_update().get(pk=task.pk)
            else:
                Task.objects.select_for_update().get(pk=task.pk)
                wait()
                audit_log.record("two", "said last")

    assert in_threads(2, work) == []
    assert {"said first", "said last"} <= set(Audit.objects.values_list("what", flat=True))
    assert list(audit_log.broken()) == []


@pytest.mark.django_db(transaction=True)
def test_many_writers_keep_one_chain() -> None:
    def work(number: int) -> None:
        for turn in range(10):
            with audit_log.acting():
                audit_log.record(f"writer {number}", "write", turn=turn)
                audit_log.record(f"writer {number}", "write more", turn=turn)

    assert in_threads(8, work) == []
    assert audit_log.head()[0] == 160
    assert list(audit_log.broken()) == []
