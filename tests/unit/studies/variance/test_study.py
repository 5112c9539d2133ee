"""The study `anova`: the analysis, all pairs after it, and the paragraph about both."""

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

import cranfield as cf
from cranfield.core import CranfieldError, ParameterError, ScaleError, Study
from cranfield.data import read_factors, read_replicates
from cranfield.stats import TESTS, Nemenyi
from cranfield.studies.variance.study import p_in_words

TOPICS, RUNS = 10, ("a", "b", "c", "d")
drawn = np.random.default_rng(8)
MATRIX = (drawn.beta(2, 4, (TOPICS, 1)) / 2 + drawn.uniform(0.1, 0.2, (TOPICS, 4)) + [0, 0.04, 0.1, 0.25]).round(3)
SCORES: dict[str, Any] = {"topic": [f"t{i}" for i in range(TOPICS)]} | dict(zip(RUNS, MATRIX.T.tolist(), strict=True))
FACTORS = {"run": ["d", "c", "b", "a"], "stem": ["s", "n", "s", "n"], "model": ["x", "x", "y", "y"]}
CUBE = (drawn.random((3, 6, 3)) + np.array([0, 0.1, 0.6])).round(3)
REPLICATED: dict[str, Any] = {
    "topic": [f"t{t}" for _ in range(3) for t in range(6)],
    "shard": [f"s{r}" for r in range(3) for _ in range(6)],
} | {run: CUBE[:, :, i].ravel().tolist() for i, run in enumerate("abc")}
QRELS = {topic: {"x": 1, "y": 0, "z": 1} for topic in ("1", "2", "3")}
FIRST = {topic: {"x": 3.0, "y": 2.0, "z": 1.0} for topic in ("1", "2", "3")}
SECOND = {"1": {"x": 3.0, "z": 2.0, "y": 1.0}, "2": {"y": 3.0, "x": 2.0, "z": 1.0}, "3": {"y": 1.0}}
THIRD = {"2": {"y": 3.0, "x": 2.0, "z": 1.0}, "3": {"x": 3.0, "z": 2.0}}


def rows(study: Study, table: str = "anova") -> list[dict[str, Any]]:
    return study[table].rows()


def by_source(study: Study) -> dict[str, dict[str, Any]]:
    return {row["source"]: row for row in rows(study)}


def strict(study: Study) -> dict[str, Any]:
    """The JSON object, refused where it holds what is no number."""

    def never(word: str) -> object:
        raise AssertionError(word)

    found: dict[str, Any] = json.loads(study.to_json(), parse_constant=never)
    return found


def sums_of_squares() -> dict[str, float]:
    """By their definitions."""
    mean = MATRIX.mean()
    topic = 4 * ((MATRIX.mean(axis=1) - mean) ** 2).sum()
    system = TOPICS * ((MATRIX.mean(axis=0) - mean) ** 2).sum()
    total = ((MATRIX - mean) ** 2).sum()
    return {"topic": topic, "system": system, "error": total - topic - system, "total": total}


# The analysis


def test_two_ways() -> None:
    found = by_source(cf.anova(SCORES))
    assert list(found) == ["topic", "system", "error", "total"]
    ss = sums_of_squares()
    df = {"topic": 9, "system": 3, "error": 27, "total": 39}
    assert {source: row["df"] for source, row in found.items()} == df
    mse = ss["error"] / 27
    for source, row in found.items():
        assert row["ss"] == pytest.approx(ss[source])
    for source in ("topic", "system"):
        f = ss[source] / df[source] / mse
        p = stats.f.sf(f, df[source], 27)
        assert (found[source]["f"], found[source]["p"]) == pytest.approx((f, p))
        assert found[source]["log10_p"] == pytest.approx(np.log10(p))
        assert found[source]["omega2"] == pytest.approx(df[source] * (f - 1) / (df[source] * (f - 1) + 40))
    assert (found["error"]["f"], found["error"]["p"], found["total"]["ms"]) == (None, None, None)


