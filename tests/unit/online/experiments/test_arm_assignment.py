"""Who gets which arm: published hashes, what must always hold, stored assignments."""

from hashlib import md5

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.core import CranfieldError, ParameterError, Table
from cranfield.online import (
    ASSIGNMENTS,
    MD5,
    Assignment,
    GrowthBook,
    PlanOut,
    Random,
    assign,
    assignment_table,
    parse_assignment,
    stored_arms,
)

EVERY = [cls() for cls in ASSIGNMENTS]
HASHED = [how for how in EVERY if not how.stored]
names = st.lists(st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=8), min_size=1, max_size=20)
weights = st.lists(st.integers(0, 5), min_size=1, max_size=4).filter(any)

# growthbook/growthbook-python, tests/cases.json (specification 0.7.1): seed, value, version, hash.
PUBLISHED = [
    ("", "a", 1, 0.22),
    ("", "b", 1, 0.077),
    ("b", "a", 1, 0.946),
    ("ef", "d", 1, 0.652),
    ("asdf", "8952klfjas09ujk", 1, 0.549),
    ("", "123", 1, 0.011),
    ("", '___)((*":&', 1, 0.563),
    ("seed", "a", 2, 0.0505),
    ("seed", "b", 2, 0.2696),
    ("foo", "ab", 2, 0.2575),
    ("foo", "def", 2, 0.2019),
    ("89123klj", "8952klfjas09ujkasdf", 2, 0.124),
    ("90850943850283058242805", "123", 2, 0.7516),
    ("()**(%$##$%#$#", '___)((*":&', 2, 0.0128),
]
# The same file, chooseVariation and getBucketRange: where a hash falls among weights.
CHOSEN = [(0.2, 0), (0.4, 0), (0.6, 1), (0.8, 1), (0.0, 0), (0.5, 1)]


@pytest.mark.parametrize(("seed", "value", "version", "expected"), PUBLISHED)
def test_growthbook_publishes_its_hashes(seed: str, value: str, version: int, expected: float) -> None:
    assert GrowthBook(version=version).place(np.array([value]), seed).tolist() == [expected]


def test_an_end_belongs_to_the_next_arm_as_growthbook_publishes() -> None:
    class Placed(MD5):
        def place(self, users: np.ndarray, experiment: str, *, after: int = 0) -> np.ndarray:
            return users.astype(float)

    places = [str(place) for place, _ in CHOSEN]
    assert assign(places, "x", [0.5, 0.5], how=Placed()).tolist() == [arm for _, arm in CHOSEN]
    assert assign(["0.5"], "x", [0.5, 0.0, 0.5], how=Placed()).tolist() == [2]  # "zero range"
    assert assign(["0.2", "0.3", "0.5"], "x", [0.2, 0.3, 0.5], how=Placed()).tolist() == [1, 1, 2]


def test_md5_by_its_own_program() -> None:
    # `printf 'ranker.anna' | md5sum`: the digits as hashlib gives them, and arms by hand.
    digits = [md5(f"ranker.{user}".encode()).hexdigest()[:13] for user in ("anna", "Zoë")]
    places = [int(one, 16) / 16**13 for one in digits]
    assert MD5().place(np.array(["anna", "Zoë"]), "ranker").tolist() == places
    assert assign(["anna", "Zoë"], "ranker", [1, 3]).tolist() == [int(place >= 0.25) for place in places]


def test_planout_by_its_definition() -> None:
    # sha1("exp.arm.7"), its first 15 hexadecimal digits (bakshy2014).
    from hashlib import sha1

    digits = int(sha1(b"exp.arm.7").hexdigest()[:15], 16)
    assert PlanOut().hash(np.array(["7"]), "exp").tolist() == [digits]
    assert PlanOut().place(np.array(["7"]), "exp").tolist() == [digits / float(0xFFFFFFFFFFFFFFF)]


@pytest.mark.parametrize("how", EVERY, ids=str)
@given(users=names, experiment=st.text(min_size=1, max_size=5), shares=weights)
def test_every_user_has_one_arm_of_some_weight(
    how: Assignment, users: list[str], experiment: str, shares: list[int]
) -> None:
    arms = assign(users, experiment, shares, how=how)
    assert arms.shape == (len(users),)
    assert all(shares[arm] > 0 for arm in arms)
    assert len({(user, arm) for user, arm in zip(users, arms.tolist(), strict=True)}) == len(set(users))
    assert assign(users, experiment, shares, how=how).tolist() == arms.tolist()


