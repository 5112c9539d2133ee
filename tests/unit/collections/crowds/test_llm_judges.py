"""Machines beside people: counts, agreement and values of runs against plain loops."""

from collections import Counter
from dataclasses import replace
from math import sqrt
from random import Random

import numpy as np
import pytest

from cranfield.collections import Majority, Merged
from cranfield.collections.crowds.labelled_runs import join_runs
from cranfield.collections.crowds.llm_judges import (
    beside_people,
    machine_confusion_table,
    machine_runs_table,
    machine_values,
    machines_sentence,
    machines_table,
    of_people,
)
from cranfield.core import ParameterError
from cranfield.data import Labels, Values
from tests.support.simulations.crowds import Grades, Rows, Runs, drawn_crowd, labels_of, mean, ranks

PEOPLE: Rows = [
    (topic, document, worker, grade)
    for worker in ("ann", "bob")
    for topic, document, grade in [("t1", "a", 2), ("t1", "b", 0), ("t1", "c", 1), ("t2", "x", 0), ("t2", "y", 2)]
]
MACHINE: Rows = [
    ("t1", "a", "llm", 0),
    ("t1", "a", "llm", 1),  # it thinks again: below what people say
    ("t1", "b", "llm", 0),
    ("t1", "c", "llm", 2),
    ("t2", "y", "llm", 2),
    ("t3", "z", "llm", 1),  # nobody else labelled it
]
RUNS: Runs = {
    "one": {"t1": {"a": 3, "b": 2, "c": 1}, "t2": {"y": 2, "x": 1}},
    "two": {"t1": {"c": 3, "b": 2, "a": 1}, "t2": {"x": 2, "y": 1}},
}


def merged(labels: Labels) -> Merged:
    return Majority().merge(of_people(labels).answers)


def wilson(count: int, n: int) -> tuple[float, float]:
    """By solving |share − p| = z √(p(1 − p)/n) for p (wilson1927), z for a level of .05."""
    z, share = 1.959963984540054, count / n
    root = z * sqrt(z**2 + 4 * n * share * (1 - share))
    return ((2 * n * share + z**2 - root) / (2 * (n + z**2)), (2 * n * share + z**2 + root) / (2 * (n + z**2)))


def test_a_machine_beside_people_by_hand() -> None:
    labels = labels_of([*PEOPLE, *MACHINE], machines=("llm",))
    table = machines_table(labels, merged(labels))
    assert table.columns == ("machine", "labels", "items", "equal", "low", "high", "kappa", "higher", "lower")
    (row,) = table.rows()
    assert (row["machine"], row["labels"], row["items"]) == ("llm", 6, 4)
    # People: a 2, b 0, c 1, y 2. The machine: 1, 0, 2, 2.
    assert (row["equal"], row["higher"], row["lower"]) == (2 / 4, 1 / 4, 1 / 4)
    assert (row["low"], row["high"]) == pytest.approx(wilson(2, 4))
    # Squared distances seen: 1 + 0 + 1 + 0 of 4. By chance, people 0 1 2 once, once, twice; the machine the same:
    # (0,1) 1·1·1, (0,2) 4·1·2, (1,0) 1, (1,2) 1·1·2, (2,0) 4·2·1, (2,1) 1·2·1 = 22 of 16.
    assert row["kappa"] == pytest.approx(1 - (2 / 4) / (22 / 16))
    assert table.notes == ("llm did not label 1 item that people labelled: left out on both sides",)


def test_confusion_by_hand() -> None:
    labels = labels_of([*PEOPLE, *MACHINE], machines=("llm",))
    table = machine_confusion_table(labels, merged(labels))
    assert table.columns == ("machine", "people", "said", "labels", "share")
    rows = {(row["people"], row["said"]): (row["labels"], row["share"]) for row in table.rows()}
    assert rows == {
        (0, 0): (1, 1.0),
        (0, 1): (0, 0.0),
        (0, 2): (0, 0.0),
        (1, 0): (0, 0.0),
        (1, 1): (0, 0.0),
        (1, 2): (1, 1.0),
        (2, 0): (0, 0.0),
        (2, 1): (1, 0.5),
        (2, 2): (1, 0.5),
    }


