"""Tables for the charts of click models."""

from typing import Any

import cranfield as cf

COLUMNS = ("model", "rank", "impressions", "observed", "low", "high", "predicted", "examined")


def ranks(*models: str, deep: int = 4, rates: tuple[str, ...] = ("RCTR",)) -> cf.Table:
    """Ranks that are clicked half as often as the one above, beginning with .4; the n-th model expects n % more."""
    rows = []
    for place, model in enumerate(models):
        for rank in range(1, deep + 1):
            clicks = 0.4 / 2 ** (rank - 1)
            row: dict[str, Any] = {"model": model, "rank": rank, "impressions": 1000, "observed": clicks}
            row |= {"low": 0.9 * clicks, "high": 1.1 * clicks, "predicted": clicks * (1 + place / 100)}
            rows.append(row | {"examined": None if model in rates else 0.8 ** (rank - 1)})
    return cf.Table.from_rows(rows, COLUMNS)


TABLES = {"click-curves": ranks("PBM", "RCTR", "DBN"), "examination": ranks("RCTR", "PBM", "DBN")}

SAID = {
    "click-curves": {"rank", "impressions with a click there", "PBM", "RCTR", "DBN"},
    "examination": {"rank", "users who look at the rank", "PBM", "DBN"},
}
