"""cranfield novelty."""

from dataclasses import replace
from typing import Any

import click

from cranfield.core import Study, Table
from cranfield.data import ORDERS, PRIORS, read_entries
from cranfield.stats import INTERVALS
from cranfield.studies import novelty

from ._leaderboard import Named
from ._show import check_output, output_options, progress, show, typed
from ._statistics import Between, chart_options, check_chart, draw_chart, level_option, seed_option
from ._topics import read_topics
from ._usage import Command, OneOf, Whole
from ._values import expect_files

DRAWN = ("novelty", "unique", "rareness", "tasc", "chronology", "ensemble", "pool-runs")
SHOWN = ("novelty", "ensemble", "pool_runs", "bests", "seen_out", "per_topic")
FEW = 10


@click.command("novelty", cls=Command)
@click.argument("qrels", required=False, metavar="QRELS")
@click.argument("runs", nargs=-1, metavar="RUN...")
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE",
    help="A measure with a user who reads down the ranking: nDCG, DCG, RBP, P, RR, ERR, INST, …  [default: nDCG@10]",
)
@click.option(
    "--prior",
    multiple=True,
    metavar="PRIOR",
    help=f"What is known before a run: {', '.join(PRIORS)}, or a run by its name or file (may be repeated).  "
    "[default: others]",
)
@click.option(
    "--entries",
    metavar="FILE",
    help="Who submitted which run when: a table with run, group and date.  [default: the runs' own ir_metadata]",
)
@click.option(
    "--column",
    "columns",
    type=Named("WHAT=NAME", "group=team"),
    multiple=True,
    help="Which column of --entries holds run, group or date, if its name does not say so.",
)
@click.option("--by", metavar="MEASURE", help="By which the best run of a group is chosen.  [default: the measure]")
@click.option(
    "--depth", type=Whole(), help="Documents that unique contributions, rareness and pools look at.  [default: @k]"
)
@click.option(
    "--rel", type=Between(0, example="1"), default=1.0, help="The grade that is relevant to these.  [default: 1]"
)
@click.option("--alpha", type=float, default=1.0, show_default=True, help="How much more rare documents count.")
@click.option(
    "--for", "purpose", type=OneOf(["ensemble", "pool"]), help="Which runs to fuse, or to pool, one after the other."
)
@click.option("--method", default="rrf", show_default=True, metavar="NAME", help="How --for ensemble fuses.")
@click.option("--steps", type=Whole(), default=10, show_default=True, help="How many runs --for chooses.")
@click.option(
    "--compat", type=OneOf(["bigdeli2024"]), help="Count for rareness how many runs have a document in any topic."
)
@click.option("-q", "--per-topic", is_flag=True, help="The values of every topic too.")
@click.option(
    "--topics",
    multiple=True,
    metavar="TOPICS",
    help="qrels, both, some (301,302), those of a file (@FILE).  [default: qrels]",
)
@click.option("--ties", type=OneOf([*map(str, ORDERS)]), help="The order of documents with the same score.")
@click.option("--gains", is_flag=True, help="Grades may be decimals.")
@click.option(
    "--interval", default="t", show_default=True, metavar="NAME", help=f"Of means: {', '.join(INTERVALS.names())}."
)
@click.option("--threads", type=Whole(), help="How many threads work.  [default: one per processor]")
@level_option
@seed_option
@chart_options(DRAWN, usual="novelty")
@output_options()
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    prior: tuple[str, ...],
    entries: str | None,
    columns: tuple[tuple[str, str], ...],
    topics: tuple[str, ...],
    chart: str | None,
    draw: str,
    form: str | None,
    table: str | None,
    output: str | None,
    **settings: Any,
) -> None:
    """What does a run find that others miss? Normalised residual gain, unique contributions, rareness, coverage.

    NRG is the measure for somebody who has read other rankings, and gains nothing twice. What these are, says --prior:
    all other runs, those submitted before (with dates in --entries), or the best run of each other group.

    \b
    Examples:
      cranfield novelty qrels.txt runs/ -m nDCG@10
      cranfield novelty qrels.txt runs/ --prior best-per-group --entries runs.csv
      cranfield novelty qrels.txt runs/ -m RR@10 --prior chronological --entries runs.csv --chart time.svg
      cranfield novelty qrels.txt new.run --prior bm25.run --prior dense.run
      cranfield novelty qrels.txt runs/ --for ensemble --chart fuse.svg
      cranfield novelty qrels.txt runs/ --for pool --depth 100
      cranfield evaluate qrels.txt runs/ -m "NRG(nDCG@10)" -q      (topic by topic)
      cranfield test qrels.txt runs/ -m "NRG(nDCG@10)"             (tested)
    """
    check_output(form, output)
    check_chart(chart)
    expect_files(qrels, runs)
    known = read_entries(entries, columns=dict(columns)) if entries else None
    if columns and not entries:
        raise click.UsageError("--column is about a table of runs\nhint: give one with --entries")
    counting, only = read_topics(topics)
    with progress("reading") as see, progress("measuring") as watch:
        study = novelty(
            qrels,
            list(runs),
            measures or "nDCG@10",
            prior=_said(prior),
            entries=known,
            topics=counting,
            only=only,
            progress=see,
            measuring=watch,
            command=typed(),
            **settings,
        )
    notes = tuple(dict.fromkeys(note for one in study.tables.values() for note in one.notes))
    own = study[table].notes if table else notes
    show(study, form=form, table=table, output=output, layout=_layout(study), notes=own, only=SHOWN)
    draw_chart(study, _drawn(study, draw), chart)


def _said(words: tuple[str, ...]) -> Any:
    """One of the words for a prior, or a list of runs."""
    said = [word for word in words if word in PRIORS]
    if said and len(words) > 1:
        raise click.UsageError(f"--prior {said[0]} stands alone\nhint: name runs, or say {said[0]}")
    return said[0] if said else list(words) or "others"


def _drawn(study: Study, draw: str) -> str:
    """The chart that was asked for; where none was, the one that the question is about."""
    context = click.get_current_context()
    source = context.get_parameter_source("draw")
    if source is not click.core.ParameterSource.DEFAULT:
        return draw
    last = study.charts[-1]
    return last if last in ("ensemble", "pool-runs") else study.charts[0]


def _layout(study: Study) -> dict[str, Table]:
    """Tables that people read: no empty columns, few rows, no notes twice."""
    return {name: replace(_short(table, name), notes=()) for name, table in study.tables.items() if len(table)}


def _short(table: Table, name: str) -> Table:
    rows = len(table) if name in ("novelty", "ensemble", "pool_runs") else FEW
    data: dict[str, Any] = {column: table.cells(column, slice(0, rows)) for column in table.columns}
    data = {column: cells for column, cells in data.items() if any(cell is not None for cell in cells)}
    if name == "novelty":
        alone = len(set(data["measure"])) == 1
        dropped = {"prior", "tasc_mean", "unique_total", *(["measure"] if alone else [])}
        dropped |= set() if any(data["seen_out"]) else {"seen_out"}
        data = {column: cells for column, cells in data.items() if column not in dropped}
    more = f": the first {rows} of {len(table):,}; --table {name} has all" if len(table) > rows else ""
    ends = {middle: sides for middle, sides in table.ends.items() if {middle, *sides} <= set(data)}
    return replace(table, data=data, caption=f"{table.caption}{more}", ends=ends)