def test_runs_are_measured_on_the_items_of_both() -> None:
    labels = labels_of([*PEOPLE, *MACHINE], machines=("llm",))
    joined = join_runs(labels, RUNS)
    both = machine_values(joined, merged(labels), ["AP", "nDCG@10"])
    table = machine_runs_table(both)
    assert table.columns == (
        "machine",
        "measure",
        "run",
        "people",
        "machine_value",
        "difference",
        "rank",
        "machine_rank",
    )
    people: Grades = {"t1": {"a": 2, "b": 0, "c": 1}, "t2": {"y": 2}}
    machine: Grades = {"t1": {"a": 1, "b": 0, "c": 2}, "t2": {"y": 2}}
    for row in table.rows():
        run, measure = str(row["run"]), str(row["measure"])
        sides = [{r: mean(RUNS, r, grades, measure) for r in RUNS} for grades in (people, machine)]
        assert row["people"] == pytest.approx(sides[0][run])
        assert row["machine_value"] == pytest.approx(sides[1][run])
        assert row["difference"] == pytest.approx(sides[1][run] - sides[0][run])
        assert (row["rank"], row["machine_rank"]) == (ranks(sides[0])[run], ranks(sides[1])[run])
    assert len(table) == 4
    assert "llm did not label 1 item that people labelled: left out on both sides" in table.notes
    assert "1 of 3 topics has no such label: left out" in table.notes


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("choices", [2, 4])
def test_a_drawn_crowd_equals_plain_loops(seed: int, choices: int) -> None:
    random = Random(seed)
    crowd = drawn_crowd(seed, topics=5, documents=14, right={"a": 0.9, "b": 0.8, "c": 0.7})
    spread = {pair: random.randrange(choices) for pair in ((t, d) for t in crowd.truth for d in crowd.truth[t])}
    rows: Rows = []
    for topic, document, worker, _ in crowd.rows:
        right = random.random() < 0.8
        rows.append((topic, document, worker, spread[topic, document] if right else random.randrange(choices)))
    for machine, chance in (("gpt", 0.7), ("llama", 0.3)):
        for (topic, document), grade in spread.items():
            if random.random() < 0.8:
                rows.append((topic, document, machine, grade if random.random() < chance else choices - 1))
    labels = labels_of(rows, machines=("gpt", "llama"))
    votes: dict[tuple[str, str], Counter[float]] = {}
    for topic, document, worker, vote in rows:
        if worker in "abc":
            votes.setdefault((topic, document), Counter())[vote] += 1
    people = {
        pair: max(count, key=lambda g: (count[g], g)) for pair, count in votes.items()
    }  # the highest of equal ones
    table, joined = machines_table(labels, merged(labels)), join_runs(labels, crowd.runs)
    confusion = machine_confusion_table(labels, merged(labels))
    runs = machine_runs_table(machine_values(joined, merged(labels), "nDCG@10"))
    for row in table.rows():
        said = {(topic, document): grade for topic, document, worker, grade in rows if worker == row["machine"]}
        n = len(said)
        assert (row["labels"], row["items"]) == (n, n)
        equal = sum(said[pair] == people[pair] for pair in said)
        assert row["equal"] == equal / n
        assert row["higher"] == sum(said[pair] > people[pair] for pair in said) / n
        assert row["lower"] == sum(said[pair] < people[pair] for pair in said) / n
        assert (row["low"], row["high"]) == pytest.approx(wilson(equal, n))

        def cost(x: float, y: float) -> float:
            return (x - y) ** 2 if choices > 2 else float(x != y)

        seen = sum(cost(said[pair], people[pair]) for pair in said) / n
        chance = sum(cost(said[p], people[q]) for p in said for q in said) / n**2
        assert row["kappa"] == pytest.approx(1 - seen / chance)
        counts = Counter((people[pair], said[pair]) for pair in said)
        totals = Counter(people[pair] for pair in said)
        for cell in (cell for cell in confusion.rows() if cell["machine"] == row["machine"]):
            key = (cell["people"], cell["said"])
            assert cell["labels"] == counts[key]  # type: ignore[index]
            assert cell["share"] == counts[key] / totals[cell["people"]]  # type: ignore[index]
        sides: list[Grades] = [{}, {}]
        for (topic, document), own in said.items():
            sides[0].setdefault(topic, {})[document] = people[topic, document]
            sides[1].setdefault(topic, {})[document] = own
        means = [{run: mean(crowd.runs, run, side, "nDCG@10") for run in crowd.runs} for side in sides]
        for cell in (cell for cell in runs.rows() if cell["machine"] == row["machine"]):
            run = str(cell["run"])
            assert cell["people"] == pytest.approx(means[0][run], abs=1e-14)
            assert cell["machine_value"] == pytest.approx(means[1][run], abs=1e-14)
            assert (cell["rank"], cell["machine_rank"]) == tuple(ranks(side)[run] for side in means)
    assert len(runs) == 2 * len(crowd.runs)


def test_a_machine_that_shares_nothing_with_people() -> None:
    labels = labels_of([*PEOPLE, ("t3", "z", "llm", 1)], machines=("llm",))
    (row,) = machines_table(labels, merged(labels)).rows()
    assert (row["labels"], row["items"], row["equal"], row["low"], row["kappa"]) == (1, 0, None, None, None)
    assert len(machine_confusion_table(labels, merged(labels))) == 0
    joined = join_runs(labels, RUNS)
    both = machine_values(joined, merged(labels), "AP")
    assert both == []
    assert len(machine_runs_table(both)) == 0
    assert machines_sentence(machines_table(labels, merged(labels)), both) == "llm labelled nothing that people did."