def test_one_way() -> None:
    study = cf.anova(SCORES, model="one-way")
    peer = stats.f_oneway(*MATRIX.T)
    found = by_source(study)
    assert list(found) == ["system", "error", "total"]
    assert (found["system"]["f"], found["system"]["p"]) == pytest.approx((peer.statistic, peer.pvalue))
    pairs: Any = stats.tukey_hsd(*MATRIX.T)
    low, high = pairs.confidence_interval().low, pairs.confidence_interval().high
    for (i, j), row in zip(combinations(range(4), 2), rows(study, "pairs"), strict=True):
        assert row["p"] == pytest.approx(pairs.pvalue[i, j], abs=1e-8)
        assert (row["low"], row["high"]) == pytest.approx((low[j, i], high[j, i]), abs=1e-6)
    assert study.sentence.startswith("A one-way ANOVA of score (4 runs, 10 topics) gives system: F(3, 36) = ")


def test_ranks_when_asked() -> None:
    found = by_source(cf.anova(SCORES, ranks=True))
    assert list(found)[4:] == ["kruskal-wallis: system", "friedman: system", "friedman: system (Iman–Davenport)"]
    h, p = stats.kruskal(*MATRIX.T)
    assert (found["kruskal-wallis: system"]["f"], found["kruskal-wallis: system"]["p"]) == pytest.approx((h, p))
    chi, p = stats.friedmanchisquare(*MATRIX.T)
    assert (found["friedman: system"]["f"], found["friedman: system"]["p"]) == pytest.approx((chi, p))
    f = (TOPICS - 1) * chi / (TOPICS * 3 - chi)
    iman = found["friedman: system (Iman–Davenport)"]
    assert (iman["f"], iman["p"]) == pytest.approx((f, stats.f.sf(f, 3, 27)))


def test_trec_8(shared_data: Path) -> None:
    """After ferro2024, Table 1; the fourth digits differ because the file has four decimals."""
    study = cf.anova(shared_data / "score-matrices" / "adhoc8_ap.csv")
    found = by_source(study)
    assert [row["df"] for row in found.values()] == [49, 128, 6272, 6449]
    for source, ss in {"topic": 167.9974, "system": 60.0299, "error": 85.3502, "total": 313.3775}.items():
        assert found[source]["ss"] == pytest.approx(ss, abs=1e-3)
    assert (found["topic"]["f"], found["system"]["f"]) == pytest.approx((251.9463, 34.4635), abs=1e-3)
    assert (found["topic"]["omega2"], found["system"]["omega2"]) == pytest.approx((0.6559, 0.3991), abs=5e-5)
    assert (found["topic"]["size"], found["system"]["size"]) == ("large", "large")
    assert found["topic"]["p"] == 0  # too small for a float
    assert -1430 < found["topic"]["log10_p"] < -1400
    assert study.verdict is not None
    assert (study.verdict["pairs"], study.verdict["significant"]) == (8256, 3423)
    assert study.verdict["half_width"] == pytest.approx(0.0515, abs=5e-5)
    assert sum(row["significant"] for row in rows(study, "pairs")) == 3423
    shares = [row["share"] for row in rows(study, "components")]
    assert shares == pytest.approx([0.54, 0.19, 0.27], abs=0.01)  # DESIGN: topic, system, error
    assert "tells 3,423 of 8,256 pairs apart (41.5%): those whose means are more than 0.1030 apart" in study.sentence
    assert "0 = " not in study.sentence
    assert "p = 0," not in study.sentence


def test_an_error_that_is_known(shared_data: Path) -> None:
    file = shared_data / "score-matrices" / "adhoc8_ap.csv"
    known, plain = cf.anova(file, df="inf"), cf.anova(file)
    assert known.verdict is not None
    assert plain.verdict is not None
    mse = by_source(plain)["error"]["ms"]
    q = stats.studentized_range.ppf(0.95, 129, np.inf)
    assert known.verdict["half_width"] == pytest.approx(q * np.sqrt(mse / 50) / 2, rel=1e-6)
    assert known.verdict["half_width"] < plain.verdict["half_width"]
    assert "∞ degrees of freedom" in known["pairs"].caption
    assert "6,272 degrees of freedom" in plain["pairs"].caption


