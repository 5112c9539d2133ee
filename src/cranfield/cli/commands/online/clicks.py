"""cranfield clicks: compute online measures and fit click models to a log."""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import click

from cranfield.cli.commands.evaluation.leaderboard import Shares
from cranfield.cli.options.key_value_options import column_option
from cranfield.cli.options.log_options import ranks_from_option
from cranfield.cli.options.statistics_options import (
    asked_chart,
    chart_options,
    check_chart,
    draw_chart,
    engine_option,
    level_option,
    seed_option,
)
from cranfield.cli.options.usage_errors import Command, OneOf
from cranfield.cli.output.atomic_files import check_place, whole
from cranfield.cli.output.command_output import check_output, note, output_options, progress, show, typed
from cranfield.cli.output.table_layout import lay_out, notes_on
from cranfield.core import Study, Table
from cranfield.data import read_qrels, read_ubi, write
from cranfield.online import CALIBRATIONS, CLICK_MODELS, FRAMEWORKS, ONLINE_MEASURES, parse_click_models
from cranfield.studies import clicks

DRAWN = ("click-curves", "examination")
SHOWN = ("online", "fit", "ranks", "calibrated", "parameters")
DROPPED = {"online": {"arm", "amount", "counted"}, "fit": {"log_likelihood_by_document"}}  # not for a terminal
FEW = 8  # parameters, of documents and of all else
WIDE = 76  # columns of help


def _names(names: Sequence[str]) -> str:
    return "\n".join(textwrap.wrap(", ".join(names), WIDE, initial_indent="  ", subsequent_indent="  "))


def _models() -> str:
    """The catalogue: each model with its first sentence."""
    lines = []
    for cls in CLICK_MODELS:
        about = " ".join((cls.__doc__ or "").split("\n\n")[0].split()).replace("``", "")
        lines += textwrap.wrap(f"{cls.name:6}{about}", WIDE, initial_indent="  ", subsequent_indent=" " * 8)
    return "\n".join(lines)


HELP = f"""What live users do, how they come to click, and which measures have users like these.

LOG has a row for each document on each page of results: impression, topic, rank, document, clicked; session, user,
time, click_time, dwell, converted, revenue, … where they are known (Parquet, CSV, TSV, JSON Lines; several files, a
pattern, a folder). With --ubi it is what OpenSearch's User Behavior Insights keeps: queries and events, or a folder
with both.

\b
Click models (--model):
{_models()}

\b
Online measures (-m; without it all that the log can answer):
{_names(ONLINE_MEASURES.names())}

\b
Measures that can be fitted (--calibrate; from TBG on they need --qrels):
{_names(CALIBRATIONS)}

Models are tested on impressions that they did not learn from: the best has the largest log_likelihood and the smallest
perplexity (1 knows all, 2 nothing). What --calibrate prints, cranfield evaluate -m reads.

\b
Examples:
  cranfield clicks log.csv
  cranfield clicks log.csv --model "PBM DBN" --chart clicks.svg
  cranfield clicks log.csv --set HEART --table online
  cranfield clicks log.csv --calibrate RBP --calibrate CWL
  cranfield clicks log.csv --calibrate ERR --qrels qrels.txt
  cranfield clicks log.csv --infer clicked.qrels --cuts 0.1,0.3
  cranfield clicks --ubi ubi_queries.jsonl ubi_events.jsonl
  cranfield clicks --ubi ubi_queries.jsonl ubi_events.jsonl --clicks click
"""


