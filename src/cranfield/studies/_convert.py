"""The same run or qrels in another format."""

from os import PathLike
from typing import Any

from cranfield.core import Ties
from cranfield.data import Qrels, Run, inspect, read_qrels, read_run, write


def convert(
    source: Any,
    target: str | PathLike[str],
    *,
    kind: str | None = None,
    depth: int | None = None,
    ties: Ties | str = Ties.TREC,
    gains: bool = False,
) -> Qrels | Run:
    """Write a run or qrels to ``target``, in the format that its name ends in.

    ``kind`` is "run" or "qrels"; without it the file is looked at. A run is written in rank order, to ``depth``; grades
    of qrels may be decimals with ``gains``.
    """
    kind = kind or inspect(source).kind
    data = read_qrels(source, gains=gains) if kind == "qrels" else read_run(source, depth=depth, ties=ties)
    write(data, target)
    return data