# All pairs


def test_tukey_after_two_ways() -> None:
    study = cf.anova(SCORES, level=0.1)
    error = np.sqrt(sums_of_squares()["error"] / 27 / TOPICS)
    width = stats.studentized_range.ppf(0.9, 4, 27) * error
    assert study.verdict is not None
    assert study.verdict["half_width"] == pytest.approx(width / 2, rel=1e-6)
    for (i, j), row in zip(combinations(range(4), 2), rows(study, "pairs"), strict=True):
        difference = MATRIX[:, j].mean() - MATRIX[:, i].mean()
        p = stats.studentized_range.sf(abs(difference) / error, 4, 27)
        assert (row["a"], row["b"]) == (RUNS[i], RUNS[j])
        assert row["difference"] == pytest.approx(difference)
        assert row["q"] == pytest.approx(abs(difference) / error)
        assert row["p"] == pytest.approx(p, abs=1e-8)
        assert row["significant"] == (p <= 0.1)
        assert (row["low"], row["high"]) == pytest.approx((difference - width, difference + width), abs=1e-6)


def test_systems_are_in_order_with_intervals_and_letters() -> None:
    study = cf.anova(SCORES)
    found = rows(study, "systems")
    assert [row["run"] for row in found] == ["d", "c", "b", "a"]
    assert [row["mean"] for row in found] == pytest.approx(sorted(MATRIX.mean(axis=0), reverse=True))
    assert study.verdict is not None
    for row in found:
        assert row["high"] - row["mean"] == pytest.approx(study.verdict["half_width"])
        assert row["mean"] - row["low"] == pytest.approx(study.verdict["half_width"])
    letters = {row["run"]: set(row["letters"]) for row in found}
    for row in rows(study, "pairs"):
        assert row["significant"] == (not letters[row["a"]] & letters[row["b"]])


def test_equal_means_are_in_the_order_of_the_runs_in_any_unit() -> None:
    # Both means are 0.2; as floats 0.1 + 0.2 + 0.3 is larger than 0.3 + 0.2 + 0.1.
    first, second = [0.1, 0.2, 0.3], [0.3, 0.2, 0.1]
    for unit in (1.0, 0.1, 3.0, 7.0):
        for values in ({"a": first, "b": second}, {"a": second, "b": first}):
            scaled = {run: [unit * value for value in column] for run, column in values.items()}
            assert cf.anova(scaled)["systems"].cells("run") == ["a", "b"]


@pytest.mark.parametrize("after", [name for name in TESTS.names() if name != "tost"])
def test_any_test_after_it(after: str) -> None:
    study = cf.anova(SCORES, after=after, draws=99)
    asked = cf.test(SCORES, after, draws=99)
    adjusted = [row["p_adjusted"] for row in asked["tests"].rows()]
    assert [row["p"] for row in rows(study, "pairs")] == pytest.approx(adjusted)
    letters = {row["run"]: set(row["letters"]) for row in rows(study, "systems")}
    for row in rows(study, "pairs"):
        assert row["significant"] == (row["p"] <= 0.05) == (not letters[row["a"]] & letters[row["b"]])
    strict(study)


@pytest.mark.parametrize("after", ["t", "sign", "signed-rank"])
def test_intervals_of_pairs_are_corrected_as_p_is_and_enclose_the_difference(after: str) -> None:
    found = rows(cf.anova(SCORES, after=after), "pairs")
    asked = cf.test(SCORES, after)["tests"].rows()
    for row, same in zip(found, asked, strict=True):
        ends = (same["low"], same["high"]) if after == "t" else (None, None)  # the others are not of means
        assert (row["low"], row["high"]) == ends


def test_bootstrap_intervals_of_pairs_widen_with_the_correction() -> None:
    corrected, raw = (
        rows(cf.anova(SCORES, bootstrap=True, draws=999, correct=correct), "pairs") for correct in ("bh", "none")
    )
    for wide, narrow in zip(corrected, raw, strict=True):
        assert wide["low"] < narrow["low"] < narrow["high"] < wide["high"]


