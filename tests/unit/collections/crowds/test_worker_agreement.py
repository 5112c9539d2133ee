"""Agreement of workers: published examples, definitions written out as loops, and what redrawn items say."""

from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from cranfield.collections import cohen, crowd_agreement_table, fleiss, krippendorff
from cranfield.collections.crowds import agreement_tables as tables
from cranfield.collections.crowds.worker_agreement import METRICS, Metric, Patterns, WorkerPairs, within
from cranfield.core import ParameterError, Table
from cranfield.data import Answers, read_labels
from tests.support.worker_labels import labels_of

# Observers × units, "." where an observer has no value. The first is the computational example of the article
# "Krippendorff's alpha" in Wikipedia, the second that of krippendorff2011 (C).
THREE = """
. . . . . 3 4 1 2 1 1 3 3 . 3
1 . 2 1 3 3 4 3 . . . . . . .
. . 2 1 3 4 4 . 2 1 1 3 3 . 4
"""
FOUR = """
1 2 3 3 2 1 4 1 2 . . .
1 2 3 3 2 2 4 1 2 5 . 3
. 3 3 3 2 3 4 2 2 5 1 .
1 2 3 3 2 4 4 1 2 5 1 .
"""
# How many of 14 raters gave each of 10 subjects each of 5 grades: the worked example of "Fleiss' kappa" in Wikipedia.
FOURTEEN = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]
# fleiss1971 Table 1: 30 patients, 6 diagnoses each, of 5 kinds; as R's irr has them (`diagnoses`).
DIAGNOSES = """
444444 222555 233335 555555 222444 113333 333355 113334 114444 555555 144444 124444 222333 144444 224445
333335 111455 111112 224444 133555 555555 244444 224555 114444 144445 222224 111155 224444 133333 555555
""".split()
# The second and third rater of `anxiety` in R's irr, who give 1, 2, 3, 4 and 6.
ANXIETY = (
    [3, 6, 4, 6, 2, 4, 2, 4, 3, 3, 2, 3, 3, 3, 2, 2, 1, 3, 3, 4],
    [2, 1, 4, 4, 3, 2, 1, 6, 1, 1, 1, 2, 3, 3, 1, 1, 3, 3, 2, 2],
)


def answers(rows: list[tuple[int, int, int]], *, items: int, workers: int, choices: int) -> Answers:
    """From rows of item, worker and choice."""
    item, worker, choice = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    return Answers(item, worker, choice, items, workers, choices)


def observed(matrix: str) -> tuple[Answers, NDArray[np.float64]]:
    lines = [line.split() for line in matrix.split("\n") if line]
    grades = sorted({float(cell) for line in lines for cell in line if cell != "."})
    rows = [
        (unit, observer, grades.index(float(cell)))
        for observer, line in enumerate(lines)
        for unit, cell in enumerate(line)
        if cell != "."
    ]
    return answers(rows, items=len(lines[0]), workers=len(lines), choices=len(grades)), np.array(grades)


def counted(counts: list[list[int]]) -> Answers:
    rows = [
        (item, worker, choice)
        for item, row in enumerate(counts)
        for worker, choice in enumerate(np.repeat(range(len(row)), row).tolist())
    ]
    return answers(rows, items=len(counts), workers=max(map(sum, counts)), choices=len(counts[0]))


def some(seed: int, *, items: int = 12, workers: int = 6, choices: int = 4, share: float = 0.5) -> Answers:
    random = np.random.default_rng(seed)
    rows = [
        (i, w, int(random.integers(choices))) for i in range(items) for w in range(workers) if random.random() < share
    ]
    return answers(rows, items=items, workers=workers, choices=choices)


def by_item(given: Answers) -> list[list[int]]:
    """The choices of the labels of each item that has two or more."""
    found = [given.choice[given.item == i].tolist() for i in range(given.items)]
    return [choices for choices in found if len(choices) > 1]


