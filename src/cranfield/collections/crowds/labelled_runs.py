"""Runs joined with labels, to measure the runs under the labels of each worker."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.core import InputError, Ties
from cranfield.data import NOBODY, Assessed, Labels, Qrels, Strings, Values, assess
from cranfield.measures import DEFAULT, Measure, measure_all, parse_measures

Asked: TypeAlias = str | Measure | Iterable[str | Measure]
SINGLY = 3  # so many notes of one kind are given one by one
ENTRIES = 1 << 20  # ranked documents of the sheets that are measured at once


@dataclass(frozen=True, eq=False, repr=False)
class LabelledRuns:
    """Runs met by labels: where each run put every document that some worker labelled."""

    labels: Labels
    assessed: Assessed  # its named documents are the items; nobody has graded them yet
    place: NDArray[np.int64]  # (item,): which named document

    def __repr__(self) -> str:
        return f"LabelledRuns({len(self.assessed.runs)} runs, {len(self.place)} items of {self.labels.source.name!r})"

    @property
    def topic(self) -> NDArray[np.int64]:
        """(item,): which topic of the assessed runs."""
        return np.searchsorted(self.assessed.named, self.place, side="right") - 1

    def settled(self, measures: Asked) -> list[Measure]:
        """Measures that mean the same under everybody's labels: the top grade is that of all."""
        return [measure.settled(float(self.labels.grades.max(initial=0))) for measure in parse_measures(measures)]

    def values(self, grade: NDArray[np.float64], measures: Asked = DEFAULT, *, command: str = "") -> Values:
        """What measures say of the runs under one grade for each item, −inf (``NOBODY``) where there is none.

        A topic without a grade has no value, and does not count.
        """
        given = np.full(len(self.assessed.grade), NOBODY)
        given[self.place] = grade
        values = measure_all(self.assessed.with_grades(given), self.settled(measures), command=command)
        known = np.zeros(len(self.assessed.topics), dtype=bool)
        known[self.topic[np.asarray(grade) > NOBODY]] = True
        if known.all():
            return values
        lost = int((~known).sum())
        note = f"{lost:,} of {len(known):,} topics {'has' if lost == 1 else 'have'} no such label: left out"
        cube = np.where(known[:, None], values.cube, np.nan)
        order = None if values.order is None else np.where(known[:, None], values.order, np.nan)
        return replace(values, cube=cube, order=order, counted=values.counted & known, notes=(*values.notes, note))

    def of_worker(self, worker: int) -> NDArray[np.float64]:
        """(item,): the grades that one worker gave, the last where there are several; −inf where there is none."""
        grade = np.full(len(self.place), NOBODY)
        rows = last_labels(self.labels, np.arange(len(self.labels.workers)) == worker)
        grade[self.labels.answers.item[rows]] = self.labels.grades[self.labels.answers.choice[rows]]
        return grade

    def of_choice(self, choice: NDArray[np.int64]) -> NDArray[np.float64]:
        """(item,): the grades of some choices, such as gold ones; −inf where the choice is −1."""
        return np.where(choice < 0, NOBODY, self.labels.grades[choice])


