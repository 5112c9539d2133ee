"""The signed-rank test against scipy, against every sign by hand, and against published numbers."""

from fractions import Fraction
from itertools import product
from math import sqrt
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from scipy.special import ndtr

from cranfield.core import ParameterError, Scale
from cranfield.stats.pair_tests import signed_rank
from cranfield.stats.pair_tests.base import TESTS, Alternative, Answer, Asked, Pairs
from cranfield.stats.pair_tests.float_ties import mid_ranks
from cranfield.stats.pair_tests.signed_rank import SignedRank, exact_tails

Matrix = NDArray[np.float64]
Zeros = Literal["drop", "pratt"]

NAN = float("nan")
EXACT = 1e-12
ASKED = Asked()
ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")
ZEROS: tuple[Zeros, ...] = ("drop", "pratt")


def of(difference: list[int], level: float = ASKED.level, **parameters: Any) -> Answer:
    """One pair with these differences, in hundredths: 7 is 1.07 − 1."""
    b = 1 + np.array(difference) / 100
    pairs = Pairs.every(np.column_stack([np.ones(len(b)), b]))
    return SignedRank(**parameters).compare(pairs, Asked(level=level))


def ranked(difference: list[int], zeros: Zeros) -> tuple[list[float], list[int]]:
    """Ranks of the sizes, and signs, of the differences that are none."""
    kept = difference if zeros == "pratt" else [d for d in difference if d]
    ranks = stats.rankdata(np.abs(kept)).tolist() if kept else []
    return [r for r, d in zip(ranks, kept, strict=True) if d], [int(np.sign(d)) for d in kept if d]


def by_hand(difference: list[int], zeros: Zeros, alternative: Alternative) -> Fraction:
    """The p-value from every way to set the signs."""
    ranks, signs = ranked(difference, zeros)
    observed = sum(r for r, sign in zip(ranks, signs, strict=True) if sign > 0)
    sums = [sum(r for r, up in zip(ranks, ups, strict=True) if up) for ups in product((0, 1), repeat=len(ranks))]
    lower = Fraction(sum(s <= observed for s in sums), len(sums))
    upper = Fraction(sum(s >= observed for s in sums), len(sums))
    return {"less": lower, "greater": upper, "two-sided": min(Fraction(1), 2 * min(lower, upper))}[alternative]


@pytest.mark.parametrize("zeros", ZEROS)
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@given(difference=st.lists(st.integers(-4, 4), min_size=1, max_size=9))
def test_exact_p_counts_every_sign(difference: list[int], zeros: Zeros, alternative: Alternative) -> None:
    said = of(difference, zeros=zeros, alternative=alternative)
    ranks, signs = ranked(difference, zeros)
    ahead = sum(r for r, sign in zip(ranks, signs, strict=True) if sign > 0)
    assert said.p[0] == float(by_hand(difference, zeros, alternative))  # multiples of 2^-n are floats
    assert (said.n[0], said.statistic[0]) == (len(ranks), ahead)
    assert said.effect[0] == pytest.approx((2 * ahead - sum(ranks)) / max(1, sum(ranks)), abs=EXACT)  # kerby2014


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_with_ties_it_is_the_permutation_test_of_scipy(alternative: Alternative) -> None:
    difference = np.array([3, 3, -1, 5, 5, 5, -2, 2, 7, -7, 4, 1])

    def ahead(d: Matrix, axis: int = -1) -> Matrix:
        return (stats.rankdata(np.abs(d), axis=axis) * (d > 0)).sum(axis=axis)

    peer = stats.permutation_test(
        (difference,), ahead, permutation_type="samples", n_resamples=2**12, alternative=alternative, vectorized=True
    )
    said = of(difference.tolist(), alternative=alternative)
    assert said.p[0] == pytest.approx(peer.pvalue, abs=EXACT)
    assert said.statistic[0] == peer.statistic


@pytest.mark.parametrize("n", [1, 2, 5, 20, 50])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_without_ties_it_is_scipys_exact_test(n: int, alternative: Alternative) -> None:
    drawn = np.random.default_rng(n)
    for _ in range(5):
        difference = drawn.permutation(n) + 1
        difference[drawn.random(n) < 0.35] *= -1
        peer = stats.wilcoxon(difference, alternative=alternative, method="exact")
        assert of(difference.tolist(), alternative=alternative).p[0] == pytest.approx(peer.pvalue, rel=1e-10)


