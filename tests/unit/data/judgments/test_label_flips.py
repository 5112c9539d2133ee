"""Flipped labels: how many, which, into what, and that they are the same labels at every share."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from cranfield.core import ParameterError, generator
from cranfield.data import NOBODY, assess_grades
from cranfield.data.judgments.label_flips import SIDES, How, Side, flip_labels, flipped_grades
from tests.support.run_size import Size

Numbers = NDArray[np.float64]


def campaign(sizes: list[int], seed: int = 0) -> tuple[Numbers, NDArray[np.int64]]:
    """Grades 0 to 3 of topics, a tenth of the documents unjudged or of grade −2; and where topics start."""
    random = np.random.default_rng(seed)
    grade = random.choice([0.0, 1, 2, 3], sum(sizes), p=[0.7, 0.1, 0.1, 0.1])
    grade[random.random(len(grade)) < 0.05] = NOBODY
    grade[random.random(len(grade)) < 0.05] = -2
    return grade, np.concatenate(([0], np.cumsum(sizes)))


def counts(mask: NDArray[np.bool_], named: NDArray[np.int64]) -> list[int]:
    return [int(mask[start:end].sum()) for start, end in pairwise(named.tolist())]


@pytest.mark.parametrize("how", ["binary", "graded"])
@pytest.mark.parametrize("side", SIDES)
def test_the_share_of_each_topic_is_flipped_and_nothing_else(how: How, side: Side) -> None:
    grade, named = campaign([40, 0, 25, 1, 300], seed=1)
    judged = grade >= 0
    here = {"both": judged, "relevant": grade >= 2, "not relevant": judged & (grade < 2)}[side]
    for share in (0.0, 0.1, 0.5, 1.0):
        new = flip_labels(grade, share, generator(1), named=named, rel=2, how=how, side=side)
        changed = new != grade
        assert not (changed & ~here).any()
        flipped = counts(changed, named)
        if how == "binary":  # grade 1 is not relevant here, and becomes 2 as grade 0 does
            assert set(new[changed & (grade >= 2)]) <= {0}
            assert set(new[changed & (grade < 2)]) <= {2}
        for many, size in zip(flipped, counts(here, named), strict=True):
            assert np.floor(share * size + 1e-9) <= many <= np.ceil(share * size - 1e-9)


def test_binary_labels_are_turned_round() -> None:
    grade = np.array([0.0, 1, 2, 3, NOBODY, -1, 0])
    named = np.array([0, 4, 7])
    new = flip_labels(grade, 1, generator(0), named=named)
    assert new.tolist() == [1, 0, 0, 0, NOBODY, -1, 1]
    assert flip_labels(grade, 1, generator(0), named=named, rel=2).tolist() == [2, 2, 0, 0, NOBODY, -1, 2]
    assert flip_labels(grade, 1, generator(0), named=named, side="relevant").tolist() == [0, 0, 0, 0, NOBODY, -1, 0]
    assert flip_labels(grade, 1, generator(0), named=named, side="not relevant").tolist() == [1, 1, 2, 3, NOBODY, -1, 1]
    assert grade.tolist() == [0, 1, 2, 3, NOBODY, -1, 0]


def test_graded_labels_become_any_other_grade() -> None:
    grade, named = np.repeat([0.0, 1, 4], 4000), np.array([0, 12_000])
    new = flip_labels(grade, 1, generator(3), named=named, how="graded")
    for before, others in ((0, (1, 4)), (1, (0, 4)), (4, (0, 1))):
        now = new[grade == before]
        assert set(now) == set(others)
        # Both are as likely: 2,000 of 4,000, within what chance allows once in 10,000.
        low, high = stats.binom(4000, 0.5).ppf([5e-5, 1 - 5e-5])
        assert low <= (now == others[0]).sum() <= high


def test_where_all_labels_are_one_grade_there_are_two_still() -> None:
    ones, named = np.ones(6), np.array([0, 3, 6])
    assert flip_labels(ones, 1, generator(0), named=named, how="graded").tolist() == [0] * 6
    assert flip_labels(np.zeros(6), 1, generator(0), named=named, how="graded", rel=2).tolist() == [2] * 6


def test_every_label_is_as_likely_and_few_labels_have_their_share(size: Size) -> None:
    # Ten topics of one label and one of seven: at .3 each label is flipped in three of ten draws.
    grade, named = np.ones(17), np.concatenate([np.arange(11), [17]])
    flips = np.array([flip_labels(grade, 0.3, generator(5, draw), named=named) == 0 for draw in range(5 * size.draws)])
    low, high = stats.binom(len(flips), 0.3).ppf([1e-5, 1 - 1e-5])
    assert ((flips.sum(axis=0) >= low) & (flips.sum(axis=0) <= high)).all()
    assert set(flips[:, 10:].sum(axis=1)) == {2, 3}  # 2.1 of seven


def test_whole_shares_are_exact() -> None:
    grade, named = np.ones(60), np.array([0, 30, 40, 60])
    for draw in range(50):
        new = flip_labels(grade, 0.1, generator(0, draw), named=named)
        assert counts(new == 0, named) == [3, 1, 2]


@given(st.lists(st.integers(0, 12), min_size=1, max_size=5), st.integers(0, 99), st.sampled_from(["binary", "graded"]))
def test_a_larger_share_flips_the_same_labels_and_more(sizes: list[int], seed: int, how: How) -> None:
    grade, named = campaign(sizes, seed)
    before = grade
    for share in (0.0, 0.05, 0.2, 0.21, 0.5, 0.9, 1.0):
        new = flip_labels(grade, share, generator(seed), named=named, how=how)
        was = before != grade
        assert (new[was] == before[was]).all()
        before = new
    assert ((before != grade) == (grade >= 0)).all()


def test_draws_of_a_share_do_not_depend_on_the_others() -> None:
    assessed = assess_grades([[1, 0, 0, 2, 0, -1], [0, 1, 0, 0]], [[1, 0], [0] * 6])
    rows = list(flipped_grades(assessed, [0.25, 0.5], 3, seed=4, how="graded"))
    assert [(share, draw) for share, draw, _ in rows] == [(share, draw) for share in (0.25, 0.5) for draw in range(3)]
    alone = list(flipped_grades(assessed, [0.5], 2, seed=4, how="graded"))
    for (_, _, one), (_, _, other) in zip(rows[3:5], alone, strict=True):
        np.testing.assert_array_equal(one, other)
    assert any((one != other).any() for (_, _, one), (_, _, other) in pairwise(rows[3:]))
    elsewhere = [grade for *_, grade in flipped_grades(assessed, [0.5], 3, seed=5, how="graded")]
    assert any((a != b).any() for a, (_, _, b) in zip(elsewhere, rows[3:], strict=True))
    assert all((grade[assessed.grade < 0] < 0).all() for *_, grade in rows)
    relevant = assessed.with_grades(next(flipped_grades(assessed, [1], 1))[2]).relevant(1)
    # Every label turned round: four of the seven judged ones, and nine of ten, were not relevant.
    assert relevant.tolist() == [4, 9]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"share": 1.5}, "the share of wrong labels cannot be 1.5\nhint: give a share from 0 to 1, such as .05"),
        (
            {"share": float("nan")},
            "the share of wrong labels cannot be nan\nhint: give a share from 0 to 1, such as .05",
        ),
        ({"rel": 0}, "labels cannot be flipped at grade 0\nhint: a flipped label is 0: rel is above it"),
        ({"how": "soft"}, "how cannot be 'soft'\nhint: choose one of: binary, graded"),
        ({"side": "left"}, "side cannot be 'left'\nhint: choose one of: both, relevant, not relevant"),
        ({"draws": 0}, "there cannot be 0 draws\nhint: draw once or more"),
    ],
)
def test_refusals(options: dict[str, object], message: str) -> None:
    asked: dict[str, object] = {"share": 0.1, "draws": 1} | options
    share, draws = asked.pop("share"), asked.pop("draws")
    with pytest.raises(ParameterError) as caught:
        next(flipped_grades(assess_grades([[1, 0]]), [share], draws, **asked))  # type: ignore[arg-type,list-item]
    assert str(caught.value) == message
