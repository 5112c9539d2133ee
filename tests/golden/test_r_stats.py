"""Tests of pairs, analyses, corrections and plans, against what base R says of the same numbers."""

from collections.abc import Mapping
from math import ceil
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from cranfield.data import Factors, read_factors
from cranfield.stats import (
    CORRECTIONS,
    EFFECTS,
    Alternative,
    Anova,
    Answer,
    Asked,
    Components,
    Equivalence,
    Friedman,
    HedgesG,
    KruskalWallis,
    Nemenyi,
    OneWay,
    PairedT,
    Pairs,
    PairTest,
    Randomisation,
    Range,
    RankSum,
    RankTukey,
    Replicates,
    Scheffe,
    Sign,
    SignedRank,
    Source,
    StudentisedRange,
    T,
    TInterval,
    Tukey,
    TwoWay,
    Width,
    assumptions,
    components,
    critical_difference,
    factor_anova,
    mean_ranks,
    replicated_anova,
    replicated_components,
    wins,
)
from cranfield.stats._rank_omnibus import pooled_ranks
from cranfield.stats._tails import chi2_tail, f_tail

from . import stat_inputs
from .reading import golden
from .stat_inputs import matrices

CLOSE = 1e-10  # R's numbers are kept with twelve digits
SIDES: tuple[Alternative, ...] = ("two-sided", "greater", "less")
MATRICES = tuple(matrices())
CASES = [(name, side) for name in MATRICES for side in SIDES]
# What ptukey is off by grows with the number of means, as integrals of higher accuracy show: see SOURCES.md.
PTUKEY = {2: 1e-11, 3: 1e-11, 4: 1e-9, 5: 1e-9, 10: 5e-9, 50: 1e-6, 129: 3e-6}
PTUKEY_FEW = 2e-7  # with five degrees of freedom, and ten means at most
FLOOR = 1e-10  # what smaller chances of the studentised range are given as

Numbers = NDArray[np.float64]


def agree(ours: ArrayLike, theirs: ArrayLike, *, rel: float = CLOSE, off: float = 0.0) -> None:
    """Both are the same, as far as R tells: it has no number where runs are identical, and says NaN."""
    found, expected = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    known = ~np.isnan(expected)
    assert known.any()
    np.testing.assert_allclose(found[known], expected[known], rtol=rel, atol=off)


def values_of(name: str) -> Numbers:
    return np.array(matrices()[name])


def asked_of(name: str) -> Pairs:
    return Pairs.every(values_of(name))


def compared(test: PairTest, name: str, level: float = 0.05) -> Answer:
    return test.compare(asked_of(name), Asked(level=level))


def ends(answer: Answer) -> dict[str, Numbers]:
    assert answer.low is not None
    assert answer.high is not None
    return {"low": answer.low, "high": answer.high}


def by_pair(rows: Mapping[str, Any], name: str, *path: str | int) -> Numbers:
    """(pair,): what stands at the end of a path for each pair, in our order; NaN where R has nothing."""
    pairs = asked_of(name)
    found = []
    for a, b in zip(pairs.a, pairs.b, strict=True):
        node = rows[f"{a}-{b}"]
        for step in () if "identical" in node else path:
            node = node[step]
        found.append(np.nan if isinstance(node, dict) else float(node))
    return np.array(found)


def of_pairs(name: str, *path: str | int) -> Numbers:
    return by_pair(golden("r_stats")[name]["pairs"], name, *path)


def of_runs(name: str) -> Any:
    return golden("r_stats")[name]["runs"]


def agree_rows(ours: Anova, theirs: Mapping[str, Mapping[str, float]], names: Mapping[str, str]) -> None:
    """Every source but the total has R's numbers; ``names`` are ours by R's."""
    assert {names[source] for source in theirs} <= {row.source for row in ours.rows}
    for source, expected in theirs.items():
        row = ours[names[source]]
        for column, value in expected.items():
            found = {"f": row.statistic, "omega2": row.effect}.get(column, getattr(row, column, None))
            wanted = max(0.0, value) if column == "omega2" else value  # below 0 we say 0, and R's script does not
            assert found == pytest.approx(wanted, rel=1e-9, abs=0), (source, column)


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


TWO_WAY = {"topic": "topic", "run": "system", "Residuals": "error"}


