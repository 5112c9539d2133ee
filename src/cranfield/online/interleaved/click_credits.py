"""Credit of each run for clicks, per impression, from the columns of an interleaving log."""

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError

from .base import FIXED, Interleaved
from .tables import Credits

Numbers: TypeAlias = NDArray[np.float64]
WANTED = ("impression", "user", "clicked")
WORTH, RANK = "worth_", "rank_"


def logged_credits(log: Mapping[str, Any]) -> Credits:
    """What clicks gave each run, impression by impression, from the columns of a log.

    The log has the rows of ``Interleaved.rows``, with columns user and clicked. Of a log that was made elsewhere the
    columns impression, user, clicked and team are enough: a click then counts for the team of the document.
    """
    missing = [name for name in WANTED if name not in log]
    if missing:
        raise ParameterError(f"there is no column {missing[0]!r}", hint=f"a log has {', '.join(WANTED)}, and team")
    if len({len(column) for column in log.values()}) > 1:
        raise ParameterError("columns differ in length", hint="give one row for each document shown")
    if not len(log["impression"]):
        raise ParameterError("there is no impression", hint="give one row for each document shown")
    runs = tuple(name.removeprefix(WORTH) for name in log if name.startswith(WORTH))
    if not runs:
        return _summed(log, *_teams(log))
    if len(set(log.get("method", ()))) > 1:
        raise ParameterError("the log holds pages of several methods", hint="count the pages of each by themselves")
    worth = np.column_stack([np.asarray(log[WORTH + run], dtype=float) for run in runs])
    return _together(log, runs) if np.isnan(worth).all() else _summed(log, runs, worth)


def _teams(log: Mapping[str, Any]) -> tuple[tuple[str, ...], Numbers]:
    """The teams, and (row, team): whether the document is the team's."""
    if "team" not in log:
        raise ParameterError(
            "nothing says whose a document is", hint="give a column team, or those of Interleaved.rows"
        )
    teams = tuple(sorted({team for team in log["team"] if team is not None}))
    if len(teams) < 2:
        raise ParameterError(f"the log has {len(teams)} teams", hint="give impressions that two runs share")
    return teams, (np.asarray(log["team"], dtype=object)[:, np.newaxis] == np.array(teams, dtype=object)).astype(float)


def _summed(log: Mapping[str, Any], runs: tuple[str, ...], worth: Numbers) -> Credits:
    """What each click alone is worth, summed over the clicks of an impression."""
    number, user = _impressions(log)
    clicked = np.asarray(log["clicked"]).astype(bool)
    gained = [np.bincount(number, np.where(clicked, one, 0.0), len(user)) for one in worth.T]
    return Credits(runs, user, np.column_stack(gained)).checked()


def _together(log: Mapping[str, Any], runs: tuple[str, ...]) -> Credits:
    """What all clicks of an impression are worth together, page by page."""
    number, user = _impressions(log)
    names = [*FIXED, *(kind + run for kind in (RANK, WORTH) for run in runs)]
    lacking = [name for name in names if name not in log]
    if lacking:
        raise ParameterError(f"there is no column {lacking[0]!r}", hint="give all that Interleaved.rows made")
    order = np.argsort(number, kind="stable")
    columns = [np.asarray(log[name], dtype=object)[order] for name in (*names, "clicked")]
    ends = np.flatnonzero(np.diff(number[order])) + 1
    credit = []
    for part in zip(*(np.split(column, ends) for column in columns), strict=True):
        rows = [dict(zip((*names, "clicked"), row, strict=True)) for row in zip(*part, strict=True)]
        page = Interleaved.from_rows(rows)
        credit.append(page.credit(row["rank"] for row in rows if row["clicked"]))
    return Credits(runs, user, np.array(credit)).checked()


def _impressions(log: Mapping[str, Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(row,): the number of its impression; (impression,): the number of its user."""
    _, start, number = np.unique(np.asarray(log["impression"]), return_index=True, return_inverse=True)
    user = np.unique(np.asarray(log["user"]), return_inverse=True)[1].ravel()
    if (user != user[start][number.ravel()]).any():
        raise ParameterError("an impression has two users", hint="give every impression a name of its own")
    return number.ravel(), user[start]
