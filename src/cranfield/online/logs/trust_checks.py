"""Checks whether a log can be trusted: excluded rows, missing ranks, names of arms, arms without clicks."""

from collections.abc import Mapping
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from cranfield.core import listed
from cranfield.data import ExcludedRows, Log, rows_together
from cranfield.online.experiments.sample_ratio_checks import ALARM, Check, cross_table_test, p_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_SHARE = 0.01  # proportion of the rows that may be excluded, and of the pages that may lack ranks
MIN_EXPECTED = 25  # excluded units of each arm from which on the χ² test holds its level of 0.001
MIN_EXPECTED_CLICKS = 100  # an arm without any click is damage where the others' rate promises as many
MIN_ALL_CLICKED = 100  # as many documents are never all clicked: rows without a click are lost, or clicks are wrong
MIN_TIMES = 100  # clicks with a time, of each arm, from which on mean times of arms are compared
MAX_TIMES_RATIO = 10.0  # of the median times of two arms: above it one has another unit or another clock
LEAVE_NO_GAP = ("a rank twice", "rows of a page", "ranks of a page", "users with more than")  # reasons, by their start
MAX_ROWS = 20_000_000  # in larger logs pages are not checked


def excluded_rows_checks(excluded: ExcludedRows) -> tuple[Check, ...]:
    """Check the proportion of excluded rows and, where the log has several arms, whether it differs between them.

    The effect of the first is the proportion, that of the second the largest difference between two arms. The test of
    the second divides the numbers of rows by ``rows_together``, because the rows of a user are excluded together.
    """
    few = excluded.share <= MAX_SHARE
    detail = f"{excluded.share:.1%} of the rows are excluded"
    checks = [Check("rows excluded", nan, excluded.share, few, "" if few else detail)]
    shares = excluded.arm_shares
    if len(shares) > 1:
        totals = {arm: excluded.arm_totals[arm] for arm in shares}
        removed = {arm: shares[arm] * total for arm, total in totals.items()}
        p = arm_difference_p(removed, totals, excluded.rows_together)
        effect = max(shares.values()) - min(shares.values())
        detail = f"{_extremes(shares, 'rows')} are excluded ({p_value(p)})"
        checks.append(Check("rows excluded by arm", p, effect, p >= ALARM, "" if p >= ALARM else detail))
    return tuple(checks)


def arm_difference_p(removed: Mapping[str, float], totals: Mapping[str, float], together: float = 1.0) -> float:
    """Return the p-value of the hypothesis that the same proportion is removed from each arm.

    Both numbers are divided by ``together``, how many come together. The test is the χ² test; where an arm expects few,
    it is the smallest p-value of exact binomial tests of each arm's part of all removed, times the number of arms.
    """
    from scipy.stats import binomtest

    some: NDArray[np.float64] = np.array([removed[arm] for arm in totals]) / together
    everything: NDArray[np.float64] = np.array(list(totals.values())) / together
    parts = everything / everything.sum()
    if some.sum() * parts.min() >= MIN_EXPECTED:
        return cross_table_test(np.column_stack([some, everything - some]))[1]
    whole = np.rint(some).astype(int)
    if not whole.sum():
        return 1.0
    exact = [binomtest(int(count), int(whole.sum()), part).pvalue for count, part in zip(whole, parts, strict=True)]
    return float(min(1.0, len(exact) * min(exact)))


def _extremes(shares: Mapping[str, float], what: str) -> str:
    """Return the arms with the largest and the smallest proportion, as the subject of a sentence."""
    low, high = (choose(shares, key=lambda arm: shares[arm]) for choose in (min, max))
    return f"{shares[high]:.1%} of the {what} of {high} and {shares[low]:.1%} of those of {low}"


def log_checks(log: Log) -> tuple[Check, ...]:
    """Check excluded rows, the names of arms and, in logs of up to 20 million rows, ranks and clicks of the pages."""
    checks = excluded_rows_checks(log.excluded)
    if "arm" in log.known:
        checks += (arm_names_check(log.excluded.arm_totals),)
    return checks if log.excluded.total > MAX_ROWS else (*checks, *_page_checks(log))


def doubts(checks: tuple[Check, ...]) -> str:
    """Return why failed checks make a result doubtful, as a sentence; empty where none failed."""
    details = [check.detail or check.check for check in checks if not check.passed]
    return f"Do not trust this result: {'; '.join(details)}." if details else ""