def test_labels_without_machines_have_empty_tables() -> None:
    labels = labels_of(PEOPLE)
    assert len(machines_table(labels, merged(labels))) == 0
    assert machines_sentence(machines_table(labels, merged(labels))) == ""


def test_people_are_never_merged_with_machines() -> None:
    labels = labels_of([*PEOPLE, *MACHINE], machines=("llm",))
    assert of_people(labels).workers == ("ann", "bob")
    with pytest.raises(ParameterError, match="people labelled 5 items, but 6 are merged") as refused:
        machines_table(labels, Majority().merge(labels.answers))
    assert "of_people" in refused.value.hint
    with pytest.raises(ParameterError, match="machines alone"):
        of_people(labels_of(MACHINE, machines=("llm",)))


def test_decimal_grades_stay_decimal() -> None:
    rows: Rows = [("t", "a", "ann", 0.5), ("t", "b", "ann", 1.0), ("t", "a", "llm", 1.0), ("t", "b", "llm", 1.0)]
    labels = labels_of(rows, machines=("llm",))
    table = machine_confusion_table(labels, merged(labels))
    assert table.cells("people") == [0.5, 0.5, 1.0, 1.0]
    assert table.cells("labels") == [0, 1, 0, 1]


def test_a_merged_grade_between_two_is_the_nearer() -> None:
    labels = labels_of([*PEOPLE, ("t1", "a", "cem", 1), *MACHINE], machines=("llm",))
    (side,) = beside_people(labels, merged(labels), by="mean")
    # The mean of 2, 2 and 1 is nearest to 2.
    assert side.people.tolist() == [2, 0, 1, 2]


def test_the_sentence_says_how_far_to_trust_a_machine() -> None:
    labels = labels_of([*PEOPLE, *MACHINE], machines=("llm",))
    table = machines_table(labels, merged(labels))
    plain = machines_sentence(table)
    assert plain == "llm says what people say of 50.0% of 4 items (κ 0.64), more of 25.0% and less of 25.0%."
    joined = join_runs(labels, RUNS)
    both = machine_values(joined, merged(labels), "nDCG@10")
    # On y both are as in AP: one is first; by the machine c is the best of t1, and two gains.
    gains = [
        mean(RUNS, run, {"t1": {"a": 1, "b": 0, "c": 2}, "t2": {"y": 2}}, "nDCG@10")
        - mean(RUNS, run, {"t1": {"a": 2, "b": 0, "c": 1}, "t2": {"y": 2}}, "nDCG@10")
        for run in RUNS
    ]
    beside = gains[1] - sum(gains) / 2
    assert machines_sentence(table, both) == (
        f"{plain[:-1]}; one stays first by nDCG@10, τ of the orders is 1.00, "
        f"and two gains most on the others ({beside:+.3f} beside the mean)."
    )


def _both(people: Rows, machine: Rows, runs: Runs) -> str:
    labels = labels_of([*people, *machine], machines=("llm",))
    joined = join_runs(labels, runs)
    return machines_sentence(machines_table(labels, merged(labels)), machine_values(joined, merged(labels), "AP"))


def test_the_sentence_names_another_first_run_and_stays_short_without_one() -> None:
    people: Rows = [("t1", "a", "ann", 1), ("t1", "c", "ann", 0)]
    machine: Rows = [("t1", "a", "llm", 0), ("t1", "c", "llm", 1)]
    said = _both(people, machine, RUNS)
    assert "first by AP is two in place of one, τ of the orders is -1.00" in said
    one = _both(people, machine, {"one": RUNS["one"]})
    assert one.endswith("; one stays first by AP.")
    equal = {"one": RUNS["one"], "same": RUNS["one"]}
    assert _both(people, people_as(machine, people), equal).endswith("; one and same stay first by AP.")


def people_as(machine: Rows, people: Rows) -> Rows:
    """The machine saying what people say."""
    return [(t, d, w, grade) for (t, d, w, _), (_, _, _, grade) in zip(machine, people, strict=True)]


def test_a_measure_without_values_has_nothing_to_compare() -> None:
    rows: Rows = [("t1", "a", "ann", 1), ("t1", "b", "ann", 0), ("t1", "a", "llm", 1), ("t1", "b", "llm", 0)]
    labels = labels_of(rows, machines=("llm",))
    joined = join_runs(labels, RUNS)
    (both,) = machine_values(joined, merged(labels), "AP")
    nothing = type(both)(both.beside, *(_emptied(values) for values in (both.people, both.machine)))
    table = machine_runs_table([nothing])
    assert table.cells("rank") == [None, None]
    assert np.isnan(nothing.tau)
    assert "no values of runs to compare" in machines_sentence(machines_table(labels, merged(labels)), [nothing])


def _emptied(values: Values) -> Values:
    return replace(values, cube=np.full(values.cube.shape, np.nan))
