"""Where figures are judged, compared with the page that shows them, and written down."""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import hypot, sqrt
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.support.calibration.error_rates import LEVEL, Check, Rate

PAGE = Path(__file__).parents[2] / "docs" / "concepts" / "calibration.md"
FIGURES = "CRANFIELD_FIGURES"  # a file to write the tables of the page to; then nothing is compared with the page
COLUMNS = ("procedure", "values", "topics", "level", "wrong", "must be", "simulations", "noticed with 90 %")

Judge: TypeAlias = Callable[..., None]
Key: TypeAlias = tuple[str, ...]  # section of the page, procedure, values, topics, level


@dataclass(frozen=True)
class Figure:
    """One row of a table."""

    section: str
    cells: tuple[str, ...]

    @property
    def key(self) -> Key:
        """What the figure is about."""
        return (self.section, *self.cells[:4])

    def __str__(self) -> str:
        return f"| {' | '.join(self.cells)} |"


KEPT = pytest.StashKey[list[Figure]]()


@cache
def shown() -> dict[Key, tuple[float, int]]:
    """The rate and the number of simulations behind every figure of the page."""
    found: dict[Key, tuple[float, int]] = {}
    section = ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        section = line.removeprefix("## ") if line.startswith("## ") else section
        cells = tuple(cell.strip() for cell in line.strip("|").split("|"))
        if line.startswith("| ") and len(cells) == len(COLUMNS) and cells != COLUMNS:
            figure = Figure(section, cells)
            assert figure.key not in found, f"{PAGE.name} shows {figure.key} twice"
            found[figure.key] = float(cells[4]), int(cells[6].replace(",", ""))
    return found


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


def hold(figure: Figure, rate: Rate, check: Check) -> None:
    """The rate must lie in its band."""
    assert check.passes(rate), (
        f"{' · '.join(figure.key)}: wrong in {rate.value:.4f} of {rate.simulations:,} simulations, and must be "
        f"{check.band}; a true rate {check.caught} is noticed with a chance of 90 %"
    )


def agree(figure: Figure, rate: Rate, level: float) -> None:
    """What is measured now and what the page shows must be the same, but for four standard errors."""
    assert figure.key in shown(), f"{PAGE.name} has no such row; its tables are written by {FIGURES}=FILE\n{figure}"
    value, simulations = shown()[figure.key]
    here = max(rate.error(level), sqrt(rate.value * (1 - rate.value) / rate.simulations))
    there = sqrt(max(value * (1 - value), level * (1 - level)) / simulations)
    far = abs(value - rate.value)
    assert far <= 4 * hypot(here, there), f"{' · '.join(figure.key)}: {PAGE.name} shows {value}, now {rate.value:.4f}"


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
