"""What many workers say together: the study, beside plain loops over the rows that were merged."""

import bz2
import gzip
from collections import Counter, defaultdict
from collections.abc import Iterable
from math import sqrt
from pathlib import Path
from random import Random
from typing import Any

import pytest

from cranfield.collections import (
    AGGREGATIONS,
    AWARE,
    Majority,
    aware_table,
    crowd_agreement_table,
    join_runs,
    label_noise_table,
    of_people,
    stopping_table,
)
from cranfield.core import CranfieldError, ParameterError, Study
from cranfield.data import Labels, read_labels, read_qrels
from cranfield.studies import crowd, evaluate
from tests.support.simulations.crowds import Crowd, Grades, Rows, drawn_crowd, mean, ranks

Z = 1.959963984540054  # 97.5 % of a standard normal lie below
RIGHT = {"ann": 0.95, "bob": 0.9, "cat": 0.8, "dan": 0.7, "eve": 0.6}
QUICK = ("majority", "dawid-skene")
MANY = ("majority", "weighted", "binomial", "dawid-skene", "one-coin")


def columns(rows: Iterable[tuple[Any, ...]], **more: list[Any]) -> dict[str, list[Any]]:
    names = ("topic", "document", "worker", "grade")
    return {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)} | more


def rows_of(study: Study, table: str) -> list[dict[str, Any]]:
    return study[table].rows()


def merged(study: Study) -> dict[tuple[str, str], float]:
    return {(row["topic"], row["document"]): row["grade"] for row in rows_of(study, "labels")}


def rounded(study: Study, table: str) -> list[dict[str, Any]]:
    """Rows to nine digits: sums over items in another order differ in the last ones."""
    rows = rows_of(study, table)
    rows = [row for row in rows if row.get("method") != "aware"]  # draws too
    kept = [{k: v for k, v in row.items() if table != "agreement" or k not in ("low", "high")} for row in rows]
    return [{k: round(v, 9) if isinstance(v, float) else v for k, v in row.items()} for row in kept]


def votes_of(rows: Rows) -> dict[tuple[str, str], Counter[float]]:
    votes: dict[tuple[str, str], Counter[float]] = defaultdict(Counter)
    for topic, document, _, grade in rows:
        votes[topic, document][grade] += 1
    return votes


def majority_of(rows: Rows) -> dict[tuple[str, str], float]:
    """The grade that most say, of equals the highest."""
    return {item: max(said, key=lambda grade: (said[grade], grade)) for item, said in votes_of(rows).items()}


def wilson(part: int, of: int) -> tuple[float, float]:
    """wilson1927: the shares p with |p̂ − p| ≤ z √(p (1 − p) / n)."""
    middle = (part + Z**2 / 2) / (of + Z**2)
    half = Z * sqrt(part * (of - part) / of + Z**2 / 4) / (of + Z**2)
    return middle - half, middle + half


@pytest.fixture(scope="module")
def made() -> Crowd:
    """Five people label most documents of 8 topics, each as well as they can."""
    return drawn_crowd(3, topics=8, runs=5, documents=25, right=RIGHT, coverage=0.8)


@pytest.fixture(scope="module")
def study(made: Crowd) -> Study:
    return crowd(columns(made.rows), methods=QUICK, gold=made.truth, runs=made.runs, measures=["nDCG@10", "AP"])


