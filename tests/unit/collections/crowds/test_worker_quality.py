"""The quality of workers: shares and scores written out as loops, who is named a spammer, whose accuracy drifts."""

import bz2
from collections import Counter
from math import comb, log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cranfield.collections import (
    DawidSkene,
    Independent,
    Majority,
    Merged,
    confusion_table,
    drift_table,
    gold_scores,
    informed,
    workers_table,
)
from cranfield.collections.crowds.spammers import others
from cranfield.collections.crowds.worker_quality import confusion_of, fisher
from cranfield.core import ParameterError, Table
from cranfield.data import Answers, Labels, Source, Strings, read_labels

COLUMNS = "worker kind labels accuracy low high weight gold gold_accuracy agreement informed spammer why drift drift_p"


class Given(Majority):
    """What a test says, whatever the votes are."""

    def __str__(self) -> str:
        return "given"


def answers_of(rows: list[tuple[int, int, int]], *, choices: int = 2) -> Answers:
    item, worker, choice = np.array(rows, dtype=np.int64).T
    return Answers(item, worker, choice, int(item.max()) + 1, int(worker.max()) + 1, choices)


def labels_of(answers: Answers, time: NDArray[np.float64] | None = None, machine: tuple[int, ...] = ()) -> Labels:
    return Labels(
        ("1",),
        np.zeros(answers.items, dtype=np.int64),
        Strings([f"d{i}" for i in range(answers.items)]),
        tuple(f"w{i}" for i in range(answers.workers)),
        np.isin(np.arange(answers.workers), machine),
        np.arange(answers.choices, dtype=float),
        answers,
        time,
        Source("labels", "", "labels"),
    )


def merged_as(choice: list[int], answers: Answers, confusion: NDArray[np.float64] | None = None) -> Merged:
    """Labels that were merged to these, beyond doubt."""
    share = np.eye(answers.choices)[np.array(choice)]
    return Merged(Given(), share, np.ones(answers.workers), np.ones(answers.workers), confusion)


def some(seed: int, *, items: int = 15, workers: int = 6, choices: int = 3) -> Answers:
    """Labels at random, some items twice by the same worker."""
    random = np.random.default_rng(seed)
    rows = [
        (i, w, int(random.integers(choices))) for i in range(items) for w in range(workers) if random.random() < 0.6
    ]
    again = [(i, w, int(random.integers(choices))) for i, w, _ in rows[::7]]
    return answers_of([*rows, *again], choices=choices)


def crowd(seed: int, accuracy: list[float], *, items: int = 200, labels: int = 8, prior: float = 0.5) -> Answers:
    """Yes or no by workers who are right as often as said; −1 for always yes."""
    random = np.random.default_rng(seed)
    truth = (random.random(items) < prior).astype(int)
    rows = []
    for i in range(items):
        for w in random.choice(len(accuracy), min(labels, len(accuracy)), replace=False).tolist():
            right = random.random() < accuracy[w]
            rows.append((i, w, 1 if accuracy[w] < 0 else int(truth[i] if right else 1 - truth[i])))
    return answers_of(rows)


def rows_of(answers: Answers) -> list[tuple[int, int, int]]:
    return list(zip(answers.item.tolist(), answers.worker.tolist(), answers.choice.tolist(), strict=True))


def of_worker(table: Table) -> dict[str, dict[str, Any]]:
    return {str(row["worker"]): row for row in table.rows()}


@pytest.mark.parametrize("seed", range(3))
def test_shares_are_those_of_loops(seed: int) -> None:
    answers = some(seed)
    truth = np.random.default_rng(seed).integers(0, 3, answers.items).tolist()
    gold = np.where(np.arange(answers.items) % 2 == 0, np.array(truth), -1)
    table = workers_table(labels_of(answers, machine=(1,)), merged_as(truth, answers), gold)
    assert " ".join(table.columns) == COLUMNS
    found, rows = of_worker(table), rows_of(answers)
    for w in range(answers.workers):
        own = [(i, c) for i, worker, c in rows if worker == w]
        pairs = [c == d for i, c in own for j, worker, d in rows if i == j and worker != w]
        known = [c == truth[i] for i, c in own if i % 2 == 0]
        row = found[f"w{w}"]
        assert row["labels"] == len(own)
        assert row["accuracy"] == pytest.approx(np.mean([c == truth[i] for i, c in own]), abs=1e-15)
        assert row["agreement"] == pytest.approx(np.mean(pairs), abs=1e-15)
        assert row["gold"] == len(known)
        assert row["gold_accuracy"] == pytest.approx(np.mean(known), abs=1e-15)
        assert row["kind"] == ("machine" if w == 1 else "person")
        assert row["weight"] == 1
    numbers = table["labels"].tolist()  # type: ignore[union-attr]
    assert numbers == sorted(numbers, reverse=True)


