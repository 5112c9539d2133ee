"""max-t against all flips and randomised Tukey against all permutations, written out; draws, threads and seeds."""

from functools import cache
from itertools import combinations, permutations, product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from cranfield.core import ParameterError
from cranfield.stats.multiple.joint_resampling import MaxT, RandomisedTukey
from cranfield.stats.pair_tests.base import TESTS, Alternative, Asked, Pairs, PairTest
from cranfield.stats.pair_tests.randomisation import Randomisation

Matrix = NDArray[np.float64]

NAN = float("nan")
ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")
SEEDS = 20  # a single one may be unlucky: the first is, by more than four standard errors
ROUNDING = 1e-9  # t that are as near as this are equal


def values(topics: int, runs: int, seed: int = 3) -> Matrix:
    """Some runs truly better than others."""
    return np.random.default_rng(seed).random((topics, runs)) + 0.1 * np.arange(runs)


def t_of(differences: Matrix, alternative: Alternative) -> Matrix:
    """(…, pair): t by its definition, over the second axis from the right; turned so that large is extreme."""
    n = differences.shape[-2]
    t = differences.mean(axis=-2) / (differences.std(axis=-2, ddof=1) / np.sqrt(n))
    return np.abs(t) if alternative == "two-sided" else t if alternative == "greater" else -t


@cache
def all_flips(topics: int) -> Matrix:
    return np.array(list(product((1.0, -1.0), repeat=topics)))


def flipped(pairs: Pairs, alternative: Alternative) -> tuple[Matrix, Matrix]:
    """(pair,), (flip, pair): t observed, and under every flip of topics."""
    d = pairs.values[:, pairs.b] - pairs.values[:, pairs.a]
    return t_of(d, alternative), t_of(all_flips(len(d))[:, :, None] * d, alternative)


def stepped_down(observed: Matrix, drawn: Matrix) -> Matrix:
    """Westfall and Young's step-down: each pair against the largest of those that are no more extreme."""
    p = np.empty(len(observed))
    highest = 0.0
    order = np.argsort(-observed, kind="stable")
    for i, pair in enumerate(order):
        largest = drawn[:, order[i:]].max(axis=1)
        highest = max(highest, (largest >= observed[pair] - ROUNDING).mean())
        p[pair] = highest
    return p


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("topics", "runs"), [(3, 3), (6, 4), (9, 2), (8, 20)])
def test_few_topics_have_every_flip_counted(topics: int, runs: int, alternative: Alternative) -> None:
    pairs = Pairs.every(values(topics, runs))
    observed, drawn = flipped(pairs, alternative)
    said = MaxT(alternative=alternative).compare(pairs, Asked())
    alone = (drawn >= observed - ROUNDING).mean(axis=0)
    together = (drawn.max(axis=1)[:, None] >= observed - ROUNDING).mean(axis=0)
    assert said.p == pytest.approx(alone, abs=1e-15)
    assert said.adjusted == pytest.approx(together, abs=1e-15)
    down = MaxT(alternative=alternative, step_down=True).compare(pairs, Asked())
    assert down.p == pytest.approx(alone, abs=1e-15)
    assert down.adjusted == pytest.approx(stepped_down(observed, drawn), abs=1e-15)
    assert said.notes()[0] == f"largest t of {len(pairs)} pairs, exact: all {2**topics} flips"
    assert down.notes()[0] == f"largest t of {len(pairs)} pairs, step-down, exact: all {2**topics} flips"


def test_t_and_effect_are_those_of_the_t_test() -> None:
    pairs = Pairs.every(values(30, 4))
    said = MaxT(draws=100).compare(pairs, Asked())
    for i, (a, b) in enumerate(zip(pairs.a, pairs.b, strict=True)):
        t = stats.ttest_rel(pairs.values[:, b], pairs.values[:, a]).statistic
        assert said.statistic[i] == pytest.approx(t)
        assert said.effect[i] == pytest.approx(t / np.sqrt(30))


