"""Evaluation on Spark of runs with too many rows for one machine."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np

from cranfield.core import SEED, InputError, ParameterError, Policy, Ties
from cranfield.data import (
    TOP,
    Problem,
    Problems,
    Source,
    assess,
    explain_topics,
    is_mismatch,
    is_suspect,
    report_mismatch,
    report_partial_mismatch,
)
from cranfield.measures import DEFAULT, Measure, Relative, measure_all
from cranfield.studies import Question, reading_notes

from .spark_tables import check_partitions, find_session, joined, judgment_rows, kept, name_of, run_rows, told
from .spark_values import Evaluated
from .topic_partitions import SCHEMA, Work
from .worker_errors import read_fault

MAX_TOPICS = 1000  # whose ids are compared where none is judged
TOPICS_SHOWN = 20  # whose ids are compared where they do not match
SINGLY = 3  # so many notes of one kind are given one by one
FAR, RARE = 4, 0.01  # times the next grade, and proportion of the relevant documents, of a top grade that is an outlier
OF_ALL = ("W-NOREL", "W-NOZERO", "W-GRADE")  # codes that no part of the judgments can give


def evaluate(
    qrels: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT,
    *,
    engine: Any = None,
    rel: float | Sequence[float] = (),
    topics: Literal["qrels", "both"] | None = None,
    aggregate: str | None = None,
    ties: Ties | str | None = None,
    compat: str | None = None,
    prior: Literal["others", "none"] | None = None,
    gains: bool = False,
    scale: Policy = "note",
    seed: int = SEED,
    partitions: int | None = None,
    command: str = "",
) -> Evaluated:
    """Values of measures for every run and topic, made on Spark by what makes them on one machine.

    ``qrels`` are Parquet (paths of files or folders, patterns) or a DataFrame of Spark with the columns topic, document
    and grade; ``runs`` the same with run, topic, document and score, tables by the names of their runs, or files of
    one run each. Columns may have the names that frames may have. ``engine`` is a Spark session or the address of one
    (``local[2]``, ``spark://host:port``); else the tables' own, or all processors here. The other words mean what they
    mean to :func:`cranfield.evaluate`; what needs another table beside these two, or the order of rows
    (``ties="input"``), is for one machine. ``partitions`` is in how many parts topics are spread; Spark finds a number
    itself.

    Everything is read and measured when this is called: what is wrong is said now.
    """
    question = Question.of(measures, rel=rel, aggregate=aggregate, ties=ties, compat=compat, scale=scale)
    prior = _check(question, prior)
    if topics not in (None, "qrels", "both"):
        raise ParameterError(f"topics={topics!r} is not known", hint="choose 'qrels' or 'both'")
    check_partitions(partitions)
    session = find_session(engine, qrels, runs)
    judged, searched = name_of(qrels, "qrels"), name_of(runs, "runs")
    with told(judged):
        judgments = judgment_rows(session, qrels, judged)
        top, grade_codes = _check_grades(judgments, judged, gains=gains)
    with told(searched):
        rows = run_rows(session, runs, searched, ranked=question.reading == Ties.RANK)
        names = _names(rows, searched)
    settled = tuple(measure.settled(top) for measure in question.measures)
    work = Work(
        runs=names,
        measures=settled,
        order=question.order,
        reading=question.reading,
        single=question.like.single,
        without_self=question.like.without_self,
        gains=gains,
        prior=prior,
        seed=seed,
        name=judged,
    )
    _try(work, top)
    with told(searched):
        frame = kept(joined(judgments, rows, partitions).mapInArrow(work, SCHEMA))
        found = _by_run(frame)
        notes, own = _checked(found, names, judgments, rows)
        mismatches = {run: _mismatch(run, found[run], frame, judgments, rows) for run in names}
    sources = [_source(judged, found.get(None), grade_codes)]
    sources += [_source(run, found[run], [], mismatches[run]) for run in names]
    against = f"{', '.join(str(one) for one in question.measures if isinstance(one, Relative))}: against all other runs"
    return Evaluated(
        frame=frame,
        runs=names,
        measures=settled,
        topics=topics or question.like.topics,
        read=(*notes, *reading_notes(sources)),
        notes=(
            *own,
            *(question.notes if len(names) > 1 else ()),
            *((against,) if prior == "others" else ()),
        ),
        by=aggregate,
        seed=seed if question.reading != question.order else None,
        command=command,
        name=judged,
        tied=question.order not in (Ties.AVERAGE, Ties.BOUNDS, Ties.RANK),
    )


def _check(question: Question, prior: Literal["others", "none"] | None) -> Literal["others", "none"] | None:
    """Refuse what a part of the topics cannot know; what is known before each run, if a measure asks for it."""
    for measure in question.measures:
        if measure.asks_for:
            hint = "cranfield.evaluate does, on one machine"
            raise ParameterError(f"{measure} needs {measure.asks_for}, which are not read on Spark", hint=hint)
    if question.reading == Ties.INPUT:
        hint = "choose another order: trec, docno-asc, rank (by a column rank), average or bounds"
        raise ParameterError("ties=input: rows of a table on Spark have no order of their own", hint=hint)
    relative = any(isinstance(measure, Relative) for measure in question.measures)
    if prior is not None and not relative:
        hint = "measures that ask for one: NRG(nDCG@10), TaSC(nDCG@10), Unique@10, RareP@10"
        raise ParameterError("no measure asks what is known before a run", hint=hint)
    if prior not in (None, "others", "none"):
        hint = "others and none can be; cranfield.evaluate knows more, on one machine"
        raise ParameterError(f"the prior cannot be {prior!r} on Spark", hint=hint)
    return (prior or "others") if relative else None


def _check_grades(judgments: Any, name: str, *, gains: bool) -> tuple[float, list[str]]:
    """Return the top grade, by which measures are settled before topics are parted, and warnings about all grades."""
    from pyspark.sql import functions as F

    zeros = F.count(F.when(F.col("number") == 0, 1))
    top, least, zeros, there = judgments.agg(F.max("number"), F.min("number"), zeros, F.count(F.lit(1))).first()
    if not there:
        hint = "a judgment has a topic, a document and a grade"
        raise InputError(f"{name}: there are no judgments", hint=hint, code="E-EMPTY")
    if top is None or not np.isfinite(top) or top <= 0:  # a grade that is not a number is reported with its row
        return 0.0, ["W-NOREL"]
    codes = ["W-NOZERO"] if least < 0 and not zeros else []
    return float(top), [*codes, "W-GRADE"] if not gains and _is_outlying(judgments, top) else codes


def _is_outlying(judgments: Any, top: float) -> bool:
    """Return whether the top grade is far above the next one and rare, as the reader of files has it (qrels.rs)."""
    from pyspark.sql import functions as F

    number = F.col("number")
    is_top, is_next = number == top, (number > 0) & (number < top)
    counts = judgments.agg(
        F.max(F.when(is_next, number)), F.count(F.when(is_top, 1)), F.count(F.when(is_top | is_next, 1))
    )
    second, count, relevant = counts.first()
    return second is not None and top > FAR * second and count <= max(RARE * relevant, 1)


def _names(rows: Any, name: str) -> tuple[str, ...]:
    """Every run that there is, by name: a topic that none of its rows is about is missing from it."""
    found = [row[0] for row in rows.select("run").distinct().collect()]
    if not found:
        hint = "a run has a topic, a document and a score in every row"
        raise InputError(f"{name}: the runs have no rows", hint=hint, code="E-EMPTY")
    if None in found:
        raise InputError(
            f"{name}: the column of the run: a row is null", hint="name the run in every row", code="E-NULL"
        )
    return tuple(sorted(found))


def _try(work: Work, top: float) -> None:
    """Refuse before anything large is read what would be refused for any ranking: one document is measured here."""
    assessed = assess({"1": {"d": top}}, {"1": {"d": 1.0}}, ties=Ties.TREC) if top == int(top) else None
    if assessed is not None:
        measure_all(assessed, work.measures, ties=work.order, seed=work.seed)


def _by_run(frame: Any) -> dict[str | None, Any]:
    """Make everything; what the rows of each run say together."""
    from pyspark.sql import functions as F

    met = F.sum(F.when(F.col("place").isNotNull() & (F.col("retrieved") > 0), 1).otherwise(0))
    is_topic = F.col("place").isNull() & F.col("topic").isNotNull()
    first = F.slice(F.array_sort(F.collect_set(F.when(is_topic, F.col("topic")))), 1, SINGLY)
    rows = frame.groupBy("run").agg(
        met.alias("met"),
        F.sum(F.when(is_topic, 1).otherwise(0)).alias("unknown"),
        first.alias("first"),
        F.min("fault").alias("fault"),
        F.collect_set("note").alias("notes"),
        F.collect_set("code").alias("codes"),
        F.sum("judged").alias("judged"),
        F.sum("possible").alias("possible"),
        F.sum(F.when(F.col("possible") == TOP, F.col("judged"))).alias("judged_of_many"),
        F.sum(F.when(F.col("possible") == TOP, TOP)).alias("possible_of_many"),
        F.sum(F.when(F.col("place").isNotNull(), F.least(F.col("retrieved"), F.lit(TOP)))).alias("at_top"),
    )
    return {row["run"]: row for row in rows.collect()}


def _mismatch(run: str, row: Any, frame: Any, judgments: Any, rows: Any) -> Problem | None:
    """Return a warning if many ids of a run are likely to be written in another way, as ids of a few topics show."""
    from pyspark.sql import functions as F

    if row["judged"] is None:
        return None
    differ = is_mismatch(row["judged"], row["possible"])
    if not differ and not is_suspect(row["judged_of_many"] or 0, row["possible_of_many"] or 0):
        return None
    met = frame.where((F.col("run") == run) & F.col("place").isNotNull() & (F.col("retrieved") > 0))
    by = ("topic",) if differ else ("judged", "topic")  # topics whose ids match show no other form
    topics = [one["topic"] for one in met.select("topic", "judged").orderBy(*by).limit(TOPICS_SHOWN).collect()]
    own = rows.where((F.col("run") == run) & F.col("topic").isin(topics)).orderBy(F.desc("number"), F.desc("document"))
    retrieved: dict[str, list[str]] = {topic: [] for topic in topics}
    for one in own.select("topic", "document").collect():
        retrieved[one["topic"]].append(one["document"])
    judged: dict[str, set[str]] = {topic: set() for topic in topics}
    for one in judgments.where(F.col("topic").isin(topics)).select("topic", "document").collect():
        judged[one["topic"]].add(one["document"])
    first = {topic: documents[:TOP] for topic, documents in retrieved.items()}
    report = report_mismatch if differ else report_partial_mismatch
    return report(run, row["judged"], row["at_top"], first, judged)


def _source(name: str, row: Any, codes: Sequence[str], problem: Problem | None = None) -> Source:
    """A table with the warnings that its parts have; those of all grades together are ``codes``."""
    met = {*codes, *(code for code in (row["codes"] if row else ()) if code not in OF_ALL)}
    kept = [Problem(name, 0, code, "", "") for code in sorted(met)] + ([problem] if problem else [])
    return Source(name, "", "run", Problems(tuple(kept)))


def _checked(
    found: dict[str | None, Any], names: Sequence[str], judgments: Any, rows: Any
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Raise the first fault, refuse runs without a judged topic; notes on topics, and of measures."""
    if None in found and found[None]["fault"] is not None:
        raise read_fault(found[None]["fault"])
    for run in names:
        if not found[run]["met"]:
            message = f"{run}: no topic of the run is in the qrels (the run has {_listed(found[run])})"
            own, known = (_some_topics(table) for table in (rows.where(rows["run"] == run), judgments))
            raise InputError(message, hint=explain_topics(own, known), code="E-TOPICS")
    strange = [found[run] for run in names if found[run]["unknown"]]
    notes = [
        f"{row['run']}: {row['unknown']} {'topic is' if row['unknown'] == 1 else 'topics are'} not in the qrels "
        f"({_listed(row)})"
        for row in strange
    ]
    if len(notes) > SINGLY:
        notes = [f"{notes[0]}; {len(notes) - 1} more runs have such topics"]
    own = sorted(found[None]["notes"]) if None in found else []
    if len(own) > SINGLY:
        own = [f"{own[0]}; {len(own) - 1} more such notes of other parts"]
    return tuple(notes), tuple(own)


def _some_topics(table: Any) -> list[str]:
    return [row[0] for row in table.select("topic").distinct().limit(MAX_TOPICS).collect()]


def _listed(row: Any) -> str:
    """The first of the topics that nobody judged, and how many more there are."""
    more = row["unknown"] - len(row["first"])
    return ", ".join(row["first"]) + f" and {more} more" * (more > 0)