def distance(c: int, d: int, heights: NDArray[np.float64], metric: Metric, every: list[int]) -> float:
    if metric == "nominal":
        return float(c != d)
    if metric == "interval":
        return float(heights[c] - heights[d]) ** 2
    if metric == "ratio":
        return float((heights[c] - heights[d]) / (heights[c] + heights[d])) ** 2 if c != d else 0.0
    low, high = min(c, d), max(c, d)
    between = sum(low <= g <= high for g in every)
    return (between - (every.count(c) + every.count(d)) / 2) ** 2


def slow_krippendorff(given: Answers, heights: NDArray[np.float64], metric: Metric) -> float:
    """1 − D_o / D_e: over all ordered pairs of labels within an item, and over all ordered pairs at all."""
    units = by_item(given)
    every = [c for unit in units for c in unit]
    within_items = sum(
        distance(c, d, heights, metric, every) / (len(unit) - 1) for unit in units for c, d in permutations(unit, 2)
    )
    at_all = sum(distance(c, d, heights, metric, every) for c, d in permutations(every, 2))
    return 1 - (within_items / len(every)) / (at_all / (len(every) * (len(every) - 1)))


def slow_fleiss(given: Answers) -> float:
    units = by_item(given)
    every = [c for unit in units for c in unit]
    equal = [sum(c == d for c, d in permutations(unit, 2)) / (len(unit) * (len(unit) - 1)) for unit in units]
    chance = sum((every.count(c) / len(every)) ** 2 for c in set(every))
    return (sum(equal) / len(equal) - chance) / (1 - chance)


def slow_cohen(a: list[int], b: list[int], power: int) -> float:
    """1 − the cost of what is said of the same item beside that of what is said of any two."""

    def cost(c: int, d: int) -> float:
        return float(abs(c - d) ** power) if c != d else 0.0

    seen = sum(cost(c, d) for c, d in zip(a, b, strict=True)) / len(a)
    chance = sum(cost(c, d) for c in a for d in b) / len(a) ** 2
    return 1 - seen / chance


def slow_mean_cohen(given: Answers, times: list[int] | None = None) -> float:
    """The mean κ of workers who share two items; an item may count several times."""
    total = weight = 0.0
    for one, other in combinations(range(given.workers), 2):
        said: dict[int, dict[int, int]] = {one: {}, other: {}}
        for item, worker, choice in zip(given.item.tolist(), given.worker.tolist(), given.choice.tolist(), strict=True):
            if worker in said:
                said[worker][item] = choice
        shared = sorted(set(said[one]) & set(said[other]))
        again = [item for item in shared for _ in range(times[item] if times else 1)]
        a, b = ([said[worker][item] for item in again] for worker in (one, other))
        if len(shared) > 1 and len({*a, *b}) > 1:
            total, weight = total + len(again) * slow_cohen(a, b, 0), weight + len(again)
    return total / weight


@pytest.mark.parametrize(("metric", "expected"), [("nominal", 0.691358), ("interval", 0.810845)])
def test_alpha_of_three_observers_is_that_of_the_published_example(metric: Metric, expected: float) -> None:
    assert krippendorff(*observed(THREE), metric) == pytest.approx(expected, abs=5e-7)


@pytest.mark.parametrize(
    ("metric", "expected"), [("nominal", 0.743421), ("ordinal", 0.815388), ("interval", 0.849107), ("ratio", 0.797403)]
)
def test_alpha_of_four_observers_is_that_of_the_published_example(metric: Metric, expected: float) -> None:
    assert krippendorff(*observed(FOUR), metric) == pytest.approx(expected, abs=5e-7)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("seed", range(5))
def test_alpha_is_its_definition_over_all_pairs(metric: Metric, seed: int) -> None:
    given, heights = some(seed), np.array([0.0, 1.0, 2.5, 7.0])
    assert krippendorff(given, heights, metric) == pytest.approx(slow_krippendorff(given, heights, metric), abs=1e-12)


def test_kappa_of_fourteen_raters_is_that_of_the_published_example() -> None:
    assert fleiss(counted(FOURTEEN)) == pytest.approx(0.209931, abs=5e-7)