@pytest.mark.parametrize("step_down", [False, True])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_draws_come_near_to_all_flips(alternative: Alternative, step_down: bool) -> None:
    drawn_values = np.random.default_rng(5).random((13, 8)) + 0.1 * np.array([0, 3, 1, 2, 0, 3, 1, 2])
    pairs = Pairs.every(drawn_values)
    exact = MaxT(alternative=alternative, step_down=step_down, draws=2**13).compare(pairs, Asked())
    test = MaxT(alternative=alternative, step_down=step_down, draws=2**13 - 1)
    drawn = [test.compare(pairs, Asked(seed=seed)) for seed in range(SEEDS)]
    assert "exact" in exact.note[0]
    assert all("8,191 draws" in said.note[0] for said in drawn)
    for name in ("p", "adjusted"):
        truth, found = getattr(exact, name), np.array([getattr(said, name) for said in drawn])
        assert len(set(truth.tolist())) > 10
        # Four standard errors of all draws together, and the one draw that is added each time.
        assert (
            np.abs(found.mean(axis=0) - truth) <= 4 * np.sqrt(truth * (1 - truth) / (SEEDS * 8191)) + 1 / 8191
        ).all()
        assert found.min() >= 1 / 8192


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_one_pair_has_the_p_of_the_randomisation_test(alternative: Alternative) -> None:
    # With Σd² fixed, t is as large as the mean is.
    pairs = Pairs.every(np.random.default_rng(1).integers(0, 30, (12, 2)) / 100)
    said = MaxT(alternative=alternative).compare(pairs, Asked())
    peer = Randomisation(alternative=alternative).compare(pairs, Asked())
    assert said.p == pytest.approx(peer.p, abs=1e-15)
    assert said.adjusted == pytest.approx(peer.p, abs=1e-15)


def test_step_down_never_finds_less() -> None:
    pairs = Pairs.every(values(40, 10))
    single, down = (MaxT(draws=2000, step_down=step).compare(pairs, Asked()) for step in (False, True))
    assert single.adjusted is not None
    assert down.adjusted is not None
    assert (down.adjusted <= single.adjusted).all()
    assert (down.adjusted < single.adjusted).any()
    assert np.array_equal(single.p, down.p)
    # A pair that is more extreme is no less certain.
    order = np.argsort(np.abs(down.statistic))
    assert (np.diff(down.adjusted[order]) <= 0).all()


def test_a_pair_that_varies_much_does_not_hide_the_others() -> None:
    # b is ahead of a by .01 to .03 in each of ten topics: |t| is as large as it can be in 2 of 2¹⁰ flips. The third run
    # differs by up to 5, and the largest difference of all would always be one of its.
    drawn = np.random.default_rng(2)
    a = drawn.random(10)
    runs = np.stack([a, a + drawn.uniform(0.01, 0.03, 10), drawn.uniform(-5, 5, 10)], axis=1)
    said = MaxT().compare(Pairs.every(runs), Asked())
    assert said.p[0] == 2 / 1024
    assert said.adjusted is not None
    assert said.adjusted[0] < 0.05


@pytest.mark.parametrize("draws", [100, 100_000])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_identical_runs_have_p_1(alternative: Alternative, draws: int) -> None:
    matrix = values(10, 4)
    matrix[:, 1] = matrix[:, 0] + 1 / 3 - 1 / 6 - (1 / 2 - 1 / 3)
    said = MaxT(alternative=alternative, draws=draws).compare(Pairs.every(matrix), Asked())
    assert said.adjusted is not None
    assert (said.p[0], said.adjusted[0], said.statistic[0], said.effect[0]) == (1.0, 1.0, 0.0, 0.0)
    assert not np.isnan(said.p).any()
    alone = MaxT(alternative=alternative, draws=draws).compare(Pairs.every(matrix[:, :2]), Asked())
    assert alone.adjusted is not None
    assert (alone.p.tolist(), alone.adjusted.tolist()) == ([1.0], [1.0])


