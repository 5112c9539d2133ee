"""cranfield simulate: write a simulated campaign to a folder."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from cranfield.cli.options.usage_errors import Command, OneOf, Whole
from cranfield.cli.output.atomic_files import check_place
from cranfield.cli.output.command_output import progress, show
from cranfield.core import SEED, ParameterError, Study, Table
from cranfield.simulate import MSMARCO, TREC8, Campaign, Written, simulate_log

LOGS = (".csv", ".tsv", ".parquet")
SHOWN = 10  # documents on a page
OF_LOG = ("log_runs", "users", "days", "interleaved")
KINDS = {"demo": Campaign(), "trec8": TREC8, "msmarco": MSMARCO}


@click.command("simulate", cls=Command)
@click.argument("folder", metavar="FOLDER")
@click.option("--like", type=OneOf(list(KINDS)), default="demo", show_default=True, help="What it looks like.")
@click.option("--topics", type=Whole(), help="How many topics.")
@click.option("--runs", type=Whole(), help="How many runs.")
@click.option("--groups", type=Whole(), help="How many groups hand them in.")
@click.option("--depth", type=Whole(), help="Documents retrieved per topic.")
@click.option("--one-relevant", is_flag=True, help="One relevant document per topic, as in MS MARCO.")
@click.option("--seed", type=Whole(least=0), default=SEED, show_default=True, help="Another seed, another campaign.")
@click.option("--gzip", "compress", is_flag=True, help="Pack the runs.")
@click.option("--log", metavar="FILE", help="Users of two runs too: what they saw and clicked (.csv, .tsv, .parquet).")
@click.option(
    "--log-run",
    "log_runs",
    multiple=True,
    metavar="NAME",
    help="A run that they use; may be repeated.  [default: the first of the first two groups]",
)
@click.option("--users", type=Whole(), default=1000, show_default=True, help="How many users.")
@click.option("--days", type=Whole(), default=14, show_default=True, help="For how many days.")
@click.option(
    "--interleave",
    "interleaved",
    metavar="METHOD",
    help="All see pages made of these runs (team-draft, ...); otherwise each user has one run, the arm of an A/B test.",
)
def command(
    folder: str,
    like: str,
    topics: int | None,
    runs: int | None,
    groups: int | None,
    depth: int | None,
    one_relevant: bool,
    seed: int,
    compress: bool,
    log: str | None,
    **of_log: Any,
) -> None:
    """Make up a campaign and write it to FOLDER: qrels.txt, runs/, runs.csv (groups, dates), topics.tsv.

    With --log it has users, who click on the pages of some runs by grade.

    Topics differ in difficulty, groups in skill, related runs make related mistakes; judgments are pooled and graded.
    The same seed gives the same bytes.

    \b
    Examples:
      cranfield simulate campaign
      cranfield simulate small --topics 10 --runs 6 --depth 100
      cranfield simulate campaign --like trec8 --seed 7 --gzip
      cranfield simulate big --like msmarco      (6,980 topics, 1,000 documents)
      cranfield simulate live --log ab.csv --users 300
      cranfield simulate live --log teams.csv --interleave team-draft
    """
    asked = {"topics": topics, "runs": runs, "groups": groups, "depth": depth, "one_relevant": one_relevant or None}
    given = {key: value for key, value in asked.items() if value is not None}
    if runs is not None and groups is None:
        given["groups"] = min(runs, KINDS[like].groups)
    check_empty(folder)
    _check_log(log, of_log["interleaved"])
    try:
        campaign = replace(KINDS[like], seed=seed, **given)  # type: ignore[arg-type]  # each value of its own type
    except ParameterError as error:
        raise ParameterError(error.problem, hint="cranfield simulate --help lists the settings") from None
    with progress("making") as see:
        written = campaign.write(Path(folder), compress=compress, progress=see)
    click.echo(f"{written.qrels}, {len(written.runs)} runs of {campaign.topics} topics", err=True)
    if log:
        _write_log(log, written, campaign, **of_log)
    click.echo(f"try: cranfield evaluate {written.qrels} {Path(folder) / 'runs'}", err=True)


def _check_log(log: str | None, method: str | None) -> None:
    """Refuse before the long work a log that cannot be written, and options of a log where there is none."""
    if log is None:
        context = click.get_current_context()
        for option in OF_LOG:
            if context.get_parameter_source(option) is not click.core.ParameterSource.DEFAULT:
                spelled = {"log_runs": "log-run", "interleaved": "interleave"}.get(option, option)
                raise click.UsageError(f"--{spelled} is about a log\nhint: say where it goes: --log FILE")
        return
    check_place(log)
    if Path(log).suffix.lower() not in LOGS:
        raise ParameterError(f"{log}: no log ends like that", hint=f"end the name in {', '.join(LOGS)}")
    if method:
        from cranfield.online import parse_interleaving

        parse_interleaving(method)


def _write_log(
    log: str, written: Written, campaign: Campaign, log_runs: Sequence[str], interleaved: str | None, **size: Any
) -> None:
    """What users of some runs saw and clicked."""
    files = {path.name.partition(".")[0]: path for path in written.runs}
    first = {name.rpartition("-")[0]: name for name in reversed(files)}
    chosen = list(dict.fromkeys(log_runs)) or sorted(first.values())[:2]
    unknown = [name for name in chosen if name not in files]
    if unknown:
        raise ParameterError(f"the campaign has no run {unknown[0]}", hint=f"it has: {', '.join(list(files)[:8])}, …")
    page = None
    if interleaved:
        from cranfield.online import multileave

        page = partial(multileave, method=interleaved, length=SHOWN, runs=chosen)
    runs = {name: files[name] for name in chosen}
    columns = simulate_log(written.qrels, runs, page=page, length=SHOWN, seed=campaign.seed, **size)
    study = Study("simulate", {"log": Table(columns)})
    show(study, form=None, table=None, output=log)
    seen = f"{len(set(columns['impression'])):,} impressions of {len(set(columns['user'])):,} users"
    click.echo(f"{log}: {seen}, {', '.join(chosen)}", err=True)


def check_empty(folder: str) -> None:
    """Refuse a place where something is already."""
    place = Path(folder)
    if place.exists() and not place.is_dir():
        raise ParameterError(f"{folder} is a file, not a folder", hint="name a new folder")
    if place.exists() and any(place.iterdir()):
        raise ParameterError(f"the folder {folder} is not empty", hint="name a new folder")