def test_other_corrections() -> None:
    p = [row["p"] for row in rows(cf.test(SCORES, "t", correct="none"), "tests")]
    bonferroni = [row["p"] for row in rows(cf.anova(SCORES, after="t", correct="bonferroni"), "pairs")]
    assert bonferroni == pytest.approx([min(1.0, 6 * each) for each in p])
    study = cf.anova(SCORES, after="t", correct="bonferroni")
    assert "Student's paired t, bonferroni over 6 pairs, at a level of 0.05 tells" in study.sentence
    assert study["pairs"].caption.endswith("; bonferroni over 6 pairs")


def test_bootstrap_is_corrected_by_bh() -> None:
    study = cf.anova(SCORES, bootstrap=True, draws=500, seed=4)
    assert "Bootstrap ANOVA, bh over 6 pairs" in study.sentence
    p = [row["p"] for row in rows(cf.anova(SCORES, bootstrap=True, draws=500, seed=4, correct="none"), "pairs")]
    assert [row["p"] for row in rows(study, "pairs")] == pytest.approx(stats.false_discovery_control(p).tolist())
    assert all(0 < each <= 1 and each * 501 == pytest.approx(round(each * 501)) for each in p)
    assert study.verdict is not None
    assert study.verdict["half_width"] is None
    again = cf.anova(SCORES, bootstrap=True, draws=500, seed=4, threads=2)
    assert rows(again, "pairs") == rows(study, "pairs")
    assert study.made_by is not None
    assert study.made_by.seed == 4


def test_a_test_may_be_a_value() -> None:
    assert rows(cf.anova(SCORES, after=Nemenyi()), "pairs") == rows(cf.anova(SCORES, after="nemenyi"), "pairs")


# Factors and replicates


EIGHT = SCORES | {run.upper(): [1.1 * value + 0.01 * i for i, value in enumerate(SCORES[run])] for run in RUNS}
PARTS = {
    "run": [*FACTORS["run"], *map(str.upper, FACTORS["run"])],
    "stem": FACTORS["stem"] * 2,
    "model": FACTORS["model"] * 2,
}


def test_factors_cross() -> None:
    study = cf.anova(EIGHT, factors=PARTS)
    found = by_source(study)
    assert list(found) == ["topic", "stem", "model", "stem×model", "rest of system", "error", "total"]
    means = {run: float(np.mean(EIGHT[run])) for run in PARTS["run"]}
    level = {
        name: np.mean([means[run] for run, own in zip(PARTS["run"], PARTS["stem"], strict=True) if own == name])
        for name in "sn"
    }
    assert found["stem"]["ss"] == pytest.approx(TOPICS * 8 * ((level["s"] - level["n"]) / 2) ** 2)
    # The unit is the run: F divides by the mean square of runs.
    assert found["stem"]["f"] == pytest.approx(found["stem"]["ms"] / found["rest of system"]["ms"])
    assert "stem: F(1, 4) = " in study.sentence
    assert study.sentence.startswith("An ANOVA of score (8 runs, 10 topics) gives topic: F(")
    levels = {(row["factor"], row["level"]): row for row in rows(study, "levels")}
    assert levels["stem", "s"]["mean"] == pytest.approx(level["s"])
    assert levels["stem", "s"]["runs"] == 4
    assert list(study.tables)[:2] == ["anova", "levels"]


def test_one_factor_is_nested() -> None:
    study = cf.anova(SCORES, factors={name: FACTORS[name] for name in ("run", "stem")})
    assert list(by_source(study)) == ["topic", "stem", "system(stem)", "error", "total"]
    nested = cf.anova(EIGHT, factors=PARTS, nested=True)
    assert list(by_source(nested)) == ["topic", "stem", "model(stem)", "system(stem model)", "error", "total"]
    met = cf.anova(EIGHT, factors=PARTS, interactions=True)
    assert {"topic×stem", "topic×model"} < set(by_source(met))