def test_kappa_of_diagnoses_is_that_of_fleiss() -> None:
    rows = [(i, w, int(c) - 1) for i, said in enumerate(DIAGNOSES) for w, c in enumerate(said)]
    # fleiss1971 prints .430; R's irr, kappam.fleiss(diagnoses): .4302445.
    assert fleiss(answers(rows, items=30, workers=6, choices=5)) == pytest.approx(0.4302445, abs=5e-8)


@pytest.mark.parametrize("seed", range(5))
def test_kappa_is_its_definition_where_items_differ_in_labels(seed: int) -> None:
    given = some(seed)
    assert len({len(unit) for unit in by_item(given)}) > 1
    assert fleiss(given) == pytest.approx(slow_fleiss(given), abs=1e-12)


def test_items_with_one_label_say_nothing() -> None:
    given, heights = observed(FOUR)
    lonely = [(given.items, 0, 4), (given.items + 1, 1, 0)]
    rows = [*zip(given.item.tolist(), given.worker.tolist(), given.choice.tolist(), strict=True), *lonely]
    more = answers(rows, items=given.items + 3, workers=4, choices=5)  # the last has no label at all
    assert fleiss(more) == fleiss(given)
    assert krippendorff(more, heights, "ordinal") == krippendorff(given, heights, "ordinal")


@pytest.mark.parametrize(("weights", "expected"), [("none", 0.4842), ("linear", 0.4701)])
def test_cohen_of_a_table_is_that_of_sas(weights: str, expected: float) -> None:
    # The simple and the weighted kappa that SAS prints for this table, as in the tests of statsmodels.
    table = [[0, 4, 1], [0, 8, 0], [0, 1, 5]]
    a, b = np.array([(i, j) for i in range(3) for j in range(3) for _ in range(table[i][j])]).T
    assert cohen(a, b, choices=3, weights=weights) == pytest.approx(expected, abs=5e-5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("weights", "expected"), [("none", -0.006289308), ("linear", 0.1459075), ("quadratic", 0.2520325)]
)
def test_cohen_of_two_raters_is_that_of_irr(weights: str, expected: float) -> None:
    # R's irr: kappa2(anxiety[,2:3], "unweighted" | "equal" | "squared").
    a, b = (np.searchsorted([1, 2, 3, 4, 6], said) for said in ANXIETY)
    assert cohen(a, b, choices=5, weights=weights) == pytest.approx(expected, abs=5e-8)  # type: ignore[arg-type]


@pytest.mark.parametrize(("weights", "power"), [("none", 0), ("linear", 1), ("quadratic", 2)])
def test_cohen_is_its_definition_over_all_pairs(weights: str, power: int) -> None:
    a, b = np.random.default_rng(power).integers(0, 4, (2, 30))
    expected = slow_cohen(a.tolist(), b.tolist(), power)
    assert cohen(a, b, choices=4, weights=weights) == pytest.approx(expected, abs=1e-12)  # type: ignore[arg-type]


def test_what_cannot_differ_has_no_kappa_and_no_alpha() -> None:
    same = answers([(i, w, 1) for i in range(3) for w in range(2)], items=3, workers=2, choices=3)
    assert np.isnan(fleiss(same))
    assert all(np.isnan(krippendorff(same, np.arange(3.0), metric)) for metric in METRICS)
    assert np.isnan(cohen(np.ones(3, int), np.ones(3, int), choices=2))
    assert np.isnan(cohen(np.ones(0, int), np.ones(0, int), choices=2))
    alone = answers([(0, 0, 1), (1, 1, 0)], items=2, workers=2, choices=2)
    assert np.isnan(fleiss(alone))
    assert np.isnan(krippendorff(alone, np.arange(2.0)))


def test_full_agreement_is_one() -> None:
    full = answers([(i, w, i % 3) for i in range(6) for w in range(4)], items=6, workers=4, choices=3)
    assert fleiss(full) == pytest.approx(1, abs=1e-15)
    assert all(krippendorff(full, np.arange(3.0), metric) == 1 for metric in METRICS)
    assert cohen(np.arange(3), np.arange(3), choices=3, weights="linear") == 1