@pytest.mark.parametrize("name", MATRICES)
def test_analyses_of_variance_are_aov(name: str) -> None:
    agree_rows(TwoWay().fit(values_of(name)), of_runs(name)["two_way"], TWO_WAY)
    agree_rows(OneWay().fit(values_of(name)), of_runs(name)["one_way"], TWO_WAY)


@pytest.mark.parametrize("name", MATRICES)
def test_variance_components_come_from_expected_mean_squares(name: str) -> None:
    agree_components(components(values_of(name)), of_runs(name)["components"])


def agree_components(ours: Components, theirs: Mapping[str, float]) -> None:
    names = {"run": "system", "topic x run": "topic×system"}
    for source, estimate in theirs.items():
        assert ours[names.get(source, source)].estimate == pytest.approx(estimate, rel=1e-9)


# Our names of sources, by R's; what R has as an interaction with the run lies within the factors here.
NAMES = TWO_WAY | {
    "stemmer": "stemmer", "model": "model", "stemmer x model": "stemmer×model", "topic x stemmer": "topic×stemmer",
    "topic x model": "topic×model", "stem": "stem", "index": "index", "stem x index": "stem×index",
    "rest": "rest of system", "group": "group", "topic x group": "topic×group", "replicate": "replicate",
    "topic x run": "topic×system", "topic x replicate": "topic×replicate", "run x replicate": "system×replicate",
    "group x run": "system(group)", "group x team": "team(group)", "group x team x run": "system(group team)",
}  # fmt: skip


def factors(*names: str) -> Factors:
    levels = {name: list(getattr(stat_inputs, name.upper())) for name in names}
    return read_factors({"run": [str(run) for run in range(len(levels[names[0]]))], **levels})


def cube() -> Numbers:
    """(replicate, topic, run)."""
    flat = np.array(stat_inputs.replicated())
    return flat.reshape(len(flat), -1, stat_inputs.REPLICATES).transpose(2, 0, 1)


@pytest.mark.parametrize(("interactions", "form"), [(False, "fixed"), (True, "with_topic")])
def test_crossed_factors_are_aov(interactions: bool, form: str) -> None:
    found = factor_anova(np.array(stat_inputs.CROSSED), factors("stemmer", "model"), interactions=interactions)
    agree_rows(found, golden("r_stats")["crossed"][form], NAMES)


def test_uneven_factors_have_sums_of_squares_of_type_two() -> None:
    found = factor_anova(np.array(stat_inputs.NESTED), factors("stem", "index"))
    agree_rows(found, golden("r_stats")["uneven"], NAMES)


@pytest.mark.parametrize(
    ("names", "interactions", "form"),
    [(("group",), False, "one"), (("group", "team"), False, "two"), (("group",), True, "with_topic")],
)
def test_nested_factors_are_aov(names: tuple[str, ...], interactions: bool, form: str) -> None:
    found = factor_anova(np.array(stat_inputs.NESTED), factors(*names), nested=True, interactions=interactions)
    agree_rows(found, golden("r_stats")["nested"][form], NAMES)


@pytest.mark.parametrize("replicates", ["repeated", "factor", "interacting"])
def test_replicates_are_aov(replicates: Replicates) -> None:
    agree_rows(replicated_anova(cube(), replicates=replicates), golden("r_stats")["replicated"][replicates], NAMES)


def test_variance_components_of_replicates_come_from_expected_mean_squares() -> None:
    agree_components(replicated_components(cube()), golden("r_stats")["replicated"]["components"])


def chances(answer: Answer) -> Numbers:
    """(pair,): those of a procedure that looks at all pairs at once."""
    assert answer.adjusted is not None
    assert np.isnan(answer.p).all()
    return answer.adjusted


