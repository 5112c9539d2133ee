"""cranfield novelty: measure the contribution of each run beyond other runs."""

from dataclasses import replace
from typing import Any

import click

from cranfield.cli.options.key_value_options import column_option
from cranfield.cli.options.statistics_options import (
    asked_chart,
    chart_options,
    check_chart,
    draw_chart,
    level_option,
    seed_option,
)
from cranfield.cli.options.usage_errors import Command, OneOf, Whole
from cranfield.cli.options.value_options import Given, expect_files, notes_of, values_options
from cranfield.cli.output.command_output import check_output, output_options, progress, show
from cranfield.cli.output.table_layout import Cells, lay_out, notes_on
from cranfield.core import Ties
from cranfield.data import PRIORS, RunFile, find_runs, read_entries, split_known
from cranfield.measures import NRG, at_levels, parse_measures
from cranfield.stats import INTERVALS
from cranfield.studies import novelty

USUAL = "nDCG@10"
DRAWN = ("novelty", "unique", "rareness", "tasc", "chronology", "ensemble", "pool-runs")
SHOWN = ("novelty", "ensemble", "pool_runs", "bests", "seen_out", "per_topic")
FEW = {"bests": 40, "seen_out": 10, "per_topic": 10}  # rows


@click.command("novelty", cls=Command)
@values_options
@click.option(
    "--entries",
    metavar="FILE",
    help="Who submitted which run when: a table with run, group and date.  [default: the runs' own ir_metadata]",
)
@column_option("of --entries holds run, group or date", "group=team", to="columns")
@click.option("--by", metavar="MEASURE", help="By which the best run of a group is chosen.  [default: the measure]")
@click.option(
    "--depth", type=Whole(), help="Documents that unique contributions, rareness and pools look at.  [default: @k]"
)
@click.option("--alpha", type=float, default=1.0, show_default=True, help="How much more rare documents count.")
@click.option(
    "--rareness",
    type=OneOf(["topic", "authors"]),
    default="topic",
    show_default=True,
    help="Count the runs that have a document for the topic, or in any topic as the authors' script does.",
)
@click.option(
    "--for", "purpose", type=OneOf(["ensemble", "pool"]), help="Which runs to fuse, or to pool, one after the other."
)
@click.option("--method", default="rrf", show_default=True, metavar="NAME", help="How --for ensemble fuses.")
@click.option("--steps", type=Whole(), default=10, show_default=True, help="How many runs --for chooses.")
@click.option("-q", "--per-topic", is_flag=True, help="The values of every topic too.")
@click.option(
    "--interval", default="t", show_default=True, metavar="NAME", help=f"Of means: {', '.join(INTERVALS.names())}."
)
@level_option
@seed_option
@chart_options(DRAWN, usual="novelty")
@output_options()
def command(
    given: Given,
    entries: str | None,
    columns: tuple[tuple[str, str], ...],
    by: str | None,
    chart: str | None,
    draw: str,
    form: str | None,
    table: str | None,
    output: str | None,
    **settings: Any,
) -> None:
    """What does a run find that others miss? Normalised residual gain, unique contributions, rareness, coverage.

    NRG is the measure for somebody who has read other rankings, and gains nothing twice. --prior says which: all others
    (the default), none, chronological (with dates in --entries), other-groups, best-per-group, or runs by name or file.
    Measures with a user who reads down the ranking have it: nDCG (the default: nDCG@10), DCG, RBP, P, RR, ERR, INST, …

    \b
    Examples:
      cranfield novelty qrels.txt runs/ -m nDCG@10
      cranfield novelty qrels.txt runs/ --prior best-per-group --entries runs.csv
      cranfield novelty qrels.txt runs/ --prior chronological --entries runs.csv
      cranfield novelty qrels.txt new.run --prior bm25.run --prior dense.run
      cranfield novelty qrels.txt runs/ --for ensemble --chart fuse.svg
      cranfield novelty qrels.txt runs/ --for pool --depth 100
      cranfield evaluate qrels.txt runs/ -m "NRG(nDCG@10)" -q   (topic by topic)
      cranfield test qrels.txt runs/ -m "NRG(nDCG@10)"          (tested)
    """
    check_output(form, output)
    check_chart(chart)
    if given.scores:
        raise click.UsageError("a table of scores does not say what runs found\nhint: give QRELS and RUN...")
    if given.ties == Ties.AVERAGE:
        raise click.UsageError("--ties average has no order of documents\nhint: choose an order, such as trec")
    if columns and not entries:
        raise click.UsageError("--column is about a table of runs\nhint: give one with --entries")
    expect_files(given.qrels, given.runs)
    known = read_entries(entries, columns=dict(columns)) if entries else None
    levels = [level for several in given.levels for level in several]
    measures = at_levels(parse_measures(given.measures or USUAL), levels)
    for measure in measures:
        NRG(of=measure)  # refuses what has none before anything large is read
    by = str(at_levels(parse_measures(by), levels)[0]) if by else None
    asked, prior = _joined(given)
    own = len(find_runs(list(given.runs)))
    asked = replace(asked, measures=(*map(str, measures), *([by] if by else [])), levels=())
    values = asked.read(USUAL)
    with progress("choosing runs") as watch:
        study = novelty(
            values,
            measures=measures,
            prior=prior if isinstance(prior, str) else [values.runs[place] for place in prior],
            shown=values.runs[:own],
            entries=known,
            by=by,
            rel=given.levels[0][0] if given.levels else 1,
            runs=list(asked.runs),
            ties=given.ties or Ties.TREC,
            threads=given.threads,
            progress=watch,
            **settings,
        )
    notes = notes_on(study, [table]) if table else (*notes_of(values), *notes_on(study))
    layout = lay_out(study, FEW, adapt=_adapted)
    show(study, form=form, table=table, output=output, layout=layout, notes=notes, only=SHOWN)
    draw_chart(study, asked_chart(draw, study.charts[-1] if settings["purpose"] else study.charts[0]), chart)


def _joined(given: Given) -> tuple[Given, str | list[int]]:
    """The runs with those behind them that are only known before; what is known: a word, or places of runs."""
    words = given.prior
    said = [word for word in words if word in PRIORS]
    if said and len(words) > 1:
        raise click.UsageError(f"--prior {said[0]} stands alone\nhint: name runs, or say {said[0]}")
    if said or not words:
        return replace(given, prior=()), said[0] if said else "others"
    found = find_runs(list(given.runs))
    places, others = split_known(found, words)
    files = [str(run.path) if isinstance(run, RunFile) else run.source.name for run in others]
    places += range(len(found), len(found) + len(files))
    return replace(given, runs=(*given.runs, *files), prior=()), places


def _adapted(name: str, cells: Cells) -> Cells:
    """Columns that fit a terminal."""
    if name != "novelty":
        return cells
    dropped = {"prior", "tasc_mean", "unique_total"}
    dropped |= {"measure"} if len(set(cells["measure"])) == 1 else set()
    dropped |= set() if any(cells["seen_out"]) else {"seen_out"}
    return {column: each for column, each in cells.items() if column not in dropped}
