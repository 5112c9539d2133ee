"""cranfield restore: create a server's home folder from a backup."""

import shutil
from pathlib import Path

import click

from cranfield.cli.options.usage_errors import Command
from cranfield.cli.output.command_output import note, progress
from cranfield.core import ParameterError, need

from .server_home import home_options, in_order


@click.command("restore", cls=Command)
@click.argument("file", metavar="FILE")
@home_options
@click.option("--verify", is_flag=True, help="Also compare every hash again, from the disk of the new home.")
def command(file: str, home: str, database: str, verify: bool) -> None:
    """Fill a new home from a backup. Every hash is compared on the way.

    \b
    Examples:
      cranfield restore boards.tar --home new-boards --verify
    """
    if Path(home).exists() and (not Path(home).is_dir() or any(Path(home).iterdir())):
        raise ParameterError(f"{home} is not empty", hint="restore into a new folder")
    need("django", extra="server")
    from cranfield.server.operations.backup_archive import packed

    with packed(file):  # a damaged file leaves no trace, not even an empty home
        pass
    with in_order(home):
        try:
            kept = _restore(file, home, database)
        except BaseException:
            shutil.rmtree(home, ignore_errors=True)  # half a server would only be in the way
            raise
    if verify:
        from cranfield.server.operations.backups import check

        with progress("comparing") as watch:
            check(progress=watch)
    click.echo(f"restored from {kept}")
    if database:
        note(f"its database is not in {home}: give --database to every command, or set it in cranfield.toml")


def _restore(file: str, home: str, database: str) -> str:
    from cranfield.server.site.django_setup import check_database, start

    start(home, database=database)
    check_database()
    from cranfield.server.operations.backups import restore

    with progress("restoring") as watch:
        return restore(file, progress=watch).sentence
