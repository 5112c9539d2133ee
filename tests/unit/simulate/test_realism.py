"""The built-in campaign against what is published about real ones."""

from collections import defaultdict
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import kendalltau

from cranfield.simulate import MSMARCO, TREC8, Campaign, Made, document_id
from tests.support.guarded_peers import pytrec_eval

Matrix = NDArray[np.float64]

# Two-way ANOVA of TREC-8's AP, 50 topics × 129 runs: sums of squares 167.9974, 60.0299, 85.3502 (ferro2024, Table 1).
TREC8_SHARES = np.array([167.9974, 60.0299, 85.3502]) / 313.3775
SEEDS = range(5)


def average_precision(made: Made) -> Matrix:
    """AP of every topic (row) and run (column); the files are already in trec_eval's order."""
    values = np.zeros((len(made.topics), len(made.entries)))
    for row, part in enumerate(made.parts):
        relevant = part.judged[part.grade > 0]
        found = np.split(np.isin(part.document, relevant), part.ends[:-1])
        for column, hit in enumerate(found):
            rank = 1 + np.flatnonzero(hit)
            values[row, column] = (np.arange(1, rank.size + 1) / rank).sum() / relevant.size
    return values


def peer(made: Made, run: str, measures: set[str]) -> dict[str, dict[str, float]]:
    """What pytrec_eval says of one run, per topic."""
    qrels: dict[str, dict[str, int]] = defaultdict(dict)
    for topic, document, grade in zip(*(column.tolist() for column in made.qrels), strict=True):
        qrels[made.topics[topic]][document_id(document)] = grade
    scores: dict[str, dict[str, float]] = defaultdict(dict)
    for topic, document, score in zip(*(column.tolist() for column in made.run(run)), strict=True):
        scores[made.topics[topic]][document_id(document)] = score
    values: dict[str, dict[str, float]] = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(scores)
    return values


def shares(values: Matrix) -> Matrix:
    """Topic, system and error shares of the sum of squares, without interaction."""
    mean = values.mean()
    total = ((values - mean) ** 2).sum()
    topic = values.shape[1] * ((values.mean(axis=1) - mean) ** 2).sum() / total
    system = values.shape[0] * ((values.mean(axis=0) - mean) ** 2).sum() / total
    return np.array([topic, system, 1 - topic - system])


@pytest.fixture(scope="module")
def campaigns() -> list[Made]:
    return [replace(TREC8, seed=seed).make() for seed in SEEDS]


@pytest.fixture(scope="module")
def values(campaigns: list[Made]) -> list[Matrix]:
    return [average_precision(made) for made in campaigns]


def test_average_precision_here_is_trec_evals(campaigns: list[Made], values: list[Matrix]) -> None:
    made = campaigns[0]
    for column in range(0, 129, 16):
        theirs = peer(made, made.names[column], {"map"})
        expected = [theirs.get(topic, {"map": 0.0})["map"] for topic in made.topics]
        np.testing.assert_allclose(values[0][:, column], expected, rtol=0, atol=1e-12)


def test_sums_of_squares_split_as_in_trec8(values: list[Matrix]) -> None:
    found = np.array([shares(matrix) for matrix in values])
    assert np.abs(found - TREC8_SHARES).max() < 0.10
    assert np.abs(found.mean(axis=0) - TREC8_SHARES).max() < 0.05


def test_means_are_as_high_as_in_trec8(values: list[Matrix]) -> None:
    # TREC-8, from score-matrices/adhoc8_ap.csv: worst .003, median .260, best .469; topics from .009 to .708.
    for matrix in values:
        runs, topics = matrix.mean(axis=0), matrix.mean(axis=1)
        assert runs.min() < 0.05
        assert 0.2 < np.median(runs) < 0.34
        assert 0.35 < runs.max() < 0.55
        assert topics.min() < 0.05
        assert topics.max() > 0.55


def test_relevant_documents_per_topic_vary_as_in_trec8(campaigns: list[Made]) -> None:
    # TREC-8: 4,728 relevant documents for 50 topics, 6 to 347 each; 86,830 judged [voorhees1999trec8].
    counts = np.array([[(part.grade > 0).sum() for part in made.parts] for made in campaigns])
    judged = np.array([[part.judged.size for part in made.parts] for made in campaigns])
    assert counts.min() >= 1
    assert 70 < counts.mean() < 120
    assert np.all(counts.min(axis=1) < 25)
    assert np.all(counts.max(axis=1) > 180)
    assert 1200 < judged.mean() < 2300


