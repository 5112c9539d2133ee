"""Letters by hand, and what they promise for any pattern of differences."""

import re
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from cranfield.core import ParameterError
from cranfield.stats.boards.compact_letters import groups, letters, shorten, sign


def differ(runs: int, *pairs: tuple[int, int]) -> NDArray[np.bool_]:
    """(run, run): the upper half."""
    matrix = np.zeros((runs, runs), dtype=bool)
    for a, b in pairs:
        matrix[min(a, b), max(a, b)] = True
    return matrix


def members(written: list[str]) -> list[set[str]]:
    return [set(re.findall(r"[A-Za-z]\d*", text)) for text in written]


@st.composite
def patterns(draw: st.DrawFn) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    runs = draw(st.integers(1, 9))
    means = np.array(draw(st.lists(st.floats(0, 1), min_size=runs, max_size=runs)))
    pairs = [pair for pair in combinations(range(runs), 2) if draw(st.booleans())]
    return means, differ(runs, *pairs)


@pytest.mark.parametrize(
    ("means", "pairs", "expected"),
    [
        ([3, 2, 1], [], ["a", "a", "a"]),
        ([3, 2, 1], [(0, 1), (0, 2), (1, 2)], ["a", "b", "c"]),
        ([3, 2, 1], [(0, 2)], ["a", "ab", "b"]),  # the middle one differs from neither
        ([1, 2, 3], [(0, 2)], ["b", "ab", "a"]),  # a is the best, wherever it stands
        ([3, 2, 1], [(0, 1)], ["a", "b", "ab"]),  # no chain of neighbours: the first two differ, the ends do not
        ([4, 3, 2, 1], [(0, 2), (1, 3)], ["ab", "ac", "cd", "bd"]),  # a ring
        ([5], [], ["a"]),
        ([], [], []),
    ],
)
def test_letters_by_hand(means: list[float], pairs: list[tuple[int, int]], expected: list[str]) -> None:
    assert letters(np.array(means), differ(len(means), *pairs)) == expected


@given(pattern=patterns())
def test_runs_share_a_letter_if_and_only_if_they_do_not_differ(
    pattern: tuple[NDArray[np.float64], NDArray[np.bool_]],
) -> None:
    means, significant = pattern
    written = members(letters(means, significant))
    assert all(written)
    for a, b in combinations(range(len(means)), 2):
        assert bool(written[a] & written[b]) == (not significant[a, b])


@given(pattern=patterns())
def test_no_letter_can_be_left_out_and_none_can_be_given_to_one_more(
    pattern: tuple[NDArray[np.float64], NDArray[np.bool_]],
) -> None:
    means, significant = pattern
    found = [set(group) for group in groups(means, significant)]
    either = significant | significant.T
    for place, group in enumerate(found):
        rest = found[:place] + found[place + 1 :]
        met = {frozenset((a, b)) for other in rest for a in other for b in other}
        assert any(frozenset((a, b)) not in met for a in group for b in group)
        assert all(either[run, list(group)].any() for run in set(range(len(means))) - group)


@given(pattern=patterns())
def test_letters_follow_the_means(pattern: tuple[NDArray[np.float64], NDArray[np.bool_]]) -> None:
    means, significant = pattern
    found = groups(means, significant)
    place = {int(run): i for i, run in enumerate(np.argsort(-means, kind="stable"))}
    ordered = [[place[run] for run in group] for group in found]
    assert ordered == sorted(sorted(group) for group in ordered)
    assert ordered[0][0] == 0


@given(means=st.lists(st.integers(0, 60), min_size=1, max_size=30), reach=st.integers(0, 20))
def test_one_critical_distance_gives_neighbours(means: list[int], reach: int) -> None:
    """As after Tukey: the letters of a run are neighbours, and there is one for each largest window of the means."""
    values = np.array(means, dtype=float)
    found = groups(values, np.abs(values[:, None] - values) > reach)
    windows = {tuple(sorted(i for i, x in enumerate(means) if top - reach <= x <= top)) for top in means}
    largest = {one for one in windows if not any(set(one) < set(other) for other in windows)}
    assert {tuple(sorted(group)) for group in found} == largest
    for run in range(len(means)):
        places = [place for place, group in enumerate(found) if run in group]
        assert places == list(range(places[0], places[-1] + 1))


def test_either_half_will_do() -> None:
    means, upper = np.array([3.0, 2.0, 1.0]), differ(3, (0, 2))
    assert letters(means, upper) == letters(means, upper.T) == letters(means, upper | upper.T) == ["a", "ab", "b"]
    assert letters(means, upper | np.eye(3, dtype=bool)) == ["a", "ab", "b"]


def test_patterns_with_too_many_largest_sets_to_list() -> None:
    """40 runs in 20 pairs that differ: 2^20 largest sets do not, of which few are needed."""
    runs = 40
    significant = differ(runs, *[(i, i + 1) for i in range(0, runs, 2)])
    written = members(letters(np.arange(runs, dtype=float), significant))
    for a, b in combinations(range(runs), 2):
        assert bool(written[a] & written[b]) == (not significant[a, b])
    assert len(set.union(*written)) < 40


def test_the_alphabet() -> None:
    assert [sign(place) for place in (0, 25, 26, 51, 52, 103, 104)] == ["a", "z", "A", "Z", "a1", "Z1", "a2"]
    every = [sign(place) for place in range(1000)]
    assert re.findall(r"[A-Za-z]\d*", "".join(every)) == every
    assert len(set(every)) == 1000
    means = np.arange(60.0)[::-1]
    assert letters(means, ~np.eye(60, dtype=bool)) == every[:60]


@pytest.mark.parametrize(
    ("written", "short"),
    [("", ""), ("a", "a"), ("abc", "abc"), ("abcd", "a–d"), ("abcdh", "a–d h"), ("acyzABa1b1", "a c y–B a1b1")],
)
def test_many_letters_in_short(written: str, short: str) -> None:
    assert shorten(written) == short


def test_a_pattern_of_another_size() -> None:
    with pytest.raises(ParameterError, match="3 runs, but 2 × 2 comparisons"):
        letters(np.arange(3.0), differ(2))
