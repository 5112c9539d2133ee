"""Read the click credit of each run from an interleaving log, summed by its database engine."""

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from cranfield.core import ParameterError
from cranfield.data import Log

from .click_credits import WORTH, logged_credits
from .tables import Credits

FURTHER = {"method": "text", "chance": "number", "rank_": "whole", WORTH: "number"}
"""The columns that pages of ``Interleaved.rows`` have beside those of every log, for ``read_log(further=…)``."""

WHY = "an interleaving"
PAIR = 2


def read_credits(log: Log, *, method: str | None = None) -> tuple[str, tuple[Credits, ...]]:
    """How pages were made, and what clicks gave the runs that shared them.

    All pages together, if more than two runs share one; otherwise those of each pair of runs by themselves. Where pages
    of several methods are in the log, ``method`` says which of them count. A log that has teams only is read as one of
    team draft: a click counts for the run whose document it is.
    """
    log.require("user", why=WHY)
    rows, method = _of_method(log, method)
    runs = tuple(name.removeprefix(WORTH) for name in rows.columns if name.startswith(WORTH))
    if not runs:
        log.require("team", why=WHY)
        return method, _pairs(_by_team(log, rows))
    if not log.fetch(rows.aggregate(known=rows[WORTH + runs[0]].count() + rows[WORTH + runs[-1]].count()))["known"][0]:
        return method, (logged_credits(_cells(log.fetch(rows))),)
    worth = {run: rows[WORTH + run] for run in runs}
    sums = {f"credit_{run}": one.sum(where=rows.clicked).fill_null(0.0) for run, one in worth.items()}
    shares = {f"shares_{run}": one.count() for run, one in worth.items()}
    return method, _pairs(log.fetch(_of_page(rows, sums | shares)))


def _of_method(log: Log, method: str | None) -> tuple[Any, str]:
    """The pages that one method made, and its name."""
    rows = log.documents
    if "method" not in log.known:
        return rows, method or ""
    there = sorted(one for one in log.fetch(rows.select("method").distinct())["method"] if one)
    if method is None and len(there) > 1:
        hint = f"choose one: {', '.join(there)}"
        raise ParameterError(f"the log holds pages of {len(there)} methods", hint=hint)
    wanted = method or (there[0] if there else "")
    if there and wanted not in there:
        raise ParameterError(f"no page of the log was made by {wanted}", hint=f"there are: {', '.join(there)}")
    return (rows.filter(rows.method == wanted) if there else rows), wanted


def _by_team(log: Log, rows: Any) -> dict[str, Any]:
    """The columns of credits: clicks on the documents of each team, page by page."""
    teams = sorted(one for one in log.fetch(rows.select("team").distinct())["team"] if one)
    if len(teams) < PAIR:
        raise ParameterError(
            f"the log has documents of {len(teams)} team{'s' * (len(teams) != 1)}",
            hint="an interleaving has pages that two runs or more share",
        )
    clicked = rows.clicked.cast("float64")
    sums = {f"credit_{team}": clicked.sum(where=rows.team == team).fill_null(0.0) for team in teams}
    shares = {f"shares_{team}": rows.team.count(where=rows.team == team) for team in teams}
    return log.fetch(_of_page(rows, sums | shares))


def _cells(columns: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Columns as they are logged: none where there is no number."""
    plain = {name: np.asarray(cells, dtype=object).tolist() for name, cells in columns.items()}
    return {name: [None if cell != cell else cell for cell in cells] for name, cells in plain.items()}


def _of_page(rows: Any, columns: Mapping[str, Any]) -> Any:
    pages = rows.group_by("impression").aggregate(user=rows.user.min(), **columns)
    return pages.order_by("impression")


def _pairs(columns: Mapping[str, Any]) -> tuple[Credits, ...]:
    """The credits of all pages, or pair by pair where no page is shared by more than two runs."""
    every = Credits.from_columns(columns)
    shares = np.column_stack([columns[f"shares_{run}"] for run in every.runs]) > 0
    if len(every.runs) == PAIR or shares.sum(axis=1).max() > PAIR:
        return (every,)
    found = []
    for pair in combinations(range(len(every.runs)), PAIR):
        both = shares[:, pair].all(axis=1)
        if both.any():
            names = tuple(every.runs[run] for run in pair)
            user = np.unique(every.user[both], return_inverse=True)[1]
            found.append(Credits(names, user, every.credit[both][:, pair]))
    return tuple(found)
