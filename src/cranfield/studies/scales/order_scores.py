"""Table of interval scores derived from the order of a measure's values alone."""

from typing import Any

from cranfield.core import Provenance, Table
from cranfield.measures import Measure, Spacing, scores

WAYS = {"even": "values", "rankings": "rankings", "maximin": "maximin"}  # columns, and what `interval` calls them


def scores_table(measure: Measure, spacing: Spacing, *, made_by: Provenance | None = None) -> Table:
    """One row for each value, the highest first: what it becomes from 0, the worst, to 1, the best.

    ``even``: equal steps from value to value (ferrante2021). ``rankings``: the mean place of its rankings among all of
    them (gaito1959). ``maximin``: the scores that correlate best with the true ones, in the worst case of what these
    may be (abelson1963).
    """
    downward = slice(None, None, -1)
    columns: dict[str, Any] = {
        "measure": [str(measure)] * len(spacing.value),
        "value": spacing.value[downward],
        "runs": spacing.count[downward],
    }
    for name, by in WAYS.items():
        columns[name] = scores(spacing.count, by, measure.direction)[downward]
    return Table(columns, "scores for the order of the values, from 0, the worst, to 1, the best", made_by)
