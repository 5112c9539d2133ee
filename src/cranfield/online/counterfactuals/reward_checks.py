"""Checks of the rewards in the log of a policy: equal rewards, codes for missing values, copies of rows."""

from math import nan

import numpy as np

from cranfield.data import Choices
from cranfield.online.experiments.sample_ratio_checks import Check

from .estimates import Numbers

MIN_DISTINCT_ROWS = 50  # that many different rows do not all occur an even number of times by chance


def reward_checks(choices: Choices) -> tuple[Check, ...]:
    """Check that rewards vary, that no negative reward stands for a missing one, and that the log has no copies."""
    return _equal_rewards_check(choices.reward), _missing_code_check(choices.reward), _copies_check(choices)


def reward_notes(choices: Choices) -> tuple[str, ...]:
    """Return a note on rewards of which the only negative value may stand for a missing reward."""
    value, rows = _only_negative(choices.reward)
    if rows < 2 or not _missing_code_check(choices.reward).passed:
        return ()
    return (f"{rows:,} rewards are {value:g}, the only value below 0: they count as rewards, not as missing",)


def _equal_rewards_check(reward: Numbers) -> Check:
    """Check that not all rewards are equal, as where rows without a click or all clicks are lost."""
    if len(reward) < 2 or np.ptp(reward):
        return Check("rewards vary", nan, 0.0, passed=True)
    return Check("rewards vary", nan, 1.0, passed=False, detail=f"all of the {len(reward):,} rewards are {reward[0]:g}")


def _only_negative(reward: Numbers) -> tuple[float, int]:
    """Return the negative reward, if all negative rewards are the same, and how many rows have it."""
    negative = reward[reward < 0]
    return (float(negative[0]), len(negative)) if negative.size and not np.ptp(negative) else (0.0, 0)


def _missing_code_check(reward: Numbers) -> Check:
    """Check that no code for a missing reward, such as -1 or -999, is read as a reward.

    A code is a whole number below 0, the only one, that several rows have. A scale such as -1, 0, 1 has none: the
    opposite of its negative reward is a reward too.
    """
    value, rows = _only_negative(reward)
    if rows < 2 or value % 1 or (reward == -value).any():
        return Check("missing rewards", nan, 0.0, passed=True)
    detail = f"{rows:,} of {len(reward):,} rewards are {value:g}, which seems to stand for a missing reward"
    return Check("missing rewards", nan, rows / len(reward), passed=False, detail=detail)


def _copies_check(choices: Choices) -> Check:
    """Check that the rows, or those with or without a reward, do not all occur twice, or any other number of times.

    Pages are not checked: a copy repeats the ranks of its impression, and such rows are excluded.
    """
    if not choices.pages:
        for rows in (np.ones(len(choices), dtype=bool), choices.reward > 0, choices.reward == 0):
            if (times := _times(choices, rows)) > 1:
                which = "" if rows.all() else " with a reward" if (choices.reward[rows] > 0).all() else " without one"
                detail = f"every row{which} is in the log {times} times (was it read more than once?)"
                return Check("copies of rows", nan, float(times), passed=False, detail=detail)
    return Check("copies of rows", nan, 1.0, passed=True)


def _times(choices: Choices, rows: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> int:
    """Return the greatest common divisor of the numbers of equal rows; 1 where few rows differ."""
    import polars as pl

    names = {name: column for name in ("topic", "document") if (column := getattr(choices, name)) is not None}
    columns = {name: column.distinct()[1] for name, column in names.items()}
    columns |= {"user": choices.user} if choices.user is not None else {}
    columns |= {"reward": choices.reward, "propensity": choices.propensity, "model": choices.model}
    columns |= {f"policy {name}": chances for name, chances in choices.policies.items()}
    cells = pl.DataFrame({name: column[rows] for name, column in columns.items() if column is not None})
    counts = cells.group_by(pl.all()).len()["len"].to_numpy()
    return int(np.gcd.reduce(counts)) if len(counts) >= MIN_DISTINCT_ROWS else 1
