"""cranfield ab: analyse an A/B experiment or assign users to its arms."""

import csv
import sys
from pathlib import Path
from typing import Any

import click

from cranfield.cli.options.key_value_options import Named, column_option
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
from cranfield.cli.output.atomic_files import expect_another
from cranfield.cli.output.command_output import check_output, output_options, progress, show, typed
from cranfield.cli.output.table_layout import Cells, lay_out, notes_on
from cranfield.core import ChecksFailed, InputError, ParameterError, Study, Table, Verdict
from cranfield.online import ASSIGNMENTS, ONLINE_MEASURES, parse_ratio
from cranfield.stats import CORRECTIONS
from cranfield.studies import ab, assign_users

DRAWN = ("effects", "sample-ratio", "looks")
SHOWN = ("arms", "checks", "oec", "aa", "plan", "ranked", "satisfaction", "reliability", "looks", "effects")
FEW = {"looks": 14, "ranked": 20, "plan": 20}  # rows
LONG = {  # columns that stay in the exact tables
    "effects": {
        *("control", "p", "value_control", "value_treatment", "relative_low", "relative_high", "always_p", "users")
    },
    "looks": {"control"},
    "ranked": {"control", "note"},
    "aa": {"low", "high"},
    "checks": {"detail"},  # is in the sentence
    "satisfaction": {"learned"},
}
OF_ASSIGNING = ("experiment", "stored")
OF_ANALYSIS = (
    *("measures", "ratios", "lower", "control", "covariates", "before", "oec", "aa", "relative", "power"),
    *("users_per_day", "ranked", "require", "engine", "named", "planned", "cap", "exclude_users_above"),
)


class Weights(click.ParamType[dict[str, float]]):
    """Arms with their weights: control=1,new=1."""

    name = "ARM=N,ARM=N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, float]:
        """The weight of each arm."""
        if isinstance(value, dict):
            return value
        parts = [part.rpartition("=") for part in str(value).split(",")]
        try:
            found = {arm.strip(): float(number) for arm, _, number in parts}
        except ValueError:
            found = {}
        if len(found) < max(2, len(parts)) or not all(found) or min(found.values()) < 0:
            self.fail(f"cannot be {value}\nhint: give two arms or more, each once: control=1,new=1", param, ctx)
        return found


HELP = f"""Is a treatment better than the control? Experiments with users, from sums.

DATA has one row for each user: a column for the arm, others with what was measured (CSV, TSV, JSON Lines, Parquet, a
folder or a pattern of them). Or it is a log of events, a row for each document of each page that was shown; then users
are measured by: {", ".join(ONLINE_MEASURES.names())}.

First it says whether users are in the arms as configured (--weights): if they are not, nothing else may be believed.
Then what each treatment changes, with an interval for one look at the end, and one that may be read on any day (--looks
many makes the verdict such that stopping early is safe).

With --assign USERS there is no experiment yet: it prints who is in which arm. Ways to share out users (--how):
{", ".join(ASSIGNMENTS.names())}.

\b
Examples:
  cranfield ab users.csv --control old
  cranfield ab users.csv --ratio ctr=clicks/impressions -m bought
  cranfield ab users.csv -m clicks --covariate clicks=clicks_before
  cranfield ab users.csv --weights old=9,new=1 --looks many
  cranfield ab users.csv -m clicks --relative .01 --relative .05
  cranfield ab events.csv -m ctr -m clicks --oec "0.7*ctr + 0.3*clicks"
  cranfield ab events.csv --before earlier.csv --chart effects.svg
  cranfield ab --assign names.txt --experiment ranker-2 --how planout
"""


