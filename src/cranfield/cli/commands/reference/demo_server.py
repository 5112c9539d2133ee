"""cranfield demo --serve: run a leaderboard server with the built-in campaign."""

import os
import tempfile
from contextlib import nullcontext

import click

from cranfield.cli.commands.server.serve import alone, check_free
from cranfield.cli.commands.server.server_home import in_order
from cranfield.cli.output.command_output import progress
from cranfield.core import need


def serve_demo(folder: str | None, seed: int, port: int) -> int:
    """Store the campaign in a home folder, print the accounts, serve until Ctrl-C and return the exit code."""
    need("django", extra="server")
    need("granian", extra="server")
    address = "127.0.0.1"
    check_free(address, port)
    new = nullcontext(folder) if folder else tempfile.TemporaryDirectory(prefix="cranfield-demo-")
    with in_order(folder or tempfile.gettempdir()), new as home, alone(home):
        from cranfield.server.jobs.processes import Serving, serve
        from cranfield.server.site.django_setup import migrate, start

        how = Serving(home=os.path.abspath(home), address=address, port=port)  # noqa: PTH100  # links stay as they are
        start(how.home)
        migrate()
        from cranfield.server.operations.demo_judging import SLUG
        from cranfield.server.operations.demo_tasks import CLOSED, OPEN, fill, settle

        with progress("submitting runs") as watch:
            accounts = fill(seed=seed, progress=watch)
        click.echo("evaluating the runs and making the leaderboards …", err=True)
        settle()

        def ready(url: str, first: str) -> None:
            del first  # everybody has an account
            click.echo(f"{url}\n{url}/tasks/{OPEN}/  the open task\n{url}/tasks/{CLOSED}/  the closed one")
            click.echo(f"{url}/organise/{SLUG}/  the organiser's page of a campaign that is being judged\n")
            width = max(len(one.name) for one in accounts)
            for one in accounts:
                click.echo(f"{one.name.ljust(width)}  password {one.password}")
            after = f"To start it again: cranfield serve --home {folder}" if folder else "Its data will be deleted"
            click.echo(f"Passwords are shown only once. Ctrl-C stops the server. {after}.", err=True)

        return serve(how, say=lambda text: click.echo(text, err=True), ready=ready)
