"""Checks whether too many rows of a log are excluded, or more of one arm than of another."""

import numpy as np

from cranfield.data import ExcludedRows
from cranfield.online.experiments.sample_ratio_checks import ALARM, Check, cross_table_test, p_value

MAX_SHARE = 0.01  # proportion of the rows that may be excluded


def excluded_rows_checks(excluded: ExcludedRows) -> tuple[Check, ...]:
    """Check the proportion of excluded rows and, where the log has several arms, whether it differs between them.

    The effect of the first is the proportion, that of the second the largest difference between two arms. The χ² test
    of the second counts pages rather than rows: the rows of a page are usually excluded together.
    """
    few = excluded.share <= MAX_SHARE
    detail = f"{excluded.share:.1%} of the rows are excluded"
    checks = [Check("rows excluded", np.nan, excluded.share, few, "" if few else detail)]
    shares = excluded.arm_shares
    if len(shares) > 1:
        pages = np.array([excluded.arm_totals[arm] for arm in shares]) / excluded.rows_per_page
        removed = pages * np.array(list(shares.values()))
        _, p, _ = cross_table_test(np.column_stack([removed, pages - removed]))
        effect = max(shares.values()) - min(shares.values())
        low, high = (choose(shares, key=lambda arm: shares[arm]) for choose in (min, max))
        detail = f"{shares[high]:.1%} of the rows of {high} and {shares[low]:.1%} of those of {low} are excluded"
        checks.append(
            Check("rows excluded by arm", p, effect, p >= ALARM, "" if p >= ALARM else f"{detail} ({p_value(p)})")
        )
    return tuple(checks)


def excluded_rows_doubt(excluded: ExcludedRows) -> str:
    """Return why excluded rows make a verdict doubtful, as a sentence; empty where they do not."""
    details = [check.detail for check in excluded_rows_checks(excluded) if not check.passed]
    return f"Do not trust this result: {details[-1]}." if details else ""
