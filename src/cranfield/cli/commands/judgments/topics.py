"""cranfield topics: list topics and rank them by difficulty."""

from typing import Any

import click

from cranfield.cli.options.statistics_options import check_chart, draw_chart
from cranfield.cli.options.usage_errors import Command
from cranfield.cli.options.value_options import Given, named_values_options, notes_of
from cranfield.cli.output.command_output import check_output, output_options, scale_option, show, typed
from cranfield.cli.output.table_layout import Cells, lay_out, notes_on
from cranfield.core import Policy
from cranfield.studies import topics

FEW = {"difficulty": 20}
LETTERS = {"title": 44, "description": 60}  # of a text on a terminal


@click.command("topics", cls=Command)
@click.argument("texts", required=False, metavar="[TOPICS]")
@named_values_options
@click.option("--language", metavar="CODE", help="Only texts in this language: en, de, ….")
@click.option(
    "--predictions", metavar="FILE", help="Scores of predictors, topics as rows: how well do they foretell the values?"
)
@scale_option
@click.option("--chart", metavar="FILE", help="Draw how hard each topic is: .svg, .png, .pdf or .html.")
@output_options()
def command(
    texts: str | None,
    given: Given,
    scale: Policy,
    language: str | None,
    predictions: str | None,
    chart: str | None,
    form: str | None,
    table: str | None,
    output: str | None,
) -> None:
    """What do topics ask, and which of them are hard?

    TOPICS is a file as TREC or CLEF write them, one with a line for each topic (topic, tab, text), CSV with a header,
    or JSON: told by what is in it. With runs or scores the topics are put in order, the hardest first: how values lie
    over the runs, who is best, how many fail, and whether a topic is hard for all or for some.

    \b
    Examples:
      cranfield topics topics.tsv
      cranfield topics topics.tsv --qrels qrels.txt --runs runs/
      cranfield topics --qrels qrels.txt --runs runs/ -m P@10 --chart hard.svg
      cranfield topics --scores ap.csv --scale-of AP
      cranfield topics topics.tsv --language en --format json
      cranfield topics --scores ap.csv --predictions predictors.csv
    """
    check_output(form, output)
    check_chart(chart)
    values = _read(given)
    if texts is None and values is None:
        raise click.UsageError("there are neither topics nor runs\nhint: cranfield topics topics.txt")
    if chart and values is None:
        raise click.UsageError("how hard topics are is not known\nhint: give --qrels and --runs, or --scores")
    study = topics(texts, values, language=language, predictions=predictions, scale=scale, command=typed())
    only = ("prediction",) if predictions else ("difficulty",) if values is not None else ("topics",)
    layout = lay_out(study, FEW, adapt=_for_a_terminal)
    notes = (*notes_of(values), *notes_on(study, [table] if table else only))
    show(study, form=form, table=table, output=output, layout=layout, notes=tuple(dict.fromkeys(notes)), only=only)
    draw_chart(study, "difficulty", chart)


def _read(given: Given) -> Any:
    """The values by which topics are hard; None where only their texts are asked for."""
    if bool(given.qrels) != bool(given.runs):
        raise click.UsageError("--qrels and --runs belong together\nhint: --qrels qrels.txt --runs runs/")
    how = (given.measures, given.levels, given.topics, given.ties, given.compat, given.prior, given.gains)
    if any(how) and not (given.qrels or given.scores):
        raise click.UsageError("there is nothing to measure\nhint: give --qrels and --runs")
    return given.read("AP", needed=False)


def _for_a_terminal(name: str, cells: Cells) -> Cells:
    """The columns that fit: of texts their beginning, of one measure no name."""
    del name
    left_out = {"narrative"} | ({"measure"} if len(set(cells.get("measure", ()))) == 1 else set())
    return {column: _cut(column, each) for column, each in cells.items() if column not in left_out}


def _cut(column: str, cells: list[Any]) -> list[Any]:
    most = LETTERS.get(column)
    if most is None:
        return cells
    return [cell if cell is None or len(cell) <= most else f"{cell[: most - 1].rstrip()}…" for cell in cells]
