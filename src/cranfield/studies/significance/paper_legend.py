"""Caption and legend of the table of a paper."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cranfield.core import Table
from cranfield.data import Values
from cranfield.stats import CORRECTIONS, Correction, Family, PairTest, Uncorrected, parse_method
from cranfield.studies.statistics_text import usual_test_name

AGGREGATED = {"mean": "Means", "median": "Medians", "gmean": "Geometric means", "sum": "Sums"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparisons:
    """The tests behind the marks of a table."""

    method: PairTest
    correction: Correction
    family: Family
    level: float
    measures: tuple[str, ...]
    sizes: tuple[int, ...]  # comparisons with a p-value, for each measure

    @classmethod
    def of(
        cls, tests: Table, method: PairTest, correct: str | Correction, *, family: Family, level: float
    ) -> "Comparisons":
        """Count the comparisons in the rows of the tests."""
        measures = tuple(dict.fromkeys(map(str, tests.cells("measure"))))
        counts = Counter(
            measure for measure, p in zip(tests.cells("measure"), tests.cells("p"), strict=True) if p is not None
        )
        return cls(
            method=method,
            correction=parse_method(CORRECTIONS, correct),
            family=family,
            level=level,
            measures=measures,
            sizes=tuple(counts[measure] for measure in measures),
        )

    @property
    def size(self) -> int | None:
        """Return the number of comparisons that are corrected together; None where it differs between measures."""
        if self.family != "pairs":
            return sum(self.sizes)
        return self.sizes[0] if len(set(self.sizes)) == 1 else None

    def as_dict(self, baselines: Sequence[str]) -> dict[str, Any]:
        """Return the settings as the verdict of a study holds them."""
        return {
            "test": str(self.method),
            "correct": str(self.correction),
            "family": self.family,
            "level": self.level,
            "comparisons": self.size,
            "baselines": list(baselines),
        }


def paper_caption(values: Values) -> str:
    """Say what the numbers are and how many topics they come from."""
    ways = {values.way(measure) for measure in values.measures}
    kind = AGGREGATED[ways.pop()] if len(ways) == 1 else "Values"
    counts = (values.counted[:, :, None] & ~np.isnan(values.cube)).sum(axis=1)
    fewest, most = int(counts.min()), int(counts.max())
    return f"{kind} over {f'{most:,}' if fewest == most else f'{fewest:,} to {most:,}'} topic{'s' * (most != 1)}"


def paper_legend(facts: Comparisons, baselines: Sequence[str], signs: tuple[str, str, str]) -> str:
    """Explain the marks: what they mean, the test, the correction with its family, and the level."""
    better, worse, down = signs
    if len(baselines) == 1:
        meaning = f"{better} significantly better and {worse} significantly worse than {baselines[0]}"
    else:
        meaning = (
            "Superscripts name the baselines that a run is significantly better than, "
            f"and after {down} those that it is significantly worse than"
        )
    tested = f"{meaning} ({_test_name(facts.method)}, {_correction_name(facts)}, p ≤ {facts.level:g})."
    return tested if len(baselines) == 1 else f"{tested} Baselines are not tested against each other."


def _test_name(method: PairTest) -> str:
    sides = "two-sided" if method.alternative == "two-sided" else f"one-sided ({method.alternative})"
    return f"{usual_test_name(str(replace(method, alternative='two-sided')))}, {sides}"


def _correction_name(facts: Comparisons) -> str:
    together = facts.family != "pairs" and not facts.method.joint
    several = len(facts.measures) > 1
    where = " of all measures" if together and several else " of each measure" if several else ""
    if facts.method.joint:
        return f"corrected by the test for all comparisons{where}"
    if facts.size == 1:
        return f"one comparison{where}"
    count = "" if facts.size is None else f"{facts.size:,} "
    if isinstance(facts.correction, Uncorrected):
        return f"not corrected for the {count}comparisons{where}"
    return f"{facts.correction.usual_name} over the {count}comparisons{where}"
