"""Side tables: data on documents in addition to grades, such as subtopics, groups and aspects."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield._native import Names, Strings
from cranfield.data.files.data_source import Source

if TYPE_CHECKING:
    from cranfield.data.runs.run import Run

    from .qrels import Qrels

Named: TypeAlias = tuple[Strings, NDArray[np.uint32], Strings]  # topics, which of them, document

# What there is, and what to do where a measure needs it.
NEEDED = {
    "subtopics": "give judgments whose second column is a subtopic, and more than one of them",
    "attributes": "say which group each document is in: --attributes FILE (attributes=)",
    "aspects": "give other labels of the same documents: --aspect NAME=FILE (aspects={name: labels})",
}
# Where each is read: few evaluations ask for one.
READERS = {
    "subtopics": ("subtopics", "read_intents"),
    "attributes": ("attributes", "read_attributes"),
    "aspects": ("aspects", "read_aspects"),
}
LABELS = ("subtopics", "aspects")  # judgments themselves: other grades know nothing of them


@dataclass(frozen=True, slots=True, eq=False)
class SideTable:
    """A row of numbers for every named document: its grade in each subtopic, its share in each group, and the like.

    Topics may mean different things by one column, as they do by the first subtopic.
    """

    columns: tuple[str, ...]  # what each column is; a number where topics mean different things by it
    value: NDArray[np.float64]  # (named, column): -inf where nobody said anything
    weight: NDArray[np.float64]  # (topic, column): how much each counts in a topic; 0: the topic does not have it

    def __repr__(self) -> str:
        return f"SideTable({len(self.value)} named documents, {len(self.columns)} columns)"


def read_sides(given: Mapping[str, Any]) -> list["Side"]:
    """What is given of each kind, read: a file, a frame, or what the reader of that kind takes; None: nothing."""
    asked = {kind: data for kind, data in given.items() if data is not None}
    readers = {
        kind: (import_module(f".{module}", __package__), name)
        for kind, (module, name) in READERS.items()
        if kind in asked
    }
    return [getattr(*readers[kind])(data) for kind, data in asked.items()]


class Side(Protocol):
    """What somebody knows of documents before it is said which documents matter: it becomes a side table."""

    kind: ClassVar[str]
    every_run: ClassVar[bool]  # whether documents matter that runs retrieve and nobody judged

    @property
    def source(self) -> Source | None:
        """Where it came from; None: the judgments themselves said it."""

    def names(self, runs: Sequence["Run"]) -> list[Named]:
        """The (topic, document) pairs that it makes known, beside those of the judgments."""

    def table(self, judgments: "Qrels", names: Names) -> SideTable:
        """What it says of the named documents; the judgments are the first table of ``names``."""
