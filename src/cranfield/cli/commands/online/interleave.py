"""cranfield interleave: analyse interleaving logs, simulate sensitivity, or interleave runs."""

from typing import Any

import click

from cranfield.cli.options.key_value_options import column_option
from cranfield.cli.options.log_options import ranks_from_option
from cranfield.cli.options.statistics_options import (
    Between,
    asked_chart,
    chart_options,
    check_chart,
    draw_chart,
    engine_option,
    level_option,
    seed_option,
)
from cranfield.cli.options.usage_errors import Command, OneOf, Whole, spelled
from cranfield.cli.output.catalogue_help import list_methods
from cranfield.cli.output.command_output import (
    FOR_PEOPLE,
    check_output,
    output_options,
    progress,
    show,
    ties_option,
    typed,
    usual_format,
)
from cranfield.cli.output.table_layout import Cells, lay_out, notes_on
from cranfield.core import Study
from cranfield.online import INTERLEAVINGS, PLANNED, USERS, Interleaving
from cranfield.studies import interleave, interleaved_page, sensitivity

SHOWN = ("checks", "result", "transitivity", "sensitivity", "page")
BELONGS = {  # options that one of the three questions knows
    "named": "a log",
    "by": "a log",
    "planned": "a log",
    "engine": "a log",
    "ranks_from": "a log",
    "user": "--sensitivity",
    "users": "--sensitivity",
}


def _words(method: type[Interleaving]) -> str:
    """What it does: its docstring begins with its name."""
    return str(method.__doc__).partition("\n")[0].partition(": ")[2]


HELP = f"""Which of two runs do users prefer, when both are on one page?

LOG has a row for each document shown: impression, user, topic, rank, document, clicked, and team, the run whose
document it is (Parquet, CSV, TSV, JSON Lines; a folder, a pattern). Who wins is decided by users, each by the pages
that a run won with her; delta is the share of users that a wins, ties by half, less one half. p is for one look at the
end; always_p and its interval hold however often one looks.

With --topic two runs or more become one page, to see what a method does. With --sensitivity simulated users click on
pages of two runs by the grades of QRELS: how many impressions until the better one wins, by interleaving and by an A/B
test?

\b
Methods:
{list_methods(INTERLEAVINGS, _words)}

\b
Examples:
  cranfield interleave teams.csv
  cranfield interleave teams.csv --by credit --planned 50000 --chart users.svg
  cranfield interleave a.run b.run --topic 301
  cranfield interleave a.run b.run --topic 301 --method "probabilistic(tau=1)"
  cranfield interleave a.run b.run --sensitivity qrels.txt
"""


@click.command("interleave", cls=Command, help=HELP)
@click.argument("files", nargs=-1, required=True, metavar="LOG | RUN...")
@click.option("--topic", metavar="TOPIC", help="Make one page of the runs for this topic.")
@click.option("--sensitivity", "judged", metavar="QRELS", help="Simulate users of two runs, who click by these grades.")
@click.option(
    "--method",
    "methods",
    multiple=True,
    metavar="METHOD",
    help="How pages are made, or which pages of LOG count; with --sensitivity it may be repeated.",
)
@click.option("--by", type=OneOf(["wins", "credit"]), default="wins", show_default=True, help="What users prefer by.")
@column_option("of LOG holds impression, user, topic, team, ...", "user=client")
@ranks_from_option
@engine_option
@click.option(
    "--planned",
    type=Between(1, example="10000"),
    default=PLANNED,
    show_default=True,
    help="Users at which the interval for every look is tightest.",
)
@click.option(
    "--user", type=OneOf(list(USERS)), default="navigational", show_default=True, help="What simulated users are like."
)
@click.option("--users", type=Whole(least=2), default=2000, show_default=True, help="How many are simulated.")
@click.option("--length", type=Whole(), default=10, show_default=True, help="Documents on a page that is made.")
@ties_option
@level_option
@seed_option
@chart_options(("interleaved", "sensitivity"), usual="interleaved")
@output_options()
def command(
    files: tuple[str, ...],
    topic: str | None,
    judged: str | None,
    chart: str | None,
    draw: str,
    form: str | None,
    table: str | None,
    output: str | None,
    **settings: Any,
) -> None:
    """Which of two runs do users prefer?"""
    _check(files, topic, judged, chart, settings)
    check_output(form, output)
    check_chart(chart)
    settings |= {"command": typed()}
    if topic is not None:
        study = _page(files, topic, settings)
    elif judged is not None:
        study = _sensitivity(files, judged, settings)
    else:
        study = _log(files[0], settings)
    trusted = study.verdict is None or study.verdict.get("trusted", True)
    only = [name for name in SHOWN if name in study.tables and len(study[name]) and not (trusted and name == "checks")]
    layout = lay_out(study, {}, adapt=_adapted)
    as_table = (form or usual_format(output, one=len(only) == 1)) not in (*FOR_PEOPLE, "json")
    if as_table and only == ["result"]:
        table = table or "result"
    notes = notes_on(study, [table] if table else None)
    if as_table and not trusted:
        notes = (study.sentence, *notes)
    show(study, form=form, table=table, output=output, layout=layout, notes=notes, only=only)
    if chart:
        draw_chart(study, asked_chart(draw, study.charts[0]), chart)


