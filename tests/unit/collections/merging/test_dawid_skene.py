"""Dawid–Skene and the one-coin model beside loops over items, workers and choices."""

import gzip
from bz2 import open as unpack
from math import exp, log, log2
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from cranfield.collections import DawidSkene, Majority, Merged, OneCoin
from cranfield.collections.merging.dawid_skene import Counted, information
from cranfield.core import generator
from cranfield.data import Answers

Table = list[list[float]]


def drawn(seed: int, *, items: int = 30, workers: int = 6, choices: int = 3, each: int = 4) -> Answers:
    """Answers of workers who are right more often than not; some answer twice for one item."""
    stream = np.random.default_rng(seed)
    truth, right = stream.integers(0, choices, items), stream.uniform(0.5, 0.9, workers)
    item = np.repeat(np.arange(items), each)
    worker = stream.integers(0, workers, len(item))
    said = np.where(stream.random(len(item)) < right[worker], truth[item], stream.integers(0, choices, len(item)))
    return Answers(item, worker, said, items, workers, choices)


class Literal:
    """EM as dawid1979 writes it, one number at a time."""

    def __init__(self, answers: Answers, *, smoothing: float, gold: list[int] | None = None) -> None:
        self.items, self.workers, self.choices = range(answers.items), range(answers.workers), range(answers.choices)
        self.rows = list(zip(answers.item.tolist(), answers.worker.tolist(), answers.choice.tolist(), strict=True))
        self.smoothing, self.gold = smoothing, gold or [-1] * answers.items
        self.share: Table = []
        for i in self.items:  # eq. 3.1
            votes = [sum(item == i and choice == j for item, _, choice in self.rows) for j in self.choices]
            self.share.append(self.known(i, [vote / sum(votes) for vote in votes]))
        self.trace: list[float] = []

    def known(self, item: int, share: list[float]) -> list[float]:
        gold = self.gold[item]
        return share if gold < 0 else [float(j == gold) for j in self.choices]

    def errors(self) -> list[Table]:
        """Eq. 2.3."""
        found = []
        for k in self.workers:
            table = []
            for j in self.choices:
                row = [
                    self.smoothing
                    + sum(self.share[i][j] for i, worker, chosen in self.rows if (worker, chosen) == (k, said))
                    for said in self.choices
                ]
                table.append([cell / sum(row) if sum(row) else 1 / len(self.choices) for cell in row])
            found.append(table)
        return found

    def frequencies(self) -> list[float]:
        """Eq. 2.4."""
        sums = [self.smoothing + sum(self.share[i][j] for i in self.items) for j in self.choices]
        return [one / sum(sums) for one in sums]

    def added(self) -> float:
        """What smoothing adds to the log-likelihood."""
        if not self.smoothing:
            return 0.0
        cells = [cell for table in self.confusion for row in table for cell in row]
        return self.smoothing * sum(map(log, [*self.prior, *cells]))

    def turn(self, rounds: int) -> "Literal":
        for _ in range(rounds):
            self.prior, self.confusion = self.frequencies(), self.errors()
            self.likelihood = 0.0
            for i in self.items:  # eq. 2.5 and 2.7
                joint = list(self.prior)
                for _, k, said in (row for row in self.rows if row[0] == i):
                    joint = [chance * self.confusion[k][j][said] for j, chance in enumerate(joint)]
                if self.gold[i] >= 0:
                    joint = [chance * (j == self.gold[i]) for j, chance in enumerate(joint)]
                self.share[i] = [chance / sum(joint) for chance in joint]
                self.likelihood += log(sum(joint))
            self.trace.append(self.likelihood + self.added())
        return self


class LiteralCoin(Literal):
    """The same with one chance of being right for each worker."""

    def errors(self) -> list[Table]:
        found, wide = [], len(self.choices)
        for k in self.workers:
            own = [(i, chosen) for i, worker, chosen in self.rows if worker == k]
            right = (self.smoothing + sum(self.share[i][chosen] for i, chosen in own)) / (
                self.smoothing * wide + len(own)
            )
            wrong = (1 - right) / (wide - 1)
            found.append([[right if j == said else wrong for said in self.choices] for j in self.choices])
        return found

    def frequencies(self) -> list[float]:
        return [1 / len(self.choices)] * len(self.choices)

    def added(self) -> float:
        cells = [cell for table in self.confusion for cell in table[0]]
        return self.smoothing * sum(map(log, [*self.prior, *cells])) if self.smoothing else 0.0


