"""Hooks and fixtures of every test: Hypothesis profiles, markers, the shared data and the check for skipped tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

pytest.register_assert_rewrite("tests.support")  # before any of its modules is imported

from benchmarks import make_big_run  # noqa: E402
from tests.support.run_size import SIZE, SIZES, Size  # noqa: E402

pytest_plugins = (
    "tests.support.external_services",
    "tests.support.ir_datasets_catalogue",
    "tests.support.ir_measures_providers",
)


for _size in SIZES.values():
    settings.register_profile(
        _size.name,
        max_examples=_size.examples,
        deadline=None,  # a busy machine is not a failure
        derandomize=_size.name == "small",  # a small run repeats exactly; a full one goes looking
        suppress_health_check=[HealthCheck.too_slow],
        print_blob=True,
    )
settings.load_profile(SIZE.name)

SERVICES = {"postgres", "postgres_server", "browser", "page", "spark", "cluster"}


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Bytes never name a test: gzip puts the time into them, and two processes would collect different tests."""
    return argname if isinstance(val, bytes) else None


@pytest.hookimpl(tryfirst=True)  # before -m looks at the markers
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests by the fixtures they ask for, and leave the slow ones to the full size."""
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        if "shared_data" in fixtures:
            item.add_marker("shared")
        if fixtures & SERVICES:
            item.add_marker("services")
    if SIZE.name == "small":
        slow = [item for item in items if item.get_closest_marker("slow")]
        if slow:
            config.hook.pytest_deselected(items=slow)
            items[:] = [item for item in items if item not in slow]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what needs the shared data where there is none."""
    if item.get_closest_marker("shared") and "CRANFIELD_DATA" not in os.environ:
        pytest.skip("CRANFIELD_DATA is not set")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """With CRANFIELD_NO_SKIP=1 a skipped test fails the run: what was not tested is not green."""
    if skipped(session.config) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Name the skipped tests that failed the run."""
    for report in skipped(config):
        reason = report.longrepr[-1] if isinstance(report.longrepr, tuple) else report.longrepr
        terminalreporter.write_line(f"skipped where no skip is allowed: {report.nodeid}: {reason}", red=True)


def skipped(config: pytest.Config) -> list[pytest.TestReport]:
    """Skipped tests, where CRANFIELD_NO_SKIP forbids them; otherwise none."""
    if os.environ.get("CRANFIELD_NO_SKIP") != "1":
        return []
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    return list(reporter.stats.get("skipped", ())) if reporter else []


@pytest.fixture(scope="session")
def size() -> Size:
    """How much work this run of the tests does."""
    return SIZE


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real public data that CRANFIELD_DATA names; without it the test is skipped."""
    folder = Path(os.environ["CRANFIELD_DATA"])
    assert folder.is_dir(), f"CRANFIELD_DATA names no folder: {folder}"
    return folder


@pytest.fixture(scope="session")
def big_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A run of 6,980 topics × 1,000 documents (255 MB) and its qrels; kept where CRANFIELD_CACHE says."""
    cache = os.environ.get("CRANFIELD_CACHE")
    folder = Path(cache) if cache else tmp_path_factory.mktemp("big")
    run, qrels = folder / "big.run", folder / "big.qrels"
    if not qrels.exists():  # written last
        make_big_run.write(run)
    return run, qrels
