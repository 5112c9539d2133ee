"""Notes on topic sets that are too small."""

import re
from collections.abc import Callable
from math import sqrt
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from scipy.stats import nct, t

import cranfield as cf
from cranfield.studies.small_samples import few_topics_notes

STUDIES: dict[str, Callable[[Any], Any]] = {
    "test": cf.test,
    "leaderboard": lambda scores: cf.leaderboard(scores, draws=50),
    "anova": cf.anova,
    "compare": cf.compare,
}


def _scores(topics: int) -> dict[str, list[Any]]:
    values = {run: [0.1 + 0.01 * ((7 * t + i) % 11) for t in range(topics)] for i, run in enumerate("abc")}
    return {"topic": [str(t) for t in range(topics)], **values}


def _notes(study: Any) -> list[str]:
    return [note for table in study.tables.values() for note in table.notes if "80% power" in note]


@pytest.mark.parametrize("name", STUDIES)
def test_fewer_than_ten_topics_are_few(name: str) -> None:
    assert len(set(_notes(STUDIES[name](_scores(9))))) == 1
    assert _notes(STUDIES[name](_scores(10))) == []


@pytest.mark.parametrize(("topics", "few"), [(9, 1), (10, 0)])
def test_studies_that_read_rankings_count_their_topics_too(topics: int, few: int) -> None:
    qrels = {str(t): {"d0": 1, "d1": 0} for t in range(topics)}
    runs = {
        "a": {str(t): {"d0": 2.0, "d1": 1.0} for t in range(topics)},
        "b": {str(t): {"d0": float(t % 2), "d1": 0.5} for t in range(topics)},
    }
    again = cf.reproduce(qrels, {"b": runs["b"]}, "P@1", originals={"a": runs["a"]}, draws=50)
    values = cf.evaluate(qrels, runs, "P@1")
    paper = cf.paper_table(values, "a").study
    for study in (again, paper, cf.scale("P@1", qrels=qrels, runs=runs), cf.relabel(values, values)):
        assert len(_notes(study)) == few


@pytest.mark.parametrize(("topics", "few"), [(9, 1), (10, 0)])
def test_collections_with_few_topics_are_named(tmp_path: Path, topics: int, few: int) -> None:
    lines = ["collection,scores"]
    for name, number in (("one", topics), ("two", 12)):
        pl.DataFrame(_scores(number)).write_csv(tmp_path / f"{name}.csv")
        lines.append(f"{name},{name}.csv")
    (tmp_path / "list.csv").write_text("\n".join(lines))
    tables = cf.across(tmp_path / "list.csv").tables.values()
    found = [note for table in tables for note in table.notes if "fewer than 10 topics" in note]
    assert [note.startswith("1 of 2 collections have fewer than 10 topics (one: 9): ") for note in found] == [
        True
    ] * few


def test_halves_of_fewer_than_ten_topics_are_few() -> None:
    assert len(_notes(cf.agreement(_scores(19), "t", splits=3))) == 1
    assert _notes(cf.agreement(_scores(20), "t", splits=3)) == []


@pytest.mark.parametrize(("topics", "smallest", "never"), [(5, "p < 0.0625", True), (6, "p < 0.03125", False)])
def test_the_smallest_p_of_exact_tests(topics: int, smallest: str, never: bool) -> None:
    """All n differences of one sign: 2 of 2^n signs are as extreme, so p = 2^(1 − n)."""
    (note,) = few_topics_notes(topics)
    assert smallest in note
    assert ("never significant at level 0.05" in note) is never
    ahead = {"topic": list("123456789")[:topics], "a": [0.0] * topics, "b": [0.1 * (t + 1) for t in range(topics)]}
    for p in cf.test(ahead, "sign signed-rank randomisation")["tests"].cells("p"):
        assert p == pytest.approx(2.0 ** (1 - topics))


@pytest.mark.parametrize("topics", [2, 3, 4, 5, 9])
def test_the_difference_that_t_detects(topics: int) -> None:
    """The power of t, by scipy's noncentral t, is 80% between the next lower and the next higher decimal."""
    (told,) = re.findall(r"a mean difference of (\d+\.\d) standard deviations", few_topics_notes(topics)[0])
    critical = t.ppf(0.975, topics - 1)

    def power(effect: float) -> float:
        return float(nct.sf(critical, topics - 1, effect * sqrt(topics)))

    assert power(float(told) - 0.051) < 0.8 < power(float(told) + 0.051)


def test_one_topic_allows_no_test() -> None:
    assert few_topics_notes(1) == ["one topic allows no test"]
