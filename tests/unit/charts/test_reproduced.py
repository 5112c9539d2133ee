"""Charts of runs that were made again."""

import pytest

import cranfield as cf
from cranfield.charts import draw
from cranfield.core import ParameterError
from tests.support.rendered_charts import finding

BY_DEPTH = ("original", "run", "depth", "tau", "low", "high", "rbo", "rbo_low", "rbo_high")
COLUMNS = ("original", "run", "measure", "statistic", "value", "low", "high", "p")


def rankings(*rows: tuple[object, ...]) -> cf.Table:
    return cf.Table.from_rows([dict(zip(BY_DEPTH, row, strict=True)) for row in rows], BY_DEPTH)


def statistics(*rows: tuple[object, ...]) -> cf.Table:
    return cf.Table.from_rows([dict(zip(COLUMNS, row, strict=True)) for row in rows], COLUMNS)


DEPTHS = rankings(
    ("theirs", "mine", 5, 0.9, 0.8, 1.0, 0.75, 0.7, 0.8), ("theirs", "mine", 100, 0.5, 0.25, 0.75, 0.6, 0.5, 0.7)
)
PAIRS = statistics(
    ("theirs", "mine", "AP", "rmse", 0.1, None, None, None),
    ("theirs", "mine", "AP", "effect-ratio", 0.75, 0.5, 1.0, None),
    ("theirs", "mine", "AP", "delta-ri", 0.125, 0.1, 0.2, None),
    ("theirs", "mine", "P@10", "effect-ratio", -0.5, None, None, None),
    ("theirs", "mine", "P@10", "delta-ri", 0.5, 0.25, 0.75, None),
)


def test_the_title_says_how_rankings_agree_at_both_ends() -> None:
    said = "mine and theirs: a rank-biased overlap of .75 in the first 5, .60 in the first 100"
    assert finding(DEPTHS, "rankings-by-depth") == said
    alone = rankings(("theirs", "mine", 5, 0.9, None, None, 0.5, None, None))
    assert finding(alone, "rankings-by-depth") == "mine and theirs: a rank-biased overlap of .50 in the first 5"


def test_the_title_says_how_many_improvements_are_there_again() -> None:
    assert (
        finding(PAIRS, "effect-ratio") == "1 of 2 differences to the baseline go the same way again, 0 at least as far"
    )


def test_points_are_ratios_across_and_differences_up() -> None:
    picture = draw(PAIRS, "effect-ratio").to_dict()
    points = next(layer for layer in picture["layer"] if layer["mark"]["type"] == "point")
    rows = points["data"].get("values") or picture["datasets"][points["data"]["name"]]
    assert [(row["measure"], row["ratio"], row["delta"]) for row in rows] == [("AP", 0.75, 0.125), ("P@10", -0.5, 0.5)]


def test_without_an_improvement_there_is_nothing_to_draw() -> None:
    with pytest.raises(ParameterError, match="no improvement was compared"):
        draw(statistics(("theirs", "mine", "AP", "rmse", 0.1, None, None, None)), "effect-ratio")


TABLES = {"rankings-by-depth": DEPTHS, "effect-ratio": PAIRS}
SAID = {
    "rankings-by-depth": {"documents compared", "Kendall's τ union", "rank-biased overlap"},
    "effect-ratio": {"effect ratio", "ΔRI", "AP", "P@10"},
}
