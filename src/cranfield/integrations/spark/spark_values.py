"""Values of an evaluation on Spark, to write as Parquet or to collect locally."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Input, Provenance, Table
from cranfield.data import Coverage, Values, judged_depths
from cranfield.measures import Measure, say_straddling

from .spark_tables import told

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame


@dataclass(frozen=True, eq=False, repr=False)
class Evaluated:
    """Values per run and topic, kept by Spark until they are released."""

    frame: "DataFrame"  # a row for each run and topic, as the partitions made it
    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    topics: Literal["qrels", "both"]
    read: tuple[str, ...]  # notes on unjudged topics, and on warnings about the tables
    notes: tuple[str, ...]
    by: str | None
    seed: int | None
    command: str
    name: str  # of the judgments
    tied: bool  # whether an order was chosen where scores are equal

    def __repr__(self) -> str:
        return f"Evaluated({len(self.runs)} runs, {', '.join(map(str, self.measures))}; on Spark)"

    @property
    def values(self) -> "DataFrame":
        """One row per run, topic and measure on Spark: run, topic, measure, value, and low and high if asked for."""
        from pyspark.sql import functions as F

        counted = F.col("place").isNotNull()
        if self.topics == "both":
            counted &= F.col("retrieved") > 0
        kept = self.frame.where(counted).withColumn("measure", F.array(*[F.lit(str(one)) for one in self.measures]))
        columns = ("measure", "value", "low", "high") if self._has_ends else ("measure", "value")
        return kept.select("run", "topic", F.inline(F.arrays_zip(*columns)))

    def write(self, path: str | PathLike[str], *, overwrite: bool = False) -> None:
        """Land the values as Parquet, a folder of it; one that is there is kept, unless it may be written over."""
        with told(fspath(path)):
            self.values.write.mode("overwrite" if overwrite else "error").parquet(fspath(path))

    def means(self) -> Table:
        """One row per run, one column per measure, added up in the order of the topics: what one machine says."""
        return self.collect().mean()

    def collect(self) -> Values:
        """The values here: what every study takes. Topics stand as the judgments name them, runs by name."""
        return self._here

    def release(self) -> None:
        """Let Spark forget the values."""
        self.frame.unpersist()

    @property
    def _has_ends(self) -> bool:
        return self.seed is not None and self._bounds

    @cached_property
    def _bounds(self) -> bool:
        with told(self.name):
            first = self.frame.where("low is not null").select("low").first()
        return first is not None

    @cached_property
    def _here(self) -> Values:
        with told(self.name):
            table = self.frame.where("place is not null").drop("fault").toArrow().combine_chunks()
        topics, place = _topics(table)
        run = _codes(table["run"], self.runs)
        at = run * len(topics) + place  # every run has a row for every judged topic
        shape = (len(self.runs), len(topics))

        def cube(name: str) -> NDArray[Any]:
            flat = table[name].combine_chunks().flatten().to_numpy(zero_copy_only=False).reshape(len(at), -1)
            out = np.empty_like(flat)
            out[at] = flat
            return out.reshape(*shape, flat.shape[1])

        def perhaps(name: str) -> NDArray[Any] | None:
            return None if table[name].null_count else cube(name)

        def scalars(name: str) -> NDArray[np.float64]:
            out = np.empty(len(at))
            out[at] = table[name].to_numpy()  # NaN where it is null
            return out

        missing = np.empty(len(at), bool)
        missing[at] = table["retrieved"].to_numpy() == 0
        missing = missing.reshape(shape)
        values = Values(
            runs=self.runs,
            topics=tuple(topics),
            measures=self.measures,
            cube=cube("value"),
            counted=~missing if self.topics == "both" else np.ones_like(missing),
            missing=missing,
            without_relevant=cube("without_relevant")[0].T,
            notes=self._notes(perhaps("straddling")),
            made_by=self._made_by,
            low=perhaps("low"),
            high=perhaps("high"),
            order=perhaps("order"),
            by=self.by,
        )
        relevant = scalars("relevant").reshape(shape)[0]
        shares = np.moveaxis(cube("judged_share"), 2, 0)
        depths = judged_depths(self.measures)
        coverage = (Coverage(depth, share, relevant) for depth, share in zip(depths, shares, strict=True))
        return replace(values, coverage=tuple(coverage))

    def _notes(self, straddling: NDArray[Any] | None) -> tuple[str, ...]:
        """In the order in which one machine gives them."""
        cuts = sorted({measure.k for measure in self.measures if measure.k is not None})
        of_cuts = {} if straddling is None else dict(zip(cuts, np.moveaxis(straddling, 2, 0), strict=True))
        tied = say_straddling(self.runs, of_cuts) if self.tied else ()
        return (*self.read, *tied, *self.notes)

    @property
    def _made_by(self) -> Provenance:
        """Tables that nobody has whole have no digest."""
        inputs = (Input(self.name, "", "qrels"), *(Input(run, "", "run") for run in self.runs))
        return Provenance(command=self.command, inputs=inputs, measures=tuple(map(str, self.measures)), seed=self.seed)


def _topics(table: "pa.Table") -> tuple[list[str], NDArray[np.int64]]:
    """The topics as the judgments name them, and (row,) which each is."""
    first = table.select(["topic", "place"]).group_by("topic").aggregate([("place", "min")])
    topics = first.sort_by([("place_min", "ascending")])["topic"].to_pylist()
    return topics, _codes(table["topic"], topics)


def _codes(column: "pa.ChunkedArray", names: Sequence[str]) -> NDArray[np.int64]:
    """(row,): the place of each name."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.index_in(column, value_set=pa.array(names, column.type)).to_numpy().astype(np.int64)
