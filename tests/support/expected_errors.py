"""Check that an error has the expected code, message and hint."""

from collections.abc import Callable

import pytest

from cranfield.core import InputError

IDS = "ids are text or whole numbers, one in every row"
NUMBER = "every grade is a number"
TABLE = "give a file name, a frame with columns topic, document and grade, or a dict of dicts"


def check(make: Callable[[], object], code: str, problem: str, hint: str) -> InputError:
    with pytest.raises(InputError) as caught:
        make()
    assert str(caught.value) == f"{problem}\nhint: {hint}"
    assert caught.value.code == code
    return caught.value
