"""Tests of pairs and effects, against what base R says of the same numbers."""

from typing import Any

import numpy as np
import pytest

from cranfield.stats import (
    EFFECTS,
    Alternative,
    Asked,
    Equivalence,
    HedgesG,
    Pairs,
    PairTest,
    Randomisation,
    RankSum,
    Sign,
    SignedRank,
    T,
    wins,
)
from tests.support.golden.golden_values import golden
from tests.support.golden.r_comparison import (
    CASES,
    CLOSE,
    MATRICES,
    SIDES,
    agree,
    asked_of,
    compared,
    ends,
    of_pairs,
    values_of,
)


@pytest.mark.parametrize(("name", "side"), CASES)
def test_paired_t_is_that_of_r(name: str, side: Alternative) -> None:
    answer = compared(T(alternative=side), name)
    agree(answer.statistic, of_pairs(name, "t", side, "statistic"))
    agree(answer.p, of_pairs(name, "t", side, "p"))
    for end, ours in ends(answer).items():
        # R's open end is infinite, ours is none.
        open_end = end == {"greater": "high", "less": "low"}.get(side)
        expected = of_pairs(name, "t", side, end)
        assert np.isinf(expected[:1]).all() == open_end == np.isnan(ours).all()
        if not open_end:
            agree(ours, expected)


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("place", range(3))
def test_equivalence_is_two_one_sided_t_tests(name: str, place: int) -> None:
    margin = golden("r_stats")["small"]["pairs"]["0-1"]["tost"][place]["margin"]
    answer = compared(Equivalence(margin=margin), name)
    agree(answer.p, of_pairs(name, "tost", place, "p"))
    sides = [of_pairs(name, "tost", place, side, "p") for side in ("above", "below")]
    statistics = [of_pairs(name, "tost", place, side, "statistic") for side in ("above", "below")]
    # The statistic is that of the test with the larger p.
    agree(answer.statistic, np.where(sides[0] >= sides[1], *statistics), rel=1e-9, off=1e-12)
    for end, ours in ends(answer).items():
        agree(ours, of_pairs(name, "tost", place, end))


@pytest.mark.parametrize(("name", "side"), CASES)
def test_sign_is_binom_test(name: str, side: Alternative) -> None:
    answer = compared(Sign(alternative=side), name)
    agree(answer.n, of_pairs(name, "sign", "n"), rel=0)
    agree(answer.statistic, of_pairs(name, "sign", "statistic"), rel=0)
    agree(answer.p, of_pairs(name, "sign", "p", side))
    for place, ours in enumerate(ends(answer).values()):
        if (side, place) not in OPEN_ENDS:
            agree(ours, of_pairs(name, "sign", "ends", side, place), off=1e-12)


# R closes them at the limits of a proportion or at infinity; ours are NaN.
OPEN_ENDS = (("greater", 1), ("less", 0))


# What R's script calls them, and what we do.
SIGNED_RANK: dict[str, dict[str, Any]] = {
    "exact": {"exact": "always"},
    "normal": {"exact": "never"},
    "continuity": {"exact": "never", "continuity": True},
    "pratt_exact": {"exact": "always", "zeros": "pratt"},
    "pratt_normal": {"exact": "never", "zeros": "pratt"},
    "pratt_continuity": {"exact": "never", "zeros": "pratt", "continuity": True},
}


@pytest.mark.parametrize(("name", "side"), CASES)
@pytest.mark.parametrize("form", SIGNED_RANK)
def test_signed_rank_is_wilcox_test_or_all_flips(name: str, side: Alternative, form: str) -> None:
    answer = compared(SignedRank(alternative=side, **SIGNED_RANK[form]), name)
    zeros = "pratt_" * form.startswith("pratt")
    agree(answer.n, of_pairs(name, "signed_rank", "n"), rel=0)
    agree(answer.statistic, of_pairs(name, "signed_rank", f"{zeros}statistic"), rel=0)
    agree(answer.effect, of_pairs(name, "signed_rank", "pratt_biserial" if zeros else "rank_biserial"), off=1e-12)
    agree(answer.p, of_pairs(name, "signed_rank", form, side))


