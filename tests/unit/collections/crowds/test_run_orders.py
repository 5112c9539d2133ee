"""What labels do to the order of runs: look-ups against measures worked out with dictionaries."""

from itertools import combinations
from random import Random

import numpy as np
import pytest

from cranfield.collections.crowds.labelled_runs import LabelledRuns, Sheets, join_runs, measure_sheets
from cranfield.collections.crowds.run_orders import (
    draw_choices,
    gold_values,
    label_noise_table,
    order_changes_table,
    order_sentence,
    orders_table,
)
from cranfield.core import InputError, ParameterError
from cranfield.data import NOBODY, Given, Values
from cranfield.stats import ranks_of
from tests.support.simulations.crowds import (
    MEASURES,
    Rows,
    Runs,
    by_share,
    drawn_crowd,
    labels_of,
    mean,
    ranks,
    said_by,
)

ROWS: Rows = [
    ("t1", "a", "ann", 2),
    ("t1", "b", "ann", 0),
    ("t1", "c", "ann", 1),
    ("t2", "x", "ann", 0),
    ("t2", "y", "ann", 2),
    ("t1", "a", "bob", 0),
    ("t1", "b", "bob", 2),
    ("t1", "a", "bob", 1),  # bob thinks again
    ("t3", "z", "bob", 1),
    ("t2", "x", "cem", 1),
]
RUNS: Runs = {
    "one": {"t1": {"a": 3, "b": 2, "q": 1}, "t2": {"y": 2, "x": 1}, "t9": {"a": 1}},
    "two": {"t1": {"b": 3, "c": 2, "a": 1}, "t2": {"x": 2, "y": 1}},
}


@pytest.fixture(scope="module")
def joined() -> LabelledRuns:
    return join_runs(labels_of(ROWS), RUNS)


@pytest.mark.parametrize("worker", ["ann", "bob", "cem"])
def test_values_under_one_worker_are_a_look_up(joined: LabelledRuns, worker: str) -> None:
    said = said_by(ROWS, worker)
    values = joined.values(joined.of_worker(joined.labels.workers.index(worker)), ["AP", "nDCG@10"])
    for r, run in enumerate(values.runs):
        for i, measure in enumerate(MEASURES):
            assert values.aggregate()[r, i] == pytest.approx(mean(RUNS, run, said, measure), abs=1e-15)
            for t, topic in enumerate(values.topics):
                if topic not in said:
                    assert np.isnan(values.cube[r, t, i])
                    assert not values.counted[r, t]


def test_all_topics_count_where_all_have_labels(joined: LabelledRuns) -> None:
    values = joined.values(np.ones(len(joined.place)), "AP")
    assert values.counted.all()
    assert not any("no such label" in note for note in values.notes)


def test_the_time_decides_which_label_is_the_last() -> None:
    rows: Rows = [("t", "a", "w", 1), ("t", "b", "w", 0), ("t", "a", "w", 0)]
    late = labels_of(rows, time=[9.0, 1.0, 2.0])
    made = join_runs(late, {"run": {"t": {"a": 1.0}}})
    assert made.of_worker(0).tolist() == [1.0, 0.0]
    assert late.grades[Sheets.of(made, np.array([True])).choice].tolist() == [1.0, 0.0]
    assert join_runs(labels_of(rows), {"run": {"t": {"a": 1.0}}}).of_worker(0).tolist() == [0.0, 0.0]


def test_topics_that_do_not_meet_are_told(joined: LabelledRuns) -> None:
    told = "\n".join(joined.assessed.notes)
    assert "one: 1 topic is without labels (t9)" in told
    assert "1 topic with labels is in no run, and counts as worst (t3)" in told
    many = {f"run{i}": {"t1": {"a": 1.0}, "t8": {"a": 1.0}} for i in range(5)}
    notes = join_runs(labels_of(ROWS), many).assessed.notes
    assert notes[0] == "run0: 1 topic is without labels (t8); 4 more runs have such topics"
    assert notes[1] == "2 topics with labels are in no run, and count as worst (t2, t3)"


