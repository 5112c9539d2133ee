"""Values of ir_measures: a second peer, and the only one for forms that trec_eval has no name for."""

import pytest

from cranfield.measures import parse_measure

from .inputs import graded, inputs
from .reading import by_topic, golden, values_of

EXACT = 1e-12
ROUNDED = 5.1e-6  # gdeval prints five decimals

CASES = [(name, measure) for name, measures in golden("ir_measures").items() for measure in measures]


@pytest.mark.parametrize(("name", "measure"), CASES)
def test_every_topic_has_the_value_of_ir_measures(name: str, measure: str) -> None:
    theirs = golden("ir_measures")[name][measure]
    values = values_of(inputs()[name], [measure], compat="trec_eval-9")
    found = by_topic(values, parse_measure(measure))
    assert found == pytest.approx(theirs, abs=EXACT)


@pytest.mark.parametrize("measure", golden("gdeval"))
def test_every_topic_has_the_value_of_gdeval(measure: str) -> None:
    found = by_topic(values_of(graded(), [measure]), measure)
    assert found == pytest.approx(golden("gdeval")[measure], abs=ROUNDED)


def test_leaving_out_the_unjudged_makes_a_difference_in_the_input() -> None:
    theirs = golden("ir_measures")["graded"]
    for whole, condensed in (("AP", "AP(judged_only=True)"), ("nDCG", "nDCG(judged_only=True)")):
        assert all(theirs[whole][topic] < theirs[condensed][topic] for topic in theirs[whole])