def test_the_same_difference_everywhere_is_the_most_extreme() -> None:
    # t is infinite in 2 of 2⁷ flips, and no other pair reaches that.
    a = np.random.default_rng(1).random(7)
    said = MaxT().compare(Pairs.every(np.stack([a, a + 0.25, a[::-1]], axis=1)), Asked())
    assert said.statistic[0] == np.inf
    assert said.adjusted is not None
    assert (said.p[0], said.adjusted[0]) == (2 / 128, 2 / 128)


@pytest.mark.parametrize("test", [MaxT(), RandomisedTukey(draws=500)], ids=str)
def test_one_topic_says_nothing(test: PairTest) -> None:
    said = test.compare(Pairs.every(np.array([[0.1, 0.4]])), Asked())
    assert said.adjusted is not None
    assert said.adjusted.tolist() == [1.0]


@pytest.mark.parametrize("test", [MaxT(draws=500), RandomisedTukey(draws=500)], ids=str)
def test_topics_without_every_value_are_left_out(test: PairTest) -> None:
    matrix = values(30, 5)
    gaps = matrix.copy()
    gaps[[3, 7, 7], [0, 1, 2]] = NAN
    said = test.compare(Pairs.every(gaps), Asked())
    peer = test.compare(Pairs.every(np.delete(matrix, [3, 7], axis=0)), Asked())
    assert said.adjusted == pytest.approx(peer.adjusted, abs=0)
    assert set(said.n.tolist()) == {28}
    assert said.notes()[0] == peer.notes()[0] + "; without 2 topics in which some run has no value"
    gaps[:, 4] = NAN
    with pytest.raises(ParameterError, match="no topic in which every run has a value"):
        test.compare(Pairs.every(gaps), Asked())


@pytest.mark.parametrize(
    "test", [MaxT(draws=1000), MaxT(draws=1000, step_down=True), RandomisedTukey(draws=1000)], ids=str
)
def test_the_answer_is_the_same_on_one_thread_or_more(test: PairTest) -> None:
    pairs = Pairs.every(np.random.default_rng(7).random((300, 20)))
    one, *more = (test.compare(pairs, Asked(threads=k)) for k in (1, 2, 3))
    assert one.adjusted is not None
    assert len(set(one.adjusted.tolist())) > 20
    for other in more:
        assert np.array_equal(one.p, other.p, equal_nan=True)
        assert other.adjusted is not None
        assert np.array_equal(one.adjusted, other.adjusted)


@pytest.mark.parametrize(
    "test", [MaxT(draws=1000), MaxT(draws=1000, step_down=True), RandomisedTukey(draws=1000)], ids=str
)
def test_the_order_of_the_runs_makes_no_difference(test: PairTest) -> None:
    matrix, order = values(40, 6), [4, 0, 5, 2, 1, 3]
    pairs = list(combinations(range(6), 2))
    first = test.compare(Pairs.given(matrix, pairs), Asked())
    moved = [(order.index(a), order.index(b)) for a, b in pairs]
    other = test.compare(Pairs.given(matrix[:, order], moved), Asked())
    assert first.adjusted is not None
    assert other.adjusted is not None
    assert len(set(first.adjusted.tolist())) > 5
    assert np.array_equal(first.adjusted, other.adjusted)
    assert np.array_equal(first.p, other.p, equal_nan=True)


@pytest.mark.parametrize("test", [MaxT(draws=1000), RandomisedTukey(draws=1000)], ids=str)
def test_the_seed_decides(test: PairTest) -> None:
    pairs = Pairs.every(np.random.default_rng(7).random((40, 6)))
    first, again, other = (test.compare(pairs, Asked(seed=seed)).adjusted for seed in (1, 1, 2))
    assert first is not None
    assert again is not None
    assert other is not None
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_progress_is_told() -> None:
    seen: list[tuple[int, int]] = []
    RandomisedTukey(draws=600).compare(
        Pairs.every(values(20, 3)), Asked(progress=lambda done, total: seen.append((done, total)))
    )
    assert seen == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize("topics", [2, 3])