def test_runs_of_other_topics_are_refused() -> None:
    with pytest.raises(InputError, match="no topic of the run has labels") as refused:
        join_runs(labels_of(ROWS), {"other": {"t9": {"a": 1.0}}})
    assert "there are labels of t1, t2, t3" in refused.value.hint
    assert refused.value.code == "E-TOPICS"
    with pytest.raises(InputError, match="no such file"):
        join_runs(labels_of(ROWS), "there-is-no-such-run.txt")


def test_a_topic_that_lost_its_labels_is_none() -> None:
    labels = labels_of(ROWS)
    alone = join_runs(labels.of_workers(np.array([False, False, True])), RUNS)
    assert alone.assessed.topics == ("t2",)
    assert repr(alone) == "LabelledRuns(2 runs, 1 items of 'labels.csv')"


@pytest.mark.parametrize("block", [1, 40, 1 << 20])
def test_sheets_are_measured_as_workers_topic_by_topic(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cranfield.collections.crowds.labelled_runs.ENTRIES", block)
    crowd = drawn_crowd(3, topics=5, runs=3, documents=9, right={"a": 0.9, "b": 0.5, "c": 0.0}, coverage=0.15)
    for own in crowd.runs.values():  # scores with ties
        for scores in own.values():
            scores.update({document: float(round(score)) for document, score in scores.items()})
    made = join_runs(labels_of(crowd.rows), crowd.runs)
    sheets = Sheets.of(made, np.array([True, False, True]))
    grades = made.labels.grades[sheets.choice]
    cube = measure_sheets(made, sheets, np.stack([grades, 1 - grades]), ["AP", "nDCG@10"])
    seen = set()
    for s in range(len(sheets)):
        worker, topic = made.labels.workers[sheets.worker[s]], made.assessed.topics[sheets.topic[s]]
        seen.add((worker, topic))
        said = said_by(crowd.rows, worker)[topic]
        turned = {document: 1 - grade for document, grade in said.items()}
        for r, run in enumerate(crowd.runs):
            for i, measure in enumerate(MEASURES.values()):
                scores = crowd.runs[run][topic]
                assert cube[0, r, s, i] == pytest.approx(measure(scores, said), abs=1e-15)
                assert cube[1, r, s, i] == pytest.approx(measure(scores, turned), abs=1e-15)
    assert seen == {(worker, topic) for topic, _, worker, _ in crowd.rows if worker != "b"}


def test_measures_mean_the_same_under_everybodys_labels() -> None:
    # ERR divides by the top grade: of all labels, not of one worker's.
    rows: Rows = [("t", "a", "low", 1), ("t", "a", "high", 4)]
    made = join_runs(labels_of(rows), {"run": {"t": {"a": 1.0}}})
    values = made.values(made.of_worker(0), "ERR")
    assert values.cube[0, 0, 0] == pytest.approx((2**1 - 1) / 2**4)


def _values(**means: dict[str, list[float]]) -> dict[str, Values]:
    """Values by method from means (run → per topic)."""
    made = {}
    for method, runs in means.items():
        cube = np.array([runs[run] for run in runs], dtype=float)[:, :, None]
        there = ~np.isnan(cube[:, :, 0])
        topics = tuple(f"t{i}" for i in range(cube.shape[1]))
        made[method] = Values(
            tuple(runs), topics, (Given("m"),), cube, there, ~there, np.zeros((1, len(topics)), dtype=bool)
        )
    return made


def test_ranks_and_changes_by_hand() -> None:
    values = _values(
        majority={"a": [0.5, 0.7], "b": [0.4, 0.6], "c": [0.1, 0.3], "d": [0.1, 0.3]},
        other={"a": [0.2, 0.2], "b": [0.5, 0.5], "c": [0.1, 0.1], "d": [0.3, 0.3]},
    )
    table = orders_table(values)
    assert table.columns == ("method", "run", "measure", "value", "rank", "rank_change")
    rows = [(row["method"], row["run"], row["rank"], row["rank_change"]) for row in table.rows()]
    assert rows == [
        ("majority", "a", 1, 0),
        ("majority", "b", 2, 0),
        ("majority", "c", 3, 0),
        ("majority", "d", 3, 0),
        ("other", "b", 1, 1),
        ("other", "d", 2, 1),
        ("other", "a", 3, -2),
        ("other", "c", 4, -1),
    ]
    assert table.cells("value")[0] == pytest.approx(0.6)
    (row,) = order_changes_table(values).rows()
    assert (row["method"], row["other"], row["best"], row["other_best"]) == ("other", "majority", "b", "a")
    # Of 6 pairs, c and d are equal at first; ab and ad turn, ac, bc and bd stay: τ-b = (3 − 2)/√(5 · 6).
    assert row["tau"] == pytest.approx(1 / np.sqrt(30))
    assert row["swaps"] == 2
    assert row["largest"] == 2
    # Above d stands b, rightly; above a b and d, both wrongly; above c b, a and not d (equal at first): 1 + 0 + 2/3.
    assert row["tau_ap"] == pytest.approx(2 / 3 * (1 + 0 + 2 / 3) - 1)


def test_gold_is_what_all_are_held_against() -> None:
    values = _values(
        majority={"a": [0.5, 0.7], "b": [0.4, 0.6]},
        em={"a": [0.4, 0.6], "b": [0.5, 0.7]},
        gold={"a": [0.9, 0.9], "b": [0.2, 0.2]},
    )
    rows = order_changes_table(values).rows()
    assert [(row["method"], row["other"], row["swaps"]) for row in rows] == [
        ("em", "majority", 1),
        ("majority", "gold", 0),
        ("em", "gold", 1),
    ]


def test_a_run_without_values_has_no_rank() -> None:
    nan = float("nan")
    values = _values(majority={"a": [0.5], "b": [nan]}, em={"a": [nan], "b": [0.7]})
    table = orders_table(values)
    assert table.cells("rank") == [1, None, 1, None]
    assert table.cells("rank_change") == [0, None, None, None]
    (row,) = order_changes_table(values).rows()
    assert (row["tau"], row["swaps"], row["largest"]) == (None, None, None)
    assert (row["best"], row["other_best"]) == ("b", "a")
    assert ranks_of(np.array([nan, nan])).tolist() == pytest.approx([nan, nan], nan_ok=True)


def test_smaller_is_better_where_the_measure_says_so(joined: LabelledRuns) -> None:
    esl = {"ann": joined.values(joined.of_worker(0), "ESL")}
    sums = dict(zip(joined.assessed.runs, esl["ann"].aggregate()[:, 0].tolist(), strict=True))
    assert sums["one"] != sums["two"]
    table = orders_table(esl)
    assert table.cells("run")[0] == min(sums, key=lambda run: sums[run])


def test_other_runs_are_refused() -> None:
    one, two = (_values(m={"a": [0.5]})["m"], _values(m={"b": [0.5]})["m"])
    with pytest.raises(ParameterError, match="em has values of other runs"):
        orders_table({"majority": one, "em": two})
    with pytest.raises(ParameterError, match="no order of runs"):
        order_changes_table({})


@pytest.mark.parametrize("seed", range(4))
def test_orders_of_a_drawn_crowd_equal_plain_loops(seed: int) -> None:
    crowd = drawn_crowd(seed, topics=6, documents=15, right={"a": 0.8, "b": 0.4, "c": 0.1})
    made = join_runs(labels_of(crowd.rows), crowd.runs)
    values = {worker: made.values(made.of_worker(w), list(MEASURES)) for w, worker in enumerate(made.labels.workers)}
    means = {
        (worker, measure): {run: mean(crowd.runs, run, said_by(crowd.rows, worker), measure) for run in crowd.runs}
        for worker in values
        for measure in MEASURES
    }
    for row in orders_table(values).rows():
        expected = means[str(row["method"]), str(row["measure"])]
        first = ranks(means["a", str(row["measure"])])
        assert row["value"] == pytest.approx(expected[str(row["run"])], abs=1e-14)
        assert row["rank"] == ranks(expected)[str(row["run"])]
        assert row["rank_change"] == first[str(row["run"])] - ranks(expected)[str(row["run"])]
    for row in order_changes_table(values).rows():
        own, other = (means[str(row[side]), str(row["measure"])] for side in ("method", "other"))
        pairs = list(combinations(crowd.runs, 2))
        swaps = sum((own[a] - own[b]) * (other[a] - other[b]) < 0 for a, b in pairs)
        assert row["swaps"] == swaps
        assert row["tau"] == pytest.approx(1 - 2 * swaps / len(pairs))
        assert row["largest"] == max(abs(ranks(own)[run] - ranks(other)[run]) for run in crowd.runs)


def test_gold_speaks_where_it_covers_the_items() -> None:
    crowd = drawn_crowd(5, topics=4, documents=10, right={"a": 0.7})
    made = join_runs(labels_of(crowd.rows), crowd.runs)
    items = list(dict.fromkeys((topic, document) for topic, document, _, _ in crowd.rows))
    gold = np.array([int(crowd.truth[topic][document]) for topic, document in items])
    values = gold_values(made, gold, "AP")
    assert values is not None
    for r, run in enumerate(crowd.runs):
        assert values.aggregate()[r, 0] == pytest.approx(mean(crowd.runs, run, crowd.truth, "AP"), abs=1e-15)
    few = np.where(np.arange(len(gold)) % 2 == 0, gold, -1)
    assert gold_values(made, few, "AP") is None
    without = np.where(made.labels.topic == 0, -1, gold)
    assert gold_values(made, without, "AP") is None
    assert made.of_choice(np.array([-1, 0, 1])).tolist() == [NOBODY, 0.0, 1.0]


def test_labels_that_are_sure_have_no_noise() -> None:
    crowd = drawn_crowd(1, topics=3, documents=8, right={"a": 0.9})
    made = join_runs(labels_of(crowd.rows), crowd.runs)
    sure = np.eye(2)[made.labels.answers.choice]
    heard = []
    table = label_noise_table(
        made, by_share(sure), ["AP"], draws=7, progress=lambda done, total: heard.append((done, total))
    )
    assert table.columns == ("run", "measure", "value", "low", "high", "rank", "rank_low", "rank_high")
    for row in table.rows():
        assert row["low"] == row["high"] == row["value"]
        assert row["rank_low"] == row["rank_high"] == row["rank"]
        assert isinstance(row["rank"], int)
    assert table.cells("rank") == sorted(table.cells("rank"))  # type: ignore[type-var]
    assert heard[-1] == (7, 7)
    assert not table.notes
    assert table.made_by is not None
    assert table.made_by.seed == 0


def test_noise_equals_plain_loops_over_the_same_draws() -> None:
    crowd = drawn_crowd(2, topics=4, documents=10, right={"a": 0.6})
    made = join_runs(labels_of(crowd.rows), crowd.runs)
    random = Random(3)
    chance = [random.random() for _ in range(len(made.place))]
    merged = by_share([[1 - p, p] for p in chance])
    items = list(dict.fromkeys((topic, document) for topic, document, _, _ in crowd.rows))
    means: dict[str, list[float]] = {run: [] for run in crowd.runs}
    places: dict[str, list[int]] = {run: [] for run in crowd.runs}
    draws = 40
    for choice in draw_choices(merged, draws, seed=9):
        grades: dict[str, dict[str, float]] = {}
        for (topic, document), c in zip(items, choice.tolist(), strict=True):
            grades.setdefault(topic, {})[document] = float(c)
        now = {run: mean(crowd.runs, run, grades, "AP") for run in crowd.runs}
        for run, rank in ranks(now).items():
            means[run].append(now[run])
            places[run].append(rank)
    table = label_noise_table(made, merged, "AP", draws=draws, seed=9, level=0.1)
    for row in table.rows():
        run = str(row["run"])
        assert row["low"] == pytest.approx(np.quantile(means[run], 0.05), abs=1e-14)
        assert row["high"] == pytest.approx(np.quantile(means[run], 0.95), abs=1e-14)
        # Of 40 draws, no more than two are cut off on either side.
        assert row["rank_low"] == sorted(places[run])[1]
        assert row["rank_high"] == sorted(places[run])[-2]


def test_choices_are_drawn_as_often_as_they_are_likely() -> None:
    merged = by_share([[0.2, 0.5, 0.3], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    drawn = np.array(list(draw_choices(merged, 4000, seed=0)))
    share = [(drawn[:, 0] == choice).mean() for choice in range(3)]
    assert share == pytest.approx([0.2, 0.5, 0.3], abs=0.03)  # four standard errors
    assert set(drawn[:, 1]) == {2}
    assert set(drawn[:, 2]) == {0}


def test_doubt_that_pulls_one_way_is_told() -> None:
    # Everything is a little likelier to be 0 than 1: no draw finds as little as the likeliest labels.
    crowd = drawn_crowd(2, topics=3, documents=12, right={"a": 0.6})
    made = join_runs(labels_of(crowd.rows), crowd.runs)
    table = label_noise_table(made, by_share([[0.6, 0.4]] * len(made.place)), "P@10", draws=50)
    assert table.notes == ("6 of 6 values lie outside what is drawn: doubt pulls them one way",)
    assert all(value == 0 for value in table.cells("value"))


def test_noise_refuses_what_it_cannot_draw(joined: LabelledRuns) -> None:
    fits = by_share([[1.0, 0.0, 0.0]] * len(joined.place))
    with pytest.raises(ParameterError, match="drawn 0 times"):
        label_noise_table(joined, fits, "AP", draws=0)
    with pytest.raises(ParameterError, match="6 items, but merged labels of 2"):
        label_noise_table(joined, by_share([[1.0, 0.0, 0.0]] * 2), "AP")
    with pytest.raises(ParameterError, match="level"):
        label_noise_table(joined, fits, "AP", level=2)


def test_the_sentence_says_who_is_first_and_who_swaps() -> None:
    values = _values(majority={"a": [0.5, 0.7, 0.6], "b": [0.4, 0.6, 0.4]})
    assert order_sentence(values) == "a is first by m under majority."
    same = _values(majority={"a": [0.5], "b": [0.4]}, em={"a": [0.6], "b": [0.4]})
    assert order_sentence(same) == "a is first by m under every way to merge labels. No two runs change places."
    values = _values(
        majority={"a": [0.5, 0.7, 0.6, 0.61], "b": [0.4, 0.6, 0.51, 0.5]},
        em={"a": [0.3, 0.4, 0.3, 0.3], "b": [0.5, 0.3, 0.6, 0.2]},
        glad={"a": [0.3, 0.4, 0.3, 0.3], "b": [0.2, 0.1, 0.2, 0.1]},
    )
    # Under majority a is ahead of b by .1 or so in every topic: told apart.
    assert order_sentence(values) == (
        "First by m is a under majority and glad; b under em. "
        "em swaps 1 pair of runs against majority, and a and b can be told apart by m (t, level 0.05)."
    )
    unsure = _values(majority={"a": [0.9, 0.1, 0.6], "b": [0.2, 0.8, 0.5]}, em={"a": [0.3, 0.4], "b": [0.7, 0.3]})
    assert order_sentence(unsure).endswith("em swaps 1 pair of runs against majority, none that either tells apart.")


def test_the_sentence_stops_after_three_methods_and_knows_gold() -> None:
    turned = {"a": [0.9, 0.1, 0.6], "b": [0.2, 0.8, 0.7]}
    first = {"a": [0.9, 0.1, 0.6], "b": [0.2, 0.8, 0.5]}
    values = _values(majority=first, **{f"m{i}": turned for i in range(4)}, gold=first)
    said = order_sentence(values)
    assert said.count("swaps 1 pair") == 3
    assert said.endswith(", and 1 more such.")
    three = {"a": [0.5, 0.7, 0.6, 0.6], "b": [0.4, 0.6, 0.5, 0.49], "c": [0.1, 0.2, 0.1, 0.1]}
    back = {run: three[other] for run, other in zip("abc", "cba", strict=True)}
    many = {f"m{i}": {**three, "c": [0.9, 0.1, 0.9, 0.8]} for i in range(4)}
    assert "; m1 swaps" in order_sentence(_values(majority=three, **many, gold=back)).partition("against gold")[2]
    said = order_sentence(_values(majority=three, gold=back))
    assert "majority swaps 3 pairs of runs against gold, and 3 of them, such as a and b, can be told apart" in said
    nobody = {"a": [float("nan")], "b": [float("nan")]}
    assert order_sentence(_values(majority=nobody, em=nobody)).startswith("no run is first by m")


def test_notes_of_some_methods_name_them(joined: LabelledRuns) -> None:
    every = np.ones(len(joined.place))
    table = orders_table({"all": joined.values(every, "AP"), "ann": joined.values(joined.of_worker(0), "AP")})
    assert "ann: 1 of 3 topics has no such label: left out" in table.notes
    assert "one: 1 topic is without labels (t9)" in table.notes
