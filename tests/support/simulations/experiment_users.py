"""Simulated users of an online experiment."""

from typing import Any

import numpy as np
import polars as pl

from cranfield.core import Table, generator


def users(n: int = 400, *, effect: float = 0.0, seed: int = 1, arms: tuple[str, ...] = ("a", "b")) -> pl.DataFrame:
    """One row for each user: impressions, clicks, the same before the experiment, and whether something was bought."""
    random = generator(seed, "users")
    arm = random.integers(len(arms), size=n)
    habit = random.gamma(2.0, 1.0, n)
    before = random.poisson(5 * habit) + 1
    impressions = random.poisson(5 * habit) + 1
    rate = np.clip(random.beta(2, 4, n) * (1 + effect * arm), 0, 1)
    columns: dict[str, Any] = {
        "user": [f"u{place}" for place in range(n)],
        "arm": [arms[one] for one in arm],
        "impressions": impressions,
        "clicks": random.binomial(impressions, rate),
        "impressions_before": before,
        "clicks_before": random.binomial(before, rate / (1 + effect * arm)),
        "bought": random.random(n) < 0.3,
    }
    return pl.DataFrame(columns)


def rows(table: Table) -> list[dict[str, Any]]:
    """The rows of a table, whatever their cells hold."""
    return list(table.rows())
