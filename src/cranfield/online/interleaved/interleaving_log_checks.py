"""Checks of an interleaving log: whether every document is where its method puts it, with a run to credit."""

from collections.abc import Sequence
from itertools import combinations
from math import exp, nan
from typing import Any

from cranfield.core import ParameterError
from cranfield.data import Log
from cranfield.online.experiments.sample_ratio_checks import ALARM, Check

from .base import parse_interleaving
from .click_credits import RANK, WORTH
from .credits_on_engines import PAIR, pages_of_method, team_names

MAX_SHARE = 0.01  # of pages or rows that may be damaged before a log is not trusted
DRAFT, BALANCED, PROBABILISTIC = "team-draft", "balanced", "probabilistic"


def credit_checks(log: Log, *, method: str | None = None) -> tuple[Check, ...]:
    """Check that pages are complete, that credit is known, and that teams are where the method puts them.

    ``method`` selects pages as in ``read_credits``. A log of teams without a method is taken for one of team draft.
    The checks of a method are made for that method only: teams alternate by rounds in team draft, and every team is
    as likely at each rank in team draft and probabilistic interleaving, and at rank 1 in balanced interleaving.
    """
    rows, made_by = pages_of_method(log, method)
    name = _catalogue_name(made_by)
    teams = team_names(log, rows) if "team" in rows.columns else ()
    checks = [_ranks(log, rows), _known_credit(log, rows)]
    if name == DRAFT and len(teams) >= PAIR:
        checks.append(_rounds(log, rows, teams, named=bool(made_by)))
    if name in (DRAFT, BALANCED, PROBABILISTIC) and len(teams) >= PAIR:
        checks.append(_team_shares(log, rows if name != BALANCED else rows.filter(rows["rank"] == 1), teams))
        checks += _matching_credit(log, rows, teams, draft=name == DRAFT)
    return tuple(checks)


def _catalogue_name(method: str) -> str:
    """Return the name of a method without its parameters, "" where it is not one of ours."""
    try:
        return parse_interleaving(method or DRAFT).name
    except ParameterError:
        return ""


def _one_row(log: Log, table: Any) -> dict[str, Any]:
    return {name: cell or 0 for name, cell in log.engine.fetch(table).to_pylist()[0].items()}


def _ranks(log: Log, rows: Any) -> Check:
    """Check that the ranks of each page have no gaps and that no rank above them is missing.

    A page may be the second or a later page of a search, such as ranks 11 to 20. Its first rank is then 1 plus a
    multiple of the page length. The page length is the most frequent number of documents on pages that start at rank 1
    without gaps: on a page whose top ranks are lost, fewer ranks are missing.
    """
    rank = rows["rank"]
    pages = rows.group_by("impression").aggregate(n=rows.count(), top=rank.min(), deepest=rank.max())
    pages = pages.mutate(gap=pages.deepest - pages.top + 1 != pages.n)
    groups = log.engine.fetch(pages.group_by(["n", "top", "gap"]).aggregate(pages=pages.count())).to_pylist()
    first_pages = {group["n"]: group["pages"] for group in groups if group["top"] == 1 and not group["gap"]}
    length = max(first_pages, key=lambda n: (first_pages[n], n), default=0)
    damaged = sum(group["pages"] for group in groups if group["gap"] or not _starts_page(group["top"], length))
    share = damaged / max(1, sum(group["pages"] for group in groups))
    detail = f"ranks are missing on {_percent(share)} of the pages"
    return _share_check("ranks without gaps", share, detail)


def _starts_page(rank: int, length: int) -> bool:
    return rank == 1 or (length > 0 and (rank - 1) % length == 0)


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
    lacking = _lacking(pages, list(counts)) - above
    sums = pages.aggregate(rows=pages.n.sum(), lacking=(lacking > 0).ifelse(lacking, 0).sum())
    found = _one_row(log, sums)
    share = found["lacking"] / max(1, found["rows"])
    detail = f"{_percent(share)} of the documents have no {what if what == 'team' else f'{what} of a run'}"
    if share > MAX_SHARE:
        detail += _below(log, rows, _any_known(rows, columns))
    return _share_check("known credit", share, detail)


def _credited_by(log: Log, rows: Any) -> tuple[str, list[str]]:
    """Return what credits a run, and in which columns it is: worth, ranks in the runs, or the team."""
    worth = [name for name in rows.columns if name.startswith(WORTH)]
    ranks = [name for name in rows.columns if name.startswith(RANK)]
    if not worth:
        return "team", ["team"]
    counts = _one_row(log, rows.aggregate(**{f"n{i}": rows[name].count() for i, name in enumerate(worth)}))
    return ("worth", worth) if any(counts.values()) or not ranks else ("rank", ranks)


def _lacking(pages: Any, counts: Sequence[str]) -> Any:
    """Return how many documents of each page lack credit of a run; a run without any on a page is not on it."""
    lacking, known = 0 * pages.n, 0 * pages.n
    for name in counts:
        missing = (pages[name] > 0).ifelse(pages.n - pages[name], 0)
        lacking, known = (missing > lacking).ifelse(missing, lacking), known + pages[name]
    return (known > 0).ifelse(lacking, pages.n)


def _any_known(rows: Any, names: Sequence[str]) -> Any:
    known = rows[names[0]].notnull()
    for name in names[1:]:
        known = known | rows[name].notnull()
    return known


def _below(log: Log, rows: Any, known: Any) -> str:
    """Return the rank below which no document has credit, as a clause; "" if there is no such rank."""
    found = _one_row(log, rows.aggregate(deepest=rows["rank"].max(), known=rows["rank"].max(where=known)))
    return f", and none below rank {found['known']} has one" if 0 < found["known"] < found["deepest"] else ""