@pytest.mark.parametrize("continuity", [True, False])
@pytest.mark.parametrize("zeros", ZEROS)
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_the_normal_form_is_scipys(zeros: Zeros, continuity: bool, alternative: Alternative) -> None:
    drawn = np.random.default_rng(5)
    method: Literal["wilcox", "pratt"] = "wilcox" if zeros == "drop" else "pratt"
    for topics in (8, 60, 200):
        difference = drawn.integers(-9, 12, topics)  # ties and zeros
        peer = stats.wilcoxon(
            difference, zero_method=method, correction=continuity, alternative=alternative, method="approx"
        )
        said = of(difference.tolist(), zeros=zeros, continuity=continuity, alternative=alternative, exact="never")
        assert said.p[0] == pytest.approx(peer.pvalue, abs=EXACT)


def test_the_normal_form_by_hand() -> None:
    # Sizes 1 1 2 3: ranks 1.5 1.5 3 4, W+ = 1.5 + 3 + 4, variance (1.5² + 1.5² + 3² + 4²)/4.
    away, deviation = 8.5 - 5, sqrt((2.25 + 2.25 + 9 + 16) / 4)
    plain = of([1, -1, 2, 3], exact="never")
    assert (plain.n[0], plain.statistic[0], plain.effect[0]) == (4, 8.5, pytest.approx((8.5 - 1.5) / 10))
    assert plain.p[0] == pytest.approx(2 * ndtr(-away / deviation))
    assert of([1, -1, 2, 3], exact="never", continuity=True).p[0] == pytest.approx(2 * ndtr(-(away - 0.5) / deviation))


def test_exact_up_to_50_topics_that_differ() -> None:
    fifty = list(range(1, 51))
    up = [d if d % 3 else -d for d in fifty]
    exact, normal = of([*up, 0, 0, 0]), of([*up, 51])
    assert exact.n[0] == 50
    assert exact.notes() == ("W+ is the rank sum where b has the higher value; zeros dropped; exact given the ties",)
    assert exact.p[0] == pytest.approx(stats.wilcoxon(up, method="exact").pvalue, rel=1e-10)
    assert normal.p[0] == pytest.approx(stats.wilcoxon([*up, 51], method="approx").pvalue, rel=1e-10)
    normally = "normal with the variance of tied ranks, without continuity"
    assert normal.notes() == (f"W+ is the rank sum where b has the higher value; zeros dropped; {normally}",)
    forced = of([*up, 51], exact="always", zeros="pratt")
    assert forced.p[0] == pytest.approx(stats.wilcoxon([*up, 51], method="exact").pvalue, rel=1e-10)
    assert forced.notes() == (
        "W+ is the rank sum where b has the higher value; zeros ranked, then dropped; exact given the ties",
    )
    assert of(up, exact="never", continuity=True).notes()[0].endswith("with continuity")


def test_the_smallest_p_of_50_topics() -> None:
    assert of(list(range(1, 51))).p[0] == 2 / 2**50
    assert of(list(range(1, 51)), alternative="less").p[0] == 1


def test_exact_over_many_topics_is_asked_for() -> None:
    drawn = np.random.default_rng(2)
    difference = drawn.permutation(250) + 1
    difference[drawn.random(250) < 0.45] *= -1
    peer = stats.wilcoxon(difference, method="exact")
    assert of(difference.tolist(), exact="always").p[0] == pytest.approx(peer.pvalue, rel=1e-9)
    with pytest.raises(ParameterError, match="signed-rank cannot be exact over 501 topics") as refused:
        of(list(range(1, 502)), exact="always")
    assert refused.value.hint == "it can be up to 500 topics; exact='auto' is up to 50, and normal above"


