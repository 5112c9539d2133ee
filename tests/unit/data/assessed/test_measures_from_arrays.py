"""``Assessed`` is enough: every family of measures from its arrays alone equals a literal loop over whole rankings.

Beside the arrays each needs one look-up of a side table (lengths, subtopics, groups) by named document.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cranfield.core.types import Matrix, Rows
from cranfield.data import NOBODY, Assessed, Attribute, Block
from tests.support.reference import measure_definitions
from tests.support.simulations.random_campaigns import Campaign, Function, labels, random_campaign

SEEDS = range(25)
LENGTH = 500.0  # of a document whose length nobody knows
HARMONIC = np.concatenate(([0.0], np.cumsum(1 / np.arange(1, 100))))


def rows(campaign: Campaign, value: Callable[[str, str], float]) -> Matrix:
    """(run, topic): a literal value for every run and judged topic."""
    return np.array([[value(run, topic) for topic in campaign.qrels] for run in campaign.runs])


def agree(assessed: Assessed, kernel: Callable[[Block], Rows], expected: Matrix) -> None:
    values = assessed.map([Function(kernel)])[:, :, 0]
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-12)


def ratio(a: NDArray[Any], b: NDArray[Any]) -> Rows:
    return np.divide(a, b, out=np.zeros(len(a)), where=b > 0)


def before(flags: NDArray[np.bool_]) -> NDArray[np.float64]:
    """How many flags are set to the left of each cell."""
    return flags.cumsum(axis=1) - flags.astype(float)


def test_the_campaigns_hold_what_is_hard() -> None:
    found = [random_campaign(seed).assessed() for seed in SEEDS]
    grades = np.concatenate([assessed.grade[assessed.document] for assessed in found])
    assert (grades > 1).any()
    assert (grades == -1).any(), "in the pool, not judged"
    assert (grades == NOBODY).any(), "named by a side table only"
    assert any(assessed.missing.any() for assessed in found)
    assert any((assessed.tie_last > assessed.tie_first).any() for assessed in found)
    assert any((assessed.retrieved > np.diff(assessed.starts)).any() for assessed in found), "documents nobody named"
    assert any((assessed.relevant(1) == 0).any() for assessed in found)
    assert any(assessed.notes for assessed in found), "topics that nobody judged"


@pytest.mark.parametrize("seed", SEEDS)
def test_inferred_ap_needs_the_grades_below_zero(seed: int) -> None:
    campaign = random_campaign(seed)

    def inferred_ap(block: Block) -> Rows:
        hit, judged, pooled = block.grade > 0, block.grade >= 0, block.grade > NOBODY
        precision = (before(hit) + 1e-5) / (before(judged) + 2e-5)
        return ratio((hit * (1 + before(pooled) * precision) / block.rank).sum(axis=1), block.relevant(1))

    def loop(run: str, topic: str) -> float:
        return measure_definitions.inferred_average_precision(campaign.ranking(run, topic), campaign.qrels[topic])

    agree(campaign.assessed(), inferred_ap, rows(campaign, loop))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_expectation_of_ap_over_ties_needs_the_ends_of_each_tie(seed: int) -> None:
    campaign = random_campaign(seed, depth=8)

    def expected_ap(block: Block) -> Rows:
        hit = block.grade > 0
        first, last = block.tie_first, block.tie_last
        tied = first[:, :, None] == first[:, None, :]
        above = first[:, :, None] > first[:, None, :]
        inside, earlier = (tied & hit[:, None, :]).sum(axis=2), (above & hit[:, None, :]).sum(axis=2)
        size = last - first + 1
        sum_of_inverse_ranks = HARMONIC[last.astype(int)] - HARMONIC[first.astype(int) - 1]
        others = (inside - 1) / np.maximum(size - 1, 1) * (size - first * sum_of_inverse_ranks)
        precision = ((earlier + 1) * sum_of_inverse_ranks + others) / size
        return ratio((hit * precision).sum(axis=1), block.relevant(1))

    def loop(run: str, topic: str) -> float:
        return measure_definitions.expected_average_precision(campaign.ties(run, topic), campaign.qrels[topic])

    agree(campaign.assessed(), expected_ap, rows(campaign, loop))


@pytest.mark.parametrize("seed", SEEDS)
def test_time_biased_gain_needs_the_sum_of_lengths_above(seed: int) -> None:
    campaign = random_campaign(seed)
    known = Attribute(list(campaign.lengths), list(campaign.lengths.values()), LENGTH)
    assessed = campaign.assessed(sum_above=known)
    length = np.array(labels(assessed, dict.fromkeys(assessed.topics, campaign.lengths), LENGTH))

    def time_biased_gain(block: Block) -> Rows:
        assert block.assessed.above is not None
        hit = block.grade > 0
        reading = hit * (0.018 * length[block.document] + 7.8)
        above = np.where(np.isfinite(block.rank), block.rank - 1, 0)
        as_not_relevant = 4.4 * above + 0.39 * (0.018 * block.above + 7.8 * above)
        time = as_not_relevant + (0.64 - 0.39) * (reading.cumsum(axis=1) - reading)
        return (hit * 0.64 * 0.77 * 2 ** (-time / 224)).sum(axis=1)

    def loop(run: str, topic: str) -> float:
        ranking = campaign.ranking(run, topic)
        return measure_definitions.time_biased_gain(ranking, campaign.qrels[topic], campaign.lengths, LENGTH)

    agree(assessed, time_biased_gain, rows(campaign, loop))


@pytest.mark.parametrize("seed", SEEDS)
def test_compatibility_needs_ranks_and_the_counts_of_each_grade(seed: int) -> None:
    campaign = random_campaign(seed)
    p, depth = 0.95, 100
    weight = p ** np.arange(depth) / np.arange(1, depth + 1)
    tail = np.append(weight[::-1].cumsum()[::-1], 0.0)  # tail[i]: what an overlap from rank i + 1 on is worth

    def compatibility(block: Block) -> Rows:
        hit = block.grade > 0
        at_least = np.stack([block.relevant(grade) for grade in range(1, 5)])  # (grade, row)
        higher = at_least[np.where(hit, block.grade, 0).astype(int), np.arange(len(block.row))[:, None]]
        same_above = (block.grade[:, :, None] == block.grade[:, None, :]) & (
            block.rank[:, None] < block.rank[..., None]
        )
        ideal_rank = higher + same_above.sum(axis=2) + 1
        shared_from = np.where(hit, np.maximum(block.rank, ideal_rank), depth + 1).astype(int)
        best = np.append(0.0, tail.cumsum())[block.relevant(1).astype(int)]
        return ratio(tail[shared_from - 1].sum(axis=1), best)

    def loop(run: str, topic: str) -> float:
        return measure_definitions.compatibility(campaign.ranking(run, topic), campaign.qrels[topic], p, depth)

    agree(campaign.assessed(), compatibility, rows(campaign, loop))


def novelty_ndcg(assessed: Assessed, run: int, priors: list[int], k: int) -> Rows:
    """(topic,): NRG of nDCG@k from the ranks of the named documents in several runs."""
    seen = np.zeros((len(assessed.runs), len(assessed.grade)))
    of_run = np.repeat(np.arange(len(assessed.starts) - 1) // len(assessed.topics), np.diff(assessed.starts))
    seen[of_run, assessed.document] = np.where(assessed.rank <= k, 1 / np.log2(assessed.rank + 1), 0)
    residual = np.maximum(assessed.grade, 0) * np.prod(1 - seen[priors], axis=0)
    topic = np.repeat(np.arange(len(assessed.topics)), np.diff(assessed.named))
    order = np.lexsort((-residual, topic))
    place = np.arange(len(order)) - assessed.named[topic]
    best = np.where(place < k, residual[order] / np.log2(place + 2), 0)
    gained = np.bincount(topic, residual * seen[run], len(assessed.topics))
    return ratio(gained, np.bincount(topic, best, len(assessed.topics)))


@pytest.mark.parametrize("seed", SEEDS)
def test_novelty_needs_the_ranks_of_the_same_documents_in_other_runs(seed: int) -> None:
    campaign = random_campaign(seed)
    assessed = campaign.assessed()
    for r, run in enumerate(campaign.runs):
        priors = [prior for prior in campaign.runs if prior != run]
        expected = [
            measure_definitions.novelty_ndcg(
                campaign.ranking(run, topic), grades, [campaign.ranking(prior, topic) for prior in priors], 10
            )
            for topic, grades in campaign.qrels.items()
        ]
        values = novelty_ndcg(assessed, r, [i for i in range(len(campaign.runs)) if i != r], 10)
        np.testing.assert_allclose(values, expected, rtol=0, atol=1e-12)


def test_novelty_gives_the_figures_of_the_paper() -> None:
    # Bigdeli et al., Table 1: three rankings of the same ten documents, of which A, E, F and J are relevant.
    rankings = {"R1": "ABCDEFGHIJ", "R2": "EDCBAFGHIJ", "R3": "JIHGFEDCBA"}
    runs = {run: {"1": {document: 10.0 - i for i, document in enumerate(r)}} for run, r in rankings.items()}
    campaign = Campaign({"1": dict.fromkeys("AEFJ", 1)}, runs, {}, {}, {})
    assessed = campaign.assessed()
    figures = {
        (0, ()): 0.7933,
        (1, ()): 0.7933,
        (2, ()): 0.7933,
        (0, (1,)): 0.7361,
        (0, (2,)): 0.8277,
        (1, (2,)): 0.7988,
        (0, (1, 2)): 0.8417,
        (1, (0, 2)): 0.8316,
        (2, (0, 1)): 0.8681,
    }
    for (run, priors), figure in figures.items():
        assert round(float(novelty_ndcg(assessed, run, list(priors), 10)[0]), 4) == figure


@pytest.mark.parametrize("seed", SEEDS)
def test_diversity_needs_subtopics_by_named_document(seed: int) -> None:
    campaign = random_campaign(seed)
    assessed = campaign.assessed()
    about = labels(assessed, campaign.subtopics, set())
    holds = np.array([[subtopic in subtopics for subtopic in "abcd"] for subtopics in about], dtype=float)
    alpha, k = 0.5, 10

    def alpha_dcg(block: Block) -> Rows:
        here = np.where(block.document[:, :, None] >= 0, holds[block.document], 0)  # (row, document, subtopic)
        gain = (here * (1 - alpha) ** (here.cumsum(axis=1) - here)).sum(axis=2)
        return (np.where(block.rank <= k, gain, 0) / np.log2(1 + block.rank)).sum(axis=1)

    def greedy() -> Rows:
        """(topic,): the best next document of every topic at once, k times."""
        place = assessed.named[:-1, None] + np.arange(np.diff(assessed.named).max())
        there = place < assessed.named[1:, None]
        left = np.where(there[..., None], holds[np.where(there, place, 0)], 0)  # (topic, document, subtopic)
        seen, best = np.zeros((len(left), 1, holds.shape[1])), np.zeros(len(left))
        for rank in range(1, k + 1):
            gain = (left * (1 - alpha) ** seen).sum(axis=2)
            chosen = gain.argmax(axis=1)
            best += gain.max(axis=1) / np.log2(1 + rank)
            topics = np.arange(len(left))
            seen[:, 0] += left[topics, chosen]
            left[topics, chosen] = 0
        return best

    def loop(measure: Callable[..., float]) -> Matrix:
        def value(run: str, topic: str) -> float:
            subtopics = campaign.subtopics[topic]
            named = {d: subtopics[d] for d in (*campaign.qrels[topic], *subtopics) if d in subtopics}
            return measure(campaign.ranking(run, topic), named, alpha, k)

        return rows(campaign, value)

    best = greedy()
    agree(assessed, alpha_dcg, loop(measure_definitions.alpha_dcg))
    agree(assessed, lambda block: ratio(alpha_dcg(block), best[block.topic]), loop(measure_definitions.alpha_ndcg))


@pytest.mark.parametrize("seed", SEEDS)
def test_exposure_of_a_group_needs_its_documents_named_whether_judged_or_not(seed: int) -> None:
    campaign = random_campaign(seed, depth=8)
    assessed = campaign.assessed()
    group = np.array(labels(assessed, campaign.groups, ""))
    patience = 0.5

    for name in ("north", "south"):

        def exposure(block: Block, name: str = name) -> Rows:
            member = (block.document >= 0) & (group[block.document] == name)
            first, last = block.tie_first, block.tie_last
            shared = (patience ** (first - 1) - patience**last) / (1 - patience) / (last - first + 1)
            return (member * shared).sum(axis=1)

        def loop(run: str, topic: str, name: str = name) -> float:
            members = {document for document, own in campaign.groups[topic].items() if own == name}
            return measure_definitions.expected_exposure(campaign.ties(run, topic), members, patience)

        agree(assessed, exposure, rows(campaign, loop))
