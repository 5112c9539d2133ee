"""Charts of runs that were made again."""

import pytest

from cranfield.charts import draw
from cranfield.core import ParameterError
from tests.support.chart_tables.reproductions import (
    DEPTHS,
    PAIRS,
    rankings,
    statistics,
)
from tests.support.rendered_charts import finding


def test_the_title_says_how_rankings_agree_at_both_ends() -> None:
    said = "mine and theirs: a rank-biased overlap of .75 in the first 5, .60 in the first 100"
    assert finding(DEPTHS, "rankings-by-depth") == said
    alone = rankings(("theirs", "mine", 5, 0.9, None, None, 0.5, None, None))
    assert finding(alone, "rankings-by-depth") == "mine and theirs: a rank-biased overlap of .50 in the first 5"


def test_the_title_says_how_many_improvements_are_there_again() -> None:
    assert finding(PAIRS, "effect-ratio") == "1 of 2 differences to the baseline keep their sign; at least as large: 0"


def test_points_are_ratios_across_and_differences_up() -> None:
    picture = draw(PAIRS, "effect-ratio").to_dict()
    points = next(layer for layer in picture["layer"] if layer["mark"]["type"] == "point")
    rows = points["data"].get("values") or picture["datasets"][points["data"]["name"]]
    assert [(row["measure"], row["ratio"], row["delta"]) for row in rows] == [("AP", 0.75, 0.125), ("P@10", -0.5, 0.5)]


def test_without_an_improvement_there_is_nothing_to_draw() -> None:
    with pytest.raises(ParameterError, match="no improvement was compared"):
        draw(statistics(("theirs", "mine", "AP", "rmse", 0.1, None, None, None)), "effect-ratio")
