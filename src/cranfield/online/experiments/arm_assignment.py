"""Assignment of users to the arms of an experiment, by hash or at random."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from hashlib import new
from typing import Annotated, ClassVar, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranfield.core import SEED, Catalogue, Declared, Limits, ParameterError, Table, describe, generator, write
from cranfield.stats import parse_method

ONE = 1e-9  # weights whose sum is this near 1 are shares as they stand
FNV_START, FNV_PRIME = np.uint32(0x811C9DC5), np.uint32(0x01000193)
PLANOUT_LARGEST = 0xFFFFFFFFFFFFFFF
STORED = ("experiment", "user", "arm")


class Assignment(Declared, ABC):
    """A way to give each user of an experiment an arm."""

    name: ClassVar[str]
    cite: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]]
    at: ClassVar[str] = ""  # nothing stands behind an @
    stored: ClassVar[bool] = False  # it must be kept: nobody can work it out again from the name of a user

    def __str__(self) -> str:
        return write(describe(self))

    __repr__ = __str__

    @abstractmethod
    def place(self, users: NDArray[np.str_], experiment: str, *, after: int = 0) -> NDArray[np.float64]:
        """(user,): where each falls between 0 and 1; ``after`` so many users of the experiment had their arm before."""

    def arms(
        self, users: NDArray[np.str_], experiment: str, weights: NDArray[np.float64], *, after: int = 0
    ) -> NDArray[np.int64]:
        """(user,): the arm within whose share of the line from 0 to 1 each falls; an end belongs to the next arm."""
        ends = weights.cumsum()
        scale = 1.0 if abs(ends[-1] - 1) < ONE else ends[-1]
        return np.searchsorted(ends[:-1], self.place(users, experiment, after=after) * scale, side="right")


ASSIGNMENTS: Catalogue[Assignment] = Catalogue("assignment")
A = TypeVar("A", bound=Assignment)


def assignment(name: str, *, cite: str, aliases: tuple[str, ...] = ()) -> Callable[[type[A]], type[A]]:
    """Give a way to assign its name and its source, and list it."""
    return ASSIGNMENTS.declare(name, cite=cite, aliases=aliases)


@assignment("md5", cite="kohavi2009,ferro2024")
class MD5(Assignment):
    """MD5 of ``experiment.user``: the first 13 hexadecimal digits over 16¹³."""

    def place(self, users: NDArray[np.str_], experiment: str, *, after: int = 0) -> NDArray[np.float64]:
        return _digits("md5", users, experiment, 13) / 16**13


@assignment("planout", cite="bakshy2014")
class PlanOut(Assignment):
    """PlanOut: SHA-1 of ``experiment.variable.user``, its first 15 hexadecimal digits over the largest such number.

    ``variable`` is the name of the parameter that PlanOut assigns. ``choice='weighted'`` is its WeightedChoice;
    ``choice='uniform'`` its UniformChoice, the remainder of the digits by the number of arms, which must weigh the
    same.
    """

    variable: str = "arm"
    choice: Literal["weighted", "uniform"] = "weighted"

    def place(self, users: NDArray[np.str_], experiment: str, *, after: int = 0) -> NDArray[np.float64]:
        return self.hash(users, experiment) / float(PLANOUT_LARGEST)

    def arms(
        self, users: NDArray[np.str_], experiment: str, weights: NDArray[np.float64], *, after: int = 0
    ) -> NDArray[np.int64]:
        if self.choice == "uniform":
            if (weights != weights[0]).any():
                raise ParameterError("a uniform choice has arms of one weight", hint="use planout(choice='weighted')")
            return self.hash(users, experiment) % len(weights)
        ends = weights.cumsum()
        return np.searchsorted(ends[:-1], self.place(users, experiment) * ends[-1], side="left")

    def hash(self, users: NDArray[np.str_], experiment: str) -> NDArray[np.int64]:
        """(user,): the digits as a number."""
        return _digits("sha1", users, f"{experiment}.{self.variable}", 15)


@assignment("growthbook", cite="growthbook,fowler2012")
class GrowthBook(Assignment):
    """GrowthBook: the 32-bit FNV-1a hash of experiment and user, to ten thousandths; ``version=1`` to thousandths.

    Version 1 is here to read old experiments: under names that differ in the last letters, such as exp2 and exp3, it
    gives most users the same arm in both, so that experiments know of each other.
    """

    version: Annotated[int, Limits(1, 2)] = 2

    def place(self, users: NDArray[np.str_], experiment: str, *, after: int = 0) -> NDArray[np.float64]:
        if self.version == 1:
            return _fnv(np.char.add(users, experiment)) % 1000 / 1000
        return _fnv(_fnv(np.char.add(experiment, users)).astype(str)) % 10000 / 10000


@assignment("random", cite="kohavi2009,ferro2024")
class Random(Assignment):
    """Drawn at random, in the order in which users come: the assignment must be stored (``assignment_table``)."""

    stored: ClassVar[bool] = True

    seed: Annotated[int, Limits(0)] = SEED

    def place(self, users: NDArray[np.str_], experiment: str, *, after: int = 0) -> NDArray[np.float64]:
        return generator(self.seed, self.name, experiment, after).random(len(users))


def parse_assignment(text: str | Assignment) -> Assignment:
    """The way to assign that a text stands for: ``md5``, ``planout(variable='page')``, ``growthbook(version=1)``."""
    return parse_method(ASSIGNMENTS, text, see="cranfield ab --help")


def assign(
    users: ArrayLike, experiment: str, weights: Sequence[float] = (1, 1), *, how: str | Assignment = "md5"
) -> NDArray[np.int64]:
    """(user,): the arm of each, a place in ``weights``, which say how much of the users each arm is to have."""
    names, method = _names(users), parse_assignment(how)
    shares, name = check_weights(weights), _experiment(experiment)
    if not method.stored:
        return method.arms(names, name, shares)
    distinct, first, place = np.unique(names, return_index=True, return_inverse=True)
    order = np.argsort(first)  # a draw goes by who comes first
    arms = np.empty(len(distinct), dtype=np.int64)
    arms[order] = method.arms(distinct[order], name, shares)
    return arms[place]


def assignment_table(
    users: ArrayLike,
    experiment: str,
    weights: Sequence[float] = (1, 1),
    *,
    how: str | Assignment = "random",
    arms: Sequence[str] = ("control", "treatment"),
    stored: Table | None = None,
) -> Table:
    """The arm of each user by name, each user once; users of the ``stored`` table come first and keep their arm."""
    if len(arms) != len(weights) or len(set(arms)) != len(arms):
        raise ParameterError(f"{len(weights)} weights for the arms {', '.join(arms)}", hint="name each arm once")
    kept = {} if stored is None else _stored(stored, experiment)
    unknown = set(kept.values()) - set(arms)
    if unknown:
        raise ParameterError(f"the stored table has an arm {min(unknown)!r}", hint=f"there are: {', '.join(arms)}")
    new = [user for user in dict.fromkeys(_names(users).tolist()) if user not in kept]
    if new:
        method = parse_assignment(how)
        found = method.arms(np.array(new), _experiment(experiment), check_weights(weights), after=len(kept))
        kept |= dict(zip(new, (arms[arm] for arm in found), strict=True))
    rows = [{"experiment": experiment, "user": user, "arm": arm} for user, arm in kept.items()]
    return Table.from_rows(rows, STORED, caption=f"Who is in which arm of {experiment}")


def stored_arms(stored: Table, users: ArrayLike, experiment: str) -> list[str]:
    """The arm of each user as it was stored."""
    kept = _stored(stored, experiment)
    names = _names(users).tolist()
    missing = [user for user in names if user not in kept]
    if missing:
        hint = "assign them first: assignment_table(users, …, stored=table)"
        raise ParameterError(f"{len(missing)} users have no stored arm, such as {missing[0]!r}", hint=hint)
    return [kept[user] for user in names]


def check_weights(weights: ArrayLike) -> NDArray[np.float64]:
    """(arm,): the weights, refused where they are no shares of anything."""
    found = np.asarray(weights, dtype=float)
    if found.ndim != 1 or not len(found) or not np.isfinite(found).all() or (found < 0).any() or not found.sum():
        raise ParameterError(f"these are no weights: {weights!r}", hint="a number from 0 up for each arm, such as 1, 1")
    return found


def _stored(stored: Table, experiment: str) -> dict[str, str]:
    """The arm of each user of an experiment, in stored order."""
    cells = zip(*(stored.cells(name) for name in STORED), strict=True)
    rows = [(str(user), str(arm)) for other, user, arm in cells if other == experiment]
    kept = dict(rows)
    if len(kept) < len(rows):
        raise ParameterError("the stored table has a user twice", hint="keep one row for each user of an experiment")
    return kept


def _experiment(name: str) -> str:
    if not name:
        raise ParameterError("the experiment has no name", hint="its name parts it from other experiments")
    return name


def _names(users: ArrayLike) -> NDArray[np.str_]:
    """(user,): names as text; whole numbers are names too."""
    found = np.asarray(users)
    if found.dtype.kind == "O" and all(isinstance(user, str | int) for user in found.ravel()):
        found = found.astype(str)
    if found.ndim != 1 or not len(found) or found.dtype.kind not in "Uiu":
        raise ParameterError("these are no users", hint="give one name or whole number for each, and no empty ones")
    return found.astype(str)


def _digits(hashed: Literal["md5", "sha1"], users: NDArray[np.str_], salt: str, digits: int) -> NDArray[np.int64]:
    """(user,): the first hexadecimal digits, at most 15, of the hash of ``salt.user``."""
    start = new(hashed, f"{salt}.".encode(), usedforsecurity=False)
    found = bytearray()
    for user in users.tolist():
        one = start.copy()
        one.update(user.encode())
        found += one.digest()[:8]
    return (np.frombuffer(found, dtype=">u8") >> np.uint64(64 - 4 * digits)).astype(np.int64)


def _fnv(texts: NDArray[np.str_]) -> NDArray[np.uint32]:
    """(text,): the FNV-1a hash of each, a character of all texts at a time."""
    length = np.char.str_len(texts)
    codes = np.ascontiguousarray(texts).view(np.uint32).reshape(len(texts), -1)
    state = np.full(len(texts), FNV_START)
    for column, code in enumerate(codes.T):
        state = np.where(column < length, (state ^ code) * FNV_PRIME, state)
    return state
