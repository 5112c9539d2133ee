"""A kernel is shown only documents that can make a difference: the others, shown too, make none."""

import numpy as np
import pytest
from hypothesis import given

from tests.support.properties.measure_cases import NAMES, assessed_for, cases
from tests.support.properties.topic_strategies import Topic, topics


@pytest.mark.parametrize("name", NAMES)
@given(topic=topics(rankings=2, documents=12))
def test_what_a_measure_is_not_shown_would_make_no_difference(name: str, topic: Topic) -> None:
    assessed = assessed_for(name, topic)
    for measure in cases(name):
        everything = np.full(len(assessed.retrieved), np.nan)
        for block in assessed.blocks():
            everything[block.row] = measure.kernel(block)
        shown = assessed.map([measure])[:, :, 0].reshape(-1)
        # Sums over more zeros may round otherwise in the last bit.
        np.testing.assert_allclose(shown, everything, rtol=1e-14, atol=0, err_msg=str(measure))
