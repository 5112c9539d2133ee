"""The enumerations everything speaks in."""

from cranfield.core import Direction, Scale, Ties


def test_scales_are_ordered_and_print_as_words() -> None:
    assert [str(scale) for scale in sorted(Scale)] == ["nominal", "ordinal", "interval", "ratio"]
    assert f"{Scale.INTERVAL}" == "interval"
    assert Scale.ORDINAL < Scale.INTERVAL


def test_directions_and_ties_are_their_words() -> None:
    assert [*Direction] == ["higher", "lower"]
    assert [*Ties] == ["trec", "docno-asc", "input", "rank", "average", "bounds"]
