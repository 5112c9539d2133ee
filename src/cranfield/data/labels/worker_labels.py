"""Labels of documents by several workers, and their votes between two documents."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cranfield._native import Strings
from cranfield.data.files.data_source import Source
from cranfield.data.judgments.grade_lookup import find_grades
from cranfield.data.judgments.qrels import Qrels
from cranfield.data.topics.topic_order import natural_order


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """Who chose what for which item: numbers only, what methods of merging see."""

    item: NDArray[np.int64]  # (answer,)
    worker: NDArray[np.int64]  # (answer,)
    choice: NDArray[np.int64]  # (answer,)
    items: int
    workers: int
    choices: int

    def __len__(self) -> int:
        return len(self.item)

    def of_workers(self, kept: NDArray[np.bool_]) -> tuple["Answers", NDArray[np.int64], NDArray[np.int64]]:
        """The answers of some workers (worker,), which of all answers these are, and which of all items they are of."""
        rows = np.flatnonzero(kept[self.worker])
        items, item = np.unique(self.item[rows], return_inverse=True)
        worker = np.cumsum(kept) - 1
        sizes = len(items), int(kept.sum()), self.choices
        return Answers(item, worker[self.worker[rows]], self.choice[rows], *sizes), rows, items


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Labels:
    """What workers said of documents: each label is the grade that one worker gave one document of one topic."""

    topics: tuple[str, ...]  # in order of appearance
    topic: NDArray[np.int64]  # (item,): which topic
    document: Strings  # (item,)
    workers: tuple[str, ...]  # in order of appearance
    machine: NDArray[np.bool_]  # (worker,): an LLM or another program, not a person
    grades: NDArray[np.float64]  # (choice,): the grades that occur, ascending
    answers: Answers  # a choice is the place of a grade; a worker may answer for one item more than once
    time: NDArray[np.float64] | None  # (answer,): when, or in which order; None: nobody knows
    source: Source

    def __len__(self) -> int:
        return len(self.answers)

    def __repr__(self) -> str:
        return f"Labels({self.source.name!r}: {len(self)} of {len(self.topic)} items by {len(self.workers)} workers)"

    def of_workers(self, kept: NDArray[np.bool_]) -> "Labels":
        """The labels of some workers; items that none of them labelled are dropped, grades stay."""
        answers, rows, items = self.answers.of_workers(kept)
        return replace(
            self,
            topic=self.topic[items],
            document=self.document.take(items),
            workers=_named(self.workers, kept),
            machine=self.machine[kept],
            answers=answers,
            time=None if self.time is None else self.time[rows],
        )

    def in_order(self) -> "Labels":
        """Return the same labels with topics, documents and workers sorted by name: draws do not depend on the file.

        The labels keep their order, which is the order in time where no time is known.
        """
        topics, workers = natural_order(self.topics), natural_order(self.workers)
        topic, documents = np.argsort(topics)[self.topic], self.document.to_list()
        items = np.array(sorted(range(len(topic)), key=lambda i: (topic[i], documents[i])), dtype=np.int64)
        answers = self.answers
        numbers = np.argsort(items)[answers.item], np.argsort(workers)[answers.worker]
        return replace(
            self,
            topics=tuple(self.topics[i] for i in topics),
            topic=topic[items],
            document=self.document.take(items),
            workers=tuple(self.workers[i] for i in workers),
            machine=self.machine[workers],
            answers=replace(answers, item=numbers[0], worker=numbers[1]),
        )

    def given(self) -> "Labels":
        """The same labels, without grades that none of them is: what nobody chose is no choice."""
        there, choice = np.unique(self.answers.choice, return_inverse=True)
        answers = replace(self.answers, choice=choice, choices=len(there))
        return replace(self, grades=self.grades[there], answers=answers)

    def gold(self, qrels: Qrels, *, rel: float | None = None) -> NDArray[np.int64]:
        """(item,): the choice that other judgments give, −1 where they give none.

        A grade that no worker gave is no choice, and −1 too. With ``rel`` judgments from that grade on are the highest
        choice, the others the lowest: for yes and no against grades.
        """
        given = find_grades(qrels, self.topics, self.topic, self.document)
        if rel is not None:
            given = np.where(given < 0, -1.0, np.where(given >= rel, self.grades[-1], self.grades[0]))
        place = np.minimum(np.searchsorted(self.grades, given), len(self.grades) - 1)
        return np.where((given >= 0) & (self.grades[place] == given), place, -1)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Votes:
    """Which of two documents workers preferred: a vote is for the first, the second, or for neither."""

    topics: tuple[str, ...]  # in order of appearance
    topic: NDArray[np.int64]  # (item,): which topic; an item is a pair that was compared, written in one direction
    documents: Strings  # (document,): every document that was compared, once for its topic
    document_topic: NDArray[np.int64]  # (document,)
    first: NDArray[np.int64]  # (item,): place among documents, below that of the second
    second: NDArray[np.int64]  # (item,)
    workers: tuple[str, ...]
    machine: NDArray[np.bool_]  # (worker,): an LLM or another program, not a person
    answers: Answers  # choice 0: the first is better, 1: neither, 2: the second
    source: Source

    def __len__(self) -> int:
        return len(self.answers)

    def __repr__(self) -> str:
        return f"Votes({self.source.name!r}: {len(self)} on {len(self.topic)} pairs by {len(self.workers)} workers)"

    def of_workers(self, kept: NDArray[np.bool_]) -> "Votes":
        """The votes of some workers; pairs of which none of them said anything are dropped, documents stay."""
        answers, _, items = self.answers.of_workers(kept)
        return replace(
            self,
            topic=self.topic[items],
            first=self.first[items],
            second=self.second[items],
            workers=_named(self.workers, kept),
            machine=self.machine[kept],
            answers=answers,
        )

    def in_order(self) -> "Votes":
        """Return the same votes with topics, documents and workers sorted by name: draws do not depend on the file."""
        topics, workers = natural_order(self.topics), natural_order(self.workers)
        topic, names = np.argsort(topics)[self.document_topic], self.documents.to_list()
        documents = np.array(sorted(range(len(topic)), key=lambda i: (topic[i], names[i])), dtype=np.int64)
        new = np.argsort(documents)
        one, other = new[self.first], new[self.second]
        first, second = np.minimum(one, other), np.maximum(one, other)
        items = np.lexsort((second, first))
        item = self.answers.item
        choice = np.where((one > other)[item], 2 - self.answers.choice, self.answers.choice)
        by = np.argsort(workers)[self.answers.worker]
        return replace(
            self,
            topics=tuple(self.topics[i] for i in topics),
            topic=topic[documents][first[items]],
            documents=self.documents.take(documents),
            document_topic=topic[documents],
            first=first[items],
            second=second[items],
            workers=tuple(self.workers[i] for i in workers),
            machine=self.machine[workers],
            answers=replace(self.answers, item=np.argsort(items)[item], worker=by, choice=choice),
        )

    def as_labels(self) -> Labels:
        """Each pair as one item that workers labelled: 0 the former is better, 1 neither, 2 the latter.

        Every other pair is turned round, as the colours of a chess board change: were all written as documents appear,
        then in a file that lists the better ones first nearly all votes would be for the former, and what is beyond
        chance, or what a worker knows, would hang on that order.
        """
        turned = (self.first + self.second) % 2 == 1
        former, latter = np.where(turned, (self.second, self.first), (self.first, self.second))
        names = [self.documents.take(place).to_list() for place in (former, latter)]
        choice = np.where(turned[self.answers.item], 2 - self.answers.choice, self.answers.choice)
        return Labels(
            topics=self.topics,
            topic=self.topic,
            document=Strings([f"{a} | {b}" for a, b in zip(*names, strict=True)]),
            workers=self.workers,
            machine=self.machine,
            grades=np.arange(3.0),
            answers=replace(self.answers, choice=choice),
            time=None,
            source=self.source,
        )


def _named(workers: tuple[str, ...], kept: NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(name for name, stays in zip(workers, kept.tolist(), strict=True) if stays)