@click.command("clicks", cls=Command, help=HELP)
@click.argument("log", metavar="LOG...", nargs=-1, required=True)
@click.option("--ubi", is_flag=True, help="LOG is QUERIES and EVENTS of User Behavior Insights, or their folder.")
@click.option(
    "--clicks",
    "actions",
    multiple=True,
    metavar="NAME",
    help="With --ubi: an action that is a click; may be repeated.  [default: click, click_through]",
)
@column_option("holds what", "topic=search_phrase")
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="NAME",
    help="A click model, with settings if need be: PBM(b=9); or all.  [default: RCTR PBM UBM DBN]",
)
@click.option("-m", "--measure", "measures", multiple=True, metavar="NAME", help="An online measure; may be repeated.")
@click.option("--set", "framework", type=OneOf(list(FRAMEWORKS)), help="The online measures of a framework.")
@click.option("--calibrate", multiple=True, metavar="NAME", help="A measure to fit to the log; may be repeated.")
@click.option("--qrels", metavar="QRELS", help="Judgments, for measures that are fitted by grade.")
@click.option("--lengths", metavar="FILE", help="How long documents are, for --calibrate TBG: document and words.")
@click.option("--infer", metavar="FILE", help="Write the relevance that the best model sees in documents, as qrels.")
@click.option("--cuts", type=Shares(), help="For --infer: relevance that makes grades 1, 2, …: 0.1,0.3.")
@click.option(
    "--test",
    type=float,
    default=0.2,
    show_default=True,
    metavar="SHARE",
    help="Of the impressions that models are tested on; 0: on those they learnt from.",
)
@ranks_from_option
@engine_option
@click.option("--memory", metavar="SIZE", help="How much memory that may take here: 4GB. The rest goes to the disk.")
@level_option
@seed_option
@chart_options(DRAWN, usual="click-curves")
@output_options()
def command(
    log: tuple[str, ...],
    chart: str | None,
    draw: str,
    form: str | None,
    table: str | None,
    output: str | None,
    infer: str | None,
    **settings: Any,
) -> None:
    """What live users do, and how they come to click."""
    check_output(form, output)
    check_chart(chart)
    if infer:
        check_place(infer)
    _check(log, infer, settings)
    if chart and draw == "examination" and settings["models"]:
        _check_examined(settings["models"])
    study = _study(log, infer=bool(infer), settings=settings)
    if infer:
        _write_qrels(study["inferred"], infer)
    only = [name for name in SHOWN if name in study.tables]
    notes = notes_on(study, ["dropped", *([table] if table else only)])
    layout = _layout(study)
    show(study, form=form, table=table, output=output, layout=layout, notes=notes, only=only)
    draw_chart(study, asked_chart(draw, "click-curves"), chart)


def _check(log: tuple[str, ...], infer: str | None, given: Mapping[str, Any]) -> None:
    """Refuse before the long work what does not go together."""
    if given["ubi"] and len(log) > 2:
        raise click.UsageError(f"--ubi takes two files or a folder, not {len(log)}\nhint: --ubi QUERIES EVENTS")
    if given["ubi"] and given["named"]:
        raise click.UsageError("--column is not for --ubi\nhint: the fields of UBI have their names")
    if given["actions"] and not given["ubi"]:
        raise click.UsageError("--clicks is for --ubi\nhint: --column clicked=NAME names the column of clicks")
    if given["cuts"] and not infer:
        raise click.UsageError("--cuts needs --infer\nhint: give --infer FILE too, or leave it out")
    if given["measures"] and given["framework"]:
        raise click.UsageError("--measure and --set are both given\nhint: give one of both")


def _check_examined(models: Sequence[str]) -> None:
    if not any(model.examines for model in parse_click_models(models)):
        raise click.UsageError(
            "click-through rates say nothing of what is looked at\nhint: add a model: PBM, UBM, DBN, …"
        )