def test_topics_are_hard_or_easy_for_everybody(values: list[Matrix]) -> None:
    # In TREC-8 the median correlation of two runs over topics is .70 (score-matrices/adhoc8_ap.csv).
    for matrix in values:
        assert 0.55 < np.median(np.corrcoef(matrix.T)) < 0.85
        assert kendalltau(matrix[:, ::2].mean(axis=1), matrix[:, 1::2].mean(axis=1)).statistic > 0.85


def test_runs_of_one_group_are_near_variants(campaigns: list[Made], values: list[Matrix]) -> None:
    made, matrix = campaigns[0], values[0]
    overlap: dict[bool, list[float]] = {True: [], False: []}
    agree: dict[bool, list[float]] = {True: [], False: []}
    heads = [[set(part.ranking(run)[0][:100].tolist()) for part in made.parts[:4]] for run in range(129)]
    for one, other in combinations(range(129), 2):
        same = made.entries[one].group == made.entries[other].group
        common = [len(a & b) / 100 for a, b in zip(heads[one], heads[other], strict=True)]
        overlap[same].append(float(np.mean(common)))
        agree[same].append(float(np.corrcoef(matrix[:, one], matrix[:, other])[0, 1]))
    assert np.median(overlap[True]) > 2 * np.median(overlap[False])
    assert np.median(agree[True]) > np.median(agree[False]) + 0.1
    # TREC-COVID round 1 (22 runs of 9 teams): median overlap of two runs' first hundred .10, upper tenth .29.
    assert 0.05 < np.median(overlap[False]) < 0.3


def test_later_runs_of_a_group_are_a_little_better(campaigns: list[Made], values: list[Matrix]) -> None:
    steps = []
    for made, matrix in zip(campaigns, values, strict=True):
        mean = matrix.mean(axis=0)
        pairs = [(run, run + 1) for run in range(128) if made.entries[run].group == made.entries[run + 1].group]
        steps += [mean[later] - mean[earlier] for earlier, later in pairs]
    assert 0 < np.mean(steps) < 0.03


def test_runs_after_the_pool_meet_unjudged_documents(campaigns: list[Made]) -> None:
    unjudged: dict[bool, list[float]] = {True: [], False: []}
    for part in campaigns[0].parts:
        for run, entry in enumerate(campaigns[0].entries):
            document = part.ranking(run)[0][:10]
            if document.size:
                unjudged[entry.pooled].append(float(np.mean(~np.isin(document, part.judged))))
    assert max(unjudged[True]) == 0
    assert 0.005 < np.mean(unjudged[False]) < 0.2


def test_without_skill_all_groups_are_equal_but_for_chance() -> None:
    matrix = average_precision(Campaign(skill=0, missing=0, topics=100, groups=20, runs=20, depth=100).make())
    topic, system, error = shares(matrix)
    f = (system / 19) / (error / (19 * 99))
    assert f < 2.0  # the upper .01 point of F(19, 1881) is 1.93
    assert topic > 0.3


def test_one_relevant_document_looks_like_ms_marco() -> None:
    # The passage board (leaderboards/msmarco-passage.csv, 155 entries with a development value): RR@10 from .04 to
    # .46, quartiles .32, .36, .40. First stages: BM25 has RR@10 .184 and recall@1000 .853 (formal2021splade, Table 1);
    # .383 and .983 stand on the model card of naver/splade-cocondenser-ensembledistil.
    made = replace(MSMARCO, topics=300, groups=8, runs=12).make()
    assert np.array_equal(made.qrels.topic, np.arange(300))
    assert set(made.qrels.grade.tolist()) == {1}
    found = [peer(made, run, {"recip_rank", "recall_1000"}).values() for run in made.names]
    # The peer has no cut-off for RR: below rank 10 it counts as nothing.
    rr = [sum(v["recip_rank"] for v in run if v["recip_rank"] >= 0.1) / 300 for run in found]
    recall = [sum(v["recall_1000"] for v in run) / 300 for run in found]
    assert 0.2 < np.median(rr) < 0.4
    assert min(rr) > 0.05
    assert max(rr) < 0.5
    assert 0.85 < np.median(recall) < 0.98
