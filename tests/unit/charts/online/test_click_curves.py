"""Charts of click models: clicks by rank, and examination."""

from pathlib import Path

import pytest

from cranfield.charts import draw
from cranfield.charts.online.click_curves import DEEP, MOST
from cranfield.core import ParameterError
from tests.support.chart_tables.click_curves import TABLES, ranks
from tests.support.rendered_charts import finding, marks, rows_of, seen, told

ODD = "\x1b[31m</script>{}\n\u202e{{}}"


def test_clicks_that_were_seen_stand_beside_those_expected() -> None:
    table = TABLES["click-curves"]
    said = "Rank 1 is clicked in 40.0% of 1,000 impressions, rank 4 in 5.0%"
    assert finding(table, "click-curves") == said
    lines = rows_of(table, "click-curves", "line")
    assert [row["y"] for row in lines if row["model"] == "DBN"] == pytest.approx([0.408, 0.204, 0.102, 0.051])
    bars = rows_of(table, "click-curves", "rule")
    assert [(row["low"], row["high"]) for row in bars] == [(0.9 * c, 1.1 * c) for c in (0.4, 0.2, 0.1, 0.05)]
    assert [row["observed"] for row in rows_of(table, "click-curves", "tick")] == [0.4, 0.2, 0.1, 0.05]


def test_rates_have_no_line_of_examination() -> None:
    table = TABLES["examination"]
    assert {row["model"] for row in rows_of(table, "examination", "line")} == {"PBM", "DBN"}
    said = "By PBM, of those who look at rank 1, 80% look at rank 2 and 51% look at rank 4"  # .8³ = .512
    assert finding(table, "examination") == said
    with pytest.raises(ParameterError, match="nothing to draw"):
        draw(ranks("RCTR"), "examination")


def test_one_model_and_one_rank() -> None:
    table = ranks("PBM", deep=1)
    assert finding(table, "click-curves") == "Rank 1 is clicked in 40.0% of 1,000 impressions"
    assert finding(table, "examination").endswith("none can look further")


def test_many_models_and_ranks_are_cut(tmp_path: Path) -> None:
    table = ranks(*(f"PBM(b={n})" for n in range(8)), deep=40)
    lines = rows_of(table, "click-curves", "line")
    assert len({row["model"] for row in lines}) == MOST
    assert max(row["rank"] for row in lines) == DEEP
    assert told(table, "click-curves").endswith(f"the first {MOST} of 8 models")
    for name in TABLES:
        seen(table, name, tmp_path)


@pytest.mark.parametrize("name", list(TABLES))
def test_odd_names_do_no_harm(name: str, tmp_path: Path) -> None:
    svg = seen(ranks(ODD, "PBM"), name, tmp_path)
    assert "</script>" not in svg
    assert len(marks(ranks(ODD, "PBM"), name)) >= 2
