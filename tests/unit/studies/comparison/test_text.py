"""Sentences of a comparison claim what the evidence shows, and nothing else."""

import re

import numpy as np
import pytest

import cranfield as cf
from cranfield.core import Study

CLAIMS = {"better": " is better than ", "worse": " is worse than "}


def random_study(seed: int, **options: object) -> Study:
    """Compare two runs over 40 topics with several relevant documents, better or worse by chance."""
    draws = np.random.default_rng(seed)
    documents = [f"d{i}" for i in range(30)]
    skill = draws.uniform(0, 1.5, 2)
    qrels, runs = {}, {"A": {}, "B": {}}  # type: dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]
    for topic in map(str, range(40)):
        grades = {document: int(draws.random() < 0.2) for document in documents[:25]}
        qrels[topic] = grades
        for name, ability in zip(runs, skill, strict=True):
            runs[name][topic] = {d: ability * grades.get(d, 0) + draws.normal() for d in documents}
    return cf.compare(cf.evaluate(qrels, runs, "nDCG@5 AP P@20"), scale="ignore", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(25))
def test_the_sentence_says_what_the_evidence_shows(seed: int) -> None:
    study = random_study(seed, margins={"nDCG@5": 0.05})
    assert study.verdict is not None
    rows = study["evidence"].rows()
    primary, others = rows[0], rows[1:]
    sentence = str(study["verdicts"].rows()[0]["sentence"])
    first = sentence.partition("(")[0]
    for status, claim in CLAIMS.items():
        assert (claim in f"{first} ") is (primary["status"] == status)
    assert ("No significant difference" in first) is (study.verdict.kind == "inconclusive")
    assert ("are equivalent" in first) is (study.verdict.kind == "equivalent")
    opposite = {"better": "worse", "worse": "better"}.get(str(primary["status"]))
    opposed = [row for row in others if row["status"] == opposite]
    assert (", but it " in sentence) is bool(opposed) is (study.verdict.kind == "mixed")
    significant = [row for row in others if row["status"] in CLAIMS]
    assert ("Exploratory: " in sentence) is (primary["status"] not in CLAIMS and bool(significant))
    for row in opposed:
        if row["line"] == "measure":
            assert f"is {row['status']} on {row['measure']}" in sentence
    assert not re.search(r"\bnan\b|None|\binf\b", sentence)


@pytest.mark.parametrize("seed", range(10))
def test_by_outcomes_the_sentence_follows_the_corrected_facets(seed: int) -> None:
    study = random_study(seed, by="outcomes")
    assert study.verdict is not None
    facets = study["facets"].rows()
    small = [row for row in facets if row["p_holm"] is not None and float(str(row["p_holm"])) <= 0.05]
    assert (study.verdict.kind == "inconclusive") is (not small)
    for kind, claim in CLAIMS.items():
        assert (claim in study.sentence) is (study.verdict.kind == kind)


def test_a_significant_difference_inside_the_margin_says_so() -> None:
    scores = {"topic": [str(t) for t in range(50)], "a": [0.5] * 50, "b": [0.51 + 0.001 * (t % 3) for t in range(50)]}
    study = cf.compare(scores, margins={"score": 0.05})
    assert study.verdict is not None
    assert study.verdict.kind == "better"
    assert "The difference lies within the margin of ±0.05." in study.sentence


@pytest.mark.parametrize(
    ("topics", "changed", "warning"),
    [(12, 12, "fewer than 20 topics"), (40, 5, "differ in only 5 topics"), (40, 30, None)],
)
def test_little_data_is_said(topics: int, changed: int, warning: str | None) -> None:
    draws = np.random.default_rng(1)
    base = draws.random(topics)
    moved = base + np.where(np.arange(topics) < changed, draws.normal(0, 0.1, topics), 0)
    sentence = cf.compare({"topic": [str(t) for t in range(topics)], "a": base, "b": moved}).sentence
    assert ("may be too short" in sentence) is (warning is not None)
    assert warning is None or warning in sentence


@pytest.mark.parametrize(("topics", "said", "unsaid"), [(1, "allows no test", "CI"), (2, "fewer than 20", "detect")])
def test_one_or_two_topics_promise_nothing(topics: int, said: str, unsaid: str) -> None:
    scores = {"topic": [str(t) for t in range(topics)], "a": [0.1, 0.4][:topics], "b": [0.3, 0.5][:topics]}
    sentence = cf.compare(scores).sentence
    assert said in sentence
    assert unsaid not in sentence


def test_a_measure_of_which_less_is_better_says_so() -> None:
    runs = {name: {str(t): {"x": 1.0, "r": 2.0 if name == "a" else 0.5} for t in range(25)} for name in ("a", "b")}
    values = cf.evaluate({str(t): {"r": 1} for t in range(25)}, runs, "ESL")
    assert "b is worse than a on ESL (lower is better, +1.000," in cf.compare(values).sentence


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"correct": "bh"}, "Benjamini–Hochberg over 3 pairs"),
        ({"tests": "max-t"}, "corrected over the pairs by the test"),
    ],
)
def test_a_correction_has_the_name_that_papers_use(options: dict[str, str], said: str) -> None:
    draws = np.random.default_rng(5)
    scores = {"topic": [str(t) for t in range(30)], **{name: draws.random(30) for name in "abcd"}}
    sentence = cf.compare(scores, baseline="a", **options).sentence  # type: ignore[arg-type]
    assert said in sentence
    assert "30 topics" in sentence


@pytest.mark.parametrize(("test", "approximate"), [("t", True), ("signed-rank", False), ("sign", False)])
def test_only_approximate_intervals_may_be_too_short(test: str, approximate: bool) -> None:
    draws = np.random.default_rng(3)
    scores = {"topic": [str(t) for t in range(12)], "a": draws.random(12), "b": draws.random(12)}
    sentence = cf.compare(scores, test).sentence
    assert ("may be too short" in sentence) is approximate
    assert ("could detect a difference of" in sentence) is (test == "t")
    assert ("could detect a mean difference of" in sentence) is (test != "t")


def test_steps_of_the_state_of_the_art_are_named() -> None:
    draws = np.random.default_rng(2)
    base, noise = draws.random(60) / 2, draws.normal(0, 0.1, 60)
    scores = {
        "topic": [str(t) for t in range(60)],
        "old": base,
        "mid": base + 0.2,
        "new": base + 0.2 + noise - noise.mean() + 0.001,
    }
    entries = {"run": ["old", "mid", "new"], "date": ["2020-01-01", "2021-01-01", "2022-01-01"]}
    sentence = cf.compare(scores, sota=entries).sentence
    assert "mid over old" in sentence
    assert sentence.startswith("1 of 2 steps of the state of the art are significant")
