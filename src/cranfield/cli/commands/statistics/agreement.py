"""cranfield agreement: measure how often two halves of the topics agree on pairs of runs."""

from collections.abc import Sequence
from typing import Any

import click

from cranfield.cli.options.statistics_options import check_chart, draw_chart, draws_option, level_option, seed_option
from cranfield.cli.options.usage_errors import Command, OneOf, Whole
from cranfield.cli.options.value_options import Given, notes_of, values_options
from cranfield.cli.output.atomic_files import check_place, whole
from cranfield.cli.output.command_output import check_output, output_options, progress, scale_option, show
from cranfield.data import SPLITS, Splits, draw_splits, read_splits, write_splits
from cranfield.stats import check_splits
from cranfield.studies import agreement


@click.command("agreement", cls=Command)
@values_options
@click.option(
    "-t",
    "--test",
    "tests",
    multiple=True,
    metavar="TEST",
    help="A test, or several in quotes; may be repeated. `cranfield tests` lists them.  "
    "[default: sign rank-sum signed-rank t]",
)
@click.option(
    "--aggregate",
    "aggregates",
    type=OneOf(["mean", "median"]),
    multiple=True,
    help="Aggregate that decides which run is ahead; may be repeated.  [default: the mean, then the median where the "
    "test is not about means]",
)
@click.option("--splits", type=Whole(), help=f"How often the topics are split in two.  [default: {SPLITS}]")
@click.option(
    "--splits-file", metavar="FILE", help="Take splits from here: JSON, pairs of lists of topic positions, from 0."
)
@click.option("--save-splits", metavar="FILE", help="Write the splits, so that others can use the same.")
@level_option
@draws_option
@seed_option
@scale_option
@click.option(
    "--chart", metavar="FILE", help="Draw separated pairs, agreement and disagreement: .svg, .png, .pdf or .html."
)
@output_options()
def command(
    given: Given,
    tests: tuple[str, ...],
    aggregates: tuple[str, ...],
    splits: int | None,
    splits_file: str | None,
    save_splits: str | None,
    seed: int,
    chart: str | None,
    form: str | None,
    table: str | None,
    output: str | None,
    **settings: Any,
) -> None:
    """Measure how often two halves of the topics lead to the same conclusion, for each test and aggregate.

    The topics are split in two at random, many times. On each pair of runs the two halves agree (the same run is ahead,
    significantly in both or in neither), agree partially (the same run is ahead, significantly in one half; or
    different runs are ahead, significantly in neither) or disagree (different runs are ahead, significantly in at least
    one half).

    High agreement alone does not make a test reliable, because a test that is never significant never disagrees. The
    column `separated` is the proportion of cases in which the same run is ahead in both halves, significantly in both.
    The column `disagree_significant` is the proportion of disagreement among the cases that are significant in at least
    one half. The verdict names a test as best only if no other test is better in either column. Tests
    that separate less than 1% of cases are not compared.

    \b
    Examples:
      cranfield agreement qrels.txt runs/ -m RR@100
      cranfield agreement --scores ap.csv --scale-of AP -t "t sign"
      cranfield agreement --scores ap.csv -t t --aggregate mean --splits 1000
      cranfield agreement --scores ap.csv --save-splits splits.json
      cranfield agreement --scores ap.csv --splits-file splits.json
    """
    check_output(form, output)
    check_chart(chart)
    if save_splits:
        check_place(save_splits)
    if splits and splits_file:
        hint = "the file says how many there are: leave one of them out"
        raise click.UsageError(f"--splits-file stands alone, but there is --splits too\nhint: {hint}")
    values = given.read("AP")
    check_splits(values)
    halves = _halves(values.topics, splits or SPLITS, splits_file, seed)
    with progress("testing halves") as watch:
        study = agreement(
            values,
            tests,
            aggregates=aggregates or None,  # type: ignore[arg-type]  # click knows the words
            splits_from=halves,
            seed=seed,
            threads=given.threads,
            progress=watch,
            **settings,
        )
    if save_splits:
        with whole(save_splits) as place:
            write_splits(halves, place)
    show(study, form=form, table=table, output=output, notes=(*notes_of(values), *study["agreement"].notes))
    draw_chart(study, "agreement", chart)


def _halves(topics: Sequence[str], splits: int, file: str | None, seed: int) -> Splits:
    """Return splits of the topics, as positions in their order."""
    return read_splits(file, len(topics)) if file else draw_splits(topics, splits, seed=seed)
