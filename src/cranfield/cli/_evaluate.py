"""cranfield evaluate."""

from pathlib import Path
from typing import Literal

import click

from cranfield.core import CranfieldError, Ties
from cranfield.data import Values, read_scores
from cranfield.measures import DEFAULT, OFFICIAL, parse_measures, trec_eval_text
from cranfield.studies import evaluate

from ._show import note, output_options, progress, put, show, typed

ORDERS = [str(ties) for ties in (Ties.TREC, Ties.DOCNO_ASC, Ties.INPUT, Ties.RANK)]


@click.command("evaluate")
@click.argument("qrels", required=False)
@click.argument("runs", nargs=-1)
@click.option("-m", "--measure", "measures", multiple=True, help="A measure, or several in quotes. Repeat as you like.")
@click.option("-q", "--per-topic", is_flag=True, help="Values of every topic too.")
@click.option(
    "--topics",
    type=click.Choice(["qrels", "both"]),
    default="qrels",
    show_default=True,
    help="Count every judged topic, or only those that the run has too.",
)
@click.option(
    "--ties",
    type=click.Choice(ORDERS),
    default="trec",
    show_default=True,
    help="The order of documents with the same score.",
)
@click.option("--compat", type=click.Choice(["trec_eval-9"]), help="Do as a peer does: scores as float32.")
@click.option("--gains", is_flag=True, help="Grades may be decimals.")
@click.option("--scores", type=click.Path(), help="Values from a table (topics as rows, runs as columns) instead.")
@click.option("--threads", type=click.IntRange(min=1), help="How many threads read.  [default: all]")
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
    """Values of measures for runs.

    QRELS are judgments, RUNS are files, folders or patterns: TREC or MS MARCO text (plain, gz, bz2, xz, zst), JSON,
    Parquet or CSV; - is standard input. Without -m: AP, nDCG@10, RR, P@10, R@1000, Judged@10.

    \b
    cranfield evaluate qrels.txt bm25.txt
    cranfield evaluate qrels.txt runs/ -m "AP nDCG@10" -m "RBP(p=0.5)" -q
    cranfield evaluate qrels.txt bm25.txt --format trec_eval --topics both --compat trec_eval-9
    cranfield evaluate --scores ap.csv
    cranfield measures                      what can stand after -m
    """
    if scores:
        values = read_scores(scores)
    else:
        asked = measures or (OFFICIAL if form == "trec_eval" else DEFAULT)
        _expect(qrels, runs)
        with progress("reading") as see:
            values = evaluate(
                qrels,
                list(runs),
                asked,
                topics=topics,
                ties=ties,
                compat=compat,
                gains=gains,
                threads=threads,
                progress=see,
                command=typed(),
            )
    if form == "trec_eval":
        put(trec_eval_text(values, per_topic=per_topic, tag=not measures or len(values.runs) > 1), output)
    else:
        show(values.study(per_topic=per_topic), form=form, table=table, output=output, layout=values.mean())
    _say(values)


def _expect(qrels: str | None, runs: tuple[str, ...]) -> None:
    """Recognise what people type by mistake."""
    for word in (qrels, *runs):
        if word and word != "-" and not Path(word).exists() and _is_measure(word):
            raise click.UsageError(f"{word} looks like a measure\nhint: put -m before it: -m {word}")
    if not qrels or not runs:
        missing = "QRELS and RUNS are" if not qrels else "there is no run: RUNS are"
        raise click.UsageError(f"{missing} missing\nhint: cranfield evaluate qrels.txt run.txt -m nDCG@10")


def _is_measure(word: str) -> bool:
    try:
        parse_measures(word)
    except CranfieldError:
        return False
    return True


def _say(values: Values) -> None:
    for line in values.mean().notes:
        note(line)
