"""The number of impressions and rows of the large log that Spark reads."""

from __future__ import annotations

from tests.support.run_size import SIZE

PAGES, ROWS = (160_000, 1_000_000) if SIZE.name == "full" else (40_000, 250_000)
