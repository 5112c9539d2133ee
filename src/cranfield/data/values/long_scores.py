"""Read scores computed by other tools from rows of run, topic, measure and value."""

from typing import TYPE_CHECKING

import numpy as np

from cranfield.core import Provenance
from cranfield.data.files.columns import NAMES
from cranfield.data.files.data_source import Source, digest
from cranfield.data.files.input_problems import problem

from .value_cube import Given, Values

if TYPE_CHECKING:
    import polars as pl

# The names under which tools keep them; the first is ours.
ROW = {
    "run": ("run", "name", "system", "run_id", "runid"),
    "topic": NAMES["topic"],
    "measure": ("measure", "metric"),
    "value": ("value",),
}


def score_rows(frame: "pl.DataFrame") -> dict[str, str] | None:
    """The columns of a table with one value in each row, by what they hold; None where it is no such table."""
    known = {column.casefold(): column for column in frame.columns}
    found = {what: next((known[alias] for alias in aliases if alias in known), "") for what, aliases in ROW.items()}
    return found if all(found.values()) else None


def from_rows(frame: "pl.DataFrame", columns: dict[str, str], name: str) -> Values:
    """Values from rows of run, topic, measure and value; every run has one for every topic and measure."""
    import polars as pl

    from .wide_scores import check_no_summary, check_size, score_column

    if not frame.height:
        raise problem(name, "E-EMPTY", "there are no scores", "a row reads: run, topic, measure, value")
    texts = {what: frame[columns[what]].cast(pl.String) for what in ("run", "topic", "measure")}
    for what, text in texts.items():
        if text.null_count():
            line = int(text.is_null().arg_true()[0]) + 2
            raise problem(
                name, "E-NULL", f"the row has no {what}", "a row reads: run, topic, measure, value", line=line
            )
    check_no_summary(texts["topic"].to_list(), name)
    names = {what: tuple(text.unique(maintain_order=True).to_list()) for what, text in texts.items()}
    places = {what: {one: i for i, one in enumerate(names[what])} for what in names}
    at = tuple(np.array([places[what][one] for one in texts[what].to_list()]) for what in names)
    rows = [f"{topic} by {measure}" for topic, measure in zip(texts["topic"], texts["measure"], strict=True)]
    values = score_column(frame[columns["value"]], name, rows, runs=texts["run"].to_list())
    check_size(values, name)
    shape = tuple(len(names[what]) for what in names)
    times = np.zeros(shape, dtype=np.int64)
    np.add.at(times, at, 1)
    for wrong, words, hint in (
        (times > 1, "has two values", "keep one row for each run, topic and measure"),
        (times == 0, "has no value", "say what a missing topic is worth: one row for each run, topic and measure"),
    ):
        if wrong.any():
            run, topic, measure = (known[i] for known, i in zip(names.values(), np.argwhere(wrong)[0], strict=True))
            code = "E-DUPTOPIC" if words.endswith("values") else "E-SCORE"
            raise problem(name, code, f"run {run} {words} in topic {topic} by {measure}", hint)
    cube = np.empty(shape)
    cube[at] = values
    everywhere = np.ones(shape[:2], dtype=bool)
    return Values(
        runs=names["run"],
        topics=names["topic"],
        measures=tuple(map(Given, names["measure"])),
        cube=cube,
        counted=everywhere,
        missing=~everywhere,
        without_relevant=np.zeros((shape[2], shape[1]), dtype=bool),
        made_by=Provenance(inputs=(Source(name, digest(cube), "scores").as_input(),), measures=names["measure"]),
    )
