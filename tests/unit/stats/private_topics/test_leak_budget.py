"""The leak budget: counted answers beside all that could be seen, and a decoder that reads labels from values."""

from dataclasses import replace
from itertools import combinations, pairwise, product
from math import log2
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cranfield as cf
from cranfield.core import Direction
from cranfield.data import Given, Values, read_scores
from cranfield.stats import FULL, Released, bits_told, leak_table, leak_verdict, private_decimals, release

RUNS = {"a1": [0.1, 0.2, 0.3], "b1": [0.9, 0.9, 0.9], "a2": [0.3, 0.4, 0.6], "a3": [0.2, 0.4, 0.6]}
GROUPS: dict[str, str | None] = {"a1": "a", "b1": "b", "a2": "a", "a3": "a"}
RANKS = [2**i for i in range(10)]  # 1 to 512, in a run of a thousand documents


def changes(seen: tuple[int, ...]) -> int:
    return sum(x != y for x, y in pairwise(seen))


@pytest.mark.parametrize("answers", [2, 3, 5])
@pytest.mark.parametrize("submissions", [1, 2, 3, 5])
def test_bits_are_enough_to_write_down_whatever_is_seen(submissions: int, answers: int) -> None:
    every = list(product(range(answers), repeat=submissions))
    assert 2 ** bits_told("plain", submissions, 0, answers) == pytest.approx(len(every))
    climbing = [seen for seen in every if all(x <= y for x, y in pairwise(seen))]
    lengths = [bits_told("ladder", submissions, changes(seen), answers) for seen in climbing]
    # Kraft: there is a code with these lengths (some counts of changes cannot be where there are few answers).
    assert sum(2**-bits for bits in lengths) == pytest.approx(min(submissions, answers) / submissions)
    for seen in climbing:  # sequences with as many changes: their number is what the code tells apart
        alike = sum(changes(other) == changes(seen) for other in climbing)
        expected = log2(submissions) + log2(alike)
        assert bits_told("ladder", submissions, changes(seen), answers) == pytest.approx(expected)
    assert max(lengths) <= bits_told("plain", submissions, 0, answers) + 1e-9


def test_nothing_tells_nothing() -> None:
    assert bits_told("none", 5, 0, 1001) == 0
    assert bits_told("plain", 0, 0, 1001) == 0
    assert bits_told("ladder", 0, 0, 1001) == 0


def scores(runs: dict[str, Any], **about: Any) -> Values:
    return replace(read_scores(runs), measures=(Given("m", **about),))


def test_the_budget_of_each_group_and_of_all() -> None:
    values = scores(RUNS)
    table = leak_table(values, release(values, "m", groups=GROUPS, decimals=2), "m", rule="ladder")
    rows = {(row["group"], row["rule"], row["decimals"]): row for row in table.rows()}
    assert list(rows) == [
        (group, rule, decimals)
        for rule, decimals in (("ladder", 2), ("plain", 2), ("plain", 4), ("plain", FULL))
        for group in ("a", "b", None)
    ]
    # a saw .20, .43, .43: one change in three submissions, of 101 numbers; b saw one number.
    a, b = log2(3 * 2 * (101 * 100 / 2)), log2(101)
    assert rows["a", "ladder", 2]["bits"] == pytest.approx(a)
    assert rows["b", "ladder", 2]["bits"] == pytest.approx(b)
    assert rows[None, "ladder", 2]["bits"] == pytest.approx(a + b)
    assert rows[None, "ladder", 2]["labels"] == int(a + b) == 21
    assert rows[None, "plain", 4]["bits"] == pytest.approx(4 * log2(10_001))
    assert rows["a", "plain", 4]["bits"] == pytest.approx(3 * log2(10_001))
    assert rows[None, "plain", FULL]["bits"] == pytest.approx(4 * 16 * log2(10), rel=1e-6)
    assert [(row["submissions"], row["topics"]) for row in rows.values()] == [(3, 3), (1, 3), (4, 3)] * 4
    assert (rows["a", "ladder", 2]["changes"], rows["a", "plain", 2]["changes"]) == (1, 2)  # .20 .43 .40
    assert rows["a", "ladder", 2]["note"] == "a new value only after a real gain"
    assert rows["a", "plain", FULL]["note"] == "every value, at full precision, had it been so"
    assert table.notes == ("m is taken to lie between 0 and 1",)
    verdict = leak_verdict(table, "ladder")
    assert verdict["sentence"] == (
        "Under the Ladder at 2 decimals, 4 submissions of 2 teams can have told at most 22 bits about 3 private "
        "topics; plain values at four decimals would have told up to 54."
    )
    assert (verdict["groups"], verdict["submissions"], verdict["enough"]) == (2, 4, False)


@pytest.mark.parametrize(
    ("rule", "decimals", "sentence"),
    [
        ("none", None, "Nothing was told about 3 private topics to 4 submissions of 1 team; plain values at four "),
        ("plain", 4, "As plain values at 4 decimals, 4 submissions of 1 team can have told at most 54 bits about 3 "),
        ("plain", 1, "As plain values at 1 decimal, 4 submissions of 1 team can have told at most 14 bits about 3 "),
    ],
)
def test_the_sentence_names_the_rule(rule: Any, decimals: int | None, sentence: str) -> None:
    values = scores(RUNS)
    table = leak_table(values, release(values, "m", rule=rule, decimals=decimals), "m", rule=rule)
    said = leak_verdict(table, rule)["sentence"]
    assert said.startswith(sentence)
    assert ("would have told" in said) == ((rule, decimals) != ("plain", 4))
    assert {row["group"] for row in table.rows()} == {None}
    in_force = [row for row in table.rows() if not str(row["note"]).endswith("had it been so")]
    assert [row["rule"] for row in in_force] == [rule]
    assert (in_force[0]["bits"] == 0) == (rule == "none")


