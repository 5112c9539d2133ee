"""The chart of what written answers say, and of what supports them."""

import re
from pathlib import Path

import numpy as np
import pytest

import cranfield as cf
from cranfield.charts import draw
from tests.support.chart_tables.answer_support import SAID, SIMPLE, Shares, support
from tests.support.rendered_charts import finding, rows_of, seen, spec, texts, told


def test_every_chart_is_drawn_with_its_words(tmp_path: Path) -> None:
    svg = seen(SIMPLE, "support", tmp_path)
    assert SAID["support"] <= set(re.findall(r">([^<>]+)</t(?:ext|span)>", svg))


@pytest.mark.parametrize("runs", [1, 20, 129])
def test_few_and_many_runs_are_drawn(runs: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(runs)
    shares: dict[tuple[str, str], Shares] = {}
    for of in ("nuggets", "sentences"):
        for run in range(runs):
            full, partial, none = rng.dirichlet([1, 1, 1]).tolist()
            shares[of, f"run{run}"] = (full, partial, none, None)
    assert "<path" in seen(support(shares), "support", tmp_path)
    assert ("the first 40 of 129 runs" in told(support(shares), "support")) is (runs == 129)
    assert len({row["place"] for row in rows_of(support(shares), "support", "bar")}) == 2 * min(runs, 40)


def test_a_block_stands_below_the_other_and_parts_one_after_the_other() -> None:
    rows = rows_of(SIMPLE, "support", "bar")
    # A head, two runs, a head, two runs, a head, two runs.
    assert [row["place"] for row in rows] == [1, 1, 1, 2, 2, 4, 4, 5, 5, 7, 7, 8, 8, 8, 8]
    assert [(row["part"], row["start"], row["end"]) for row in rows[:3]] == [
        ("in full", 0, 0.5),
        ("in part", 0.5, 0.75),
        ("not", 0.75, 1),
    ]
    assert spec(SIMPLE, "support")["layer"][0]["encoding"]["y"]["scale"]["domain"] == list(range(9))
    assert [row["label"] for row in rows[7:9]] == ["", "99%"]  # no room for one percent


def test_what_no_bar_has_is_not_in_the_legend() -> None:
    without = support({("nuggets", "x"): (0.5, 0.0, 0.5, None)})
    colour = spec(without, "support")["layer"][0]["encoding"]["color"]
    assert colour["scale"]["domain"] == ["in full", "not"]
    assert texts(without, "support")[-1] == "40 nuggets"


def test_titles_describe_the_runs_and_name_none_as_better() -> None:
    assert finding(SIMPLE, "support") == (
        "2 runs: 50% of vital nuggets said in full, 25% to 90% of sentences supported in full"
    )
    one = support({("nuggets", "x"): (0.5, 0.1, 0.4, None), ("sentences", "x"): (0.6, 0.2, 0.2, 0.0)})
    assert finding(one, "support") == "x: 50% of nuggets said in full, 60% of sentences supported in full"
    cited = support({("sentences", run): (0.6, 0.2, 0.2, 0.0) for run in "xyz"})
    assert finding(cited, "support") == "3 runs: 60% of sentences supported in full"
    alone = support({("sentences", "x"): (0.6, 0.2, 0.2, 0.0)}, number=1)
    assert texts(alone, "support")[-1] == "1 sentence"


def test_a_study_draws_it() -> None:
    assigned = {"topic": ["1", "1"], "run": ["x", "y"], "nugget": ["n", "n"], "support": ["full", "none"]}
    study = cf.support(assigned)
    assert study.charts == ("support",)
    assert draw(study, "support").to_dict()["title"]["text"].startswith("2 runs: 0")
