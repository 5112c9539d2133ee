"""Pairs of topics and documents."""

from cranfield.online import Pairs


def test_pairs_are_sorted_by_name_whatever_their_numbers() -> None:
    pairs, _ = Pairs.of(["u", "t", "t", "u"], ["b", "c", "a", "a"])
    named, former = pairs.by_name()
    assert named.names() == ["t a", "t c", "u a", "u b"]
    assert [pairs.names()[one] for one in former] == named.names()