def agree_source(ours: Source, theirs: Mapping[str, float], *, effect: str) -> None:
    found = (ours.statistic, ours.df, ours.p, ours.log10_p, ours.effect)
    expected = tuple(theirs[column] for column in ("statistic", "df", "p", "log10_p", effect))
    assert found == pytest.approx(expected, rel=1e-9, abs=0)


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize(
    ("error", "level", "form"),
    [("two-way", 0.05, "two-way"), ("two-way", 0.01, "two-way, 1 %"), ("one-way", 0.05, "one-way")],
)
def test_tukey_is_tukeyhsd(name: str, error: Literal["one-way", "two-way"], level: float, form: str) -> None:
    theirs, runs = of_runs(name)["tukey"][form], values_of(name).shape[1]
    known = Tukey(error=error, df="inf")
    for test, p, width in ((Tukey(error=error), "p", "half_width"), (known, "p_inf", "half_width_inf")):
        answer = compared(test, name, level)
        agree(answer.statistic, by_pair(theirs["pairs"], name, "q"))
        # Chances below the floor are given as the floor.
        agree(chances(answer), np.maximum(by_pair(theirs["pairs"], name, p), FLOOR), rel=0, off=PTUKEY[runs])
        found = test.half_width(test.fit(values_of(name)), level)
        assert found == pytest.approx(theirs[width], rel=10 * PTUKEY[runs])
    agree(asked_of(name).mean_difference, by_pair(theirs["pairs"], name, "difference"), off=1e-12)
    answer = compared(Tukey(error=error), name, level)
    for end, ours in ends(answer).items():
        agree(ours, by_pair(theirs["pairs"], name, end), rel=0, off=1e-8)  # qtukey stops before the last digit


@pytest.mark.parametrize("name", MATRICES)
def test_scheffe_is_its_formula(name: str) -> None:
    answer, theirs = compared(Scheffe(), name), of_runs(name)["scheffe"]
    agree(asked_of(name).mean_difference, by_pair(theirs, name, "difference"), off=1e-12)
    agree(answer.statistic, by_pair(theirs, name, "f"), off=1e-12)
    agree(chances(answer), by_pair(theirs, name, "p"))
    for end, ours in ends(answer).items():
        agree(ours, by_pair(theirs, name, end))


@pytest.mark.parametrize("name", MATRICES)
def test_kruskal_wallis_and_tukey_on_its_mean_ranks_are_those_of_r(name: str) -> None:
    theirs, runs = of_runs(name)["kruskal"], values_of(name).shape[1]
    (found,) = KruskalWallis().sources(values_of(name))
    agree_source(found, theirs, effect="epsilon2")
    agree(pooled_ranks(values_of(name))[0].mean(axis=0), theirs["mean_ranks"])
    answer = compared(RankTukey(), name)
    agree(answer.effect, by_pair(theirs["tukey"], name, "difference"), off=1e-12)
    agree(answer.statistic, by_pair(theirs["tukey"], name, "q"), off=1e-12)
    agree(chances(answer), by_pair(theirs["tukey"], name, "p"), rel=0, off=PTUKEY[runs])


@pytest.mark.parametrize("name", MATRICES)
def test_friedman_and_nemenyi_are_those_of_r(name: str) -> None:
    theirs, (topics, runs) = of_runs(name)["friedman"], values_of(name).shape
    chi, f = Friedman().sources(values_of(name))
    agree_source(chi, theirs, effect="w")
    agree_source(
        f, theirs["iman_davenport"] | {"statistic": theirs["iman_davenport"]["f"], "w": theirs["w"]}, effect="w"
    )
    assert f.df2 == theirs["iman_davenport"]["df_error"]
    agree(mean_ranks(values_of(name)), theirs["mean_ranks"])
    answer = compared(Nemenyi(), name)
    agree(answer.effect, by_pair(theirs["nemenyi"], name, "difference"), off=1e-12)
    agree(answer.statistic, by_pair(theirs["nemenyi"], name, "q"), off=1e-12)
    expected = np.maximum(by_pair(theirs["nemenyi"], name, "p"), FLOOR)
    agree(chances(answer), expected, rel=0, off=PTUKEY[runs])
    limit = critical_difference(runs, topics, 0.05)
    assert limit == pytest.approx(theirs["critical_difference"], rel=10 * PTUKEY[runs])


@pytest.mark.parametrize("name", MATRICES)
def test_intervals_of_means_are_those_of_r(name: str) -> None:
    low, high = TInterval().around(values_of(name), Asked())
    agree(np.stack([values_of(name).mean(axis=0), low, high], axis=1), of_runs(name)["means"])