def test_the_majority_by_hand() -> None:
    rows = [
        ("1", "a", "x", 0), ("1", "a", "y", 2), ("1", "a", "z", 2),
        ("1", "b", "x", 0), ("1", "b", "y", 1),
        ("2", "a", "z", 1),
    ]  # fmt: skip
    study = crowd(columns(rows), methods="majority", draws=5)
    assert rows_of(study, "labels") == [
        {"topic": "1", "document": "a", "grade": 2, "confidence": 2 / 3, "labels": 3, "agree": 2 / 3, "tied": False},
        {"topic": "1", "document": "b", "grade": 1, "confidence": 0.5, "labels": 2, "agree": 0.5, "tied": True},
        {"topic": "2", "document": "a", "grade": 1, "confidence": 1.0, "labels": 1, "agree": 1.0, "tied": False},
    ]
    (way,) = rows_of(study, "aggregations")
    assert {name: way[name] for name in ("method", "items", "tied", "changed", "accuracy", "gold")} == {
        "method": "majority", "items": 3, "tied": 1, "changed": 0, "accuracy": None, "gold": 0,
    }  # fmt: skip
    workers = {row["worker"]: row for row in rows_of(study, "workers")}
    assert {name: (row["labels"], row["accuracy"]) for name, row in workers.items()} == {
        "x": (2, 0.0),  # 0 where the others say 2, and 0 where the tie is 1
        "y": (2, 1.0),
        "z": (2, 1.0),
    }
    assert study.verdict is not None
    assert study.verdict["method"] == "majority"
    assert study.sentence == "6 labels of 3 items by 3 workers; votes are tied for 33.3% of the items."
    assert study.charts == ("workers", "aggregations")
    assert list(study.tables)[-1] == "labels"  # what a table format holds


def test_of_a_merged_label_the_grade_that_is_asked_for() -> None:
    rows = [("1", "a", worker, grade) for worker, grade in zip("vwxyz", (0, 0, 1, 3, 3), strict=True)]
    for by, grade in (("likeliest", 3), ("median", 1), ("mean", 7 / 5), (None, 3)):
        found = crowd(columns(rows), methods="majority", by=by, draws=2)  # type: ignore[arg-type]
        assert merged(found)["1", "a"] == pytest.approx(grade)


def test_the_first_method_counts_and_the_others_stand_beside_it(made: Crowd) -> None:
    one = crowd(columns(made.rows), methods=["dawid-skene", "majority", "dawid-skene"], draws=5)
    assert [row["method"] for row in rows_of(one, "aggregations")] == ["dawid-skene", "majority"]
    other = crowd(columns(made.rows), methods="dawid-skene", draws=5)
    assert one["labels"] == other["labels"]
    assert one["workers"] == other["workers"]
    by_vote = majority_of(made.rows)
    changed = sum(grade != by_vote[item] for item, grade in merged(one).items())
    assert changed > 0
    assert [row["changed"] for row in rows_of(one, "aggregations")] == [changed, 0]


def test_all_methods_unless_told_otherwise(made: Crowd) -> None:
    found = crowd(columns(made.rows[:300]), draws=5)
    assert {row["method"] for row in rows_of(found, "aggregations")} == {cls.name for cls in AGGREGATIONS}
    assert found.verdict is not None
    assert found.verdict["method"] == "dawid-skene"


def test_accuracy_on_gold_is_a_count(made: Crowd, study: Study) -> None:
    for row, said in zip(rows_of(study, "aggregations"), (majority_of(made.rows), None), strict=True):
        assert row["gold"] == len(votes_of(made.rows))
        if said:
            right = sum(grade == made.truth[topic][document] for (topic, document), grade in said.items())
            assert row["accuracy"] == right / len(said)
            assert (row["low"], row["high"]) == pytest.approx(wilson(right, len(said)))
    for worker in rows_of(study, "workers"):
        own = [(t, d, g) for t, d, who, g in made.rows if who == worker["worker"]]
        right = sum(grade == made.truth[topic][document] for topic, document, grade in own)
        assert (worker["labels"], worker["gold"], worker["gold_accuracy"]) == (len(own), len(own), right / len(own))


