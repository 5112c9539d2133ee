"""Options and setup of the home folder, shared by the server commands."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
    from cranfield.server.site.django_setup import check_database, migrate, start
    from cranfield.server.site.home_folder import Home

    if not make and not Home(Path(home).absolute()).settings.exists():
        raise ParameterError(
            f"{home} is not the home of a server", hint="name it with --home; cranfield serve makes one"
        )
    start(home, database=database, make=make)
    check_database()
    if make:
        migrate()


@contextmanager
def in_order(goal: str) -> Iterator[None]:
    """What is not whole is taken away when the command is told to end; a full disk and a lost database have words."""
    need("django", extra="server")
    from django.db import DatabaseError

    from cranfield.server.site.system_errors import FULL

    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        hint = "make room, or choose another place; nothing half done is left"
        raise ParameterError(f"{goal}: {error.strerror}", hint=hint) from None
    except DatabaseError as error:
        hint = "check the disk and the database, then try again; nothing half done is left"
        raise ParameterError(f"{goal}: {str(error).strip().splitlines()[0]}", hint=hint) from None
    finally:
        signal.signal(signal.SIGTERM, before)
