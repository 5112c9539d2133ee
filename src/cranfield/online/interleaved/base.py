"""Base classes and catalogue of interleaving methods: build a page, assign credit for clicks."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from string import ascii_lowercase
from typing import Any, ClassVar, TypeAlias, TypeVar

import numpy as np

from cranfield.core import Catalogue, Declared, ParameterError, describe, write
from cranfield.stats import parse_method

Lists: TypeAlias = Sequence[Sequence[str]]
Matrix: TypeAlias = tuple[tuple[float, ...], ...]  # (list, document)
NOBODY = -1  # the team of a document that no list put there alone
FIXED = ("impression", "method", "rank", "document", "team", "chance")  # columns of a log row; then rank_*, worth_*


@dataclass(frozen=True, slots=True)
class Interleaved:
    """One result page made of several lists, with all that is needed to say later whom clicks on it speak for."""

    method: "Interleaving"
    runs: tuple[str, ...]  # (list,): what each is called
    documents: tuple[str, ...]
    teams: tuple[int, ...]  # (document,): the list that put it there, counted from 0; −1: none alone
    ranks: tuple[tuple[int, ...], ...]  # (list, document): its rank there; 0: it is not there
    worth: Matrix = ()  # (list, document): what a click on it gives the list; empty where clicks count together
    chance: tuple[float, ...] = ()  # (document,): of being shown here, given those above; empty where not known

    def credit(self, clicks: Iterable[int | str]) -> tuple[float, ...]:
        """(list,): what the clicks give each list; a click is a rank, counted from 1, or a document."""
        return self.method.credit(self, self.places(clicks))

    def places(self, clicks: Iterable[int | str]) -> list[int]:
        """What was clicked, counted from 0, top to bottom, each once."""
        found = {self._place(click) for click in clicks}
        return sorted(found)

    def _place(self, click: int | str) -> int:
        if isinstance(click, str):
            if click not in self.documents:
                hint = f"shown were: {', '.join(self.documents)}"
                raise ParameterError(f"document {click!r} was clicked, but not shown", hint=hint)
            return self.documents.index(click)
        if isinstance(click, bool) or click != int(click) or not 1 <= click <= len(self.documents):
            hint = f"give ranks from 1 to {len(self.documents)}, or documents"
            raise ParameterError(f"there is no rank {click!r} to click", hint=hint)
        return int(click) - 1

    def rows(self, impression: str, **more: Any) -> list[dict[str, Any]]:
        """The page as rows for a log, one for each document; ``more`` stands in every row: user, topic, time."""
        names = [f"{kind}_{run}" for kind in ("rank", "worth") for run in self.runs]
        taken = [name for name in more if name in (*FIXED, *names)]
        if taken:
            raise ParameterError(f"the column {taken[0]!r} has a meaning already", hint="call yours something else")
        method = str(self.method)
        worth = self.worth or ((None,) * len(self.documents),) * len(self.runs)
        found = []
        for place, document in enumerate(self.documents):
            team = self.teams[place]
            row: dict[str, Any] = {"impression": impression, "method": method, "rank": place + 1, "document": document}
            row["team"] = None if team == NOBODY else self.runs[team]
            row["chance"] = self.chance[place] if self.chance else None
            values = [*(ranks[place] or None for ranks in self.ranks), *(each[place] for each in worth)]
            found.append(row | dict(zip(names, values, strict=True)) | more)
        return found

    @classmethod
    def from_rows(cls, rows: Iterable[Mapping[str, Any]]) -> "Interleaved":
        """The page that rows of a log describe; the rows may come in any order."""
        rows = list(rows)
        if not rows:
            raise ParameterError("an impression has no row", hint="give the rows that Interleaved.rows made")
        missing = [name for name in FIXED if any(name not in row for row in rows)]
        runs = tuple(name.removeprefix("rank_") for name in rows[0] if name.startswith("rank_"))
        if missing or len(runs) < 2:
            what = f"the column {missing[0]!r}" if missing else "columns rank_… of two runs"
            raise ParameterError(f"rows of an impression lack {what}", hint="give all that Interleaved.rows made")
        for name in ("impression", "method"):
            if len({row[name] for row in rows}) > 1:
                raise ParameterError(f"rows of more than one {name} are mixed", hint="give those of one impression")
        rows.sort(key=lambda row: row["rank"])
        if [row["rank"] for row in rows] != list(range(1, len(rows) + 1)):
            raise ParameterError(
                f"the ranks of impression {rows[0]['impression']} are not 1 to {len(rows)}",
                hint="give every row of the impression once",
            )
        names = {run: number for number, run in enumerate(runs)}
        if unknown := [row["team"] for row in rows if row["team"] is not None and row["team"] not in names]:
            message = f"the team {unknown[0]!r} of impression {rows[0]['impression']} is none of its runs"
            raise ParameterError(message, hint=f"the columns rank_... name the runs: {', '.join(runs)}")
        worth = tuple(tuple(row[f"worth_{run}"] for row in rows) for run in runs)
        chance = tuple(row["chance"] for row in rows)
        return cls(
            parse_interleaving(rows[0]["method"]),
            runs,
            tuple(row["document"] for row in rows),
            tuple(NOBODY if row["team"] is None else names[row["team"]] for row in rows),
            tuple(tuple(int(row[f"rank_{run}"] or 0) for row in rows) for run in runs),
            () if worth[0][0] is None else worth,
            () if chance[0] is None else chance,
        )


class Interleaving(Declared, ABC):
    """A way to make one result page of several lists, and to read clicks on it as votes for lists."""

    name: ClassVar[str]
    cite: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]]
    at: ClassVar[str] = ""  # nothing stands behind an @
    several: ClassVar[bool] = True  # whether it takes more than two lists

    def __str__(self) -> str:
        return write(describe(self))

    __repr__ = __str__

    def reach(self, lists: Lists) -> int:
        """How long a page may be: while it is no longer than the shortest list, every list has something to give."""
        return min(map(len, lists))

    @abstractmethod
    def draw(self, lists: Lists, length: int, rng: np.random.Generator) -> tuple[list[str], list[int]]:
        """The documents of a page, and whose each is; ``length`` is no more than ``reach``."""

    def made(
        self, lists: Lists, documents: Sequence[str], teams: Sequence[int], runs: tuple[str, ...] = ("a", "b")
    ) -> Interleaved:
        """A page that was drawn, with what its clicks are worth."""
        where = [dict(zip(one, range(1, len(one) + 1), strict=True)) for one in lists]
        ranks = tuple(tuple([place.get(document, 0) for document in documents]) for place in where)
        worth, chance = self.weigh(lists, ranks, teams)
        return Interleaved(self, runs, tuple(documents), tuple(teams), ranks, worth, chance)

    @abstractmethod
    def weigh(
        self, lists: Lists, ranks: tuple[tuple[int, ...], ...], teams: Sequence[int]
    ) -> tuple[Matrix, tuple[float, ...]]:
        """What a click on each document is worth to each list, and the chance of the document; empty: neither."""

    def credit(self, shown: Interleaved, places: Sequence[int]) -> tuple[float, ...]:
        """(list,): what clicks at these places, counted from 0, give each list: what each alone is worth, summed."""
        return tuple([float(sum([worth[place] for place in places])) for worth in shown.worth])


ORDER = tuple(
    f"online.interleaved.{module}" for module in ("team_draft", "probabilistic", "optimised", "preference_multileaving")
)
INTERLEAVINGS: Catalogue[Interleaving] = Catalogue("interleaving", order=ORDER)
M = TypeVar("M", bound=Interleaving)


def interleaving(name: str, *, cite: str, aliases: tuple[str, ...] = ()) -> Callable[[type[M]], type[M]]:
    """Give a method of interleaving its name and its source, and list it."""
    return INTERLEAVINGS.declare(name, cite=cite, aliases=aliases)


def parse_interleaving(text: str | Interleaving) -> Interleaving:
    """The method that a text stands for: ``team-draft``, ``probabilistic(tau=1)``."""
    if isinstance(text, str) and text in INTERLEAVINGS:
        return INTERLEAVINGS[text]()
    return parse_method(INTERLEAVINGS, text, see="cranfield interleave --help")


def interleave(
    a: Sequence[str],
    b: Sequence[str],
    rng: np.random.Generator,
    *,
    method: str | Interleaving = "team-draft",
    length: int | None = None,
    runs: Sequence[str] = ("a", "b"),
) -> Interleaved:
    """One result page of two lists, to be shown to a user; ``rng`` throws the coins.

    It ends at ``length``, and never later than the method stays fair: with the shorter list, and for ``balanced``
    where either list is used up.
    """
    return multileave((a, b), rng, method=method, length=length, runs=runs)


def multileave(
    lists: Lists,
    rng: np.random.Generator,
    *,
    method: str | Interleaving = "team-draft",
    length: int | None = None,
    runs: Sequence[str] | None = None,
) -> Interleaved:
    """One result page of two lists or more, as ``interleave`` makes of two; ``runs`` names them: a, b, c, …"""
    chosen = parse_interleaving(method)
    names = tuple(ascii_lowercase[: len(lists)] if runs is None else runs)
    _check(chosen, lists, length, names)
    reach = chosen.reach(lists)
    documents, teams = chosen.draw(lists, reach if length is None else min(length, reach), rng)
    return chosen.made(lists, documents, teams, names)


def _check(method: Interleaving, lists: Lists, length: int | None, runs: tuple[str, ...]) -> None:
    if len(lists) < 2 or (len(lists) > 2 and not method.several):
        wanted = "two lists or more" if method.several else "two lists"
        raise ParameterError(f"{method} makes a page of {wanted}, not of {len(lists)}", hint=f"give it {wanted}")
    if len(runs) != len(lists) or len(set(runs)) != len(runs):
        message = f"{len(set(runs))} different names for {len(lists)} lists"
        raise ParameterError(message, hint="give every list a name of its own: runs=('old', 'new')")
    for run, one in zip(runs, lists, strict=True):
        if not one:
            raise ParameterError(f"the list of {run} is empty", hint="show the other list, and log no impression")
        if len(set(one)) != len(one):
            twice = next(x for x, y in pairwise(sorted(one)) if x == y)
            raise ParameterError(f"document {twice!r} is twice in the list of {run}", hint="give each document once")
    if length is not None and length < 1:
        raise ParameterError(f"a page of length {length} shows nothing", hint="give a length of 1 or more")
