"""cranfield test: test the differences between pairs of runs."""

from collections.abc import Mapping
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
from cranfield.cli.options.usage_errors import Command, OneOf, spelled
from cranfield.cli.options.value_options import Given, notes_of, values_options
from cranfield.cli.output.atomic_files import check_place, whole
from cranfield.cli.output.command_output import check_output, output_options, progress, scale_option, show
from cranfield.cli.output.paper_output import expect_paper_alone, paper_option, show_paper
from cranfield.core import Study, Table
from cranfield.data import Values, write_norms
from cranfield.stats import CORRECTIONS, FAMILIES, TRANSFORMS, norms_of, parse_tests
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
@click.option(
    "--baseline",
    "baselines",
    multiple=True,
    metavar="RUN",
    help="Compare every other run with this one; may be repeated. Baselines are not compared with each other.",
)
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
    "--interval",
    metavar="NAME",
    help="The interval next to p: t for the t test, percentile or bca for the bootstrap test.  [default: the test's]",
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
@paper_option
@output_options()
def command(
    given: Given,
    tests: tuple[str, ...],
    pairs: tuple[tuple[str, str], ...],
    baselines: tuple[str, ...],
    paper: bool,
    form: str | None,
    table: str | None,
    output: str | None,
    chart: str | None,
    save_norms: str | None,
    **settings: Any,
) -> None:
    """Do runs differ? Any tests, on all pairs, against a baseline, or on given pairs.

    The difference is B − A everywhere. The estimate is what the interval from low to high encloses: the mean
    difference, or the estimate of the signed-rank or the sign test. p_adjusted is p corrected for the number of tests,
    and the interval is corrected for the same number (Bonferroni).

    \b
    Examples:
      cranfield test qrels.txt a.run b.run -m nDCG@10
      cranfield test qrels.txt runs/ -m AP --baseline bm25 -t "t signed-rank"
      cranfield test qrels.txt runs/ --baseline bm25 --paper --format latex
      cranfield test --scores ap.csv --scale-of AP -t randomisation --draws 100000
      cranfield test --scores ap.csv -t max-t --chart pairs.svg
      cranfield test --scores ap.csv --baseline run1 --risk 1 --table risk
      cranfield test --scores ap.csv --pair run1 run2 -t "tost(margin=0.02)"
    """
    check_output(form, output)
    check_chart(chart)
    if save_norms:
        check_place(save_norms)
    if paper:
        _expect_paper(tests, baselines, pairs=pairs, chart=chart, save_norms=save_norms, **settings)
    values = given.read("AP")
    if paper:
        _show_paper(values, tests, baselines, given.threads, settings, form=form, table=table, output=output)
        return
    with progress("testing") as watch:
        study = test(
            values,
            tests or None,
            pairs=pairs,
            baseline=baselines,
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


def _expect_paper(tests: tuple[str, ...], baselines: tuple[str, ...], **options: Any) -> None:
    """Refuse what the table of a paper has no room for, before the long work."""
    if not baselines:
        raise click.UsageError("--paper marks differences from a baseline\nhint: name a run: --baseline RUN")
    if len(parse_tests(tests or "t")) > 1:
        raise click.UsageError("--paper shows the marks of one test\nhint: name one: -t t")
    names = ("pairs", "interval", "transform", "norms", "save_norms", "rope", "risk", "swaps", "chart")
    expect_paper_alone({spelled(name): options[name] for name in names})


def _show_paper(
    values: Values,
    tests: tuple[str, ...],
    baselines: tuple[str, ...],
    threads: int | None,
    settings: Mapping[str, Any],
    **output: Any,
) -> None:
    names = ("correct", "family", "alternative", "level", "draws", "seed", "scale")
    kept = {name: settings[name] for name in names}
    by = "median" if settings["aggregate"] == "median" else None  # else each measure's usual aggregate
    with progress("testing") as watch:
        show_paper(
            values,
            baselines,
            test=" ".join(tests) or "t",
            aggregate=by,
            threads=threads,
            progress=watch,
            **kept,
            **output,
        )


def _layout(study: Study) -> dict[str, Table]:
    """The tests without the words that repeat; of very many only how many differ."""
    rows = study["tests"]
    layout = {}
    for name in ("effects", "beliefs"):
        if name in study.tables and len(study[name]) > FEW:
            layout[name] = _few(study[name], name)
    kept = "a b measure test n difference estimate low high statistic p p_adjusted effect".split()
    there = [name for name in kept if any(cell is not None for cell in rows.cells(name, slice(0, FEW)))]
    if "estimate" in there and rows.cells("estimate", slice(0, FEW)) == rows.cells("difference", slice(0, FEW)):
        there.remove("estimate")
    shown = replace(rows, data={name: rows[name] for name in there}, notes=())
    return layout | {"tests": _few(shown, "tests")}


def _few(rows: Table, name: str) -> Table:
    """The first rows of a long table."""
    if len(rows) <= FEW:
        return rows
    caption = f"{rows.caption}: the first {FEW} of {len(rows):,}; --table {name} has all"
    return replace(rows, data={column: rows.cells(column, slice(0, FEW)) for column in rows.columns}, caption=caption)
