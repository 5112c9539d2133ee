"""A chart becomes a picture with no browser and no network."""

from __future__ import annotations

import io
import re

import altair as alt
import numpy as np
import polars as pl
import pytest
import vl_convert as vlc
from PIL import Image

RUNS = ("bm25", "dense", "fused")


@pytest.fixture
def chart() -> alt.Chart:
    values = pl.DataFrame(
        {
            "run": [run for run in RUNS for _ in range(10)],
            "topic": [str(301 + topic) for _ in RUNS for topic in range(10)],
            "AP": [(7 * i % 11) / 11 for i in range(30)],
        }
    )
    return alt.Chart(values, width=300, height=200).mark_point(filled=True).encode(x="topic", y="AP", color="run")


def test_png_has_the_colours_of_its_runs(chart: alt.Chart) -> None:
    picture = np.asarray(Image.open(io.BytesIO(vlc.vegalite_to_png(chart.to_json(), scale=2))).convert("RGB"))
    assert picture.shape[1] > 600
    colours, pixels = np.unique(picture.reshape(-1, 3), axis=0, return_counts=True)
    vivid = colours.max(axis=1) - colours.min(axis=1) > 60
    assert (vivid & (pixels > 100)).sum() >= len(RUNS)


def test_svg_has_a_mark_for_each_value(chart: alt.Chart) -> None:
    svg = vlc.vegalite_to_svg(chart.to_json())
    assert len(re.findall(r'aria-roledescription="point"', svg)) == 30
    assert all(run in svg for run in RUNS)
    assert "<script" not in svg