def test_numbers_equal_as_decimals_share_a_rank() -> None:
    # ½ − ⅓ and ⅓ − ⅙ are both ⅙; as floats they differ. With 1/12 below: ranks 2.5, 2.5 and 1.
    a, b = [1 / 3, 1 / 3, 0.0], [1 / 2, 1 / 6, 1 / 12]
    assert b[0] - a[0] != a[1] - b[1]
    said = SignedRank().compare(Pairs.every(np.array([a, b]).T), ASKED)
    assert (said.statistic[0], said.p[0]) == (3.5, 1)
    assert said.effect[0] == pytest.approx(1 / 6)


def test_pratt_ranks_zeros_first() -> None:
    # pratt1959: with two zeros the sizes 1, 2, 3 have ranks 3, 4, 5; without them 1, 2, 3.
    assert of([0, 0, 1, -2, 3], zeros="pratt").statistic[0] == 3 + 5
    assert of([0, 0, 1, -2, 3]).statistic[0] == 1 + 3
    # Up to 5 are {}, {3}, {4}, {5} of the ranks 3, 4, 5; up to 3 are {}, {1}, {2}, {3}, {1, 2} of 1, 2, 3.
    assert of([0, 0, -1, -2, 3], zeros="pratt", alternative="less").p[0] == 4 / 8
    assert of([0, 0, -1, -2, 3], alternative="less").p[0] == 5 / 8


@pytest.mark.parametrize("exact", ["auto", "always", "never"])
@pytest.mark.parametrize("zeros", ZEROS)
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_identical_runs_have_p_1(
    exact: Literal["auto", "always", "never"], zeros: Zeros, alternative: Alternative
) -> None:
    said = of([0, 0, 0], exact=exact, zeros=zeros, alternative=alternative, continuity=True)
    assert (said.n[0], said.statistic[0], said.p[0], said.effect[0]) == (0, 0, 1, 0)
    assert said.notes() == ("identical in every topic: p is 1",)


def test_one_topic_has_p_1() -> None:
    assert of([5]).p[0] == 1
    assert of([5], alternative="greater").p[0] == 0.5


def missing(topics: int = 40) -> Matrix:
    """Hundredths with ties; some values are missing, in other topics for each run; two runs are identical."""
    drawn = np.random.default_rng(4)
    made = drawn.integers(0, 30, (topics, 6)) / 100
    made[drawn.random(made.shape) < 0.2] = NAN
    made[:, 5] = made[:, 2]
    made[:, 4] = made[:, 0] + drawn.permutation(topics) / 100 + 0.01  # no ties
    return made


@pytest.mark.parametrize("zeros", ZEROS)
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("cells", [1, 3000, 300_000])
def test_each_pair_by_itself_gives_the_same(
    zeros: Zeros, alternative: Alternative, cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signed_rank, "CELLS", cells)  # tails in one part or in many
    matrix, test = missing(), SignedRank(zeros=zeros, alternative=alternative)
    pairs = Pairs.every(matrix)
    together = test.compare(pairs, ASKED)
    for i, (a, b) in enumerate(zip(pairs.a, pairs.b, strict=True)):
        hundredths = np.rint(100 * (matrix[:, b] - matrix[:, a]))
        alone = of(hundredths[~np.isnan(hundredths)].astype(int).tolist(), zeros=zeros, alternative=alternative)
        for name in ("n", "statistic", "p", "effect"):
            assert getattr(together, name)[i] == getattr(alone, name)[0]
        assert together.notes()[i] == alone.notes()[0]


def test_without_a_common_topic_there_is_no_p() -> None:
    said = SignedRank().compare(Pairs.every(np.array([[0.1, NAN], [NAN, 0.2]])), ASKED)
    assert said.n.tolist() == [0]
    assert np.isnan([said.statistic, said.p, said.effect]).all()
    assert said.notes() == ("no topic in which both have a value",)


def test_pairs_with_few_and_many_topics_side_by_side() -> None:
    drawn = np.random.default_rng(6)
    matrix = drawn.permutation(210).reshape(70, 3) / 100
    matrix[30:, 2] = NAN
    said = SignedRank().compare(Pairs.every(matrix), ASKED)
    for i, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
        hundredths = np.rint(100 * (matrix[:, b] - matrix[:, a]))
        alone = of(hundredths[~np.isnan(hundredths)].astype(int).tolist())
        assert (said.n[i], said.p[i], said.notes()[i]) == (alone.n[0], alone.p[0], alone.notes()[0])
    assert [note.rsplit("; ")[-1][:6] for note in said.notes()] == ["normal", "exact ", "exact "]


