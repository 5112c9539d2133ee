"""Fixtures for PostgreSQL, Chromium and Spark. Tests that need a missing program are skipped."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page
    from pyspark.sql import SparkSession

POSTGRES = os.environ.get("CRANFIELD_TEST_POSTGRES") == "1"


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Path]:
    """A PostgreSQL server of our own, reachable through a socket in this folder and nowhere else."""
    if _newest("initdb") is None:
        pytest.skip("PostgreSQL is not installed")
    with run_postgres() as folder:
        yield folder


class PostgresServer:
    """PostgreSQL in a folder of its own, reachable through a socket there and nowhere else."""

    def __init__(self) -> None:
        initdb = _newest("initdb")
        assert initdb is not None, "PostgreSQL is not installed"
        # Not pytest's folder: its path is long for a socket, and closed to the user below.
        self.folder = Path(tempfile.mkdtemp(prefix="cranfield-pg-"))
        self._user: tuple[str, ...] = ()
        if os.geteuid() == 0:  # the server refuses to run as root
            account = pwd.getpwnam("postgres")
            os.chown(self.folder, account.pw_uid, account.pw_gid)
            self._user = ("runuser", "-u", "postgres", "--")
        self._pg_ctl = initdb.with_name("pg_ctl")
        make = f"{initdb} --auth=trust --username=cranfield --encoding=UTF8 --locale=C.UTF-8 --no-sync --pgdata".split()
        _quietly(*self._user, *make, self.folder / "data", cwd=self.folder)

    def url(self, database: str = "postgres") -> str:
        """Where a database is."""
        return f"postgresql://cranfield@/{database}?host={self.folder}"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = f"-c listen_addresses='' -c unix_socket_directories={self.folder} -c fsync=off"
        self._control("--wait", "--log", self.folder / "log", "--options", options, "start")

    def stop(self) -> None:
        """Stop it as a crash would: no connection is told."""
        self._control("--mode=immediate", "stop")

    def _control(self, *words: str | Path) -> None:
        data = ("--pgdata", self.folder / "data", "--silent")
        _quietly(*self._user, self._pg_ctl, *data, *words, cwd=self.folder)


@contextmanager
def postgres_of_its_own() -> Iterator[PostgresServer]:
    """PostgreSQL while it is needed, for a test that stops and starts it."""
    server = PostgresServer()
    try:
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(server.folder)


@contextmanager
def run_postgres() -> Iterator[Path]:
    """PostgreSQL while it is needed; the folder of its socket."""
    with postgres_of_its_own() as server:
        yield server.folder


@pytest.fixture
def postgres(postgres_server: Path) -> Iterator[str]:
    """The URL of a new, empty database, dropped after the test."""
    import psycopg

    def url(database: str) -> str:
        return f"postgresql://cranfield@/{database}?host={postgres_server}"

    with psycopg.connect(url("postgres"), autocommit=True) as connection:
        connection.execute("create database test")
        yield url("test")
        connection.execute("drop database test with (force)")


@pytest.fixture(scope="module")  # per module: Playwright keeps an event loop running, and others need their own
def browser() -> Iterator[Browser]:
    """Headless Chromium, the one of the system."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("Chromium is not installed")
    # Each flag stops Chromium from calling home, which fails noisily on a closed network.
    flags = [
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-gpu",
        "--disable-quic",
        "--disable-sync",
        "--no-first-run",
        "--no-sandbox",  # refused to root, and the pages are our own
    ]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=flags)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page in a context of its own; a JavaScript error on it fails the test."""
    errors: list[str] = []
    context = browser.new_context(viewport={"width": 800, "height": 600})
    page = context.new_page()
    page.set_default_timeout(10_000)
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert not errors


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Spark in this process, on two threads, with workers that run this very Python."""
    if shutil.which("java") is None:
        pytest.skip("Java is not installed")
    from pyspark.sql import SparkSession

    folder = tmp_path_factory.mktemp("spark")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("PYSPARK_DRIVER_PYTHON", sys.executable)
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        session = (
            SparkSession.builder.master("local[2]")
            .appName("cranfield-tests")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.host", "127.0.0.1")
            # Tables and plans of all tests add up: with 1 GB the last tests waited for the garbage collector.
            .config("spark.driver.memory", "3g")
            .config("spark.sql.ui.retainedExecutions", "10")
            .config("spark.local.dir", str(folder))
            .config("spark.sql.session.timeZone", "UTC")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .getOrCreate()
        )
        session.sparkContext.setLogLevel("ERROR")
        yield session
        session.stop()


def _newest(program: str) -> Path | None:
    """Debian keeps PostgreSQL's programs by version, off the path."""
    found = sorted(
        Path("/usr/lib/postgresql").glob(f"*/bin/{program}"), key=lambda path: float(path.parent.parent.name)
    )
    if found:
        return found[-1]
    on_path = shutil.which(program)
    return Path(on_path) if on_path else None


def _quietly(*command: str | Path, cwd: Path) -> None:
    """Run a command whose words matter only when it fails. A file, because a daemon would hold a pipe open."""
    with tempfile.TemporaryFile() as words:
        done = subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=words, stderr=words, check=False)
        words.seek(0)
        assert done.returncode == 0, f"{command}: {words.read().decode()}"