def test_random_topics_and_covariates() -> None:
    one = {name: PARTS[name] for name in ("run", "stem")}
    study = cf.anova(EIGHT, factors=one, random="topic")
    assert list(by_source(study)) == ["topic", "stem", "system(stem)", "topic×stem", "error", "total"]
    assert "topic×stem − error" in study["anova"].notes[0]
    sizes = {"run": PARTS["run"], "size": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 9.0]}
    numbers = cf.anova(EIGHT, factors=sizes, covariates=["size"])
    assert "size: F(1, 6) = " in numbers.sentence
    assert len(numbers["levels"]) == 0


@pytest.mark.parametrize("options", [{"interactions": True}, {"random": "topic"}], ids=str)
@pytest.mark.parametrize("after", ["tukey", "scheffe"])
def test_a_topic_factor_interaction_stays_in_the_error_of_pairs(after: str, options: dict[str, Any]) -> None:
    one = {name: PARTS[name] for name in ("run", "stem")}
    plain, separated = cf.anova(EIGHT, after=after), cf.anova(EIGHT, after=after, factors=one, **options)
    assert by_source(separated)["error"]["df"] < by_source(plain)["error"]["df"]
    assert rows(separated, "pairs") == rows(plain, "pairs")
    assert rows(separated, "systems") == rows(plain, "systems")
    assert separated.verdict is not None
    assert plain.verdict is not None
    assert separated.verdict["half_width"] == plain.verdict["half_width"]


def test_run_type_is_tested_against_runs(shared_data: Path) -> None:
    """The 22 runs of round 1 of TREC-COVID: p = .168, not the 1e-13 of a test against the error of single values."""
    folder = shared_data / "trec-covid"
    values = cf.evaluate(folder / "qrels-rnd1.txt", folder / "runs", "nDCG@10", compat="trec_eval-9")
    board = pl.read_csv(folder / "leaderboard-round1.csv")
    types = {str(run): str(kind) for run, kind in board.select("run", "runtype").iter_rows()}
    study = cf.anova(values, factors={"run": list(values.runs), "type": [types[run] for run in values.runs]})
    assert by_source(study)["type"]["p"] == pytest.approx(0.168, abs=5e-4)


def test_factors_are_an_input(tmp_path: Path) -> None:
    file = tmp_path / "factors.csv"
    pl.DataFrame(PARTS).write_csv(file)
    study = cf.anova(EIGHT, factors=file)
    assert study.made_by is not None
    assert [(source.name, source.kind) for source in study.made_by.inputs] == [
        ("scores", "scores"),
        (str(file), "factors"),
    ]
    assert rows(study) == rows(cf.anova(EIGHT, factors=read_factors(PARTS)))


def test_replicates_tell_interaction_from_error() -> None:
    study = cf.anova(REPLICATED)
    found = by_source(study)
    cell, mean = CUBE.mean(axis=0), CUBE.mean()
    topic, run = cell.mean(axis=1, keepdims=True), cell.mean(axis=0, keepdims=True)
    both = 3 * ((cell - topic - run + mean) ** 2).sum()
    error = ((CUBE - cell) ** 2).sum()
    assert list(found) == ["topic", "system", "topic×system", "error", "total"]
    assert (found["topic×system"]["ss"], found["error"]["ss"]) == pytest.approx((both, error))
    assert (found["topic×system"]["df"], found["error"]["df"]) == (10, 36)
    f = (both / 10) / (error / 36)
    assert (found["topic×system"]["f"], found["topic×system"]["p"]) == pytest.approx((f, stats.f.sf(f, 10, 36)))
    assert study.sentence.startswith(
        "A two-way ANOVA with interaction of score (3 runs, 6 topics, 3 replicates) gives topic: F(5, 36) = "
    )
    assert rows(cf.anova(read_replicates(REPLICATED))) == rows(study)
    assert rows(cf.anova(pl.DataFrame(REPLICATED))) == rows(study)


@pytest.mark.parametrize(
    ("options", "within"), [({}, True), ({"bootstrap": True, "draws": 20}, True), ({"after": "t"}, False)], ids=str
)
def test_an_error_of_replicates_is_about_these_topics(options: dict[str, Any], within: bool) -> None:
    assert ("holds for these topics only" in cf.anova(REPLICATED, **options).sentence) is within
    assert "holds for these topics only" not in cf.anova(SCORES).sentence


