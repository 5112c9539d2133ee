"""Sentences of a leaderboard against its table."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import cranfield as cf
from cranfield.core import Table
from cranfield.stats import CORRECTIONS, RankStability, T, Tukey, parse_method, share_letter
from cranfield.studies.boards.text import board_sentence

SHARE = np.array([[0.0, 0.25, 0.75], [0.625, 0.375, 0.0], [0.375, 0.375, 0.25]])
STABLE = RankStability(SHARE, np.full((3, 3), 0.5), SHARE @ [1, 2, 3], draws=1000, exact=False, topics=20)
HOLM: Any = parse_method(CORRECTIONS, "holm")


def ranks(means: Sequence[float], first: Sequence[float], letters: Sequence[str]) -> Table:
    runs = ["x", "y", "z", "u"][: len(means)]
    ends = {"low": [mean - 0.1 for mean in means], "high": [mean + 0.1 for mean in means]}
    return Table({"run": runs, "mean": np.array(means), **ends, "p_first": np.array(first), "letters": letters})


def sentence(table: Table, stability: RankStability = STABLE, *, test: Any = None) -> str:
    return board_sentence(table, stability, test=test or T(), correction=HOLM, measure="AP")


def test_the_best_mean_with_its_interval_test_and_resamples() -> None:
    said = sentence(ranks([0.5, 0.4, 0.3], [0.727, 0.254, 0.019], ["a", "ab", "b"]))
    assert said == (
        "x has the highest mean AP (0.500, 95% CI [0.400, 0.600], 20 topics). It differs significantly from 1 of 2 "
        "other runs, but not from y (paired t-test, Holm over 3 pairs, level 0.05). It is first in 72.7% of 1,000 "
        "bootstrap resamples of the topics."
    )


@pytest.mark.parametrize(
    ("letters", "words"),
    [
        (["a", "b", "c"], "differs significantly from all 2 other runs"),
        (["a", "a", "a"], "is not significantly different from any of the 2 other runs"),
        (["a1b", "c"], "is significantly different from y"),
        (["a1", "aa1"], "is not significantly different from y"),
    ],
)
def test_letters_decide_what_differs(letters: list[str], words: str) -> None:
    n = len(letters)
    assert words in sentence(ranks([0.5, 0.4, 0.3][:n], [1.0, 0.0, 0.0][:n], letters))


def test_shared_means_and_other_runs_that_are_first_more_often() -> None:
    tied = sentence(ranks([0.5, 0.5, 0.3], [0.45, 0.5, 0.05], ["a", "a", "a"]))
    assert tied.startswith("x and y have the highest mean AP")
    assert "95.0%" in tied  # .45 + .5
    other = sentence(ranks([0.5, 0.4, 0.3], [0.3, 0.6, 0.1], ["a", "a", "a"]))
    assert "y is first more often (60.0%)" in other


def test_resamples_in_words() -> None:
    table = ranks([0.5, 0.4], [1.0, 0.0], ["a", "b"])
    assert "first in all 1,000 bootstrap resamples" in sentence(table)
    assert "first in the resample of 1 topic" in sentence(table, replace(STABLE, draws=1, exact=True, topics=1))
    assert "over 99.9%" in sentence(ranks([0.5, 0.4], [0.9999, 0.0001], ["a", "b"]))
    assert "x is the only run" in sentence(ranks([0.5], [1.0], ["a"]))


@pytest.mark.parametrize("seed", range(5))
def test_the_sentence_agrees_with_its_table(seed: int) -> None:
    draw = np.random.default_rng(seed)
    values = draw.normal(0, 0.1, (25, 6)) + draw.random((25, 1)) + np.linspace(0, 0.15, 6)
    scores: dict[str, Any] = {"topic": list(range(25))} | {f"r{i}": values[:, i] for i in range(6)}
    study = cf.leaderboard(scores, test=Tukey(), draws=200)
    rows: list[dict[str, Any]] = study["ranks"].rows()
    best = rows[0]
    alike = [row["run"] for row in rows[1:] if share_letter(best["letters"], row["letters"])]
    significant = [row["run"] for row in study["behind"].rows() if row["significant"]]
    assert sorted([*alike, *significant]) == sorted(row["run"] for row in rows[1:])
    said = study.sentence
    assert f"{best['run']} has the highest mean" in said
    assert not re.search(r"\b(leads?|best|better)\b", said)
    counts = {0: "all 5 other runs", 5: "not significantly different from any of the 5"}
    assert counts.get(len(alike), f"from {5 - len(alike)} of 5 other runs") in said