def test_the_interval_of_the_accuracy_is_wilsons() -> None:
    # Of 10 labels 8 are right: 95 % from .4901625 to .9433178 (R: prop.test(8, 10, correct = FALSE)).
    answers = answers_of([(i, w, int(w == 0 and i > 7)) for i in range(10) for w in range(2)])
    row = of_worker(workers_table(labels_of(answers), merged_as([0] * 10, answers)))["w0"]
    assert (row["low"], row["high"]) == (pytest.approx(0.4901625, abs=5e-8), pytest.approx(0.9433178, abs=5e-8))


def test_who_labelled_nothing_alone_or_no_gold_has_no_such_number() -> None:
    answers = Answers(np.array([0, 1]), np.array([0, 0]), np.array([0, 1]), 2, 2, 2)
    found = of_worker(workers_table(labels_of(answers), merged_as([0, 1], answers)))
    assert found["w0"]["agreement"] is None
    assert (found["w0"]["gold"], found["w0"]["gold_accuracy"]) == (0, None)
    assert (found["w1"]["labels"], found["w1"]["accuracy"], found["w1"]["low"]) == (0, None, None)
    assert (found["w1"]["drift"], found["w1"]["drift_p"], found["w1"]["informed"]) == (None, None, None)


def slow_informed(confusion: NDArray[np.float64]) -> float:
    """raykar2012: Σ over pairs of true choices and the chosen of (α_ck − α_c'k)², over C(C − 1)."""
    rows = confusion / confusion.sum(axis=1, keepdims=True)
    number = len(rows)
    return sum(
        (rows[c, k] - rows[d, k]) ** 2
        for c in range(number)
        for d in range(c + 1, number)
        for k in range(rows.shape[1])
    ) / (number * (number - 1))


def test_informed_is_its_formula() -> None:
    confusion = np.random.default_rng(2).uniform(1, 9, (5, 4, 4))
    assert informed(confusion) == pytest.approx([slow_informed(one) for one in confusion], abs=1e-14)


def test_informed_of_yes_and_no_is_youdens_squared() -> None:
    # raykar2012: (sensitivity + specificity − 1)².
    confusion = np.array([[[80.0, 20.0], [30.0, 70.0]]])
    assert informed(confusion) == pytest.approx([(0.8 + 0.7 - 1) ** 2], abs=1e-15)


def test_informed_tells_perfect_and_turned_round_from_indifferent() -> None:
    perfect, turned = np.eye(3) * 5, np.roll(np.eye(3), 1, axis=1) * 5
    always, shares = np.tile([5.0, 0, 0], (3, 1)), np.outer([2.0, 4, 6], [0.2, 0.3, 0.5])
    assert informed(np.stack([perfect, turned, always, shares])) == pytest.approx([1, 1, 0, 0], abs=1e-15)


def test_informed_leaves_out_what_a_worker_hardly_met() -> None:
    met = np.array([[4.0, 1.0, 0], [0, 3.0, 0], [0.2, 0.1, 0.6]])
    assert informed(met[None]) == pytest.approx([slow_informed(met[:2])], abs=1e-15)
    assert np.isnan(informed(np.array([[[4.0, 1.0], [0.0, 0.5]]])))[0]


def test_confusion_divides_labels_over_what_is_likely() -> None:
    answers = some(4)
    share = np.random.default_rng(4).dirichlet(np.ones(3), answers.items)
    expected = np.zeros((answers.workers, 3, 3))
    for i, w, c in rows_of(answers):
        for true in range(3):
            expected[w, true, c] += share[i, true]
    assert confusion_of(answers, share) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_others_are_the_vote_without_the_own_labels(seed: int) -> None:
    answers = some(seed)
    rows = rows_of(answers)
    expected = []
    for i, w, _ in rows:
        votes = Counter(c for j, worker, c in rows if j == i and worker != w).most_common()
        tied = not votes or (len(votes) > 1 and votes[0][1] == votes[1][1])
        expected.append(-1 if tied else votes[0][0])
    assert others(answers, Majority().merge(answers)).tolist() == expected


