"""What commands about a server share: its home."""

from collections.abc import Callable
from typing import TypeVar

import click

from cranfield.core import ParameterError, need

F = TypeVar("F", bound=Callable[..., object])

HOME = "cranfield-home"


def home_options(function: F) -> F:
    """The home of a server, and its database."""
    function = click.option(
        "--database",
        default="",
        metavar="URL",
        help="PostgreSQL, as postgresql://user:password@host/name.  [default: SQLite]",
    )(function)
    return click.option("--home", default=HOME, show_default=True, metavar="FOLDER", help="The folder of the server.")(
        function
    )


def open_home(home: str, database: str, *, make: bool = False) -> None:
    """Make this process ready for the database of a server that is there (or, ``make``, of a new one)."""
    from pathlib import Path

    need("django", extra="server")
    from cranfield.server.home import Home
    from cranfield.server.starting import migrate, start

    if not make and not Home(Path(home).absolute()).settings.exists():
        raise ParameterError(
            f"{home} is not the home of a server", hint="name it with --home; cranfield serve makes one"
        )
    start(home, database=database, make=make)
    check_database()
    if make:
        migrate()


def check_database() -> None:
    """Say in words that the database of the home that was started cannot be reached."""
    from django.db import OperationalError, connection

    try:
        connection.ensure_connection()
    except OperationalError as error:
        what = f"the database does not answer: {str(error).strip().splitlines()[0]}"
        raise ParameterError(what, hint="check --database, and whether it runs") from None
