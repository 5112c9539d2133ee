"""A server in this process, on SQLite or (CRANFIELD_TEST_POSTGRES=1) on a PostgreSQL of its own."""

from __future__ import annotations

import atexit
import logging
import os
import shutil
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.external_services import POSTGRES, run_postgres

# Django is set up once in a process, so before any test is collected.
_stack = ExitStack()
atexit.register(_stack.close)
_folder = tempfile.mkdtemp(prefix="cranfield-server-")
_stack.callback(shutil.rmtree, _folder, ignore_errors=True)
_database = ""
if POSTGRES:
    _database = f"postgresql://cranfield@/postgres?host={_stack.enter_context(run_postgres())}"

from cranfield.server.site.django_setup import start  # noqa: E402
from cranfield.server.site.home_folder import DATABASE, FOLDER  # noqa: E402

start(_folder, database=_database)
for _name in (FOLDER, DATABASE, "DJANGO_SETTINGS_MODULE"):
    os.environ.pop(_name, None)  # processes of xdist would work in this very home

from django.conf import settings as _settings  # noqa: E402

_settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # tests log in often
if not POSTGRES:
    _settings.DATABASES["default"]["OPTIONS"]["init_command"] += "PRAGMA synchronous=OFF;"  # nor wait for the disk

from cranfield.charts import to_picture  # noqa: E402
from tests.support.server.users_and_tasks import World  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cranfield.core import Study

_drawn: dict[tuple[str, str], tuple[bytes, str]] = {}


def _drawn_once(study: Study, chart: str) -> tuple[bytes, str]:
    """The same tables give the same picture, and drawing takes most of the time of a board."""
    tables = "".join(replace(study, verdict=None, made_by=None).json_pieces())
    beside = [(table.caption, table.notes, table.best, table.ends) for table in study.tables.values()]
    key = chart, f"{tables} {beside}"
    if key not in _drawn:
        _drawn[key] = to_picture(study, chart)
    return _drawn[key]


@pytest.fixture(autouse=True)
def draw_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every picture is a real one, but no picture is drawn twice in a process."""
    monkeypatch.setattr("cranfield.server.boards.panels.to_picture", _drawn_once)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests with databases of their own, and those of what pages tell whom, are the same on both: they run once."""
    once = [item for item in items if POSTGRES and item.get_closest_marker("once")]
    if once:
        config.hook.pytest_deselected(items=once)
        items[:] = [item for item in items if item not in once]


@pytest.fixture(autouse=True)
def clean_home() -> Iterator[None]:
    """Blobs of a test are gone after it, as its rows are."""
    yield
    for folder in (_settings.HOME.blobs, _settings.HOME.incoming):
        shutil.rmtree(folder, ignore_errors=True)
        Path(folder).mkdir()


@pytest.fixture
def quiet() -> Iterator[None]:
    """Every refusal is a line of the log, and there are thousands."""
    logging.disable(logging.ERROR)
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture(scope="module")
def beside_a_browser() -> Iterator[None]:
    """Playwright keeps an event loop in this thread, which Django takes for a reason not to clean up after the test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        yield


@pytest.fixture
def world(db: None) -> World:
    """A small world: an operator, an organiser, two teams with people, nobody's task yet."""
    del db
    return World.make()


@pytest.fixture
def world_of_threads(transactional_db: None) -> World:
    """The same for tests in which several connections must see each other's rows."""
    del transactional_db
    return World.make()
