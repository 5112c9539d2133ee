"""A pool is held by one at a time: it is asked for once, and what fails leaves nothing behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cranfield.server.judging import assessor_session, judgments, live_pools
from cranfield.server.models import Event, Judgment, Turn
from tests.support.server.judging_campaigns import begun, judge_all, said

if TYPE_CHECKING:
    from pytest_django import DjangoAssertNumQueries

    from tests.support.server.users_and_tasks import World


def test_who_holds_a_pool_is_given_it_again(world: World, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    one, other = (begun(world, world.received(slug)) for slug in ("one", "other"))
    with live_pools.held(one) as live:
        with django_assert_num_queries(0), live_pools.held(one) as again:
            assert again is live
        with live_pools.held(other) as elsewhere:
            assert elsewhere is not live
    with live_pools.held(one) as later:
        assert later is live  # at hand, with all that it has learnt


@pytest.mark.parametrize("depth", [1, 2])
def test_what_fails_was_never_asked(world: World, depth: int) -> None:
    pool, user = begun(world, world.received(), strategy="thompson"), world.people["assessor"]
    judge_all(pool, user, 3)
    steps = Event.objects.count()

    def fail(depth: int) -> None:
        with live_pools.held(pool) as live:
            if depth > 1:
                fail(depth - 1)
            asked = live.ask("305")
            assert asked is not None
            live.tell(asked.topic, asked.document, 1)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail(depth)
    assert Event.objects.count() == steps
    with live_pools.held(pool) as live:
        assert live.steps == steps
        assert live.judging.state == live_pools.state_of(pool)


def test_an_answer_and_what_comes_then_are_kept_together(
    world: World, django_assert_max_num_queries: DjangoAssertNumQueries, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool, user = begun(world, world.received(), strategy="mtf"), world.people["assessor"]
    (first,) = assessor_session.now_and_after(pool, user)
    with django_assert_max_num_queries(20):  # everybody waits for them
        _, (second,) = assessor_session.answer(pool, user, said(first, 1))
    assert assessor_session.now_and_after(pool, user) == [second]

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patched:
        patched.setattr(judgments, "hand_out", fail)
        with pytest.raises(ZeroDivisionError):
            assessor_session.answer(pool, user, said(second, 1))
    assert Judgment.objects.count() == 1
    assert Turn.objects.get().question == second  # they have it still, and may say it again


def test_a_page_that_asks_again_does_not_wait_for_the_pool(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    pool, user = begun(world, world.received(), strategy="mtf", overlap=50, judges=2), world.people["assessor"]
    mine = assessor_session.now_and_after(pool, user)
    assert len(mine) == 1  # what comes then hangs on what is said of it

    def busy(_: object) -> None:
        raise AssertionError("held")

    with monkeypatch.context() as patched:
        patched.setattr(live_pools, "held", busy)
        assert assessor_session.now_and_after(pool, user) == mine
    other = world.people["loner"]
    while not judgments.sure(pool, user):  # until another has judged what two are to judge
        (now, *_) = assessor_session.now_and_after(pool, other)
        judgments.judge(pool, other, said(now, 1))
    judgments.judge(pool, user, said(mine[0], 0))
    (now, *_) = assessor_session.now_and_after(pool, user)
    assert (now.given, now.wanted) == (1, 2)


def test_what_was_put_off_comes_after_what_is_in_hand(world: World) -> None:
    pool, user = begun(world, world.received(), strategy="depth", budget=2), world.people["assessor"]
    off = judgments.next_for(pool, user)
    assert off is not None
    judgments.put_off(pool, user, off.topic, off.document)
    seen = []
    while mine := assessor_session.now_and_after(pool, user):
        seen.append(mine[0])
        judgments.judge(pool, user, said(mine[0], 0))
    assert len(seen) == 2 * 12
    assert seen[-1] == off
