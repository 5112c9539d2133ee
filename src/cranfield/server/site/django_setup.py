"""Set up Django for a home folder, check the database connection and run migrations."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from cranfield.core import ParameterError, need

from .home_folder import DATABASE, FOLDER, Home


def start(home: str | os.PathLike[str], *, database: str = "", make: bool = True) -> Home:
    """Make Django ready for a home in this process, and for the processes that it starts; once."""
    need("django", extra="server")
    need("granian", extra="server")
    found = Home(Path(home).absolute())
    if make:
        found.make()
    os.environ[FOLDER] = str(found.folder)
    if database:
        os.environ[DATABASE] = database
    os.environ["DJANGO_SETTINGS_MODULE"] = "cranfield.server.settings"
    import django

    django.setup()
    return found


def check_database() -> None:
    """Refuse a database that does not answer."""
    from django.db import DatabaseError, connection

    try:
        connection.ensure_connection()
    except DatabaseError as error:
        what = f"the database does not answer: {str(error).strip().splitlines()[0]}"
        hint = "check --database, and whether it runs"
        if connection.vendor == "sqlite":
            hint = f"look at {connection.settings_dict['NAME']}; cranfield restore fills a new home from a backup"
        raise ParameterError(what, hint=hint) from None


def check_migrated() -> None:
    """Refuse a database that does not answer, or is not that of this version."""
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    check_database()
    plan = MigrationExecutor(connection)
    if plan.migration_plan(plan.loader.graph.leaf_nodes()):
        hint = "start cranfield serve once: it brings the database up to date"
        raise ParameterError("the database is not that of this version", hint=hint)


def hold_open() -> sqlite3.Connection | None:
    """A connection for as long as the process lives, where the database is a file.

    With the last connection SQLite takes away what the next one needs to read; on a full disk that cannot come back.
    """
    from django.db import connection

    if connection.vendor != "sqlite":
        return None
    held = sqlite3.connect(connection.settings_dict["NAME"], check_same_thread=False)
    held.execute("PRAGMA schema_version").fetchone()
    return held


def migrate() -> None:
    """Bring the database to what this version needs."""
    from django.core.management import call_command

    call_command("migrate", verbosity=0, interactive=False)
