"""Fusion of several runs into one run."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from cranfield.core import ParameterError, Ties
from cranfield.data import Run, find_runs, read_run
from cranfield.fusion import Fusion, check_topics, code_runs, parse_fusion
from cranfield.studies.evaluation.input_notes import TELLING


def fuse(
    runs: Any,
    *,
    method: str | Fusion = "rrf",
    depth: int | None = 1000,
    name: str | None = None,
    ties: Ties | str = Ties.TREC,
    progress: Callable[[int, int], object] | None = None,
) -> Run:
    """One run made of several.

    ``runs`` are files, folders, patterns, frames, dicts, or a dict that names them. The first ``depth`` documents of
    each topic are taken from every run, and as many are kept; None: all. ``ties`` orders documents to which a run gave
    the same score. The result is called ``name``, or as the method is. A topic that some of the runs lack is fused from
    the others. Runs that lack topics, and warnings of the reader, are in ``source.problems``.
    ``progress`` is told how many runs are read, and how many there are.
    """
    wanted = parse_fusion(method)
    found = find_runs(runs)
    if len(found) < 2:
        hint = "give two runs or more"
        raise ParameterError(f"{len(found) or 'no'} run{'s' * (not found)} cannot be fused", hint=hint)
    read: list[Run] = []
    for one in found:
        read.append(read_run(one, depth=depth, ties=ties))
        if progress:
            progress(len(read), len(found))
    coded = code_runs(read, depth=depth)
    problems = check_topics(coded)
    # A run in the wrong order spoils the fused run, too.
    problems = problems.after(one for run in read for one in run.source.problems.warnings if one.code in TELLING)
    fused = coded.fuse(wanted, name=name or wanted.name, depth=depth)
    return replace(fused, source=replace(fused.source, problems=problems))
