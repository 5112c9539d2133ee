"""Groups to which documents belong, for measures of fairness."""

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cranfield import _native
from cranfield._native import Names, Strings
from cranfield.data.files.columns import NAMES, strings
from cranfield.data.files.data_source import Source, digest
from cranfield.data.files.input_problems import problem
from cranfield.data.files.number_columns import numbers

from .side_table_columns import side_columns
from .side_tables import Named, SideTable

if TYPE_CHECKING:
    from cranfield.data.runs.run import Run

    from .qrels import Qrels

COLUMNS = {
    "document": NAMES["document"],
    "group": ("group", "attribute", "category", "value", "label"),
    "share": ("share", "membership", "weight", "probability"),
}
LINE = "a line reads: document group [share]"
NOBODY = -np.inf


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Attributes:
    """The groups that documents belong to: wholly, or by shares that add up to 1 for each document."""

    kind: ClassVar[str] = "attributes"
    every_run: ClassVar[bool] = True
    documents: Strings  # distinct
    groups: tuple[str, ...]  # by name
    share: NDArray[np.float64]  # (document, group)
    source: Source

    def __len__(self) -> int:
        return len(self.share)

    def __repr__(self) -> str:
        return f"Attributes({self.source.name!r}: {len(self)} documents of {len(self.groups)} groups)"

    def names(self, runs: Sequence["Run"]) -> list[Named]:
        """The documents of runs whose group is known, judged or not."""
        found = []
        for run in runs:
            known = np.flatnonzero(self._places(run.document) >= 0)
            found.append((run.topics, run.topic[known], run.document.take(known)))
        return found

    def table(self, judgments: "Qrels", names: Names) -> SideTable:
        """The share of each named document in each group; all topics have the groups as often as the documents here."""
        topics = len(judgments.topics)
        place = self._places(names.documents)[: int(names.starts[topics])]
        value = np.where((place >= 0)[:, None], self.share[place], NOBODY)
        return SideTable(self.groups, value, np.tile(self.share.mean(axis=0), (topics, 1)))

    def _places(self, documents: Strings) -> NDArray[np.int64]:
        """(document,): which of the documents here each of others is; -1: none."""
        everywhere = Strings(["all"])
        tables = [(everywhere, np.zeros(len(column), np.uint32), column) for column in (self.documents, documents)]
        ours, theirs = _native.Names(tables).rows
        known = np.full(max(ours.max(initial=-1), theirs.max(initial=-1)) + 1, -1)
        known[ours] = np.arange(len(ours))
        return known[theirs]


def read_attributes(data: Any, *, name: str | None = None) -> Attributes:
    """The groups of documents from a file or a frame with columns document, group and, if there is one, share.

    A file may have a header or none (TSV, CSV, Parquet, JSON Lines; packed or not); a dict of document and group is
    read too. A document may stand in several lines, once for each of its groups: it belongs to them by its shares,
    scaled to 1, or alike.
    """
    if isinstance(data, Attributes):
        return data
    name = name or (fspath(data) if isinstance(data, str | PathLike) else "attributes")
    if isinstance(data, dict) and data and all(isinstance(group, str) for group in data.values()):
        data = {"document": list(data), "group": list(data.values())}
    found = side_columns(data, COLUMNS, optional=("share",), name=name)
    documents, document = strings(found["document"], "document", name).distinct()
    groups, group = strings(found["group"], "group", name).distinct()
    share = numbers(found["share"], "share", name) if "share" in found else np.ones(len(group))
    if not len(share):
        raise problem(name, "E-EMPTY", "there are no documents", LINE)
    if share.min() < 0:
        row = int(share.argmin())
        raise problem(name, "E-RANGE", f"share {share[row]:g} in row {row} is below 0", "shares are from 0 up")
    order = np.argsort(groups.to_list())
    if len(order) < 2:
        hint = "name at least two groups, such as known and other"
        raise problem(name, "E-COLUMNS", f"all documents are in one group, {groups[0]}", hint)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    held = np.zeros((len(documents), len(order)))
    np.add.at(held, (document, place[group]), share)
    total = held.sum(axis=1, keepdims=True)
    if not total.all():
        lost = documents[int(np.flatnonzero(total[:, 0] == 0)[0])]
        raise problem(name, "E-RANGE", f"document {lost} has no share in any group", "leave it out, or say which")
    names = tuple(groups[int(i)] for i in order)
    return Attributes(
        documents, names, held / total, Source(name, digest(documents, Strings(names), held), "attributes")
    )
