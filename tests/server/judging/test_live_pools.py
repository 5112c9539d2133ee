"""A pool is held by one at a time: it is asked for once, and what fails leaves nothing behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cranfield.server import in_hand, judging, pools
from cranfield.server.models import Event, Judgment, Turn
from tests.support.server.judging_campaigns import begun, judge_all, said

if TYPE_CHECKING:
    from pytest_django import DjangoAssertNumQueries

    from tests.support.server.users_and_tasks import World


def test_who_holds_a_pool_is_given_it_again(world: World, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    one, other = (begun(world, world.received(slug)) for slug in ("one", "other"))
    with pools.held(one) as live:
        with django_assert_num_queries(0), pools.held(one) as again:
            assert again is live
        with pools.held(other) as elsewhere:
            assert elsewhere is not live
    with pools.held(one) as later:
        assert later is live  # at hand, with all that it has learnt


@pytest.mark.parametrize("depth", [1, 2])
def test_what_fails_was_never_asked(world: World, depth: int) -> None:
    pool, user = begun(world, world.received(), strategy="thompson"), world.people["assessor"]
    judge_all(pool, user, 3)
    steps = Event.objects.count()

    def fail(depth: int) -> None:
        with pools.held(pool) as live:
            if depth > 1:
                fail(depth - 1)
            asked = live.ask("305")
            assert asked is not None
            live.tell(asked.topic, asked.document, 1)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail(depth)
    assert Event.objects.count() == steps
    with pools.held(pool) as live:
        assert live.steps == steps
        assert live.judging.state == pools.state_of(pool)


def test_an_answer_and_what_comes_then_are_kept_together(
    world: World, django_assert_max_num_queries: DjangoAssertNumQueries, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool, user = begun(world, world.received(), strategy="mtf"), world.people["assessor"]
    (first,) = in_hand.now_and_after(pool, user)
    with django_assert_max_num_queries(20):  # everybody waits for them
        _, (second,) = in_hand.answer(pool, user, said(first, 1))
    assert in_hand.now_and_after(pool, user) == [second]

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patched:
        patched.setattr(judging, "hand_out", fail)
        with pytest.raises(ZeroDivisionError):
            in_hand.answer(pool, user, said(second, 1))
    assert Judgment.objects.count() == 1
    assert Turn.objects.get().question == second  # they have it still, and may say it again


def test_a_page_that_asks_again_does_not_wait_for_the_pool(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    pool, user = begun(world, world.received(), strategy="mtf", overlap=50, judges=2), world.people["assessor"]
    mine = in_hand.now_and_after(pool, user)
    assert len(mine) == 1  # what comes then hangs on what is said of it

    def busy(_: object) -> None:
        raise AssertionError("held")

    with monkeypatch.context() as patched:
        patched.setattr(pools, "held", busy)
        assert in_hand.now_and_after(pool, user) == mine
    other = world.people["loner"]
    while not judging.sure(pool, user):  # until another has judged what two are to judge
        (now, *_) = in_hand.now_and_after(pool, other)
        judging.judge(pool, other, said(now, 1))
    judging.judge(pool, user, said(mine[0], 0))
    (now, *_) = in_hand.now_and_after(pool, user)
    assert (now.given, now.wanted) == (1, 2)


def test_what_was_put_off_comes_after_what_is_in_hand(world: World) -> None:
    pool, user = begun(world, world.received(), strategy="depth", budget=2), world.people["assessor"]
    off = judging.next_for(pool, user)
    assert off is not None
    judging.put_off(pool, user, off.topic, off.document)
    seen = []
    while mine := in_hand.now_and_after(pool, user):
        seen.append(mine[0])
        judging.judge(pool, user, said(mine[0], 0))
    assert len(seen) == 2 * 12
    assert seen[-1] == off
