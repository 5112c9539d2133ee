"""cranfield demo."""

import tempfile
from pathlib import Path

import click

from cranfield.core import SEED, Table
from cranfield.core.render import paragraph, render
from cranfield.measures import DEFAULT
from cranfield.simulate import Campaign, Made
from cranfield.studies import anova, evaluate

from ._show import note
from ._simulate import check_empty
from ._usage import Command, Whole


@click.command("demo", cls=Command)
@click.option("--folder", metavar="FOLDER", help="Keep the campaign there.  [default: thrown away]")
@click.option("--seed", type=Whole(least=0), default=SEED, show_default=True, help="Another seed, another campaign.")
def command(folder: str | None, seed: int) -> None:
    """Make the built-in campaign (40 runs of 12 groups, 50 topics), evaluate it, say which runs differ.

    \b
    Examples:
      cranfield demo
      cranfield demo --folder campaign
    """
    if folder:
        check_empty(folder)
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(folder or scratch)
        click.echo(f"making a campaign from seed {seed}: 50 topics, 12 groups, 40 runs …", err=True)
        made = Campaign(seed=seed).make()
        written = made.write(place)
        values = evaluate(written.qrels, place / "runs", DEFAULT)
        click.echo(render(_board(made, values.mean()), "text"))
        click.echo(f"\n{paragraph(anova(values, measure='AP', scale='ignore').sentence, 'text')}")
        for line in values.mean().notes:
            note(line)
        if folder:
            click.echo(f"try: cranfield evaluate {written.qrels} {place / 'runs'} -m 'RBP(p=0.5)'", err=True)
            click.echo(f"     cranfield anova {written.qrels} {place / 'runs'} -m nDCG@10", err=True)
            click.echo(f"     cranfield lint {written.qrels} {place / 'runs'}", err=True)


def _board(made: Made, means: Table) -> Table:
    """The runs with their groups and dates, best AP first."""
    entries = {entry.run: entry for entry in made.entries}
    rows = sorted(means.rows(), key=lambda row: -float(row["AP"] or 0))  # type: ignore[arg-type]  # AP is a number
    for row in rows:
        row |= {"group": entries[str(row["run"])].group, "date": entries[str(row["run"])].date}
    columns = ("run", "group", "date", *means.columns[1:])
    return Table.from_rows(rows, columns, caption=f"a made-up campaign, {means.caption}, by AP")
