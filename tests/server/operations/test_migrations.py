"""The database of every release becomes that of today, with all its rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from django.core.management import call_command
from django.db.migrations.loader import MigrationLoader

from cranfield.server.operations.backup_archive import ROWS, packed
from cranfield.server.operations.backups import backup
from tests.support.server import home_subprocess

if TYPE_CHECKING:
    from tests.support.server.users_and_tasks import World

RELEASES = sorted((Path(__file__).parents[1] / "releases").glob("*.tar"))


@pytest.mark.django_db
def test_every_change_of_the_models_has_its_migration() -> None:
    call_command("makemigrations", "server", check=True, dry_run=True, verbosity=0)  # it would exit


def test_there_is_one_line_of_migrations() -> None:
    loader = MigrationLoader(None)
    assert loader.detect_conflicts() == {}
    assert len(loader.graph.leaf_nodes("server")) == 1


def test_the_first_release_is_kept() -> None:
    assert "first" in [path.stem for path in RELEASES]


@pytest.mark.parametrize("file", RELEASES, ids=lambda path: path.stem)
def test_a_release_becomes_today(file: Path, tmp_path: Path) -> None:
    with packed(file) as pack:
        before = dict(pack.manifest["rows"])
        rows = [json.loads(line) for line in (pack.read(ROWS) or b"").splitlines()]
    assert min(before.values()) >= 1, "a table without rows shows nothing"
    done = home_subprocess.cranfield("restore", str(file), "--home", "home", "--verify", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    now = {name.lower(): found for name, found in home_subprocess.ask(tmp_path / "home", "all_rows").items()}
    keys = {"blob": "digest"}
    for name, count in before.items():
        assert len(now[name]) == count, name
        key = keys.get(name, "id")
        assert [row[key] for row in now[name]] == [cells[key] for kind, cells in rows if kind == name]
    assert home_subprocess.ask(tmp_path / "home", "is_up_to_date")
    assert home_subprocess.ask(tmp_path / "home", "hand_in_another") == ["another", "scored"]
    (picture,) = [cells["panel"] for kind, cells in rows if kind == "picture"]
    pages = ["/", "/tasks/ad-hoc/", "/tasks/ad-hoc/boards/1/", f"/tasks/ad-hoc/boards/1/picture/{picture}"]
    assert {status for status, _ in home_subprocess.ask(tmp_path / "home", "answers", pages).values()} == {200}


def test_a_backup_of_an_older_database_is_brought_up_to_date(world_of_threads: World, tmp_path: Path) -> None:
    world_of_threads.task()
    file = backup(tmp_path / "old.tar").path
    found = home_subprocess.ask(tmp_path / "home", "restore_with_a_later_migration", str(file), str(tmp_path))
    assert found == {"migration": "9999_later", "teams": [["Alpha", "we are Alpha"], ["Beta", "we are Beta"]]}


def test_a_database_that_is_behind_can_be_backed_up(world_of_threads: World, tmp_path: Path) -> None:
    """The other way round: the program is newer than the database, which nobody has migrated yet."""
    world_of_threads.task()
    file = backup(tmp_path / "old.tar").path
    with packed(file) as pack:
        migration = pack.manifest["migration"]
    found = home_subprocess.ask(tmp_path / "home", "back_up_before_a_later_migration", str(file), str(tmp_path))
    assert found == migration
