"""Measured error rates, compared with the tables of the calibration page."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import hypot, sqrt
from pathlib import Path
from typing import TypeAlias

from tests.support.calibration.error_rates import Check, Rate

PAGE = Path(__file__).parents[3] / "docs" / "concepts" / "calibration.md"

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
