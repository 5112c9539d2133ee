"""Ranks are those of trec_eval 9, as pytrec_eval shows them, on runs full of ties."""

import random

import numpy as np
import pytest

from cranfield.data import assess
from tests.support.guarded_peers import pytrec_eval
from tests.support.reference import measure_definitions
from tests.support.simulations.random_campaigns import Scores, random_campaign

DEPTH = 40


def tie_heavy(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, Scores]]:
    """Few distinct scores, some of which differ in float64 only."""
    rng = random.Random(seed)
    documents = [f"d{i}" for i in range(60)] + ["D1", "é9", "Z", "z", "文"]
    nudges = [1.0, 1 + 1e-9, 1 - 1e-9]
    run = {
        topic: {d: rng.randint(1, 5) / 10 * rng.choice(nudges) for d in rng.sample(documents, DEPTH)}
        for topic in "1 2 3".split()
    }
    qrels = {topic: {d: rng.randint(0, 1) for d in rng.sample(documents, 30)} for topic in run}
    return qrels, run


@pytest.mark.parametrize("seed", range(6))
def test_each_document_alone_has_the_reciprocal_rank_of_the_peer(seed: int) -> None:
    _, run = tie_heavy(seed)
    alone = [(topic, document) for topic, scores in run.items() for document in scores]
    peer = pytrec_eval.RelevanceEvaluator({f"{t}/{d}": {d: 1} for t, d in alone}, {"recip_rank"})
    theirs = peer.evaluate({f"{t}/{d}": run[t] for t, d in alone})
    found = assess({t: dict.fromkeys(scores, 1) for t, scores in run.items()}, run, compat="trec_eval-9")
    documents = found.documents.to_list()
    for t, topic in enumerate(found.topics):
        for i in range(found.starts[t], found.starts[t + 1]):
            value = theirs[f"{topic}/{documents[found.document[i]]}"]["recip_rank"]
            assert round(1 / value) == found.rank[i]


@pytest.mark.parametrize("seed", range(6))
def test_precision_of_the_peer_at_every_cut_off_has_the_same_ranks(seed: int) -> None:
    qrels, run = tie_heavy(seed)
    cuts = range(1, DEPTH + 1)
    peer = pytrec_eval.RelevanceEvaluator(qrels, {"P." + ",".join(map(str, cuts))})
    theirs = peer.evaluate(run)
    found = assess(qrels, run, compat="trec_eval-9")
    for t, topic in enumerate(found.topics):
        entries = slice(found.starts[t], found.starts[t + 1])
        relevant = found.rank[entries][found.grade[found.document[entries]] >= 1]
        hits = [round(theirs[topic][f"P_{k}"] * k) for k in cuts]
        assert hits == [int((relevant <= k).sum()) for k in cuts]


def test_the_runs_tell_float32_from_float64() -> None:
    differences = 0
    for seed in range(6):
        qrels, run = tie_heavy(seed)
        exact, single = assess(qrels, run), assess(qrels, run, compat="trec_eval-9")
        differences += int(np.sum(exact.document != single.document))
    assert differences > 50


@pytest.mark.parametrize("seed", range(10))
def test_the_literal_inferred_ap_is_that_of_the_peer(seed: int) -> None:
    campaign = random_campaign(seed)
    judged = {topic: grades for topic, grades in campaign.qrels.items() if max(grades.values()) >= 0}
    peer = pytrec_eval.RelevanceEvaluator(judged, {"infAP"})
    for run, scores in campaign.runs.items():
        for topic, values in peer.evaluate(scores).items():
            value = measure_definitions.inferred_average_precision(campaign.ranking(run, topic), campaign.qrels[topic])
            assert abs(values["infAP"] - value) < 1e-12