def _check(
    files: tuple[str, ...], topic: str | None, judged: str | None, chart: str | None, given: dict[str, Any]
) -> None:
    """Refuse before the long work what does not go together."""
    if topic is not None and judged is not None:
        raise click.UsageError("--topic and --sensitivity are two questions\nhint: ask one of them")
    asked = "--topic" if topic is not None else "--sensitivity" if judged is not None else "a log"
    for option, belongs in BELONGS.items():
        source = click.get_current_context().get_parameter_source(option)
        if belongs != asked and source is not click.core.ParameterSource.DEFAULT:
            raise click.UsageError(f"{spelled(option)} is about {belongs}, not {asked}\nhint: leave it out")
    if asked == "a log" and len(files) > 1:
        hint = "give one file, a folder or a pattern in quotes; runs need --topic or --sensitivity"
        raise click.UsageError(f"{len(files)} files are given where one log is meant\nhint: {hint}")
    if asked == "--sensitivity" and len(files) != 2:
        raise click.UsageError("--sensitivity is about two runs\nhint: give two files, then --sensitivity QRELS")
    if asked != "--sensitivity" and len(given["methods"]) > 1:
        raise click.UsageError("only --sensitivity sets methods side by side\nhint: give --method once")
    if asked == "--topic" and chart:
        raise click.UsageError("a page has no chart\nhint: leave --chart out")


def _log(file: str, settings: dict[str, Any]) -> Study:
    """Who wins in a log."""
    (method,) = settings["methods"] or (None,)
    columns = dict(settings["named"]) or None
    names = ("by", "ranks_from", "engine", "planned", "level", "command")
    return interleave(file, method=method, columns=columns, **{name: settings[name] for name in names})


def _sensitivity(files: tuple[str, ...], judged: str, settings: dict[str, Any]) -> Study:
    """How many impressions it takes."""
    a, b = files
    methods: Any = {"methods": settings["methods"]} if settings["methods"] else {}
    names = ("user", "users", "length", "level", "ties", "seed", "command")
    with progress("simulating") as watch:
        return sensitivity(judged, a, b, progress=watch, **methods, **{name: settings[name] for name in names})


def _page(files: tuple[str, ...], topic: str, settings: dict[str, Any]) -> Study:
    """One page of several runs."""
    (method,) = settings["methods"] or ("team-draft",)
    names = ("length", "ties", "seed", "command")
    return interleaved_page(list(files), topic, method=method, **{name: settings[name] for name in names})


def _adapted(name: str, cells: Cells) -> Cells:
    """Columns that fit a terminal, without those that say the same of all."""
    one = len(cells.get("a", ())) == 1
    dropped = {
        "checks": {"detail"},  # is in the sentence
        "result": {"method", "always_low", "always_high", "p_adjusted" if one else "p"},
        "sensitivity": {"users"},
    }
    return {column: each for column, each in cells.items() if column not in dropped.get(name, set())}
