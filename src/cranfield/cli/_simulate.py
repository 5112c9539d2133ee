"""cranfield simulate."""

from dataclasses import replace
from pathlib import Path

import click

from cranfield.core import SEED, ParameterError
from cranfield.simulate import MSMARCO, TREC8, Campaign

from ._show import progress
from ._usage import Command, OneOf, Whole

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
) -> None:
    """Make up a campaign and write it to FOLDER: qrels.txt, runs/, runs.csv (groups, dates), topics.tsv.

    Topics differ in difficulty, groups in skill, related runs make related mistakes; judgments are pooled and graded.
    The same seed gives the same bytes.

    \b
    Examples:
      cranfield simulate campaign
      cranfield simulate small --topics 10 --runs 6 --depth 100
      cranfield simulate campaign --like trec8 --seed 7 --gzip
      cranfield simulate big --like msmarco      (6,980 topics, 1,000 documents)
    """
    asked = {"topics": topics, "runs": runs, "groups": groups, "depth": depth, "one_relevant": one_relevant or None}
    given = {key: value for key, value in asked.items() if value is not None}
    if runs is not None and groups is None:
        given["groups"] = min(runs, KINDS[like].groups)
    check_empty(folder)
    try:
        campaign = replace(KINDS[like], seed=seed, **given)  # type: ignore[arg-type]  # each value of its own type
    except ParameterError as error:
        raise ParameterError(error.problem, hint="cranfield simulate --help lists the settings") from None
    with progress("making") as see:
        written = campaign.write(Path(folder), compress=compress, progress=see)
    click.echo(f"{written.qrels}, {len(written.runs)} runs of {campaign.topics} topics", err=True)
    click.echo(f"try: cranfield evaluate {written.qrels} {Path(folder) / 'runs'}", err=True)


def check_empty(folder: str) -> None:
    """Refuse a place where something is already."""
    place = Path(folder)
    if place.exists() and not place.is_dir():
        raise ParameterError(f"{folder} is a file, not a folder", hint="name a new folder")
    if place.exists() and any(place.iterdir()):
        raise ParameterError(f"the folder {folder} is not empty", hint="name a new folder")
