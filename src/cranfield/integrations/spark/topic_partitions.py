"""Evaluation of whole topics inside one Spark partition."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from cranfield.core import CranfieldError, Ties
from cranfield.data import Qrels, RunFrame, Source, Values, assess, find_coverage, judged_at_top, read_part, read_run
from cranfield.measures import Measure, cut_ties, measure_all

from .worker_errors import restate, write_fault

if TYPE_CHECKING:
    import pyarrow as pa

# Rows that are gathered before they are measured: no more than these, the rows of one topic (which stay together,
# however many they are) and one batch are in memory at a time. At some 60 bytes a row, with the copies that reading
# makes: 150 MB.
ROWS = 1 << 19

# What comes out: one row for each run and judged topic, or for each run and topic that nobody judged (no place).
# Its arrays have an entry for each measure; a row with a code, a note or a fault has no values.
OUT = {
    "run": "string",
    "topic": "string",
    "place": "double",  # where the judgments first name the topic
    "retrieved": "int",
    "value": "array<double>",
    "low": "array<double>",
    "high": "array<double>",
    "order": "array<double>",
    "without_relevant": "array<boolean>",
    "straddling": "array<bigint>",  # for each cut-off
    "judged": "int",  # of the first documents
    "possible": "int",  # that could be judged
    "judged_share": "array<double>",  # of the documents down to each depth of the measures; NaN if none is retrieved
    "relevant": "double",  # number of relevant documents of the topic
    "code": "string",  # of a warning about a run, or about the judgments (no run)
    "note": "string",
    "fault": "string",
}
SCHEMA = ", ".join(f"`{name}` {kind}" for name, kind in OUT.items())


@dataclass(frozen=True)
class Work:
    """What is made of the rows of a partition: it travels to the workers."""

    runs: tuple[str, ...]
    measures: tuple[Measure, ...]  # settled
    order: Ties | str
    reading: Ties | str
    single: bool
    without_self: bool
    gains: bool
    prior: Literal["others", "none"] | None
    seed: int
    name: str  # of the judgments
    rows: int = ROWS

    def __call__(self, batches: Iterable["pa.RecordBatch"]) -> Iterator["pa.RecordBatch"]:
        """One batch of values for each chunk of topics; the first fault ends it."""
        for table in whole_topics(batches, self.rows):
            try:
                yield from self.of_topics(table)
            except CranfieldError as error:
                yield _batch(1, fault=[write_fault(restate(error, table, self.name))])
                return

    def of_topics(self, table: "pa.Table") -> Iterator["pa.RecordBatch"]:
        """The values of some topics, with all their rows."""
        qrels, frames = read_part(table, self.runs, gains=self.gains, name=self.name)
        if qrels is None:
            # Unjudged topics are checked too.
            rows = [frame for frame in frames if len(frame.columns.number)]
            yield _codes([(frame.name, read_run(frame, ties=self.reading).source) for frame in rows])
        else:
            yield from self._measured(qrels, frames, table)
        unknown = _unknown(qrels, frames)
        yield _batch(len(unknown), run=[run for run, _ in unknown], topic=[topic for _, topic in unknown])

    def _measured(self, qrels: Qrels, frames: list[RunFrame], table: "pa.Table") -> Iterator["pa.RecordBatch"]:
        compat = "trec_eval-9" if self.single else None
        options: dict[str, Any] = {"compat": compat, "without_self": self.without_self, "threads": 1}
        assessed = assess(qrels, frames, ties=self.reading, part=True, **options)
        if self.prior is not None:
            from cranfield.data import make_prior

            assessed = assessed.after(make_prior(self.prior, self.runs).known)
        values = measure_all(assessed, self.measures, ties=self.order, seed=self.seed)
        cuts = list(cut_ties(assessed, self.measures).values())
        n = len(self.runs) * len(values.topics)
        own = values.notes[len(assessed.notes) :]  # those of the runs are made of all topics
        yield _batch(len(own), note=list(own))
        yield _codes([(None, qrels.source), *zip(self.runs, assessed.sources[1:], strict=False)])
        judged, possible = judged_at_top(assessed)
        yield _batch(
            n,
            run=np.repeat(np.array(self.runs, dtype=object), len(values.topics)),
            topic=np.tile(np.array(values.topics, dtype=object), len(self.runs)),
            place=np.tile(_places(table, values.topics), len(self.runs)),
            retrieved=assessed.retrieved,
            judged=judged,
            possible=possible,
            **_coverage(values),
            straddling=np.stack(cuts, axis=-1).reshape(n, -1) if cuts else None,
            **_cubes(values, n),
        )


def whole_topics(batches: Iterable["pa.RecordBatch"], rows: int = ROWS) -> Iterator["pa.Table"]:
    """Tables of whole topics out of batches that are sorted by topic: of so many rows, or of one larger topic."""
    import pyarrow as pa
    import pyarrow.compute as pc

    held: list[pa.RecordBatch] = []
    there = 0
    for batch in batches:
        if not batch.num_rows:
            continue
        held.append(batch)
        there += batch.num_rows
        last = batch["topic"][-1]
        if there < rows or held[0]["topic"][0] == last:
            continue
        table = pa.Table.from_batches(held)
        cut = pc.index(table["topic"], last).as_py() if last.is_valid else 0
        yield table.slice(0, cut)
        held = table.slice(cut).to_batches()
        there = table.num_rows - cut
    if held:
        yield pa.Table.from_batches(held)


def _places(table: "pa.Table", topics: tuple[str, ...]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """(topic,): where each is first named."""
    first = table.select(["topic", "place"]).group_by("topic").aggregate([("place", "min")])
    places = dict(zip(first["topic"].to_pylist(), first["place_min"].to_pylist(), strict=True))
    return np.array([places[topic] for topic in topics])


def _cubes(values: Values, n: int) -> dict[str, Any]:
    cubes = {"value": values.cube, "low": values.low, "high": values.high, "order": values.order}
    found: dict[str, Any] = {name: None if cube is None else cube.reshape(n, -1) for name, cube in cubes.items()}
    return found | {"without_relevant": np.tile(values.without_relevant.T, (len(values.runs), 1))}


def _coverage(values: Values) -> dict[str, Any]:
    coverage = find_coverage(values)
    shares = np.stack([one.share.reshape(-1) for one in coverage], axis=-1)
    return {"judged_share": shares, "relevant": np.tile(coverage[0].relevant, len(values.runs))}


def _unknown(qrels: Qrels | None, frames: list[RunFrame]) -> list[tuple[str, str]]:
    """The topics of each run that nobody judged."""
    judged = set() if qrels is None else set(qrels.topics.to_list())
    found = []
    for frame in frames:
        topics = frame.columns.topic.distinct()[0].to_list() if len(frame.columns.number) else []
        found += [(frame.name, topic) for topic in topics if topic not in judged]
    return found


def _codes(sources: list[tuple[str | None, Source]]) -> "pa.RecordBatch":
    """The warnings about each run, and about the judgments."""
    codes = [(run, one.code) for run, source in sources for one in source.problems.warnings]
    return _batch(len(codes), run=[run for run, _ in codes], code=[code for _, code in codes])


def _batch(rows: int, **columns: Any) -> "pa.RecordBatch":
    """Rows as Spark expects them: what is not given is null."""
    import pyarrow as pa

    kinds = {"string": pa.string(), "double": pa.float64(), "int": pa.int32(), "boolean": pa.bool_()}
    kinds["bigint"] = pa.int64()
    arrays = []
    for name, kind in OUT.items():
        cells = columns.get(name)
        inner = kind.removeprefix("array<").removesuffix(">")
        whole = pa.list_(kinds[inner]) if inner != kind else kinds[inner]
        if cells is None:
            arrays.append(pa.nulls(rows, whole))
        elif inner == kind:
            arrays.append(pa.array(cells, whole))
        else:
            offsets = pa.array(np.arange(0, cells.size + 1, cells.shape[1]), pa.int32())
            arrays.append(pa.ListArray.from_arrays(offsets, pa.array(cells.reshape(-1), kinds[inner])))
    return pa.RecordBatch.from_arrays(arrays, list(OUT))
