"""Verdict on tests and aggregates: which separate pairs of runs, and which disagree between halves."""

from typing import Any, TypeAlias

from cranfield.core import Table, listed
from cranfield.stats import MIN_SEPARATED, ColumnChoice, choose_columns

Rows: TypeAlias = list[dict[str, Any]]

MAX_NAMES = 3  # of excluded tests; more are counted


def conclude(table: Table, splits: int, pairs: int) -> dict[str, Any]:
    """Return the best rows of the table, none where no row leads on both counts, and the verdict in words."""
    rows: Rows = list(table.rows())
    choice = choose_columns([row["separated"] for row in rows], [row["disagree_significant"] for row in rows])
    best = choice.best if len(rows) > 1 else ()
    over = f"Over {_counted(splits, 'split')} of the topics and {_counted(pairs, 'pair')} of runs"
    return {
        "best": [{name: rows[i][name] for name in ("measure", "test", "aggregate")} for i in best],
        "sentence": f"{over}, {_finding(rows, choice)}",
    }


def _finding(rows: Rows, choice: ColumnChoice) -> str:
    if len(rows) == 1:
        return f"the test is {_names(rows, (0,))}. {_numbers(rows[0])}"
    if len(choice.excluded) == len(rows):
        problem = f"no test shows the same run significantly ahead in both halves in {MIN_SEPARATED:.0%} of cases"
        return f"{problem} or more, so none is recommended."
    numbers = _numbers(rows[choice.most_separated[0]])
    if len(choice.best) == len(rows):
        return f"all {len(rows)} tests separate equally many pairs and disagree equally often. {numbers}"
    if choice.best:
        verb = "separate" if len(choice.best) > 1 else "separates"
        leads = f"{_names(rows, choice.best)} {verb} the most pairs, and no other test disagrees less often"
        return f"{leads}. {numbers}{_excluded(rows, choice)}"
    steadiest = rows[choice.least_disagreement[0]]
    return (
        "no test both separates the most pairs and disagrees least often, so none is recommended. The most pairs are "
        f"separated by {_names(rows, choice.most_separated)}. {numbers} The lowest disagreement is that of "
        f"{_names(rows, choice.least_disagreement)}: {steadiest['disagree_significant']:.1%} of such cases have "
        f"different winners, but only {steadiest['separated']:.1%} of all cases are separated."
        f"{_excluded(rows, choice)}"
    )


def _numbers(row: dict[str, Any]) -> str:
    """Return the power and the disagreement of a row, with what they mean."""
    if row["disagree_significant"] is None:
        return "It is significant in no half, so nothing is known about its reliability."
    return (
        f"In {row['separated']:.1%} of cases the same run is significantly ahead in both halves. Of the cases "
        f"significant in at least one half, {row['disagree_significant']:.1%} have different winners."
    )


def _excluded(rows: Rows, choice: ColumnChoice) -> str:
    """Name the tests that are not compared, because they separate too few pairs."""
    count = len(choice.excluded)
    if not count:
        return ""
    names = _names(rows, choice.excluded) if count <= MAX_NAMES else f"{count} tests"
    return f" Not compared, because less than {MIN_SEPARATED:.0%} of cases are separated: {names}."


def _names(rows: Rows, positions: tuple[int, ...]) -> str:
    """Return tests with their aggregates, and with their measures where the table has several."""
    several = len({row["measure"] for row in rows}) > 1
    return listed(
        [
            f"{rows[i]['test']} with the {rows[i]['aggregate']}" + (f" on {rows[i]['measure']}" if several else "")
            for i in positions
        ]
    )


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"
