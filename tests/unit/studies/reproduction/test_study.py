"""Runs that were made again beside their originals."""

from math import sqrt
from typing import Any

import pytest

import cranfield as cf
from cranfield.core import ParameterError

# One relevant document a topic; its rank in each run gives RR.
TOPICS = ("1", "2", "3", "4")
QRELS = {topic: {"r": 1} for topic in TOPICS}
BASE, ADVANCED = (4, 4, 2, 2), (2, 2, 1, 1)  # mean RR 3/8 and 6/8
AGAIN_BASE, AGAIN = (4, 4, 4, 2), (2, 2, 2, 1)  # 5/16 and 5/8


def run(ranks: tuple[int, ...]) -> dict[str, dict[str, float]]:
    """A run of five documents, the relevant one at these ranks."""
    return {
        topic: {("r" if rank == place else f"x{place}"): -float(place) for place in range(1, 6)}
        for topic, rank in zip(TOPICS, ranks, strict=True)
    }


def told(study: cf.Study) -> dict[tuple[Any, ...], dict[str, Any]]:
    return {(row["run"], row["measure"], row["statistic"]): row for row in study["reproduce"].rows()}


def test_a_pair_beside_the_original_pair() -> None:
    originals = {"base": run(BASE), "advanced": run(ADVANCED)}
    study = cf.reproduce(QRELS, {"b": run(AGAIN_BASE), "a": run(AGAIN)}, "RR", originals=originals, draws=500)
    found = told(study)
    # Improvements of 3/8 and 5/16; relative ones of 1 and 1.
    assert found["a", "RR", "effect-ratio"]["value"] == pytest.approx((5 / 16) / (3 / 8))
    assert found["a", "RR", "delta-ri"]["value"] == pytest.approx(0)
    assert found["a", "RR", "difference"]["value"] == pytest.approx(5 / 8 - 6 / 8)
    assert found["a", "RR", "rmse"]["value"] == pytest.approx(sqrt(0.5**2 / 4))
    assert found["b", "RR", "rmse"]["value"] == pytest.approx(sqrt(0.25**2 / 4))
    assert found["a", "RR", "effect-ratio"]["original"] == "advanced"
    assert study.charts == ("rankings-by-depth", "effect-ratio")
    assert "0.83 times as far from its baseline as the original" in study.sentence
    assert [one.kind for one in study.made_by.inputs] == ["qrels", *["run"] * 4]  # type: ignore[union-attr]


def test_an_original_that_improves_on_nothing_is_told() -> None:
    originals, runs = {"base": run(ADVANCED), "advanced": run(BASE)}, {"b": run(AGAIN_BASE), "a": run(AGAIN)}
    note = "advanced does not improve on base in RR, ESL: what is compared there is a loss"
    study = cf.reproduce(QRELS, runs, "RR ESL", originals=originals, draws=100)  # a longer search is worse
    assert note in study["reproduce"].notes
    better = {"base": run(BASE), "advanced": run(ADVANCED)}
    assert "improve" not in " ".join(
        cf.reproduce(QRELS, runs, "RR", originals=better, draws=100)["reproduce"].notes[:1]
    )


def test_the_same_run_is_the_same_run() -> None:
    study = cf.reproduce(QRELS, {"two": run(BASE)}, "RR", originals={"one": run(BASE)}, draws=100)
    found = told(study)
    assert (found["two", None, "tau-union"]["value"], found["two", None, "rbo"]["value"]) == (1, pytest.approx(1))
    assert (found["two", "RR", "rmse"]["value"], found["two", "RR", "difference"]["p"]) == (0, 1)
    assert study.charts == ("rankings-by-depth",)


def test_rankings_are_compared_at_several_depths() -> None:
    study = cf.reproduce(QRELS, {"two": run(AGAIN)}, "RR", originals={"one": run(BASE)}, draws=100)
    rows = study["by_depth"].rows()
    assert [row["depth"] for row in rows] == [5]  # no ranking is longer
    found = told(study)["two", None, "tau-union"]
    assert (rows[0]["tau"], rows[0]["low"]) == (found["value"], found["low"])


def test_other_topics_have_means_alone() -> None:
    elsewhere = {f"n{topic}": {"r": 1} for topic in TOPICS}
    runs = {
        name: {f"n{topic}": row for topic, row in run(ranks).items()}
        for name, ranks in (("b", AGAIN_BASE), ("a", AGAIN))
    }
    originals = {"base": run(BASE), "advanced": run(ADVANCED)}
    study = cf.reproduce(QRELS, runs, "RR", originals=originals, replicated=elsewhere, draws=500)
    assert {statistic for _, _, statistic in told(study)} == {"difference", "effect-ratio", "delta-ri"}
    assert told(study)["a", "RR", "effect-ratio"]["value"] == pytest.approx(5 / 6)
    assert list(study.tables) == ["reproduce"]
    assert "Welch" in study.sentence


def test_an_improvement_that_may_be_none_has_no_interval() -> None:
    originals = {"base": run((2, 1, 2, 1)), "advanced": run((1, 2, 1, 1))}  # up twice, down once
    study = cf.reproduce(QRELS, {"b": run(BASE), "a": run(ADVANCED)}, "RR", originals=originals, draws=500)
    row = told(study)["a", "RR", "effect-ratio"]
    assert (row["low"], row["high"]) == (None, None)
    assert row["value"] == pytest.approx((3 / 8) / (1 / 8))
    assert any("may be none at all" in note for note in study["reproduce"].notes)


def test_topics_of_one_run_alone_are_told() -> None:
    short = {topic: row for topic, row in run(BASE).items() if topic != "4"}
    study = cf.reproduce(QRELS, {"two": short}, "RR", originals={"one": run(BASE)}, draws=100)
    assert "1 topic is in one or two alone: their rankings are not compared" in study["reproduce"].notes
    assert told(study)["two", "RR", "rmse"]["value"] == pytest.approx(sqrt(0.5**2 / 4))  # there it counts as 0


@pytest.mark.parametrize(
    ("originals", "runs", "said"),
    [
        (("a", "b", "c"), ("a",), "3 originals"),
        (("a", "b"), ("c",), "1 runs do not"),
    ],
)
def test_runs_that_do_not_go_with_their_originals_are_refused(
    originals: tuple[str, ...], runs: tuple[str, ...], said: str
) -> None:
    first, second = ({name: run(BASE) for name in names} for names in (originals, runs))
    with pytest.raises(ParameterError, match=said):
        cf.reproduce(QRELS, second, "RR", originals=first)


def test_the_seed_decides_the_draws() -> None:
    ends = [
        told(cf.reproduce(QRELS, {"r": run(AGAIN)}, "RR", originals={"o": run(BASE)}, draws=50, seed=seed))[
            "r", "RR", "rmse"
        ]
        for seed in (1, 1, 2)
    ]
    assert ends[0] == ends[1]
    assert ends[0]["value"] == ends[2]["value"]
