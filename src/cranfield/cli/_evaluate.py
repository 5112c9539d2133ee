"""cranfield evaluate."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import click

from cranfield.core import CranfieldError, Table
from cranfield.data import Values, read_scores
from cranfield.measures import DEFAULT, OFFICIAL, parse_measures, trec_eval_text
from cranfield.studies import evaluate

from ._show import check_output, note, output_options, progress, put, show, ties_option, typed
from ._usage import Command, OneOf, Whole


@click.command("evaluate", cls=Command)
@click.argument("qrels", required=False, metavar="QRELS")
@click.argument("runs", nargs=-1, metavar="RUN...")
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE",
    help="A measure, or several in quotes; may be repeated. `cranfield measures` lists them.",
)
@click.option("-q", "--per-topic", is_flag=True, help="The values of every topic too.")
@click.option(
    "--topics",
    type=OneOf(["qrels", "both"]),
    default="qrels",
    show_default=True,
    help="Count every judged topic, or only those that the run has too.",
)
@ties_option
@click.option(
    "--compat",
    type=OneOf(["trec_eval-9"]),
    help="Do as a peer does: scores as float32, columns after the sixth left out.",
)
@click.option("--gains", is_flag=True, help="Grades may be decimals.")
@click.option("--scores", metavar="FILE", help="Values from a table instead: topics as rows, runs as columns.")
@click.option("--threads", type=Whole(), help="How many threads read.  [default: one per processor]")
@output_options("trec_eval")
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    per_topic: bool,
    topics: Literal["qrels", "both"],
    ties: str,
    compat: str | None,
    gains: bool,
    scores: str | None,
    threads: int | None,
    form: str | None,
    table: str | None,
    output: str | None,
) -> None:
    """Values of measures for runs: what trec_eval does, faster and stricter.

    QRELS are judgments; a RUN is a file, a folder or a pattern: TREC or MS MARCO text (plain, gz, bz2, xz, zst), JSON,
    Parquet or CSV. - is standard input. Without -m: AP, nDCG@10, RR, P@10, R@1000, Judged@10.

    \b
    Examples:
      cranfield evaluate qrels.txt bm25.txt
      cranfield evaluate qrels.txt runs/ -m "AP nDCG@10" -m "RBP(p=0.5)" -q
      cranfield evaluate qrels.txt runs/ -o values.json
      cranfield evaluate qrels.txt bm25.txt --format trec_eval --topics both
      cranfield evaluate --scores ap.csv
    """
    check_output("given" if form == "trec_eval" else form, output)
    if scores:
        _expect_scores_alone((*filter(None, [qrels]), *runs, *measures), form)
        values = read_scores(scores)
        values = replace(values, made_by=replace(values.made_by, command=typed()))
    else:
        _expect_files(qrels, runs)
        with progress("reading") as see:
            values = evaluate(
                qrels,
                list(runs),
                measures or (OFFICIAL if form == "trec_eval" else DEFAULT),
                topics=topics,
                ties=ties,
                compat=compat,
                gains=gains,
                threads=threads,
                progress=see,
                command=typed(),
            )
    notes = values.mean().notes
    if form == "trec_eval":
        put(trec_eval_text(values, per_topic=per_topic, tag=not measures or len(values.runs) > 1), output)
        for line in notes:
            note(line)
    else:
        layout = {"values": values.mean()} | ({"per_topic": _by_topic(values)} if per_topic else {})
        show(values.study(per_topic=per_topic), form=form, table=table, output=output, layout=layout, notes=notes)


def _expect_scores_alone(words: tuple[str, ...], form: str | None) -> None:
    if words:
        raise click.UsageError(f"--scores stands alone, but there is {words[0]} too\nhint: leave one of them out")
    if form == "trec_eval":
        raise click.UsageError("trec_eval has no form for scores from a table\nhint: --format tsv has")


def _expect_files(qrels: str | None, runs: tuple[str, ...]) -> None:
    """Recognise what people type by mistake."""
    words = [qrels, *runs] if qrels else []
    for word in words:
        if word != "-" and not Path(word).exists() and _is_measure(word):
            raise click.UsageError(f"{word} looks like a measure\nhint: put -m before it: -m {word}")
    if not runs:
        missing = "there is no run to evaluate" if qrels else "QRELS and a RUN are missing"
        raise click.UsageError(f"{missing}\nhint: cranfield evaluate qrels.txt run.txt -m nDCG@10")
    if words.count("-") > 1:
        raise click.UsageError("standard input can be read only once\nhint: write - for one file, name the others")
    twice = next((word for word, count in Counter(runs).items() if count > 1), None)
    if twice:
        raise click.UsageError(f"{twice} is given twice\nhint: name every run once")


def _is_measure(word: str) -> bool:
    try:
        parse_measures(word)
    except CranfieldError:
        return False
    return True


def _by_topic(values: Values) -> Table:
    """One row per run and topic, one column per measure: what people compare topics in."""
    rows, n = values.per_topic(), len(values.measures)
    columns: dict[str, Any] = {"run": rows["run"][::n], "topic": rows["topic"][::n]}
    for i, measure in enumerate(values.measures):
        column: Any = rows["value"][i::n]
        columns[str(measure)] = column.astype(int) if measure.aggregate == "sum" else column
    return Table(columns, "by topic", values.made_by)
