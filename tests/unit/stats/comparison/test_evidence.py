"""Lines of evidence: every estimate, interval and p-value again by scipy and by hand."""

import numpy as np
import pytest
from scipy import stats

from cranfield.core import ParameterError
from cranfield.data import Values, read_scores
from cranfield.stats import Asked, Evidence, Holm, Pairs, SignedRank, Uncorrected, gather_evidence, parse_tests
from cranfield.stats.comparison.evidence import answered_line, dominance_line, first_relevant_line

NAN = float("nan")


def scores(seed: int = 1, topics: int = 40, runs: int = 3) -> Values:
    draws = np.random.default_rng(seed)
    matrix = np.clip(draws.normal(0.4, 0.2, (topics, 1)) + draws.normal(0, 0.1, (topics, runs)), 0, 1)
    return read_scores({"topic": [str(t) for t in range(topics)]} | {f"r{i}": matrix[:, i] for i in range(runs)})


def gathered(values: Values, test: str = "t", level: float = 0.05, **more: object) -> Evidence:
    pairs = [(0, run) for run in range(1, len(values.runs))]
    correction = more.pop("correction", Holm())
    return gather_evidence(
        values,
        pairs,
        test=parse_tests(test)[0],
        correction=correction,  # type: ignore[arg-type]
        asked=Asked(level=level),
    )


def test_one_pair_is_the_paired_t_test_with_its_own_interval() -> None:
    values = scores(runs=2)
    a, b = values.matrix().T
    peer = stats.ttest_rel(b, a)
    low, high = peer.confidence_interval(0.95)
    line = gathered(values).primary
    assert (line.p[0], line.p_adjusted[0]) == pytest.approx((peer.pvalue, peer.pvalue))
    assert (line.low[0], line.high[0]) == pytest.approx((low, high))
    assert (line.difference[0], line.value_a[0], line.value_b[0]) == pytest.approx(((b - a).mean(), a.mean(), b.mean()))


def test_several_pairs_are_corrected_by_holm_and_their_intervals_by_bonferroni() -> None:
    values = scores(runs=4)
    matrix = values.matrix()
    peers = [stats.ttest_rel(matrix[:, run], matrix[:, 0]) for run in (1, 2, 3)]
    line = gathered(values).primary
    order = np.argsort([peer.pvalue for peer in peers])
    holm = np.maximum.accumulate([(3 - i) * peers[pair].pvalue for i, pair in enumerate(order)])
    assert line.p_adjusted[order] == pytest.approx(np.minimum(holm, 1))
    ends = [peer.confidence_interval(1 - 0.05 / 3) for peer in peers]
    assert line.low == pytest.approx([end.low for end in ends])
    assert line.high == pytest.approx([end.high for end in ends])
    plain = gathered(values, correction=Uncorrected()).primary
    assert plain.p_adjusted == pytest.approx([peer.pvalue for peer in peers])
    assert plain.low == pytest.approx([peer.confidence_interval(0.95).low for peer in peers])


def test_an_interval_without_zero_is_significant() -> None:
    for seed in range(30):
        line = gathered(scores(seed, runs=6)).primary
        outside = (line.low > 0) | (line.high < 0)
        assert (line.p_adjusted[outside] <= 0.05).all()


def test_detectable_difference() -> None:
    values = scores(runs=2)
    difference = np.diff(values.matrix(), axis=1)[:, 0]
    n = len(difference)
    expected = (stats.t.ppf(0.975, n - 1) + stats.t.ppf(0.8, n - 1)) * difference.std(ddof=1) / np.sqrt(n)
    assert gathered(values).detectable[0] == pytest.approx(expected)
    same = read_scores({"topic": ["1", "2", "3"], "a": [0.1, 0.2, 0.3], "b": [0.1, 0.2, 0.3]})
    assert np.isnan(gathered(same).detectable[0])


def first(a: list[float], b: list[float]) -> Pairs:
    return Pairs.every(np.array([a, b], dtype=float).T)


def test_topics_answered_by_one_alone() -> None:
    """Topics that b alone answers: 9, a alone: 1, of 20. The limits of π become (2π − 1)(b + c)/n."""
    pairs = first([NAN] * 9 + [1] + [1] * 5 + [NAN] * 5, [1] * 9 + [NAN] + [1] * 5 + [NAN] * 5)
    line = answered_line(pairs, 10, 0.05)
    peer = stats.binomtest(9, 10)
    limits = peer.proportion_ci(0.95, method="exact")
    assert line.p[0] == pytest.approx(peer.pvalue)
    assert (line.value_a[0], line.value_b[0], line.difference[0]) == pytest.approx((6 / 20, 14 / 20, 8 / 20))
    assert line.low[0] == pytest.approx((2 * limits.low - 1) * 10 / 20)
    assert line.high[0] == pytest.approx((2 * limits.high - 1) * 10 / 20)
    assert (line.measure, int(line.n[0]), line.status(0.05)[0]) == ("Success@10", 20, 1)


