"""Tables, judgments and words about merged labels, beside counting by hand."""

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest

from cranfield.collections import (
    Binomial,
    DawidSkene,
    Majority,
    Merged,
    Weighted,
    aggregations_table,
    crowd_sentence,
    labels_table,
    merged_qrels,
)
from cranfield.data import Labels
from tests.support.simulations.crowds import Rows, labels_of

ROWS: Rows = [
    ("1", "d1", "ann", 1.0),
    ("1", "d1", "bob", 1.0),
    ("1", "d1", "eve", 0.0),
    ("1", "d2", "ann", 0.0),
    ("1", "d2", "bob", 0.0),
    ("2", "d1", "ann", 1.0),
    ("2", "d1", "eve", 0.0),
    ("2", "d9", "eve", 3.0),
]


@pytest.fixture
def labels() -> Labels:
    return labels_of(ROWS)


def given(labels: Labels, method: object, *share: list[float]) -> Merged:
    """As if a method had said so."""
    return Merged(method, np.array(share), np.empty(0), np.empty(0))  # type: ignore[arg-type]


def test_merged_labels(labels: Labels) -> None:
    table = labels_table(labels, Majority().merge(labels.answers))
    assert table.columns == ("topic", "document", "grade", "confidence", "labels", "agree", "tied")
    assert table.rows() == [
        {"topic": "1", "document": "d1", "grade": 1, "confidence": 2 / 3, "labels": 3, "agree": 2 / 3, "tied": False},
        {"topic": "1", "document": "d2", "grade": 0, "confidence": 1.0, "labels": 2, "agree": 1.0, "tied": False},
        {"topic": "2", "document": "d1", "grade": 1, "confidence": 0.5, "labels": 2, "agree": 0.5, "tied": True},
        {"topic": "2", "document": "d9", "grade": 3, "confidence": 1.0, "labels": 1, "agree": 1.0, "tied": False},
    ]
    assert table.caption == "merged labels of labels.csv by majority"


def test_merged_labels_between_grades(labels: Labels) -> None:
    merged = Binomial().merge(labels.answers)
    table = labels_table(labels, merged)
    assert table.cells("grade") == pytest.approx([2 / 3, 0.0, 0.5, 3.0])
    assert table.cells("agree") == pytest.approx([2 / 3, 1.0, 0.5, 1.0])  # with 1, 0, 1 (of 0 and 1 the higher), 3
    assert labels_table(labels, merged, by="median").cells("grade") == [1, 0, 0, 3]
    assert labels_table(labels, merged, by="median").cells("agree") == [2 / 3, 1.0, 0.5, 1.0]


def test_an_item_without_labels(labels: Labels) -> None:
    # The last row goes, its item stays.
    answers = replace(
        labels.answers,
        item=labels.answers.item[:-1],
        worker=labels.answers.worker[:-1],
        choice=labels.answers.choice[:-1],
    )
    fewer = replace(labels, answers=answers)
    last = labels_table(fewer, Majority().merge(answers)).rows()[-1]
    assert (last["labels"], last["agree"], last["tied"]) == (0, None, True)


def wilson(right: int, count: int) -> tuple[float, float]:
    """The interval of wilson1927 at 5 %, as written there."""
    z = 1.959963984540054
    share = right / count
    middle = share + z * z / (2 * count)
    half = z * sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return (middle - half) / (1 + z * z / count), (middle + half) / (1 + z * z / count)


def test_methods_side_by_side(labels: Labels) -> None:
    majority = Majority().merge(labels.answers)  # 1, 0, tied: 1, 3
    lowest = Majority(ties="lowest").merge(labels.answers)  # 1, 0, 0, 3
    skene = DawidSkene().merge(labels.answers)
    gold = np.array([1, -1, 0, 2])  # choices: grades 1, unknown, 0, 3
    table = aggregations_table(labels, [majority, lowest, skene], gold)
    assert table.columns == (
        *("method", "items", "tied", "changed", "accuracy", "low", "high", "gold", "likelihood", "rounds"),
    )
    first, second, third = table.rows()
    low, high = wilson(2, 3)
    assert first == {
        "method": "majority",
        "items": 4,
        "tied": 1,
        "changed": 0,
        "accuracy": 2 / 3,
        "low": pytest.approx(low),
        "high": pytest.approx(high),
        "gold": 3,
        "likelihood": None,
        "rounds": None,
    }
    assert (second["method"], second["changed"], second["accuracy"]) == ("majority(ties='lowest')", 1, 1.0)
    assert second["high"] == 1.0
    assert second["low"] == pytest.approx(wilson(3, 3)[0])
    assert third["likelihood"] == skene.likelihood
    assert third["rounds"] == skene.rounds


