"""AWARE: distances and weighted means against plain loops; who labels at random weighs least."""

from itertools import combinations
from math import log, sqrt

import numpy as np
import pytest

from cranfield.collections.crowds.labelled_runs import LabelledRuns, Sheets, join_runs
from cranfield.collections.crowds.value_distances import Groups, distances, largest
from cranfield.collections.merging.aware_weights import (
    AWARE,
    PREVALENCES,
    Weighed,
    _Compared,
    aware_table,
    aware_values,
)
from cranfield.core import ParameterError
from tests.support.simulations.crowds import MEASURES, Crowd, ap, drawn_crowd, labels_of, mean, said_by

KINDS = ("rmse", "frobenius", "kl", "tau", "tau_ap")


def gold_of(joined: LabelledRuns, crowd: Crowd) -> np.ndarray:
    items = list(dict.fromkeys((topic, document) for topic, document, _, _ in crowd.rows))
    return np.array([int(crowd.truth[topic][document]) for topic, document in items])


def literal(a: list[list[float]], b: list[list[float]], kind: str) -> float:
    """The distance of two matrices of values (run, topic)."""
    cells = [(x, y) for row_a, row_b in zip(a, b, strict=True) for x, y in zip(row_a, row_b, strict=True)]
    if kind in ("rmse", "frobenius"):
        squares = sum((x - y) ** 2 for x, y in cells)
        return sqrt(squares / len(cells)) if kind == "rmse" else sqrt(squares)
    if kind == "kl":
        low, high = min(min(cell) for cell in cells), max(max(cell) for cell in cells)
        shares = []
        for side in (0, 1):
            count = [0.5] * 10
            for cell in cells:
                count[min(int(10 * (cell[side] - low) / (high - low or 1)), 9)] += 1
            shares.append([c / sum(count) for c in count])
        return sum(p * log(p / q) for p, q in zip(*shares, strict=True))
    one, other = ([sum(row) / len(row) for row in side] for side in (a, b))
    flat = [max(side) - min(side) < 1e-12 for side in (one, other)]
    if any(flat):
        return 0.0 if all(flat) else 1.0
    pairs = list(combinations(range(len(one)), 2))
    signs = [[np.sign(round(side[i] - side[j], 12)) for i, j in pairs] for side in (one, other)]
    if kind == "tau":
        top = sum(x * y for x, y in zip(*signs, strict=True))
        return 1 - top / sqrt(sum(abs(x) for x in signs[0]) * sum(abs(y) for y in signs[1]))
    # τ_AP, the other being the truth: of the runs above each run, how many belong there.
    share, below = 0.0, 0
    for i in range(len(one)):
        above = [j for j in range(len(one)) if one[j] > one[i] + 1e-12]
        if above:
            below += 1
            share += sum(other[j] > other[i] + 1e-12 for j in above) / len(above)
    return 1 - (2 * share / below - 1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_distances_equal_plain_loops(kind: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    a, b = random.integers(0, 6, (2, 5, 9)) / 5
    a[:, 6:8] = 0.4  # a group in which all runs are equal on one side
    a[:, 8], b[:, 8] = 0.2, 0.6  # and one on both
    groups = Groups(np.array([0, 1, 4, 6, 8]), 9)
    found = distances(a, b, groups, kind)  # type: ignore[arg-type]
    for g, (start, stop) in enumerate([(0, 1), (1, 4), (4, 6), (6, 8), (8, 9)]):
        expected = literal(a[:, start:stop].tolist(), b[:, start:stop].tolist(), kind)
        assert found[g] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_far_from_itself(kind: str) -> None:
    a = np.random.default_rng(1).random((4, 6))
    groups = Groups(np.array([0, 3]), 6)
    assert distances(a, a, groups, kind) == pytest.approx([0, 0], abs=1e-12)  # type: ignore[arg-type]


def test_values_that_are_not_there_are_not_compared() -> None:
    a, b = np.array([[0.5, np.nan], [0.1, 0.3]]), np.array([[0.2, 0.4], [0.1, np.nan]])
    groups = Groups(np.array([0, 1]), 2)
    assert distances(a, b, groups, "rmse") == pytest.approx([sqrt(0.09 / 2), 0])
    assert distances(a, b, groups, "frobenius") == pytest.approx([0.3, 0])
    assert distances(a, b, groups, "kl")[1] == 0
    assert groups.cells(a, b).tolist() == [2, 0]


def test_the_largest_distance_is_what_the_worst_labels_have() -> None:
    zero, one = np.zeros((3, 4)), np.ones((3, 4))
    groups = Groups(np.array([0, 1]), 4)
    for kind in ("rmse", "frobenius"):
        assert largest(zero, one, groups, kind, 1.0) == pytest.approx(distances(zero, one, groups, kind))
    up = np.arange(12.0).reshape(3, 4)
    for kind in ("tau", "tau_ap"):
        assert largest(up, -up, groups, kind, 1.0) == pytest.approx(distances(up, -up, groups, kind))  # type: ignore[arg-type]
    assert np.isinf(largest(zero, one, groups, "kl", 1.0)).all()


@pytest.mark.parametrize("per", ["worker", "topic"])
@pytest.mark.parametrize("against", ["random", "shuffled"])
@pytest.mark.parametrize("beyond", [False, True])
def test_weights_and_values_equal_plain_loops(per: str, against: str, beyond: bool) -> None:
    crowd = drawn_crowd(4, topics=4, runs=3, documents=8, right={"a": 0.9, "b": 0.5, "c": 0.0}, coverage=0.3)
    joined = join_runs(labels_of(crowd.rows), crowd.runs)
    method = AWARE(per=per, against=against, beyond=beyond, power=2, draws=3)  # type: ignore[arg-type]
    weighed = method.weigh(joined, "AP", seed=5)
    sheets, runs = weighed.sheets, list(crowd.runs)
    compared = _Compared(method, joined, sheets, list(weighed.measures), Groups(np.array([0]), len(sheets)), "rmse")
    documents = joined.labels.document.to_list()
    pages = [
        (joined.labels.workers[sheets.worker[s]], joined.assessed.topics[sheets.topic[s]]) for s in range(len(sheets))
    ]

    def values(grade: np.ndarray) -> dict[tuple[str, str], list[float]]:
        """Of each run, by what each worker says of a topic."""
        found = {}
        for s, (worker, topic) in enumerate(pages):
            labels = range(sheets.starts[s], sheets.starts[s + 1])
            said = {documents[sheets.item[label]]: float(grade[label]) for label in labels}
            found[worker, topic] = [ap(crowd.runs[run][topic], said) for run in runs]
        return found

    own = values(joined.labels.grades[sheets.choice])
    assert own == {
        page: [ap(crowd.runs[r][page[1]], said_by(crowd.rows, page[0])[page[1]]) for r in runs] for page in own
    }

    def far(
        a: dict[tuple[str, str], list[float]], b: dict[tuple[str, str], list[float]], page: tuple[str, str]
    ) -> float:
        chosen = [page] if per == "topic" else [other for other in pages if other[0] == page[0]]
        return literal(
            [list(row) for row in zip(*(a[p] for p in chosen), strict=True)],
            [list(row) for row in zip(*(b[p] for p in chosen), strict=True)],
            "rmse",
        )

    kinds = PREVALENCES if against == "random" else (float("nan"),)
    drawn = [[values(compared.at_random(kind, 5, draw)) for draw in range(3)] for kind in kinds]
    weight = {}
    for s, page in enumerate(pages):
        nearest = []
        for kind in drawn:
            distance = sum(far(own, other, page) for other in kind) / 3
            if beyond:
                among = sum(far(kind[i], kind[(i + 1) % 3], page) for i in range(3)) / 3
                distance = max(distance - among, 0)
            nearest.append(distance)
        assert weighed.distance[s, 0] == pytest.approx(min(nearest), abs=1e-12)
        weight[page] = min(nearest) ** 2
    result = aware_values(weighed)
    for t, topic in enumerate(result.topics):
        here = [page for page in pages if page[1] == topic]
        total = sum(weight[page] for page in here)
        for r in range(len(runs)):
            if total:
                expected = sum(weight[page] * own[page][r] for page in here) / total
            else:
                expected = sum(own[page][r] for page in here) / len(here)
            assert result.cube[r, t, 0] == pytest.approx(expected, abs=1e-12)
    table = aware_table(weighed)
    assert table.columns == ("worker", "measure", "weight", "distance")
    means = {}
    for worker in "abc":
        mine = [weight[page] for page in pages if page[0] == worker]
        means[worker] = sum(mine) / len(mine)
    for row in table.rows():
        total = sum(means.values())
        assert row["weight"] == pytest.approx(means[str(row["worker"])] / total if total else 1 / 3, abs=1e-12)


@pytest.mark.parametrize("method", [AWARE(), AWARE(distance="none"), AWARE(distance="kl", per="topic"), AWARE(power=3)])
def test_workers_who_agree_leave_the_plain_measure(method: AWARE) -> None:
    crowd = drawn_crowd(7, topics=5, documents=12, right={"a": 1.0, "b": 1.0, "c": 1.0})
    joined = join_runs(labels_of(crowd.rows), crowd.runs)
    values = aware_values(method.weigh(joined, list(MEASURES)))
    plain = joined.values(joined.of_worker(0), list(MEASURES))
    assert values.cube == pytest.approx(plain.cube, abs=1e-14)
    assert values.runs == plain.runs
    for i, measure in enumerate(MEASURES):
        for r, run in enumerate(values.runs):
            assert values.aggregate()[r, i] == pytest.approx(mean(crowd.runs, run, crowd.truth, measure), abs=1e-14)


def test_all_alike_is_the_mean_over_those_who_labelled_the_topic() -> None:
    crowd = drawn_crowd(2, topics=6, runs=3, documents=5, right={"a": 0.7, "b": 0.6, "c": 0.5}, coverage=0.12)
    joined = join_runs(labels_of(crowd.rows), crowd.runs)
    weighed = AWARE(distance="none").weigh(joined, "AP")
    values = aware_values(weighed)
    absent = 0
    for t, topic in enumerate(values.topics):
        said = [said_by(crowd.rows, worker).get(topic) for worker in "abc"]
        there = [grades for grades in said if grades]
        absent += len(said) - len(there)
        for r, run in enumerate(values.runs):
            expected = sum(ap(crowd.runs[run][topic], grades) for grades in there) / len(there)
            assert values.cube[r, t, 0] == pytest.approx(expected, abs=1e-14)
    assert absent  # or the test shows nothing
    assert np.isnan(weighed.distance).all()
    assert aware_table(weighed).cells("weight") == pytest.approx([1 / 3] * 3)
    assert aware_table(weighed).cells("distance") == [None] * 3
    assert weighed.made_by.seed is None


@pytest.mark.parametrize("guesses", [0.2, 0.5, 0.8])
@pytest.mark.parametrize("distance", ["rmse", "frobenius", "kl"])
def test_who_labels_at_random_weighs_least(distance: str, guesses: float) -> None:
    weights = []
    for seed in range(4):
        right = {"good": 0.95, "fair": 0.7, "random": 0.0}
        crowd = drawn_crowd(seed, right=right, guesses=guesses)
        joined = join_runs(labels_of(crowd.rows), crowd.runs)
        table = aware_table(AWARE(distance=distance).weigh(joined, "AP", seed=seed))  # type: ignore[arg-type]
        weights.append(np.array(table.cells("weight"), dtype=float))
        assert sum(weights[-1]) == pytest.approx(1)
        assert weights[-1].argmin() == 2
    good, fair, random = np.mean(weights, axis=0)
    assert good > fair > random


def test_the_three_random_assessors_find_one_who_guesses_as_they_do() -> None:
    for seed in range(4):
        crowd = drawn_crowd(seed, right={"good": 0.95, "fair": 0.7, "random": 0.0}, guesses=0.5)
        joined = join_runs(labels_of(crowd.rows), crowd.runs)
        weighed = AWARE(against="random").weigh(joined, "AP", seed=seed)
        assert np.asarray(aware_table(weighed).column("weight")).argmin() == 2
        assert weighed.made_by.seed == seed


def test_powers_sharpen_the_weights() -> None:
    crowd = drawn_crowd(1, right={"good": 0.95, "random": 0.0})
    joined = join_runs(labels_of(crowd.rows), crowd.runs)
    plain, cubed = (np.array(aware_table(AWARE(power=p).weigh(joined, "AP")).cells("weight")) for p in (1, 3))
    assert cubed == pytest.approx(plain**3 / sum(plain**3))


def test_who_says_one_thing_of_everything_weighs_nothing() -> None:
    crowd = drawn_crowd(3, topics=4, right={"good": 0.9})
    rows = [*crowd.rows, *((topic, document, "lazy", 1.0) for topic, document, _, _ in crowd.rows)]
    joined = join_runs(labels_of(rows), crowd.runs)
    assert aware_table(AWARE().weigh(joined, "AP")).cells("weight") == pytest.approx([1, 0], abs=1e-12)
    # Where nobody says anything else, all weigh alike.
    lazy = [row for row in rows if row[2] == "lazy"]
    both = [*lazy, *((topic, document, "other", grade) for topic, document, _, grade in lazy)]
    joined = join_runs(labels_of(both), crowd.runs)
    weighed = AWARE().weigh(joined, "AP")
    assert aware_table(weighed).cells("weight") == pytest.approx([0.5, 0.5])
    assert aware_values(weighed).cube == pytest.approx(joined.values(joined.of_worker(0), "AP").cube)


@pytest.mark.parametrize("distance", KINDS)
@pytest.mark.parametrize("per", ["worker", "topic"])
def test_gold_makes_those_near_to_it_heavy(distance: str, per: str) -> None:
    crowd = drawn_crowd(6, right={"good": 0.98, "opposite": 0.0, "right": 1.0})
    turned = [(t, d, w, 1 - crowd.truth[t][d] if w == "opposite" else grade) for t, d, w, grade in crowd.rows]
    joined = join_runs(labels_of(turned), crowd.runs)
    method = AWARE(distance=distance, per=per, against="gold")  # type: ignore[arg-type]
    weighed = method.weigh(joined, "AP", gold=gold_of(joined, crowd))
    good, opposite, right = (float(str(w)) for w in aware_table(weighed).cells("weight"))
    assert opposite < good <= right
    assert aware_table(weighed).cells("distance")[2] == pytest.approx(0, abs=1e-12)
    assert weighed.weight[weighed.sheets.worker == 2] == pytest.approx(1.0)  # nothing is nearer
    assert weighed.made_by.seed is None
    if distance == "rmse" and per == "worker":
        a, b = (
            [[ap(crowd.runs[run][t], said[t]) for t in crowd.truth] for run in crowd.runs]
            for said in (said_by(turned, "good"), crowd.truth)
        )
        assert weighed.weight[0, 0] == pytest.approx(1 - literal(a, b, "rmse"))  # AP lies between 0 and 1


def test_who_has_no_gold_has_the_mean_weight() -> None:
    crowd = drawn_crowd(6, topics=4, documents=6, right={"a": 0.9, "b": 0.3})
    more = [*crowd.rows, ("t0", "t0dx", "c", 1.0), ("t1", "t1dx", "c", 0.0)]
    joined = join_runs(labels_of(more), crowd.runs)
    gold = np.append(gold_of(joined, crowd), [-1, -1])
    weighed = AWARE(against="gold").weigh(joined, "AP", gold=gold)
    table = aware_table(weighed)
    a, b, c = (float(str(w)) for w in table.cells("weight"))
    assert c == pytest.approx((a + b) / 2)
    assert table.cells("distance")[2] is None
    # Gold of one topic alone: the others do not count.
    gold = np.where(joined.labels.topic == 0, gold, -1)
    weighed = AWARE(against="gold").weigh(joined, "AP", gold=gold)
    rows = [
        [ap(crowd.runs[run]["t0"], side["t0"])]
        for side in (said_by(crowd.rows, "a"), crowd.truth)
        for run in crowd.runs
    ]
    half = len(crowd.runs)
    assert weighed.distance[0, 0] == pytest.approx(literal(rows[:half], rows[half:], "rmse"))


def test_random_assessors_are_what_they_are_said_to_be() -> None:
    rows = [("t", f"d{i}", "w", float(i % 4)) for i in range(4000)]
    joined = join_runs(labels_of(rows), {"run": {"t": {"d1": 1.0}}})
    sheets = Sheets.of(joined, np.array([True]))

    def drawn(method: AWARE, kind: float, draw: int = 0) -> np.ndarray:
        return _Compared(method, joined, sheets, [], Groups(np.array([0]), 1), "rmse").at_random(kind, 0, draw)

    for kind in PREVALENCES:
        grade = drawn(AWARE(against="random", rel=2), kind)
        assert (grade >= 2).mean() == pytest.approx(kind, abs=0.035)  # four standard errors
        assert set(grade) == {0.0, 1.0, 2.0, 3.0}
    shuffled = drawn(AWARE(), float("nan"))
    own = joined.labels.grades[sheets.choice]
    assert sorted(shuffled) == sorted(own)
    assert not np.array_equal(shuffled, own)
    assert not np.array_equal(shuffled, drawn(AWARE(), float("nan"), 1))


def test_grades_that_nobody_gave_are_made_up() -> None:
    joined = join_runs(labels_of([("t", f"d{i}", "w", 0.0) for i in range(50)]), {"run": {"t": {"d1": 1.0}}})
    sheets = Sheets.of(joined, np.array([True]))
    compared = _Compared(AWARE(against="random"), joined, sheets, [], Groups(np.array([0]), 1), "rmse")
    assert set(compared.at_random(0.5, 0, 0)) == {0.0, 1.0}
    joined = join_runs(labels_of([("t", f"d{i}", "w", 2.0) for i in range(50)]), {"run": {"t": {"d1": 1.0}}})
    compared = _Compared(AWARE(against="random"), joined, sheets, [], Groups(np.array([0]), 1), "rmse")
    assert set(compared.at_random(0.5, 0, 0)) == {0.0, 2.0}


def test_machines_are_left_out_unless_they_are_alone_or_asked_for() -> None:
    crowd = drawn_crowd(1, topics=3, documents=6, right={"ann": 0.8, "llm": 0.9})
    joined = join_runs(labels_of(crowd.rows, machines=("llm",)), crowd.runs)
    weighed = AWARE().weigh(joined, "AP")
    assert aware_table(weighed).cells("worker") == ["ann"]
    assert aware_table(weighed).notes == ("1 machine is left out of AWARE",)
    assert "1 machine is left out of AWARE" in aware_values(weighed).notes
    assert repr(weighed) == "Weighed(AWARE: 1 workers)"
    every = AWARE().weigh(joined, "AP", workers=np.array([True, True]))
    assert aware_table(every).cells("worker") == ["ann", "llm"]
    assert not every.notes
    alone = join_runs(labels_of(crowd.rows, machines=("ann", "llm")), crowd.runs)
    assert aware_table(AWARE().weigh(alone, "AP")).cells("worker") == ["ann", "llm"]
    with pytest.raises(ParameterError, match="no worker"):
        AWARE().weigh(joined, "AP", workers=np.array([False, False]))


def test_a_topic_of_machines_alone_has_no_value() -> None:
    rows = [("t1", "a", "ann", 1.0), ("t2", "b", "llm", 1.0)]
    joined = join_runs(labels_of(rows, machines=("llm",)), {"run": {"t1": {"a": 1.0}, "t2": {"b": 1.0}}})
    values = aware_values(AWARE().weigh(joined, "AP"))
    assert values.cube[0, :, 0] == pytest.approx([1.0, np.nan], nan_ok=True)
    assert values.counted.tolist() == [[True, False]]
    assert values.aggregate()[0, 0] == 1.0


def test_two_seeds_differ_and_one_is_one() -> None:
    crowd = drawn_crowd(1, topics=3, documents=10, right={"a": 0.8, "b": 0.2})
    joined = join_runs(labels_of(crowd.rows), crowd.runs)

    def distance(seed: int) -> Weighed:
        return AWARE().weigh(joined, "AP", seed=seed)

    assert np.array_equal(distance(1).distance, distance(1).distance)
    assert not np.array_equal(distance(1).distance, distance(2).distance)


def test_refusals() -> None:
    crowd = drawn_crowd(1, topics=2, documents=4, right={"a": 0.8})
    joined = join_runs(labels_of(crowd.rows), crowd.runs)
    with pytest.raises(ParameterError, match="needs gold"):
        AWARE(against="gold").weigh(joined, "AP")
    with pytest.raises(ParameterError, match="no item has a gold label"):
        AWARE(against="gold").weigh(joined, "AP", gold=np.full(len(joined.place), -1))
    for wrong in ({"draws": 1}, {"against": "gold"}):
        with pytest.raises(ParameterError, match="no two random assessors"):
            AWARE(beyond=True, **wrong)
    with pytest.raises(ParameterError, match="distance"):
        AWARE(distance="cosine")  # type: ignore[arg-type]


def test_it_is_a_value_that_prints_as_it_is_written() -> None:
    assert AWARE() == AWARE(distance="rmse", power=1)
    assert str(AWARE(per="topic", power=2)) == "AWARE(per='topic',power=2)"
    assert len({AWARE(), AWARE(draws=10), AWARE(draws=5)}) == 2
