"""Checks of user assignment: sample ratio, leaks, uniform hashes, independent experiments.

An experiment whose arms hold other shares of the users than were configured lost some of them on the way, and seldom
at random: its differences are not to be trusted, however small their p-values are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranfield.core import ParameterError, Table, listed

from .arm_assignment import Assignment, assign, check_weights, parse_assignment

ALARM = 0.001  # p-values below it speak of a fault: fabijan2019
DOUBT = 0.01  # and below this one they are worth a look
CONCENTRATION = 10_000.0  # how near to the configured shares a sequential check expects the true ones
BUCKETS = 100
CHECKS = ("check", "p", "effect", "passed", "detail")
ARMS = ("arm", "users", "share", "expected")


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that must be so before an experiment can be believed."""

    check: str
    p: float  # NaN: it is no matter of chance
    effect: float
    passed: bool
    detail: str = ""  # what is wrong, as a clause; empty where it passed


@dataclass(frozen=True, slots=True, eq=False)
class SampleRatio:
    """How many users each arm has beside how many it was to have."""

    arms: tuple[str, ...]
    users: NDArray[np.int64]  # (arm,)
    expected: NDArray[np.float64]  # (arm,): shares, as configured
    statistic: float
    p: float  # NaN: not checked, because these are not users
    effect: float  # w: the root of the mean squared deviation of shares, each relative to the root of what it was to be

    @property
    def leaked(self) -> int:
        """How many users are in arms that were to have none."""
        return int(self.users[self.expected == 0].sum())

    @property
    def fault(self) -> str:
        """In words, why an experiment with such arms is not to be trusted; empty where nothing speaks against it."""
        if self.leaked:
            where = listed(
                [
                    arm
                    for arm, many, share in zip(self.arms, self.users, self.expected, strict=True)
                    if many and not share
                ]
            )
            return f"{self.leaked:,} users are in {where}, which was to have none"
        return f"users are not shared out as configured: {self.told}" if self.p < ALARM else ""

    @property
    def doubt(self) -> str:
        """In words, what is odd about the shares, though no proof of a fault; empty where nothing is."""
        return f"The shares of users are odd: {self.told}." if not self.fault and self.p < DOUBT else ""

    @property
    def told(self) -> str:
        """The arm that is farthest from its share, and the p-value of all."""
        total = self.users.sum()
        far = int(np.abs(self.users - total * self.expected).argmax())
        has, meant = (f"{100 * share[far]:.2f} %" for share in (self.users / total, self.expected))
        return f"{self.arms[far]} has {has} of them where {meant} was to be, {p_value(self.p)}"

    @property
    def checks(self) -> tuple[Check, ...]:
        """The sample ratio, and the leak where some arm was to have no users."""
        checks = [] if isnan(self.p) else [Check("sample ratio", self.p, self.effect, self.p >= ALARM)]
        if not self.expected.all():
            checks.append(Check("leak", np.nan, self.leaked / max(1, int(self.users.sum())), self.leaked == 0))
        return tuple(checks)

    def table(self) -> Table:
        """Each arm with its users, their share, and the share that it was to have."""
        share = self.users / self.users.sum()
        data = dict(zip(ARMS, (self.arms, self.users, share, self.expected), strict=True))
        return Table(data, caption="Users in each arm")


def sample_ratio(users: ArrayLike, weights: ArrayLike | None = None, arms: Sequence[str] | None = None) -> SampleRatio:
    """Whether arms have the users that they were to have: χ² over the arms of a weight above 0.

    Without weights all arms were to have as many. Users in an arm of weight 0 are a leak, and not in the χ².
    """
    counts = _counts(users)
    shares = check_weights(np.ones(len(counts)) if weights is None else weights)
    if shares.shape != counts.shape:
        raise ParameterError(f"{len(counts)} arms have {len(shares)} weights", hint="give one weight for each arm")
    shares = shares / shares.sum()
    asked = shares > 0
    statistic, p, effect = _fit(counts[asked], shares[asked])
    named = tuple(map(str, arms if arms is not None else range(len(counts))))
    return SampleRatio(named, counts, shares, statistic, p, effect)


def sequential_ratio_p(
    users: ArrayLike, weights: ArrayLike, *, concentration: float = CONCENTRATION
) -> NDArray[np.float64]:
    """(look,): p-values of the sample ratio that may be looked at as often as one likes; they never rise.

    ``users`` is (look, arm): how many each arm has by then. The inverse of the largest ratio so far of how likely the
    counts are under shares drawn near the configured ones, by a Dirichlet of this concentration, and under these.
    """
    from scipy.special import gammaln

    counts = np.atleast_2d(np.asarray(users, dtype=float))
    shares = check_weights(weights)
    if counts.ndim != 2 or counts.shape[1] != len(shares) or not np.isfinite(counts).all() or (counts < 0).any():
        raise ParameterError("counts do not fit the weights", hint="give (look, arm): users of each arm, from 0 up")
    if (np.diff(counts, axis=0) < 0).any():
        raise ParameterError("an arm loses users between looks", hint="give all users so far, not the new ones")
    if not 0 < concentration < np.inf:
        raise ParameterError(f"concentration cannot be {concentration}", hint="a number above 0, such as 10,000")
    asked = shares > 0
    counts, shares = counts[:, asked], shares[asked] / shares.sum()
    prior = concentration * shares  # lindon2022
    drawn = gammaln(concentration) - gammaln(concentration + counts.sum(axis=1))
    drawn += (gammaln(prior + counts) - gammaln(prior)).sum(axis=1)
    evidence = drawn - (counts * np.log(shares)).sum(axis=1)
    return np.minimum(1.0, np.exp(-np.maximum.accumulate(evidence)))


