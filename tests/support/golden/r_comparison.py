"""What base R says of the golden matrices, in our order of pairs; and when two numbers are the same."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from cranfield.stats import (
    Alternative,
    Anova,
    Answer,
    Asked,
    Pairs,
    PairTest,
)
from tests.support.golden.golden_values import golden
from tests.support.golden.statistics_inputs import matrices

CLOSE = 1e-10  # R's numbers are kept with twelve digits
SIDES: tuple[Alternative, ...] = ("two-sided", "greater", "less")
MATRICES = tuple(matrices())
CASES = [(name, side) for name in MATRICES for side in SIDES]
# What ptukey is off by grows with the number of means, as integrals of higher accuracy show: see SOURCES.md.
PTUKEY = {2: 1e-11, 3: 1e-11, 4: 1e-9, 5: 1e-9, 10: 5e-9, 50: 1e-6, 129: 3e-6}
PTUKEY_FEW = 2e-7  # with five degrees of freedom, and ten means at most
FLOOR = 1e-10  # what smaller chances of the studentised range are given as

Numbers = NDArray[np.float64]


def agree(ours: ArrayLike, theirs: ArrayLike, *, rel: float = CLOSE, off: float = 0.0) -> None:
    """Both are the same, as far as R tells: it has no number where runs are identical, and says NaN."""
    found, expected = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    known = ~np.isnan(expected)
    assert known.any()
    np.testing.assert_allclose(found[known], expected[known], rtol=rel, atol=off)


def values_of(name: str) -> Numbers:
    return np.array(matrices()[name])


def asked_of(name: str) -> Pairs:
    return Pairs.every(values_of(name))


def compared(test: PairTest, name: str, level: float = 0.05) -> Answer:
    return test.compare(asked_of(name), Asked(level=level))


def ends(answer: Answer) -> dict[str, Numbers]:
    assert answer.low is not None
    assert answer.high is not None
    return {"low": answer.low, "high": answer.high}


def by_pair(rows: Mapping[str, Any], name: str, *path: str | int) -> Numbers:
    """(pair,): what stands at the end of a path for each pair, in our order; NaN where R has nothing."""
    pairs = asked_of(name)
    found = []
    for a, b in zip(pairs.a, pairs.b, strict=True):
        node = rows[f"{a}-{b}"]
        for step in () if "identical" in node else path:
            node = node[step]
        found.append(np.nan if isinstance(node, dict) else float(node))
    return np.array(found)


def of_pairs(name: str, *path: str | int) -> Numbers:
    return by_pair(golden("r_stats")[name]["pairs"], name, *path)


def of_runs(name: str) -> Any:
    return golden("r_stats")[name]["runs"]


def agree_rows(ours: Anova, theirs: Mapping[str, Mapping[str, float]], names: Mapping[str, str]) -> None:
    """Every source but the total has R's numbers; ``names`` are ours by R's."""
    assert {names[source] for source in theirs} <= {row.source for row in ours.rows}
    for source, expected in theirs.items():
        row = ours[names[source]]
        for column, value in expected.items():
            found = {"f": row.statistic, "omega2": row.effect}.get(column, getattr(row, column, None))
            wanted = max(0.0, value) if column == "omega2" else value  # below 0 we say 0, and R's script does not
            assert found == pytest.approx(wanted, rel=1e-9, abs=0), (source, column)