def _rounds(log: Log, rows: Any, teams: Sequence[str], *, named: bool) -> Check:
    """Check that in every complete round of a page each team has one document (radlinski2008).

    So the teams have equally many documents at the end of each round. A round that lacks a team is not complete.
    """
    pages = rows.group_by("impression").aggregate(teams=rows["team"].nunique())
    found = _one_row(log, pages.aggregate(most=pages.teams.max(), pages=pages.count()))
    each = max(PAIR, found["most"])  # of all teams where more than two share a page
    rows = rows.mutate(round_=((rows["rank"] - 1) / float(each)).floor().cast("int64"))
    rounds = rows.group_by(["impression", "round_"]).aggregate(
        n=rows["team"].count(), teams=rows["team"].nunique() if each > PAIR else _several(rows["team"])
    )
    wrong = rounds.filter((rounds.n == each) & (rounds.teams < each))
    bad = _one_row(log, wrong.aggregate(pages=wrong["impression"].nunique()))["pages"]
    share = bad / max(1, found["pages"])
    detail = f"on {_percent(share)} of the pages the teams do not take turns as in a team draft"
    detail += "" if named else " (--method names another method)"
    return _share_check("turns of teams", share, detail)


def _several(team: Any) -> Any:
    """Return 2 where a group has several teams, else 1: cheaper than to count the different ones."""
    return (team.min() != team.max()).cast("int64") + 1


def _team_shares(log: Log, rows: Any, teams: Sequence[str]) -> Check:
    """Check that two teams that share pages are as likely at each rank.

    The order of teams is drawn by coins, so the difference of the counts of a user has a symmetric distribution,
    whatever the number of her pages and even if they repeat the same draws. Then P(|Σ d| ≥ z √Σ d²) ≤ 2 exp(−z²/2)
    for independent users (hoeffding1963), for any number of users; Bonferroni over ranks and pairs.
    """
    rows = rows.filter(rows["team"].notnull())
    if len(teams) > PAIR:
        rows = _with_page_teams(rows, teams)
    worst: tuple[float, float, str] = (1.0, 0.0, "")
    tested = 0
    for (i, a), (j, b) in combinations(enumerate(teams), PAIR):
        pair = rows if len(teams) == PAIR else rows.filter(rows[f"on_{i}"] & rows[f"on_{j}"])
        for row in _differences(log, pair, a, b):
            tested += 1
            p = min(1.0, 2 * exp(-(row["total"] ** 2) / (2 * row["squares"]))) if row["squares"] else 1.0
            share = row["of_a"] / row["n"]
            if p < worst[0]:
                worst = (
                    p,
                    share - 0.5,
                    f"{a} has {_percent(share)} of the documents of {a} and {b} at rank {row['rank']}",
                )
    p = min(1.0, tested * worst[0])
    detail = f"{worst[2]}, where both are as likely ({'p < 1e-10' if p < 1e-10 else f'p = {p:.2g}'})"
    return Check("teams at each rank", p, worst[1], p >= ALARM, "" if p >= ALARM else detail)


def _with_page_teams(rows: Any, teams: Sequence[str]) -> Any:
    """Return the rows with whether each team is on the page."""
    on = {f"on_{i}": (rows["team"] == team).any() for i, team in enumerate(teams)}
    pages = rows.group_by("impression").aggregate(**on).rename(page_="impression")
    return rows.join(pages, rows["impression"] == pages.page_).drop("page_")


def _differences(log: Log, rows: Any, a: str, b: str) -> list[dict[str, Any]]:
    """Return by rank the documents of two teams, and the sum and squares of the users' differences."""
    rows = rows.filter(rows["team"].isin([a, b]))
    of_a = (rows["team"] == a).cast("int64").sum()
    users = rows.group_by(["user", "rank"]).aggregate(of_a=of_a, n=rows.count())
    users = users.mutate(apart=(2 * users.of_a - users.n).cast("float64"))
    squares = (users.apart * users.apart).sum()
    sums = {"of_a": users.of_a.sum(), "n": users.n.sum(), "total": users.apart.sum(), "squares": squares}
    return log.engine.fetch(users.group_by("rank").aggregate(**sums).order_by("rank")).to_pylist()


def _matching_credit(log: Log, rows: Any, teams: Sequence[str], *, draft: bool) -> list[Check]:
    """Check that a document is in the run of its team, and that in a team draft only this run is credited."""
    import ibis

    wrong = ibis.literal(False)
    compared = False
    for team in teams:
        own = rows["team"] == team
        if RANK + team in rows.columns:
            compared, wrong = True, wrong | (own & rows[RANK + team].isnull())
        if draft and WORTH + team in rows.columns:
            compared, wrong = True, wrong | (~own & (rows[WORTH + team].fill_null(0.0) != 0))
    if not compared:
        return []
    counted = {"n": rows["team"].count(), "wrong": wrong.fill_null(False).cast("int64").sum()}
    found = _one_row(log, rows.aggregate(**counted))
    share = found["wrong"] / max(1, found["n"])
    detail = f"{_percent(share)} of the documents credit a run that did not place them"
    return [_share_check("credit of the own team", share, detail)]


def _share_check(name: str, share: float, detail: str) -> Check:
    passed = share <= MAX_SHARE
    return Check(name, nan, share, passed, "" if passed else detail)


def _percent(share: float) -> str:
    return f"{100 * share:.3g}%"
