"""Sensitivity of interleaving methods: impressions needed to detect the better run, by simulation."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log2
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.core import SEED, ParameterError, Provenance, Table, UnknownName, generator
from cranfield.stats import HARDLY_LUCK, LEVEL, check_level

from .base import Interleaving, interleave, parse_interleaving

Clicker: TypeAlias = Callable[[Sequence[int], np.random.Generator], Sequence[int]]  # grades by rank: ranks clicked
Lists: TypeAlias = Mapping[str, Sequence[str]]  # by topic
Grades: TypeAlias = Mapping[str, Mapping[str, int]]  # by topic and document
Numbers: TypeAlias = NDArray[np.float64]

POWERS = (0.8, 0.95)
AB, BIASED = "A/B", "balanced"  # what is no interleaving; and one in which clicks that see no relevance favour a run
METHODS = ("balanced", "team-draft", "probabilistic", "optimised")
COLUMNS = ("method", "measure", "users", "difference", "error", "better", "power", "impressions")


@dataclass(frozen=True, slots=True)
class CascadeUser:
    """A user who reads from the top, clicks by what she sees, and after a click may have seen enough.

    As in hofmann2013fidelity; who does not click reads on.
    """

    click: tuple[float, ...]  # (grade,): the chance of a click
    stop: tuple[float, ...]  # (grade,): the chance to stop after a click

    def __post_init__(self) -> None:
        if len(self.click) != len(self.stop) or not all(0 <= chance <= 1 for chance in (*self.click, *self.stop)):
            hint = "give two chances for every grade, from grade 0 up"
            raise ParameterError("clicks and stops are not chances of the same grades", hint=hint)

    def __call__(self, grades: Sequence[int], rng: np.random.Generator) -> list[int]:
        """The ranks that she clicks on a page of such grades; a grade below 0 is as good as 0."""
        chances = rng.random((len(grades), 2)).tolist()
        clicked = []
        for rank, (grade, (click, stop)) in enumerate(zip(grades, chances, strict=True), start=1):
            if grade >= len(self.click):
                hint = f"give a user of {grade + 1} grades or more"
                raise ParameterError(f"the user knows no grade {grade}", hint=hint)
            if click < self.click[max(grade, 0)]:
                clicked.append(rank)
                if stop < self.stop[max(grade, 0)]:
                    break
        return clicked


USERS: Mapping[str, tuple[CascadeUser, ...]] = {  # for 2, 3 and 5 grades
    "perfect": (
        CascadeUser((0.0, 1.0), (0.0, 0.0)),
        CascadeUser((0.0, 0.5, 1.0), (0.0, 0.0, 0.0)),
        CascadeUser((0.0, 0.2, 0.4, 0.8, 1.0), (0.0, 0.0, 0.0, 0.0, 0.0)),
    ),
    "navigational": (
        CascadeUser((0.05, 0.95), (0.2, 0.9)),
        CascadeUser((0.05, 0.5, 0.95), (0.2, 0.5, 0.9)),
        CascadeUser((0.05, 0.3, 0.5, 0.7, 0.95), (0.2, 0.3, 0.5, 0.7, 0.9)),
    ),
    "informational": (
        CascadeUser((0.4, 0.9), (0.1, 0.5)),
        CascadeUser((0.4, 0.7, 0.9), (0.1, 0.3, 0.5)),
        CascadeUser((0.4, 0.6, 0.7, 0.8, 0.9), (0.1, 0.2, 0.3, 0.4, 0.5)),
    ),
}


def cascade_user(name: str, grades: int) -> CascadeUser:
    """A usual user for so many grades: ``perfect``, ``navigational``, ``informational``."""
    if name not in USERS:
        raise UnknownName(f"there is no user named {name!r}", hint=f"there are: {', '.join(USERS)}")
    fits = [user for user in USERS[name] if len(user.click) >= grades]
    if not fits:
        hint = "make one: CascadeUser(click=(…), stop=(…)), one chance for each grade"
        raise ParameterError(f"no {name} user knows {grades} grades", hint=hint)
    return fits[0]


def sensitivity_table(
    a: Lists,
    b: Lists,
    grades: Grades,
    *,
    user: str | Clicker = "navigational",
    methods: Iterable[str | Interleaving] = METHODS,
    users: int = 2000,
    length: int = 10,
    power: Sequence[float] = POWERS,
    level: float = LEVEL,
    seed: int = SEED,
    progress: Callable[[int, int], object] | None = None,
    made_by: Provenance | None = None,
) -> Table:
    """How many impressions each interleaving needs to find the better run out, and an A/B test on the same users.

    Every simulated user has one topic and one page. For interleavings the ``difference`` is the share of users that a
    wins less that of b; for the A/B test it is the mean of a measure in arm a less that in b, arms of equal size
    together needing so many ``impressions``. These follow from the simulated shares and spreads by the normal
    approximation of the sign test (connor1987) and of the difference of means. ``error`` is the standard error of the
    difference: where it is not much smaller, more users are to be simulated.
    """
    check_level(level)
    if users < 2 or length < 1 or not power or not all(0 < one < 1 for one in power):
        message = f"users={users}, length={length}, power={tuple(power)} cannot be"
        raise ParameterError(message, hint="give 2 users or more, a length from 1 up, and powers between 0 and 1")
    crowd = _Crowd.of(a, b, grades, user, users, length, seed)
    rows: list[dict[str, Any]] = []
    wanted = [parse_interleaving(method) for method in methods]
    for number, method in enumerate(wanted):
        if progress:
            progress(number, len(wanted) + 1)
        ahead = crowd.preferences(method)
        rows += _rows(str(method), "wins", ahead, _signs_needed(ahead, level, power), ahead.std(ddof=1), power)
    for measure, (one, other) in crowd.arms().items():
        spread = np.sqrt(2 * (one.var(ddof=1) + other.var(ddof=1)))  # of a difference of means, times √ of both arms
        needed = _means_needed(one.mean() - other.mean(), spread, level, power)
        rows += _rows(AB, measure, one - other, needed, (one - other).std(ddof=1), power)
    return Table.from_rows(rows, COLUMNS, caption="Impressions until the better run wins", made_by=made_by)


def sensitivity_sentence(table: Table) -> str:
    """How many impressions the best fair interleaving takes, and how many times as many an A/B test, in words."""
    known: list[dict[str, Any]] = [row for row in table.rows() if row["impressions"] is not None]
    wanted = min((row["power"] for row in known), default=None)
    rows = [row for row in known if row["method"] != BIASED] or known
    sides = [[row for row in rows if row["power"] == wanted and (row["method"] == AB) is ab] for ab in (False, True)]
    fewest = [min(side, key=lambda row: row["impressions"]) for side in sides if side]
    if not fewest:
        return "Simulated users see no difference between these runs: no test would find one."
    best = fewest[0]
    said = f"To find out that {best['better']} is better, with a power of {wanted:g}, {best['method']}"
    said += f" takes {best['impressions']:,} impressions"
    if len(fewest) > 1:
        times = fewest[1]["impressions"] / best["impressions"]
        said += f", an A/B test on {fewest[1]['measure']} {fewest[1]['impressions']:,}: {times:.3g} times as many"
    unsure = {row["method"] for row in rows if abs(row["difference"]) < HARDLY_LUCK * row["error"]}
    doubt = f" Simulate more users for {', '.join(sorted(unsure))}: there the difference may be luck." if unsure else ""
    return f"{said}.{doubt}"


@dataclass(frozen=True, slots=True, eq=False)
class _Crowd:
    """Simulated users: each has a topic, and throws the same coins whatever she is shown."""

    a: Lists
    b: Lists
    grades: Grades
    user: Clicker
    topic: tuple[str, ...]  # (user,)
    length: int
    seed: int

    @classmethod
    def of(
        cls, a: Lists, b: Lists, grades: Grades, user: str | Clicker, users: int, length: int, seed: int
    ) -> "_Crowd":
        topics = [topic for topic in a if topic in b and topic in grades]
        if not topics:
            raise ParameterError("no topic has both lists and grades", hint="give the same topics to all three")
        if isinstance(user, str):
            best = max((grade for topic in topics for grade in grades[topic].values()), default=1)
            user = cascade_user(user, max(best, 1) + 1)
        drawn = generator(seed, "topics").integers(len(topics), size=users)
        return cls(a, b, grades, user, tuple(topics[number] for number in drawn), length, seed)

    def clicks(self, number: int, page: Sequence[str]) -> Sequence[int]:
        """The ranks that a user clicks."""
        graded = self.grades[self.topic[number]]
        return self.user([graded.get(document, 0) for document in page], generator(self.seed, "user", number))

    def preferences(self, method: Interleaving) -> Numbers:
        """(user,): 1 where she prefers a, −1 where b, 0 where neither."""
        rng = generator(self.seed, "pages", str(method))
        ahead = np.zeros(len(self.topic))
        for number, topic in enumerate(self.topic):
            page = interleave(self.a[topic], self.b[topic], rng, method=method, length=self.length)
            credit = page.credit(self.clicks(number, page.documents))
            ahead[number] = credit[0] - credit[1]
        return np.where(np.abs(ahead) < 1e-9, 0.0, np.sign(ahead))

    def arms(self) -> dict[str, tuple[Numbers, Numbers]]:
        """By measure: (user,) each, had she been in arm a, and in arm b."""
        clicks = [
            [self.clicks(number, lists[topic][: self.length]) for number, topic in enumerate(self.topic)]
            for lists in (self.a, self.b)
        ]
        measures: dict[str, Callable[[Sequence[int]], float]] = {
            "clicked": lambda ranks: float(len(ranks) > 0),
            "clicks": lambda ranks: float(len(ranks)),
            "click reciprocal rank": lambda ranks: 1 / min(ranks) if len(ranks) else 0.0,
        }
        return {
            name: (np.array([*map(value, clicks[0])]), np.array([*map(value, clicks[1])]))
            for name, value in measures.items()
        }


def _signs_needed(ahead: Numbers, level: float, power: Sequence[float]) -> list[int | None]:
    """Users until the sign test speaks: (z_α √d + z_β √(d − δ²))² / δ², d the share of those who prefer one.

    And so many at least that 2^(1 − n·d), the smallest p there is, is no more than the level.
    """
    from scipy.special import ndtri

    delta, speaking = abs(ahead.mean()), np.abs(ahead).mean()
    if delta == 0:
        return [None] * len(power)
    width = ndtri(1 - level / 2) * np.sqrt(speaking) + ndtri(power) * np.sqrt(max(speaking - delta**2, 0.0))
    least = ceil(1 - log2(level)) / speaking
    return [ceil(max(one, least)) for one in (width / delta) ** 2]


def _means_needed(difference: float, spread: float, level: float, power: Sequence[float]) -> list[int | None]:
    """Users of both arms until the difference of means speaks: ((z_α + z_β) · spread / difference)²."""
    from scipy.special import ndtri

    if difference == 0:
        return [None] * len(power)
    return [ceil(one) for one in ((ndtri(1 - level / 2) + ndtri(power)) * spread / difference) ** 2]


def _rows(
    method: str, measure: str, ahead: Numbers, needed: Sequence[int | None], spread: float, power: Sequence[float]
) -> list[dict[str, Any]]:
    difference = float(ahead.mean())
    shared = {"method": method, "measure": measure, "users": len(ahead), "difference": difference}
    shared |= {"error": float(spread) / len(ahead) ** 0.5}
    shared |= {"better": "a" if difference > 0 else "b" if difference < 0 else "neither"}
    return [shared | {"power": one, "impressions": number} for one, number in zip(power, needed, strict=True)]
