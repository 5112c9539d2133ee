"""cranfield measures: list or explain measures."""

import re
from dataclasses import replace

import click

from cranfield.cli.options.usage_errors import Command, Whole
from cranfield.cli.output.atomic_files import check_place, whole
from cranfield.cli.output.command_output import by_family, check_output, output_options, put, show, usual_format
from cranfield.core import Study, Table
from cranfield.measures import OTHERS, catalogue, explain, explained, user_model

MORE = """\
cranfield measures nDCG explains one: formula, example, parameters, scale.
cranfield measures --other: those of written answers, preferences, sessions.
cranfield measures --online: what live users are asked by."""
MORE_OTHER = "cranfield measures NuggetAll explains one: formula, example, parameters, scale."
MORE_ONLINE = "cranfield measures --online ctr explains one; cranfield clicks --set takes ready-made sets (HEART)."
NUMBERS = re.compile(r"-?\d+(\.\d+)?(,-?\d+(\.\d+)?)*")


@click.command("measures", cls=Command)
@click.argument("names", nargs=-1, metavar="[NAME...]")
@click.option(
    "--user", is_flag=True, help="The users behind measures: how far down a ranking they read, what they get."
)
@click.option("--other", is_flag=True, help="Measures of something else than rankings: answers, preferences, sessions.")
@click.option("--online", is_flag=True, help="What live users are asked by: online measures, click models, …")
@click.option(
    "--grades", metavar="GRADES", help="The ranking that they read: 3,0,1.  [default: nothing relevant, and all]"
)
@click.option("--depth", type=Whole(), help="The last rank shown.")
@click.option("--chart", metavar="FILE", help="Draw the weights of ranks: .svg, .png, .pdf or .html.")
@output_options()
def command(
    names: tuple[str, ...],
    user: bool,
    other: bool,
    online: bool,
    grades: str | None,
    depth: int | None,
    chart: str | None,
    form: str | None,
    table: str | None,
    output: str | None,
) -> None:
    """The catalogue of measures, or each NAME explained.

    \b
    Examples:
      cranfield measures
      cranfield measures nDCG
      cranfield measures --format json
      cranfield measures --table parameters
      cranfield measures --other
      cranfield measures NuggetVital
      cranfield measures --online
      cranfield measures --online ctr PBM team-draft
      cranfield measures --user RBP INST P@10 --chart weights.svg
      cranfield measures --user "INST(T=2)" --grades 2,0,0,1
    """
    lists = [option for option, asked in (("--user", user), ("--other", other), ("--online", online)) if asked]
    if len(lists) > 1:
        raise click.UsageError(f"{lists[0]} and {lists[1]} are two lists\nhint: ask for one of them")
    if user:
        _show_users(names, grades, depth, chart, form=form, table=table, output=output)
        return
    given = {"--grades": grades, "--depth": depth, "--chart": chart}
    for option, value in given.items():
        if value is not None:
            raise click.UsageError(f"{option} is about users\nhint: add --user")
    if online:
        _show_online(names, form=form, table=table, output=output)
        return
    if table is None and (form or usual_format(output, one=not names)) == "text":
        put("\n\n\n".join(map(explain, names)) if names else _listed(other=other), output)
        return
    everything = form == "json" or table is not None
    known = catalogue(*names, other=other)
    study = explained(*names, other=other) if everything else Study("measures", {"catalogue": known})
    show(study, form=form, table=table, output=output)


def _listed(*, other: bool) -> str:
    """The catalogue as people read it."""
    titles = {kind: found.title for kind, found in OTHERS.items()} if other else {}
    return by_family(catalogue(other=other), titles, MORE_OTHER if other else MORE)


def _show_online(names: tuple[str, ...], *, form: str | None, table: str | None, output: str | None) -> None:
    from cranfield.online import ONLINE_FAMILIES, explain_online, online_catalogue, online_explained

    if table is None and (form or usual_format(output, one=not names)) == "text":
        listed = by_family(online_catalogue(*names), ONLINE_FAMILIES, MORE_ONLINE)
        put("\n\n\n".join(map(explain_online, names)) if names else listed, output)
        return
    everything = form == "json" or table is not None
    study = online_explained(*names) if everything else Study("online", {"catalogue": online_catalogue(*names)})
    show(study, form=form, table=table, output=output)


def _show_users(
    names: tuple[str, ...],
    grades: str | None,
    depth: int | None,
    chart: str | None,
    *,
    form: str | None,
    table: str | None,
    output: str | None,
) -> None:
    if not names:
        raise click.UsageError("--user needs a measure\nhint: cranfield measures --user RBP INST")
    if grades is not None and not NUMBERS.fullmatch(grades):
        raise click.UsageError(f"--grades cannot be {grades}\nhint: grades down a ranking: --grades 3,0,1")
    check_output(form, output)
    if chart:
        from cranfield.charts import check_suffix

        check_suffix(chart)
        check_place(chart)
    study = user_model(names, grades=[float(grade) for grade in grades.split(",")] if grades else None, depth=depth)
    shown = study
    if table is None and (form or usual_format(output, one=False)) == "text":
        shown = replace(study, tables={"weights": _by_rank(study), "expected": study["expected"]})
    show(shown, form=form, table=table, output=output, notes=() if shown is not study else study["curves"].notes)
    if chart:
        from cranfield.charts import draw, save

        with whole(chart) as place:
            save(draw(study, "weights"), place)


def _by_rank(study: Study) -> Table:
    """The weights as people would rather see them: one row per rank, one column per user."""
    rows = study["weights"].rows()
    users = list(dict.fromkeys(str(row["measure"]) for row in rows))
    ranks = sorted({int(str(row["rank"])) for row in rows})
    weight = {(str(row["measure"]), int(str(row["rank"]))): row["weight"] for row in rows}
    columns = {user: [weight.get((user, rank)) for rank in ranks] for user in users}
    return Table({"rank": ranks, **columns}, "weights: the share of all looks that a rank gets", study.made_by)
