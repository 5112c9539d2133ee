"""Kendall's τ of the union of two rankings."""

from itertools import combinations
from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.core import ParameterError
from cranfield.data import read_run
from cranfield.measures import tau_union, union_by_topic

EXACT = 1e-14


def literal(a: list[int], b: list[int], depth: int) -> float:
    """breuer2020: the union without repetitions, the places of both lists in it, and τ of these."""
    n = min(len(a), len(b), depth)
    union = list(dict.fromkeys([*a[:n], *b[:n]]))
    first, second = ([union.index(document) for document in side[:n]] for side in (a, b))
    signs = [(first[j] - first[i]) * (second[j] - second[i]) for i, j in combinations(range(n), 2)]
    return sum((sign > 0) - (sign < 0) for sign in signs) / len(signs)


def test_the_example_of_the_paper() -> None:
    # [1, 2, 3] and [1, 2, 4]: another document in the last place costs nothing.
    assert tau_union(["d1", "d2", "d3"], ["d1", "d2", "d4"]) == 1


def test_what_it_says_of_rankings_worked_by_hand() -> None:
    assert tau_union("abc", "cba") == -1
    assert tau_union("abc", "bac") == pytest.approx(1 / 3)
    assert tau_union("abc", "xab") == pytest.approx(-1 / 3)  # 4, 1, 2: of three pairs two are turned round
    assert tau_union("abcd", "wxyz") == 1  # nothing is shared, and so nothing is turned round: read it beside RBO
    assert tau_union("abcdef", "bazzle"[:2]) == -1  # as far down as both go


@given(st.permutations(range(12)), st.permutations(range(12)), st.integers(2, 12), st.integers(2, 14))
def test_it_is_its_definition(a: list[int], b: list[int], length: int, depth: int) -> None:
    assert tau_union(a[:length], b[:9], depth=depth) == pytest.approx(literal(a[:length], b[:9], depth), abs=EXACT)


def test_runs_topic_by_topic() -> None:
    first = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"a": 1.0, "b": 0.5}, "3": {"a": 1.0}, "only": {"a": 1.0}}
    second = {"2": {"b": 1.0, "a": 0.5}, "1": {"a": 3.0, "c": 2.0, "b": 1.0}, "3": {"b": 1.0}}
    found = union_by_topic(read_run(first), read_run(second))
    told = dict(zip(found.cells("topic"), found["tau"], strict=True))
    assert told["1"] == pytest.approx(1 / 3)
    assert told["2"] == -1
    assert isnan(told["3"])  # one document has no order
    assert isnan(told["only"])
    assert found.cells("documents") == [3, 2, 1, 0]
    assert union_by_topic(read_run(first), read_run(second), depth=2)["tau"][0] == 1  # a, b and a, c


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(ParameterError, match="twice"):
        tau_union("aa", "ab")
    with pytest.raises(ParameterError, match="depth 0"):
        tau_union("ab", "ab", depth=0)
    with pytest.raises(ParameterError, match="no topic in common"):
        union_by_topic(read_run({"1": {"a": 1.0}}), read_run({"2": {"a": 1.0}}))
