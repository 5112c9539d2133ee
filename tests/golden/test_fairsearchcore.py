"""FA*IR's tables beside those of its authors."""

import pytest

from cranfield.measures._parity import fewest

from .reading import golden


@pytest.mark.parametrize("named", golden("fairsearchcore"))
def test_prefixes_may_hold_as_few_of_the_group(named: str) -> None:
    share, level = map(float, named.split())
    theirs = golden("fairsearchcore")[named]
    assert fewest(len(theirs), share, level).tolist() == theirs