def test_tails_of_ranks_that_are_shared() -> None:
    # Ranks 1, 2, 3: the sums 0 to 6 have 1 1 1 2 1 1 1 of 8 ways.
    ahead = np.arange(7.0)
    lower, upper, _ = exact_tails(np.tile([3.0, 0.0, 1.0, 2.0], (7, 1)), ahead)
    assert (8 * lower).tolist() == [1, 2, 3, 5, 6, 7, 8]
    assert (8 * upper).tolist() == [8, 7, 6, 5, 3, 2, 1]


def test_parameters_are_refused() -> None:
    with pytest.raises(ParameterError, match="signed-rank cannot have zeros='split'") as refused:
        SignedRank(zeros="split")  # type: ignore[arg-type]
    assert refused.value.hint == "zeros is 'drop' or 'pratt'"
    with pytest.raises(ParameterError, match="signed-rank cannot have exact=True"):
        SignedRank(exact=True)  # type: ignore[arg-type]


def test_what_is_declared() -> None:
    assert TESTS["wilcoxon"] is TESTS["signed-rank"] is SignedRank
    assert SignedRank.requires is Scale.INTERVAL
    assert str(SignedRank(zeros="pratt")) == "signed-rank(zeros='pratt')"


def trec8(folder: Path) -> Matrix:
    return np.loadtxt(folder / "score-matrices" / "adhoc8_ap.csv", delimiter=",", skiprows=1)


def test_the_number_published_with_the_matrix_of_trec_8(shared_data: Path) -> None:
    # The index of the data gives .003445188 for columns 125 and 126: continuity, and ties of differences as floats have
    # them. We find the ties of the four decimals, in any unit.
    matrix = trec8(shared_data)[:, 124:126]
    test = SignedRank(exact="never", continuity=True)
    published = stats.wilcoxon(matrix[:, 1] - matrix[:, 0], correction=True, method="approx")
    assert published.pvalue == pytest.approx(0.003445188, abs=5e-10)
    whole = np.rint(10_000 * matrix)  # the decimals themselves
    peer = stats.wilcoxon(whole[:, 1] - whole[:, 0], correction=True, method="approx")
    assert peer.pvalue != pytest.approx(0.003445188, rel=1e-3)
    for factor in (1.0, 2.0**40, 1e4, 1e-12, 1e-300):
        assert test.compare(Pairs.every(matrix * factor), ASKED).p[0] == pytest.approx(peer.pvalue, rel=1e-10)


def test_ties_of_differences_are_those_of_the_decimals_in_all_pairs_of_trec_8(shared_data: Path) -> None:
    matrix = trec8(shared_data)
    exact, floats = Pairs.every(np.rint(10_000 * matrix)), Pairs.every(matrix)
    expected = stats.rankdata(np.abs(exact.values[:, exact.b] - exact.values[:, exact.a]).T, axis=1)
    np.testing.assert_array_equal(mid_ranks(np.abs(floats.difference), floats.scale), expected)
    np.testing.assert_array_equal(floats.difference == 0, exact.values[:, exact.b].T == exact.values[:, exact.a].T)


def test_all_pairs_of_trec_8(shared_data: Path) -> None:
    matrix = trec8(shared_data)
    pairs = Pairs.every(matrix)
    said = SignedRank().compare(pairs, ASKED)
    assert len(said.p) == 8256
    identical = (matrix[:, pairs.a] == matrix[:, pairs.b]).all(axis=0)
    assert said.p[identical].tolist() == [1, 1]
    whole = np.rint(10_000 * matrix).astype(int)
    difference = whole[:, pairs.b] - whole[:, pairs.a]
    size = np.abs(difference)
    size.sort(axis=0)
    plain = np.flatnonzero((np.diff(size, axis=0) > 0).all(axis=0) & (size[0] > 0))
    assert len(plain) > 50  # neither ties nor zeros: scipy is exact too
    for pair in plain[:50]:
        peer = stats.wilcoxon(difference[:, pair], method="exact")
        assert said.p[pair] == pytest.approx(peer.pvalue, rel=1e-9)
    normal = SignedRank(exact="never").compare(pairs, ASKED)
    far = ~identical & (said.n >= 30)
    assert np.abs(said.p - normal.p)[far].max() < 0.01  # two ways to one p


