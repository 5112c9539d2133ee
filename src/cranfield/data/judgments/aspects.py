"""Labels of aspects other than relevance, such as the credibility of a document."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from cranfield import _native
from cranfield._native import Names
from cranfield.data.files.data_source import Source, digest
from cranfield.data.files.input_problems import problem

from .qrels import Qrels, read_qrels
from .side_tables import Named, SideTable

if TYPE_CHECKING:
    from cranfield.data.runs.run import Run

NOBODY = -np.inf


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Aspects:
    """Labels by the name of what they say; each is in the form of judgments."""

    kind: ClassVar[str] = "aspects"
    every_run: ClassVar[bool] = False
    labels: Mapping[str, Qrels]

    def __repr__(self) -> str:
        return f"Aspects({', '.join(self.labels)})"

    @property
    def source(self) -> Source:
        """All of them together."""
        name = ", ".join(qrels.source.name for qrels in self.labels.values())
        sums = [digest(qrels.topics, qrels.document, qrels.grade) for qrels in self.labels.values()]
        one = sums[0] if len(sums) == 1 else digest(*(np.frombuffer(each.encode(), np.uint8) for each in sums))
        return Source(name, one, "aspects")

    def names(self, runs: Sequence["Run"]) -> list[Named]:
        """The documents that have a label."""
        del runs
        return [(qrels.topics, qrels.topic, qrels.document) for qrels in self.labels.values()]

    def table(self, judgments: Qrels, names: Names) -> SideTable:
        """The label of each named document in each aspect; they count alike."""
        topics = len(judgments.topics)
        named = int(names.starts[topics])
        topic = np.repeat(np.arange(len(names.topics), dtype=np.uint32), np.diff(names.starts))
        # Whoever comes first gives the numbers: those of all named documents stay what they are.
        rows = _native.Names([(names.topics, topic, names.documents), *self.names(())]).rows[1:]
        value = np.full((len(topic), len(self.labels)), NOBODY)
        for column, (own, qrels) in enumerate(zip(rows, self.labels.values(), strict=True)):
            value[own, column] = qrels.grade
        weight = np.full((topics, len(self.labels)), 1 / len(self.labels))
        return SideTable(tuple(self.labels), value[:named], weight)


def read_aspects(data: Any) -> Aspects:
    """Labels of several aspects: ``{"credibility": labels, …}``, each of them whatever ``read_qrels`` reads.

    Labels may have decimals.
    """
    if isinstance(data, Aspects):
        return data
    if not isinstance(data, Mapping) or not data or not all(isinstance(name, str) for name in data):
        hint = "give a dict: {'understandability': a file, a frame or a dict of dicts}"
        raise problem("aspects", "E-KIND", f"an object of type {type(data).__name__} holds no aspects", hint)
    read = {name: read_qrels(labels, gains=True) for name, labels in data.items()}
    return Aspects({name: replace(qrels, source=replace(qrels.source, kind="aspect")) for name, qrels in read.items()})
