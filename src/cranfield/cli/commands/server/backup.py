"""cranfield backup: write a whole server to one file."""

import click

from cranfield.cli.options.usage_errors import Command
from cranfield.cli.output.command_output import progress

from .server_home import home_options, in_order, open_home


@click.command("backup", cls=Command)
@click.argument("file", required=False, metavar="[FILE]")
@home_options
def command(file: str | None, home: str, database: str) -> None:
    """Write a whole server to one file, while it runs: every row, every run, and the digests to check them by.

    The secret key and open sessions are not in it: after a restore everybody logs in again.

    \b
    Examples:
      cranfield backup --home boards
      cranfield backup boards.tar --home boards
    """
    open_home(home, database)
    from cranfield.server.operations.backups import backup

    with in_order(file or home), progress("copying") as watch:
        kept = backup(file, progress=watch)
    click.echo(kept.sentence)