def walsh(difference: list[int]) -> Matrix:
    d = np.array(difference) / 100
    return np.sort([(d[i] + d[j]) / 2 for i in range(len(d)) for j in range(i, len(d))])


@pytest.mark.parametrize("parameters", [{}, {"zeros": "pratt"}, {"exact": "never"}, {"continuity": True}])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@given(
    difference=st.integers(0, 3).flatmap(
        lambda size: st.lists(st.integers(-(6**size) // 2, 6**size), min_size=2, max_size=60)
    ),
    level=st.sampled_from([0.05, 0.01, 0.2, 0.05 / 45]),
)
def test_the_interval_excludes_0_where_p_is_significant_and_encloses_it_otherwise(
    difference: list[int], level: float, alternative: Alternative, parameters: dict[str, Any]
) -> None:
    answer = of(difference, level, alternative=alternative, **parameters)
    low, high, estimate = interval_of(answer)
    significant = answer.p[0] <= level
    if np.isnan([low, high]).all():
        assert not significant
        return
    assert not (low > 0 or high < 0) or significant  # strictly outside: significant
    assert not (not low >= 0 and not high <= 0) or not significant  # strictly inside, an open end included
    assert not low > estimate + EXACT
    assert not high < estimate - EXACT


def interval_of(answer: Answer) -> tuple[float, float, float]:
    assert answer.low is not None
    assert answer.high is not None
    assert answer.estimate is not None
    return float(answer.low[0]), float(answer.high[0]), float(answer.estimate[0])


@pytest.mark.parametrize("topics", [6, 9, 14])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_the_interval_holds_the_shifts_that_scipy_does_not_reject(topics: int, alternative: Alternative) -> None:
    # Powers of −1.5: no two sizes and no two Walsh averages are equal.
    difference = [int(d) for d in (-1.5) ** np.arange(1, topics + 1) * 97]
    averages = walsh(difference)
    shifts = np.concatenate([[averages[0] - 1], (averages[1:] + averages[:-1]) / 2, [averages[-1] + 1]])
    d = np.array(difference) / 100
    accepted = [
        theta
        for theta in shifts
        if stats.wilcoxon(d - theta, alternative=alternative, method="exact").pvalue > ASKED.level
    ]
    low, high, estimate = interval_of(of(difference, alternative=alternative))
    # Shifts lie between Walsh averages: the ends are the averages next to the outermost shifts that are accepted.
    below, above = averages[averages < min(accepted)], averages[averages > max(accepted)]
    assert np.isnan(low) if alternative == "less" else low == pytest.approx(below[-1], abs=EXACT)
    assert np.isnan(high) if alternative == "greater" else high == pytest.approx(above[0], abs=EXACT)
    assert estimate == pytest.approx(float(np.median(averages)), abs=EXACT)


def test_zeros_are_in_the_estimate_only_where_they_are_ranked() -> None:
    # Without zeros the Walsh averages are 2, 3, 4 and 4, 5, 6 of (2, 4, 6); a zero adds 0, 1, 2, 3.
    difference = [0, 2, 4, 6]
    assert interval_of(of(difference))[2] == pytest.approx(0.04, abs=EXACT)
    assert interval_of(of(difference, zeros="pratt"))[2] == pytest.approx(0.03, abs=EXACT)


def test_too_few_topics_have_no_finite_interval() -> None:
    # Five signs have 32 ways: the smallest two-sided p is 1/16.
    low, high, estimate = interval_of(of([1, 2, 3, 4, 5]))
    assert np.isnan([low, high]).all()
    assert estimate == pytest.approx(0.03, abs=EXACT)
    low, high, _ = interval_of(of([1, 2, 3, 4, 5, 6]))
    assert (low, high) == pytest.approx((0.01, 0.06), abs=EXACT)  # 1/32 is below .05: only the extreme sum is
    assert interval_of(of([0, 0, 0])) == (0, 0, 0)
