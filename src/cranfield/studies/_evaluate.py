"""How good is each run?"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal

from cranfield.core import Ties
from cranfield.data import Source, Values, assess, read_qrels
from cranfield.measures import DEFAULT, Measure, measure_all, parse_measures

# Warnings of the reader that often mean that the values are not what their owner thinks.
TELLING = {
    "W-RANK": "a rank column that disagrees with its scores",
    "W-CONSTANT": "topics in which all scores are equal",
    "W-TAG": "more than one tag",
    "W-END": "no end of the last line",
    "W-SELF": "documents with the id of their topic",
}
SINGLY = 3  # so many notes of one kind are given one by one


def evaluate(
    qrels: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT,
    *,
    topics: Literal["qrels", "both"] = "qrels",
    ties: Ties | str = Ties.TREC,
    compat: str | None = None,
    gains: bool = False,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    command: str = "",
) -> Values:
    """Values of measures for every run and topic.

    ``qrels`` is a file, a frame or a dict of dicts; ``runs`` is one run or many: files, folders, patterns, frames,
    dicts, or a dict that names them. Every judged topic counts, one that a run misses as worst; ``topics="both"``
    leaves those out. ``compat="trec_eval-9"`` reads runs as trec_eval 9 does; ``gains`` lets grades be decimals.
    """
    wanted = parse_measures(measures)  # before anything large is read
    judged = read_qrels(qrels, gains=gains)
    assessed = assess(judged, runs, ties=ties, compat=compat, threads=threads, progress=progress)
    values = measure_all(assessed, wanted, topics=topics, command=command)
    return replace(values, notes=(*_few(assessed.notes), *_told(assessed.sources)))


def _few(notes: Sequence[str]) -> Sequence[str]:
    """Notes on the topics that runs have and the qrels have not: the first speaks for many."""
    if len(notes) <= SINGLY:
        return notes
    return [f"{notes[0]}; {len(notes) - 1} more runs have such topics"]


def _told(sources: Sequence[Source]) -> list[str]:
    """One note for each kind of warning that a reader of the values should know."""
    notes = []
    for code, what in TELLING.items():
        files = [source.name for source in sources if any(found.code == code for found in source.problems.kept)]
        if files:
            others = f" and {len(files) - 1} more" * (len(files) > 1)
            notes.append(f"{files[0]}{others}: {what} ({code}); `cranfield lint` says where")
    return notes