@pytest.mark.parametrize("name", MATRICES)
def test_errors_are_described_as_r_does(name: str) -> None:
    theirs = of_runs(name)["errors"]
    found = {finding.check: finding for finding in assumptions(values_of(name))}
    spread = found["largest by smallest variance"]
    assert found["skew of the errors"].value == pytest.approx(theirs["skew"], rel=1e-9)
    assert found["kurtosis of the errors"].value == pytest.approx(theirs["kurtosis"], rel=1e-9)
    assert (spread.value, spread.p) == pytest.approx((theirs["ratio"], theirs["brown_forsythe"]), rel=1e-9)


def test_the_studentised_range_is_ptukey() -> None:
    for point in golden("r_stats")["studentised"]["chances"]:
        k, df = point["k"], float(point["df"])
        found = StudentisedRange(k, df).sf(point["q"])
        off = PTUKEY[k] if df > 5 else PTUKEY_FEW
        assert found == pytest.approx(max(FLOOR, point["upper"]), rel=0, abs=off), point


def test_its_quantiles_are_where_ptukey_has_them() -> None:
    for point in golden("r_stats")["studentised"]["quantiles"]:
        k, df, level = point["k"], float(point["df"]), point["level"]
        # The chance at R's quantile is off by as much as ptukey is.
        assert StudentisedRange(k, df).sf(point["q"]) == pytest.approx(level, rel=0, abs=PTUKEY[k]), point
        assert StudentisedRange(k, df).isf(level) == pytest.approx(point["q"], rel=PTUKEY[k] / level), point


def test_chances_too_small_for_a_float_have_the_logarithms_of_r() -> None:
    theirs = golden("r_stats")["tails"]
    for row in theirs["f"]:
        assert f_tail(row["f"], row["df"], row["df2"])[1] == pytest.approx(row["log10_p"], rel=1e-11)
    for row in theirs["chi"]:
        assert chi2_tail(row["chi"], row["df"])[1] == pytest.approx(row["log10_p"], rel=1e-11)


@pytest.mark.parametrize("method", ["bonferroni", "holm", "hochberg", "bh", "by"])
@pytest.mark.parametrize("vector", ["few", "equal", "holes", "one", "many"])
def test_corrections_are_p_adjust(method: str, vector: str) -> None:
    theirs = golden("r_stats")["corrections"][vector]
    p, expected = (np.array(row, dtype=float) for row in (theirs["p"], theirs["adjusted"][method]))
    found = CORRECTIONS[method]().adjust(p)
    assert np.isnan(found).tolist() == np.isnan(expected).tolist()
    agree(found, expected)


def test_power_of_t_is_power_t_test() -> None:
    for point in golden("r_stats")["power_t"]["points"]:
        found = PairedT().power(point["n"], difference=point["delta"], variance=1.0, level=point["level"])
        assert found == pytest.approx(point["power"], rel=1e-9), point


@pytest.mark.parametrize(("model", "points"), [("one-way", "points"), ("two-way", "two_way")])
def test_power_of_an_analysis_is_power_anova_test(model: Literal["one-way", "two-way"], points: str) -> None:
    for point in golden("r_stats")["power_f"][points]:
        plan = Range(runs=point["k"], model=model)
        found = plan.power(point["n"], difference=point["d"], variance=1.0, level=point["level"])
        # R's noncentral F stops adding up when terms are below 1e-9.
        assert found == pytest.approx(point["power"], rel=0, abs=1e-9), point


def test_topics_are_the_next_whole_number_from_where_r_reaches_the_power() -> None:
    theirs = golden("r_stats")
    for row in theirs["power_t"]["sizes"]:
        plan = {"difference": row["delta"], "variance": 1.0, "level": row["level"], "power": row["power"]}
        assert PairedT().topics(**plan) == ceil(row["n"]), row
    for row in theirs["power_f"]["sizes"]:
        plan = {"difference": row["d"], "variance": 1.0, "level": row["level"], "power": row["power"]}
        assert Range(runs=row["k"]).topics(**plan) == ceil(row["n"]), row


def test_the_smallest_difference_is_where_power_t_test_has_it() -> None:
    for row in golden("r_stats")["power_t"]["smallest"]:
        found = PairedT().difference(row["n"], variance=1.0, level=row["level"], power=row["power"])
        assert found == pytest.approx(row["delta"], rel=1e-9), row


def test_the_expected_width_of_an_interval_is_its_formula() -> None:
    for row in golden("r_stats")["widths"]:
        assert Width().difference(row["n"], variance=1.0) == pytest.approx(row["width"], rel=1e-9), row
