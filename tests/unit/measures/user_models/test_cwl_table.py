"""A user whose continuation is given in numbers: the measures that have the same one by a formula."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.core import ParameterError
from cranfield.measures import CWL, INSQ, RBP, SDCG, measure_all, parse_measure, user_model
from tests.support.properties.topic_strategies import assess_grades

EXACT = 1e-12

rankings = st.lists(st.integers(-1, 2), min_size=1, max_size=12)


@given(ranking=rankings, p=st.sampled_from([0.1, 0.5, 0.8, 0.95]))
def test_with_one_number_it_is_rank_biased_precision(ranking: list[int], p: float) -> None:
    assessed = assess_grades(ranking, missed=(2,))
    values = measure_all(assessed, [RBP(p=p, max_rel=2), CWL(continuation=str(p)), CWL(continuation=f"{p} {p}")])
    np.testing.assert_allclose(values.cube[0, 0], values.cube[0, 0, 0], rtol=0, atol=EXACT)


@given(ranking=rankings)
def test_with_the_continuation_of_a_formula_it_is_that_measure(ranking: list[int]) -> None:
    rank = np.arange(1, 50)
    squares = " ".join(map(str, ((rank + 1) / (rank + 2)) ** 2))  # moffat2012models, T = 1
    logs = " ".join(map(str, np.log2(rank + 1) / np.log2(rank + 2)))
    pairs = {INSQ(k=50): squares, SDCG(k=50): logs}
    for measure, continuation in pairs.items():
        given_so = CWL(continuation=continuation, k=50)
        one, other = measure_all(assess_grades(ranking, missed=(2,)), [measure, given_so]).cube[0, 0]
        assert other == pytest.approx(one, abs=EXACT)


def test_the_last_number_goes_on() -> None:
    # V = 1, .5, .1, .02, …: below the second rank a fifth goes on, so that the sum is 1 + .5 / (1 - .2).
    ranking = (0, 0, 0, 1)
    value = measure_all(assess_grades(ranking), CWL(continuation="0.5 0.2")).cube[0, 0, 0]
    assert value == pytest.approx(0.02 / (1 + 0.5 / 0.8), abs=EXACT)


def test_its_user_goes_on_as_the_numbers_say() -> None:
    curves = user_model("CWL(continuation='0.9 0.4 1')@4", grades=[1], depth=4)["curves"]
    assert curves.cells("continues")[:3] == pytest.approx([0.9, 0.4, 1.0], abs=EXACT)


@pytest.mark.parametrize("written", ["CWL(continuation='1')", "CWL(continuation='')", "CWL(continuation='0.5 1.1')"])
def test_who_never_leaves_or_cannot_be_is_refused(written: str) -> None:
    with pytest.raises(ParameterError, match=r"CWL cannot have continuation=.*\nhint: "):
        parse_measure(written)