@pytest.mark.parametrize("side", SIDES)
def test_without_ties_and_zeros_the_exact_signed_rank_is_that_of_r(side: Alternative) -> None:
    agree(compared(SignedRank(alternative=side), "apart").p, of_pairs("apart", "signed_rank", "exact_of_r", side))
    always = compared(SignedRank(alternative=side, exact="always"), "many").p
    pairs, seen = golden("r_stats")["many"]["pairs"], 0
    for p, (a, b) in zip(always, zip(asked_of("many").a, asked_of("many").b, strict=True), strict=True):
        if theirs := pairs[f"{a}-{b}"]["signed_rank"].get("exact_of_r"):
            assert p == pytest.approx(theirs[side], rel=CLOSE, abs=0)
            seen += 1
    assert seen == 4


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", ["apart", "many"])
def test_without_ties_and_zeros_the_hodges_lehmann_interval_is_that_of_r(name: str, side: Alternative) -> None:
    answer = compared(SignedRank(alternative=side, exact="always"), name)
    theirs = [golden("r_stats")[name]["pairs"][f"{a}-{b}"]["signed_rank"] for a, b in pairs_of(name)]
    pairs = [i for i, known in enumerate(theirs) if "ends" in known]
    assert pairs
    assert answer.estimate is not None
    assert answer.estimate[pairs] == pytest.approx([theirs[i]["hodges_lehmann"] for i in pairs], abs=1e-11)
    for place, ours in enumerate(ends(answer).values()):
        if (side, place) in OPEN_ENDS:
            assert np.isnan(ours).all()
        else:
            assert ours[pairs] == pytest.approx([theirs[i]["ends"][side][place] for i in pairs], abs=1e-11)


def pairs_of(name: str) -> list[tuple[int, int]]:
    return list(zip(asked_of(name).a.tolist(), asked_of(name).b.tolist(), strict=True))


@pytest.mark.parametrize(("name", "side"), CASES)
@pytest.mark.parametrize("continuity", [True, False])
def test_rank_sum_is_unpaired_wilcox_test_of_b_and_a(name: str, side: Alternative, continuity: bool) -> None:
    answer = compared(RankSum(alternative=side, continuity=continuity), name)
    agree(answer.statistic, of_pairs(name, "rank_sum", "statistic"), rel=0)
    agree(answer.p, of_pairs(name, "rank_sum", "continuity" if continuity else "normal", side))
    agree(answer.effect, of_pairs(name, "effects", "cliff"), off=1e-12)


@pytest.mark.parametrize(("name", "side"), CASES)
def test_randomisation_counts_all_flips(name: str, side: Alternative) -> None:
    answer = compared(Randomisation(alternative=side, exact="always"), name)
    agree(answer.p, of_pairs(name, "randomisation", side))


@pytest.mark.parametrize("name", MATRICES)
def test_effects_are_their_formulas(name: str) -> None:
    pairs = asked_of(name)
    for ours, theirs in (("d_z", "d_z"), ("d_av", "d_av"), ("hedges-g", "g_z"), ("cliff", "cliff")):
        agree(EFFECTS[ours]().size(pairs), of_pairs(name, "effects", theirs), off=1e-12)
    agree(HedgesG(of="av").size(pairs), of_pairs(name, "effects", "g_av"))
    agree(EFFECTS["rank-biserial"]().size(pairs), of_pairs(name, "signed_rank", "rank_biserial"), off=1e-12)
    for count, theirs in zip(wins(pairs), ("wins", "ties", "losses"), strict=True):
        agree(count, of_pairs(name, "effects", theirs), rel=0)


@pytest.mark.parametrize("test", [T(), Sign(), SignedRank(), RankSum(), Randomisation()], ids=str)
def test_identical_runs_have_p_1_where_r_has_no_answer(test: PairTest) -> None:
    assert golden("r_stats")["copies"]["pairs"]["0-3"] == {"identical": 1}
    answer = test.compare(Pairs.given(values_of("copies"), [(0, 3)]), Asked())
    assert answer.p.tolist() == [1.0]