def test_answers_lie_in_the_range_of_the_measure() -> None:
    far = {"x": [3.0, 7.0], "y": [2.0, 4.5]}  # from 2 to 7: 501 numbers of two decimals
    values = scores(far, direction=Direction.LOWER)
    table = leak_table(values, release(values, "m", rule="plain", decimals=2), "m", rule="plain")
    assert table.rows()[0]["bits"] == pytest.approx(2 * log2(501))
    assert table.notes == ("m has no known range: answers are counted from 2 to 7, as seen",)
    known = replace(read_scores(RUNS), measures=(cf.AP(),))
    table = leak_table(known, release(known, "AP", decimals=2), "AP", rule="ladder")
    assert table.notes == ()


def planted(folder: Path, labels: tuple[int, ...], topics: int) -> float:
    """The mean RR of a run that puts one document with an unknown label at rank 1, 2, 4, … of as many topics."""
    qrels = [f"{t} 0 candidate {label}" for t, label in enumerate(labels)]
    qrels += [f"{t} 0 elsewhere 1" for t in range(topics)]  # so that every topic counts
    run = [
        f"{t} Q0 {'candidate' if rank == top else f'filler{rank}'} {rank} {-rank} planted"
        for t, top in enumerate(RANKS[: len(labels)])
        for rank in range(1, top + 1)
    ]
    (folder / "qrels").write_text("\n".join(qrels) + "\n")
    (folder / "run").write_text("\n".join(run) + "\n")
    values = cf.evaluate(folder / "qrels", folder / "run", "RR", scale="ignore")
    assert len(values.topics) == topics
    return float(values.aggregate()[0, 0])


@pytest.mark.parametrize("labels", ["1010011101", "0000000000", "1111111111", "0111010001"])
def test_one_plain_value_at_full_precision_reads_ten_labels(tmp_path: Path, labels: str) -> None:
    """RR of rank 1, 2, 4, … are the digits of a binary number, which the mean times the topics is."""
    hidden = tuple(map(int, labels))
    value = planted(tmp_path, hidden, topics=100)
    digits = round(value * 100 * RANKS[-1])
    assert value * 100 * RANKS[-1] == pytest.approx(digits, abs=1e-6)
    assert tuple(map(int, f"{digits:010b}")) == hidden


def readable(topics: int, decimals: int | None) -> int:
    """How many labels the planted run reads for certain: up to there every pattern of labels shows another number."""
    found = 0
    for many in range(1, len(RANKS) + 1):
        worth = 1 / np.array(RANKS[:many])
        patterns = np.array(list(product((0, 1), repeat=many)))
        matrix = np.zeros((topics, len(patterns)))
        matrix[:many] = (patterns * worth).T
        shown = Released.of(matrix, rule="plain", decimals=decimals).shown
        if min(abs(x - y) for x, y in pairwise(sorted(shown))) < 1e-12:
            break
        found = many
    return found


@pytest.mark.parametrize(("topics", "full", "four", "rule"), [(50, 10, 8, 0), (100, 10, 7, 1), (1000, 10, 4, 1)])
def test_under_the_decimals_rule_it_reads_one_label_at_most(topics: int, full: int, four: int, rule: int) -> None:
    """Two patterns of m labels are 1/(N 2^(m-1)) apart at least: four decimals tell them apart where that is 10^-4.

    50 topics: 1/6400 is, 1/12800 is not; 100: 1/6400 and 1/12800; 1,000: 1/8000 and 1/16000. The rule: one label moves
    the mean by 1/50, less than half of .1; by 1/100, which two decimals show; by 1/1000, which three do.
    """
    assert readable(topics, FULL) == full
    assert readable(topics, 4) == four
    assert readable(topics, None) == rule
    assert private_decimals(topics) == {50: 1, 100: 2, 1000: 3}[topics]


def test_a_count_over_many_topics_stays_within_the_bound() -> None:
    """One label at rank 1 of every topic: a plain value counts those that are relevant, log2(N + 1) bits at most."""
    topics = 100
    counts = np.tri(topics + 1, topics, -1).T  # (topic, run): 0, 1, …, 100 relevant documents
    shown = Released.of(counts, rule="plain").shown
    assert len(set(shown.round(9))) == topics + 1
    assert bits_told("plain", 1, 0, 10 ** private_decimals(topics) + 1) == pytest.approx(log2(len(set(shown))))


def test_the_ladder_never_reads_a_label_by_itself() -> None:
    """However the ten labels are: no run that plants one label alone beside the run before it is released."""
    for first, other in combinations(range(len(RANKS)), 2):
        matrix = np.zeros((50, 3))
        matrix[first, 1] = 1 / RANKS[first]
        matrix[other, 2] = 1 / RANKS[other]
        assert Released.of(matrix, decimals=FULL).step.tolist() == [True, False, False]
