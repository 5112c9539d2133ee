"""Conversion of a run or qrels file to another format."""

from collections.abc import Mapping
from os import PathLike
from typing import Any

from cranfield.core import Ties
from cranfield.data import Qrels, Run, inspect, is_trec, read_metadata, read_metadata_file, read_qrels, read_run, write


def convert(
    source: Any,
    target: str | PathLike[str],
    *,
    kind: str | None = None,
    depth: int | None = None,
    ties: Ties | str = Ties.TREC,
    gains: bool = False,
    metadata: str | PathLike[str] | Mapping[str, Any] | None = None,
) -> Qrels | Run:
    """Write a run or qrels to ``target``, in the format that its name ends in.

    ``kind`` is "run" or "qrels"; without it the file is looked at. A run is written in rank order, to ``depth``; grades
    of qrels may be decimals with ``gains``. What the run says of itself in its header (ir_metadata) is kept where the
    target is TREC text; ``metadata``, a file of YAML or a mapping, takes its place.
    """
    kind = kind or inspect(source).kind
    data = read_qrels(source, gains=gains) if kind == "qrels" else read_run(source, depth=depth, ties=ties)
    if isinstance(metadata, str | PathLike):
        metadata = read_metadata_file(metadata)
    if metadata is None and isinstance(data, Run) and is_trec(target):
        metadata = read_metadata(data.source)
    write(data, target, metadata=metadata)
    return data
