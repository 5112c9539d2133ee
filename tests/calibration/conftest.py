"""Fixtures of the calibration: the check of a measured rate against its bar and the page, and evaluated rankings."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.calibration.error_rates import LEVEL, Check, Rate
from tests.support.calibration.evaluated_rankings import Rankings, load_rankings
from tests.support.calibration.page_figures import COLUMNS, FIGURES, Figure, Judge, agree, hold

KEPT = pytest.StashKey[list[Figure]]()


@pytest.fixture
def judge(request: pytest.FixtureRequest, record_property: Callable[[str, object], None]) -> Judge:
    """See whether a rate lies where it must, and is what the page shows; without a check it is only written down."""
    kept = request.config.stash.setdefault(KEPT, [])

    def judge(
        section: str,
        procedure: object,
        values: object,
        topics: int,
        rate: Rate,
        check: Check | None = None,
        level: float = LEVEL,
    ) -> None:
        about = (str(procedure), str(values), str(topics), f"{level:g}")
        band, caught = (check.band, check.caught) if check else ("–", "–")
        figure = Figure(section, (*about, f"{rate.value:.4f}", band, f"{rate.simulations:,}", caught))
        kept.append(figure)
        record_property("figure", str(figure))
        if check:
            hold(figure, rate, check)
        if not os.environ.get(FIGURES):
            agree(figure, rate, level)

    return judge


@pytest.fixture(params=["simulated", "one relevant"])
def simulated_rankings(request: pytest.FixtureRequest) -> Rankings:
    """Return simulated rankings: several relevant documents per topic, or one."""
    return load_rankings(request.param)


@pytest.fixture(params=["TREC-COVID", "adhoc7"])
def real_rankings(request: pytest.FixtureRequest, shared_data: Path) -> Rankings:
    """Return real runs: rankings, or matrices of AP, P@10 and RR."""
    return load_rankings(request.param, shared_data)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the tables of the page, where they are asked for."""
    file = os.environ.get(FIGURES)
    figures = session.config.stash.get(KEPT, [])
    if not file or not figures:
        return
    lines = []
    for section in dict.fromkeys(figure.section for figure in figures):
        rows = [str(figure) for figure in figures if figure.section == section]
        rule = re.sub(r"[^|]+", "---", f"|{'|'.join(COLUMNS)}|")
        lines += [f"## {section}", "", f"| {' | '.join(COLUMNS)} |", rule, *rows, ""]
    Path(file).write_text("\n".join(lines), encoding="utf-8")