def test_others_count_by_their_confusion_where_there_is_one() -> None:
    answers = some(5)
    random = np.random.default_rng(5)
    share, confusion = random.dirichlet(np.ones(3), answers.items), random.dirichlet(np.ones(3), (answers.workers, 3))
    merged = Merged(Given(), share, np.ones(answers.workers), np.ones(answers.workers), confusion)
    rows = rows_of(answers)
    expected = []
    for i, w, _ in rows:
        said = [(worker, c) for j, worker, c in rows if j == i and worker != w]
        likely = [
            log(share[:, true].mean()) + sum(log(confusion[worker, true, c]) for worker, c in said) for true in range(3)
        ]
        expected.append(int(np.argmax(likely)) if said else -1)
    assert others(answers, merged).tolist() == expected


def named(answers: Answers, gold: NDArray[np.int64] | None = None) -> tuple[dict[str, str], tuple[str, ...]]:
    table = workers_table(labels_of(answers), Majority().merge(answers), gold)
    return {str(row["worker"]): str(row["why"]) for row in table.rows() if row["spammer"]}, table.notes


def test_spammers_are_named_with_the_reason_and_nobody_else_is() -> None:
    accuracy = [0.5, 0.5, -1.0, 0.1, *np.linspace(0.68, 0.95, 16).tolist()]
    answers = crowd(1, accuracy, items=1000)
    found, notes = named(answers)
    assert set(found) == {"w0", "w1", "w2", "w3"}
    assert found["w0"].startswith("no better than chance: equal ")
    assert found["w1"].startswith("no better than chance: equal ")
    assert found["w2"].startswith("always 1: others choose otherwise for ")
    assert found["w3"].startswith("against the others: equal ")
    assert notes[0].startswith("spammer: equal to the others no more than by chance")
    assert "Holm over 20 workers of 10 labels or more, level 0.05" in notes[0]


def test_the_reason_has_the_numbers_of_loops() -> None:
    answers = crowd(1, [0.5, *[0.85] * 11], items=300)
    said = named(answers)[0]["w0"]
    other = others(answers, Majority().merge(answers))
    mine = [(c, o) for (_, w, c), o in zip(rows_of(answers), other.tolist(), strict=True) if w == 0 and o >= 0]
    chance = sum(sum(c == k for c, _ in mine) * sum(o == k for _, o in mine) for k in (0, 1)) / len(mine)
    equal = sum(c == o for c, o in mine)
    assert said == f"no better than chance: equal {equal} of {len(mine)}, chance gives {chance:.0f}"


def binomial_at_most(k: int, n: int, p: float) -> float:
    return sum(comb(n, x) * p**x * (1 - p) ** (n - x) for x in range(k + 1))