@click.command("ab", cls=Command, help=HELP)
@click.argument("data", metavar="[DATA]", required=False)
@click.option("-m", "--measure", "measures", multiple=True, metavar="NAME", help="What is compared; may be repeated.")
@click.option(
    "--ratio",
    "ratios",
    type=Named("NAME=A/B", "ctr=clicks/impressions"),
    multiple=True,
    help="A measure that is one sum over another; may be repeated.",
)
@click.option("--lower", multiple=True, metavar="NAME", help="A measure of which less is better; may be repeated.")
@click.option("--control", metavar="ARM", help="What the others are compared with.  [default: control, or the first]")
@click.option("--weights", type=Weights(), help="How much of the users each arm is to have.  [default: all as much]")
@click.option(
    "--covariate",
    "covariates",
    type=Named("NAME=COLUMN", "clicks=clicks_before"),
    multiple=True,
    help="What a measure was before the experiment; what it explains is taken out.",
)
@click.option("--before", metavar="LOG", help="The same from a log of the time before the experiment.")
@click.option("--oec", metavar="SUM", help='One number to decide by: "0.7*ctr + 0.3*clicks".')
@click.option(
    "--cap",
    type=Between(0, 1, example=".99"),
    help="Cap the values of users at this quantile over all arms, which limits what a few can change.",
)
@click.option("--exclude-users-above", type=Whole(), help="Exclude the users of a log with more pages than this.")
@click.option(
    "--looks",
    type=OneOf(["once", "many"]),
    default="once",
    show_default=True,
    help="Whether the verdict is read once, at the end, or on any day.",
)
@click.option("--planned", type=Between(0, example="5000"), help="Users at which such intervals are tightest.")
@click.option(
    "--correct",
    default="holm",
    show_default=True,
    metavar="NAME",
    help=f"For measures and treatments: {', '.join(CORRECTIONS.names())}.",
)
@click.option("--ranked", is_flag=True, help="Compare without a normal shape too: ranks of users, and the bootstrap.")
@click.option("--aa", type=Whole(), help="Share the same users out so often with nothing changed: is p uniform?")
@click.option(
    "--relative",
    multiple=True,
    type=Between(0, example=".01"),
    help="How many users would show so large an effect? May be repeated.",
)
@click.option("--power", type=Between(0, 1, example=".8"), help="The chance to show it.  [default: 0.8]")
@click.option("--users-per-day", type=Between(0, example="1000"), help="New users a day: then it says how many days.")
@click.option("--require", type=OneOf(["better", "no-harm"]), help="Exit 3 unless every treatment is, and is trusted.")
@column_option("holds arm, user, day, or a field of a log", "arm=variant")
@ranks_from_option
@engine_option
@click.option("--assign", metavar="USERS", help="Names, one in a line (- is stdin): print the arm of each.")
@click.option("--experiment", metavar="NAME", help="For --assign: its name parts it from other experiments.")
@click.option("--stored", metavar="FILE", help="For --assign: a table of before; its users keep their arm.")
@click.option("--how", default="md5", show_default=True, metavar="NAME", help="How --assign and --aa share out users.")
@level_option
@seed_option
@chart_options(DRAWN, usual="effects")
@output_options()
def command(
    data: str | None,
    assign: str | None,
    require: str | None,
    chart: str | None,
    draw: str,
    form: str | None,
    table: str | None,
    output: str | None,
    **settings: Any,
) -> None:
    """Is a treatment better than the control?"""
    check_output(form, output)
    check_chart(chart)
    _check(data, assign, settings | {"require": require}, chart, output)
    if assign is not None:
        show(_assigned(assign, settings), form=form, table=table, output=output)
        return
    study = _analysed(str(data), settings)
    name = asked_chart(draw)
    if chart and name not in study.charts:
        why, hint = "users came on one day", "say when each user came: --column day=NAME; or "
        if name == "sample-ratio":
            why, hint = "the log knows no users", ""
        hint += f"draw {' or '.join(study.charts)}"
        raise ParameterError(f"there is nothing to draw as {name}: {why}", hint=hint)
    only = [one for one in SHOWN if one in study.tables and (one != "looks" or settings["looks"] == "many")]
    layout = lay_out(study, FEW, adapt=_adapted)
    notes = notes_on(study, [table] if table else None)
    show(study, form=form, table=table, output=output, layout=layout, notes=notes, only=only)
    draw_chart(study, name, chart)
    if require:
        _require(study, require)