def test_the_majority_vote_need_not_be_among_them(labels: Labels) -> None:
    other = given(labels, Weighted(), [0, 1, 0], [1, 0, 0], [1, 0, 0], [1, 0, 0])
    row = aggregations_table(labels, [other]).rows()[0]
    assert row["changed"] == 2  # items 2 and 3: 0 instead of 1 and 3
    assert [row[name] for name in ("accuracy", "low", "high")] == [None, None, None]
    assert row["gold"] == 0


def test_what_is_likely_stands_in_the_table(labels: Labels) -> None:
    shares = Majority().merge(labels.answers).share
    traced = Merged(DawidSkene(), shares, np.empty(0), np.empty(0), trace=(-9.0, -8.0), rounds=2)
    said = Merged(DawidSkene(), shares, np.empty(0), np.empty(0), trace=(-9.0, -8.0), rounds=2, likelihood=-7.0)
    assert aggregations_table(labels, [traced, said]).cells("likelihood") == [-8.0, -7.0]


def test_real_grades_are_right_when_nearest_to_gold(labels: Labels) -> None:
    merged = Binomial().merge(labels.answers)  # .67, 0, .5 and 3: nearest are 1, 0, 1 and 3
    row = aggregations_table(labels, [merged], np.array([1, 0, 0, 2])).rows()[0]
    assert (row["accuracy"], row["changed"]) == (0.75, 0)


def test_no_methods_no_rows(labels: Labels) -> None:
    assert len(aggregations_table(labels, [])) == 0


def test_merged_judgments(labels: Labels) -> None:
    qrels = merged_qrels(labels, Binomial().merge(labels.answers))
    assert qrels.to_table().rows() == [
        {"topic": "1", "document": "d1", "grade": pytest.approx(2 / 3)},
        {"topic": "1", "document": "d2", "grade": 0.0},
        {"topic": "2", "document": "d1", "grade": 0.5},
        {"topic": "2", "document": "d9", "grade": 3.0},
    ]
    assert qrels.source.name == "labels.csv merged by binomial"
    likeliest = merged_qrels(labels, Binomial().merge(labels.answers), by="likeliest")
    assert likeliest.to_table().cells("grade") == [1, 0, 1, 3]


def test_in_words(labels: Labels) -> None:
    majority = Majority().merge(labels.answers)
    lowest = Majority(ties="lowest").merge(labels.answers)
    other = given(labels, Weighted(), [0, 1, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1])  # items 1 and 2 change
    start = "8 labels of 4 items by 3 workers; votes are tied for 25.0% of the items"
    assert crowd_sentence(labels, [majority]) == f"{start}."
    assert crowd_sentence(labels, [majority, other]) == f"{start}, and weighted changes 50.0% of them."
    assert crowd_sentence(labels, [majority, lowest, other]) == (
        f"{start}, and other methods change from 25.0% (majority(ties='lowest')) to 50.0% (weighted) of them."
    )


def test_in_words_with_gold(labels: Labels) -> None:
    majority = Majority().merge(labels.answers)
    lowest = Majority(ties="lowest").merge(labels.answers)
    gold = np.array([1, -1, 0, 2])
    told = crowd_sentence(labels, [majority, lowest], gold)
    low, high = wilson(2, 3)
    assert told.endswith(
        f" Of 3 gold items majority is right for 66.7% ({low:.1%} to {high:.1%}), "
        f"majority(ties='lowest') is right for 100.0% ({wilson(3, 3)[0]:.1%} to 100.0%)."
    )
    # Where nothing is better, the vote stands alone.
    alone = crowd_sentence(labels, [majority, lowest], np.array([-1, -1, 1, -1]))
    assert " Of 1 gold item majority is right for 100.0% (" in alone
    assert "lowest') is right" not in alone
    assert crowd_sentence(labels, [], np.array([-1, -1, 1, -1])).count("majority is right") == 1


def test_machines_are_told_apart() -> None:
    mixed = labels_of(ROWS, ("eve",))
    assert crowd_sentence(mixed, []).startswith("8 labels of 4 items by 2 workers and 1 machine; ")
    alone = labels_of(ROWS[-1:], ("eve",))
    assert crowd_sentence(alone, []).startswith("1 label of 1 item by 1 machine; ")


def test_wilson_by_hand() -> None:
    # 8 of 10 at 5 %: .4902 to .9433 (R: prop.test(8, 10, correct = FALSE)).
    assert wilson(8, 10) == pytest.approx((0.4901625, 0.9433178), abs=5e-8)