@pytest.mark.parametrize("how", HASHED, ids=str)
@given(users=names, experiment=st.text(min_size=1, max_size=5), shares=weights)
def test_a_hash_does_not_know_who_else_is_there(
    how: Assignment, users: list[str], experiment: str, shares: list[int]
) -> None:
    together = assign(users, experiment, shares, how=how).tolist()
    assert [assign([user], experiment, shares, how=how).item() for user in users] == together


@pytest.mark.parametrize("how", EVERY, ids=str)
def test_shares_are_as_configured(how: Assignment) -> None:
    n, shares = 20_000, np.array([0.5, 0.2, 0.3])
    found = np.bincount(assign(range(n), "shares", shares.tolist(), how=how), minlength=3) / n
    assert (np.abs(found - shares) < 5 * np.sqrt(shares * (1 - shares) / n)).all()


def test_whole_numbers_are_names() -> None:
    assert assign([1, 20], "x").tolist() == assign(["1", "20"], "x").tolist()
    assert assign(np.array(["1", "20"], dtype=object), "x").tolist() == assign(["1", "20"], "x").tolist()


def test_names_of_ways_to_assign() -> None:
    assert parse_assignment("planout(variable='page')") == PlanOut(variable="page")
    assert parse_assignment("random(seed=3)") == Random(seed=3)
    assert str(GrowthBook(version=1)) == "growthbook(version=1)"
    for how in EVERY:
        assert parse_assignment(str(how)) == how


def test_what_was_drawn_is_stored_and_read_back() -> None:
    users = [f"u{place}" for place in range(50)]
    table = assignment_table(users, "ranker", how="random(seed=2)")
    assert table.columns == ("experiment", "user", "arm")
    assert stored_arms(table, users[::-1], "ranker") == list(table.cells("arm"))[::-1]
    arms = assign(users, "ranker", how="random(seed=2)")
    assert [("control", "treatment")[arm] for arm in arms] == list(table.cells("arm"))


def test_users_keep_their_arm_when_others_come() -> None:
    first = assignment_table(["a", "b", "c"], "ranker")
    later = assignment_table(["d", "c", "e", "d"], "ranker", stored=first)
    assert list(later.cells("user")) == ["a", "b", "c", "d", "e"]
    assert list(later.cells("arm"))[:3] == list(first.cells("arm"))
    assert assignment_table(["a"], "ranker", stored=later) == later
    many = [str(place) for place in range(200)]
    again = assignment_table([f"n{user}" for user in many], "ranker", stored=assignment_table(many, "ranker"))
    assert list(again.cells("arm"))[:200] != list(again.cells("arm"))[200:]  # not the same draws once more


@pytest.mark.parametrize(
    ("users", "experiment", "shares", "how"),
    [
        ([], "x", [1, 1], "md5"),
        ([["a"]], "x", [1, 1], "md5"),
        ([1.5], "x", [1, 1], "md5"),
        ([None, "a"], "x", [1, 1], "md5"),
        (["a"], "", [1, 1], "md5"),
        (["a"], "x", [], "md5"),
        (["a"], "x", [0, 0], "md5"),
        (["a"], "x", [-1, 2], "md5"),
        (["a"], "x", [np.nan, 1], "md5"),
        (["a"], "x", [1, 2], "planout(choice='uniform')"),
        (["a"], "x", [1, 1], "crc"),
        (["a"], "x", [1, 1], "growthbook(version=3)"),
    ],
    ids=str,
)
def test_what_cannot_be_assigned_is_refused(users: object, experiment: str, shares: list[float], how: str) -> None:
    with pytest.raises(CranfieldError) as caught:
        assign(users, experiment, shares, how=how)  # type: ignore[arg-type]  # refused at the door
    assert caught.value.hint


def test_what_cannot_be_stored_is_refused() -> None:
    table = assignment_table(["a"], "x")
    with pytest.raises(ParameterError, match="no stored arm"):
        stored_arms(table, ["b"], "x")
    with pytest.raises(ParameterError, match="no stored arm"):
        stored_arms(table, ["a"], "y")
    with pytest.raises(ParameterError, match="weights"):
        assignment_table(["a"], "x", [1, 1, 1])
    with pytest.raises(ParameterError, match="an arm"):
        assignment_table(["b"], "x", arms=("old", "new"), stored=table)
    twice = Table({"experiment": ["x", "x"], "user": ["a", "a"], "arm": ["control", "treatment"]})
    with pytest.raises(ParameterError, match="twice"):
        stored_arms(twice, ["a"], "x")
