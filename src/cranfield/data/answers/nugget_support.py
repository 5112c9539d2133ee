"""Nuggets of each topic, and their support by each answer, from rows of judgments."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cranfield.data.files.input_problems import listed, problem
from cranfield.data.files.rows import Rows

from .answer_rows import runs_of, shortened, support_of, words_of
from .judged_answers import Nuggets

IMPORTANCE = {"vital": True, "okay": False, "ok": False}
OKAY = 0.5  # what an okay nugget weighs beside a vital one, where nobody gives it a weight


@dataclass(slots=True)
class _Kept:
    """The nuggets of a topic as they come in: what is said of each, and where it was said."""

    vital: dict[str, bool | None] = field(default_factory=dict)
    weight: dict[str, float | None] = field(default_factory=dict)


def join_nuggets(several: Sequence[Rows], *, alone: bool) -> Nuggets:
    """The nuggets of all topics; where answers bring them along, those of all answers together."""
    topics: dict[str, _Kept] = {}
    for rows in several:
        importance, weight = _importance(rows), _weights(rows)
        seen = set()
        for row, (topic, name) in enumerate(zip(words_of(rows, "topic"), words_of(rows, "nugget"), strict=True)):
            kept = topics.setdefault(topic, _Kept())
            again = kept.vital.setdefault(name, importance[row]), kept.weight.setdefault(name, weight[row])
            if alone and (topic, name) in seen:
                hint = "keep one row for each nugget of a topic"
                raise rows.refuse(row, "E-NUGGET", f"nugget {shortened(name)} of topic {topic} is there twice", hint)
            if again != (importance[row], weight[row]):
                message = f"nugget {shortened(name)} of topic {topic} has another importance than before"
                raise rows.refuse(row, "E-NUGGET", message, "one nugget has one importance, whoever answers")
            seen.add((topic, name))
    said = [vital for kept in topics.values() for vital in kept.vital.values()]
    weights = [
        weight if weight is not None else {True: 1.0, False: OKAY, None: 1.0}[kept.vital[name]]
        for kept in topics.values()
        for name, weight in kept.weight.items()
    ]
    return Nuggets(
        topics=tuple(topics),
        topic=np.repeat(np.arange(len(topics)), [len(kept.vital) for kept in topics.values()]),
        names=tuple(name for kept in topics.values() for name in kept.vital),
        vital=None if None in said else np.array(said, np.bool_),
        weight=np.array(weights, np.float64),
    )


def _importance(rows: Rows) -> list[bool | None]:
    if "importance" not in rows.columns:
        return [None] * len(rows)
    words = [word.casefold() for word in words_of(rows, "importance")]
    wrong = next((row for row, word in enumerate(words) if word not in IMPORTANCE), None)
    if wrong is not None:
        hint = "an importance is vital or okay; a number stands in a column named weight"
        raise rows.refuse(wrong, "E-NUGGET", f'"{words[wrong]}" is no importance', hint)
    return [IMPORTANCE[word] for word in words]


def _weights(rows: Rows) -> list[float] | list[None]:
    if "weight" not in rows.columns:
        return [None] * len(rows)
    found = rows.small_numbers("weight")
    if (found < 0).any():
        row = int((found < 0).argmax())
        raise rows.refuse(row, "E-NUGGET", f"weight {found[row]:g} is below 0", "a weight is 0 or more")
    weights: list[float] = found.tolist()
    return weights


def find_support(
    several: Sequence[Rows], key: Nuggets | None, runs: Sequence[str]
) -> tuple[NDArray[np.float64], list[tuple[int, str]], list[str]]:
    """(run, nugget): the support of each nugget by each answer; which answers there are; what is to be said of it."""
    if key is None:
        return np.zeros((len(runs), 0)), [], []
    place = {run: r for r, run in enumerate(runs)}
    nugget = {(key.topics[topic], name): n for n, (topic, name) in enumerate(zip(key.topic, key.names, strict=True))}
    support = np.full((len(runs), len(nugget)), np.nan)
    judged, unknown = set(key.topics), dict[str, None]()
    assigned: dict[tuple[int, str], None] = {}
    for rows in several:
        worth = support_of(rows)
        names = zip(runs_of(rows), words_of(rows, "topic"), words_of(rows, "nugget"), strict=True)
        for row, (run, topic, name) in enumerate(names):
            if topic not in judged:
                unknown[topic] = None
                continue
            at = nugget.get((topic, name))
            if at is None:
                hint = "the file of nuggets names every nugget; or leave it out, if assignments say the importance"
                raise rows.refuse(row, "E-NUGGET", f"topic {topic} has no nugget {shortened(name)}", hint)
            if not np.isnan(support[place[run], at]):
                message = f"nugget {shortened(name)} of topic {topic} is assigned to {run} twice"
                raise rows.refuse(row, "E-NUGGET", message, "keep one row for each nugget of an answer")
            support[place[run], at] = worth[row]
            assigned[place[run], topic] = None
    if not assigned:
        hint = f"nuggets are of: {listed(key.topics)}"
        raise problem(several[0].name, "E-TOPICS", "no topic of the assignments has nuggets", hint)
    return np.nan_to_num(support), list(assigned), [*_left_out(unknown), *_unassigned(support, key, assigned)]


def _left_out(topics: Iterable[str]) -> list[str]:
    topics = list(topics)
    if not topics:
        return []
    return [f"{_counted(len(topics), 'topic has', 'topics have')} no nuggets ({listed(topics)}): left out"]


def _unassigned(support: NDArray[np.float64], key: Nuggets, assigned: Iterable[tuple[int, str]]) -> list[str]:
    """A word on nuggets about which nothing is said in answers that are there."""
    there = np.zeros((len(support), len(key.topics)), np.bool_)
    place = {topic: t for t, topic in enumerate(key.topics)}
    for run, topic in assigned:
        there[run, place[topic]] = True
    gone = int((np.isnan(support) & there[:, key.topic]).sum())
    counted = _counted(gone, "nugget is", "nuggets are")
    return [f"{counted} not assigned in answers that are there: taken as not supported"] if gone else []


def _counted(number: int, one: str, more: str) -> str:
    return f"1 {one}" if number == 1 else f"{number:,} {more}"