def test_workers_by_what_is_merged(made: Crowd, study: Study) -> None:
    said = merged(study)
    for worker in rows_of(study, "workers"):
        own = [said[topic, document] == grade for topic, document, who, grade in made.rows if who == worker["worker"]]
        assert worker["accuracy"] == pytest.approx(sum(own) / len(own))
        assert (worker["low"], worker["high"]) == pytest.approx(wilson(sum(own), len(own)))
        halves = own[: (len(own) + 1) // 2], own[(len(own) + 1) // 2 :]
        first, second = (sum(half) / len(half) for half in halves)
        assert worker["drift"] == pytest.approx(second - first)
    confused = {(r["worker"], r["merged"], r["said"]): r["labels"] for r in rows_of(study, "confusion")}
    assert confused == Counter((who, said[topic, document], grade) for topic, document, who, grade in made.rows)
    parts = Counter({row["worker"]: 0 for row in rows_of(study, "drift")})
    for row in rows_of(study, "drift"):
        parts[row["worker"]] += row["labels"]
    assert parts == Counter(who for *_, who, _ in made.rows)


def test_agreement_is_that_of_the_labels(made: Crowd) -> None:
    found = crowd(columns(made.rows), methods="majority", draws=40, level=0.1, seed=7)
    expected = crowd_agreement_table(read_labels(columns(made.rows)).in_order(), draws=40, level=0.1, seed=7)
    assert found["agreement"] == expected


def test_gold_may_be_of_a_few_items_only(made: Crowd) -> None:
    some = {topic: dict(list(grades.items())[:3]) for topic, grades in made.truth.items()}
    found = crowd(columns(made.rows), methods="majority", gold=some, runs=made.runs, draws=5)
    said = majority_of(made.rows)
    known = [(item, some[item[0]][item[1]]) for item in said if item[1] in some[item[0]]]
    (row,) = rows_of(found, "aggregations")
    assert (row["gold"], row["accuracy"]) == (len(known), sum(said[item] == g for item, g in known) / len(known))
    # A handful of documents orders no runs.
    assert {row["method"] for row in rows_of(found, "orders")} == {"majority", "aware"}


def test_gold_is_merged_only_where_that_is_asked_for(made: Crowd) -> None:
    gold = {topic: {document: 1 - grade for document, grade in grades.items()} for topic, grades in made.truth.items()}
    given: Any = {"methods": QUICK, "gold": gold, "draws": 5}
    beside, used = (crowd(columns(made.rows), use_gold=use, **given) for use in (False, True))
    assert beside["labels"] == crowd(columns(made.rows), methods=QUICK, draws=5)["labels"]
    assert all(grade == gold[topic][document] for (topic, document), grade in merged(used).items())
    assert used["aggregations"] == beside["aggregations"]  # what merging without gold makes of gold items
    assert used.sentence.split(" Of ")[1].split(").")[0] == beside.sentence.split(" Of ")[1].split(").")[0]


GRADED = {"1": {"a": 0, "b": 1, "c": 2, "d": 2}}
YES_NO = [("1", document, worker, float(document in "bcd")) for document in "abcd" for worker in "xyz"]


def test_gold_with_grades_for_yes_and_no() -> None:
    found = crowd(columns(YES_NO), methods="majority", gold=GRADED, draws=5)
    (row,) = rows_of(found, "aggregations")
    assert (row["gold"], row["accuracy"]) == (4, 1.0)
    (note,) = found["aggregations"].notes
    assert note.endswith(" has grades up to 2: from 1 on they count as 1, below as 0; --gold-rel sets another bound")
    found = crowd(columns(YES_NO), methods="majority", gold=GRADED, gold_rel=2, draws=5)
    assert rows_of(found, "aggregations")[0]["accuracy"] == 3 / 4  # b is no more than 1
    assert found["aggregations"].notes == ()


def test_gold_grades_that_nobody_gave_are_left_out_and_counted() -> None:
    rows = [("1", document, worker, grade) for document, grade in zip("abc", (0, 1, 3), strict=True) for worker in "xy"]
    found = crowd(columns(rows), methods="majority", gold={"1": {"a": 0, "b": 2, "c": 3, "z": 7}}, draws=5)
    (row,) = rows_of(found, "aggregations")
    assert (row["gold"], row["accuracy"]) == (2, 1.0)
    (note,) = found["aggregations"].notes
    assert note.endswith(": 1 of 3 gold grades are none that a worker gave: left out")


def with_machine(made: Crowd) -> Grades:
    """A machine that says the opposite of what is true, in grades that people never give, of more than people saw."""
    return {
        topic: {document: 5.0 if grade == 0 else 0.0 for document, grade in grades.items()} | {"new": 3.0}
        for topic, grades in made.truth.items()
    } | {"other": {"d": 2.0}}


PEOPLE = ("aggregations", "agreement", "workers", "confusion", "drift", "stopping", "order_changes", "orders")


def test_machines_are_no_part_of_what_people_say(made: Crowd) -> None:
    order = list(range(len(made.rows)))
    Random(1).shuffle(order)
    given: Any = {"methods": MANY, "runs": made.runs, "stopping": True, "draws": 5}
    timed = columns(made.rows, time=order)
    alone = crowd(timed, gold=made.truth, **given)
    beside = crowd(timed, gold=made.truth, machine_qrels={"contrary": with_machine(made)}, **given)
    for table in (*PEOPLE, "label_noise", "aware", "labels"):
        assert beside[table].rows() == alone[table].rows(), table
    assert beside.sentence.startswith(alone.sentence)
    assert "contrary says what people say of " in beside.sentence
    # The same machine in the rows, marked by a column or by its name.
    machine = [(t, d, "contrary", g) for t, grades in with_machine(made).items() for d, g in grades.items()]
    mixed = [*made.rows, *machine]
    kinds = ["machine" if who == "contrary" else "person" for *_, who, _ in mixed]
    alone = crowd(columns(made.rows), **given)
    for data in (columns(mixed, kind=kinds), read_labels(columns(mixed), machines=["contr*"])):
        marked = crowd(data, **given)
        for table in (*PEOPLE, "label_noise", "aware", "labels"):
            assert marked[table] == alone[table], table
    Random(2).shuffle(mixed)
    marked = crowd(read_labels(columns(mixed), machines=["contrary"]), methods="majority", draws=5)
    assert merged(marked) == majority_of(made.rows)


def test_what_a_machine_says_beside_people(made: Crowd) -> None:
    machine = with_machine(made)
    found = crowd(columns(made.rows), methods="majority", machine_qrels={"m": machine}, runs=made.runs, draws=5)
    people = majority_of(made.rows)
    both = [(grade, machine[topic][document]) for (topic, document), grade in people.items()]
    (row,) = rows_of(found, "machines")
    assert (row["machine"], row["items"]) == ("m", len(both))
    assert row["labels"] == sum(len(grades) for grades in machine.values())
    assert row["equal"] == pytest.approx(sum(a == b for a, b in both) / len(both))
    assert row["higher"] == pytest.approx(sum(b > a for a, b in both) / len(both))
    assert row["lower"] == pytest.approx(sum(b < a for a, b in both) / len(both))
    confused = {(r["people"], r["said"]): r["labels"] for r in rows_of(found, "machine_confusion") if r["labels"]}
    assert confused == Counter(both)
    for run in rows_of(found, "machine_runs"):
        for side, column in ((0, "people"), (1, "machine_value")):
            grades: Grades = defaultdict(dict)
            for (topic, document), said in zip(people, both, strict=True):
                grades[topic][document] = said[side]
            assert run[column] == pytest.approx(mean(made.runs, run["run"], grades, "nDCG@10"))
    assert "machines" in found.charts


def test_machines_may_be_workers_like_any_other(made: Crowd) -> None:
    machine = with_machine(made)
    found = crowd(columns(made.rows), methods="majority", machine_qrels={"m": machine}, machines=True, draws=5)
    rows = [*made.rows, *((t, d, "m", float(g)) for t, grades in machine.items() for d, g in grades.items())]
    assert merged(found) == majority_of(rows)
    assert {row["worker"]: row["kind"] for row in rows_of(found, "workers")} == {
        **dict.fromkeys(RIGHT, "person"),
        "m": "machine",
    }
    assert "machines" not in found.tables
    assert " by 5 workers and 1 machine; " in found.sentence
    alone = read_labels(columns(made.rows), machines=["*"])
    assert merged(crowd(alone, methods="majority", machines=True, draws=5)) == majority_of(made.rows)


def test_two_machines(made: Crowd) -> None:
    same = {topic: dict(grades) for topic, grades in made.truth.items()}
    found = crowd(columns(made.rows), methods="majority", machine_qrels={"a": same, "b": {"none": {"d": 1}}}, draws=5)
    right = sum(grade == made.truth[t][d] for (t, d), grade in majority_of(made.rows).items())
    a, b = rows_of(found, "machines")
    assert a["equal"] == pytest.approx(right / len(majority_of(made.rows)))
    assert (b["items"], b["equal"], b["kappa"]) == (0, None, None)
    assert found.sentence.endswith(" b labelled nothing that people did.")


def test_the_order_of_runs_by_perfect_workers_is_the_true_one() -> None:
    made = drawn_crowd(11, topics=8, runs=5, documents=25, right=dict.fromkeys("vwxyz", 1.0))
    found = crowd(columns(made.rows), gold=made.truth, runs=made.runs, measures="AP nDCG@10", draws=5)
    truth = {
        measure: {run: mean(made.runs, run, made.truth, measure) for run in made.runs} for measure in ("AP", "nDCG@10")
    }
    methods = {row["method"] for row in rows_of(found, "orders")}
    assert methods == {*(cls.name for cls in AGGREGATIONS), "aware", "gold"}
    for row in rows_of(found, "orders"):
        if row["method"] != "binomial":  # its grades are pulled to the middle
            assert row["value"] == pytest.approx(truth[row["measure"]][row["run"]])
            assert row["rank"] == ranks(truth[row["measure"]])[row["run"]]
            assert row["rank_change"] == 0
    for row in rows_of(found, "order_changes"):
        if row["method"] != "binomial":
            assert (row["tau"], row["swaps"], row["largest"]) == (pytest.approx(1), 0, 0)
    best = max(truth["AP"], key=lambda run: truth["AP"][run])
    assert f"{best} is first by AP under every way to merge labels. No two runs change places." in found.sentence


def test_values_of_runs_are_those_of_the_merged_labels(made: Crowd, study: Study) -> None:
    assert study.verdict is not None
    said: Grades = defaultdict(dict)
    for (topic, document), grade in merged(study).items():
        said[topic][document] = grade
    values = evaluate(said, made.runs, ["nDCG@10", "AP"]).aggregate()
    names = list(made.runs)
    own = [row for row in rows_of(study, "orders") if row["method"] == "majority"]
    assert len(own) == 2 * len(names)
    for row in own:
        assert row["value"] == pytest.approx(values[names.index(row["run"]), ["nDCG@10", "AP"].index(row["measure"])])
        assert row["value"] == pytest.approx(mean(made.runs, row["run"], said, row["measure"]))
    noise = {(row["run"], row["measure"]): row["value"] for row in rows_of(study, "label_noise")}
    assert noise == pytest.approx({(row["run"], row["measure"]): row["value"] for row in own})
    assert {row["method"] for row in rows_of(study, "orders")} == {"majority", "dawid-skene", "aware", "gold"}
    assert {(row["method"], row["other"]) for row in rows_of(study, "order_changes")} == {
        ("dawid-skene", "majority"), ("aware", "majority"),
        ("majority", "gold"), ("dawid-skene", "gold"), ("aware", "gold"),
    }  # fmt: skip
    assert study.charts == ("workers", "aggregations", "label-orders", "label-noise")


def test_values_weighed_by_worker(made: Crowd) -> None:
    given: Any = {"methods": "majority", "runs": made.runs, "draws": 5, "seed": 3}
    labels = read_labels(columns(made.rows)).in_order()
    joined = join_runs(labels, made.runs)
    for aware in ("AWARE(distance='tau',power=2)", AWARE(distance="none"), None):
        method = AWARE(distance="tau", power=2) if isinstance(aware, str) else aware or AWARE()
        found = crowd(labels, aware=aware, **given)
        assert found["aware"] == aware_table(method.weigh(joined, "nDCG@10", seed=3))
    near = AWARE(against="gold")
    found = crowd(labels, aware=near, gold=made.truth, **given)
    weights = {row["worker"]: row["weight"] for row in rows_of(found, "aware")}
    assert max(weights, key=lambda worker: weights[worker]) == "ann"


def test_doubt_that_is_left(made: Crowd) -> None:
    labels = read_labels(columns(made.rows)).in_order()
    found = crowd(labels, methods="majority", runs=made.runs, draws=5, seed=4, level=0.2)
    joined, said = join_runs(labels, made.runs), Majority().merge(labels.answers)
    assert found["label_noise"] == label_noise_table(joined, said, "nDCG@10", draws=200, seed=4, level=0.2)


def test_how_many_labels_would_do(made: Crowd) -> None:
    labels = read_labels(columns(made.rows))
    found = crowd(labels, methods="majority", gold=made.truth, stopping=True, draws=5)
    known = labels.gold(read_qrels(made.truth))
    assert found["stopping"] == stopping_table(labels, Majority().merge(labels.answers), known)
    assert "stopping" in found.charts
    assert "stopping" not in crowd(labels, methods="majority", draws=5).tables


def test_what_was_read_stands_in_the_result(made: Crowd, tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text(
        "topic,document,worker,grade\n" + "".join(f"{t},{d},{w},{g}\n" for t, d, w, g in made.rows)
    )
    lines = [f"{t} 0 {d} {g:.0f}\n" for t, grades in made.truth.items() for d, g in grades.items()]
    for name in ("gold.qrels", "llm.qrels"):
        (tmp_path / name).write_text("".join(lines))
    found = crowd(
        tmp_path / "labels.csv",
        methods="majority",
        gold=tmp_path / "gold.qrels",
        machine_qrels={"llm": tmp_path / "llm.qrels"},
        runs=made.runs,
        measures="AP RR",
        draws=5,
        seed=9,
        command="cranfield crowd labels.csv",
    )
    assert found.made_by is not None
    inputs = [(Path(one.name).name, one.kind) for one in found.made_by.inputs]
    assert inputs == [
        ("labels.csv", "labels"),
        ("llm.qrels", "labels"),
        ("gold.qrels", "qrels"),
        *((run, "run") for run in made.runs),
    ]
    assert (found.made_by.measures, found.made_by.seed) == (("AP", "RR"), 9)
    assert found.made_by.command == "cranfield crowd labels.csv"
    assert {table.made_by for table in found.tables.values()} == {found.made_by}
    # Machines are not merged, and no caption says so.
    assert found["aggregations"].caption == f"ways to merge {tmp_path / 'labels.csv'}"


def test_what_is_odd_about_the_file_is_told() -> None:
    rows = [("1", "a", "x", 1), ("1", "a", "x", 1), ("1", "b", "x", -1), ("1", "b", "y", 0)]
    found = crowd(read_labels(columns(rows), name="odd.csv"), methods="majority", draws=5)
    below, again = found["aggregations"].notes
    assert below.startswith("odd.csv")
    assert 'grades below 0: 1, left out; write 0 for "not relevant"' in below
    assert "rows that are there again: 1, the first by worker x on document a" in again


def test_news_of_the_work_goes_up_to_the_end(made: Crowd) -> None:
    for runs in (None, made.runs):
        heard = Heard()
        crowd(columns(made.rows), methods=QUICK, runs=runs, draws=5, progress=heard)
        assert heard.done == sorted(heard.done)
        assert heard.done[-1] == 100
        assert heard.done[:2] == ([50, 100] if runs is None else [25, 50])


class Heard:
    """News of the work, in percent."""

    def __init__(self) -> None:
        self.done: list[int] = []

    def __call__(self, done: int, total: int) -> None:
        assert total == 100
        self.done.append(done)


def test_the_same_seed_gives_the_same_study(made: Crowd) -> None:
    given: Any = {"methods": ["mace", "majority"], "runs": made.runs, "draws": 20}
    first, second = (crowd(columns(made.rows[:400]), seed=5, **given) for _ in range(2))
    assert first.to_json() == second.to_json()
    assert crowd(columns(made.rows[:400]), seed=6, **given)["label_noise"] != first["label_noise"]


@pytest.mark.parametrize(
    "rows",
    [
        [("1", "a", "x", 1)],
        [("1", "a", "x", 1), ("1", "b", "x", 0), ("2", "a", "x", 1)],  # one worker
        [("1", d, w, 1) for d in "abc" for w in "xyz"],  # all labels are equal
        [("1", "a", w, g) for w, g in zip("xyz", (0, 1, 1), strict=True)],  # one item
        [("1", "a", "x", 0), ("1", "a", "x", 1), ("1", "a", "x", 1)],  # of one worker
        [("1", d, w, 0.5) for d in "ab" for w in "xy"],
        [("1", d, w, 0) for d in "ab" for w in "xy"],  # nothing is relevant
    ],
    ids=str,
)
@pytest.mark.parametrize("beside", [False, True])
def test_crowds_so_small_that_little_can_be_said(rows: Rows, beside: bool) -> None:
    runs = {"r": {"1": {"a": 2.0, "b": 1.0}}, "s": {"1": {"c": 1.0}}}
    given: Any = (
        {"runs": runs, "machine_qrels": {"m": {"1": {"a": 1}}}, "gold": {"1": {"a": rows[0][3]}}} if beside else {}
    )
    if beside and rows[0][3] == 0.5:
        given["gold"] = None  # judgments are whole numbers
    found = crowd(columns(rows), stopping=True, draws=10, **given)
    assert len(merged(found)) == len({row[:2] for row in rows})
    assert all(0 <= row["grade"] <= max(1, rows[0][3]) for row in rows_of(found, "labels"))
    assert found.sentence.endswith(".")
    assert "nan" not in found.sentence.lower()
    assert "NaN" not in found.to_json()


def test_one_label_in_words() -> None:
    found = crowd(columns([("1", "a", "x", 1)]), draws=5)
    told = "votes are tied for 0.0% of the items, and no other method changes any of them."
    assert found.sentence == f"1 label of 1 item by 1 worker; {told}"
    assert found["workers"].caption == "1 worker beside labels merged by dawid-skene"
    assert found["agreement"].caption == "agreement of 0 workers on 0 items"
    assert found["agreement"].notes == ("1 of 1 item has fewer than two labels: left out",)


TWO = columns([("1", "a", "x", 0), ("1", "b", "x", 1), ("1", "b", "y", 1)])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"methods": "majorty"}, "there is no aggregation named 'majorty'"),
        ({"methods": []}, "no method is given"),
        ({"by": "mode"}, "labels are not merged by 'mode'"),
        ({"level": 1}, "level"),
        ({"draws": 0}, "0 draws give no interval"),
        ({"gold": {"9": {"a": 1}}}, "no labelled document is in gold"),
        ({"gold": {"1": {"a": -1}}}, "no labelled document is in gold"),
        ({"gold": {"1": {"a": 1}}, "gold_rel": 0}, "from grade 0 on all of gold is the highest label"),
        ({"machine_qrels": {"x": {"1": {"a": 1}}}}, "worker x is a person in one table and a machine in another"),
        ({"machine_qrels": {"m": {"1": {"a": -1}}}}, "worker m gives no grade from 0 up"),
        ({"runs": {"r": {"1": {"a": 1.0}}}, "measures": "nothing"}, "there is no measure named 'nothing'"),
        ({"runs": {"r": {"9": {"a": 1.0}}}}, "no topic of the run has labels"),
        ({"runs": {"r": {"1": {"a": 1.0}}}, "aware": "unaware"}, "there is no weighing named 'unaware'"),
        ({"runs": {"r": {"1": {"a": 1.0}}}, "aware": AWARE(against="gold")}, "needs gold labels"),
    ],
    ids=str,
)
def test_what_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(CranfieldError, match=message) as caught:
        crowd(TWO, **options)
    assert caught.value.hint