def compare(merged: Merged, literal: Literal) -> None:
    assert merged.share == pytest.approx(np.array(literal.share), abs=1e-9)
    assert merged.confusion == pytest.approx(np.array(literal.confusion), abs=1e-9)
    assert list(merged.trace) == pytest.approx(literal.trace, rel=1e-10)
    assert merged.likelihood == pytest.approx(literal.likelihood, rel=1e-10)
    right = [
        sum(p * table[j][j] for j, p in enumerate(literal.prior)) for table in literal.confusion
    ]  # the chance that a worker is right
    assert merged.quality.tolist() == pytest.approx(right, abs=1e-9)


@pytest.mark.parametrize("smoothing", [0.0, 0.01, 1.0])
@pytest.mark.parametrize("rounds", [1, 2, 7])
@pytest.mark.parametrize("choices", [2, 3])
def test_dawid_skene_is_what_loops_say(choices: int, rounds: int, smoothing: float) -> None:
    given = drawn(choices, choices=choices)
    merged = DawidSkene(smoothing=smoothing, rounds=rounds, tolerance=0).merge(given)
    compare(merged, Literal(given, smoothing=smoothing).turn(rounds))
    assert merged.rounds == rounds


@pytest.mark.parametrize("smoothing", [0.0, 0.01, 1.0])
@pytest.mark.parametrize("rounds", [1, 5])
def test_one_coin_is_what_loops_say(rounds: int, smoothing: float) -> None:
    given = drawn(4)
    merged = OneCoin(smoothing=smoothing, rounds=rounds, tolerance=0).merge(given)
    compare(merged, LiteralCoin(given, smoothing=smoothing).turn(rounds))


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_gold_stays_what_it_is(smoothing: float) -> None:
    given = drawn(5)
    gold = np.where(np.arange(given.items) % 4 == 0, 2, -1)
    merged = DawidSkene(smoothing=smoothing, rounds=4, tolerance=0).merge(given, gold=gold)
    compare(merged, Literal(given, smoothing=smoothing, gold=gold.tolist()).turn(4))
    assert merged.share[::4].tolist() == [[0.0, 0.0, 1.0]] * len(merged.share[::4])


@pytest.mark.parametrize("model", [DawidSkene, OneCoin])
@pytest.mark.parametrize("smoothing", [0.0, 0.01, 0.5])
@pytest.mark.parametrize("seed", range(4))
def test_the_objective_never_falls(model: type[DawidSkene], smoothing: float, seed: int) -> None:
    given = drawn(seed, choices=2 + seed % 3)
    merged = model(smoothing=smoothing, starts=3).merge(given)
    assert len(merged.trace) == merged.rounds > 3
    assert all(after >= before - 1e-10 for before, after in zip(merged.trace, merged.trace[1:], strict=False))
    assert merged.share.sum(axis=1).tolist() == pytest.approx([1.0] * given.items)
    assert merged.confusion is not None
    assert merged.confusion.sum(axis=2) == pytest.approx(np.ones((given.workers, given.choices)))
    assert (merged.weight >= 0).all()


def test_it_ends_when_a_round_adds_little() -> None:
    given = drawn(1)
    whole = DawidSkene(tolerance=0).merge(given)
    short = DawidSkene(tolerance=1e-4).merge(given)
    gains = np.diff(whole.trace) / np.abs(whole.trace[1:])
    assert short.rounds == int(np.argmax(gains <= 1e-4)) + 2  # the first round has nothing to be compared with
    assert short.trace == whole.trace[: short.rounds]
    assert DawidSkene(rounds=3).merge(given).rounds == 3


def test_the_best_of_several_starts() -> None:
    given = drawn(7, items=15, workers=10, each=3)  # little data, many maxima
    method = DawidSkene(starts=6)
    merged = method.merge(given, seed=3)
    shares = Majority().merge(given).share
    ended = [method.climb(Counted.of(given, None), shares).trace[-1]]
    for start in range(1, 6):
        noise = generator(3, "dawid-skene", start).dirichlet(np.ones(3), 15)
        ended.append(method.climb(Counted.of(given, None), (shares + noise) / 2).trace[-1])
    assert list(merged.starts) == ended
    assert merged.trace[-1] == max(ended) > ended[0]
    assert DawidSkene().merge(given).starts == (ended[0],)


