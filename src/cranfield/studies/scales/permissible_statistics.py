"""Transformations, statistics and tests that each scale of measurement permits."""

from dataclasses import dataclass

from cranfield.core import Provenance, Scale, Table
from cranfield.stats import OMNIBUS, TESTS


@dataclass(frozen=True, slots=True)
class Allowed:
    """What may be done to numbers of a scale without changing what they say, and what may be computed from them."""

    transformations: str
    statistics: str


# stevens1946; as ferro2024 §7.3 and §7.4 has it.
ALLOWED = {
    Scale.NOMINAL: Allowed("one-to-one", "mode, counts"),
    Scale.ORDINAL: Allowed("strictly increasing", "median, quantiles"),
    Scale.INTERVAL: Allowed("a·x + b, a > 0", "mean, standard deviation"),
    Scale.RATIO: Allowed("a·x, a > 0", "geometric mean, harmonic mean, coefficient of variation"),
}


def permissible_table(*, made_by: Provenance | None = None) -> Table:
    """One row for each scale: transformations that keep what the numbers say, and what they allow to compute.

    A scale allows the statistics and the tests of those above it in the table too; the tests are those of the
    catalogues, by the scale that each requires.
    """
    rows = [
        {
            "scale": str(scale),
            "transformations": allowed.transformations,
            "statistics": allowed.statistics,
            "tests": ", ".join(_tests(scale)) or None,
        }
        for scale, allowed in ALLOWED.items()
    ]
    caption = "what numbers of a scale allow, beside all that the scales above it do"
    return Table.from_rows(rows, tuple(rows[0]), caption=caption, made_by=made_by)


def _tests(scale: Scale) -> list[str]:
    """The tests and analyses that need this scale, and no more."""
    return [cls.name for catalogue in (TESTS, OMNIBUS) for cls in catalogue if cls.requires is scale]
