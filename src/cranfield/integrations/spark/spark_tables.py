"""Judgments and runs as Spark tables with normalised columns, joined by topic."""

from collections.abc import Mapping
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cranfield.core import InputError, ParameterError, need
from cranfield.data import (
    EXACT,
    NOT_A_NUMBER,
    ambiguous_runs,
    find_columns,
    run_columns,
    spark_fault,
    spark_paths,
    spark_session,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import Column, DataFrame, SparkSession

LOCAL = "local[*]"  # where nobody names an engine
IDS = ("string", "tinyint", "smallint", "int", "bigint")
NUMBERS = (*IDS, "float", "double")


@contextmanager
def told(name: str) -> "Iterator[None]":
    """What Spark says of a table, in two lines."""
    need("pyspark", extra="spark")
    try:
        yield
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in ("pyspark", "py4j"):  # of Spark, and of the way to it
            raise
        raise spark_fault(error, name) from None


def find_session(engine: Any, *tables: Any) -> "SparkSession":
    """The session that is given or named, or that of the tables; else one on this machine."""
    frames = [table for data in tables for table in _several(data) if _is_frame(table)]
    if engine is None and frames:
        return frames[0].sparkSession
    return spark_session(LOCAL if engine is None else engine)


def check_partitions(partitions: int | None) -> None:
    """Refuse a number of partitions that is none."""
    if partitions is not None and partitions < 1:
        raise ParameterError(f"work cannot be spread over {partitions} partitions", hint="give 1 or more")


def name_of(data: Any, otherwise: str) -> str:
    """What a table is called in messages."""
    paths = [fspath(one) for one in _several(data) if isinstance(one, str | PathLike)]
    return paths[0] + f" and {len(paths) - 1} more" * (len(paths) > 1) if paths else otherwise


def judgment_rows(session: "SparkSession", data: Any, name: str) -> "DataFrame":
    """Judgments: topic, document, number, place (the order they were given in) and, where there is one, iteration."""
    from pyspark.sql import functions as F

    table = _read(session, data, name)
    _, found = find_columns(table.columns, "grade", name)
    _check_numbers(table, found["grade"], "grade", name)
    columns = [_text(table, found, "topic", name), _text(table, found, "document", name)]
    columns += [_number(table, found["grade"]).alias("number"), F.monotonically_increasing_id().cast("double")]
    columns[-1] = columns[-1].alias("place")
    if found["iteration"]:
        columns.append(_text(table, found, "iteration", name))
    return table.select(*columns, *_unreadable(table, found["grade"], "grade"))


def run_rows(session: "SparkSession", data: Any, name: str, *, ranked: bool) -> "DataFrame":
    """Runs: run, topic, document, number, whether that was rounded, and the rank, or else the row.

    They are one table with a column that names the run, or tables by the names of their runs. Files without that
    column are one run each, called as the file is. The rank must be there if it is to give the order.
    """
    if not isinstance(data, Mapping):
        table = _read(session, data, name)
        _, found = find_columns(table.columns, "score", name)
        data = {} if found["run"] else _by_file(data)
        if not data:
            return _run_table(table, name, None, ranked=ranked)
    elif not data:
        raise ParameterError("there is no run to evaluate", hint="give at least one run")
    parts = [_run_table(_read(session, one, run), run, run, ranked=ranked) for run, one in data.items()]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.unionByName(part, allowMissingColumns=True)
    return whole


def _by_file(data: Any) -> dict[str, Any]:
    """Files by their names; nothing where there is anything else, such as a folder, which is one table in parts."""
    several = _several(data)
    if not all(isinstance(one, str | PathLike) and Path(one).is_file() for one in several):
        return {}
    found = {Path(one).stem: one for one in several}
    if len(found) < len(several):
        hint = "give the files other names, or a column that names the run"
        raise InputError("two files would be runs of one name", hint=hint, code="E-NAMES")
    return found


def _run_table(table: "DataFrame", name: str, run: str | None, *, ranked: bool) -> "DataFrame":
    from pyspark.sql import functions as F

    what, found = find_columns(table.columns, "score", name, also=("run",) if run is None else ())
    found["run"] = _find_run_column(table, name)
    _check_numbers(table, found[what], what, name)
    number = _number(table, found[what])
    columns = [_run_column(table, found, name, run)]
    columns += [_text(table, found, "topic", name), _text(table, found, "document", name)]
    columns.append((-number if what == "rank" else number).alias("number"))
    if dict(table.dtypes)[found[what] or ""] in ("bigint", "string"):
        whole = table[found[what] or ""].try_cast("bigint")
        columns.append(((F.abs(number) >= EXACT) & (number.try_cast("bigint") != whole)).alias("rounded"))
    if found["rank"]:
        columns.append(_number(table, found["rank"]).alias("rank"))
    elif ranked:
        hint = f"{name} has no column rank; another order does not need it: ties='trec'"
        raise ParameterError("ties=rank needs ranks: rows of a table on Spark are in no fixed order", hint=hint)
    else:
        columns.append(F.monotonically_increasing_id().alias("row"))
    return table.select(*columns, *_unreadable(table, found[what], what))


def _find_run_column(table: "DataFrame", name: str) -> str | None:
    """Return the column that names the runs; of several, the one that tells all of them apart."""
    columns = run_columns(table.columns)
    if len(columns) < 2:
        return columns[0] if columns else None
    rows = table.select(*(table[column].cast("string") for column in columns)).distinct().collect()
    values = {column: {row[column] for row in rows} for column in columns}
    values = {column: found for column, found in values.items() if found != {None}}
    runs = len({tuple(row[column] for column in values) for row in rows})
    for column, found in values.items():
        if len(found) == runs:
            return column
    if not values:
        return columns[0]
    raise ambiguous_runs([column for column, found in values.items() if len(found) > 1], runs, name)


def _run_column(table: "DataFrame", found: Mapping[str, str | None], name: str, run: str | None) -> "Column":
    """The column of the run: its own, a name for all rows, or both where a named table has several runs."""
    from pyspark.sql import functions as F

    if run is None:
        return _text(table, found, "run", name)
    if found["run"] and table.select(found["run"]).distinct().limit(2).count() > 1:
        return F.concat(F.lit(f"{run}/"), _text(table, found, "run", name)).alias("run")
    return F.lit(run).alias("run")


def joined(judgments: "DataFrame", runs: "DataFrame", partitions: int | None) -> "DataFrame":
    """All rows of a topic in one partition, one topic after the other; a judgment is a row without a run."""
    rows = runs.unionByName(judgments, allowMissingColumns=True)
    parted = rows.repartition("topic") if partitions is None else rows.repartition(partitions, "topic")
    return parted.sortWithinPartitions("topic")


def kept(frame: "DataFrame") -> "DataFrame":
    """What a table comes to, worked out once and kept, in as many partitions as it has rows for."""
    conf, name = frame.sparkSession.conf, "spark.sql.optimizer.canChangeCachedPlanOutputPartitioning"
    before = conf.get(name, "false")
    conf.set(name, value=True)  # otherwise all that there may be, most of them empty: 200 if nobody said
    try:
        return frame.persist()
    finally:
        conf.set(name, before or "false")


def _several(data: Any) -> list[Any]:
    if isinstance(data, Mapping):
        return [one for table in data.values() for one in _several(table)]
    return list(data) if isinstance(data, list | tuple) else [data]


def _is_frame(data: Any) -> bool:
    return type(data).__name__ == "DataFrame" and type(data).__module__.startswith("pyspark.")


def _read(session: "SparkSession", data: Any, name: str) -> "DataFrame":
    """A table of Spark as it is, or Parquet by its paths."""
    if _is_frame(data):
        return data
    several = _several(data)
    if not several or not all(isinstance(one, str | PathLike) for one in several):
        hint = "give paths of Parquet (files, folders or patterns) or a DataFrame of Spark"
        raise ParameterError(f"{name}: an object of type {type(data).__name__} is no table", hint=hint)
    return session.read.parquet(*spark_paths(map(fspath, several)))


def _text(table: "DataFrame", found: Mapping[str, str | None], what: str, name: str) -> "Column":
    """A column of ids as text, under our name."""
    kind = dict(table.dtypes)[found[what] or ""]
    if kind not in IDS:
        hint = "ids are text or whole numbers, one in every row"
        raise InputError(f"{name}: the column of the {what} holds {kind}", hint=hint, code="E-TYPE")
    return table[found[what] or ""].cast("string").alias(what)


def _check_numbers(table: "DataFrame", column: str | None, what: str, name: str) -> None:
    """Refuse a column of neither numbers nor text: Spark makes numbers of true, false and times, too."""
    kind = dict(table.dtypes)[column or ""]
    if not (kind.startswith("decimal") or kind in NUMBERS or (what == "grade" and kind == "boolean")):
        message = f"{name}: the column of the {what} holds {kind}, not numbers"
        raise InputError(message, hint=f"every {what} is a number", code=NOT_A_NUMBER[what])


def _number(table: "DataFrame", column: str | None) -> "Column":
    """A column of numbers; what is none becomes null, and is met where the row is read."""
    return table[column or ""].try_cast("double")


def _unreadable(table: "DataFrame", column: str | None, what: str) -> "list[Column]":
    """Return, for a column of text, the code of each row whose text is not a number."""
    from pyspark.sql import functions as F

    if dict(table.dtypes)[column or ""] != "string":
        return []
    wrong = table[column or ""].isNotNull() & _number(table, column).isNull()
    return [F.when(wrong, F.lit(NOT_A_NUMBER[what])).alias("unreadable")]
