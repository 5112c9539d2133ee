"""Conversion between per-topic results of PyTerrier experiments and values."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cranfield.core import ParameterError, experimental
from cranfield.data import Values, read_scores
from cranfield.measures import as_named

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("name", "qid", "measure", "value")


@experimental
def read_experiment(results: Any) -> Values:
    """What ``pt.Experiment(..., perquery=True)`` gives, as values for every study that takes values.

    Results are its frame, its dict (``dataframe=False``), or the file ``perquery.csv`` that it saves. Names of measures
    become the measures that they stand for; others, such as ``mrt``, stay names.
    """
    if isinstance(results, tuple):  # perquery="both": the means, then the values of topics
        results = results[-1]
    if isinstance(results, Mapping):
        results = _rows(results)
    columns = [str(column) for column in getattr(results, "columns", results if isinstance(results, dict) else ())]
    if columns and "qid" not in columns:
        hint = "ask for the values of topics: pt.Experiment(..., perquery=True)"
        raise ParameterError(f"these results have no topics, but {', '.join(columns)}", hint=hint)
    return as_named(read_scores(results))


@experimental
def to_experiment(values: Values) -> "pd.DataFrame":
    """Values as the frame that ``pt.Experiment(..., perquery=True)`` gives: name, qid, measure, value."""
    frame = values.per_topic().to_pandas().rename(columns={"run": "name", "topic": "qid"})
    return frame[list(COLUMNS)]


def _rows(results: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Columns of {name: {topic: {measure: value}}}; a dict of columns as it is."""
    if not all(isinstance(topics, Mapping) for topics in results.values()):
        return dict(results)
    rows = [
        (name, topic, measure, value)
        for name, topics in results.items()
        for topic, values in topics.items()
        for measure, value in (values.items() if isinstance(values, Mapping) else ())
    ]
    if not rows:
        hint = "ask for the values of topics: pt.Experiment(..., perquery=True)"
        raise ParameterError("these results have no topics", hint=hint)
    return {column: [row[i] for row in rows] for i, column in enumerate(COLUMNS)}
