"""How good is each run?"""

from collections.abc import Callable, Iterable
from typing import Any, Literal

from cranfield.core import Ties
from cranfield.data import Values, assess, read_qrels
from cranfield.measures import DEFAULT, Measure, measure_all, parse_measures


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
    leaves those out. ``compat="trec_eval-9"`` compares scores as float32; ``gains`` lets grades be decimals.
    """
    wanted = parse_measures(measures)  # before anything large is read
    judged = read_qrels(qrels, gains=gains)
    assessed = assess(judged, runs, ties=ties, compat=compat, threads=threads, progress=progress)
    return measure_all(assessed, wanted, topics=topics, command=command)
