"""Every test on every pair of every measure: which pairs, which families, which tables."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pytest
from scipy import stats

from cranfield.core import Direction, ParameterError, Provenance, Table
from cranfield.data import Values, read_scores
from cranfield.data.values.value_cube import Given
from cranfield.stats import (
    Asked,
    BayesSignedRank,
    BCa,
    BenjaminiHochberg,
    Bonferroni,
    Bootstrap,
    Correction,
    Equivalence,
    Hochberg,
    Holm,
    Interval,
    MaxT,
    Nemenyi,
    PairTest,
    Randomisation,
    RandomisedTukey,
    Sign,
    SignedRank,
    T,
    TInterval,
    Tukey,
    Uncorrected,
    achieved_table,
    beliefs_table,
    change,
    choose_pairs,
    compare_pairs,
    effects_table,
    norms_of,
    summary_table,
    swaps_table,
)
from cranfield.stats import Tested as Outcome  # pytest takes what is called test for one
from cranfield.stats import tests_table as table_of_tests
from cranfield.stats.estimates.value_transforms import ZScore

NAN = float("nan")
BASE = {"topic": ["1", "2", "3", "4", "5"], "a": [0.1, 0.2, 0.3, 0.4, 0.5]}
SCORES: dict[str, Any] = BASE | {"b": [0.2, 0.2, 0.5, 0.4, 0.9], "c": [0.0, 0.1, 0.1, 0.1, 0.0]}
ROWS = [
    "a",
    "b",
    "measure",
    "test",
    "n",
    "difference",
    "estimate",
    "statistic",
    "p",
    "p_adjusted",
    "effect",
    "low",
    "high",
    "note",
]


def scores(**runs: Sequence[float]) -> Values:
    """Values of runs; NaN where the topic does not count for the run."""
    there = {run: [0.0 if value != value else value for value in values] for run, values in runs.items()}
    found = read_scores(there)
    return replace(found, counted=np.array([[value == value for value in values] for values in runs.values()]))


def told(table: Table) -> list[dict[str, Any]]:
    """The rows."""
    return table.rows()


def two_measures() -> Values:
    """The same runs by two measures: as they are, and turned round."""
    one = read_scores(SCORES)
    return replace(one, measures=(Given("up"), Given("down")), cube=np.concatenate([one.cube, -one.cube], axis=2))


def compare(values: Values, *tests: PairTest, correction: Correction | None = None, **options: Any) -> list[Outcome]:
    """All pairs."""
    return compare_pairs(values, tests, choose_pairs(values), correction=correction or Holm(), **options)


# Which pairs


def test_all_pairs_come_in_the_order_of_runs() -> None:
    values = read_scores(SCORES)
    assert choose_pairs(values) == list(combinations(range(3), 2))
    assert choose_pairs(values, baseline="b") == [(1, 0), (1, 2)]
    assert choose_pairs(values, [("c", "a"), ("a", "c"), ("c", "a")]) == [(2, 0), (0, 2)]


@pytest.mark.parametrize(
    ("given", "problem", "hint"),
    [
        ({"pairs": [("a", "b")], "baseline": "a"}, "pairs are given, and a baseline too", "leave one of them out"),
        (
            {"pairs": ("a", "b")},
            "a pair is two names of runs",
            "give a list of them: [('a', 'b'), ('a', 'c')]",
        ),
        (
            {"pairs": [("a", "b", "c")]},
            "a pair is two names of runs",
            "give a list of them: [('a', 'b'), ('a', 'c')]",
        ),
        ({"pairs": [("a", "a")]}, "a would be compared with itself", "name two different runs"),
        ({"pairs": [("a", "x")]}, "there is no run named x", "there are: a, b, c"),
        ({"baseline": "x"}, "there is no run named x", "there are: a, b, c"),
    ],
)
def test_pairs_that_are_none(given: dict[str, Any], problem: str, hint: str) -> None:
    with pytest.raises(ParameterError) as caught:
        choose_pairs(read_scores(SCORES), **given)
    assert (caught.value.problem, caught.value.hint) == (problem, hint)


@pytest.mark.parametrize("baseline", [None, "a"])
def test_one_run_has_no_pair(baseline: str | None) -> None:
    with pytest.raises(ParameterError) as caught:
        choose_pairs(read_scores(BASE), baseline=baseline)
    assert (caught.value.problem, caught.value.hint) == (
        "there is only one run",
        "a comparison needs two runs or more",
    )


# Which family


def test_the_family_is_the_pairs_of_one_test_and_measure() -> None:
    found = compare(two_measures(), T(), Sign())
    assert [(one.measure, one.test.name) for one in found] == [(m, t) for m in ("up", "down") for t in ("t", "sign")]
    for one in found:
        np.testing.assert_array_equal(one.adjusted, Holm().adjust(one.answer.p))
        assert (one.family, one.size) == ("holm over 3 tests", 3)


def test_the_family_of_all_measures() -> None:
    up_t, up_sign, down_t, down_sign = compare(two_measures(), T(), Sign(), family="measures")
    for one, other in ((up_t, down_t), (up_sign, down_sign)):
        together = Holm().adjust(np.concatenate([one.answer.p, other.answer.p]))
        assert [*one.adjusted, *other.adjusted] == together.tolist()
        assert one.family == other.family == "holm over 6 tests"


def test_the_family_of_all() -> None:
    found = compare(two_measures(), T(), Sign(), Tukey(), family="all", correction=BenjaminiHochberg())
    alone = [one for one in found if not one.test.joint]
    p = np.concatenate([one.answer.p for one in alone])
    adjusted = np.concatenate([one.adjusted for one in alone])
    np.testing.assert_allclose(adjusted, stats.false_discovery_control(p), rtol=1e-12)
    assert {one.family for one in alone} == {"bh over 12 tests"}
    (up, down) = (one for one in found if one.test.joint)
    assert up.family == down.family == "corrected by itself"
    assert up.answer.adjusted is not None
    assert up.adjusted.tolist() == up.answer.adjusted.tolist()


def test_what_has_no_chance_is_in_no_family() -> None:
    values = scores(a=[0.1, 0.2, NAN, NAN], b=[0.3, 0.1, NAN, NAN], c=[NAN, NAN, 0.2, 0.4])
    (one,) = compare(values, T(), correction=Bonferroni())
    assert np.isnan(one.adjusted).tolist() == [False, True, True]
    assert one.adjusted[0] == one.answer.p[0]  # times 1
    assert one.family == "bonferroni over 1 test"
    assert one.without_p() == ["no topic in which both have a value"] * 2


@pytest.mark.parametrize(
    ("given", "problem", "hint"),
    [
        ({"family": "runs"}, "family cannot be 'runs'", "choose one of: pairs, measures, all"),
        ({"aggregate": "max"}, "aggregate cannot be 'max'", "choose one of: mean, median"),
        ({"aggregate": "median", "interval": BCa()}, "bca is an interval of means", "leave it out, or the median"),
    ],
)
def test_what_cannot_be_asked(given: dict[str, Any], problem: str, hint: str) -> None:
    with pytest.raises(ParameterError) as caught:
        compare(read_scores(SCORES), T(), **given)
    assert (caught.value.problem, caught.value.hint) == (problem, hint)


# Which difference


def test_differences_of_means_and_of_medians() -> None:
    (mean,) = compare(read_scores(SCORES), T())
    (median,) = compare(read_scores(SCORES), T(), aggregate="median")
    assert mean.difference == pytest.approx([0.44 - 0.3, 0.06 - 0.3, 0.06 - 0.44])
    assert median.difference == pytest.approx([0.4 - 0.3, 0.1 - 0.3, 0.1 - 0.4])
    assert median.answer.p.tolist() == mean.answer.p.tolist()
    assert mean.answer.low is not None
    assert median.answer.low is median.answer.high is None  # t has an interval of means alone


def test_medians_of_the_topics_of_both() -> None:
    values = scores(
        a=[0.1, 0.2, NAN, 0.9], b=[0.1 + 0.2, NAN, 0.7, 0.9], c=[NAN, 0.5, NAN, NAN], d=[0.3, 0.5, 0.5, 0.9]
    )
    (one,) = compare(values, Sign(), aggregate="median")
    # a and b: 1, 4; a and c: 2; a and d: 1, 2, 4; b and c: none; b and d: 1, 3, 4, equal as decimals; c and d: 2
    expected = [0.6 - 0.5, 0.5 - 0.2, 0.5 - 0.2, NAN, 0.5 - 0.7, 0.0]
    np.testing.assert_allclose(one.difference, expected, atol=1e-15)
    assert one.difference[5] == 0


def test_medians_equal_as_decimals_are_equal() -> None:
    (one,) = compare(scores(a=[0.3, 0.1, 0.5], b=[0.1 + 0.2, 0.3 - 0.1, 0.9]), T(), aggregate="median")
    assert one.difference.tolist() == [0.0]


def test_joint_tests_differ_where_every_run_has_a_value() -> None:
    values = scores(a=[0.1, 0.2, 0.3, 0.8], b=[0.2, 0.4, 0.4, NAN], c=[0.3, 0.3, NAN, 0.1])
    alone, together = compare(values, T(), Tukey())
    assert alone.difference == pytest.approx([0.4 / 3, (0.2 + 0.1 - 0.7) / 3, 0.0])
    assert alone.answer.n.tolist() == [3, 3, 2]
    assert together.difference == pytest.approx([0.15, 0.15, 0.0])  # topics 1 and 2
    assert together.answer.n.tolist() == [2, 2, 2]
    assert together.answer.low is not None
    assert together.answer.high is not None
    assert together.difference == pytest.approx((together.answer.low + together.answer.high) / 2)


def test_places_decide_where_floats_cannot() -> None:
    values = scores(a=[0.5] * 4, b=[0.5] * 4)
    order = np.array([[1.0, 1, 1, 2], [2, 2, 2, 1]])[:, :, None]
    sign, t, nemenyi = compare(replace(values, order=order), Sign(), T(), Nemenyi())
    assert (sign.answer.n.tolist(), sign.answer.statistic.tolist()) == ([4], [3])
    assert sign.answer.p[0] == pytest.approx(2 * (comb(4, 3) + 1) / 2**4)
    assert t.answer.p.tolist() == [1.0]
    assert nemenyi.answer.effect.tolist() == [0.5]  # mean ranks 1.75 and 1.25


# Which interval


def test_an_interval_takes_the_place_of_that_of_its_test() -> None:
    values = read_scores(SCORES)
    asked = Asked(level=0.1, seed=3)
    (one,) = compare(values, Bootstrap(draws=200), asked=asked, interval=BCa(draws=200))
    low, high = BCa(draws=200).of(one.pairs, replace(asked, level=0.1 / 3))  # three pairs
    assert one.answer.low is not None
    assert one.answer.high is not None
    assert (one.answer.low.tolist(), one.answer.high.tolist()) == (low.tolist(), high.tolist())
    assert all(note.endswith("; bca interval") for note in one.answer.note)


@pytest.mark.parametrize(
    ("tests", "interval", "hint"),
    [
        ([T(), Sign()], TInterval(), "--interval t needs -t t"),
        ([T()], BCa(), "--interval bca needs -t bootstrap"),
        ([Bootstrap()], TInterval(), "--interval t needs -t t"),
        ([Bootstrap(alternative="less")], BCa(), "leave out the interval or the alternative"),
    ],
    ids=str,
)
def test_an_interval_of_another_method_is_refused(tests: list[PairTest], interval: Interval, hint: str) -> None:
    with pytest.raises(ParameterError) as refused:
        compare(read_scores(SCORES), *tests, interval=interval)
    assert refused.value.hint == hint


@pytest.mark.parametrize("correction", [Holm(), Bonferroni(), BenjaminiHochberg()], ids=str)
def test_intervals_are_corrected_for_the_same_family_as_p(correction: Correction) -> None:
    values = read_scores(SCORES)
    one, sign = compare(values, T(), Sign(), correction=correction)
    pairs = one.pairs
    for i, (a, b) in enumerate(zip(pairs.a, pairs.b, strict=True)):
        peer = stats.ttest_rel(pairs.values[:, b], pairs.values[:, a])
        assert one.answer.low is not None
        assert one.answer.high is not None
        ends = peer.confidence_interval(1 - 0.05 / 3)
        assert (one.answer.low[i], one.answer.high[i]) == pytest.approx(tuple(ends))
    assert (one.interval_level, sign.interval_level) == pytest.approx((0.05 / 3, 0.05 / 3))
    assert one.confidence == "98.3%"
    (all_tests, _) = compare(values, T(), Sign(), correction=correction, family="all")
    assert all_tests.interval_level == pytest.approx(0.05 / 6)
    (raw,) = compare(values, T(), correction=Uncorrected())
    assert (raw.interval_level, raw.confidence) == (0.05, "95%")


def test_pairs_without_p_are_not_in_the_family_of_intervals() -> None:
    # The first pair has two topics, the second only one, and t has no p there; the third has none at all.
    values = scores(a=[0.1, 0.2, 0.3], b=[0.4, 0.1, NAN], c=[NAN, 0.9, NAN], d=[NAN, NAN, 0.5])
    (one,) = compare_pairs(values, [T()], [(0, 1), (0, 2), (1, 3)], correction=Holm())
    assert (one.size, one.interval_level) == (1, 0.05)
    peer = stats.ttest_rel([0.4, 0.1], [0.1, 0.2]).confidence_interval(0.95)
    assert one.answer.low is not None
    assert one.answer.low[0] == pytest.approx(peer.low)


def test_the_estimate_is_that_of_the_test_and_the_interval_encloses_it() -> None:
    values = read_scores(SCORES)
    t, sign, signed_rank = compare(values, T(), Sign(), SignedRank(), aggregate="median")
    # b − a is .1, 0, .2, 0, .4: three wins of five; Walsh averages of .1, .2, .4 are .1 .15 .2 .25 .3 .4.
    assert t.estimate[0] == pytest.approx(0.14)
    assert sign.estimate[0] == pytest.approx(0.6)
    assert signed_rank.estimate[0] == pytest.approx(0.225)
    assert t.answer.low is None  # the difference shown is one of medians
    assert sign.answer.low is not None
    assert sign.answer.high is not None
    assert (sign.answer.low <= sign.estimate).all()
    assert (sign.answer.high >= sign.estimate).all()


def test_a_row_says_where_holm_and_the_bonferroni_interval_disagree() -> None:
    # Holm divides the level by 1 for the larger p, Bonferroni by 2 for both: t is 3.2 and 2.2 with 19 degrees.
    noise = np.tile([-1.0, 1.0], 10)
    error = noise.std(ddof=1) / np.sqrt(20)
    values = scores(a=[0.0] * 20, b=(noise + 3.2 * error).tolist(), c=(noise + 2.2 * error).tolist())
    (one,) = compare_pairs(values, [T()], [(0, 1), (0, 2)], correction=Holm())
    p = [2 * float(stats.t.sf(t, 19)) for t in (3.2, 2.2)]
    assert one.adjusted == pytest.approx([2 * p[0], p[1]])
    assert p[1] < 0.05 < 2 * p[1]
    assert (one.only_p.tolist(), one.only_interval.tolist()) == ([False, True], [False, False])
    first, second = one.notes()
    assert first.endswith("holm over 2 tests; 97.5% Bonferroni interval")
    assert second.endswith("97.5% Bonferroni interval; the interval contains 0")


# Too few draws


def random_scores(runs: int = 4, topics: int = 30) -> Values:
    values = np.random.default_rng(5).random((runs, topics))
    return scores(**{f"r{i}": row.tolist() for i, row in enumerate(values)})


@pytest.mark.parametrize(
    ("test", "correction", "level", "short"),
    [
        (Bootstrap(draws=118), Holm(), 0.05, True),  # 6 / 119 = .0504
        (Bootstrap(draws=119), Holm(), 0.05, False),  # 6 / 120
        (Bootstrap(draws=119), Bonferroni(), 0.05, False),
        (Bootstrap(draws=119), Bonferroni(), 0.049, True),
        (Bootstrap(draws=18), BenjaminiHochberg(), 0.05, True),  # 1 / 19, if all pairs are as certain
        (Bootstrap(draws=19), BenjaminiHochberg(), 0.05, False),
        (Bootstrap(draws=19), Hochberg(), 0.05, False),
        (Randomisation(draws=50, exact="never"), Holm(), 0.05, True),
        (MaxT(draws=18), Holm(), 0.05, True),
        (MaxT(draws=19), Holm(), 0.05, False),
        (RandomisedTukey(draws=18), Holm(), 0.05, True),
        (T(), Holm(), 1e-300, False),
    ],
    ids=str,
)
def test_whether_draws_can_reach_a_level(test: PairTest, correction: Correction, level: float, short: bool) -> None:
    (one,) = compare(random_scores(), test, correction=correction)
    assert one.out_of_reach(correction, level) is short


def test_what_is_exact_needs_no_draws() -> None:
    found = compare(read_scores(SCORES), Randomisation(draws=2), MaxT(draws=32), Bootstrap(draws=2))
    assert not any(one.out_of_reach(Holm(), 1e-6) for one in found)


def test_a_larger_family_needs_more_draws() -> None:
    one, *_ = compare(two_measures(), Bootstrap(draws=100, exact="never"))
    other, *_ = compare(two_measures(), Bootstrap(draws=100, exact="never"), family="all")
    assert not one.out_of_reach(Holm(), 0.05)  # 3 / 101
    assert other.out_of_reach(Holm(), 0.05)  # 6 / 101


def test_no_chance_needs_no_draws() -> None:
    (one,) = compare(scores(a=[0.1, NAN], b=[NAN, 0.1]), Bootstrap(draws=1))
    assert not one.out_of_reach(Holm(), 0.05)


# Tables


def test_the_table_of_tests() -> None:
    values = read_scores(SCORES)
    table = table_of_tests(compare(values, T(), Sign()), values.runs, made_by=Provenance(seed=7))
    assert list(table.columns) == ROWS
    assert table.made_by == Provenance(seed=7)
    rows = told(table)
    assert [(row["a"], row["b"], row["test"]) for row in rows] == [
        (a, b, test) for test in ("t", "sign") for a, b in ("ab", "ac", "bc")
    ]
    peer = stats.ttest_rel(SCORES["b"], SCORES["a"])
    assert (rows[0]["statistic"], rows[0]["p"]) == pytest.approx((peer.statistic, peer.pvalue))
    assert rows[0]["note"].startswith(
        "paired t, n − 1 degrees of freedom; holm over 3 tests; 98.3% Bonferroni interval"
    )
    # Three wins and no loss in five topics: the low limit of the chance of a win is the third root of .05/3/2.
    assert (rows[3]["low"], rows[3]["high"]) == pytest.approx((0.6 * (2 * (0.05 / 6) ** (1 / 3) - 1), 0.6))
    assert (rows[3]["n"], rows[3]["effect"], rows[3]["statistic"]) == (3, 1.0, 3.0)


def test_what_is_infinite_is_not_in_a_table() -> None:
    values = scores(a=[0.1, 0.2], b=[0.3, 0.4])
    (one,) = compare(values, T())
    assert np.isinf(one.answer.statistic).all()
    (row,) = told(table_of_tests([one], values.runs, made_by=Provenance()))
    assert (row["statistic"], row["effect"], row["p"]) == (None, None, 0.0)
    assert "t is infinite" in row["note"]


def test_the_summary_counts() -> None:
    values = scores(
        a=[0.1, 0.2, 0.1, 0.2, 0.1, 0.2], b=[0.5, 0.5, 0.5, 0.7, 0.5, 0.5], c=[0.2, 0.1, 0.2, 0.1, 0.2, 0.2]
    )
    found = compare(values, T(), SignedRank(), Tukey(), Equivalence(margin=0.3))
    rows = {row["test"]: row for row in told(summary_table(found, level=0.05, made_by=Provenance()))}
    assert {name: row["significant_alone"] for name, row in rows.items()} == {
        "t": 2,
        "signed-rank": 2,  # p = 2/64 where all six differences have one sign
        "tukey": None,
        "tost(margin=0.3)": 1,
    }
    assert {name: row["significant"] for name, row in rows.items()} == {
        "t": 2,
        "signed-rank": 0,  # 3 · 2/64
        "tukey": 2,
        "tost(margin=0.3)": 1,
    }
    assert rows["t"]["share"] == pytest.approx(2 / 3)
    assert rows["t"]["from_here"] == pytest.approx(sum(values.cube[1, :, 0] - values.cube[2, :, 0]) / 6)
    assert rows["tost(margin=0.3)"]["share"] is rows["tost(margin=0.3)"]["from_here"] is None
    assert rows["signed-rank"]["from_here"] is None
    assert rows["tukey"]["corrected"] == "corrected by itself"


def test_effects_are_told_where_there_are_any() -> None:
    values = scores(a=[0.1, 0.2, 0.3, NAN], b=[0.2, 0.2, 0.5, NAN], c=[NAN, NAN, NAN, 0.4])
    rows = told(effects_table(values, choose_pairs(values)))
    assert list(rows[0])[:8] == ["a", "b", "measure", "mean_a", "mean_b", "b_ahead", "equal", "a_ahead"]
    first = rows[0]
    assert (first["b_ahead"], first["equal"], first["a_ahead"]) == (2, 1, 0)
    assert (first["mean_a"], first["mean_b"]) == pytest.approx((0.2, 0.3))
    differences = np.array([0.1, 0.0, 0.2])
    assert first["d_z"] == pytest.approx(differences.mean() / differences.std(ddof=1))
    assert (first["effect_word"], first["difference_word"]) == ("large", "noticeable")  # d_z = 1; .1 is not above .1
    for row in rows[1:]:
        numbers = {name: cell for name, cell in row.items() if name not in ("a", "b", "measure")}
        assert {name: cell for name, cell in numbers.items() if cell is not None} == {
            "b_ahead": 0,
            "equal": 0,
            "a_ahead": 0,
        }


def test_one_topic_has_no_effect_to_name() -> None:
    (row,) = told(effects_table(scores(a=[0.1], b=[0.4]), [(0, 1)]))
    assert (row["d_z"], row["effect_word"], row["difference_word"]) == (None, None, "material")


def test_ahead_is_what_the_measure_calls_better() -> None:
    values = scores(a=[1.0, 2, 3, 4], b=[2.0, 3, 1, 4])
    (higher,) = told(effects_table(values, [(0, 1)]))
    (lower,) = told(effects_table(replace(values, measures=(Given("ESL", direction=Direction.LOWER),)), [(0, 1)]))
    assert (higher["b_ahead"], higher["equal"], higher["a_ahead"]) == (2, 1, 1)
    assert (lower["b_ahead"], lower["equal"], lower["a_ahead"]) == (1, 1, 2)
    assert lower["difference_word"] is None  # .05 means something between 0 and 1


def test_a_value_is_1_as_a_number() -> None:
    (row,) = told(effects_table(scores(a=[0.1, 0.1 * 3 - 0.3 + 1.0], b=[0.8, 1.0000000000000002]), [(0, 1)]))
    assert row["difference_word"] == "material"


def test_beliefs_need_a_topic() -> None:
    values = scores(a=[0.1, 0.2, 0.3, NAN], b=[0.3, 0.4, 0.5, NAN], c=[NAN, NAN, NAN, 0.4])
    table = beliefs_table(values, choose_pairs(values), BayesSignedRank(rope=0.05, draws=100), Asked())
    seen, *rest = told(table)
    assert seen["a_better"] + seen["equal"] + seen["b_better"] == pytest.approx(1)
    assert seen["b_better"] > 0.9
    assert {row[side] for row in rest for side in ("a_better", "equal", "b_better")} == {None}
    assert table.caption == "what to believe; equal: within ±0.05 (bayes-signed-rank(draws=100,rope=0.05))"


def test_swaps_of_two_topics() -> None:
    values = scores(a=[0.10, 0.50], b=[0.25, 0.42])
    table = swaps_table(values, seed=0, draws=None)
    assert table.caption == "how often two sets of 1 topic disagree on a pair (score: above 5 % throughout)"
    # One split, read both ways: .15 against −.08, and −.08 against .15.
    assert [(row["difference"], row["pairs"], row["swaps"], row["rate"]) for row in told(table)] == [
        (pytest.approx(0.08), 1, 1, 1.0),
        (pytest.approx(0.15), 1, 1, 1.0),
    ]


def test_swaps_of_measures_with_other_topics() -> None:
    values = two_measures()
    cube = values.cube.copy()
    cube[0, :3, 1] = NAN  # of the second measure two topics are left
    table = swaps_table(replace(values, cube=cube), seed=0, draws=5)
    assert table.caption.startswith("how often two sets of 1 or 2 topics disagree on a pair (up: ")
    assert "; down: " in table.caption


def test_achieved_power_tells_the_chance_once_more() -> None:
    values = read_scores(SCORES)
    (row,) = told(achieved_table(values, "score", [(0, 1)], 0.05))
    d = np.array(SCORES["b"], dtype=float) - np.array(SCORES["a"], dtype=float)
    shift = np.sqrt(5) * d.mean() / d.std(ddof=1)
    limit = stats.t.ppf(0.975, 4)
    power = stats.nct.sf(limit, 4, shift) + stats.nct.cdf(-limit, 4, shift)
    assert (row["topics"], row["difference"], row["power"]) == pytest.approx((5, d.mean(), power))


# Transforms


def test_values_after_a_transform() -> None:
    values = read_scores(SCORES)
    changed, notes = change(values, ZScore())
    matrix = values.matrix()
    expected = (matrix - matrix.mean(axis=1, keepdims=True)) / matrix.std(axis=1, ddof=1, keepdims=True)
    np.testing.assert_allclose(changed.matrix(), expected, atol=1e-12)
    assert notes == ("values are z-score of score",)
    assert values.matrix().tolist() == matrix.tolist()


def test_no_transform_changes_nothing() -> None:
    values = read_scores(SCORES)
    assert change(values, None) == (values, ())
    with pytest.raises(ParameterError) as caught:
        change(values, None, norms_of(values)[0])
    assert caught.value.problem == "there are norms, but no transform that goes by them"
    assert caught.value.hint == "choose one: --transform z-score, webber, sakai or urbano"


def test_norms_of_other_runs() -> None:
    reference, values = read_scores(SCORES), read_scores(BASE | {"x": [0.3] * 5})
    changed, _ = change(values, ZScore(), norms_of(reference)[0])
    matrix = reference.matrix()
    expected = (0.3 - matrix.mean(axis=1)) / matrix.std(axis=1, ddof=1)
    np.testing.assert_allclose(changed.matrix()[:, 1], expected)


def test_what_does_not_count_is_not_changed() -> None:
    values = scores(a=[0.1, 0.2], b=[0.3, NAN], c=[0.2, 0.8])
    changed, notes = change(values, ZScore())
    assert np.isnan(changed.matrix()).tolist() == [[False] * 3, [False, True, False]]
    assert len(notes) == 1