def test_gold_of_grades_that_nobody_gave() -> None:
    rows = [("1", document, "x", grade) for document, grade in zip("abc", (0, 1, 2), strict=True)]
    with pytest.raises(ParameterError, match="no worker gave a grade that gold has") as caught:
        crowd(columns(rows), gold={"1": {"a": 3, "b": 4}})
    assert "--gold-rel GRADE" in caught.value.hint
    found = crowd(columns(rows), methods="majority", gold={"1": {"a": 3, "c": 4}}, gold_rel=4, draws=5)
    assert rows_of(found, "aggregations")[0]["accuracy"] == 1.0


def test_machines_alone_have_nobody_to_stand_beside(made: Crowd) -> None:
    labels = read_labels(columns(made.rows), machines=["*"])
    with pytest.raises(ParameterError, match="there are labels of machines alone") as caught:
        crowd(labels)
    assert "--include-machines" in caught.value.hint


def test_people_are_found_with_their_grades_and_times(made: Crowd) -> None:
    labels = read_labels(
        columns([*made.rows, ("x", "d", "gpt", 4.0)], time=list(range(len(made.rows) + 1))), machines=["gpt"]
    )
    people: Labels = of_people(labels)
    assert people.grades.tolist() == [0, 1]
    assert people.time is not None
    assert people.time.tolist() == list(range(len(made.rows)))


