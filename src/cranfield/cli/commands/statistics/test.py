"""cranfield test: test the differences between pairs of runs."""

from dataclasses import replace
from typing import Any

import click

from cranfield.cli.options.statistics_options import (
    Between,
    check_chart,
    draw_chart,
    draws_option,
    level_option,
    seed_option,
)
from cranfield.cli.options.usage_errors import Command, OneOf
from cranfield.cli.options.value_options import Given, notes_of, values_options
from cranfield.cli.output.atomic_files import check_place, whole
from cranfield.cli.output.command_output import check_output, output_options, progress, scale_option, show
from cranfield.core import Study, Table
from cranfield.data import write_norms
from cranfield.stats import CORRECTIONS, FAMILIES, INTERVALS, TRANSFORMS, norms_of
from cranfield.studies import test

FEW = 60  # rows of a table that people read


@click.command("test", cls=Command)
@values_options
@click.option(
    "-t",
    "--test",
    "tests",
    multiple=True,
    metavar="TEST",
    help="A test, or several in quotes; may be repeated. `cranfield tests` lists them.  [default: t sign]",
)
@click.option("--pair", "pairs", nargs=2, multiple=True, metavar="A B", help="Only this pair of runs; may be repeated.")
@click.option("--baseline", metavar="RUN", help="Every other run beside this one.")
@click.option(
    "--correct",
    default="holm",
    show_default=True,
    metavar="NAME",
    help=f"For many questions at once: {', '.join(CORRECTIONS.names())}.",
)
@click.option(
    "--family",
    type=OneOf(list(FAMILIES)),
    default="pairs",
    show_default=True,
    help="Which questions are counted together: the pairs of one test and measure, those of all measures, all.",
)
@click.option(
    "--interval", metavar="NAME", help=f"An interval around every difference: {', '.join(INTERVALS.names())}."
)
@click.option("--transform", metavar="NAME", help=f"Transform the values first: {', '.join(TRANSFORMS.names())}.")
@click.option("--norms", metavar="FILE", help="What z-score, webber, sakai and urbano go by, in place of these runs.")
@click.option("--save-norms", metavar="FILE", help="Write what they go by: topic, mean, sd and the values; CSV.")
@click.option(
    "--rope", type=Between(0, example=".01"), help="What to believe: differences up to this are as good as none."
)
@click.option(
    "--risk",
    type=Between(0, example="1"),
    metavar="ALPHA",
    help="What runs lose, counted 1 + ALPHA times what they gain: URisk and TRisk with --baseline, GeoRisk.",
)
@click.option("--swaps", is_flag=True, help="How often other topics would turn the order of two runs round.")
@click.option(
    "--aggregate",
    type=OneOf(["mean", "median"]),
    default="mean",
    show_default=True,
    help="Of what the difference is shown.",
)
@click.option("--alternative", type=OneOf(["two-sided", "greater", "less"]), help="What is asked; greater: B above A.")
@level_option
@draws_option
@seed_option
@scale_option
@click.option("--chart", metavar="FILE", help="Draw the p-values of all pairs: .svg, .png, .pdf or .html.")
@output_options()
def command(
    given: Given,
    tests: tuple[str, ...],
    pairs: tuple[tuple[str, str], ...],
    baseline: str | None,
    form: str | None,
    table: str | None,
    output: str | None,
    chart: str | None,
    save_norms: str | None,
    **settings: Any,
) -> None:
    """Do runs differ? Any tests, on all pairs, against a baseline, or on given pairs.

    The difference is B − A everywhere; p is the test's own, p_adjusted what is left of it when many are asked.

    \b
    Examples:
      cranfield test qrels.txt a.run b.run -m nDCG@10
      cranfield test qrels.txt runs/ -m AP --baseline bm25 -t "t signed-rank"
      cranfield test --scores ap.csv --scale-of AP -t randomisation --draws 100000
      cranfield test --scores ap.csv -t max-t --chart pairs.svg
      cranfield test --scores ap.csv --baseline run1 --risk 1 --table risk
      cranfield test --scores ap.csv --pair run1 run2 -t "tost(margin=0.02)"
    """
    check_output(form, output)
    check_chart(chart)
    if save_norms:
        check_place(save_norms)
    values = given.read("AP")
    with progress("testing") as watch:
        study = test(
            values,
            tests or ("t", "sign"),
            pairs=pairs,
            baseline=baseline,
            threads=given.threads,
            progress=watch,
            **settings,
        )
    notes = (*notes_of(values), *study["tests"].notes)
    show(study, form=form, table=table, output=output, layout=_layout(study), notes=notes)
    if save_norms:
        with whole(save_norms) as place:
            write_norms(norms_of(values), place)
    draw_chart(study, "p-matrix", chart)


def _layout(study: Study) -> dict[str, Table]:
    """The tests without the words that repeat; of very many only how many differ."""
    rows = study["tests"]
    layout = {}
    for name in ("effects", "beliefs"):
        if name in study.tables and len(study[name]) > FEW:
            layout[name] = _few(study[name], name)
    kept = ("a", "b", "measure", "test", "n", "difference", "low", "high", "statistic", "p", "p_adjusted", "effect")
    there = [name for name in kept if any(cell is not None for cell in rows.cells(name, slice(0, FEW)))]
    shown = replace(rows, data={name: rows[name] for name in there}, notes=())
    return layout | {"tests": _few(shown, "tests")}


def _few(rows: Table, name: str) -> Table:
    """The first rows of a long table."""
    if len(rows) <= FEW:
        return rows
    caption = f"{rows.caption}: the first {FEW} of {len(rows):,}; --table {name} has all"
    return replace(rows, data={column: rows.cells(column, slice(0, FEW)) for column in rows.columns}, caption=caption)
