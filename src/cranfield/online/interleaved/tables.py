"""Tables of interleaving results: preferences for each pair of runs, and preference cycles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError, Provenance, Table
from cranfield.online.experiments.sequential_tests import PLANNED, always_valid_p, confidence_sequence
from cranfield.stats import LEVEL, Holm, check_level, sign_interval

SAME = 1e-9  # credits this close are equal
COLUMNS = (
    *("a", "b", "method", "impressions", "users", "wins_a", "wins_b", "ties", "delta", "low", "high", "p"),
    *("always_low", "always_high", "always_p"),
)
CYCLES = ("a", "b", "c", "delta_ab", "delta_bc", "delta_ca", "p_ab", "p_bc", "p_ca", "significant")

By: TypeAlias = Literal["wins", "credit"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Credits:
    """What clicks gave to runs: one row for each impression that they shared."""

    runs: tuple[str, ...]
    user: NDArray[np.int64]  # (impression,)
    credit: NDArray[np.float64]  # (impression, run)

    def __repr__(self) -> str:
        return f"Credits({len(self.user)} impressions, {', '.join(self.runs)})"

    @classmethod
    def from_columns(cls, columns: Mapping[str, Any]) -> "Credits":
        """From columns user, impression, and credit_RUN for every run: ``credit_a``, ``credit_b``."""
        runs = tuple(name.removeprefix("credit_") for name in columns if name.startswith("credit_"))
        missing = [name for name in ("user", "impression") if name not in columns]
        if missing or len(runs) < 2:
            what = f"column {missing[0]!r}" if missing else "credit_… of two runs"
            raise ParameterError(f"there is no {what}", hint="give user, impression, credit_a, credit_b")
        credit = [np.asarray(columns[f"credit_{run}"], dtype=float) for run in runs]
        user, impression = (np.asarray(columns[name]) for name in ("user", "impression"))
        if len({len(column) for column in (user, impression, *credit)}) > 1:
            raise ParameterError("columns differ in length", hint="give one row for each impression")
        if len(np.unique(impression)) < len(impression):
            hint = "give one row for each impression, with the credit of all its clicks"
            raise ParameterError("an impression stands in more than one row", hint=hint)
        return cls(runs, np.unique(user, return_inverse=True)[1].ravel(), np.column_stack(credit)).checked()

    def checked(self) -> "Credits":
        """The same, if there is something to count."""
        if not len(self.user):
            raise ParameterError("there is no impression", hint="give one row for each impression")
        if not np.isfinite(self.credit).all():
            row = int((~np.isfinite(self.credit)).any(axis=1).argmax())
            raise ParameterError(
                f"a credit of row {row + 1} is no number", hint="an impression without a click gives 0"
            )
        return self

    def preferences(self, a: int, b: int, by: By = "wins") -> NDArray[np.int64]:
        """(user,): 1 where run a wins, −1 where b does, 0 for a tie.

        A user prefers the run that won more of her impressions, or, by ``credit``, that has more credit in all.
        """
        ahead = self.credit[:, a] - self.credit[:, b]
        if by == "wins":
            ahead = _sign(ahead).astype(float)
        return _sign(np.bincount(self.user, ahead))


def _sign(numbers: NDArray[Any]) -> NDArray[np.int64]:
    return np.where(np.abs(numbers) <= SAME, 0, np.sign(numbers)).astype(np.int64)


def interleaved_table(
    credits: Credits | Mapping[str, Any],
    *,
    method: str = "",
    by: By = "wins",
    level: float = LEVEL,
    planned: float = PLANNED,
    made_by: Provenance | None = None,
) -> Table:
    """Which of two runs users prefer, for every pair: chapelle2012.

    Wins and ties count users. ``delta`` is the share of users that a wins, ties by half, less one half: above 0 a is
    better. ``p`` is the exact sign test over users without ties; ``low`` and ``high`` enclose delta, and exclude 0
    where p ≤ level. The last three hold at every look at once: a preference lies within a width of one, which bounds
    how it may vary, so they hold from the first user on; ``planned`` users make them tightest.
    """
    check_level(level)
    if by not in ("wins", "credit"):
        raise ParameterError(f"users cannot prefer by {by!r}", hint="choose wins, or credit")
    given = credits if isinstance(credits, Credits) else Credits.from_columns(credits)
    rows = []
    for a, b in combinations(range(len(given.runs)), 2):
        preferred = given.preferences(a, b, by)
        names = {"a": given.runs[a], "b": given.runs[b], "method": method, "impressions": len(given.user)}
        rows.append(names | _row(preferred, level, planned))
    return Table.from_rows(rows, COLUMNS, caption="Which of two runs users prefer", made_by=made_by)


def _row(preferred: NDArray[np.int64], level: float, planned: float) -> dict[str, float]:
    users = len(preferred)
    counts = np.array([(preferred == side).sum() for side in (1, -1, 0)])
    wins_a, wins_b, ties = counts.tolist()
    _, low, high = sign_interval(counts[0], counts[1], np.array(users), level)  # of the wins of a less those of b
    delta = (wins_a - wins_b) / (2 * users)
    # Numbers within a width of one vary no more than a coin's: the bound of Hoeffding, so nothing here is asymptotic.
    ends = confidence_sequence(delta, 0.5, users, level=level, planned=planned)
    return {
        "users": users,
        "wins_a": wins_a,
        "wins_b": wins_b,
        "ties": ties,
        "delta": delta,
        "low": float(low) / 2,
        "high": float(high) / 2,
        "p": sign_p(wins_a, wins_b),
        "always_low": max(float(ends[0]), -0.5),
        "always_high": min(float(ends[1]), 0.5),
        "always_p": float(always_valid_p(delta, 0.5, users, level=level, planned=planned)),
    }


def sign_p(wins_a: int, wins_b: int) -> float:
    """The exact p-value of so many wins on each side if both sides are as likely; 1 where nobody wins."""
    from scipy.special import bdtr

    return min(1.0, 2 * float(bdtr(min(wins_a, wins_b), wins_a + wins_b, 0.5)))


def transitivity_table(
    pairs: Table | Sequence[Mapping[str, Any]], *, level: float = LEVEL, made_by: Provenance | None = None
) -> Table:
    """Where preferences go round: a over b, b over c, and c over a again.

    ``pairs`` are rows with a, b, delta and p, as ``interleaved_table`` makes them. P-values are raised for the number
    of pairs (Holm); a cycle is significant where all its three preferences are.
    """
    check_level(level)
    rows = pairs.rows() if isinstance(pairs, Table) else list(pairs)
    adjusted = Holm().adjust(np.array([row["p"] for row in rows], dtype=float))
    found: dict[tuple[str, str], tuple[float, float]] = {}
    for row, p in zip(rows, adjusted.tolist(), strict=True):
        if (row["a"], row["b"]) in found or row["a"] == row["b"]:
            message = f"{row['a']} and {row['b']} are compared with themselves, or twice"
            raise ParameterError(message, hint="give every pair of runs once")
        found[row["a"], row["b"]], found[row["b"], row["a"]] = (row["delta"], p), (-row["delta"], p)
    runs = list(dict.fromkeys(run for pair in found for run in pair))
    cycles = []
    for a, b, c in permutations(runs, 3):
        legs = [found.get(pair) for pair in ((a, b), (b, c), (c, a))]
        if a == min((a, b, c), key=runs.index) and all(leg is not None and leg[0] > 0 for leg in legs):
            deltas, ps = zip(*(leg for leg in legs if leg is not None), strict=True)
            cycles.append(dict(zip(CYCLES, (a, b, c, *deltas, *ps, max(ps) <= level), strict=True)))
    triples = sum(all(pair in found for pair in combinations(three, 2)) for three in combinations(runs, 3))
    note = f"{len(cycles)} of {triples} triples of runs go round"
    return Table.from_rows(cycles, CYCLES, caption="Preferences that go round", made_by=made_by, notes=(note,))