def test_replicates_as_a_source() -> None:
    factor = by_source(cf.anova(REPLICATED, replicates="factor"))
    assert list(factor) == ["topic", "system", "replicate", "topic×system", "error", "total"]
    study = cf.anova(REPLICATED, replicates="interacting")
    assert {"topic×replicate", "system×replicate"} < set(by_source(study))
    assert study.sentence.startswith("An ANOVA of score (3 runs, 6 topics, 3 replicates) gives topic: ")


# What is said


def test_the_paragraph() -> None:
    found = by_source(cf.anova(SCORES))
    topic, system = found["topic"], found["system"]
    study = cf.anova(SCORES)
    assert study.verdict is not None
    many, width = study.verdict["significant"], 2 * study.verdict["half_width"]
    assert study.sentence.startswith(
        f"A two-way ANOVA without interaction of score (4 runs, 10 topics) gives "
        f"topic: F(9, 27) = {topic['f']:.4g}, {p_in_words(topic['p'], topic['log10_p'])}, "
        f"ω² = {topic['omega2']:.3f} ({topic['size']}); "
        f"system: F(3, 27) = {system['f']:.4g}, {p_in_words(system['p'], system['log10_p'])}, "
        f"ω² = {system['omega2']:.3f} ({system['size']}). "
        f"Tukey's honestly significant difference, corrected for all pairs, at a level of 0.05 "
        f"tells {many} of 6 pairs apart ({many / 6:.1%}): those whose means are more than {width:.4f} apart. "
        f"d has the highest mean, {MATRIX[:, 3].mean():.4f}; "
    )


@pytest.mark.parametrize(
    ("p", "log10_p", "said"),
    [
        (1.0, 0.0, "p = 1.0000"),
        (0.04996, np.log10(0.04996), "p = 0.0500"),
        (1e-4, -4.0, "p = 0.0001"),
        (9.9e-5, np.log10(9.9e-5), "p < 1e-4"),
        (4.7e-8, np.log10(4.7e-8), "p < 1e-7"),
        (0.0, -1426.9, "p < 1e-1426"),
    ],
)
def test_a_chance_in_words(p: float, log10_p: float, said: str) -> None:
    assert p_in_words(p, log10_p) == said
    if "<" in said:
        assert log10_p < float(said.partition("e")[2])


def test_who_is_like_the_best() -> None:
    same = {"a": [0.1, 0.5, 0.3], "b": [0.2, 0.4, 0.3], "c": [0.3, 0.2, 0.4]}
    assert "2 other runs cannot be told from it" in cf.anova(same).sentence
    assert "1 other run cannot be told from it" in cf.anova({name: same[name] for name in ("a", "b")}).sentence
    moved = {"a": [0.1, 0.2, 0.3, 0.4], "b": [0.9, 1.0, 1.2, 1.2]}
    assert "b has the highest mean, 1.0750; it differs from all others." in cf.anova(moved).sentence


def test_the_best_may_be_the_lowest() -> None:
    values = cf.evaluate(QRELS, {"first": FIRST, "second": SECOND}, "ESL")
    study = cf.anova(values)
    # first: relevant at rank 1 in every topic; second: 1, 2, and nothing found
    assert rows(study, "systems")[0]["run"] == "first"
    assert "first has the lowest mean, 1.0000" in study.sentence


def test_topics_that_some_run_lacks() -> None:
    values = cf.evaluate(QRELS, {"first": FIRST, "second": SECOND, "third": THIRD}, "P@2", topics="both")
    study = cf.anova(values)
    assert "1 of 3 topics are left out: some run has no value there" in study["anova"].notes
    assert "(3 runs, 2 topics)" in study.sentence


def test_a_transform_is_named() -> None:
    study = cf.anova(SCORES, transform="arcsine-root")
    assert study["anova"].caption == "analysis of variance of arcsine-root of score"
    assert study.sentence.startswith("A two-way ANOVA without interaction of arcsine-root of score (")
    bent = dict(zip(RUNS, np.arcsin(np.sqrt(MATRIX)).T.tolist(), strict=True))
    assert by_source(study)["system"]["f"] == pytest.approx(by_source(cf.anova(bent))["system"]["f"])


