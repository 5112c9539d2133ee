"""Judgments and runs of some topics, from one partition of a distributed Arrow table."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cranfield.data.files.columns import from_object
from cranfield.data.files.data_source import Source
from cranfield.data.judgments.qrels import Qrels, read_qrels
from cranfield.data.runs.run import RunFrame

if TYPE_CHECKING:
    import pyarrow as pa


def read_part(
    table: "pa.Table", runs: Sequence[str], *, gains: bool = False, name: str = "qrels"
) -> tuple[Qrels | None, list[RunFrame]]:
    """Return the judgments (None if there are none) and every run, which may have no rows, of a table of both.

    Its columns are topic, run (null: the row is a judgment), document, number (the score, or the grade), and perhaps
    rank, row (the order of the rows), rounded and iteration. There are no digests, because no process has all the rows.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    code = pc.index_in(table["run"], value_set=pa.array(runs, table["run"].type)).fill_null(-1).to_numpy()
    row = table["row"].to_numpy() if "row" in table.column_names else np.zeros(len(code))
    order = np.lexsort((row, code))
    ordered = table.take(pa.array(order))
    starts = np.searchsorted(code[order], np.arange(len(runs) + 1)).tolist()
    judged = _columns(ordered.slice(0, starts[0]), "grade", "iteration")
    frames = []
    for run, start, end in zip(runs, starts[:-1], starts[1:], strict=True):
        part = ordered.slice(start, end - start)
        rows = from_object(_columns(part, "score", "rank"), "score", name=run)
        if "rounded" in part.column_names:
            rows = replace(rows, rounded=part["rounded"].fill_null(False).to_numpy())
        if rows.rank is not None and np.isnan(rows.rank).all():  # of a table without ranks, next to one that has them
            rows = replace(rows, rank=None)
        frames.append(RunFrame(run, rows, Source(run, "", "run")))
    return read_qrels(judged, gains=gains, name=name) if starts[0] else None, frames


def _columns(table: "pa.Table", what: str, more: str) -> Mapping[str, Any]:
    """Columns as everybody names them; what is null in a column of numbers is none there."""
    found: dict[str, Any] = {name: table[name].combine_chunks() for name in ("topic", "document")}
    found[what] = table["number"].to_numpy()
    if more in table.column_names:
        found[more] = table[more].combine_chunks() if more == "iteration" else table[more].to_numpy()
    return found
