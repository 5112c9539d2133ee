"""Preference judgments between documents of a topic, as in trec_eval's prefs files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield._native import Strings
from cranfield.core import ParameterError
from cranfield.data.files.data_source import Source, digest
from cranfield.data.files.input_problems import problem

LINE = "a line reads: topic group part document level; of qrels: topic group document grade"

Row: TypeAlias = tuple[str, str, str, str, float]  # topic, group, part, document, level
Wins: TypeAlias = NDArray[np.bool_]  # (group, document, document): whether the first is preferred to the second


@dataclass(frozen=True, eq=False)
class Preferences:
    """Who prefers what: for each topic its documents, and for each group of judgments what is preferred to what."""

    documents: Mapping[str, tuple[str, ...]]
    wins: Mapping[str, Wins]
    levels: Mapping[str, NDArray[np.float64]]  # (group, document): the highest that a group gives; NaN: none
    source: Source

    @property
    def topics(self) -> tuple[str, ...]:
        """In the order of the judgments."""
        return tuple(self.documents)


def read_preferences(data: str | PathLike[str] | Sequence[Row]) -> Preferences:
    """Preferences from a file as trec_eval has them (``-R prefs``, or qrels as ``-R qrels_prefs``), or from rows.

    A *group* is what one person thinks of a topic; within each of its *parts* documents of a higher level are preferred
    to those of a lower one. Where a group has several parts, what follows from them together counts too.
    """
    name = fspath(data) if isinstance(data, str | PathLike) else "preferences"
    rows = _read(Path(data), name) if isinstance(data, str | PathLike) else [*data]
    if not rows:
        raise problem(name, "E-EMPTY", "there are no preferences", LINE)
    topics: dict[str, list[Row]] = {}
    for row in rows:
        topics.setdefault(row[0], []).append(row)
    documents = {topic: tuple(dict.fromkeys(row[3] for row in mine)) for topic, mine in topics.items()}
    wins = {topic: _wins(mine, documents[topic], name) for topic, mine in topics.items()}
    levels = {topic: _levels(mine, documents[topic]) for topic, mine in topics.items()}
    source = Source(name, digest(Strings(["\t".join(map(str, row)) for row in rows])), "prefs")
    return Preferences(documents, wins, levels, source)


def _read(path: Path, name: str) -> list[Row]:
    try:
        lines = path.read_bytes().decode("utf-8", "surrogateescape").splitlines()
    except OSError:
        raise problem(name, "E-MISSING", "there is no such file", "check the name") from None
    rows = []
    for number, line in enumerate(lines, 1):
        words = line.split()
        if not words or line.startswith("#"):
            continue
        if len(words) not in (4, 5):
            raise problem(name, "E-FIELDS", f"there are {len(words)} fields", LINE, line=number)
        topic, group, *part, document, level = words
        try:
            worth = float(level)
        except ValueError:
            worth = np.nan
        if not np.isfinite(worth):
            raise problem(name, "E-GRADE", f'level "{level}" is not a number', LINE, line=number)
        rows.append((topic, group, part[0] if part else "0", document, worth))
    return rows


def _wins(rows: Sequence[Row], documents: Sequence[str], name: str) -> Wins:
    place = {document: i for i, document in enumerate(documents)}
    groups: dict[str, dict[str, dict[int, float]]] = {}
    for _, group, part, document, level in rows:
        levels = groups.setdefault(group, {}).setdefault(part, {})
        if levels.setdefault(place[document], level) != level:
            hint = "one group agrees with itself: put what contradicts it into another group"
            raise problem(name, "E-DUPDOC", f"{document} has two levels in group {group} of topic {rows[0][0]}", hint)
    found = np.zeros((len(groups), len(documents), len(documents)), np.bool_)
    for wins, (group, parts) in zip(found, groups.items(), strict=True):
        for levels in parts.values():
            which, worth = np.array([*levels]), np.array([*levels.values()])
            wins[np.ix_(which, which)] |= worth[:, None] > worth
        if len(parts) > 1:
            _close(wins)
        if wins.diagonal().any():
            hint = "one group agrees with itself: put what contradicts it into another group"
            raise problem(name, "E-FORMAT", f"group {group} of topic {rows[0][0]} contradicts itself", hint)
    return found


def _levels(rows: Sequence[Row], documents: Sequence[str]) -> NDArray[np.float64]:
    place = {document: i for i, document in enumerate(documents)}
    group = {name: i for i, name in enumerate(dict.fromkeys(row[1] for row in rows))}
    found = np.full((len(group), len(documents)), np.nan)
    for _, name, _, document, level in rows:
        at = group[name], place[document]
        found[at] = np.fmax(found[at], level)
    return found


def _close(wins: NDArray[np.bool_]) -> None:
    """Add what follows: who is preferred to what is preferred to a third is preferred to the third."""
    before = -1
    while before != (before := int(wins.sum())):
        steps = wins.astype(np.float32)
        wins |= steps @ steps > 0


def check_preferences(data: Any) -> Preferences:
    """Preferences as they are, or read."""
    if isinstance(data, Preferences):
        return data
    if isinstance(data, Mapping):
        raise ParameterError("preferences are rows or a file", hint=LINE)
    return read_preferences(data)
