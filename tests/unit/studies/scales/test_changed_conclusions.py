"""What becomes of significant differences where something else is done, against plain loops with scipy."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from cranfield.core import Direction, ParameterError
from cranfield.data import Given, Values, assess_grades, read_scores
from cranfield.measures import measure_all
from cranfield.stats import Bonferroni
from cranfield.studies.scales.changed_conclusions import changed_sentence, changed_tables

NAN = float("nan")
Test = Callable[[NDArray[np.float64]], float]  # of the differences


def values_of(*, direction: Direction | None = None, **measures: Any) -> Values:
    """Values of runs a, b, … by measures, each a matrix (topic, run); NaN: the topic does not count for the run."""
    cubes = [np.array(matrix, dtype=float).T for matrix in measures.values()]
    runs, topics = cubes[0].shape
    found = read_scores({chr(97 + run): np.nan_to_num(cubes[0][run]) for run in range(runs)})
    return replace(
        found,
        measures=tuple(Given(name, direction=direction if name == "M" else None) for name in measures),
        cube=np.nan_to_num(np.stack(cubes, axis=2)),
        counted=~np.isnan(cubes[0]),
        without_relevant=np.zeros((len(cubes), topics), bool),
    )


def holm(p: Sequence[float]) -> list[float]:
    """Step by step: the smallest times all, the next times one fewer, and never below the one before."""
    adjusted, highest = [NAN] * len(p), 0.0
    asked = sorted((chance, i) for i, chance in enumerate(p) if chance == chance)
    for step, (chance, i) in enumerate(asked):
        highest = max(highest, min(1.0, chance * (len(asked) - step)))
        adjusted[i] = highest
    return adjusted


def t_test(d: NDArray[np.float64]) -> float:
    return float(stats.ttest_1samp(d, 0).pvalue)


def sign_test(d: NDArray[np.float64]) -> float:
    return float(stats.binomtest(int((d > 0).sum()), int((d != 0).sum())).pvalue)


def signed_rank(d: NDArray[np.float64]) -> float:
    assert (d != 0).sum() > 50  # where ours is normal too
    return float(stats.wilcoxon(d, correction=False, method="approx").pvalue)


def ahead(d: NDArray[np.float64]) -> float:
    return float((d > 0).sum() - (d < 0).sum()) / int((d != 0).sum())


def ahead_in_ranks(d: NDArray[np.float64]) -> float:
    d = d[d != 0]
    ranks = stats.rankdata(np.abs(d))
    return float((ranks[d > 0].sum() - ranks[d < 0].sum()) / ranks.sum())


def by_loops(values: Values, level: float) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Both tables, pair by pair."""
    plain, mapped = (np.round(values.matrix(name), 12) for name in ("M", "mapped"))
    pairs = list(combinations(range(len(values.runs)), 2))

    def differences(matrix: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        both = [matrix[:, b] - matrix[:, a] for a, b in pairs]
        return [np.round(d[~np.isnan(d)], 12) for d in both]

    def medians() -> list[float]:
        found = []
        for a, b in pairs:
            both = ~np.isnan(plain[:, a]) & ~np.isnan(plain[:, b])
            found.append(float(np.median(plain[both, b]) - np.median(plain[both, a])))
        return found

    def ways(matrix: NDArray[np.float64], test: Test, look: Test) -> tuple[list[float], list[float]]:
        return holm([test(d) for d in differences(matrix)]), [look(d) for d in differences(matrix)]

    def mean(d: NDArray[np.float64]) -> float:
        return float(d.mean())

    p_from, d_from = ways(plain, t_test, mean)
    after = {
        "mapped, t": ways(mapped, t_test, mean),
        "M, sign": ways(plain, sign_test, ahead),
        "M, signed-rank": ways(plain, signed_rank, ahead_in_ranks),
        "M, median": (ways(plain, sign_test, ahead)[0], medians()),
    }
    counted, changes = [], []
    for to, (p_to, d_to) in after.items():
        row: dict[str, Any] = {"from": "M, t", "to": to, "pairs": len(pairs)}
        row |= dict.fromkeys(("both", "gained", "lost", "neither", "reversed"), 0)
        for i, (a, b) in enumerate(pairs):
            old, new = p_from[i] <= level, p_to[i] <= level
            word = "both" if old and new else "gained" if new else "lost" if old else "neither"
            row[word] += 1
            if word == "both" and d_from[i] * d_to[i] < 0:
                word = "reversed"
                row[word] += 1
            if word in {"gained", "lost", "reversed"}:
                told = (values.runs[a], values.runs[b], d_from[i], p_from[i], d_to[i], p_to[i], word)
                changes.append({"from": "M, t", "to": to} | dict(zip(COLUMNS[2:], told, strict=True)))
        counted.append(row)
    return counted, changes


COLUMNS = ("from", "to", "a", "b", "difference_from", "p_from", "difference_to", "p_to", "change")


def simulated(*, missing: float = 0.0, seed: int = 7) -> Values:
    """Eight runs on seventy topics, some of them better on most topics, some far better on a few."""
    rng = np.random.default_rng(seed)
    topics, runs = 70, 8
    matrix: Any = rng.uniform(0.2, 0.5, size=(topics, 1)) + rng.normal(0, 0.1, size=(topics, runs))
    matrix += np.linspace(0, 0.1, runs)
    lucky = (rng.random((topics, runs)) < 0.1) & (np.arange(runs) < 3)
    matrix = np.round(np.where(lucky, matrix + 0.8, matrix), 3)
    matrix[rng.random(matrix.shape) < missing] = np.nan
    return values_of(M=matrix, mapped=np.sign(matrix) * np.abs(matrix) ** 0.3)


@pytest.mark.parametrize("missing", [0, 0.02])
@pytest.mark.parametrize("level", [0.05, 0.3])
def test_both_tables_by_plain_loops(level: float, missing: float) -> None:
    values = simulated(missing=missing)
    changed, changes = changed_tables(values, "M", mapped="mapped", level=level, seed=3)
    counted, rows = by_loops(values, level)
    assert changed.rows() == counted
    assert changes.columns == COLUMNS
    assert len(rows) > 5
    for found, expected in zip(changes.rows(), rows, strict=True):
        numbers = ("difference_from", "p_from", "difference_to", "p_to")
        assert {k: v for k, v in found.items() if k not in numbers} == {
            k: v for k, v in expected.items() if k not in numbers
        }
        assert [found[name] for name in numbers] == pytest.approx([expected[name] for name in numbers], rel=1e-9)
    assert changed.made_by is not None
    assert changed.made_by.seed == 3


def test_every_kind_of_change_is_among_them() -> None:
    _, changes = changed_tables(simulated(), "M", mapped="mapped")
    assert {"gained", "lost"} <= set(changes.cells("change"))


# b is a little behind in 34 topics, and far ahead in 6: t = .1415/(.3652/√40) = 2.45, p = .019; 34 of 40 signs: 8e-6.
FEW = [[0.5, 0.5 - 0.01 - 0.0001 * i] for i in range(34)] + [[0.5, 1.5 + 0.01 * i] for i in range(6)]


def test_a_difference_turned_round() -> None:
    changed, changes = changed_tables(values_of(M=FEW))
    d = np.array(FEW)[:, 1] - np.array(FEW)[:, 0]
    assert t_test(d) < 0.05
    assert sign_test(d) < 0.001
    assert changed.cells("to") == ["M, sign", "M, signed-rank", "M, median"]  # nothing is mapped
    sign, _, median = changed.rows()
    for row in (sign, median):
        assert [row[name] for name in ("pairs", "both", "reversed", "gained", "lost", "neither")] == [1, 1, 1, 0, 0, 0]
    told = {row["to"]: row for row in changes.rows()}
    assert told["M, sign"]["change"] == told["M, median"]["change"] == "reversed"
    assert told["M, sign"]["difference_from"] == pytest.approx(d.mean())
    assert told["M, sign"]["difference_to"] == pytest.approx((6 - 34) / 40)
    assert told["M, median"]["difference_to"] == pytest.approx(np.median(np.array(FEW)[:, 1]) - 0.5)
    assert told["M, median"]["p_to"] == told["M, sign"]["p_to"] == pytest.approx(sign_test(d))


def test_medians_that_are_equal_turn_nothing_round() -> None:
    # All medians are .5; b is ahead in every other topic, and far behind in none.
    rows = [[0.5, 0.5]] * 21 + [[0.2, 0.4 + 0.001 * i] for i in range(10)] + [[0.6, 0.7 + 0.001 * i] for i in range(10)]
    changed, changes = changed_tables(values_of(M=rows))
    median = changed.rows()[-1]
    assert (median["to"], median["both"], median["reversed"]) == ("M, median", 1, 0)
    assert len(changes) == 0


def test_lower_may_be_better_and_the_mapped_measure_has_it_the_other_way() -> None:
    matrix = np.array([[3.0, 1 + i % 2] for i in range(12)])
    changed, _ = changed_tables(values_of(M=matrix, mapped=-matrix, direction=Direction.LOWER), "M", mapped="mapped")
    assert changed.cells("to")[0] == "mapped, t"
    assert changed.cells("both") == [1, 1, 1, 1]
    assert changed.cells("reversed") == [0, 0, 0, 0]


def test_measures_of_rankings() -> None:
    # As in a study: RR@3, and its places among all values. One run, so nothing can be compared.
    values = measure_all(assess_grades([(0, 1), (1, 0)], [(), ()]), "RR@3 interval(RR@3)")
    with pytest.raises(ParameterError, match="there is only one run"):
        changed_tables(values, "RR@3", mapped="interval(RR@3)")


def test_pairs_without_a_topic_in_common_are_not_significant() -> None:
    matrix = [[0.1, 0.2 + 0.01 * i, NAN] for i in range(10)] + [[NAN, NAN, 0.5]] * 2
    changed, _ = changed_tables(values_of(M=matrix))
    assert changed.cells("pairs") == [3, 3, 3]
    assert changed.cells("both") == [1, 1, 1]
    assert changed.cells("neither") == [2, 2, 2]
    assert changed.notes == tuple(
        f"M, {way}: 2 pairs have no p-value" for way in ("t", "sign", "signed-rank", "median")
    )


def test_other_tests_and_corrections() -> None:
    values = simulated()
    changed, changes = changed_tables(
        values, "M", tests="sign t rank-sum bootstrap", correct=Bonferroni(), draws=99, seed=4
    )
    assert set(changed.cells("from")) == {"M, sign"}
    assert changed.cells("to") == ["M, t", "M, rank-sum", "M, bootstrap(draws=99)", "M, median"]
    assert "bonferroni, significant" in changed.caption
    assert "at level 0.05" in changes.caption
    d = [np.round(values.matrix("M")[:, b] - values.matrix("M")[:, a], 12) for a, b in combinations(range(8), 2)]
    significant = [min(1, 28 * sign_test(one)) <= 0.05 for one in d]
    rows: Any = changed.rows()
    assert [row["both"] + row["lost"] for row in rows] == [sum(significant)] * 4
    # Of 28 pairs none is significant after 99 draws: 28/100 is more than .05.
    assert changed.rows()[2]["both"] == changed.rows()[2]["gained"] == 0
    again = changed_tables(values, "M", tests="sign t rank-sum bootstrap", correct="bonferroni", draws=99, seed=4)
    assert again == (changed, changes)


def test_rank_sum_looks_at_ranks() -> None:
    # In each of the 40 × 40 pairs of values: b above a less a above b.
    _, changes = changed_tables(values_of(M=FEW), tests="t rank-sum")
    told = {row["to"]: row for row in changes.rows()}
    assert told["M, rank-sum"]["difference_to"] == pytest.approx((6 - 34) / 40)


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"level": 1.0}, "the level cannot be"),
        ({"measure": "N"}, "there are no values of N"),
        ({"mapped": "N"}, "there are no values of N"),
        ({"measure": None}, "which measure?"),
        ({"tests": "tost(margin=0.1)"}, "tost looks for equality"),
        ({"tests": "t tost(margin=0.1)"}, "tost looks for equality"),
    ],
)
def test_what_cannot_be_asked(settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(ParameterError, match=problem.replace("?", r"\?")):
        changed_tables(simulated(), **{"measure": "M", "mapped": "mapped"} | settings)


def test_the_sentence() -> None:
    changed, _ = changed_tables(values_of(M=FEW))
    # Signed ranks: the six of b have 35 to 40, together 225 of 820: 2.5 deviations below one half.
    assert changed_sentence(changed) == (
        "M, t tells 1 of 1 pair of runs apart; "
        "M, sign turns round 1; M, signed-rank turns round 1; M, median turns round 1."
    )
    rows = [
        {"from": "M, t", "to": "M, sign", "pairs": 28, "both": 5, "gained": 3, "lost": 2, "reversed": 1},
        {"from": "M, t", "to": "M, median", "pairs": 28, "both": 7, "gained": 0, "lost": 0, "reversed": 0},
        {"from": "N, t", "to": "N, sign", "pairs": 28, "both": 0, "gained": 9, "lost": 0, "reversed": 0},
    ]
    made = type(changed).from_rows(rows, tuple(rows[0]))
    assert changed_sentence(made) == (
        "M, t tells 7 of 28 pairs of runs apart; M, sign gains 3, loses 2 and turns round 1; M, median changes none. "
        "N, t tells 0 of 28 pairs of runs apart; N, sign gains 9."
    )
    assert not changed_sentence(type(changed).from_rows([], tuple(rows[0])))
