"""Checks of an interleaving log: whether every document is where its method puts it, with a run to credit."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from cranfield.core import ParameterError
from cranfield.data import Log
from cranfield.online.experiments.sample_ratio_checks import Check
from cranfield.online.logs.click_checks import OF_CLICKS, times_without_click_check
from cranfield.online.logs.rank_checks import page_groups, pages_of_rows, rank_gaps_check

from .base import Interleaving, parse_interleaving
from .click_credits import RANK, WORTH
from .credits_on_engines import PAIR, pages_of_method, team_names
from .optimised import Optimised
from .team_checks import (
    MAX_SHARE,
    check_team_shares,
    check_teams,
    check_turns,
    one_row,
    percent,
    share_check,
)
from .team_draft import TeamDraft

ROUNDED = 0.0051  # by which a worth may be wrong: logs may round it to two decimals
DRAFT, BALANCED, PROBABILISTIC = "team-draft", "balanced", "probabilistic"


def credit_checks(log: Log, *, method: str | None = None) -> tuple[Check, ...]:
    """Check that pages are complete, that credit is known, and that teams are where the method puts them.

    ``method`` selects pages as in ``read_credits``. A log of teams without a method is taken for one of team draft.
    The checks of a method are made for that method only: teams alternate by rounds in team draft, and every team is
    as likely at each rank in team draft and probabilistic interleaving, and at rank 1 in balanced interleaving.
    """
    rows, made_by = pages_of_method(log, method)
    made = _parsed(made_by)
    name = made.name if made else ""
    teams = team_names(log, rows) if "team" in rows.columns else ()
    checks = [_ranks(log, rows), _known_credit(log, rows)]
    if log.known.intersection(OF_CLICKS):
        checks.append(times_without_click_check(log))
    if made and made_by:
        checks += _credit_sizes(log, rows, made)
    if len(teams) < PAIR:
        return tuple(checks)
    checks += check_teams(log, rows)
    if name == DRAFT:
        checks.append(check_turns(log, rows, teams, named=bool(made_by)))
    if name in (DRAFT, BALANCED, PROBABILISTIC):
        checks.append(check_team_shares(log, rows if name != BALANCED else rows.filter(rows["rank"] == 1), teams))
        checks += _matching_credit(log, rows, teams, name)
    return tuple(checks)


def _parsed(method: str) -> Interleaving | None:
    """Return a method by its name, None where it is not one of ours."""
    try:
        return parse_interleaving(method or DRAFT)
    except ParameterError:
        return None


def _ranks(log: Log, rows: Any) -> Check:
    """Check that the ranks of each page have no gaps and that no rank above them is missing.

    A page may be the second or a later page of a search, such as ranks 11 to 20. Its first rank is then 1 plus a
    multiple of a page length. A page length is a number of documents that many pages have that start at rank 1 without
    gaps: on a page whose top ranks are lost, fewer ranks are missing.
    """
    groups = page_groups(log, pages_of_rows(rows))
    return rank_gaps_check(groups, sum(log.excluded.pages_with_gaps.values()))


def _known_credit(log: Log, rows: Any) -> Check:
    """Check that every document has a run to credit.

    In a log of teams, documents above the first with a team may have none: with them all runs begin alike.
    """
    what, columns = _credited_by(log, rows)
    counts: dict[str, Any] = {f"known_{i}": rows[name].count() for i, name in enumerate(columns)}
    if what == "rank":  # a document needs one in any of the runs
        counts = {"known_0": _any_known(rows, columns).cast("int64").sum()}
    first = rows["rank"].min(where=_any_known(rows, columns))
    pages = rows.group_by("impression").aggregate(n=rows.count(), top=rows["rank"].min(), first=first, **counts)
    above = (pages["first"] - pages.top).fill_null(0) if what == "team" else 0
    lacking = _lacking(pages, list(counts), PAIR if what == "worth" else 1) - above
    sums = pages.aggregate(rows=pages.n.sum(), lacking=(lacking > 0).ifelse(lacking, 0).sum())
    found = one_row(log, sums)
    share = found["lacking"] / max(1, found["rows"])
    detail = f"{percent(share)} of the documents have no {what if what == 'team' else f'{what} of a run'}"
    if share > MAX_SHARE:
        detail += _below(log, rows, _any_known(rows, columns))
    return share_check("known credit", share, detail)


def _credited_by(log: Log, rows: Any) -> tuple[str, list[str]]:
    """Return what credits a run, and in which columns it is: worth, ranks in the runs, or the team."""
    worth = [name for name in rows.columns if name.startswith(WORTH)]
    ranks = [name for name in rows.columns if name.startswith(RANK)]
    if not worth:
        return "team", ["team"]
    counts = one_row(log, rows.aggregate(**{f"n{i}": rows[name].count() for i, name in enumerate(worth)}))
    return ("worth", worth) if any(counts.values()) or not ranks else ("rank", ranks)


def _lacking(pages: Any, counts: Sequence[str], least: int) -> Any:
    """Return how many documents of each page lack credit of a run; a run without any on a page is not on it.

    All of them lack it on a page with fewer runs than ``least``.
    """
    lacking, on_page = 0 * pages.n, 0 * pages.n
    for name in counts:
        missing = (pages[name] > 0).ifelse(pages.n - pages[name], 0)
        lacking = (missing > lacking).ifelse(missing, lacking)
        on_page = on_page + (pages[name] > 0).cast("int64")
    return (on_page >= least).ifelse(lacking, pages.n)


def _any_known(rows: Any, names: Sequence[str]) -> Any:
    known = rows[names[0]].notnull()
    for name in names[1:]:
        known = known | rows[name].notnull()
    return known


def _below(log: Log, rows: Any, known: Any) -> str:
    """Return the rank below which no document has credit, as a clause; "" if there is no such rank."""
    found = one_row(log, rows.aggregate(deepest=rows["rank"].max(), known=rows["rank"].max(where=known)))
    return f", and none below rank {found['known']} has one" if 0 < found["known"] < found["deepest"] else ""


def _credit_sizes(log: Log, rows: Any, method: Interleaving) -> list[Check]:
    """Check that the worth of each document is what its method gives: in total 1, or by its rank in each run.

    With ``common='none'`` a team draft gives nothing where all runs have the document at the same rank.
    """
    what, names = _credited_by(log, rows)
    ranks = [RANK + name.removeprefix(WORTH) for name in names]
    if what != "worth" or not (isinstance(method, Optimised | TeamDraft) or method.name == PROBABILISTIC):
        return []
    known = _any_known(rows, names)
    if isinstance(method, Optimised):
        wrong = _differs_from_rank(rows, zip(names, ranks, strict=True), method)
    else:
        total = sum((rows[name].fill_null(0.0) for name in names[1:]), start=rows[names[0]].fill_null(0.0))
        wrong = (total - 1).abs() > ROUNDED * len(names)
        if isinstance(method, TeamDraft) and method.common == "none":
            wrong = wrong & ~((total == 0) & _same_ranks(rows, ranks))
    counts = {"n": known.cast("int64").sum(), "wrong": (known & wrong).fill_null(False).cast("int64").sum()}
    totals = one_row(log, rows.aggregate(**counts))
    share = totals["wrong"] / max(1, totals["n"])
    detail = f"{percent(share)} of the documents have another worth than {method} gives"
    return [share_check("size of credit", share, detail)]


def _differs_from_rank(rows: Any, columns: Iterable[tuple[str, str]], method: Optimised) -> Any:
    """Return where a worth is not that of the rank in the run; where no rank is known, it may be anything but 0."""
    import ibis

    wrong = ibis.literal(False)
    for worth, rank in columns:
        wrong = wrong | (rows[worth] == 0).fill_null(False)
        if rank in rows.columns:
            place = rows[rank].cast("float64")
            expected = 1 / place if method.by == "inverse-rank" else -place
            wrong = wrong | ((rows[worth] - expected).abs() > ROUNDED).fill_null(False)
    return wrong


def _same_ranks(rows: Any, ranks: Sequence[str]) -> Any:
    """Return where a document has the same rank in all runs that have it; True where no ranks are logged."""
    import ibis

    same = ibis.literal(True)
    there = [name for name in ranks if name in rows.columns]
    for a, b in pairwise(there):
        same = same & (rows[a] == rows[b]).fill_null(rows[a].isnull() & rows[b].isnull())
    return same


def _matching_credit(log: Log, rows: Any, teams: Sequence[str], name: str) -> list[Check]:
    """Check that a document is in the run of its team, and in a team draft credits only this run."""
    import ibis

    wrong = ibis.literal(False)
    compared = False
    for team in teams:
        own, rank, worth = rows["team"] == team, RANK + team, WORTH + team
        if rank in rows.columns:
            compared, wrong = True, wrong | (own & rows[rank].isnull())
        if name == DRAFT and worth in rows.columns:
            compared, wrong = True, wrong | (~own & (rows[worth].fill_null(0.0) != 0))
        if name == PROBABILISTIC and worth in rows.columns and rank in rows.columns:
            wrong = wrong | (rows[rank].isnull() & (rows[worth].fill_null(0.0) > 0))
    if not compared:
        return []
    counted = {"n": rows["team"].count(), "wrong": wrong.fill_null(False).cast("int64").sum()}
    found = one_row(log, rows.aggregate(**counted))
    share = found["wrong"] / max(1, found["n"])
    detail = f"{percent(share)} of the documents credit a run that did not place them"
    return [share_check("credit of the own team", share, detail)]
