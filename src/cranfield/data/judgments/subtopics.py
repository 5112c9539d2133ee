"""Subtopics of a topic, and the probability of each as the user's intent."""

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cranfield._native import Names
from cranfield.data.files.columns import NAMES, strings
from cranfield.data.files.data_source import Source, digest
from cranfield.data.files.input_problems import listed, problem
from cranfield.data.files.number_columns import numbers

from .side_tables import Named, SideTable

if TYPE_CHECKING:
    from cranfield.data.runs.run import Run

    from .qrels import Qrels

COLUMNS = {
    "topic": NAMES["topic"],
    "subtopic": ("subtopic", "intent", "subtopic_id", "iteration"),
    "weight": ("weight", "probability", "prob", "share"),
}
NOBODY = -np.inf


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Subtopics:
    """How much each subtopic of a topic counts; where nothing is said of a topic, its subtopics count alike."""

    kind: ClassVar[str] = "subtopics"
    every_run: ClassVar[bool] = False
    weights: dict[tuple[str, str], float]  # (topic, subtopic): from 0 up
    source: Source | None = None

    def __repr__(self) -> str:
        return f"Subtopics({len(self.weights)} of {len({topic for topic, _ in self.weights})} topics)"

    def names(self, runs: Sequence["Run"]) -> list[Named]:
        """None: the judgments name their documents."""
        del runs
        return []

    def table(self, judgments: "Qrels", names: Names) -> SideTable:
        """The grade of each document in each subtopic of its topic."""
        named = names.starts[: len(judgments.topics) + 1]
        ordered = np.array(judgments.subtopics.to_list())
        place = np.empty(len(ordered), np.int64)
        place[np.argsort(ordered)] = np.arange(len(ordered))  # by name, whatever the order of lines
        pairs = judgments.topic.astype(np.int64) * len(place) + place[judgments.subtopic]
        keys, which = np.unique(pairs, return_inverse=True)
        topic, subtopic = np.divmod(keys, len(place))
        number = np.arange(len(keys)) - np.searchsorted(topic, topic)
        columns = int(number.max(initial=0)) + 1
        value = np.full((int(named[-1]), columns), NOBODY)
        value[names.rows[0], number[which]] = judgments.grade
        weight = np.zeros((len(judgments.topics), columns))
        weight[topic, number] = self._weights(judgments, topic, np.sort(ordered)[subtopic])
        return SideTable(tuple(str(i + 1) for i in range(columns)), value, weight)

    def _weights(self, judgments: "Qrels", topic: NDArray[np.int64], subtopic: NDArray[np.str_]) -> NDArray[np.float64]:
        """(pair,): what each subtopic of each topic counts, 1 in all for a topic."""
        if not self.weights:
            return 1 / np.bincount(topic)[topic]
        names = judgments.topics.to_list()
        told = {one for one, _ in self.weights}
        self._meet(names, {(names[t], str(s)) for t, s in zip(topic, subtopic, strict=True)})
        each = np.array(
            [
                self.weights.get((names[t], str(s)), 0.0) if names[t] in told else 1.0
                for t, s in zip(topic, subtopic, strict=True)
            ]
        )
        total = np.bincount(topic, each)
        return np.divide(each, total[topic], out=np.zeros(len(each)), where=total[topic] > 0)

    def _meet(self, topics: Sequence[str], judged: set[tuple[str, str]]) -> None:
        """Refuse weights that are about other topics."""
        if not {topic for topic, _ in self.weights} & set(topics):
            message = f"no topic of the weights is in the qrels (they have {listed([t for t, _ in self.weights])})"
            raise problem(self._name, "E-TOPICS", message, f"the qrels have {listed(topics)}: do they belong together?")
        if not self.weights.keys() & judged:
            named = listed([f"{topic} {subtopic}" for topic, subtopic in sorted(judged)])
            message = "no subtopic of the weights is in the second column of the qrels"
            raise problem(self._name, "E-TOPICS", message, f"the qrels have {named}")

    @property
    def _name(self) -> str:
        return self.source.name if self.source else "intents"


def read_intents(data: Any, *, name: str | None = None) -> Subtopics:
    """How likely each subtopic is, from a file or a frame with columns topic, subtopic and weight.

    A file may have a header or none (TSV, CSV, Parquet, JSON Lines; packed or not). Weights of a topic need not add up
    to 1: they are shares of their sum.
    """
    if isinstance(data, Subtopics):
        return data
    from .side_table_columns import side_columns

    name = name or (fspath(data) if isinstance(data, str | PathLike) else "intents")
    found = side_columns(data, COLUMNS, name=name)
    topic, subtopic = (strings(found[key], key, name) for key in ("topic", "subtopic"))
    weight = numbers(found["weight"], "weight", name)
    if not len(weight):
        raise problem(name, "E-EMPTY", "there are no weights", "a line reads: topic subtopic weight")
    if weight.min() < 0:
        row = int(weight.argmin())
        raise problem(name, "E-RANGE", f"weight {weight[row]:g} in row {row} is below 0", "weights are from 0 up")
    pairs = list(zip(topic.to_list(), subtopic.to_list(), strict=True))
    weights = dict(zip(pairs, weight.tolist(), strict=True))
    if len(weights) < len(pairs):
        twice = next(pair for i, pair in enumerate(pairs) if pair in pairs[:i])
        message = f"subtopic {twice[1]} of topic {twice[0]} stands twice"
        raise problem(name, "E-DUPDOC", message, "keep one line for each subtopic of a topic")
    return Subtopics(weights, Source(name, digest(topic, subtopic, weight), "intents"))
