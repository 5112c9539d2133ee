"""cranfield nuggets: evaluate written answers by nuggets and citation support."""

from dataclasses import replace
from typing import Literal

import click
import numpy as np

from cranfield.cli.options.statistics_options import check_chart, draw_chart
from cranfield.cli.options.topic_options import read_topics
from cranfield.cli.options.usage_errors import Command, OneOf
from cranfield.cli.output.command_output import check_output, output_options, scale_option, show, typed
from cranfield.cli.output.table_layout import by_topic
from cranfield.core import Policy, Table
from cranfield.data import AGGREGATES, Values, read_answers
from cranfield.studies import nuggets, support


@click.command("nuggets", cls=Command)
@click.argument("assignments", nargs=-1, metavar="ASSIGNMENTS...")
@click.option(
    "--nuggets",
    "key",
    metavar="FILE",
    help="The nuggets of every topic: topic, nugget, importance (vital, okay), and a weight if they have one.",
)
@click.option(
    "--citations",
    metavar="FILE",
    help="What sentences cite: topic, run, sentence, document, support (full, partial, none).",
)
@click.option(
    "--answers", metavar="FILE", help="Texts of answers, or their lengths: topic, run, and words or characters."
)
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE",
    help="A measure, or several in quotes: NuggetAll, NuggetVital, NuggetWeighted, NuggetPrecision, NuggetF, "
    "CitationPrecision, CitationRecall, AnswerLength; may be repeated.",
)
@click.option("-q", "--per-topic", is_flag=True, help="The values of every topic too.")
@click.option(
    "--topics",
    multiple=True,
    metavar="TOPICS",
    help="Only answers that are there count (both), some topics (301,302), those of a file (@FILE).  [default: every "
    "judged topic]",
)
@click.option(
    "--aggregate",
    type=OneOf([name for name in AGGREGATES if name != "sum"]),
    help="Over topics, in place of the mean.",
)
@click.option("--baseline", metavar="RUN", help="Differences to this run too.")
@click.option(
    "--support", "shares", is_flag=True, help="Shares of nuggets and sentences supported in full, in part and not, too."
)
@click.option("--chart", metavar="FILE", help="Draw these shares: .svg, .png, .pdf or .html.")
@scale_option
@output_options()
def command(
    assignments: tuple[str, ...],
    key: str | None,
    citations: str | None,
    answers: str | None,
    measures: tuple[str, ...],
    per_topic: bool,
    topics: tuple[str, ...],
    aggregate: str | None,
    baseline: str | None,
    shares: bool,
    chart: str | None,
    scale: Policy,
    form: str | None,
    table: str | None,
    output: str | None,
) -> None:
    """What do written answers say, and does what they cite support it?

    Judges, people or machines, found the nuggets of each topic: the facts that a good answer states. ASSIGNMENTS say
    which answer supports which of them: JSON Lines as nuggetizer writes them, or rows of topic, run, nugget and support
    (support, partial_support, not_support). No model is asked here: files in, values out.

    \b
    Examples:
      cranfield nuggets assigned.jsonl
      cranfield nuggets a.jsonl b.jsonl -m "NuggetVital(strict=True)" -q
      cranfield nuggets assigned.csv --nuggets nuggets.csv -m NuggetWeighted
      cranfield nuggets assigned.jsonl -m "NuggetF(beta=3) AnswerLength"
      cranfield nuggets --citations citations.csv
      cranfield nuggets assigned.jsonl --support --chart support.svg
      cranfield nuggets assigned.jsonl -m NuggetVital --table scores -o v.csv
    """
    check_output(form, output)
    if not assignments and not citations:
        hint = "cranfield nuggets assigned.jsonl, or --citations citations.csv"
        raise click.UsageError(f"there are no ASSIGNMENTS\nhint: {hint}")
    check_chart(chart)
    counting, only = read_topics(topics)
    judged = read_answers(assignments, nuggets=key, citations=citations, answers=answers)
    count: Literal["judged", "both"] = "both" if counting == "both" else "judged"
    values = nuggets(
        judged,
        measures or None,
        topics=count,
        scale=scale if aggregate != "median" else "ignore",
        command=typed(),
    )
    values = replace(values, by=aggregate) if only is None else replace(values.only(only), by=aggregate)
    study = replace(values.study(per_topic=per_topic, baseline=baseline), name="nuggets")
    told = support(judged, topics=count, only=only, command=typed()) if shares or chart else None
    if told and shares:
        study = replace(study, tables={**study.tables, **told.tables})
    if table == "scores":
        study = replace(study, tables={"scores": _scores(values)})
    layout = {"values": values.mean()}
    if "per_topic" in study.tables:
        layout["per_topic"] = replace(by_topic(study["per_topic"], values, "value"), caption="by topic")
    show(study, form=form, table=table, output=output, layout=layout, notes=values.mean().notes)
    draw_chart(told, "support", chart)


def _scores(values: Values) -> Table:
    """The values of the only measure as every command takes them with --scores: topics as rows, runs as columns."""
    matrix = values.matrix()
    there = ~np.isnan(matrix).all(axis=1)
    columns = {"topic": np.array(values.topics)[there], **dict(zip(values.runs, matrix[there].T, strict=True))}
    return Table(columns, f"{values.measures[0]} by topic and run", values.made_by)
