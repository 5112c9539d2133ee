"""cranfield simulate."""

from dataclasses import replace
from pathlib import Path

import click

from cranfield.core import SEED, ParameterError
from cranfield.simulate import MSMARCO, TREC8, Campaign

KINDS = {"demo": Campaign(), "trec8": TREC8, "msmarco": MSMARCO}


@click.command("simulate")
@click.argument("folder", type=click.Path(file_okay=False))
@click.option("--like", type=click.Choice(list(KINDS)), default="demo", show_default=True, help="What it looks like.")
@click.option("--topics", type=click.IntRange(min=1), help="How many topics.")
@click.option("--runs", type=click.IntRange(min=1), help="How many runs.")
@click.option("--groups", type=click.IntRange(min=1), help="How many groups hand them in.")
@click.option("--depth", type=click.IntRange(min=1), help="Documents retrieved per topic.")
@click.option("--one-relevant", is_flag=True, help="One relevant document per topic, as in MS MARCO.")
@click.option("--seed", type=int, default=SEED, show_default=True, help="Another seed, another campaign.")
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
    cranfield simulate campaign
    cranfield simulate campaign --like trec8 --seed 7
    cranfield simulate big --like msmarco                   6,980 topics × 1,000 documents
    """
    asked = {"topics": topics, "runs": runs, "groups": groups, "depth": depth, "one_relevant": one_relevant or None}
    given = {key: value for key, value in asked.items() if value is not None}
    if runs is not None and groups is None:
        given["groups"] = min(runs, KINDS[like].groups)
    campaign = replace(KINDS[like], seed=seed, **given)  # type: ignore[arg-type]  # each value of its own type
    if Path(folder).exists() and any(Path(folder).iterdir()):
        raise ParameterError(f"the folder {folder} is not empty", hint="name a new folder")
    written = campaign.write(Path(folder), compress=compress)
    click.echo(f"{written.qrels}, {len(written.runs)} runs of {campaign.topics} topics", err=True)
    click.echo(f"try: cranfield evaluate {written.qrels} {Path(folder) / 'runs'}", err=True)