def test_first_relevant_documents_where_both_answer() -> None:
    """Run b is one to ten ranks better: 2 of 2¹⁰ signs are as extreme, and lower is better."""
    pairs = first([*range(2, 12), NAN], [*[1] * 10, 5])
    line = first_relevant_line(pairs, SignedRank().compare(pairs, Asked(level=0.05)), 0.05)
    assert line.p[0] == pytest.approx(2 / 2**10)
    walsh = [-(i + j) / 2 for i in range(1, 11) for j in range(i, 11)]
    assert line.difference[0] == pytest.approx(np.median(walsh))
    assert (line.status(0.05)[0], int(line.n[0])) == (1, 10)
    assert line.low[0] <= line.difference[0] <= line.high[0] < 0


def test_dominance_is_a_sign_test_over_comparable_topics() -> None:
    outcome = np.array([[-1] * 12 + [0] * 10 + [2] * 8], dtype=np.int8)
    line = dominance_line(outcome, 0.05)
    assert line.p[0] == pytest.approx(stats.binomtest(0, 12).pvalue)
    assert (line.value_a[0], line.value_b[0], line.difference[0]) == (12 / 30, 0, -12 / 30)
    assert line.status(0.05)[0] == -1


def test_other_lines_are_bonferroni_corrected_among_themselves() -> None:
    """Two more measures and the three lines of the rankings: m = 5 for each, the primary stays as it is."""
    draws = np.random.default_rng(4)
    rows = {"topic": [], "run": [], "measure": [], "value": []}  # type: dict[str, list[object]]
    for topic in range(30):
        for run in ("a", "b"):
            for measure in ("AP", "nDCG@10", "P@5"):
                rows["topic"].append(str(topic))
                rows["run"].append(run)
                rows["measure"].append(measure)
                rows["value"].append(float(draws.random()))
    values = read_scores(rows)
    ranks = np.where(draws.random((30, 2)) < 0.2, NAN, draws.integers(1, 10, (30, 2)).astype(float))
    evidence = gather_evidence(
        values,
        [(0, 1)],
        test=parse_tests("t")[0],
        correction=Holm(),
        asked=Asked(),
        first=Pairs.every(ranks),
        cutoff=10,
        dominance=draws.integers(-1, 3, (1, 30)).astype(np.int8),
    )
    assert [line.line for line in evidence.others] == ["measure", "measure", "answered", "first relevant", "dominance"]
    assert evidence.primary.p_adjusted[0] == evidence.primary.p[0]
    for line in evidence.others:
        assert line.p_adjusted[0] == pytest.approx(min(1, 5 * line.p[0]))
        assert line.interval_level == pytest.approx(0.01)
    b, a = (values.matrix("nDCG@10")[:, run] for run in (1, 0))
    assert evidence.others[0].low[0] == pytest.approx(stats.ttest_rel(b, a).confidence_interval(0.99).low)


def test_lower_is_better_for_some_measures() -> None:
    values = read_scores({"topic": [str(t) for t in range(30)], "a": [5.0 + t % 3 for t in range(30)], "b": [2.0] * 30})
    from cranfield.measures import parse_measure

    named = type(values)(**{**vars(values), "measures": (parse_measure("ESL"),)})
    line = gathered(named).primary
    assert line.difference[0] == pytest.approx(-4)
    assert line.status(0.05)[0] == 1
    assert line.worse_p()[0] > 0.5


def test_one_sided_p_for_worse_is_half_of_the_two_sided_one() -> None:
    values = scores(runs=2)
    line = gathered(values).primary
    a, b = values.matrix().T
    assert line.worse_p()[0] == pytest.approx(stats.ttest_rel(b, a, alternative="less").pvalue)


@pytest.mark.parametrize("test", ["tost", "t(alternative='less')"])
def test_a_test_that_does_not_say_who_is_better_is_refused(test: str) -> None:
    with pytest.raises(ParameterError, match="cannot decide which run is better"):
        gathered(scores(), test)


@pytest.mark.parametrize(
    "test", ["t", "signed-rank", "sign", "bootstrap(draws=999)", "randomisation(draws=999)", "tukey", "max-t"]
)
def test_every_other_test_may_decide(test: str) -> None:
    values = read_scores(
        {
            "topic": [str(t) for t in range(12)],
            "a": [0.1] * 12,
            "b": [0.5 + 0.01 * t for t in range(12)],
            "c": [0.1] * 12,
        }
    )
    evidence = gathered(values, test)
    assert evidence.statuses[0].tolist() == [1, 0]
