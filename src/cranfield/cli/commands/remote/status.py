"""cranfield status: show the state, value and rank of submitted runs."""

import re

import click

from cranfield.cli.options.usage_errors import Command
from cranfield.core import Study
from cranfield.server.api.client import Server

from .server_requests import (
    LATER,
    RUN,
    asking_options,
    by_key,
    connect,
    lines_of,
    made_by,
    row_of,
    show_answer,
    table_of,
)

KEY = re.compile(r"[0-9a-f]{12}")


@click.command("status", cls=Command)
@click.argument("place", metavar="URL_OR_KEY")
@asking_options
def command(place: str, token: str | None, form: str | None) -> None:
    """What became of a run: its state, its place in the queue, its value, its rank.

    The address is the one that submit printed. That of a task tells of all your runs in it, and how many are left.

    \b
    Examples:
      cranfield status https://example.org/runs/0123456789ab/
      cranfield status https://example.org/tasks/ad-hoc/ --json
    """
    where = by_key(place) if KEY.fullmatch(place) else place
    server = connect(where, token, must=not _one(where))
    left = None
    if server.address.run:
        runs = [server.get(f"submissions/{server.address.run}")]
    else:
        asked = {"task": server.address.task} if server.address.task else {}
        left = _left(server)
        runs = server.get("submissions", **asked)
    rows = [row_of(run) for run in runs]
    verdict = {"runs": len(runs), "sentence": left} if left else None
    study = Study("status", {"submissions": table_of(rows, (*RUN, *LATER), "submissions")}, verdict, made_by())
    every = not (server.address.task or server.address.run)
    show_answer(study, [line for run in runs for line in lines_of(run, task=every)], form)
    if not runs:
        click.echo("your teams have handed in no runs yet", err=True)
    if left:
        click.echo(left, err=True)


def _one(place: str) -> bool:
    return "/runs/" in place or "/submissions/" in place


def _left(server: Server) -> str:
    """How many submissions are left, in words."""
    if not server.address.task:
        return ""
    told = server.get(f"tasks/{server.address.task}/left")
    words = f"{told['now']} of {told['of']} submissions in {told['days']} days left"
    if not told["takes_runs"]:
        return "the task takes no submissions now"
    return words + (f"; the next one from {told['next'][:16].replace('T', ' ')} UTC" if told["next"] else "")
