"""Conversion of a run or qrels file to another format."""

from collections.abc import Mapping
from os import PathLike
from typing import Any

from cranfield.core import ParameterError, Ties
from cranfield.data import (
    Qrels,
    Run,
    find_run,
    find_runs,
    inspect_all,
    is_trec,
    read_metadata,
    read_metadata_file,
    read_qrels,
    read_run,
    write,
)


def convert(
    source: Any,
    target: str | PathLike[str],
    *,
    kind: str | None = None,
    run: str | None = None,
    depth: int | None = None,
    ties: Ties | str = Ties.TREC,
    gains: bool = False,
    subtopics: bool = False,
    metadata: str | PathLike[str] | Mapping[str, Any] | None = None,
) -> Qrels | Run:
    """Write a run or qrels to ``target``, in the format that its name ends in.

    ``kind`` is "run" or "qrels"; without it the file decides. ``run`` names one of several runs of a table. A run
    is written in rank order, to ``depth``. Grades of qrels may be decimals with ``gains``; with ``subtopics`` a
    document may be judged once for each subtopic. What the run says of itself in its header (ir_metadata) is kept
    where the target is TREC text; ``metadata``, a file of YAML or a mapping, takes its place.
    """
    kind = kind or inspect_all(source, gains=gains, subtopics=subtopics)[0].kind
    if kind == "qrels":
        data: Qrels | Run = read_qrels(source, gains=gains, subtopics=subtopics)
    else:
        data = read_run(_one_run(source, run), depth=depth, ties=ties)
    if isinstance(metadata, str | PathLike):
        metadata = read_metadata_file(metadata)
    if metadata is None and isinstance(data, Run) and is_trec(target):
        metadata = read_metadata(data.source)
    write(data, target, metadata=metadata)
    return data


def _one_run(source: Any, name: str | None) -> Any:
    """Return the run to convert; a table may have several."""
    found = find_runs(source)
    names = [run.name for run in found]
    if name is not None:
        return found[find_run(names, names, name)]
    if len(found) > 1:
        hint = f"choose one of them: --run {names[0]} (run={names[0]!r})"
        raise ParameterError(f"{len(found)} runs cannot be converted into one file: {', '.join(names[:5])}", hint=hint)
    return found[0]