def _check(data: str | None, assign: str | None, given: dict[str, Any], chart: str | None, output: str | None) -> None:
    """Refuse before the long work what does not go together."""
    if (data is None) == (assign is None):
        raise click.UsageError("give DATA, or --assign USERS\nhint: cranfield ab users.csv, or see cranfield ab --help")
    others = OF_ASSIGNING if assign is None else OF_ANALYSIS
    for option in others:
        if given[option]:
            about = "--assign" if assign is None else "the analysis of an experiment"
            raise click.UsageError(f"{spelled(option)} is about {about}\nhint: leave it out")
    if assign is not None and (chart or not given["experiment"]):
        if chart:
            raise click.UsageError("--chart is about the analysis of an experiment\nhint: leave it out")
        raise click.UsageError("--assign needs --experiment\nhint: name it: --experiment ranker-2")
    for option in ("power", "users_per_day"):
        if given[option] and not given["relative"]:
            raise click.UsageError(f"{spelled(option)} needs --relative\nhint: how large an effect: --relative .01")
    expect_another(output, (data, assign, given["before"], given["stored"]))


def _analysed(file: str, given: dict[str, Any]) -> Study:
    ratios = [parse_ratio(name, text) for name, text in given["ratios"]]
    same = ("control", "weights", "before", "oec", "looks", "correct", "ranked", "how", "relative", "engine")
    limits = ("cap", "exclude_users_above", "ranks_from")
    more = {name: given[name] for name in ("planned", "power", "users_per_day") if given[name]}
    with progress("comparing") as watch:
        return ab(
            file,
            [*given["measures"], *ratios] or None,
            covariates=_once(given["covariates"], "covariate"),
            lower=given["lower"],
            aa=given["aa"] or 0,
            columns=_once(given["named"], "column"),
            progress=watch,
            command=typed(),
            **{name: given[name] for name in (*same, *limits, "level", "seed")},
            **more,
        )


def _once(pairs: tuple[tuple[str, str], ...], option: str) -> dict[str, str] | None:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise click.UsageError(f"--{option} names one thing twice\nhint: give each once")
    return found or None


def _assigned(file: str, given: dict[str, Any]) -> Study:
    """Who is in which arm."""
    words = (sys.stdin.read() if file == "-" else _text(file)).splitlines()
    users = [word.strip() for word in words if word.strip()]
    if not users and not given["stored"]:
        raise InputError(f"{file}: there are no users", hint="give one name in each line", file=file, code="E-EMPTY")
    how = f"random(seed={given['seed']})" if given["how"] == "random" else given["how"]
    stored = _stored(given["stored"]) if given["stored"] else None
    return assign_users(users, given["experiment"], weights=given["weights"], how=how, stored=stored, command=typed())


def _text(file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        hint = "check the name of the file"
        raise InputError(f"{file}: there is no such file", hint=hint, file=file, code="E-MISSING") from None
    except UnicodeDecodeError:
        raise InputError(f"{file}: this is no text", hint="give one name in each line", file=file) from None


def _stored(file: str) -> Table:
    """An assignment as it was written: columns with commas or tabs between them."""
    text = _text(file)
    rows = list(csv.DictReader(text.splitlines(), delimiter="\t" if "\t" in text.partition("\n")[0] else ","))
    columns = ("experiment", "user", "arm")
    if any(row.get(name) in {None, ""} for row in rows or [{}] for name in columns):
        hint = "give a table that cranfield ab --assign wrote"
        raise InputError(f"{file}: a stored assignment has the columns {', '.join(columns)}", hint=hint, file=file)
    return Table.from_rows(rows, columns)


def _require(study: Study, require: str) -> None:
    """Exit 3 where a treatment does not do what was asked, or the experiment is not to be trusted."""
    verdict = dict(study.verdict or Verdict())
    good = {"better": {"better"}, "no-harm": {"better", "unclear"}}[require]
    failed = [arm for arm, outcome in verdict["treatments"].items() if outcome not in good]
    if not verdict["trusted"]:
        raise ChecksFailed("the experiment is not to be trusted", hint=study.sentence)
    if failed:
        what = "better" if require == "better" else "free of harm"
        raise ChecksFailed(f"{failed[0]} is not {what} beside {verdict['control']}", hint=study.sentence)


def _adapted(name: str, cells: Cells) -> Cells:
    """Columns that fit a terminal, without those that say the same of all."""
    shown = {column: each for column, each in cells.items() if column not in LONG.get(name, set())}
    if all(left is None or round(left, 9) == 1 for left in shown.get("variance_left", ())):
        shown.pop("variance_left", None)
    return shown
