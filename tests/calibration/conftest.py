"""Where figures are judged, compared with the page that shows them, and written down."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.calibration.error_rates import LEVEL, Check, Rate
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
