"""cranfield leaderboard: rank runs and report the uncertainty of their ranks."""

from dataclasses import replace
from typing import Any

import click

from cranfield.cli.options.key_value_options import Named, column_option
from cranfield.cli.options.statistics_options import (
    Between,
    chart_options,
    check_chart,
    draw_chart,
    level_option,
    seed_option,
)
from cranfield.cli.options.topic_options import read_topics
from cranfield.cli.options.usage_errors import Command, Whole
from cranfield.cli.options.value_options import Given, notes_of, values_options
from cranfield.cli.output.command_output import check_output, output_options, progress, scale_option, show, typed
from cranfield.cli.output.table_layout import Cells, lay_out, notes_on
from cranfield.data import Values, read_entries
from cranfield.stats import CORRECTIONS, INTERVALS, shorten
from cranfield.studies import leaderboard

USUAL = "AP"
# As many as people read; `stability`, `above`, `conditions` and the like are for charts and programs.
SHOWN = (
    *("ranks", "sota", "groups", "shakeup", "moves", "overfitting", "cost", "flips"),
    *("facets", "left_out", "sizes", "orders"),
)
FEW = 25
ROWS = {"ranks": None, "left_out": 5}  # the whole board, and of what is left out some
WIDE = 32  # letters of a name
DRAWN = ("board", "stability", "sota", "public-private", "moves", "pareto", "flips", "sizes", "orders", "facets")


class Shares(click.ParamType[tuple[float, ...]]):
    """Shares between 0 and 1: one, or several with commas."""

    name = "SHARES"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, ...]:
        """The shares that the text holds."""
        if isinstance(value, tuple):
            return value
        return tuple(Between(0, 1, example=".05,.1,.2").convert(word, param, ctx) for word in str(value).split(","))