def uniformity_table(
    users: ArrayLike, experiments: Sequence[str], *, how: str | Assignment = "md5", buckets: int = BUCKETS
) -> Table:
    """Whether a way to assign spreads these users evenly: χ² of as many equal buckets, for each experiment."""
    if buckets < 2:
        raise ParameterError(f"{buckets} buckets tell nothing", hint="ask for 2 or more")
    rows = []
    for name in _several(experiments, 1):
        counts = np.bincount(assign(users, name, np.ones(buckets).tolist(), how=how), minlength=buckets)
        statistic, p, effect = _fit(counts, np.full(buckets, 1 / buckets))
        rows.append({"experiment": name, "users": int(counts.sum()), "buckets": buckets, "statistic": statistic})
        rows[-1] |= {"p": p, "effect": effect, "passed": p >= ALARM}
    columns = ("experiment", "users", "buckets", "statistic", "p", "effect", "passed")
    return Table.from_rows(rows, columns, caption=f"Are users spread evenly by {parse_assignment(how)}?")


def independence_table(
    users: ArrayLike,
    experiments: Sequence[str],
    weights: Sequence[float] = (1, 1),
    *,
    how: str | Assignment = "md5",
) -> Table:
    """Whether the arm in one experiment tells anything of the arm in another: χ² of the cross table of each pair.

    The effect is Cramér's V: 0 where nothing is told, 1 where everything is.
    """
    arms = {name: assign(users, name, weights, how=how) for name in _several(experiments, 2)}
    rows = []
    for a, b in combinations(arms, 2):
        cross = np.zeros((len(weights), len(weights)), dtype=np.int64)
        np.add.at(cross, (arms[a], arms[b]), 1)
        statistic, p, effect = cross_table_test(cross)
        rows.append({"a": a, "b": b, "users": int(cross.sum()), "statistic": statistic})
        rows[-1] |= {"p": p, "effect": effect, "passed": p >= ALARM}
    columns = ("a", "b", "users", "statistic", "p", "effect", "passed")
    return Table.from_rows(rows, columns, caption=f"Do experiments know of each other, by {parse_assignment(how)}?")


def assignment_checks(
    users: ArrayLike,
    arms: ArrayLike,
    experiment: str,
    weights: Mapping[str, float],
    *,
    how: str | Assignment = "md5",
) -> tuple[Check, ...]:
    """Whether a way to assign spreads these users evenly, and whether the arms of a log are those that it gives.

    ``weights`` has the arms in the order in which they were configured. The effect of the second is the share of users
    who are in another arm than theirs.
    """
    logged = np.asarray(arms).astype(str)
    meant = np.array(list(weights))[assign(users, experiment, list(weights.values()), how=how)]
    if logged.shape != meant.shape:
        raise ParameterError(f"{len(meant)} users have {len(logged)} arms", hint="give one arm for each user")
    (even,) = uniformity_table(users, [experiment], how=how).rows()
    wrong = float((logged != meant).mean())
    uniform = Check("uniformity", float(even["p"]), float(even["effect"]), bool(even["passed"]))  # type: ignore[arg-type]  # numbers
    return uniform, Check("assignment", np.nan, wrong, wrong == 0)


def p_value(p: float) -> str:
    """A p-value in a sentence."""
    return "p < 1e-10" if p < 1e-10 else f"p = {p:.2g}"


def checks_table(checks: Sequence[Check]) -> Table:
    """Return one row for each check, with whether it passed."""
    rows = [{name: getattr(check, name) for name in CHECKS} for check in checks]
    return Table.from_rows(rows, CHECKS, caption="Can the experiment be trusted?")


def _fit(counts: NDArray[np.int64], shares: NDArray[np.float64]) -> tuple[float, float, float]:
    """χ² of counts beside shares above 0, its p-value, and w = √(χ²/n)."""
    from scipy.special import chdtrc

    total = counts.sum()
    if not total:
        raise ParameterError("no arm has users", hint="look again when somebody has come")
    statistic = float(((counts - total * shares) ** 2 / (total * shares)).sum())
    p = float(chdtrc(len(counts) - 1, statistic)) if len(counts) > 1 else 1.0
    return statistic, p, float(np.sqrt(statistic / total))


def cross_table_test(cross: NDArray[Any]) -> tuple[float, float, float]:
    """Return χ² of a cross table without its empty rows and columns, its p-value, and Cramér's V."""
    from scipy.special import chdtrc

    cross = cross[cross.any(axis=1)][:, cross.any(axis=0)]
    expected = np.outer(cross.sum(axis=1), cross.sum(axis=0)) / cross.sum()
    statistic = float(((cross - expected) ** 2 / expected).sum())
    rows, columns = cross.shape
    least = min(rows, columns) - 1
    if not least:
        return 0.0, 1.0, 0.0
    p = float(chdtrc((rows - 1) * (columns - 1), statistic))
    return statistic, p, float(np.sqrt(statistic / cross.sum() / least))


def _counts(users: ArrayLike) -> NDArray[np.int64]:
    found = np.asarray(users, dtype=float)
    if found.ndim != 1 or not len(found) or not np.isfinite(found).all() or (found < 0).any() or (found % 1).any():
        raise ParameterError(f"these are no counts of users: {users!r}", hint="a whole number from 0 up for each arm")
    return found.astype(np.int64)


def _several(experiments: Sequence[str], least: int) -> list[str]:
    names = [experiments] if isinstance(experiments, str) else list(experiments)
    if len(names) < least or len(set(names)) < len(names):
        raise ParameterError(f"there are {len(set(names))} experiments", hint=f"name {least} or more, each once")
    return names