def test_scale() -> None:
    values = cf.evaluate(QRELS, {"first": FIRST, "second": SECOND}, "AP")
    study = cf.anova(values)
    said = "ANOVA and tukey need interval numbers; AP is ordinal (ferrante2021)"
    assert any(note.startswith(f"{said}. Friedman") for note in study["anova"].notes)
    assert f"Caveats: {said}" in study.sentence
    quiet = cf.anova(values, scale="ignore")
    assert not [note for note in quiet["anova"].notes if "ordinal" in note]
    assert "ordinal" not in quiet.sentence
    with pytest.raises(ScaleError, match="ANOVA and tukey need interval numbers; AP is ordinal"):
        cf.anova(values, scale="refuse")


def test_one_measure_of_several() -> None:
    values = cf.evaluate(QRELS, {"first": FIRST, "second": SECOND}, "AP P@2")
    assert cf.anova(values, measure="P@2")["anova"].caption == "analysis of variance of P@2"
    with pytest.raises(ParameterError) as caught:
        cf.anova(values)
    assert (caught.value.problem, caught.value.hint) == ("which measure?", "there are: AP, P@2")


def test_boxes_hold_every_value() -> None:
    found = rows(cf.anova(SCORES), "boxes")
    for run, values in zip(RUNS, MATRIX.T, strict=True):
        box, *beyond = (row for row in found if row["run"] == run)
        q1, median, q3 = np.quantile(values, [0.25, 0.5, 0.75])
        assert (box["q1"], box["median"], box["q3"]) == pytest.approx((q1, median, q3))
        far = sorted(v for v in values if not q1 - 1.5 * (q3 - q1) <= v <= q3 + 1.5 * (q3 - q1))
        assert [row["outlier"] for row in beyond] == pytest.approx(far)
        near = [v for v in values if v not in far]
        assert (box["low"], box["high"]) == pytest.approx((min(near), max(near)))


# At the edges


EDGES: dict[str, dict[str, list[float]]] = {
    "identical": {"a": [0.1, 0.5, 0.2], "b": [0.1, 0.5, 0.2], "c": [0.1, 0.5, 0.2]},
    "all zero": {"a": [0.0] * 4, "b": [0.0] * 4},
    "moved": {"a": [0.1, 0.2, 0.3], "b": [0.2, 0.3, 0.4], "c": [0.4, 0.5, 0.6]},
    "two topics": {"a": [0.1, 0.2], "b": [0.4, 0.1], "c": [0.3, 0.3]},
    "two runs": {"a": [0.1, 0.2, 0.7], "b": [0.4, 0.1, 0.8]},
    "huge": {"a": [1e15, 3e15, 2e15], "b": [2e15, 1e15, 5e15]},
    "no topic differs": {"a": [0.1, 0.1, 0.1], "b": [0.2, 0.2, 0.2]},
}


@pytest.mark.parametrize("name", EDGES)
@pytest.mark.parametrize(
    "options", [{}, {"model": "one-way"}, {"ranks": True}, {"bootstrap": True, "draws": 30}, {"df": "inf"}], ids=str
)
def test_at_every_edge(options: dict[str, Any], name: str) -> None:
    study = cf.anova(EDGES[name], **options)
    found = strict(study)["tables"]
    assert all(0 <= row["p"] <= 1 for row in found["pairs"])
    assert all(row["letters"] for row in found["systems"])
    assert "nan" not in study.sentence.casefold()


@pytest.mark.parametrize("name", ["identical", "all zero"])
def test_identical_runs_do_not_differ(name: str) -> None:
    study = cf.anova(EDGES[name], ranks=True)
    found = by_source(study)
    assert {row["p"] for source, row in found.items() if "system" in source} == {1.0}
    assert {(row["difference"], row["p"], row["significant"]) for row in rows(study, "pairs")} == {(0.0, 1.0, False)}
    assert {row["letters"] for row in rows(study, "systems")} == {"a"}
    assert study.verdict is not None
    assert study.verdict["significant"] == 0


