"""cranfield demo: evaluate the built-in simulated campaign."""

import tempfile
from dataclasses import replace
from pathlib import Path

import click

from cranfield.cli.options.usage_errors import Command, Whole
from cranfield.cli.output.command_output import may_be_bold, note, progress
from cranfield.cli.output.comparison_text import text_of_pair
from cranfield.core import SEED, Study, Table
from cranfield.core.rendering import paragraph, render
from cranfield.simulate import Campaign
from cranfield.stats import shorten
from cranfield.studies import compare, evaluate, leaderboard

from .demo_users import LOGS, clicks_said
from .simulate import check_empty

PICKED = (
    "The first two runs of the leaderboard, {first} and {second}, compared with each other. This p-value is not "
    "corrected for choosing them; the leaderboard has the corrected test."
)


@click.command("demo", cls=Command)
@click.option(
    "--folder", metavar="FOLDER", help="Folder in which the campaign is stored.  [default: a temporary folder]"
)
@click.option("--seed", type=Whole(least=0), default=SEED, show_default=True, help="Seed of the simulated campaign.")
@click.option("--serve", is_flag=True, help="Run a leaderboard server with the campaign until Ctrl-C.")
@click.option("--port", type=Whole(), default=8000, show_default=True, help="Port of that server.")
def command(folder: str | None, seed: int, serve: bool, port: int) -> int:
    """Simulate a campaign (40 runs of 12 groups, 50 topics), rank its runs, and compare the first two.

    Then simulated users click on the results: the demo shows how well measures predict their click-through rate, and
    which of the first two runs they prefer. This part needs the extra "logs".

    With --serve the campaign becomes a leaderboard server with an open task, a closed task and ready accounts.

    \b
    Examples:
      cranfield demo
      cranfield demo --folder campaign
      cranfield demo --serve --port 8080
    """
    if folder:
        check_empty(folder)
    if serve:
        from .demo_server import serve_demo

        return serve_demo(folder, seed, port)
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(folder or scratch)
        click.echo(f"simulating a campaign with seed {seed}: 50 topics, 12 groups, 40 runs …", err=True)
        written = Campaign(seed=seed).make().write(place)
        values = evaluate(written.qrels, place / "runs", "AP nDCG@10 RR@100", scale="ignore")
        with progress("resampling topics") as watch:
            board = leaderboard(values, entries=written.table, scale="ignore", progress=watch)
        click.echo(f"{render(_shown(board), 'text')}\n\n{paragraph(board.sentence, 'text')}\n")
        first, second, *_ = board["ranks"].cells("run")
        lead = compare(values, pairs=[(str(second), str(first))], scale="ignore")
        click.echo(f"{paragraph(PICKED.format(first=first, second=second), 'text')}\n")
        click.echo("\n".join(text_of_pair(lead, bold=may_be_bold())))
        said = clicks_said(written, values, (str(first), str(second)), seed, keep=place if folder else None)
        if said:
            click.echo(f"\n{said}")
        for line in values.mean().notes:
            note(line)
        if folder:
            where = f"{written.qrels} {place / 'runs'}"
            click.echo(f"try: cranfield leaderboard {where} --entries {written.table} --robust", err=True)
            click.echo(f"     cranfield report {where} --entries {written.table} -o report.html", err=True)
            click.echo(f"     cranfield anova {where} -m nDCG@10", err=True)
            if said:
                users, pages = (place / name for name in LOGS)
                click.echo(f"     cranfield bridge {where} --online {users} --outcome ctr", err=True)
                click.echo(f"     cranfield interleave {pages}", err=True)
    return 0


def _shown(board: Study) -> Table:
    """Return the leaderboard with short letters."""
    ranks = board["ranks"]
    letters = [shorten(str(cell)) for cell in ranks.cells("letters")]
    caption = "simulated campaign, 50 topics, by AP; rank: 1 + the number of runs that are significantly better"
    return replace(ranks, data={**ranks.data, "letters": letters}, caption=caption, notes=())