@pytest.mark.shared
def test_the_crowd_of_trec_2011(shared_data: Path) -> None:
    folder = shared_data / "crowd-trec11"
    lines = [line.split() for line in gzip.decompress((folder / "votes.gz").read_bytes()).decode().splitlines()]
    rows: Rows = []
    for _, item, worker, grade in lines:
        topic, _, document = item.partition("_")
        rows.append((topic, document, worker, float(grade)))
    text = bz2.decompress((folder / "task1_unlabeled_g_truth_cons_public.txt.bz2").read_bytes()).decode("latin-1")
    gold: dict[str, dict[str, int]] = {}
    for line in text.splitlines()[1:]:
        _, topic, document, grade, *_ = line.split("\t")
        gold.setdefault(topic, {})[document] = int(grade)
    labels = read_labels(folder / "votes.gz", columns=("time", "item", "worker", "grade"))
    found = crowd(labels, methods=["majority", "weighted"], gold=gold, stopping=True, draws=20)
    assert len(labels) == len(rows) == 17395
    assert len(rows_of(found, "workers")) == len({who for *_, who, _ in rows}) == 445
    said = majority_of(rows)
    assert merged(found) == said
    # Workers say yes or no: NIST's 1 (partly) and 2 (highly relevant) are yes.
    known = {item: min(gold[item[0]][item[1]], 1) for item in said if gold.get(item[0], {}).get(item[1], -1) >= 0}
    right = sum(said[item] == grade for item, grade in known.items())
    row = rows_of(found, "aggregations")[0]
    assert (row["items"], row["gold"], row["accuracy"]) == (2165, len(known), right / len(known))
    assert (row["low"], row["high"]) == pytest.approx(wilson(right, len(known)))
    assert row["tied"] == sum(len(set(votes.values())) == 1 < len(votes) for votes in votes_of(rows).values())
    for told in rows_of(found, "workers"):
        own = [grade == known[t, d] for t, d, who, grade in rows if who == told["worker"] and (t, d) in known]
        assert told["gold"] == len(own)
        assert told["gold_accuracy"] == (pytest.approx(sum(own) / len(own)) if own else None)
    assert rows_of(found, "stopping")[0]["labels"] < 17395
    assert found.sentence.startswith("17,395 labels of 2,165 items by 445 workers; ")