def _study(log: tuple[str, ...], *, infer: bool, settings: Mapping[str, Any]) -> Study:
    engine: Any = {name: settings[name] for name in ("engine", "memory")}
    data: Any = list(log) if len(log) > 1 else log[0]
    if settings["ubi"]:
        actions: Any = {"clicks": settings["actions"]} if settings["actions"] else {}
        queries, events = (*log, None)[:2]
        data = read_ubi(queries, events, ranks_from=settings["ranks_from"], **actions, **engine)
    models: Any = {"models": list(settings["models"])} if settings["models"] else {}
    with progress("learning") as watch:
        return clicks(
            data,
            measures=list(settings["measures"]) or None,
            columns=dict(settings["named"]) or None,
            infer=infer,
            cuts=settings["cuts"] or (),
            progress=watch,
            command=typed(),
            **models,
            **engine,
            **{
                name: settings[name]
                for name in ("framework", "calibrate", "qrels", "lengths", "ranks_from", "test", "level", "seed")
            },
        )


def _write_qrels(table: Table, output: str) -> None:
    """Inferred relevance as judgments."""
    rows = {name: table.cells(name) for name in ("topic", "document", "grade")}
    with whole(output) as place:
        write(read_qrels(rows, gains=True, name=output), place)
    click.echo(f"{output}: {len(table)} rows", err=True)
    if not all(float(str(grade)).is_integer() for grade in rows["grade"]):
        note(f"{output} has grades with decimals: cranfield evaluate --gains reads them")


def _layout(study: Study) -> dict[str, Table]:
    """What people read of the tables."""
    laid = lay_out(study, {})
    laid["ranks"] = _by_rank(laid["ranks"])
    laid["parameters"] = _some_parameters(study)
    for name, dropped in DROPPED.items():
        kept = {column: laid[name].cells(column) for column in laid[name].columns if column not in dropped}
        laid[name] = replace(laid[name], data=kept)
    if "calibrated" in laid:
        laid["calibrated"] = _measures(laid["calibrated"])
    return laid


def _by_rank(ranks: Table) -> Table:
    """A row for each rank: what users did, and what each model expects."""
    rows: list[Any] = ranks.rows()
    models = list(dict.fromkeys(row["model"] for row in rows))
    first = [row for row in rows if row["model"] == models[0]]
    data = {name: [row[name] for row in first] for name in ("rank", "impressions", "observed", "low", "high")}
    data |= {model: [row["predicted"] for row in rows if row["model"] == model] for model in models}
    examined = [[row["examined"] for row in rows if row["model"] == model] for model in models if "examined" in rows[0]]
    known = next((place for place, column in enumerate(examined) if column[0] is not None), None)
    if known is not None:
        data["looked_at"] = examined[known]
    by = "" if known is None else f"; looked_at by {models[known]}"
    return Table(data, f"clicks by rank, and what click models expect{by}", ends={"observed": ("low", "high")})


def _some_parameters(study: Study) -> Table:
    """Of the best model that has more than rates: the first parameters, and the most certain documents."""
    rows: list[Any] = study["parameters"].rows()
    models = list(dict.fromkeys(row["model"] for row in rows))
    telling = {row["model"] for row in rows if row["name"] != "rate"}
    best = next((one for one in models if one in telling), models[0])
    mine = [row for row in rows if row["model"] == best]
    kinds = {name: [row for row in mine if row["name"] == name] for name in dict.fromkeys(row["name"] for row in mine)}
    shown = [row for some in kinds.values() for row in some[:FEW]]
    more = f": {len(shown):,} of {len(rows):,}; --table parameters has all" if len(shown) < len(rows) else ""
    columns = ("name", "key", "value", "low", "high")
    table = Table.from_rows(shown, columns, caption=f"what {best} learnt{more}")
    return replace(table, ends={"value": ("low", "high")})


def _measures(calibrated: Table) -> Table:
    """The notation of each measure once, behind its first parameter."""
    names, texts = calibrated.cells("name"), calibrated.cells("measure")
    starts = [name != before for name, before in zip(names, [None, *names], strict=False)]
    name, once = ([cell if new else None for cell, new in zip(some, starts, strict=True)] for some in (names, texts))
    data = {"name": name} | {name: calibrated.cells(name) for name in ("parameter", "value", "low", "high", "n")}
    return Table({**data, "measure": once}, calibrated.caption, ends={"value": ("low", "high")})
