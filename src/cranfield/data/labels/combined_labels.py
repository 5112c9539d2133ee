"""Combine the labels of several tables into one."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cranfield import _native
from cranfield._native import Strings
from cranfield.core import ParameterError
from cranfield.data.files.data_source import Source, digest
from cranfield.data.files.input_problems import Problems

from .worker_labels import Answers, Labels


def join_labels(parts: Sequence[Labels]) -> Labels:
    """What all of them say; workers of one name are one worker, and cannot be a person here and a machine there.

    Items keep the order in which they first appear, topic by topic. When each label was given is forgotten unless all
    of them know it.
    """
    if not parts:
        raise ParameterError("there are no labels to join", hint="give at least one table")
    if len(parts) == 1:
        return parts[0]
    names = _native.Names([(Strings(part.topics), part.topic.astype(np.uint32), part.document) for part in parts])
    topic = np.repeat(np.arange(len(names.topics)), np.diff(names.starts))
    workers = list(dict.fromkeys(worker for part in parts for worker in part.workers))
    number = {worker: i for i, worker in enumerate(workers)}
    grades = np.unique(np.concatenate([part.grades for part in parts]))
    item = np.concatenate([rows[part.answers.item] for rows, part in zip(names.rows, parts, strict=True)])
    places = [np.array([number[worker] for worker in part.workers], dtype=np.int64) for part in parts]
    worker = np.concatenate([place[part.answers.worker] for place, part in zip(places, parts, strict=True)])
    choice = np.concatenate([np.searchsorted(grades, part.grades)[part.answers.choice] for part in parts])
    times = [part.time for part in parts if part.time is not None]
    return Labels(
        topics=tuple(names.topics.to_list()),
        topic=topic,
        document=names.documents,
        workers=tuple(workers),
        machine=_kinds(parts, places, workers),
        grades=grades,
        answers=Answers(item, worker, choice, len(topic), len(workers), len(grades)),
        time=np.concatenate(times) if len(times) == len(parts) else None,
        source=Source(
            " + ".join(part.source.name for part in parts),
            digest(Strings([part.source.digest for part in parts])),
            "labels",
            _problems(parts),
        ),
    )


def _problems(parts: Sequence[Labels]) -> Problems:
    """What is odd about any of them."""
    every = [part.source.problems for part in parts]
    counts = Counter[str]()
    for problems in every:
        counts.update(dict(problems.counts))
    return Problems(tuple(one for problems in every for one in problems.kept), tuple(counts.items()))


def _kinds(parts: Sequence[Labels], places: Sequence[NDArray[np.int64]], workers: Sequence[str]) -> NDArray[np.bool_]:
    """(worker,): whether each is a machine; refused where two tables do not agree."""
    machine, person = np.zeros((2, len(workers)), dtype=bool)
    for part, place in zip(parts, places, strict=True):
        machine[place[part.machine]] = True
        person[place[~part.machine]] = True
    both = np.flatnonzero(machine & person)
    if len(both):
        hint = "give the machine another name, or say of which kind the worker is"
        raise ParameterError(f"worker {workers[both[0]]} is a person in one table and a machine in another", hint=hint)
    return machine