def join_runs(
    labels: Labels,
    runs: Any,
    *,
    ties: Ties | str = Ties.TREC,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> LabelledRuns:
    """Find every labelled document in every run (whatever ``find_runs`` takes); notes say which topics do not meet."""
    # A topic of which nobody says anything any more, after some workers were left out, is none.
    there, topic = np.unique(labels.topic, return_inverse=True)
    nothing = np.zeros(len(topic), np.uint32)
    asked = Qrels(
        Strings([labels.topics[t] for t in there.tolist()]),
        topic.astype(np.uint32),
        labels.document,
        np.full(len(topic), NOBODY),
        Strings(["0"]),
        nothing,
        labels.source,
    )
    try:
        assessed = assess(asked, runs, ties=ties, threads=threads, progress=progress)
    except InputError as error:
        if error.code != "E-TOPICS":
            raise
        # There are no qrels here.
        problem = error.problem.replace("is in the qrels (", "has labels (")
        hint = error.hint.replace("the qrels have", "there are labels of")
        raise InputError(problem, hint=hint, code=error.code, file=error.file) from None
    place = assessed.named_by[0]
    return LabelledRuns(labels, replace(assessed, notes=_told(assessed)), place)


def _told(assessed: Assessed) -> tuple[str, ...]:
    """Which topics have labels and no run, or runs and no labels."""
    notes = [note.replace(" not in the qrels (", " without labels (") for note in assessed.notes]
    if len(notes) > SINGLY:
        notes = [f"{notes[0]}; {len(notes) - 1} more runs have such topics"]
    absent = np.flatnonzero(assessed.missing.all(axis=0))
    if len(absent):
        names = ", ".join(assessed.topics[t] for t in absent[:SINGLY]) + ", …" * (len(absent) > SINGLY)
        many = "1 topic with labels is" if len(absent) == 1 else f"{len(absent):,} topics with labels are"
        notes.append(f"{many} in no run, and count{'s' * (len(absent) == 1)} as worst ({names})")
    return tuple(notes)


def last_labels(labels: Labels, workers: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The answers of some workers (worker,), by worker and item; of several for one item the last in time."""
    answers = labels.answers
    rows = np.arange(len(labels)) if labels.time is None else np.argsort(labels.time, kind="stable")
    rows = rows[workers[answers.worker[rows]]][::-1]
    key = answers.worker[rows] * answers.items + answers.item[rows]
    return rows[np.unique(key, return_index=True)[1]]


@dataclass(frozen=True, eq=False)
class Sheets:
    """What each worker said of each topic of which the worker labelled anything: a sheet is one worker, one topic."""

    worker: NDArray[np.int64]  # (sheet,)
    topic: NDArray[np.int64]  # (sheet,): of the assessed runs
    starts: NDArray[np.int64]  # (sheet + 1,): where the labels of each start
    item: NDArray[np.int64]  # (label,): each item once in a sheet
    choice: NDArray[np.int64]  # (label,)

    @classmethod
    def of(cls, joined: LabelledRuns, workers: NDArray[np.bool_]) -> "Sheets":
        """The sheets of some workers (worker,), by worker and topic; of several labels of an item the last counts."""
        answers, rows = joined.labels.answers, last_labels(joined.labels, workers)
        worker, topic = answers.worker[rows], joined.topic[answers.item[rows]]
        order = np.lexsort((topic, worker))
        rows, sheet = rows[order], (worker * len(joined.assessed.topics) + topic)[order]
        first = np.flatnonzero(np.diff(sheet, prepend=-1))
        worker, topic = np.divmod(sheet[first], len(joined.assessed.topics))
        starts = np.append(first, len(rows))
        return cls(worker, topic, starts, answers.item[rows], answers.choice[rows])

    def __len__(self) -> int:
        return len(self.worker)

    @property
    def sheet(self) -> NDArray[np.int64]:
        """(label,): which sheet it stands on."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def part(self, chosen: slice) -> "Sheets":
        """Some sheets that stand one after the other."""
        starts = self.starts[chosen.start : chosen.stop + 1]
        labels = slice(int(starts[0]), int(starts[-1]))
        here = self.worker[chosen], self.topic[chosen], starts - starts[0]
        return Sheets(*here, self.item[labels], self.choice[labels])


def measure_sheets(
    joined: LabelledRuns, sheets: Sheets, grade: NDArray[np.float64], measures: Asked
) -> NDArray[np.float64]:
    """(way, run, sheet, measure): values of the runs by each sheet alone, under several ways to grade (way, label).

    What a sheet does not say is unjudged there.
    """
    wanted = joined.settled(measures)
    found = np.empty((len(grade), len(joined.assessed.runs), len(sheets), len(wanted)))
    for chosen in _parts(joined.assessed, sheets):
        part = sheets.part(chosen)
        runs = repeat_topics(joined.assessed, part.topic)
        at = runs.named[part.sheet] + joined.place[part.item] - joined.assessed.named[part.topic[part.sheet]]
        labels = slice(int(sheets.starts[chosen.start]), int(sheets.starts[chosen.stop]))
        for way, given in enumerate(grade[:, labels]):
            said = np.full(len(runs.grade), NOBODY)
            said[at] = given
            found[way, :, chosen] = runs.with_grades(said).map(wanted)
    return found


def _parts(assessed: Assessed, sheets: Sheets) -> Iterator[slice]:
    """Sheets that are measured at once, one after the other."""
    per_topic = np.diff(assessed.starts).reshape(len(assessed.runs), -1).sum(axis=0)
    block = per_topic[sheets.topic].cumsum() // ENTRIES
    ends = [*(np.flatnonzero(np.diff(block)) + 1).tolist(), len(sheets)]
    for start, stop in zip([0, *ends], ends, strict=False):
        yield slice(start, stop)


def repeat_topics(assessed: Assessed, topics: NDArray[np.int64]) -> Assessed:
    """The same rankings of some topics, given by their places, each as often as it is named; not graded."""
    size = np.diff(assessed.named)[topics]
    named = np.concatenate(([0], size.cumsum()))
    row = (np.arange(len(assessed.runs))[:, None] * len(assessed.topics) + topics).reshape(-1)
    length = np.diff(assessed.starts)[row]
    starts = np.concatenate(([0], length.cumsum()))
    entry = np.arange(starts[-1]) + np.repeat(assessed.starts[row] - starts[:-1], length)
    shift = np.tile(named[:-1] - assessed.named[topics], len(assessed.runs))
    document = np.arange(named[-1]) + np.repeat(assessed.named[topics] - named[:-1], size)
    rank = assessed.rank[entry]
    same = assessed.tie_first is assessed.rank and assessed.tie_last is assessed.rank
    return replace(
        assessed,
        topics=tuple(assessed.topics[t] for t in topics.tolist()),
        documents=assessed.documents.take(document),
        named=named,
        grade=np.full(int(named[-1]), NOBODY),
        starts=starts,
        document=(assessed.document[entry] + np.repeat(shift, length)).astype(np.int32),
        rank=rank,
        tie_first=rank if same else assessed.tie_first[entry],
        tie_last=rank if same else assessed.tie_last[entry],
        retrieved=assessed.retrieved[row],
        tied=assessed.tied[row],
        named_by=(),
    )
