"""Facets and verdicts by hand, case by case: the mixed one, Holm's form, other tests, and what is said of them."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from cranfield.core import CranfieldError, ParameterError, Provenance, UnknownName
from cranfield.stats import (
    Asked,
    BenjaminiHochberg,
    Bootstrap,
    Decide,
    Facets,
    Holm,
    Pairs,
    PairTest,
    Randomisation,
    RankSum,
    Sign,
    SignedRank,
    T,
    Uncorrected,
    judge,
    parse_decide,
)
from cranfield.studies.comparison.outcome_tables import BETTER, facets_table
from cranfield.studies.comparison.text import PairNames, outcome_rule_sentence

NAN = float("nan")
RUNS = ["R1", "R2"]
MADE_BY = Provenance(command="compare")

# Ranks of a and of b where both answer.
EQUAL = [3] * 10, [3] * 10
SOONER_B = list(range(2, 12)), [1] * 10  # ten differences −1 … −10: two of 2¹⁰ signs are as extreme
SOONER_A = SOONER_B[1], SOONER_B[0]
BARELY_B = [2, 3, 4, 5, 6, 7], [1] * 6  # six: 2/64
# The test is for b, by ranks of sizes 1 … 11 against the one of 12; the mean is for a: −66 + 100 over 12 topics.
MIXED_B = [*range(2, 13), 1], [1] * 11 + [101]
MIXED_A = MIXED_B[1], MIXED_B[0]
NOBODY = [*range(2, 13), 1], [1] * 11 + [67]  # the same, and equal means

Ranks = tuple[list[int], list[int]]


def first(only_a: int, only_b: int, both: Ranks, neither: int = 5) -> Pairs:
    """A pair with so many topics that a alone and b alone answer, and these ranks where both do."""
    a = [*both[0], *[1] * only_a, *[NAN] * only_b, *[NAN] * neither]
    b = [*both[1], *[NAN] * only_a, *[1] * only_b, *[NAN] * neither]
    return Pairs.every(np.array([a, b], dtype=float).T)


def rows(pairs: Pairs, facets: Facets | None = None) -> list[dict[str, Any]]:
    return facets_table(pairs, RUNS, facets or judge(pairs), made_by=MADE_BY).rows()


def verdict(pairs: Pairs, **asked: Any) -> dict[str, Any]:
    """The outcome rule on the first pair of R1 and R2."""
    facets = judge(pairs, **asked)
    rules = {name: BETTER[int(getattr(facets, name)[0])] for name in ("strict", "do_no_harm", "do_no_harm_holm")}
    return rules | {"sentence": outcome_rule_sentence(facets, 0, PairNames(*RUNS), int(pairs.topics[0]))}


@pytest.mark.parametrize(
    ("only_a", "only_b", "both", "answered", "ranking", "strict", "harmless", "sentence"),
    [
        (0, 9, SOONER_B, "b", "b", "b", "b", "R2 answers more topics and, where both answer, ranks better."),
        (9, 0, SOONER_A, "a", "a", "a", "a", "R1 answers more topics and, where both answer, ranks better."),
        (0, 9, SOONER_A, "b", "a", "neither", "neither", "R2 answers more topics; where both answer, R1 ranks better."),
        (9, 0, SOONER_B, "a", "b", "neither", "neither", "R1 answers more topics; where both answer, R2 ranks better."),
        (
            *(0, 9, EQUAL, "b", "neither", "neither", "b"),
            "R2 answers more topics; where both answer, no significant difference in rank.",
        ),
        (
            *(9, 0, EQUAL, "a", "neither", "neither", "a"),
            "R1 answers more topics; where both answer, no significant difference in rank.",
        ),
        (
            *(4, 5, SOONER_B, "neither", "b", "neither", "b"),
            "Where both answer, R2 ranks better; no significant difference in topics answered.",
        ),
        (
            *(4, 5, SOONER_A, "neither", "a", "neither", "a"),
            "Where both answer, R1 ranks better; no significant difference in topics answered.",
        ),
        (
            *(4, 5, EQUAL, "neither", "neither", "neither", "neither"),
            "No significant difference: neither in topics answered nor, where both answer, in rank.",
        ),
        (
            *(0, 9, ([], []), "b", "neither", "neither", "b"),
            "R2 answers more topics; no topic is answered by both.",
        ),
        (
            *(1, 1, ([], []), "neither", "neither", "neither", "neither"),
            "No significant difference in topics answered; no topic is answered by both.",
        ),
        # Mixed helps nobody, whoever answers more.
        (
            *(0, 9, MIXED_B, "b", "mixed", "neither", "neither"),
            "R2 answers more topics; where both answer, signed-rank favours R2, but the mean rank favours R1.",
        ),
        (
            *(0, 9, MIXED_A, "b", "mixed", "neither", "neither"),
            "R2 answers more topics; where both answer, signed-rank favours R1, but the mean rank favours R2.",
        ),
        (
            *(9, 0, MIXED_B, "a", "mixed", "neither", "neither"),
            "R1 answers more topics; where both answer, signed-rank favours R2, but the mean rank favours R1.",
        ),
        (
            *(4, 5, MIXED_A, "neither", "mixed", "neither", "neither"),
            "Where both answer, signed-rank favours R1, but the mean rank favours R2; "
            "no significant difference in topics answered.",
        ),
        (
            *(0, 9, NOBODY, "b", "mixed", "neither", "neither"),
            "R2 answers more topics; where both answer, signed-rank favours R2, but the mean rank favours neither.",
        ),
    ],
)
def test_every_verdict_by_hand(
    only_a: int, only_b: int, both: Ranks, answered: str, ranking: str, strict: str, harmless: str, sentence: str
) -> None:
    pairs = first(only_a, only_b, both)
    assert [row["better"] for row in rows(pairs)] == [answered, ranking]
    said = verdict(pairs)
    assert said == {
        "strict": strict,
        "do_no_harm": harmless,
        "do_no_harm_holm": harmless,
        "sentence": sentence,
    }


def test_the_p_values_behind_them() -> None:
    pairs = first(0, 9, SOONER_B)
    table = facets_table(pairs, RUNS, judge(pairs), made_by=MADE_BY)
    answered, ranking = table.rows()
    assert list(answered) == ["a", "b", "facet", "better", "test", "difference", "p", "p_decide", "p_holm"]
    assert (answered["facet"], answered["test"]) == ("answered", "binomial")
    assert (ranking["facet"], ranking["test"]) == ("ranking", "signed-rank")
    assert answered["p"] == answered["p_decide"] == 2 / 2**9
    assert ranking["p"] == ranking["p_decide"] == 2 / 2**10
    assert answered["p_holm"] == ranking["p_holm"] == 4 / 2**10  # the smaller doubled, and the other no smaller
    assert answered["difference"] == 9 / 24
    assert ranking["difference"] == -(1 + 10) / 2  # lower ranks are better
    assert table.made_by is MADE_BY
    assert table.caption == "facets at level 0.05"


def test_the_mixed_case_is_what_it_claims_to_be() -> None:
    a, b = (np.array(side) for side in MIXED_B)
    peer = stats.wilcoxon(b - a, method="exact")
    assert peer.statistic == 12
    assert peer.pvalue <= 0.05
    assert (b - a).mean() > 0
    row = rows(first(0, 0, MIXED_B))[1]
    assert row["p"] == pytest.approx(peer.pvalue)
    assert row["difference"] == pytest.approx(34 / 12)


def test_a_test_of_the_mean_is_never_mixed() -> None:
    row = rows(pairs := first(0, 9, MIXED_B), judge(pairs, decide=Decide(ranking=T())))[1]
    assert (row["better"], row["test"]) == ("neither", "t")
    assert verdict(pairs, decide=Decide(ranking=T()))["do_no_harm"] == "b"


def test_asking_twice_costs_a_verdict() -> None:
    # Six topics against none, 2/64 = .03125: below .05, and doubled above it.
    pairs = first(0, 6, EQUAL)
    answered, ranking = rows(pairs)
    assert (answered["p"], answered["p_holm"]) == (2 / 64, 4 / 64)
    assert (ranking["p"], ranking["p_holm"]) == (1, 1)
    said = verdict(pairs)
    assert (said["do_no_harm"], said["do_no_harm_holm"], said["strict"]) == ("b", "neither", "neither")
    assert said["sentence"] == (
        "R2 answers more topics; where both answer, no significant difference in rank. "
        "With Holm over the two facets there is no significant difference."
    )


def test_two_facets_that_are_barely_significant_are_not_after_holm() -> None:
    pairs = first(0, 6, BARELY_B)
    assert [row["p"] for row in rows(pairs)] == [2 / 64, 2 / 64]
    assert [row["p_holm"] for row in rows(pairs)] == [4 / 64, 4 / 64]
    said = verdict(pairs)
    assert (said["strict"], said["do_no_harm"], said["do_no_harm_holm"]) == ("b", "b", "neither")
    assert said["sentence"].endswith("With Holm over the two facets there is no significant difference.")


def test_a_clear_facet_carries_a_barely_significant_one_through_holm() -> None:
    # .0039 and .03125: doubled the first is .0078, and the second stays.
    pairs = first(0, 9, BARELY_B)
    assert [row["p_holm"] for row in rows(pairs)] == [4 / 2**9, 2 / 64]
    assert verdict(pairs)["do_no_harm_holm"] == "b"
    # So does one that does harm.
    harm = first(0, 9, (BARELY_B[1], BARELY_B[0]))
    assert (verdict(harm)["do_no_harm"], verdict(harm)["do_no_harm_holm"]) == ("neither", "neither")


def test_where_there_is_one_facet_alone_holm_asks_once() -> None:
    answered, ranking = rows(first(0, 6, ([], [])))
    assert (answered["p"], answered["p_holm"]) == (2 / 64, 2 / 64)
    assert [ranking[name] for name in ("difference", "p", "p_decide", "p_holm")] == [None] * 4
    assert verdict(first(0, 6, ([], [])))["do_no_harm_holm"] == "b"


def test_identical_runs() -> None:
    for row in rows(first(0, 0, EQUAL)):
        assert (row["better"], row["difference"], row["p"], row["p_holm"]) == ("neither", 0, 1, 1)


def test_the_level_is_the_askers() -> None:
    pairs = first(0, 6, EQUAL)
    asked = Asked(level=0.01)
    assert verdict(pairs, asked=asked)["do_no_harm"] == "neither"
    assert verdict(pairs, asked=Asked(level=2 / 64))["do_no_harm"] == "b"  # p ≤ level
    with pytest.raises(ParameterError, match="the level cannot be 2"):
        judge(pairs, asked=Asked(level=2))


def campaign(seed: int, runs: int = 6, topics: int = 40) -> NDArray[np.float64]:
    """Ranks of runs that differ, and differ in what they answer."""
    drawn = np.random.default_rng(seed)
    ranks = np.minimum(drawn.geometric(drawn.uniform(0.05, 0.5, runs), (topics, runs)), 100).astype(float)
    ranks[drawn.random(ranks.shape) < drawn.uniform(0.05, 0.6, runs)] = NAN
    return ranks


def by_loop(matrix: NDArray[np.float64], a: int, b: int) -> tuple[float, float, int, int, bool]:
    """The p-value and the side of both facets, by scipy; whether the mean rank is on the side of the test."""
    x, y = matrix[:, a], matrix[:, b]
    only_a, only_b = int((~np.isnan(x) & np.isnan(y)).sum()), int((np.isnan(x) & ~np.isnan(y)).sum())
    answered = stats.binomtest(only_b, only_a + only_b).pvalue if only_a + only_b else 1.0
    gap = [int(v - u) for u, v in zip(x, y, strict=True) if u == u and v == v and u != v]
    if not gap:
        return answered, 1.0, int(np.sign(only_b - only_a)), 0, False
    ranks = stats.rankdata(np.abs(gap))
    sums = {0.0: 1.0}  # the distribution of the rank sum given the ties: one fair coin after the other
    for rank in ranks:
        sums = {s: sums.get(s, 0) / 2 + sums.get(s - rank, 0) / 2 for s in {*sums, *(s + rank for s in sums)}}
    below = sum(rank for rank, d in zip(ranks, gap, strict=True) if d < 0)  # b ahead
    least = min(below, ranks.sum() - below)
    p = min(1.0, 2 * sum(chance for s, chance in sums.items() if s <= least + 1e-9))
    toward = int(np.sign(2 * below - ranks.sum()))
    return answered, p, int(np.sign(only_b - only_a)), toward, toward == -np.sign(sum(gap))


@pytest.mark.parametrize("seed", range(4))
def test_facets_and_verdicts_by_plain_loops(seed: int) -> None:
    matrix = campaign(seed)
    pairs = Pairs.every(matrix)
    names = [f"R{i}" for i in range(6)]
    facets = judge(pairs)
    told = facets_table(pairs, names, facets).rows()
    for i, (a, b) in enumerate(zip(pairs.a.tolist(), pairs.b.tolist(), strict=True)):
        p, other, more, toward, agrees = by_loop(matrix, a, b)
        assert [told[2 * i]["p"], told[2 * i + 1]["p"]] == pytest.approx([p, other])
        assert [told[2 * i]["p_holm"], told[2 * i + 1]["p_holm"]] == pytest.approx(
            Holm().adjust(np.array([p, other])).tolist()
        )
        for level, column in ((0.05, "do_no_harm"), (None, "do_no_harm_holm")):
            small = [q <= 0.05 for q in ((p, other) if level else Holm().adjust(np.array([p, other])))]
            sides = [more if small[0] else 0, (toward if agrees else 2) if small[1] else 0]
            helped = next((side for side in (1, -1) if side in sides and {*sides} <= {0, side}), 0)
            assert getattr(facets, column)[i] == helped
            if level:
                assert [told[2 * i]["better"], told[2 * i + 1]["better"]] == [BETTER[side] for side in sides]
                assert facets.strict[i] == (sides[0] if sides[0] == sides[1] else 0)


def test_holm_only_takes_verdicts_away() -> None:
    found = [judge(Pairs.every(campaign(seed, runs=10))) for seed in range(20)]
    plain = np.concatenate([facets.do_no_harm for facets in found])
    holm = np.concatenate([facets.do_no_harm_holm for facets in found])
    assert ((holm == plain) | (holm == 0)).all()
    assert (holm != plain).any()
    strict = np.concatenate([facets.strict for facets in found])
    assert ((strict == plain) | (strict == 0)).all()
    assert set(plain) == set(strict) == {-1, 0, 1}


def test_a_correction_is_over_the_pairs_of_a_facet() -> None:
    pairs = Pairs.every(campaign(1))
    plain, facets = judge(pairs), judge(pairs, decide=Decide(correction=BenjaminiHochberg()))
    for one, raw in ((facets.answered, plain.answered), (facets.ranking, plain.ranking)):
        assert one.p.tolist() == raw.p.tolist()
        assert one.p_decide == pytest.approx(stats.false_discovery_control(raw.p))
        assert ((one.better != 0) == (one.p_decide <= 0.05)).all()
    for i in range(len(pairs)):
        both = np.array([facets.answered.p_decide[i], facets.ranking.p_decide[i]])
        assert [facets.answered.p_holm[i], facets.ranking.p_holm[i]] == pytest.approx(Holm().adjust(both).tolist())
    assert (facets.do_no_harm != plain.do_no_harm).any()


@pytest.mark.parametrize("test", [SignedRank(), T(), Sign(), RankSum(), Randomisation(), Bootstrap(draws=999)], ids=str)
@pytest.mark.parametrize(("both", "better"), [(SOONER_B, 1), (SOONER_A, -1), (EQUAL, 0)])
def test_every_test_of_pairs_may_decide(test: PairTest, both: Ranks, better: int) -> None:
    facets = judge(first(2, 2, both), decide=Decide(ranking=test))
    assert facets.ranking.better.tolist() == [better]
    assert facets.ranking.test == str(test)


def test_the_sign_test_may_be_mixed_too() -> None:
    # b is ahead in eleven of twelve topics, and far behind in one.
    facets = judge(first(0, 0, MIXED_B), decide=Decide(ranking=Sign()))
    assert facets.ranking.p.tolist() == pytest.approx([2 * (1 + 12) / 2**12])
    assert facets.ranking.better.tolist() == [2]
    assert (facets.ranking.toward.tolist(), facets.ranking.ahead.tolist()) == ([1], [-1])


@pytest.mark.parametrize(
    ("text", "decide"),
    [
        ("t holm", Decide(ranking=T(), correction=Holm())),
        ("holm t", Decide(ranking=T(), correction=Holm())),
        ("  holm,t ", Decide(ranking=T(), correction=Holm())),
        ("Wilcoxon RAW", Decide()),
        ("signed_rank", Decide()),
        ("fdr", Decide(correction=BenjaminiHochberg())),
        ("sign", Decide(ranking=Sign())),
        (
            "bh signed-rank(zeros='pratt', continuity=True)",
            Decide(ranking=SignedRank(zeros="pratt", continuity=True), correction=BenjaminiHochberg()),
        ),
    ],
)
def test_what_to_decide_by_is_read(text: str, decide: Decide) -> None:
    assert parse_decide(text) == decide
    assert parse_decide(str(decide)) == decide


def test_by_default_signed_rank_decides_without_correction() -> None:
    assert (Decide().ranking, Decide().correction) == (SignedRank(), Uncorrected())
    assert str(Decide()) == "signed-rank none"


@pytest.mark.parametrize(
    ("text", "problem", "kind"),
    [
        ("", "'' does not say by what to decide", ParameterError),
        ("t sign", "'t sign' does not say", ParameterError),
        ("t t", "'t t' does not say", ParameterError),
        ("holm bh", "'holm bh' does not say", ParameterError),
        ("t tukey2", "'tukey2' is neither a test of pairs nor a correction", UnknownName),
        ("t(side='left')", "t has no parameter 'side'", ParameterError),
        ("max-t", "max-t cannot decide who ranks better: it tests all pairs at once", ParameterError),
        ("tost", "tost cannot decide who ranks better: a small p means equivalence", ParameterError),
        ("t(alternative='less') holm", "it is one-sided", ParameterError),
    ],
)
def test_what_cannot_decide_is_refused(text: str, problem: str, kind: type[CranfieldError]) -> None:
    with pytest.raises(kind) as caught:
        parse_decide(text)
    assert problem in caught.value.problem
    assert caught.value.hint


def test_names_stay_as_they_are_written() -> None:
    pairs = first(0, 9, EQUAL)
    said = outcome_rule_sentence(judge(pairs), 0, PairNames("bm25", "no-stemming"), int(pairs.topics[0]))
    assert said.startswith("no-stemming answers more topics")


def test_every_combination_of_facets_has_a_sentence() -> None:
    for (a, b), both in product([(0, 9), (9, 0), (3, 3)], [EQUAL, SOONER_A, SOONER_B, MIXED_A, MIXED_B, NOBODY]):
        said = verdict(first(a, b, both))["sentence"]
        assert said.endswith(".")
        assert said[0].isupper()
        assert "nan" not in said


def test_dominance_is_the_ranking_facet_where_topics_have_several_relevant_documents() -> None:
    """B dominates in 9 of the topics that both answer and A in 1: p = 2 · (1 + 10) / 2¹⁰; other topics do not count."""
    pairs = first(2, 2, EQUAL)  # ten topics are answered by both
    outcome = np.array([[1] * 9 + [-1] + [1] * 2 + [-1] * 2 + [0] * 5], dtype=np.int8)
    facets = judge(pairs, dominance=outcome)
    assert facets.ranking_by == "dominance"
    assert facets.ranking.p[0] == pytest.approx(2 * (1 + 10) / 2**10)
    assert facets.ranking.difference[0] == pytest.approx((9 - 1) / 10)
    assert (facets.ranking.better[0], facets.ranking.test) == (1, "sign")
    assert judge(pairs).ranking.better[0] == 0  # by the first relevant documents alone the runs are equal


def test_dominance_without_a_topic_that_both_answer_has_no_p() -> None:
    facets = judge(first(1, 1, ([], [])), dominance=np.zeros((1, 7), dtype=np.int8))
    assert np.isnan(facets.ranking.p[0])
    assert facets.ranking.better[0] == 0
