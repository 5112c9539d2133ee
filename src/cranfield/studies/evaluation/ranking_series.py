"""How good are runs that contain several rankings for each topic?"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from cranfield.core import Study
from cranfield.data import Values, join_series, read_qrels, read_series
from cranfield.measures import Measure, equity_table, fold_series

from .study import evaluate

FAIR = "EE_L EE_D EE_R"


def series(
    qrels: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure] = FAIR,
    *,
    gains: bool = False,
    command: str = "",
    **settings: Any,
) -> Values:
    """Values of runs that hold several rankings of a topic, as ``cranfield.data.read_series`` reads them.

    EE_L, EE_D, EE_R, AWRF, DTR and DIR judge the attention that groups get in the mean over the rankings of a topic; of
    every other measure the value is the mean over the rankings. ``settings`` are those of :func:`evaluate`.
    """
    values, join = _by_ranking(qrels, runs, measures, gains=gains, command=command, **settings)
    return fold_series(values, join.topics, join.of)


def equity(qrels: Any, runs: Any, *, attributes: Any, together: bool = False, **settings: Any) -> Study:
    """Equity of attention: attention that groups get, added up over all rankings of a run, beside their relevance.

    ``together`` says that runs hold several rankings of a topic. Every ranking counts alike, whatever its topic.
    """
    if together:
        values, _ = _by_ranking(qrels, runs, "AWRF", attributes=attributes, scale="ignore", **settings)
    else:
        values = evaluate(qrels, runs, "AWRF", attributes=attributes, scale="ignore", **settings)
    assert values.assessed is not None  # evaluate keeps the rankings
    table = replace(equity_table(values.assessed), made_by=values.made_by)
    return Study("equity", {"equity": table}, made_by=values.made_by)


def _by_ranking(qrels: Any, runs: Any, measures: Any, *, gains: bool = False, **settings: Any) -> tuple[Values, Any]:
    """Values with a topic for each ranking, and which topic that is."""
    found = [read_series(data, name) for name, data in _each(runs)]
    judged = read_qrels(qrels, gains=gains)
    join = join_series(judged, found)
    by_ranking = read_qrels(join.qrels, gains=gains, name=judged.source.name)
    return evaluate(by_ranking, join.runs, measures, gains=gains, **settings), join


def _each(runs: Any) -> list[tuple[str | None, Any]]:
    """The runs one by one; a folder holds one in each file."""
    if isinstance(runs, Mapping) and not {"topic", "sample", "document"} <= runs.keys():
        return list(runs.items())
    several: Sequence[Any] = runs if isinstance(runs, list | tuple) else [runs]
    files = [
        sorted(one for one in Path(run).iterdir() if one.is_file() and not one.name.startswith("."))
        if isinstance(run, str | PathLike) and Path(run).is_dir()
        else [run]
        for run in several
    ]
    return [(None, one) for some in files for one in some]
