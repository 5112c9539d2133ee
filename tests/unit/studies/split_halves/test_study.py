"""The study of agreement: what it takes, what it says."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import cranfield as cf
from cranfield.data import draw_splits, write_splits
from cranfield.simulate import Campaign
from cranfield.stats import Agreement

# As tests/unit/stats/reliability/test_split_half.py works it out by hand.
BY_HAND = pl.DataFrame({"a": [1, 1, 1, 1, 1, 1], "b": [2, 3, 2, 2, 2, 0], "c": [1, 2, 0, 0, 0, 3]}) / 10
TWO_SPLITS = "[[[0, 1, 2], [3, 4, 5]], [[0, 1, 5], [2, 3, 4]]]"


@pytest.fixture
def splits(tmp_path: Path) -> Path:
    (tmp_path / "splits.json").write_text(TWO_SPLITS)
    return tmp_path / "splits.json"


def test_the_verdict_holds_the_best_tests(splits: Path) -> None:
    study = cf.agreement(BY_HAND, "sign", splits_from=splits, level=0.3)
    assert study.name == "agreement"
    assert list(study.tables) == ["agreement"]
    assert study.verdict is not None
    assert list(study.verdict) == ["splits", "pairs", "best", "sentence"]
    assert (study.verdict["splits"], study.verdict["pairs"]) == (2, 3)
    assert study.verdict["best"] == []  # no pair is significant in both halves
    # b exceeds a on every topic: each half of three topics has p = 2 / 2³ = .25 with the same winner.
    clear = cf.agreement(BY_HAND.with_columns(b=pl.col("a") + 1)[["a", "b"]], "sign", splits_from=splits, level=0.3)
    assert clear["agreement"].cells("separated") == [1, 1]
    assert clear.verdict is not None
    assert [one["aggregate"] for one in clear.verdict["best"]] == ["mean", "median"]


def test_the_splits_are_those_of_the_seed_or_those_given(tmp_path: Path) -> None:
    scores = pl.DataFrame(np.random.default_rng(3).random((21, 5)))
    drawn = cf.agreement(scores, splits=7, seed=4)
    again = draw_splits(21, 7, seed=4)
    assert cf.agreement(scores, splits_from=again)["agreement"].rows() == drawn["agreement"].rows()
    write_splits(again, tmp_path / "s.json")
    read = cf.agreement(scores, splits_from=str(tmp_path / "s.json"))
    assert read["agreement"].rows() == drawn["agreement"].rows()
    assert cf.agreement(scores, splits=7, seed=5)["agreement"].rows() != drawn["agreement"].rows()
    assert read.made_by is not None
    assert [source.kind for source in read.made_by.inputs] == ["scores", "splits"]
    assert drawn.made_by is not None
    assert ([source.kind for source in drawn.made_by.inputs], drawn.made_by.seed) == (["scores"], 4)


def test_values_of_measures_and_what_their_scale_allows(tmp_path: Path) -> None:
    Campaign(topics=12, groups=2, runs=4, depth=30).write(tmp_path)
    values = cf.evaluate(tmp_path / "qrels.txt", tmp_path / "runs", "AP P@10")
    study = cf.agreement(values, splits=5)
    assert study["agreement"].cells("measure") == ["AP"] * 7 + ["P@10"] * 7
    assert study["agreement"].notes[:1] == (
        "signed-rank, t and the mean need interval numbers; AP is ordinal (ferrante2021). The sign test is safe, and "
        "the median (--aggregate median); --scale ignore silences this",
    )
    for silent in (
        cf.agreement(values, splits=5, scale="ignore"),
        cf.agreement(values, "sign", aggregates=["median"], splits=5, scale="refuse"),
    ):
        assert not [note for note in silent["agreement"].notes if "ordinal" in note]
    with pytest.raises(cf.CranfieldError, match="need interval numbers; AP is ordinal"):
        cf.agreement(values, splits=5, scale="refuse")


def test_draws_are_for_tests_that_draw() -> None:
    scores = pl.DataFrame(np.random.default_rng(3).random((41, 3)))
    study = cf.agreement(scores, ["randomisation(exact='never')", "t"], draws=15, splits=2)
    assert study["agreement"].cells("test") == ["randomisation(draws=15,exact='never')", "t"]
    assert study["agreement"].cells("aggregate") == ["mean", "mean"]
    assert study["agreement"].cells("significant")[0] == 0  # p is 1/16 at least


def test_shares_of_trec_8(shared_data: Path) -> None:
    study = cf.agreement(shared_data / "score-matrices" / "adhoc8_ap.csv", splits=4, seed=1)
    assert study.verdict is not None
    assert study.verdict["pairs"] == 129 * 128 // 2
    rows = {(row["test"], row["aggregate"]): row for row in study["agreement"].rows()}
    assert len(rows) == 7
    for row in rows.values():
        shares = [row[name] for name in Agreement._fields]
        assert all(isinstance(share, float) and 0 <= share <= 1 for share in shares)
        assert sum(shares[:3]) == pytest.approx(1)  # type: ignore[arg-type]  # floats
    for test in ("sign", "rank-sum", "signed-rank"):  # what is significant has nothing to do with the aggregate
        assert rows[test, "mean"]["significant"] == rows[test, "median"]["significant"]
    for aggregate in ("mean", "median"):
        assert len({row["ties"] for (_, other), row in rows.items() if other == aggregate}) == 1
        # Two of the pairs are of identical systems: they tie in every half.
        assert rows["sign", aggregate]["ties"] >= 2 / 8256  # type: ignore[operator]  # a float
    # On the same topics a test that ignores them finds less than one that does not.
    assert rows["rank-sum", "mean"]["significant"] < rows["t", "mean"]["significant"]  # type: ignore[operator]


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"level": 0}, "the level cannot be 0"),
        ({"splits": 0}, "there cannot be 0 splits"),
        ({"tests": "tukey"}, "tukey looks at all pairs at once"),
        ({"tests": "tt"}, "there is no test named 'tt'"),
        ({"aggregates": ["sum"]}, "aggregate cannot be 'sum'"),
        ({"seed": -1}, "the seed -1 is negative"),
        ({"splits_from": draw_splits(7)}, "the splits are of 7 topics, the values of 6"),
    ],
)
def test_refused(settings: dict[str, object], problem: str) -> None:
    with pytest.raises(cf.CranfieldError) as caught:
        cf.agreement(BY_HAND, **settings)  # type: ignore[arg-type]  # wrong on purpose
    assert caught.value.problem == problem
    assert caught.value.hint


def test_too_few_topics_and_runs_are_refused() -> None:
    with pytest.raises(cf.ParameterError, match="3 topics are too few to be split in two"):
        cf.agreement(BY_HAND[:3])
    with pytest.raises(cf.ParameterError, match="there is only one run"):
        cf.agreement(BY_HAND[["a"]])