def test_the_seed_decides() -> None:
    given = drawn(7, items=15, workers=10, each=3)
    method = DawidSkene(starts=4)
    assert method.merge(given, seed=1).starts == method.merge(given, seed=1).starts
    assert method.merge(given, seed=1).starts != method.merge(given, seed=2).starts


def test_a_start_as_good_as_the_first_does_not_replace_it() -> None:
    """Four workers who never err: every start ends in the same place, or with the names of choices exchanged."""
    truth = np.arange(24) % 2
    item = np.repeat(np.arange(24), 4)
    given = Answers(item, np.tile(np.arange(4), 24), truth[item], 24, 4, 2)
    merged = DawidSkene(starts=20).merge(given)
    assert merged.choice.tolist() == truth.tolist()
    assert max(merged.starts) == pytest.approx(merged.starts[0], rel=1e-6)


def test_a_worker_who_says_the_opposite_is_understood() -> None:
    """Four good workers, and two who exchange yes and no: their answers count as much, turned round."""
    stream = np.random.default_rng(11)
    truth = stream.integers(0, 2, 200)
    item, worker = (column.ravel() for column in np.indices((200, 6)))
    right = stream.random(1200) < 0.85
    said = np.where(right ^ (worker >= 4), truth[item], 1 - truth[item])
    merged = DawidSkene().merge(Answers(item, worker, said, 200, 6, 2))
    assert (merged.quality[:4] > 0.75).all()
    assert (merged.quality[4:] < 0.25).all()
    assert merged.weight[4:].min() > merged.weight[:4].min() / 2
    accuracy = (merged.choice == truth).mean()
    vote = Majority().merge(Answers(item, worker, said, 200, 6, 2))
    assert accuracy > (vote.choice == truth).mean() + 0.05


def test_without_smoothing_one_answer_can_rule_a_choice_out() -> None:
    # Worker 2 says 1 on item 0 alone, where all others say 1; on item 3 he speaks against two, and wins.
    rows = [(i, k, int(i == 0)) for i in range(3) for k in range(3)] + [(3, 0, 0), (3, 1, 0), (3, 2, 1)]
    item, worker, choice = np.array(rows).T
    given = Answers(item, worker, choice, 4, 3, 2)
    first = DawidSkene(smoothing=0, rounds=1).merge(given).confusion
    assert first is not None
    # Shares of item 3 are 2/3 and 1/3: of choice 0 there are 2 + 2/3 answers of worker 2, of which 2/3 are for 1.
    assert first[2].tolist() == [pytest.approx([2 / (8 / 3), (2 / 3) / (8 / 3)]), pytest.approx([0.0, 1.0])]
    smoothed = DawidSkene(smoothing=0.5, rounds=1).merge(given).confusion
    assert smoothed is not None
    # Of choice 1 there are 1 + 1/3 answers, all for 1: (4/3 + .5)/(4/3 + 1).
    assert smoothed[2, 1].tolist() == pytest.approx([0.5 / (7 / 3), (11 / 6) / (7 / 3)])


def test_what_nobody_met_or_said() -> None:
    """An item without answers, a worker who gave none, a choice nobody made."""
    given = Answers(np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([0, 0, 1]), 3, 3, 3)
    for model in (DawidSkene(smoothing=0), DawidSkene(), OneCoin(smoothing=0), OneCoin()):
        merged = model.merge(given)
        assert merged.confusion is not None
        assert np.isfinite(merged.share).all()
        assert merged.share.sum(axis=1).tolist() == pytest.approx([1.0] * 3)
        assert merged.confusion[2] == pytest.approx(np.full((3, 3), 1 / 3))
        assert merged.weight[2] == pytest.approx(0.0, abs=1e-12)
        assert merged.quality[2] == pytest.approx(1 / 3)


@pytest.mark.parametrize("model", [DawidSkene(), DawidSkene(smoothing=0), OneCoin(), OneCoin(smoothing=0)])
def test_one_choice_is_right(model: DawidSkene) -> None:
    given = Answers(np.array([0, 0, 1]), np.array([0, 1, 1]), np.zeros(3, dtype=np.int64), 2, 2, 1)
    merged = model.merge(given)
    assert merged.share.tolist() == [[1.0], [1.0]]
    assert merged.quality.tolist() == [1.0, 1.0]
    assert merged.likelihood == 0.0