def test_the_rule_is_binomial() -> None:
    answers = crowd(3, [0.5, 0.6, -1.0, *[0.8] * 9], items=150)
    seen = Independent.of(answers, Majority().merge(answers), np.full(150, -1))
    for w in range(12):
        n, equal, chance = int(seen.labels[w]), int(seen.equal[w]), float(seen.chance[w])
        useful = seen.typical * 2 / 3
        of_useful = chance + useful * (1 - chance)
        like = (1 - useful) ** (n - equal) if w == 2 else binomial_at_most(equal, n, of_useful)
        assert seen.p[w] == pytest.approx(like, rel=1e-9)
        above = 1.0 if w == 2 else 1 - binomial_at_most(equal - 1, n, chance)
        assert seen.above_p[w] == pytest.approx(above, rel=1e-7)
    total = seen.labels.sum()
    by_chance = (seen.labels * seen.chance).sum()
    assert seen.typical == pytest.approx((seen.equal.sum() - by_chance) / (total - by_chance), rel=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_a_crowd_of_honest_workers_has_no_spammers(seed: int) -> None:
    accuracy = np.random.default_rng(seed).uniform(0.65, 0.95, 25).tolist()
    assert not named(crowd(seed, accuracy, items=150, labels=6))[0]


def test_who_gave_few_labels_is_never_named() -> None:
    good = crowd(5, [0.9] * 10, items=200)
    few = [(i, 10, 1 - Counter(c for j, _, c in rows_of(good) if j == i).most_common()[0][0]) for i in range(9)]
    assert not named(answers_of([*rows_of(good), *few]))[0]
    more = [(i, 10, 1 - Counter(c for j, _, c in rows_of(good) if j == i).most_common()[0][0]) for i in range(14)]
    assert named(answers_of([*rows_of(good), *more]))[0]["w10"].startswith("against the others: equal 0 of 14")


def test_one_answer_throughout_is_no_fault_where_the_others_give_it_too() -> None:
    answers = crowd(6, [-1.0, *[0.9] * 9], items=200, prior=1.0)
    assert not named(answers)[0]


def test_a_useless_crowd_names_nobody_and_says_so() -> None:
    rows = [(i, w, (i + w) % 2) for i in range(40) for w in range(2)]  # always the opposite of each other
    found, notes = named(answers_of(rows))
    assert notes[0].startswith("spammer: only who answers against the others")
    assert {why.partition(":")[0] for why in found.values()} == {"against the others"}
    same = answers_of([(i, w, 0) for i in range(40) for w in range(2)])
    assert named(same)[0] == {}


def test_gold_stands_in_for_the_others() -> None:
    answers = crowd(8, [0.2] * 3 + [0.9], items=120, labels=4)
    truth = np.array([c for _, w, c in sorted(rows_of(answers)) if w == 3])  # nearly
    assert "w3" in named(answers)[0]
    found = named(answers, truth)[0]
    assert set(found) == {"w0", "w1", "w2"}
    assert all(why.startswith("against the others") for why in found.values())


def test_fisher_is_scipys_and_the_lady_tasting_tea() -> None:
    from scipy.stats import fisher_exact

    # Fisher's lady: 3 of 4 against 1 of 4 has p = 34/70 on both sides together.
    assert fisher(*(np.array([x]) for x in (3, 4, 1, 4))) == pytest.approx([34 / 70], rel=1e-12)
    random = np.random.default_rng(0)
    of_a, of_b = random.integers(1, 40, (2, 200))
    a, b = random.integers(0, of_a + 1), random.integers(0, of_b + 1)
    expected = [
        fisher_exact(np.array([[x, n - x], [y, m - y]])).pvalue for x, n, y, m in zip(a, of_a, b, of_b, strict=True)
    ]
    assert fisher(a, of_a, b, of_b) == pytest.approx(expected, rel=1e-9)


def test_drift_follows_time_and_without_it_the_rows() -> None:
    # Worker 0 is right on the first 30 items and wrong on the other 30; worker 1 is right.
    answers = answers_of([(i, w, int(w == 0 and i >= 30)) for i in range(60) for w in range(2)])
    merged = merged_as([0] * 60, answers)
    found = of_worker(workers_table(labels_of(answers), merged))
    assert found["w0"]["drift"] == -1
    assert found["w0"]["drift_p"] == pytest.approx(2 / comb(60, 30), rel=1e-9)
    assert found["w0"]["why"].endswith("accuracy falls from 1.00 to 0.00")
    assert (found["w1"]["drift"], found["w1"]["drift_p"], found["w1"]["why"]) == (0, 1, None)
    back = -np.arange(120.0)
    assert of_worker(workers_table(labels_of(answers, back), merged))["w0"]["why"].endswith("rises from 0.00 to 1.00")
    mixed = np.random.default_rng(1).permutation(120).astype(float)
    assert of_worker(workers_table(labels_of(answers, mixed), merged))["w0"]["drift_p"] > 0.01


def test_one_label_does_not_drift() -> None:
    answers = answers_of([(0, 0, 0), (0, 1, 0), (1, 1, 0), (2, 1, 1)])
    found = of_worker(workers_table(labels_of(answers), merged_as([0, 0, 0], answers)))
    assert (found["w0"]["drift"], found["w0"]["drift_p"]) == (None, None)
    assert found["w1"]["drift"] == -1  # 2 of 2, then 0 of 1: the first half is the larger
    assert found["w1"]["drift_p"] == pytest.approx(1 / 3, rel=1e-12)  # of 3 ways to be wrong once, this one


def test_drift_in_quarters() -> None:
    right = [1, 1, 1, 0, 1, 0, 0, 0, 0, 1]
    answers = answers_of([(i, 1, 1 - good) for i, good in enumerate(right)] + [(0, 0, 1), (1, 0, 0)])
    table = drift_table(labels_of(answers, np.arange(12.0)[::-1]), merged_as([0] * 10, answers))
    quarters = [("w1", 1, 3, 1 / 3), ("w1", 2, 2, 0.0), ("w1", 3, 3, 2 / 3), ("w1", 4, 2, 1.0)]
    # The last two rows are worker 0's, the later of them first.
    assert [tuple(row.values()) for row in table.rows()] == [*quarters, ("w0", 1, 1, 1.0), ("w0", 3, 1, 0.0)]


def test_confusion_says_what_was_said_where() -> None:
    answers = answers_of([(0, 0, 0), (1, 0, 2), (2, 0, 2), (3, 0, 1), (0, 1, 1)], choices=3)
    table = confusion_table(labels_of(answers), merged_as([0, 2, 2, 2], answers))
    assert table.columns == ("worker", "said", "merged", "labels", "share")
    assert [tuple(row.values()) for row in table.rows()] == [
        ("w0", 0, 0, 1, 1),
        ("w0", 1, 2, 1, 1 / 3),
        ("w0", 2, 2, 2, 2 / 3),
        ("w1", 1, 0, 1, 1),
    ]


def test_gold_scores_are_of_workers_who_met_gold() -> None:
    answers = answers_of([(0, 0, 0), (1, 0, 1), (2, 1, 1), (1, 2, 0), (0, 2, 1), (3, 2, 1)])
    table = gold_scores(labels_of(answers), np.array([0, 1, -1, 1]))
    assert [tuple(row.values())[:4] for row in table.rows()] == [("w2", 3, 1, 1 / 3), ("w0", 2, 2, 1.0)]
    assert table.rows()[1]["high"] == 1
    narrow = gold_scores(labels_of(answers), np.array([0, 1, -1, 1]), level=0.5)
    assert of_worker(narrow)["w2"]["low"] > of_worker(table)["w2"]["low"]


def test_gold_of_other_items_and_a_level_of_none_are_refused() -> None:
    answers = some(0)
    labels, merged = labels_of(answers), merged_as([0] * answers.items, answers)
    with pytest.raises(ParameterError, match="gold of 2 items for 15"):
        workers_table(labels, merged, np.array([0, 1]))
    with pytest.raises(ParameterError, match="the level cannot be 0"):
        workers_table(labels, merged, level=0)
    with pytest.raises(ParameterError, match="the level cannot be 2"):
        gold_scores(labels, np.zeros(15, dtype=np.int64), level=2)


def test_who_is_named_on_the_labels_of_trec_is_worse_on_gold_that_nobody_showed(shared_data: Path) -> None:
    folder = shared_data / "crowd-trec11"
    labels = read_labels(folder / "otherparticipantsvotes.gz", columns=["item", "worker", "grade"])
    grades = {}
    with bz2.open(folder / "task1_unlabeled_g_truth_cons_public.txt.bz2", "rt") as lines:
        for line in list(lines)[1:]:
            _, topic, document, grade = line.split("\t")[:4]
            grades[topic, document] = int(grade) if grade.strip() else -1
    names = [labels.topics[topic] for topic in labels.topic.tolist()]
    given = [grades.get(item, -1) for item in zip(names, labels.document.to_list(), strict=True)]
    gold = np.minimum(np.array(given), 1)  # highly relevant is relevant
    assert (gold >= 0).sum() == 395
    found = of_worker(workers_table(labels, DawidSkene().merge(labels.answers), gold * 0 - 1))
    named_ones = {worker for worker, row in found.items() if row["spammer"]}
    assert 0 < len(named_ones) < 40
    assert all(found[worker]["informed"] < 0.05 for worker in named_ones)
    scores = of_worker(gold_scores(labels, gold))
    right, count = (
        [sum(row[what] for worker, row in scores.items() if (worker in named_ones) == side) for side in (True, False)]
        for what in ("right", "gold")
    )
    assert right[0] / count[0] < right[1] / count[1] - 0.1
