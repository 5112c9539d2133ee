"""Rank-biased overlap with ties beside the program of those who worked it out."""

import pytest

from cranfield.measures import TIED, TiedOverlap, rbo
from tests.support.golden.golden_values import golden
from tests.support.golden.tie_inputs import PERSISTENCE, tied


@pytest.mark.parametrize("variant", TIED)
@pytest.mark.parametrize("p", PERSISTENCE)
def test_every_pair_has_their_overlap(variant: TiedOverlap, p: float) -> None:
    for pair, said in zip(tied(), golden("tied_overlap"), strict=True):
        a, b = ([frozenset(group) for group in side] for side in pair)
        theirs = said[f"{variant} {p}"]
        for found in (rbo(a, b, p=p, ties=variant), rbo(b, a, p=p, ties=variant)):
            assert found.low == pytest.approx(theirs["min"], abs=1e-12)
            assert found.low + found.residual == pytest.approx(theirs["max"], abs=1e-12)
            assert found.extrapolated == pytest.approx(theirs["ext"], abs=1e-12)