def test_who_is_always_right_is_so_to_the_last_bit() -> None:
    # Summed in two orders, these differ by a bit, and the chance of an error would be below 0.
    shares = [0.5579172817013819, 0.9986824580151656, 0.13108219188000347, 0.03699770983305928]
    assert OneCoin(smoothing=0).err(np.diag(shares)[np.newaxis]).tolist() == [np.eye(4).tolist()]


def test_one_coin_can_estimate_how_frequent_choices_are() -> None:
    """Nine of ten items are 0, and workers are right in four of five: with frequencies known, fewer 1 are believed."""
    stream = np.random.default_rng(5)
    truth = (stream.random(500) < 0.1).astype(np.int64)
    item, worker = (column.ravel() for column in np.indices((500, 3)))
    said = np.where(stream.random(1500) < 0.8, truth[item], 1 - truth[item])
    given = Answers(item, worker, said, 500, 3, 2)
    equal, estimated = OneCoin().merge(given), OneCoin(prior="estimated").merge(given)
    assert estimated.choice.sum() < equal.choice.sum()
    assert (estimated.choice == truth).mean() > (equal.choice == truth).mean()


def test_information_is_that_of_the_formula() -> None:
    prior, table = [0.25, 0.75], [[0.9, 0.1], [0.3, 0.7]]
    said = [sum(p * row[choice] for p, row in zip(prior, table, strict=True)) for choice in (0, 1)]
    bits = sum(
        p * chance * log2(chance / said[choice])
        for p, row in zip(prior, table, strict=True)
        for choice, chance in enumerate(row)
    )
    confusion = np.array([table, [[0.5, 0.5], [0.5, 0.5]], [[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [1.0, 0.0]]])
    entropy = -sum(p * log2(p) for p in prior)
    assert information(np.array(prior), confusion).tolist() == pytest.approx([bits, 0.0, entropy, 0.0])


def test_long_lists_of_answers_do_not_vanish() -> None:
    """2,000 answers for one item: the product of their chances is below the smallest float."""
    worker = np.tile(np.arange(2000), 2)
    item = np.repeat([0, 1], 2000)
    given = Answers(item, worker, ((worker % 4 == 0) ^ (item == 1)).astype(np.int64), 2, 2000, 2)
    merged = OneCoin(smoothing=1.0, rounds=5).merge(given)
    assert np.isfinite(merged.trace).all()
    assert exp(merged.trace[-1]) == 0.0  # as a chance it is none
    assert merged.choice.tolist() == [0, 1]


@pytest.mark.shared
@pytest.mark.parametrize(
    ("file", "skip", "items", "single"), [("votes.gz", 1, 290, 0.623), ("otherparticipantsvotes.gz", 0, 395, 0.720)]
)
def test_merging_beats_single_labels_of_trec_2011(
    shared_data: Path, file: str, skip: int, items: int, single: float
) -> None:
    given, gold = trec_2011(shared_data / "crowd-trec11", file, skip)
    known = gold >= 0
    assert known.sum() == items
    told = known[given.item]
    alone = (given.choice == gold[given.item])[told].mean()
    assert alone == pytest.approx(single, abs=5e-4)
    for method in (Majority(), DawidSkene()):
        merged = method.merge(given)
        accuracy = float((merged.choice == gold)[known].mean())
        # Two standard errors of the accuracy itself are .054 and .037: what is gained is .063 to .118.
        assert accuracy > alone + 0.05, f"{method} is right for {accuracy:.3f}, single labels for {alone:.3f}"


def trec_2011(folder: Path, file: str, skip: int) -> tuple[Answers, NDArray[np.int64]]:
    """Labels of the crowdsourcing track, and what NIST says of the items: −1, or 1 from partly relevant on."""
    with unpack(folder / "task1_unlabeled_g_truth_cons_public.txt.bz2", "rt") as text:
        fields = [line.split("\t") for line in text][1:]
    nist = {f"{field[1]}_{field[2]}": int(field[3]) for field in fields}
    with gzip.open(folder / file, "rt") as text:
        rows = [[cell.strip() for cell in line.split("\t")][skip:] for line in text]
    items, workers = ({name: n for n, name in enumerate(dict.fromkeys(row[c] for row in rows))} for c in (0, 1))
    said = np.array([[items[row[0]], workers[row[1]], int(row[2])] for row in rows]).T
    gold = np.array([min(nist.get(name, -1), 1) for name in items])
    return Answers(said[0], said[1], said[2], len(items), len(workers), 2), gold