@pytest.mark.parametrize(
    ("a", "b", "choices", "weights", "said"),
    [
        ([0, 1], [0], 2, "none", "2 choices of one worker, 1 of the other"),
        ([0, 2], [0, 1], 2, "none", "there are 2 choices, and 2 or 0 is none"),
        ([0, -1], [0, 1], 2, "none", "there are 2 choices, and 1 or -1 is none"),
        ([0, 1], [0, 1], 2, "cubic", "weights cannot be 'cubic'"),
    ],
)
def test_cohen_refuses_what_it_cannot_compare(
    a: list[int], b: list[int], choices: int, weights: str, said: str
) -> None:
    with pytest.raises(ParameterError, match=said):
        cohen(np.array(a), np.array(b), choices=choices, weights=weights)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("heights", "metric", "said"),
    [
        ([0.0, 1.0], "nominal", "2 grades for 4 choices"),
        ([0.0, 1.0, 2.0, 3.0], "circular", "there is no metric 'circular'"),
        ([-1.0, 0.0, 1.0, 2.0], "ratio", "ratio needs grades from 0 up, and -1 is one"),
    ],
)
def test_alpha_refuses_what_it_cannot_compare(heights: list[float], metric: str, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        krippendorff(some(0), np.array(heights), metric)  # type: ignore[arg-type]


def test_pairs_within_groups_are_all_there_are() -> None:
    group = np.array([0, 0, 0, 2, 5, 5])
    pairs = sorted(zip(*(side.tolist() for side in within(group)), strict=True))
    assert pairs == [(i, j) for i, j in combinations(range(6), 2) if group[i] == group[j]]


def test_mean_cohen_is_that_of_loops_and_follows_weights() -> None:
    given = some(3, items=20, workers=6, choices=3)
    pairs = WorkerPairs.of(given)
    assert pairs.mean_cohen(np.ones((1, 20)))[0] == pytest.approx(slow_mean_cohen(given), abs=1e-12)
    times = [0, 1, 3, 1, 2] * 4
    weights = np.array([times, [1] * 20], dtype=float)
    expected = [slow_mean_cohen(given, times), slow_mean_cohen(given)]
    assert pairs.mean_cohen(weights) == pytest.approx(expected, abs=1e-12)


def test_two_labels_of_one_worker_are_no_pair_of_workers() -> None:
    rows = [(0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 1), (1, 1, 1), (2, 0, 0), (2, 0, 1)]
    pairs = WorkerPairs.of(answers(rows, items=3, workers=2, choices=2))
    assert (pairs.pairs, len(pairs)) == (1, 3)  # item 0 twice, item 1 once


def rows_of(table: Table) -> dict[str, dict[str, Any]]:
    return {str(row["statistic"]): row for row in table.rows()}


def test_the_table_has_every_statistic_with_ends_around_it() -> None:
    random = np.random.default_rng(1)
    truth = random.integers(0, 3, 60)
    rows = [
        (i, w, int(truth[i]) if random.random() < 0.7 else int(random.integers(3))) for i in range(60) for w in range(5)
    ]
    given = answers(rows, items=60, workers=5, choices=3)
    table = crowd_agreement_table(labels_of(given), draws=400)
    found = rows_of(table)
    assert list(found) == [
        "percent",
        "Fleiss κ",
        "Krippendorff α (nominal)",
        "Krippendorff α (ordinal)",
        "Krippendorff α (interval)",
        "Cohen κ (mean over pairs)",
    ]
    expected = [
        float(np.mean([c == d for unit in by_item(given) for c, d in combinations(unit, 2)])),
        slow_fleiss(given),
        *(slow_krippendorff(given, np.arange(3.0), metric) for metric in METRICS[:3]),
        slow_mean_cohen(given),
    ]
    for row, value in zip(found.values(), expected, strict=True):
        assert row["value"] == pytest.approx(value, abs=1e-12)
        assert 0.02 < row["high"] - row["low"] < 0.5
        assert row["low"] < value < row["high"]
        assert (row["items"], row["workers"]) == (60, 5)
    assert found["Cohen κ (mean over pairs)"]["note"].startswith("10 pairs of workers; standard error from 400 draws")
    assert crowd_agreement_table(labels_of(given), draws=400) == table
    assert crowd_agreement_table(labels_of(given), draws=400, seed=1) != table


def test_ends_are_those_of_scipys_bca_over_items() -> None:
    given = some(7, items=40, workers=6, choices=2, share=0.8)
    found = rows_of(crowd_agreement_table(labels_of(given), draws=4000))
    assert list(found) == ["percent", "Fleiss κ", "Krippendorff α (nominal)", "Cohen κ (mean over pairs)"]
    random, means = np.random.default_rng(5), []
    units = by_item(given)
    pairs = WorkerPairs.of(given)
    for _ in range(1000):
        again = random.integers(0, len(units), len(units))
        means.append(pairs.mean_cohen(np.bincount(again, minlength=given.items)[None].astype(float))[0])

    def kappa(items: Any) -> float:
        rows = [(i, w, c) for i, at in enumerate(items) for w, c in enumerate(units[int(at)])]
        return fleiss(answers(rows, items=len(items), workers=6, choices=2))

    whole = (np.arange(len(units)),)
    peer = stats.bootstrap(whole, kappa, vectorized=False, n_resamples=3000, method="BCa", rng=random)
    assert found["Fleiss κ"]["low"] == pytest.approx(peer.confidence_interval.low, abs=0.02)
    assert found["Fleiss κ"]["high"] == pytest.approx(peer.confidence_interval.high, abs=0.02)
    row = found["Cohen κ (mean over pairs)"]
    half = (row["high"] - row["low"]) / 2
    assert half == pytest.approx(1.959964 * np.std(means), rel=0.1)


def test_a_statistic_that_does_not_exist_says_why() -> None:
    same = answers([(i, w, 1) for i in range(3) for w in range(2)], items=3, workers=2, choices=2)
    found = rows_of(crowd_agreement_table(labels_of(same), draws=10))
    assert found["percent"]["value"] == 1
    for statistic in ("Fleiss κ", "Krippendorff α (nominal)", "Cohen κ (mean over pairs)"):
        assert found[statistic]["value"] is None
        assert found[statistic]["note"] == tables.ALIKE
    alone = answers([(0, 0, 1), (1, 1, 0)], items=2, workers=2, choices=2)
    found = rows_of(crowd_agreement_table(labels_of(alone), draws=10))
    assert {(row["value"], row["note"]) for row in found.values()} == {(None, tables.ALONE)}
    strangers = answers([(0, 0, 1), (0, 1, 0), (1, 1, 0), (1, 2, 0)], items=2, workers=3, choices=2)
    found = rows_of(crowd_agreement_table(labels_of(strangers), draws=10))
    assert found["Cohen κ (mean over pairs)"]["note"] == tables.STRANGERS


def test_what_was_left_out_or_counted_twice_is_said() -> None:
    rows = [(0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 1), (1, 1, 1), (2, 0, 0)]
    table = crowd_agreement_table(labels_of(answers(rows, items=4, workers=2, choices=2)), draws=10)
    assert table.notes == (
        "2 of 4 items have fewer than two labels: left out",
        "1 label repeats a worker on an item: to Fleiss and Krippendorff another worker",
        "2 items: with fewer than 50, intervals may be too short",
    )


def test_full_agreement_has_no_interval() -> None:
    rows = [(i, w, i % 2) for i in range(60) for w in range(3)]
    table = crowd_agreement_table(labels_of(answers(rows, items=60, workers=3, choices=2)), draws=50)
    alpha = rows_of(table)["Krippendorff α (nominal)"]
    assert (alpha["value"], alpha["low"], alpha["high"]) == (1, None, None)
    assert alpha["note"] == tables.UNANIMOUS
    assert table.notes == ()


def test_one_draw_has_no_spread() -> None:
    found = rows_of(crowd_agreement_table(labels_of(some(1)), draws=1))
    assert found["Cohen κ (mean over pairs)"]["low"] is None
    assert found["Fleiss κ"]["low"] == found["Fleiss κ"]["high"]


def test_too_many_pairs_of_labels_are_not_paired(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MOST_ROWS", 10)
    found = rows_of(crowd_agreement_table(labels_of(some(1)), draws=10))
    row = found["Cohen κ (mean over pairs)"]
    assert row["value"] is None
    assert "too many" in row["note"]


def test_draws_are_fewer_where_each_costs_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "WORK", 1)
    monkeypatch.setattr(tables, "CELLS", 1)
    found = rows_of(crowd_agreement_table(labels_of(some(1)), draws=100))
    assert found["Cohen κ (mean over pairs)"]["note"].split("; ")[1] == "standard error from 30 draws"


@pytest.mark.parametrize(("options", "said"), [({"draws": 0}, "0 draws"), ({"level": 1.0}, "the level cannot be 1")])
def test_no_draws_and_no_level_are_refused(options: dict[str, float], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        crowd_agreement_table(labels_of(some(1)), **options)  # type: ignore[arg-type]


def test_patterns_put_items_that_are_alike_together() -> None:
    patterns = Patterns.of(counted([[2, 0], [2, 0], [1, 1], [0, 1]]))
    assert patterns.counts.tolist() == [[1, 1], [2, 0]]
    assert patterns.items.tolist() == [1, 2]
    weights = patterns.redrawn(50, np.random.default_rng(0))
    assert weights.shape == (50, 2)
    assert set(weights.sum(axis=1)) == {3}


def test_agreement_on_the_labels_of_trec_is_that_of_counts(shared_data: Path) -> None:
    # Labels of TREC 2011's crowdsourcing track; each item is "topic_document".
    labels = read_labels(
        shared_data / "crowd-trec11" / "otherparticipantsvotes.gz", columns=["item", "worker", "grade"]
    )
    assert (len(labels), len(labels.workers)) == (41_081, 511)
    ones: dict[int, list[int]] = {}
    for item, choice in zip(labels.answers.item.tolist(), labels.answers.choice.tolist(), strict=True):
        ones.setdefault(item, []).append(choice)
    units = [(len(said), sum(said)) for said in ones.values() if len(said) > 1]
    total, yes = (sum(column) for column in zip(*units, strict=True))
    apart = [2 * k * (n - k) for n, k in units]  # ordered pairs that differ
    alpha = 1 - sum(d / (n - 1) for d, (n, _) in zip(apart, units, strict=True)) * (total - 1) / (
        2 * yes * (total - yes)
    )
    percent = 1 - sum(d / (n * (n - 1)) for d, (n, _) in zip(apart, units, strict=True)) / len(units)
    chance = (yes / total) ** 2 + (1 - yes / total) ** 2
    found = rows_of(crowd_agreement_table(labels))
    assert found["Krippendorff α (nominal)"]["value"] == pytest.approx(alpha, abs=1e-12)
    assert found["percent"]["value"] == pytest.approx(percent, abs=1e-12)
    assert found["Fleiss κ"]["value"] == pytest.approx((percent - chance) / (1 - chance), abs=1e-12)
    assert found["percent"]["items"] == len(units)


@pytest.mark.parametrize(("unusual", "note"), [(0, False), (1, True), (14, True), (15, False)])
def test_few_items_that_show_the_rarer_grade_are_reported(unusual: int, note: bool) -> None:
    # 100 items with two labels each; some items have one label other than 0.
    rows = [(i, worker, int(worker == 0 and i < unusual)) for i in range(100) for worker in range(2)]
    table = crowd_agreement_table(labels_of(answers(rows, items=100, workers=2, choices=2)), draws=10)
    text = f"{unusual} item{'s' * (unusual != 1)} of 100"
    assert [one.startswith(text) and "too short" in one for one in table.notes] == [True] * note


@pytest.mark.parametrize(("items", "short"), [(199, True), (200, False)])
def test_the_interval_of_cohens_kappa_is_marked_where_items_are_few(items: int, short: bool) -> None:
    given = [(item, worker, int((item + worker * (item % 3 == 0)) % 2)) for item in range(items) for worker in range(2)]
    item, worker, choice = np.array(given).T
    table = crowd_agreement_table(labels_of(Answers(item, worker, choice, items, 2, 2)), draws=50)
    assert ("too short" in rows_of(table)["Cohen κ (mean over pairs)"]["note"]) is short
