"""Order of topics by name."""

import pytest

from cranfield.data.topics.topic_order import natural_order


@pytest.mark.parametrize(
    "names",
    [
        [],
        ["1", "2", "10", "100"],
        ["01", "1", "2"],
        ["a", "q02", "q2", "q10", "q10b"],
        ["31_1", "31_2", "31_10", "32_1"],
        ["9" * 30, "1" + "0" * 30],  # more than 64 bits
    ],
)
def test_digits_are_compared_as_numbers(names: list[str]) -> None:
    reverse = names[::-1]
    assert [reverse[i] for i in natural_order(reverse)] == names