def arm_names_check(totals: Mapping[str, int]) -> Check:
    """Check that no names of arms differ only by case or blanks, unless the log has no more than two arms."""
    spellings: dict[str, list[str]] = {}
    for arm in sorted(totals, key=lambda arm: (-totals[arm], arm)):
        spellings.setdefault("".join(arm.casefold().split()), []).append(arm)
    alike = [arms for arms in spellings.values() if len(arms) > 1]
    if len(totals) < 3 or not alike:
        return Check("names of arms", nan, 0.0, passed=True)
    share = sum(totals[arm] for _, *rarer in alike for arm in rarer) / sum(totals.values())
    names = [f"{listed([repr(arm) for arm in arms])} differ only by case or blanks" for arms in alike]
    return Check("names of arms", nan, share, passed=False, detail=f"the names of arms {' and '.join(names)}")


def _page_checks(log: Log) -> tuple[Check, ...]:
    """Check that the ranks of pages have no gaps, by arm too, and that no arm is without clicks."""
    arm = ["arm"] if "arm" in log.known else []
    rank, clicked = log.documents["rank"], log.documents["clicked"].cast("int64")
    numbers: dict[str, Any] = {"n": rank.count(), "top": rank.min(), "deepest": rank.max(), "clicks": clicked.sum()}
    numbers |= {name: log.documents[name].min() for name in (*arm, *(["user"] if "user" in log.known else []))}
    pages = log.documents.group_by("impression").aggregate(**numbers)
    pages = pages.mutate(gap=pages.deepest - pages.top + 1 != pages.n)
    sums = {"pages": pages.count(), "clicks": pages.clicks.sum()}
    groups = log.engine.fetch(pages.group_by([*arm, "n", "top", "gap"]).aggregate(**sums)).to_pylist()
    length = page_length(groups)
    total, damaged = dict[str, float](), dict[str, float]()
    for group in groups:
        name = group.get("arm") or ""
        total[name] = total.get(name, 0.0) + group["pages"]
        bad = group["gap"] or not starts_page(group["top"], length)
        damaged[name] = damaged.get(name, 0.0) + bad * group["pages"]
    checks = [rank_gaps_check(sum(damaged.values()) - gaps_of_excluded_rows(log), sum(total.values()))]
    damaged = {name: max(0.0, pages - gaps_of_excluded_rows(log, name)) for name, pages in damaged.items()}
    named = {name: pages for name, pages in total.items() if name}
    if len(named) > 1:
        together = rows_together(log.engine, pages.filter(pages.gap)) if any(damaged.values()) else 1.0
        p = arm_difference_p(damaged, named, together)
        shares = {name: damaged[name] / pages for name, pages in named.items()}
        effect = max(shares.values()) - min(shares.values())
        detail = f"ranks are missing on {_extremes(shares, 'pages')} ({p_value(p)})"
        checks.append(Check("ranks without gaps by arm", p, effect, p >= ALARM, "" if p >= ALARM else detail))
    checks.append(_clicks_check(groups))
    if len(named) > 1 and {"click_time", "dwell"} & log.known:
        checks.append(_click_times_check(log))
    return tuple(checks)


def gaps_of_excluded_rows(log: Log, arm: str = "") -> int:
    """Return on how many pages of an arm excluded rows may leave a gap: as many as there are such rows.

    Other checks count these rows. Without an arm, the rows of the whole log count.
    """
    return sum(
        rows
        for reason, of_arm, rows in log.excluded.counts
        if not reason.startswith(LEAVE_NO_GAP) and (not arm or of_arm == arm)
    )


def page_length(groups: list[dict[str, Any]]) -> int:
    """Return the most frequent number of documents on pages that start at rank 1 and have no gaps; 0 without such."""
    first: dict[int, int] = {}
    for group in groups:
        if group["top"] == 1 and not group["gap"]:
            first[group["n"]] = first.get(group["n"], 0) + group["pages"]
    return max(first, key=lambda n: (first[n], n), default=0)


def starts_page(rank: int, length: int) -> bool:
    """Return whether a page may start at a rank: at 1, or as a later page of a search, such as at 11."""
    return rank == 1 or (length > 0 and (rank - 1) % length == 0)


def rank_gaps_check(damaged: float, pages: float) -> Check:
    """Check that ranks are missing on few pages."""
    share = max(0.0, damaged) / max(1.0, pages)
    passed = share <= MAX_SHARE
    detail = f"ranks are missing on {100 * share:.3g}% of the pages"
    return Check("ranks without gaps", nan, share, passed, "" if passed else detail)


def _clicks_check(groups: list[dict[str, Any]]) -> Check:
    """Check that no arm has clicks on all of its documents, or none where the other arms' rate promises many."""
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
    return Check("clicks of every arm", nan, 0.0, passed=True)


def _click_times_check(log: Log) -> Check:
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
    details = [f"{_extremes(shares, 'clicks')} have no time ({p_value(p)})"] * (p < ALARM)
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