@click.command("leaderboard", cls=Command)
@values_options
@click.option(
    "--entries",
    metavar="FILE",
    help="Who submitted which run when: a table with run, group, date, baseline and costs.  [default: the runs' own "
    "ir_metadata headers]",
)
@column_option("of --entries holds run, group, date, baseline or description", "group=team", to="columns")
@click.option(
    "--value", metavar="NAME", help="A board of which only means are known: the column of --entries with them."
)
@click.option("--baseline", "baselines", multiple=True, metavar="RUN", help="A run to be beaten; may be repeated.")
@click.option(
    "-t", "--test", default="tukey", show_default=True, metavar="TEST", help="Which runs differ: rank, letters."
)
@click.option(
    "--steps", default="t", show_default=True, metavar="TEST", help="The test of a new best run and the last."
)
@click.option(
    "--correct",
    default="holm",
    show_default=True,
    metavar="NAME",
    help=f"For the pairs of the test: {', '.join(CORRECTIONS.names())}.",
)
@click.option(
    "--interval", default="t", show_default=True, metavar="NAME", help=f"Of means: {', '.join(INTERVALS.names())}."
)
@click.option(
    "--private", multiple=True, metavar="TOPICS", help="Topics that are kept off the board (301,302 or @FILE)."
)
@click.option("--private-qrels", metavar="FILE", help="Judgments of other topics that are kept off the board.")
@click.option("--private-scores", metavar="FILE", help="Scores of other topics, beside --scores.")
@click.option(
    "--labels",
    type=Named("NAME=QRELS", "trec=qrels.txt"),
    multiple=True,
    help="Another set of judgments for the same topics; may be repeated.",
)
@click.option("--cost", "costs", multiple=True, metavar="NAME", help="A column of --entries to show beside the mean.")
@click.option("--flip", "flips", type=Shares(), default=(), help="What if such shares of the labels were wrong?")
@click.option(
    "--robust", is_flag=True, help="How the order depends on topics and measures; the board by answers and ranks."
)
@click.option("--draws", type=Whole(), default=10_000, show_default=True, help="How often topics are drawn again.")
@level_option
@seed_option
@scale_option
@chart_options(DRAWN, usual="stability")
@output_options()
def command(
    given: Given,
    entries: str | None,
    columns: tuple[tuple[str, str], ...],
    value: str | None,
    private: tuple[str, ...],
    private_qrels: str | None,
    private_scores: str | None,
    labels: tuple[tuple[str, str], ...],
    chart: str | None,
    draw: str,
    form: str | None,
    table: str | None,
    output: str | None,
    **settings: Any,
) -> None:
    """Rank runs by mean, with intervals, significance groups, rank stability, history and private topics.

    The rank of a run is 1 + the number of runs that are significantly better, so several runs may share rank 1.
    Runs that share a letter do not differ significantly. Bootstrap resamples of the topics give the interval of each
    rank, and how often a run is first.

    \b
    Examples:
      cranfield leaderboard qrels.txt runs/ -m nDCG@10
      cranfield leaderboard qrels.txt runs/ -m "AP RR" --entries runs.csv --robust
      cranfield leaderboard --scores ap.csv --scale-of AP --chart ranks.svg
      cranfield leaderboard qrels.txt runs/ --entries runs.csv --private @some.txt
      cranfield leaderboard qrels.txt runs/ --entries runs.csv --cost latency
      cranfield leaderboard qrels.txt runs/ --flip .05,.1 --format json
      cranfield leaderboard --entries board.csv --value "MRR@100" --chart sota.svg
    """
    check_output(form, output)
    check_chart(chart)
    known = None
    if entries:
        # A board of means may have titles for its runs, and titles come again.
        known = read_entries(
            entries,
            columns=dict(columns),
            value=value,
            costs=settings["costs"],
            repeated="refuse" if value is None else "number",
        )
    elif columns or value:
        option = "--column" if columns else "--value"
        raise click.UsageError(f"{option} is about a table of runs\nhint: give one with --entries")
    values = given.read(USUAL, needed=value is None)
    if values is not None:
        settings["private"] = private_of(given, private, private_qrels, private_scores, USUAL)
        settings["labels"] = {name: replace(given, qrels=file).read(USUAL) for name, file in labels}
    level = given.levels[0][0] if given.levels else 1
    with progress("drawing topics") as watch:
        study = leaderboard(values, entries=known, rel=level, threads=given.threads, progress=watch, **settings)
    if values is None and study.made_by is not None:
        study = replace(study, made_by=replace(study.made_by, command=typed()))
    own = notes_on(study, [table] if table else None)
    notes = (*(notes_of(values) if values is not None else ()), *own)
    layout = lay_out(study, ROWS, usual=FEW, adapt=_adapted)
    show(study, form=form, table=table, output=output, layout=layout, notes=notes, only=SHOWN)
    draw_chart(study, draw if values is not None else "sota", chart)


def private_of(
    given: Given, topics: tuple[str, ...], qrels: str | None, scores: str | None, usual: str
) -> list[str] | Values | None:
    """The private topics, or the values of private topics that have files of their own."""
    asked = {"--private": topics, "--private-qrels": qrels, "--private-scores": scores}
    said = [option for option, there in asked.items() if there]
    if len(said) > 1:
        raise click.UsageError(f"{said[0]} and {said[1]} both say what is private\nhint: leave one of them out")
    if qrels:
        found: Values = replace(given, qrels=qrels, topics=()).read(usual)
        return found
    if scores:
        if not given.scores:
            raise click.UsageError("--private-scores stands beside --scores\nhint: --private-qrels is for runs")
        found = replace(given, scores=scores, topics=()).read(usual)
        return found
    if not topics:
        return None
    counting, named = read_topics(topics)
    if counting is not None or named is None:
        raise click.UsageError("--private names topics\nhint: 301,302 or a file of them: @private.txt")
    return named


def _adapted(name: str, cells: Cells) -> Cells:
    """Short letters and names, nothing about tests that were not made."""
    if name == "sota" and "p" not in cells:
        cells.pop("level", None)
    if name == "flips" and len(set(cells["measure"])) == 1:
        del cells["measure"]
    if "letters" in cells:
        cells["letters"] = [shorten(str(cell)) for cell in cells["letters"]]
    for column in {"group", "run", "previous"} & set(cells):
        cells[column] = [_cut(cell) for cell in cells[column]]
    return cells


def _cut(name: Any) -> Any:
    return f"{name[: WIDE - 1]}…" if isinstance(name, str) and len(name) > WIDE else name
