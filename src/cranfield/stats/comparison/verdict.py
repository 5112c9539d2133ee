"""Verdict on pairs of runs: better, worse, mixed, equivalent or inconclusive."""

from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from .evidence import Evidence, EvidenceLine
from .facet_verdict import Facets

VerdictKind: TypeAlias = Literal["better", "worse", "mixed", "equivalent", "inconclusive"]
Basis: TypeAlias = Literal["measure", "outcomes"]
Kinds: TypeAlias = NDArray[np.object_]  # (pair,): verdict kinds

KINDS: tuple[VerdictKind, ...] = get_args(VerdictKind)
BASES: tuple[Basis, ...] = get_args(Basis)


def verdicts_by_measure(evidence: Evidence, margin: float | None = None) -> Kinds:
    """Return the verdict on every pair by the primary measure.

    The primary measure decides. Another line that is significant in the opposite direction makes the verdict mixed.
    Without a significant primary the verdict is inconclusive, or equivalent where the interval lies inside ±margin.
    """
    status, others = evidence.statuses[0], evidence.statuses[1:]
    opposed = ((status != 0) & (others == -status)).any(axis=0)
    equivalent = np.zeros(len(status), dtype=bool) if margin is None else evidence.within(margin)
    return _kinds(status, opposed, equivalent & (status == 0))


def verdicts_by_outcomes(facets: Facets) -> Kinds:
    """Return the verdict on every pair by the outcome rule of lin2021, with Holm over the two facets."""
    sides = np.stack([facets.answered.better_holm, facets.ranking.better_holm])
    significant = (sides != 0).any(axis=0)
    status = facets.do_no_harm_holm
    return _kinds(status, significant & (status == 0), np.zeros(len(status), dtype=bool))


def line_statuses(line: EvidenceLine, level: float, equivalent: NDArray[np.bool_] | None = None) -> Kinds:
    """Return better, worse, equivalent or inconclusive for every pair of one line."""
    none = np.zeros(len(line.p), dtype=bool)
    status = line.status(level)
    return _kinds(status, none, none if equivalent is None else equivalent & (status == 0))


def _kinds(status: NDArray[np.int64], mixed: NDArray[np.bool_], equivalent: NDArray[np.bool_]) -> Kinds:
    words = np.select(
        [mixed, status > 0, status < 0, equivalent], ["mixed", "better", "worse", "equivalent"], "inconclusive"
    )
    return words.astype(object)
