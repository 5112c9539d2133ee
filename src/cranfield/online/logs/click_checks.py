"""Checks of the clicks in a log: arms or pages that all have one, times by arm, and times without a click."""

from collections.abc import Mapping, Sequence
from math import nan
from typing import Any

from cranfield.core import listed
from cranfield.data import Log, rows_together
from cranfield.online.experiments.sample_ratio_checks import ALARM, Check, p_value

from .arm_proportions import arm_difference_p, extremes

MIN_EXPECTED_CLICKS = 100  # an arm without any click is damage where the others' rate promises as many
MIN_ALL_CLICKED = 100  # as many documents or pages never all have a click: those without one are lost
MIN_TIMES = 100  # clicks with a time, of each arm, from which on mean times of arms are compared
MAX_TIMES_RATIO = 10.0  # of the median times of two arms: above it one has another unit or another clock
MAX_SHARE = 0.01  # rows with a time but no click, for each click
OF_CLICKS = ("click_time", "dwell")


def clicks_check(groups: Sequence[Mapping[str, Any]]) -> Check:
    """Check that no arm has clicks on all of its documents or pages, or none where others' rate promises many."""
    documents, clicks = dict[str, int](), dict[str, int]()
    for group in groups:
        name = group.get("arm") or ""
        documents[name] = documents.get(name, 0) + group["n"] * group["pages"]
        clicks[name] = clicks.get(name, 0) + group["clicks"]
    for arm, count in documents.items():
        of_arm = f" of {arm}" * bool(arm)
        if detail := all_clicked(f"the {count:,} documents{of_arm}", count, clicks[arm]):
            return Check("clicks of every arm", nan, 1.0, passed=False, detail=detail)
        rate = sum(clicks.values()) / max(1, sum(documents.values()) - count)
        if not clicks[arm] and rate * count >= MIN_EXPECTED_CLICKS:
            detail = f"none of the {count:,} documents{of_arm} was clicked, {rate:.1%} of those of the other arms were"
            return Check("clicks of every arm", nan, rate, passed=False, detail=detail)
    detail = _all_pages_clicked(groups)
    return Check("clicks of every arm", nan, float(bool(detail)), not detail, detail)


def _all_pages_clicked(groups: Sequence[Mapping[str, Any]]) -> str:
    """Return a clause where all pages of the log or of some arms have a click; "" where none has, or few pages."""
    pages, clicked = dict[str, int](), dict[str, int]()
    for group in groups:
        name = group.get("arm") or ""
        pages[name] = pages.get(name, 0) + group["pages"]
        clicked[name] = clicked.get(name, 0) + group["clicked"]
    total, lost = sum(pages.values()), "pages without a click are lost"
    if MIN_ALL_CLICKED <= total == sum(clicked.values()):
        return f"all {total:,} pages have a click: {lost}"
    arms = [arm for arm, count in pages.items() if MIN_ALL_CLICKED <= count == clicked[arm]]
    counts = [f"{pages[arm]:,} pages of {arm or 'no arm'}" for arm in sorted(arms)]
    return f"all {listed(counts)} have a click: {lost}" if arms else ""


def click_times_check(log: Log) -> Check:
    """Check that as many clicks of each arm have a time, and that no arm has times in another unit.

    A different unit or clock shows in the median seconds from the page to a click, or on a clicked document.
    """
    clicked = log.documents.filter(log.documents["clicked"], log.documents["arm"].notnull())
    has_times, has_both = "click_time" in log.known, {"time", "click_time"} <= log.known
    seconds = {"time from the page to a click": clicked.click_time - clicked.time} if has_both else {}
    seconds |= {"dwell": clicked.dwell} if "dwell" in log.known else {}
    counts: dict[str, Any] = {"clicks": clicked.count()}
    counts["timed"] = clicked.click_time.count() if has_times else counts["clicks"]
    for i, column in enumerate(seconds.values()):
        counts |= {f"n_{i}": column.count(), f"median_{i}": column.quantile(0.5)}
    arms = log.engine.fetch(clicked.group_by("arm").aggregate(**counts)).to_pylist()
    clicks = {row["arm"]: float(row["clicks"]) for row in arms}
    if len(clicks) < 2:
        return Check("times of clicks by arm", nan, 0.0, passed=True)
    untimed = {row["arm"]: float(row["clicks"] - row["timed"]) for row in arms}
    p = 1.0
    if any(untimed.values()):
        lost = clicked.filter(clicked.click_time.isnull())
        p = arm_difference_p(untimed, clicks, rows_together(log.engine, lost))
    shares = {arm: untimed[arm] / count for arm, count in clicks.items()}
    details = [f"{extremes(shares, 'clicks')} have no time ({p_value(p)})"] * (p < ALARM)
    for i, what in enumerate(seconds):
        known = [row for row in arms if row[f"n_{i}"] >= MIN_TIMES and row[f"median_{i}"] > 0]
        medians = sorted((row[f"median_{i}"], row["arm"]) for row in known)
        if medians and medians[-1][0] > MAX_TIMES_RATIO * medians[0][0]:
            (low, arm_low), (high, arm_high) = medians[0], medians[-1]
            ratio = f"{high / low:,.0f} times that of {arm_low}"
            details.append(f"the median {what} of {arm_high} is {ratio}: check the units and the clocks")
    effect = max(shares.values()) - min(shares.values())
    return Check("times of clicks by arm", p, effect, not details, "; ".join(details))


