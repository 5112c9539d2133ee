"""Checks of cells that one arm lacks more often than another, and of events that were lost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, Any

from cranfield.data import Log, rows_together
from cranfield.online.experiments.sample_ratio_checks import ALARM, Check, p_value

from .arm_proportions import arm_difference_p, extremes
from .click_checks import MIN_EXPECTED_CLICKS

if TYPE_CHECKING:
    from ibis.expr.types import Table as Expression

OF_PAGES = ("answered", "converted", "revenue")  # an empty cell of them is read as no, or as 0
OUTCOMES = ("converted", "revenue")  # no arm is without any where the others have many
SPARSE = 0.5  # of the units of every arm: where more lack a value, it is logged only where there is something to log
RATIO = 2.0  # of proportions of missing cells: users may cause smaller ones, as where the last click has no dwell
MAX_LOST = 0.01  # proportion of the clicks that may be lost
EVENT = "event"  # how reasons for exclusion begin that count clicks and conversions instead of rows


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    """Clicks, documents or pages of each arm, of which some lack a value."""

    what: str  # "clicks", as the subject of a sentence
    value: str  # "dwell"
    totals: Mapping[str, float]
    missing: Mapping[str, float]
    rows: "Expression"  # those without the value
    ratio: float = 1.0  # proportions of arms differ if one is larger than so many times another

    @property
    def shares(self) -> dict[str, float]:
        """Return the proportion that lacks the value, by arm."""
        return {arm: self.missing[arm] / total for arm, total in self.totals.items() if total}

    def p(self, log: Log) -> float:
        """Return the p-value of the hypothesis that every arm lacks the same proportion; 1 for similar proportions."""
        if max(self.shares.values()) <= self.ratio * min(self.shares.values()):
            return 1.0
        p = arm_difference_p(self.missing, self.totals)
        return p if p >= ALARM else arm_difference_p(self.missing, self.totals, rows_together(log.engine, self.rows))


def missing_cells_checks(log: Log) -> tuple[Check, ...]:
    """Check that no arm lacks more cells of a column than another, and that every arm has conversions and revenue.

    The test of missing cells is corrected by Bonferroni over the columns and the kinds of rows.
    """
    known = [name for name in (*OF_PAGES, "dwell", "session") if name in log.known]
    if "arm" not in log.known or not known:
        return ()
    rows = log.documents.filter(log.documents["arm"].notnull())
    groups = [*_groups_of_pages(log, rows), *_groups_of_clicks(log, rows)]
    groups = [group for group in groups if len(group.shares) > 1 and any(group.missing.values())]
    tests = [(min(1.0, len(groups) * group.p(log)), group) for group in groups]
    failed = [(p, group) for p, group in tests if p < ALARM]
    worst = {group.value: (p, group) for p, group in sorted(failed, key=lambda one: -one[0])}  # with the smallest p
    details = [
        f"{extremes(group.shares, group.what)} have no value in {name} ({p_value(p)})"
        for name, (p, group) in sorted(worst.items())
    ]
    effect = max((max(group.shares.values()) - min(group.shares.values()) for _, group in failed), default=0.0)
    p = min((p for p, _ in tests), default=1.0)
    check = Check("cells missing by arm", p, effect, not details, "; ".join(details))
    return (check, *([_outcomes_check(log, rows)] if log.known & {*OUTCOMES, "dwell"} else []))


def _groups_of_pages(log: Log, rows: "Expression") -> list[_Group]:
    """Return the pages, and their documents, with and without a click: values may stand in a few rows of a page only.

    A column without 0 holds values only where there is one. A session belongs to a page, whether it has a click or not.
    """
    names = [name for name in (*OF_PAGES, "session") if name in log.known]
    cells = rows.mutate(**{f"lacks_{name}": rows[name].isnull().cast("int64") for name in names})
    cells = cells.mutate(group_=cells.clicked.cast("int64") + 2 * (cells["rank"] == 1).cast("int64"))
    owners = {name: cells[name].min() for name in ("user", "session", "arm") if name in log.known}
    lacking: dict[str, Any] = {f"lacks_{name}": cells[f"lacks_{name}"].min() for name in names}
    clicked = cells.clicked.cast("int64").max()
    pages = cells.group_by("impression").aggregate(**owners, **lacking, group_=clicked)
    zeros = {name: (cells[name].cast("float64") == 0).cast("int64").sum() for name in names if name != "session"}
    found = log.engine.fetch(cells.aggregate(**zeros)).to_pylist()[0] if zeros else {}
    dense = [name for name in names if found.get(name)]
    groups = _compared(log, "pages", pages, dense) + _compared(log, "documents", cells, dense, RATIO)
    if "session" in names:
        groups += _compared(log, "pages", pages.mutate(group_=0), ["session"], sparse=1.0)
    return groups


def _compared(
    log: Log, what: str, rows: "Expression", names: Sequence[str], ratio: float = 1.0, sparse: float = SPARSE
) -> list[_Group]:
    """Return each kind of rows for each column, but for kinds of which nearly all rows of every arm lack it."""
    if not names:
        return []
    sums: dict[str, Any] = {"n": rows.count(), **{name: rows[f"lacks_{name}"].sum() for name in names}}
    counts = log.engine.fetch(rows.group_by(["group_", "arm"]).aggregate(**sums)).to_pylist()
    groups = []
    for kind in sorted({row["group_"] for row in counts}):
        arms = sorted((row for row in counts if row["group_"] == kind), key=lambda row: str(row["arm"]))
        for name in names:
            totals, missing = ({row["arm"]: float(row[column]) for row in arms} for column in ("n", name))
            lost = rows.filter((rows.group_ == kind) & (rows[f"lacks_{name}"] == 1))
            if any(missing[arm] <= sparse * total for arm, total in totals.items()):
                groups.append(_Group(what, name, totals, missing, lost, ratio))
    return groups


def _groups_of_clicks(log: Log, rows: "Expression") -> list[_Group]:
    """Return all clicks, and those after which the page has another one: the last has no dwell in many logs."""
    import ibis

    if "dwell" not in log.known:
        return []
    clicks = rows.filter(rows.clicked).mutate(lacks_dwell=rows.dwell.isnull().cast("int64"), group_=0)
    groups = _compared(log, "clicks", clicks, ["dwell"], RATIO, sparse=1.0)
    if "click_time" not in log.known:
        return groups
    last = clicks.click_time.max().over(ibis.window(group_by="impression"))
    followed = clicks.mutate(_last=last)
    followed = followed.filter(followed.click_time < followed._last)
    return groups + _compared(log, "clicks before another one", followed, ["dwell"], sparse=1.0)


def _outcomes_check(log: Log, rows: "Expression") -> Check:
    """Check that no arm is without any conversion, revenue or dwell where the rate of the others promises many."""
    numbers = {name: (rows[name].cast("float64") > 0).cast("int64") for name in OUTCOMES if name in log.known}
    if "dwell" in log.known:
        numbers["dwell"] = (rows.clicked & (rows.dwell > 0)).cast("int64")
    sums = {name: number.sum() for name, number in numbers.items()}
    pages = rows.group_by("arm").aggregate(pages=rows.impression.nunique(), **sums).order_by("arm")
    arms = log.engine.fetch(pages).to_pylist()
    details = []
    for name in numbers:
        total, pages_ = sum(row[name] or 0 for row in arms), sum(row["pages"] for row in arms)
        for row in arms:
            rate = total / max(1, pages_ - row["pages"])
            if not row[name] and rate * row["pages"] >= MIN_EXPECTED_CLICKS:
                details.append(f"{name} is 0 or empty on all {row['pages']:,} pages of {row['arm']} alone")
    return Check("outcomes of every arm", nan, float(bool(details)), not details, "; ".join(details))


def lost_events_checks(log: Log) -> tuple[Check, ...]:
    """Check that few clicks and conversions of a log of events are excluded; nothing where none are."""
    lost = sum(rows for reason, rows in log.excluded.reasons.items() if reason.startswith(EVENT))
    if not lost:
        return ()
    rows = log.documents
    used = log.engine.fetch(rows.aggregate(n=rows.clicked.cast("int64").sum()))["n"][0].as_py() or 0
    share = lost / (lost + used)
    detail = f"{lost:,} clicks and conversions cannot be used, {used:,} clicked documents can"
    return (Check("events lost", nan, share, share <= MAX_LOST, "" if share <= MAX_LOST else detail),)
