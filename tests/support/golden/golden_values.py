"""Golden files, and our values beside them."""

import json
from collections.abc import Iterable
from functools import cache
from math import log
from pathlib import Path
from typing import Any

from cranfield.data import Assessed, Values, assess
from cranfield.measures import measure_all
from tests.support.golden.ranking_inputs import GEOMETRIC, Input, cases, halves, inputs

FOLDER = Path(__file__).parents[2] / "golden"
EXACT = 1e-12
# Equal to the last bit; in others sums are made in another order, or logarithms taken to another base.
BITS = (
    *("num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret", "map", "map_cut", "recip_rank", "Rprec", "P"),
    *("recall", "relative_P", "success", "set_P", "set_relative_P", "set_recall", "utility"),
)
FLOOR = 1e-5  # what a value of less counts in a geometric mean


@cache
def golden(name: str) -> Any:
    """The values of a golden file."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


@cache
def assessed(name: str, *, compat: str | None = "trec_eval-9") -> Assessed:
    """An input by its name, read as trec_eval 9 does."""
    given = {"cases": cases(), **inputs(), **halves()}[name]
    return assess(given.qrels, {"run": given.run}, compat=compat)


def values_of(given: Input, measures: Iterable[str], *, compat: str | None = None) -> Values:
    """What we say of an input."""
    return measure_all(assess(given.qrels, {"run": given.run}, compat=compat), list(measures))


def by_topic(values: Values, measure: object, run: int = 0) -> dict[str, float]:
    """The values of one measure and one run."""
    return dict(zip(values.topics, values.cube[run, :, values.index(measure)].tolist(), strict=True))


def said(of: Assessed, measure: str) -> dict[str, float]:
    """What we say of one measure and the only run, by topic."""
    values = measure_all(of, [measure])
    return dict(zip(values.topics, values.cube[0, :, 0].tolist(), strict=True))


def as_trec_eval(trec: str, value: float) -> float:
    """A value of ours as pytrec_eval gives that measure for one topic."""
    return log(max(value, FLOOR)) if trec in GEOMETRIC else value


def noise(trec: str) -> float:
    """How far a value of ours may be from that of trec_eval."""
    return 0 if trec in BITS or trec.rpartition("_")[0] in BITS else EXACT
