"""Read the click credit of each run from an interleaving log, summed by its database engine."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
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
    rows, method = pages_of_method(log, method)
    runs = tuple(name.removeprefix(WORTH) for name in rows.columns if name.startswith(WORTH))
    if not runs:
        log.require("team", why=WHY)
        teams = team_names(log, rows)
        _check_teams(teams)
        clicked = rows.clicked.cast("float64")
        credits = [clicked.sum(where=rows.team == team).fill_null(0.0) for team in teams]
        shares = [rows.team.count(where=rows.team == team) for team in teams]
        return method, _credits_of_pairs(log, rows, teams, credits, shares)
    _check_cases(log, rows)
    if not log.fetch(rows.aggregate(known=rows[WORTH + runs[0]].count() + rows[WORTH + runs[-1]].count()))["known"][0]:
        return method, (logged_credits(_cells(log.fetch(rows))),)
    worth = [rows[WORTH + run] for run in runs]
    credits = [one.sum(where=rows.clicked).fill_null(0.0) for one in worth]
    return method, _credits_of_pairs(log, rows, runs, credits, [one.count() for one in worth])


def pages_of_method(log: Log, method: str | None) -> tuple[Any, str]:
    """Return the documents of the pages that one method made, and its name."""
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


def team_names(log: Log, rows: Any) -> tuple[str, ...]:
    """Return the names of the teams."""
    return tuple(sorted(one for one in log.fetch(rows.select("team").distinct())["team"] if one))


def _check_teams(teams: Sequence[str]) -> None:
    if len(teams) < PAIR:
        raise ParameterError(
            f"the log has documents of {len(teams)} team{'s' * (len(teams) != 1)}",
            hint="an interleaving has pages that two runs or more share",
        )


def _check_cases(log: Log, rows: Any) -> None:
    """Refuse runs whose names differ only by case: database engines cannot tell their columns apart."""
    names: dict[str, str] = {}
    for team in team_names(log, rows) if "team" in rows.columns else ():
        other = names.setdefault(team.casefold(), team)
        if other != team:
            hint = f"rename one of them in the log, or leave out the columns {WORTH}... and rank_..."
            raise ParameterError(f"the names of the runs {other} and {team} differ only by case", hint=hint)


def _cells(columns: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Columns as they are logged: none where there is no number."""
    plain = {name: np.asarray(cells, dtype=object).tolist() for name, cells in columns.items()}
    return {name: [None if cell != cell else cell for cell in cells] for name, cells in plain.items()}


def _credits_of_pairs(
    log: Log, rows: Any, runs: Sequence[str], credits: Sequence[Any], shares: Sequence[Any]
) -> tuple[Credits, ...]:
    """Return the credits of all pages, or pair by pair where no page is shared by more than two runs.

    Columns are numbered, because engines ignore the case of a name. ``shares`` counts the documents of each run.
    """
    columns = {f"credit_{i}": one for i, one in enumerate(credits)} | {f"shares_{i}": n for i, n in enumerate(shares)}
    pages = rows.group_by("impression").aggregate(user=rows.user.min(), **columns).order_by("impression")
    table = log.fetch(pages)
    every = replace(Credits.from_columns(table), runs=tuple(runs))
    shared = np.column_stack([table[f"shares_{i}"] for i in range(len(runs))]) > 0
    if len(runs) == PAIR or shared.sum(axis=1).max() > PAIR:
        return (every,)
    found = []
    for pair in combinations(range(len(runs)), PAIR):
        both = shared[:, pair].all(axis=1)
        if both.any():
            names = tuple(runs[run] for run in pair)
            user = np.unique(every.user[both], return_inverse=True)[1]
            found.append(Credits(names, user, every.credit[both][:, pair]))
    return tuple(found)
