"""Data of a simulated campaign: arrays and columns in memory, TREC files on disk."""

from __future__ import annotations

import csv
import gzip
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .campaign import Campaign
    from .topic import Floats, Ints, Part

DIGITS = 7


def document_id(number: int) -> str:
    """The id of a document, such as ``D0012345``; ids sort by bytes as numbers do."""
    return f"D{number:0{DIGITS}}"


@dataclass(frozen=True, slots=True)
class Entry:
    """A run as its group handed it in. ``pooled`` runs came in time to be judged."""

    run: str
    group: str
    date: str
    description: str
    pooled: bool
    decimals: int


class Ranking(NamedTuple):
    """A run as columns, ordered by topic, then best document first."""

    topic: Ints
    document: Ints
    score: Floats


class Judgments(NamedTuple):
    """The qrels as columns, ordered by topic, then document."""

    topic: Ints
    document: Ints
    grade: Ints


@dataclass(frozen=True, slots=True)
class Written:
    """Where a campaign's files are."""

    qrels: Path
    runs: tuple[Path, ...]
    table: Path
    topics: Path


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """A campaign in memory, eight bytes per retrieved document."""

    campaign: Campaign
    topics: tuple[str, ...]
    texts: tuple[str, ...]
    entries: tuple[Entry, ...]
    parts: tuple[Part, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the runs."""
        return tuple(entry.run for entry in self.entries)

    @property
    def qrels(self) -> Judgments:
        """All judgments; topics and documents as numbers."""
        topic = np.repeat(np.arange(len(self.parts)), [part.judged.size for part in self.parts])
        return Judgments(
            topic,
            np.concatenate([part.judged for part in self.parts]),
            np.concatenate([part.grade for part in self.parts]),
        )

    def run(self, name: str) -> Ranking:
        """One run; topics and documents as numbers."""
        place = self.names.index(name)
        rankings = [part.ranking(place) for part in self.parts]
        topic = np.repeat(np.arange(len(rankings)), [document.size for document, _ in rankings])
        quanta = np.concatenate([quanta for _, quanta in rankings])
        return Ranking(
            topic,
            np.concatenate([document for document, _ in rankings]),
            quanta / 10.0 ** self.entries[place].decimals,
        )

    def qrels_columns(self) -> dict[str, list[str] | list[int]]:
        """The qrels as the columns topic, document, grade."""
        topic, document, grade = self.qrels
        return {**self._name(topic, document), "grade": grade.tolist()}

    def run_columns(self, name: str) -> dict[str, list[str] | list[float]]:
        """A run as the columns topic, document, score."""
        topic, document, score = self.run(name)
        return {**self._name(topic, document), "score": score.tolist()}

    def table(self) -> dict[str, list[str]]:
        """What is known about the runs, as the columns run, group, date, description."""
        return {column: [getattr(entry, column) for entry in self.entries] for column in TABLE}

    def write(self, folder: Path | str, *, compress: bool = False) -> Written:
        """Write what :meth:`Campaign.write` would."""
        return write_campaign(folder, self.entries, self.topics, self.texts, self.parts, compress=compress)

    def _name(self, topic: Ints, document: Ints) -> dict[str, list[str]]:
        return {
            "topic": [self.topics[number] for number in topic.tolist()],
            "document": [document_id(number) for number in document.tolist()],
        }


TABLE = ("run", "group", "date", "description")


def write_campaign(
    folder: Path | str,
    entries: Sequence[Entry],
    topics: Sequence[str],
    texts: Sequence[str],
    parts: Iterable[Part],
    *,
    compress: bool,
) -> Written:
    """Write qrels.txt, topics.tsv, runs.csv and runs/<name>.txt, holding one topic at a time."""
    folder = Path(folder)
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    suffix = ".txt.gz" if compress else ".txt"
    written = Written(
        qrels=folder / "qrels.txt",
        runs=tuple(folder / "runs" / f"{entry.run}{suffix}" for entry in entries),
        table=folder / "runs.csv",
        topics=folder / "topics.tsv",
    )
    with written.table.open("w", newline="") as stream:
        rows = csv.writer(stream, lineterminator="\n")
        rows.writerow(TABLE)
        rows.writerows([getattr(entry, column) for column in TABLE] for entry in entries)
    written.topics.write_text("".join(f"{topic}\t{text}\n" for topic, text in zip(topics, texts, strict=True)))
    with ExitStack() as open_files:
        qrels = open_files.enter_context(written.qrels.open("wb"))
        files = [_open(path, open_files) for path in written.runs]
        for topic, part in zip(topics, parts, strict=True):
            qrels.write(_lines(f"{topic} 0 D%0{DIGITS}d %d\n", part.judged, part.grade))
            for place, (file, entry) in enumerate(zip(files, entries, strict=True)):
                document, quanta = part.ranking(place)
                line = f"{topic} Q0 D%0{DIGITS}d %d %.{entry.decimals}f {entry.run}\n"
                file.write(_lines(line, document, np.arange(1, document.size + 1), quanta / 10.0**entry.decimals))
    return written


def _open(path: Path, open_files: ExitStack) -> IO[bytes] | gzip.GzipFile:
    file = open_files.enter_context(path.open("wb"))
    if path.suffix != ".gz":
        return file
    # No clock and no name inside: the same campaign gives the same bytes.
    return open_files.enter_context(gzip.GzipFile("", "wb", compresslevel=1, fileobj=file, mtime=0))


def _lines(line: str, *columns: Ints | Floats) -> bytes:
    """The columns, row by row through one template; one formatting call is three times faster than one per line."""
    rows = columns[0].size
    cells: list[int | float] = [0] * (len(columns) * rows)
    for place, column in enumerate(columns):
        cells[place :: len(columns)] = column.tolist()
    return (line * rows % tuple(cells)).encode("ascii")