@pytest.mark.parametrize("name", ["moved", "no topic differs", "identical", "two topics"])
def test_an_error_of_zero_is_reported(name: str) -> None:
    study = cf.anova(EDGES[name])
    reported = name in ("moved", "no topic differs")
    assert any("the error is 0" in note for note in study["anova"].notes) is reported
    assert ("the error is 0" in study.sentence) is reported


def test_topics_that_all_agree_have_the_exact_chance() -> None:
    """Two of the four orders of two runs in two topics agree."""
    study = cf.anova({"topic": ["1", "2"], "a": [0.1, 0.3], "b": [0.2, 0.4]}, ranks=True)
    assert by_source(study)["friedman: system (Iman–Davenport)"]["p"] == pytest.approx(2 / 4)
    assert any("all topics have one order" in note for note in study["anova"].notes)


# What is refused


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"level": 0}, "the level cannot be 0"),
        ({"after": "tuckey"}, "there is no test named 'tuckey'"),
        ({"after": "t sign"}, "'t sign' holds 2 tests where one is wanted"),
        ({"after": "tost"}, "tost looks for equality, not for differences"),
        ({"df": "inf", "after": "nemenyi"}, "nemenyi has no degrees of freedom to choose"),
        ({"correct": "xx"}, "there is no correction named 'xx'"),
        ({"transform": "logt"}, "there is no transform named 'logt'"),
        ({"norms": "norms.csv"}, "there are norms, but no transform that goes by them"),
        ({"model": "three-way"}, "the model cannot be 'three-way'"),
        ({"nested": True}, "nested, crossed, interactions, random and covariates need factors of runs"),
        ({"nested": False}, "nested, crossed, interactions, random and covariates need factors of runs"),
        ({"interactions": True}, "nested, crossed, interactions, random and covariates need factors of runs"),
        ({"replicates": "factor"}, "the scores have no column for the replicate"),
        ({"factors": FACTORS, "model": "one-way"}, "the one-way model has no place for factors"),
        ({"factors": {"run": ["a", "b"], "x": ["1", "2"]}}, "factors: there is no row for run c, d"),
        ({"measure": "AP"}, "there are no values of AP"),
        ({"bootstrap": True, "draws": 0}, "there cannot be 0 draws"),
        ({"scale": "warn"}, "the scale policy cannot be 'warn'"),
    ],
    ids=str,
)
def test_refused(given: dict[str, Any], problem: str) -> None:
    with pytest.raises(CranfieldError) as caught:
        cf.anova(SCORES, **given)
    assert caught.value.problem == problem
    assert caught.value.hint
    assert "\n" not in caught.value.problem + caught.value.hint


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (
            {"factors": {"run": ["a", "b", "c"], "x": ["1", "2", "2"]}},
            "replicates go with neither factors nor transforms",
        ),
        ({"transform": "z-score"}, "replicates go with neither factors nor transforms"),
        ({"norms": "norms.csv"}, "replicates go with neither factors nor transforms"),
        ({"model": "one-way"}, "the one-way model has no place for replicates"),
    ],
    ids=str,
)
def test_refused_with_replicates(given: dict[str, Any], problem: str) -> None:
    with pytest.raises(ParameterError) as caught:
        cf.anova(REPLICATED, **given)
    assert caught.value.problem == problem


@pytest.mark.parametrize("scores", [{"a": [0.1, 0.2]}, {"a": [0.1], "b": [0.2]}], ids=["one run", "one topic"])
def test_too_few(scores: dict[str, list[float]]) -> None:
    with pytest.raises(ParameterError, match="too few to analyse"):
        cf.anova(scores)


def test_no_topic_is_complete() -> None:
    values = cf.evaluate(QRELS, {"a": {"1": {"x": 1.0}}, "b": {"2": {"x": 1.0}}}, "AP", topics="both")
    with pytest.raises(ParameterError, match="no topic in which every run has a value"):
        cf.anova(values)