def test_randomised_tukey_comes_near_to_all_permutations(topics: int) -> None:
    # Tenths, so that ranges tie with differences; 6 permutations in each topic.
    whole = np.array([[1, 5, 9], [0, 4, 7], [3, 2, 6]])[:topics]
    pairs = Pairs.every(whole / 10)
    sums = [np.sum(rows, axis=0) for rows in product(*(list(permutations(row.tolist())) for row in whole))]
    ranges = np.array([total.max() - total.min() for total in sums])
    assert len(ranges) == 6**topics
    observed = np.abs(whole.sum(axis=0)[pairs.b] - whole.sum(axis=0)[pairs.a])
    truth = (ranges[:, None] >= observed).mean(axis=0)
    said = RandomisedTukey(draws=5000).compare(pairs, Asked())
    assert said.adjusted is not None
    assert (np.abs(said.adjusted - truth) <= 4 * np.sqrt(truth * (1 - truth) / 5000) + 1 / 5000).all()
    assert 0 < truth.min() < 1
    assert np.isnan(said.p).all()
    assert said.notes()[0] == "range of 3 means, 5,000 draws"
    assert said.statistic == pytest.approx((whole.mean(axis=0)[pairs.b] - whole.mean(axis=0)[pairs.a]) / 10)


def test_randomised_tukey_of_two_runs_is_the_randomisation_test() -> None:
    pairs = Pairs.every(np.random.default_rng(4).integers(0, 40, (25, 2)) / 100)
    truth = Randomisation(exact="always").compare(pairs, Asked()).p[0]
    said = RandomisedTukey().compare(pairs, Asked())
    assert said.adjusted is not None
    assert 0.01 < truth < 1
    assert abs(said.adjusted[0] - truth) <= 4 * np.sqrt(truth * (1 - truth) / 10_000) + 1e-4


def test_randomised_tukey_looks_at_all_runs_whatever_is_asked() -> None:
    matrix = values(30, 6)
    every = RandomisedTukey(draws=800).compare(Pairs.every(matrix), Asked())
    one = RandomisedTukey(draws=800).compare(Pairs.given(matrix, [(0, 1)]), Asked())
    assert every.adjusted is not None
    assert one.adjusted is not None
    assert one.adjusted[0] == every.adjusted[0]
    assert every.adjusted.min() >= 1 / 801


def test_randomised_tukey_permutes_large_matrices_in_parts() -> None:
    # 1,100 topics × 2 runs are more than are permuted at once; all values of b are one above those of a.
    a = np.random.default_rng(3).random(1100)
    said = RandomisedTukey(draws=300).compare(Pairs.every(np.stack([a, a + 1], axis=1)), Asked())
    assert said.adjusted is not None
    assert said.adjusted.tolist() == [1 / 301]
    # With one topic ahead and one behind every range reaches the difference of 0.
    same = RandomisedTukey(draws=300).compare(Pairs.every(np.stack([a, a[::-1]], axis=1)), Asked())
    assert same.adjusted is not None
    assert same.adjusted.tolist() == [1.0]


def test_randomised_tukey_has_two_sides() -> None:
    with pytest.raises(ParameterError, match="alternative='greater'"):
        RandomisedTukey(alternative="greater")  # type: ignore[arg-type]


def test_they_are_listed_and_correct_by_themselves() -> None:
    for name, cls in (("max-t", MaxT), ("randomised-tukey", RandomisedTukey)):
        assert TESTS[name] is cls
        assert (TESTS[name].joint, TESTS[name].family) == (True, "all pairs")


def test_topics_that_only_others_lack_stay_in_max_t() -> None:
    values = np.array([[0.1, 0.3, np.nan], [0.2, 0.5, 0.1], [0.3, 0.4, np.nan], [0.1, 0.6, 0.2]])
    asked = MaxT().compare(Pairs.given(values, [(0, 1)]), Asked())
    alone = MaxT().compare(Pairs.given(values[:, :2], [(0, 1)]), Asked())
    assert asked.n.tolist() == [4]
    assert asked.p.tolist() == alone.p.tolist() == [2 / 2**4]  # all four differences have one sign
    assert asked.adjusted is not None
    assert asked.adjusted.tolist() == [2 / 2**4]
