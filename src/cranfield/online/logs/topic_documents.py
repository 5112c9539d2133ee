"""Pairs of a topic and a document shown for it, numbered for use as array indices."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Pairs:
    """Pairs of a topic and a document that was shown for it: what has an attraction of its own."""

    topics: tuple[str, ...]
    documents: tuple[str, ...]
    topic: NDArray[np.int64]  # (pair,)
    document: NDArray[np.int64]  # (pair,)

    def __post_init__(self) -> None:
        if self.topic.shape != self.document.shape or self.topic.ndim != 1:
            message = f"{self.topic.shape} topics do not fit {self.document.shape} documents"
            raise ParameterError(message, hint="a pair has one topic and one document")
        for index, names, what in ((self.topic, self.topics, "topic"), (self.document, self.documents, "document")):
            if len(index) and (index.min() < 0 or index.max() >= len(names)):
                message = f"a pair has {what} {index.min()} or {index.max()} where there are {len(names)}"
                raise ParameterError(message, hint=f"number the {what}s from 0")

    def __len__(self) -> int:
        return len(self.topic)

    def __repr__(self) -> str:
        return f"Pairs({len(self)} of {len(self.topics)} topics and {len(self.documents)} documents)"

    @classmethod
    def of(cls, topics: Sequence[str], documents: Sequence[str]) -> tuple["Pairs", NDArray[np.int64]]:
        """The pairs of two columns, each once, and which of them each row is."""
        topic_names, topic = number(topics)
        document_names, document = number(documents)
        key, row = np.unique(topic * len(document_names) + document, return_inverse=True)
        return cls(topic_names, document_names, *np.divmod(key, len(document_names))), row

    @classmethod
    def groups(cls, names: Iterable[str]) -> "Pairs":
        """Groups of documents, the same for every topic."""
        named = tuple(names)
        return cls(("any",), named, np.zeros(len(named), dtype=np.int64), np.arange(len(named)))

    def by_name(self) -> tuple["Pairs", NDArray[np.int64]]:
        """Return the same pairs in the order of their names, and the former number of each."""
        topics, documents = (
            sorted(range(len(names)), key=names.__getitem__) for names in (self.topics, self.documents)
        )
        topic, document = np.argsort(topics)[self.topic], np.argsort(documents)[self.document]
        order = np.lexsort((document, topic))
        named = tuple(self.topics[one] for one in topics), tuple(self.documents[one] for one in documents)
        return Pairs(*named, topic[order], document[order]), order

    def names(self) -> list[str]:
        """(pair,): topic and document."""
        pairs = zip(self.topic.tolist(), self.document.tolist(), strict=True)
        return [f"{self.topics[topic]} {self.documents[document]}" for topic, document in pairs]

    def find(self, pairs: "Pairs") -> NDArray[np.int64]:
        """(pair of the others,): which pair of these it is; −1: none."""
        if pairs is self:
            return np.arange(len(self))
        topic, document = _place(pairs.topics, self.topics), _place(pairs.documents, self.documents)
        key = self.topic * len(self.documents) + self.document
        wanted = topic[pairs.topic] * len(self.documents) + document[pairs.document]
        order = np.argsort(key)
        at = order[np.minimum(np.searchsorted(key, wanted, sorter=order), len(key) - 1)]
        known = (topic[pairs.topic] >= 0) & (document[pairs.document] >= 0) & (key[at] == wanted)
        return np.where(known, at, -1)


def number(names: Sequence[object]) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """The distinct names in order of appearance, and which of them each row has."""
    place: dict[object, int] = {}
    row = np.fromiter((place.setdefault(name, len(place)) for name in names), np.int64, len(names))
    if any(name is None or name != name for name in place):
        raise ParameterError("a name is missing", hint="give every row an impression, a topic and a document")
    written = tuple(map(str, place))
    if len(set(written)) < len(written):
        raise ParameterError("two names are written alike, one as a number", hint="give all names as text")
    return written, row


def _place(names: Sequence[str], known: Sequence[str]) -> NDArray[np.int64]:
    """(name,): where a name stands among the known; −1: nowhere."""
    place = {name: index for index, name in enumerate(known)}
    return np.array([place.get(name, -1) for name in names], dtype=np.int64)
