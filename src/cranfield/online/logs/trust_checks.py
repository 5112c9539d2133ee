"""Checks whether a log can be trusted: excluded rows, ranks and clicks of its pages, names of arms."""

from collections.abc import Mapping
from math import nan

from cranfield.core import listed
from cranfield.data import ExcludedRows, Log
from cranfield.online.experiments.sample_ratio_checks import ALARM, Check, p_value

from .arm_proportions import arm_difference_p, extremes
from .click_checks import OF_CLICKS, click_times_check, clicks_check, times_without_click_check
from .missing_cells import lost_events_checks, missing_cells_checks
from .rank_checks import page_ends_check, page_groups, pages_of_rows, rank_gaps_by_arm_check, rank_gaps_check

MAX_SHARE = 0.01  # proportion of the rows that may be excluded
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
        detail = f"{extremes(shares, 'rows')} are excluded ({p_value(p)})"
        checks.append(Check("rows excluded by arm", p, effect, p >= ALARM, "" if p >= ALARM else detail))
    return tuple(checks)


def log_checks(log: Log) -> tuple[Check, ...]:
    """Check excluded rows, the names of arms and, in logs of up to 20 million rows, ranks and clicks of the pages."""
    checks = excluded_rows_checks(log.excluded) + lost_events_checks(log)
    if "arm" in log.known:
        checks += (arm_names_check(log.excluded.arm_totals),)
    return checks if log.excluded.total > MAX_ROWS else (*checks, *_page_checks(log), *missing_cells_checks(log))


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
    """Check the ranks and the clicks of all pages, and where the log has several arms, whether these differ in them."""
    arm = ["arm"] if "arm" in log.known else []
    owners = [name for name in (*arm, "user") if name in log.known]
    pages = pages_of_rows(log.documents, owners)
    groups = page_groups(log, pages, arm)
    named = [group for group in groups if group.get("arm")]
    arms = {group["arm"] for group in named}
    gaps = log.excluded.pages_with_gaps
    excused = {str(group.get("arm") or ""): float(gaps.get(group.get("arm"), 0)) for group in groups}
    checks = [rank_gaps_check(groups, sum(excused.values()))]
    if len(arms) > 1:
        checks.append(rank_gaps_by_arm_check(log, pages, named, excused))
        checks.append(page_ends_check(log, pages, named))
    checks.append(clicks_check(groups))
    known = log.known.intersection(OF_CLICKS)
    if len(arms) > 1 and known:
        checks.append(click_times_check(log))
    if known:
        checks.append(times_without_click_check(log))
    return tuple(checks)
