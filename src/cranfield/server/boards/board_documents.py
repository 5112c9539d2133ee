"""Read stored leaderboards: columns, sorting, filtering and interval bars."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlencode

from cranfield.server.accounts.visibility import Thing, Viewer, sees
from cranfield.server.models import Snapshot
from cranfield.server.site import blob_store
from cranfield.server.site.single_flight_cache import kept

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from cranfield.server.models import Task

Document: TypeAlias = dict[str, Any]

WIDTH = 100  # of an interval bar, in its own units
DOWN, UP = "down", "up"  # the largest first, or the smallest
LONGEST = 100  # signs of a search


@dataclass(frozen=True, kw_only=True, slots=True)
class Column:
    """A column of the board."""

    name: str  # in addresses and in the document
    title: str
    number: bool = True
    first: str = DOWN  # which way round it is sorted at first
    help: str = ""


COLUMNS = (
    Column(
        name="letters",
        title="Group",
        number=False,
        first=UP,
        help="Runs that share a letter are not significantly different",
    ),
    Column(
        name="rank", title="Rank", first=UP, help="1 + the number of runs significantly better; (its places by mean)"
    ),
    Column(name="run", title="Run and team", number=False, first=UP),
    Column(name="value", title="Value"),
    Column(name="difference", title="To the best", help="Difference to the best run, and its adjusted p"),
    Column(
        name="p_first",
        title="P(rank\N{NO-BREAK SPACE}1)",
        help="How often the run is first when topics are drawn again",
    ),
    Column(name="answered", title="Answered", help="Topics with a relevant document among the first"),
    Column(name="unjudged", title="Unjudged@10", help="Documents among the first ten that nobody judged"),
    Column(name="released", title="Private", help="What is told of the value on private topics while the task is open"),
    Column(name="kind", title="Type", number=False, first=UP),
    Column(name="date", title="Date", number=False),
    Column(name="runs", title="Team’s runs", help="Hidden and withdrawn ones included"),
    Column(name="badges", title="Notes", number=False),
)
BY_NAME = {column.name: column for column in COLUMNS}
MAY_BE_EMPTY = ("answered", "unjudged", "released", "kind", "badges")  # then there is no such column


@kept(8)  # some megabytes each
def document_of(digest: str) -> Document:
    """The document with that digest, read once. Nobody may change it: it is shared."""
    found: Document = json.loads(blob_store.read(digest))
    return found


@kept(256)
def board_of(digest: str) -> Document:
    """A document without the tables of its panels, which are most of it: what a board and a list of tasks need."""
    found: Document = json.loads(blob_store.read(digest))
    for panel in found["panels"].values():
        panel["table"] = None
    return found


def newest_of(task: Task, kind: str = Snapshot.PUBLIC) -> Snapshot | None:
    """The board as it stands, for everybody or for organisers."""
    return task.snapshots.filter(kind=kind).select_related("version").order_by("-number").first()


def newest_for(task: Task, viewer: Viewer) -> Snapshot | None:
    """The newest board that the viewer may see; organisers see hidden runs and names, too."""
    if not sees(viewer, Thing.BOARD, task):
        return None
    full = newest_of(task, Snapshot.FULL) if sees(viewer, Thing.FULL_BOARD, task) else None
    return full or newest_of(task)


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """What a reader wants of a board: it stands in the address, so that it can be sent to somebody."""

    sort: str = "rank"
    order: str = UP
    kind: str = ""
    q: str = ""
    meta: str = ""

    @classmethod
    def of(cls, given: Mapping[str, str]) -> Asked:
        """What an address asks for; what makes no sense is not asked."""
        sort = given.get("sort", "")
        sort = sort if sort in BY_NAME and sort != "badges" else "rank"
        order = given.get("order", "")
        order = order if order in (UP, DOWN) else BY_NAME[sort].first
        kind, q, meta = (given.get(name, "").strip()[:LONGEST] for name in ("kind", "q", "meta"))
        return cls(sort=sort, order=order, kind=kind, q=q, meta=meta)

    @property
    def is_filtered(self) -> bool:
        """Whether it leaves rows out."""
        return bool(self.kind or self.q or self.meta)

    def sorted_by(self, column: str) -> str:
        """The query of the same board by a column; by the same column, the other way round."""
        order = BY_NAME[column].first
        if column == self.sort:
            order = UP if self.order == DOWN else DOWN
        asked = {"sort": column, "order": order, "kind": self.kind, "q": self.q, "meta": self.meta}
        return "?" + urlencode({name: value for name, value in asked.items() if value})

    def rows(self, document: Document) -> list[dict[str, Any]]:
        """The rows it asks for, in its order; what has no value stands last either way."""
        kept = [row for row in document["rows"] if self._keeps(row)]
        there = [row for row in kept if row[self.sort] not in (None, "")]
        if self.sort != "rank":  # whose order is that of the board, which knows more than ranks
            there.sort(key=lambda row: _sortable(row[self.sort]), reverse=self.order == DOWN)
        elif self.order == DOWN:
            there.reverse()
        return there + [row for row in kept if row[self.sort] in (None, "")]

    def _keeps(self, row: Mapping[str, Any]) -> bool:
        if self.kind and row["kind"] != self.kind:
            return False
        if self.q and self.q.casefold() not in f"{row['run']}\n{row['group'] or ''}".casefold():
            return False
        wanted = self.meta.casefold()
        return not wanted or any(wanted in line.casefold() for line in flat(row["metadata"]))


def _sortable(value: Any) -> Any:
    return value.casefold() if isinstance(value, str) else value


def flat(metadata: Any, name: str = "") -> Iterator[str]:
    """What a run's header says, as lines ``name.of.it: value``."""
    if isinstance(metadata, dict):
        for key, inner in metadata.items():
            yield from flat(inner, f"{name}.{key}" if name else str(key))
    elif isinstance(metadata, list):
        for inner in metadata:
            yield from flat(inner, name)
    else:
        yield f"{name}: {metadata}"


def kinds_of(document: Document) -> list[str]:
    """The types of run there are."""
    return sorted({row["kind"] for row in document["rows"] if row["kind"]})


def columns_of(document: Document) -> list[Column]:
    """The columns in which there is something."""
    rows = document["rows"]
    empty = {name for name in MAY_BE_EMPTY if all(row[name] in (None, "", []) for row in rows)}
    return [column for column in COLUMNS if column.name not in empty]


@dataclass(frozen=True, slots=True)
class Bars:
    """Where values and intervals lie on one scale for the whole board."""

    low: float
    high: float

    @classmethod
    def of(cls, document: Document) -> Bars:
        """The scale on which every row of a board has its place."""
        rows = [row for row in document["rows"] if row["rank"] is not None]
        ends = [row[name] for row in rows for name in ("low", "high", "value") if row[name] is not None]
        return cls(min(ends, default=0.0), max(ends, default=1.0))

    def place(self, value: float | None) -> float | None:
        """A value on the scale."""
        if value is None:
            return None
        return round(WIDTH * (value - self.low) / ((self.high - self.low) or 1), 1)
