"""The 22 runs of TREC-COVID round 1 in our hands: pytrec_eval beside us, and the published leaderboard."""

import csv
import gzip
from pathlib import Path

import numpy as np
import pytest

from cranfield.data import Assessed, assess
from cranfield.measures import measure_all
from tests.support.golden.golden_values import as_trec_eval, noise
from tests.support.golden.ranking_inputs import all_trec, notation
from tests.support.guarded_peers import pytrec_eval

# Column of the leaderboard → measure; official runs were cut at 1000 (trec_eval -M1000).
OFFICIAL = {"ndcg@10": "nDCG@10", "p@5": "P@5", "RBP(p=.5)": "RBP(max_rel=2,p=0.5)", "MAP": "AP@1000"}
ROUNDED = 5.0001e-5


@pytest.fixture(scope="module")
def covid(shared_data: Path) -> Path:
    return shared_data / "trec-covid"


@pytest.fixture(scope="module")
def assessed(covid: Path) -> Assessed:
    return assess(covid / "qrels-rnd1.txt", covid / "runs", compat="trec_eval-9")


def read(path: Path) -> dict[str, dict[str, float]]:
    run: dict[str, dict[str, float]] = {}
    with gzip.open(path, "rt") as lines:
        for topic, _, document, _, score, _ in map(str.split, lines):
            run.setdefault(topic, {})[document] = float(score)
    return run


@pytest.fixture(scope="module")
def theirs(covid: Path) -> dict[str, dict[str, dict[str, float]]]:
    """{run: {topic: {measure: value}}}, by pytrec_eval."""
    with (covid / "qrels-rnd1.txt").open() as lines:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(lines), all_trec())
    return {path.stem: evaluator.evaluate(read(path)) for path in sorted((covid / "runs").glob("*.gz"))}


@pytest.mark.parametrize("trec", all_trec())
def test_every_topic_has_the_value_of_pytrec_eval(
    assessed: Assessed, theirs: dict[str, dict[str, dict[str, float]]], trec: str
) -> None:
    values = measure_all(assessed, [notation(trec)])
    assert set(values.runs) == set(theirs)
    assert len(values.runs) == 22
    for i, run in enumerate(values.runs):
        found = dict(zip(values.topics, values.cube[i, :, 0].tolist(), strict=True))
        ours = {topic: as_trec_eval(trec, found[topic]) for topic in theirs[run]}
        expected = {topic: row[trec] for topic, row in theirs[run].items()}
        assert ours == pytest.approx(expected, rel=0, abs=noise(trec)), run
        assert len(expected) == (~values.missing[i]).sum()


def official(covid: Path) -> dict[str, list[float]]:
    with (covid / "leaderboard-round1.csv").open() as lines:
        return {row["run"]: [float(row[column]) for column in OFFICIAL] for row in csv.DictReader(lines)}


def test_means_are_those_of_the_official_leaderboard(covid: Path, assessed: Assessed) -> None:
    board = official(covid)
    values = measure_all(assessed, list(OFFICIAL.values()))
    expected = np.array([board[run] for run in values.runs])
    np.testing.assert_allclose(values.aggregate(), expected, rtol=0, atol=ROUNDED)


def test_run_bert_needs_scores_as_float32(covid: Path) -> None:
    values = measure_all(assess(covid / "qrels-rnd1.txt", covid / "runs" / "BERT.gz"), list(OFFICIAL.values()))
    assert (np.abs(values.aggregate()[0] - official(covid)["BERT"]) > ROUNDED).any()
