"""Preferences: which two documents are shown to whom, what is kept of what they say, what follows from it."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from cranfield.data import read_votes
from cranfield.server.judging import judgments, pool_lifecycle, preference_judgments
from cranfield.server.judging.preference_judgments import Shown
from cranfield.server.models import Pair, Vote
from cranfield.server.submissions.intake import Refused
from tests.support.server.concurrency import in_threads
from tests.support.server.judging_campaigns import begun, said
from tests.support.server.preference_votes import judged, preferred, vote_all
from tests.support.server.users_and_tasks import DOCUMENTS, TOPICS, World

if TYPE_CHECKING:
    from pathlib import Path


def test_relevant_documents_are_compared_and_no_others(world: World) -> None:
    pool, user = judged(world), world.people["assessor"]
    every = preference_judgments.documents_of(pool)
    # One relevant document in every third topic, two in the next, three in the one after: the first has no pair.
    assert set(every) == {topic for place, topic in enumerate(TOPICS) if place % 3}
    for place, topic in enumerate(TOPICS):
        assert set(every.get(topic, [])) == (set(DOCUMENTS[: 1 + place % 3]) if place % 3 else set())
    assert every[TOPICS[2]][0] == "D01"  # the only one with grade 2
    shown = vote_all(pool, user)
    pairs = {(one.topic, *sorted((one.left, one.right))) for one in shown}
    assert len(pairs) == len(shown) == Pair.objects.filter(pool=pool).count()  # each once for a person
    assert len(shown) == 4 * 1 + 4 * 3  # of two documents one pair, of three documents three
    assert len(dict.fromkeys(one.topic for one in shown)) == 8
    changes = sum(a.topic != b.topic for a, b in pairwise(shown))
    assert changes == 7  # one topic after the other


def test_before_anybody_judges_the_first_of_the_runs_are_compared(world: World) -> None:
    pool = begun(world, world.received())
    every = preference_judgments.documents_of(pool)
    assert list(every) == TOPICS
    # The runs turn the order of the ten documents in topic 301 by 0, 1, 2 and 5: each has another one first.
    assert set(every["301"][:4]) == {"D01", "D10", "D09", "D06"}
    assert all(len(some) == preference_judgments.MOST for some in every.values())
    question = judgments.next_for(pool, world.people["assessor"])
    assert question is not None
    judgments.judge(pool, world.people["assessor"], said(question, 0))
    assert preference_judgments.documents_of(pool) == {}  # from now on only relevant ones count, and there is none yet


def test_what_is_said_is_kept_as_it_was_shown(world: World) -> None:
    pool, user = judged(world), world.people["assessor"]
    for side in preference_judgments.SIDES:
        shown = preference_judgments.next_for(pool, user)
        assert shown is not None
        vote = preference_judgments.prefer(pool, user, preferred(shown, side))
        one, two = sorted((shown.left, shown.right))
        assert (vote.pair.topic, vote.pair.one, vote.pair.two) == (shown.topic, one, two)
        assert vote.swapped == (shown.left == two)
        better = {"left": shown.left, "right": shown.right}.get(side)
        assert vote.choice == ({one: 1, two: -1}[better] if better else {"same": 0, "unsure": None}[side])
        assert vote.seconds == 2.5


def test_left_and_right_are_drawn_and_stay(world: World) -> None:
    pool, people = begun(world, world.received()), world.people.values()
    topics = [str(number) for number in range(300)]
    drawn = [preference_judgments.shown_to(pool, user, topic, "D01", "D02").left for user in people for topic in topics]
    again = [preference_judgments.shown_to(pool, user, topic, "D02", "D01").left for user in people for topic in topics]
    assert drawn == again
    half, spread = len(drawn) / 2, len(drawn) ** 0.5 / 2
    assert abs(Counter(drawn)["D01"] - half) < 6 * spread  # of a fair coin beyond that once in 500 million runs


def test_what_is_sent_twice_is_kept_once_and_undo_shows_it_again(world: World) -> None:
    pool, user = judged(world), world.people["assessor"]
    shown = preference_judgments.next_for(pool, user)
    assert shown is not None
    assert preference_judgments.next_for(pool, user) == shown  # a page that is loaded again
    first = preference_judgments.prefer(pool, user, preferred(shown, "left", "same"))
    assert preference_judgments.prefer(pool, user, preferred(shown, "right", "same")) == first
    assert Vote.objects.get().choice == first.choice
    with pytest.raises(Refused, match="you have compared") as refused:
        preference_judgments.prefer(pool, user, preferred(shown, "right"))
    assert refused.value.code == "E-TURN"
    assert not preference_judgments.may_compare(pool, user, shown)
    assert preference_judgments.take_back(pool, user) == shown
    assert preference_judgments.take_back(pool, user) is None
    assert preference_judgments.may_compare(pool, user, shown)
    preference_judgments.prefer(pool, user, preferred(shown, "same"))
    kept = [(vote.choice, vote.taken_back is None) for vote in Vote.objects.order_by("id")]
    assert kept == [(first.choice, False), (0, True)]
    assert preference_judgments.counts(pool, user) == (1, 1)


@pytest.mark.parametrize(
    ("topic", "left", "right_", "side", "code"),
    [
        ("302", "D01", "D01", "left", "E-TURN"),
        ("302", "D01", "D08", "left", "E-TURN"),  # not relevant
        ("303", "D01", "D02", "left", "E-TURN"),  # both are, but nobody was shown them yet
        ("302", "D01", "D02", "up", "E-VOTE"),
    ],
)
def test_what_was_never_asked_is_refused(
    world: World, topic: str, left: str, right_: str, side: str, code: str
) -> None:
    pool = judged(world)
    Pair.objects.create(pool=pool, topic="302", one="D01", two="D02")
    with pytest.raises(Refused) as refused:
        preference_judgments.prefer(
            pool, world.people["assessor"], preferred(Shown(topic=topic, left=left, right=right_), side)
        )
    assert refused.value.code == code
    assert not Vote.objects.exists()


def test_an_ended_pool_takes_no_votes(world: World) -> None:
    pool, user = judged(world), world.people["assessor"]
    (shown,) = vote_all(pool, user, 1)
    pool_lifecycle.end(pool, world.people["organiser"])
    assert preference_judgments.next_for(pool, user) is None
    assert not preference_judgments.may_compare(pool, world.people["adam"], shown)
    for act in (
        lambda: preference_judgments.prefer(pool, world.people["adam"], preferred(shown, "left")),
        lambda: preference_judgments.take_back(pool, user),
    ):
        with pytest.raises(Refused) as refused:
            act()
        assert refused.value.code == "E-CLOSED"
    assert Vote.objects.filter(taken_back=None).count() == 1


def test_people_are_asked_until_enough_is_said(world: World) -> None:
    pool = judged(world)
    people = [world.people[name] for name in ("assessor", "organiser", "alice", "adam", "beth", "operator")]
    votes = sum(len(vote_all(pool, person)) for person in people)
    each = Counter(Vote.objects.values_list("pair", flat=True))
    # Three votes that agree are enough, so that of six people three are never needed.
    assert set(each.values()) <= {1, 2, 3}
    assert votes == sum(each.values()) <= 3 * 16
    assert preference_judgments.next_for(pool, world.people["loner"]) is None
    study = preference_judgments.study_of(pool)
    assert study is not None
    for topic, documents in preference_judgments.documents_of(pool).items():
        rows: list[dict[str, Any]] = [row for row in study["strengths"].rows() if row["topic"] == topic]
        assert [row["document"] for row in rows] == sorted(documents)  # everybody prefers the smaller name
        assert [row["rank"] for row in rows] == list(range(1, len(rows) + 1))
        assert all(row["low"] < row["strength"] < row["high"] for row in rows)
        assert sum(row["strength"] for row in rows) == pytest.approx(0, abs=1e-9)


def test_the_table_of_votes_is_read_back(world: World, tmp_path: Path) -> None:
    pool = judged(world)
    for name, side in (("assessor", "left"), ("adam", "right"), ("beth", "same"), ("alice", "unsure")):
        shown = preference_judgments.next_for(pool, world.people[name])
        assert shown is not None
        preference_judgments.prefer(pool, world.people[name], preferred(shown, side))
    file = tmp_path / "votes.csv"
    file.write_text(preference_judgments.votes_csv(pool), encoding="utf-8", newline="")
    read = read_votes(file)
    assert sorted(read.workers) == ["adam", "assessor", "beth"]  # who cannot say has no vote
    names = read.documents.to_list()
    for place, worker in enumerate(read.answers.worker.tolist()):
        item = int(read.answers.item[place])
        vote = Vote.objects.select_related("pair").get(user__username=read.workers[worker])
        one, two = names[int(read.first[item])], names[int(read.second[item])]
        choice = 1 - int(read.answers.choice[place])  # 1: the first, 0: neither, −1: the second
        assert read.topics[int(read.topic[item])] == vote.pair.topic
        assert vote.choice == (choice if (one, two) == (vote.pair.one, vote.pair.two) else -choice)


def test_many_who_send_at_once_lose_nothing(world_of_threads: World) -> None:
    world = world_of_threads
    pool = judged(world)
    users = list(world.people.values())
    shown = preference_judgments.next_for(pool, users[0])
    assert shown is not None

    def send(number: int) -> None:
        user = users[number % len(users)]  # everybody twice, with one key
        side = "left" if number % 2 else "right"
        preference_judgments.prefer(pool, user, preferred(shown, side, f"key of {user.pk}"))

    assert in_threads(2 * len(users), send) == []
    assert Counter(Vote.objects.values_list("user", flat=True)) == {user.pk: 1 for user in users}
    assert Pair.objects.count() == 1