def all_clicked(what: str, documents: int, clicks: int) -> str:
    """Return a clause where every document is clicked, which no users do; "" where one is not, or there are few."""
    return f"all of {what} were clicked" if documents >= MIN_ALL_CLICKED and clicks >= documents else ""


def times_without_click_check(log: Log) -> Check:
    """Check that hardly any document without a click has a click time or was read, and as many in each arm.

    An empty cell, 0 and negative numbers are no time. Times that belong to something else than a click are ignored:
    those that are equal in all rows of a page, and those of most documents without a click. A dwell that more documents
    without a click than with one have is taken for the time for which a document was visible.
    """
    worst, p, reasons = 0.0, 1.0, dict[str, list[str]]()
    for name in OF_CLICKS:
        if name not in log.known:
            continue
        share, of_arms, reason = _times_without_click(log, name)
        worst, p = max(worst, share), min(p, of_arms)
        if share > MAX_SHARE or of_arms < ALARM:
            reasons.setdefault(reason, []).append(name)
    details = [f"{listed(names)} {'are' if names[1:] else 'is'} filled for {rest}" for rest, names in reasons.items()]
    return Check("times without a click", p, worst, not details, "; ".join(details))


def _times_without_click(log: Log, name: str) -> tuple[float, float, str]:
    """Return the number of documents with a time but no click for each click, the p-value of arms, and a clause."""
    pages = _pages_with_times(log, name)
    sums = {column: pages[column].sum() for column in ("odd", "clicks", "unclicked")}
    counts = log.engine.fetch(pages.group_by("arm").aggregate(**sums).order_by("arm")).to_pylist()
    odd, clicks, unclicked = (sum(row[column] for row in counts) for column in sums)
    if not odd or 2 * odd > unclicked or (name == "dwell" and odd > clicks):
        return 0.0, 1.0, ""
    arms = {row["arm"]: float(row["odd"]) for row in counts if row["arm"]}
    totals = {row["arm"]: float(row["odd"] + row["clicks"]) for row in counts if row["arm"]}
    p = arm_difference_p(arms, totals, _odd_together(log, pages)) if len(arms) > 1 else 1.0
    parts = ", ".join(f"{arm} {count:,.0f}" for arm, count in arms.items())
    of_arms = f" ({parts}; {p_value(p)})" * (p < ALARM)
    return odd / max(1, clicks), p, f"{odd:,} documents without a click{of_arms}, compared with {clicks:,} clicks"


def _pages_with_times(log: Log, name: str) -> Any:
    """Return a row for each page: documents with a time but no click (``odd``), with a click, and without one."""
    import ibis

    rows = log.documents
    rows = rows.mutate(timed_=(rows[name] > 0).fill_null(False))
    owners = [owner for owner in ("user", "session", "arm") if owner in log.known]
    numbers: dict[str, Any] = {"n": rows.count(), "timed": rows.timed_.cast("int64").sum()}
    numbers |= {"least": rows[name].min(), "most": rows[name].max(), "clicks": rows.clicked.cast("int64").sum()}
    numbers["without"] = (rows.timed_ & ~rows.clicked).cast("int64").sum()
    pages = rows.group_by("impression").aggregate(**numbers, **{owner: rows[owner].min() for owner in owners})
    of_page = (pages.n > 1) & (pages.timed == pages.n) & (pages.least == pages.most)
    counts = {"odd": of_page.ifelse(0, pages.without), "unclicked": pages.n - pages.clicks}
    return pages.mutate(**counts, **({} if "arm" in owners else {"arm": ibis.literal("")}))


def _odd_together(log: Log, pages: Any) -> float:
    """Return how many documents with a time but no click come together on average, those of a user."""
    odd = pages.filter(pages.odd > 0)
    return rows_together(log.engine, odd) * float(log.fetch(odd.aggregate(most=odd.odd.max()))["most"][0])
