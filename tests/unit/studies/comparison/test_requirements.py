"""Requirements: how they are read, when they are met, and what they say."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import cranfield as cf
from cranfield.core import ParameterError
from cranfield.studies.comparison.requirements import Requirement, parse_requirement, suggest_margin

TOPICS = 60


def scores(gain: float, spread: float = 0.1) -> dict[str, Any]:
    """Run b differs from run a by exactly ``gain`` on average, with exactly this standard deviation."""
    draws = np.random.default_rng(2)
    base = draws.random(TOPICS)
    noise = draws.normal(0, 1, TOPICS)
    noise = (noise - noise.mean()) / noise.std(ddof=1) * spread
    return {"topic": [str(t) for t in range(TOPICS)], "a": base, "b": base + gain + noise}


def met(gain: float, require: str, **options: Any) -> bool | None:
    study = cf.compare(scores(gain), require=require, **options)
    assert study.verdict is not None
    ruling: bool | None = study.verdict["met"]
    assert study.verdict["requirement"] == str(parse_requirement(require))
    assert study.verdict["why"]
    return ruling


# The standard error is .1 / √60 = .0129; t(59) at .975 is 2.001 and at .95 it is 1.671.


@pytest.mark.parametrize(
    ("gain", "ruling"),
    [(0.05, True), (0.02, None), (0.0, None), (-0.02, None), (-0.05, False)],
)
def test_better(gain: float, ruling: bool | None) -> None:
    assert met(gain, "better") is ruling


@pytest.mark.parametrize(
    ("gain", "ruling"),
    [(0.05, True), (0.0, True), (-0.020, True), (-0.0225, False), (-0.05, False)],
)
def test_no_harm_is_one_sided(gain: float, ruling: bool) -> None:
    """A drop of 1.671 · .0129 = .0216 fails, though the verdict is inconclusive up to 2.001 · .0129 = .0258."""
    assert met(gain, "no-harm") is ruling


@pytest.mark.parametrize(
    ("gain", "margin", "ruling"),
    [
        (0.0, 0.03, True),  # lower limit −.0216 > −.03
        (0.0, 0.02, None),
        (-0.05, 0.02, False),  # upper limit −.05 + .0216 = −.0284 < −.02
        (-0.05, 0.08, True),
        (-0.02, 0.03, None),
    ],
)
def test_not_worse(gain: float, margin: float, ruling: bool | None) -> None:
    assert met(gain, "not-worse", margins={"score": margin}) is ruling


def test_not_worse_says_how_many_topics_an_unchanged_run_needs() -> None:
    """((1.645 + .842) · .1 / .02)² = 154.6, so 155 topics."""
    study = cf.compare(scores(0.0), require="not-worse", margins={"score": 0.02})
    assert study.verdict is not None
    assert "155 topics" in study.verdict["why"]


def test_topics_needed_follow_the_level_of_each_pair() -> None:
    """Two pairs at .025 each: ((1.960 + .842) · .1 / .02)² = 196.2, so 197 topics."""
    data = scores(0.0)
    data["c"] = np.asarray(data["a"]) + 0.5
    study = cf.compare(data, baseline="a", require="not-worse", margins={"score": 0.02})
    assert "197 topics" in str(study["requirements"].rows()[0]["why"])


@pytest.mark.parametrize("test", ["sign", "rank-sum", "max-t"])
def test_a_margin_needs_an_interval_in_the_units_of_the_measure(test: str) -> None:
    with pytest.raises(ParameterError, match="no interval that could be compared with a margin"):
        cf.compare(scores(0.0), test, margins={"score": 0.5})
    assert met(0.0, "not-worse", tests="signed-rank", margins={"score": 0.1}) is True


def test_a_margin_of_another_line_does_not_replace_that_of_the_primary() -> None:
    data = {name: {str(t): {"x": 1.0, "r": 2.0 if name == "a" else 0.5} for t in range(20)} for name in "ab"}
    values = cf.evaluate({str(t): {"r": 1} for t in range(20)}, data, "RR P@2")
    for margins in ({"P@2": 0.4}, {"answered": 0.4}):
        with pytest.raises(ParameterError, match="not-worse needs a margin for RR"):
            cf.compare(values, require="not-worse", margins=margins)
    study = cf.compare(values, require="not-worse", margins={"RR": 0.1, "P@2": 0.4})
    assert study.verdict is not None
    assert study.verdict["met"] is False  # RR falls from 1 to 1/2 in every topic


def test_not_worse_needs_a_margin_and_suggests_one() -> None:
    with pytest.raises(ParameterError, match="not-worse needs a margin") as caught:
        cf.compare(scores(0.0), require="not-worse")
    assert "--margin 0.0" in caught.value.hint
    # 5% is 0.0226, 0.0144, 0.0028 and 0.46, to one significant digit:
    assert [suggest_margin(base) for base in (0.452, 0.2885, 0.056, 9.2)] == pytest.approx([0.02, 0.01, 0.003, 0.5])


@pytest.mark.parametrize(
    ("require", "ruling"),
    [
        ("min score 0.2", True),
        ("min score=0.9", False),
        ("max-drop score 0.06", True),
        ("max-drop score 0.04", False),
    ],
)
def test_thresholds_are_plain(require: str, ruling: bool) -> None:
    assert met(-0.05, require) is ruling


@pytest.mark.parametrize("require", ["min score 0.28", "max-drop score 0.02"])
def test_a_threshold_that_is_reached_exactly_is_met(require: str) -> None:
    """The means are .30 and .28, whose difference is 0.020000000000000018 in floating point."""
    data = {"topic": ["1", "2", "3"], "a": [0.1, 0.3, 0.5], "b": [0.08, 0.28, 0.48]}
    study = cf.compare(data, require=require)
    assert study.verdict is not None
    assert study.verdict["met"] is True


def test_strict_needs_outcomes() -> None:
    assert met(0.05, "strict") is None


def test_strict_needs_both_facets() -> None:
    def study(b: Sequence[int | None]) -> Any:
        qrels = {str(t): {"r": 1} for t in range(len(b))}

        def run(places: Sequence[int | None]) -> Any:
            found = {}
            for t, place in enumerate(places):
                documents = [f"x{i}" for i in range(12)]
                if place is not None:
                    documents.insert(place - 1, "r")
                found[str(t)] = {d: float(-i) for i, d in enumerate(documents)}
            return found

        a = [None] * 12 + [2] * 20
        return cf.compare(cf.evaluate(qrels, {"A": run(a), "B": run(b)}, "RR@10"), require="strict")

    assert study([1] * 32).verdict["met"] is True
    assert study([1] * 12 + [2] * 20).verdict["met"] is None  # better, and no difference where both answer


@pytest.mark.parametrize(
    ("text", "requirement"),
    [
        ("no-harm", Requirement("no-harm")),
        (" better ", Requirement("better")),
        ("min nDCG@10 .4", Requirement("min", "nDCG@10", 0.4)),
        ("max-drop nDCG(dcg='exp-log2')@10 = 0.02", Requirement("max-drop", "nDCG(dcg='exp-log2')@10", 0.02)),
    ],
)
def test_reading(text: str, requirement: Requirement) -> None:
    assert parse_requirement(text) == requirement
    assert parse_requirement(str(requirement)) == requirement


@pytest.mark.parametrize(
    "text", ["", "best", "better nDCG@10", "min", "min nDCG@10", "max-drop nDCG@10 much", "min AP nan", "min AP inf"]
)
def test_what_is_no_requirement_is_refused(text: str) -> None:
    with pytest.raises(ParameterError) as caught:
        parse_requirement(text)
    assert caught.value.hint


def test_a_threshold_needs_a_measure_that_was_evaluated() -> None:
    with pytest.raises(ParameterError):
        cf.compare(scores(0.0), require="min nDCG@10 .4")


def test_every_pair_must_meet_every_requirement() -> None:
    data = scores(0.05)
    data["c"] = np.asarray(data["a"]) - 0.05 + np.random.default_rng(1).normal(0, 0.05, TOPICS)
    study = cf.compare(data, baseline="a", require=["better", "min score 0.1"])
    assert study.verdict is not None
    assert (study.verdict["requirement"], study.verdict["met"]) == ("better", False)
    assert [(row["b"], row["met"]) for row in study["requirements"].rows()] == [
        ("b", True),
        ("c", False),
        ("b", True),
        ("c", True),
    ]


# The same difference in every topic


def same_difference(topics: int, gain: float = 0.1) -> dict[str, Any]:
    return {"topic": [str(t) for t in range(topics)], "a": [0.1 * t for t in range(topics)]} | {
        "b": [0.1 * t + gain for t in range(topics)]
    }


@pytest.mark.parametrize(("topics", "gain", "kind"), [(2, 0.1, None), (5, 0.1, None), (6, 0.1, True), (6, -0.1, False)])
@pytest.mark.parametrize("test", ["t", "bootstrap", "tukey"])
def test_equal_differences_in_few_topics_are_inconclusive(
    test: str, topics: int, gain: float, kind: bool | None
) -> None:
    """Of 2⁵ signs 2 are as extreme: 2/32 = .0625, and 2/64 = .031 for six topics."""
    study = cf.compare(same_difference(topics, gain), test, require="better")
    assert study.verdict is not None
    assert study.verdict["met"] is kind
    row = study["evidence"].rows()[0]
    assert row["p_adjusted"] == pytest.approx(2.0 ** (1 - topics))
    assert (row["low"] is None) == (topics < 6)
    assert "the same difference in every topic" in study.sentence
    assert ("never significant" in study.sentence) == (topics < 6)


@pytest.mark.parametrize(("topics", "gain", "kind"), [(4, -0.1, None), (5, -0.1, False), (4, 0.1, True)])
def test_no_harm_does_not_pass_with_an_equal_loss_in_every_topic(topics: int, gain: float, kind: bool | None) -> None:
    """One-sided, 1 of 2⁴ signs is .0625, and 1 of 2⁵ is .031."""
    study = cf.compare(same_difference(topics, gain), require="no-harm")
    assert study.verdict is not None
    assert study.verdict["met"] is kind


def test_equal_differences_in_few_topics_are_not_shown_to_be_within_a_margin() -> None:
    options: dict[str, Any] = {"margins": {"score": 0.2}, "require": "not-worse"}
    few, more = (cf.compare(same_difference(topics, -0.1), **options) for topics in (3, 5))
    assert few.verdict is not None
    assert more.verdict is not None
    # The interval has confidence .90: 2/2³ = .25 is above .1, and 2/2⁵ = .0625 is not.
    assert (few.verdict.kind, few.verdict["met"]) == ("inconclusive", None)
    assert (more.verdict.kind, more.verdict["met"]) == ("equivalent", True)
    assert "nan" not in few.verdict["why"]


def test_several_pairs_with_equal_differences_have_a_note() -> None:
    study = cf.compare(same_difference(2) | {"c": [0.3, 0.1]}, baseline="a")
    assert any("1 of 2 pairs have the same difference in every topic" in note for note in study["verdicts"].notes)
    assert [row["verdict"] for row in study["verdicts"].rows()] == ["inconclusive", "inconclusive"]


# No relevant document


@pytest.mark.parametrize("require", ["better", "no-harm", "not-worse", "max-drop P(rel=3)@10 0.1"])
def test_no_relevant_document_decides_nothing(require: str) -> None:
    qrels = {str(t): {"x": 2, "y": 1} for t in range(24)}
    rankings = {"x": 2.0, "y": 1.0}, {"z": 2.0, "y": 1.0}  # each run is ahead in half of the topics
    runs = {name: {t: rankings[(int(t) + side) % 2] for t in qrels} for side, name in enumerate("ab")}
    margins = {"P(rel=3)@10": 0.01}
    study = cf.compare(cf.evaluate(qrels, runs, "P(rel=3)@10"), rel=3, margins=margins, require=require)
    assert study.verdict is not None
    assert (study.verdict.kind, study.verdict["met"]) == ("inconclusive", None)
    assert "no topic has a relevant document" in study.sentence
    assert [row["shown"] for row in study["harm"].rows()] == [False]
    if require != "better":
        assert "no topic has a relevant document" in study.verdict["why"]


def test_identical_runs_are_equivalent_where_documents_are_relevant() -> None:
    qrels = {str(t): {"x": 1} for t in range(25)}
    runs = {name: {t: {"z": 2.0, "y": 1.0} for t in qrels} for name in ("a", "b")}  # neither retrieves x
    study = cf.compare(cf.evaluate(qrels, runs, "P@10"), margins={"P@10": 0.01}, require="not-worse")
    assert study.verdict is not None
    assert (study.verdict.kind, study.verdict["met"]) == ("equivalent", True)
