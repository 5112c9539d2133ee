"""Checks of the teams in an interleaving log: their names, clicks and ranks."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import exp, nan
from typing import Any

from cranfield.core import listed
from cranfield.data import Log
from cranfield.online.experiments.sample_ratio_checks import ALARM, Check
from cranfield.online.logs.click_checks import all_clicked

from .credits_on_engines import PAIR

MAX_SHARE = 0.01  # of pages or rows that may be damaged before a log is not trusted
MISSING_WORDS = ("", "null", "none", "nan", "na", "n/a")
MIN_EXPECTED_CLICKS = 100  # a team without any click is damage where the ranks of its documents promise as many


def check_teams(log: Log, rows: Any) -> list[Check]:
    """Check the names and the clicks of all teams."""
    rows = rows.filter(rows["team"].notnull())
    sums = {"n": rows.count(), "clicks": rows.clicked.cast("int64").sum()}
    cells = log.engine.fetch(rows.group_by(["team", "rank"]).aggregate(**sums)).to_pylist()
    names = _names(cells)
    return [_rare_names(log, rows, cells) if names.passed else names, _clicks(cells)]


def _names(cells: Sequence[Mapping[str, Any]]) -> Check:
    """Check that no team has two names that differ only by case or blanks, and none a word for a missing cell.

    Two names are two teams, however alike they are: a page has documents of two runs or more.
    """
    documents = Counter[str]()
    for cell in cells:
        documents[cell["team"]] += cell["n"]
    spellings: dict[str, list[str]] = {}
    for team in sorted(documents, key=lambda team: (-documents[team], team)):
        spellings.setdefault("".join(team.casefold().split()), []).append(team)
    alike = [names for names in spellings.values() if len(names) > 1]
    missing = [team for word in MISSING_WORDS for team in spellings.get(word, ())]
    if len(documents) <= PAIR or not (alike or missing):
        return Check("names of teams", nan, 0.0, passed=True)
    doubtful = {*missing, *(name for _, *rarer in alike for name in rarer)}
    details = [
        f"the team names {listed([repr(name) for name in names])} differ only by case or blanks" for names in alike
    ]
    details += [f"a team is named {name!r}, a word for a missing team" for name in missing]
    share = sum(documents[name] for name in doubtful) / sum(documents.values())
    return Check("names of teams", nan, share, passed=False, detail=" and ".join(details))


def _rare_names(log: Log, rows: Any, cells: Sequence[Mapping[str, Any]]) -> Check:
    """Check that no team with hardly any documents is on a page with two others.

    Where a page has three teams or more, all pages count for every pair of teams, as lost by a team that is not on
    them.
    """
    documents = Counter[str]()
    for cell in cells:
        documents[cell["team"]] += cell["n"]
    rare = sorted(team for team, n in documents.items() if n <= MAX_SHARE * max(documents.values()))
    pages = rows.group_by("impression").aggregate(teams=rows["team"].nunique())
    if not rare or one_row(log, pages.aggregate(most=pages.teams.max()))["most"] <= PAIR:
        return Check("names of teams", nan, 0.0, passed=True)
    total = sum(documents.values())
    counts = listed([f"{team!r} has {documents[team]:,}" for team in rare])
    detail = f"the team {counts} of {total:,} documents, on pages with two other teams"
    return Check("names of teams", nan, sum(documents[team] for team in rare) / total, passed=False, detail=detail)


def _clicks(cells: Sequence[Mapping[str, Any]]) -> Check:
    """Check that no team has clicks on all of its documents, or none where other teams' rates by rank predict many."""
    documents, clicked = Counter[int](), Counter[int]()  # of all teams by rank
    for cell in cells:
        documents[cell["rank"]] += cell["n"]
        clicked[cell["rank"]] += cell["clicks"]
    for team in sorted({cell["team"] for cell in cells}):
        shown = {cell["rank"]: cell["n"] for cell in cells if cell["team"] == team}
        clicks, total = sum(cell["clicks"] for cell in cells if cell["team"] == team), sum(shown.values())
        if detail := all_clicked(f"the {total:,} documents of {team}", total, clicks):
            return Check("clicks of every team", nan, 1.0, passed=False, detail=detail)
        if clicks:
            continue
        expected = sum(n * clicked[rank] / max(1, documents[rank] - n) for rank, n in shown.items())
        if expected >= MIN_EXPECTED_CLICKS:
            detail = f"none of the {total:,} documents of {team} was clicked, where other teams have a"
            detail += f" click on {percent(expected / total)} at the same ranks"
            return Check("clicks of every team", nan, 1.0, passed=False, detail=detail)
    return Check("clicks of every team", nan, 0.0, passed=True)


def check_turns(log: Log, rows: Any, teams: Sequence[str], *, named: bool) -> Check:
    """Check that in every complete round of a page each team has one document (radlinski2008).

    So the teams have equally many documents at the end of each round. A round that lacks a team is not complete. A
    round has as many documents as teams share pages. Up to 1% of the pages may have more teams.
    """
    pages = rows.group_by("impression").aggregate(teams=rows["team"].nunique())
    counts = log.engine.fetch(pages.group_by("teams").aggregate(pages=pages.count())).to_pylist()
    total = sum(row["pages"] for row in counts)
    each = max(PAIR, _most_teams({row["teams"]: row["pages"] for row in counts}))
    rows = rows.mutate(round_=((rows["rank"] - 1) / float(each)).floor().cast("int64"))
    rounds = rows.group_by(["impression", "round_"]).aggregate(
        n=rows["team"].count(), teams=rows["team"].nunique() if each > PAIR else _several(rows["team"])
    )
    wrong = rounds.filter((rounds.n == each) & (rounds.teams < each))
    bad = one_row(log, wrong.aggregate(pages=wrong["impression"].nunique()))["pages"]
    share = bad / max(1, total)
    detail = f"on {percent(share)} of the pages the teams do not take turns as in a team draft"
    detail += "" if named else " (--method names another method)"
    return share_check("turns of teams", share, detail)


def _most_teams(pages: Mapping[int, int]) -> int:
    """Return the largest number of teams that share a page, where no more than 1% of the pages have more."""
    total = sum(pages.values())
    return min((n for n in pages if sum(pages[m] for m in pages if m > n) <= MAX_SHARE * total), default=PAIR)


def _several(team: Any) -> Any:
    """Return 2 where a group has several teams, else 1: cheaper than to count the different ones."""
    return (team.min() != team.max()).cast("int64") + 1


def check_team_shares(log: Log, rows: Any, teams: Sequence[str]) -> Check:
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
                    f"{a} has {percent(share)} of the documents of {a} and {b} at rank {row['rank']}",
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


def share_check(name: str, share: float, detail: str) -> Check:
    """Return a check that passes up to 1% of damaged pages or rows."""
    passed = share <= MAX_SHARE
    return Check(name, nan, share, passed, "" if passed else detail)


def one_row(log: Log, table: Any) -> dict[str, Any]:
    """Return the cells of a table of one row, 0 for those that are null."""
    return {name: cell or 0 for name, cell in log.engine.fetch(table).to_pylist()[0].items()}


def percent(share: float) -> str:
    """Return a proportion as a percentage of three digits."""
    return f"{100 * share:.3g}%"
