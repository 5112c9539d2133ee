"""Preferences, worked by hand."""

from pathlib import Path

import pytest

import cranfield as cf
from cranfield.core import InputError, ParameterError
from cranfield.data import read_preferences
from cranfield.measures import PREFERENCES, PrefGroup, parse_preference_measure, preference_values

# One person: a > b, a > c (b and c alike); another: b > a.
ROWS = [
    *(("t", "one", "0", "a", 2.0), ("t", "one", "0", "b", 1.0), ("t", "one", "0", "c", 1.0)),
    *(("t", "two", "0", "b", 1.0), ("t", "two", "0", "a", 0.0)),
]


def value(measure: str, ranking: str, rows: list[tuple[str, str, str, str, float]] = ROWS) -> float:
    run = {"t": {document: -float(i) for i, document in enumerate(ranking)}}
    return float(preference_values(rows, {"run": run}, [measure]).cube[0, 0, 0])


@pytest.mark.parametrize(
    ("measure", "ranking", "expected"),
    [
        ("PrefSimp", "abc", 2 / 3),  # a > b and a > c of three
        ("PrefSimp", "bac", 2 / 3),  # b > a and a > c
        ("PrefSimp", "xa", 2 / 3),  # a is there, b and c are not
        ("PrefSimp(count='both')", "xa", 0),  # no two are there
        ("PrefSimp(count='both')", "ba", 1 / 2),  # a > b is not fulfilled, b > a is
        ("PrefSimp(count='either')", "b", 1 / 2),  # a > c has neither
        ("PrefSimp", "b", 1 / 3),
        ("PrefPair", "abc", (1 / 2 + 1) / 2),  # of (a, b) one of two; of (a, c) one of one
        ("PrefPair", "b", (1 / 2 + 0) / 2),
        ("PrefPair(count='either')", "b", 1 / 2),
        ("PrefGroup", "abc", (2 / 2 + 0) / 2),
        ("PrefGroup", "bac", (1 / 2 + 1) / 2),
        ("PrefGroup(count='both')", "ac", (1 / 1 + 0) / 2),  # the second has no pair there, and 0
    ],
)
def test_values_worked_by_hand(measure: str, ranking: str, expected: float) -> None:
    assert value(measure, ranking) == pytest.approx(expected)


# One person: a and b are relevant, a more so; x, y and z are not.
JUDGED = [
    ("t", "one", "0", document, level) for document, level in zip("abxyz", (2.0, 1.0, 0.0, 0.0, 0.0), strict=True)
]
FEW = [row for row in JUDGED if row[3] in "abx"]


@pytest.mark.parametrize(
    ("measure", "ranking", "expected"),
    [
        # Of seven preferences a > b, a > x, a > y, b > x, b > y are left: z stands below the first two.
        ("PrefGroup", "xaybz", 4 / 7),
        ("PrefGroup(balanced=True)", "xaybz", 2 / 5),  # a > b and a > y
        ("PrefGroup(balanced=True)", "abzyx", 5 / 5),
        # Not retrieved stands below: x and one of the two others count, whichever.
        ("PrefGroup(balanced=True)", "xa", 2 / 5),  # a > b, and a above what is not there
        ("PrefGroup(balanced=True,count='either')", "xa", 2 / 4),  # b and the other are both not there
        # One relevant document is retrieved, so one nonrelevant one counts.
        ("PrefGroup(balanced=True,count='both')", "xay", 0 / 1),
        ("PrefGroup(balanced=True,count='both')", "axy", 1 / 1),
    ],
)
def test_as_many_nonrelevant_documents_as_relevant_ones(measure: str, ranking: str, expected: float) -> None:
    assert value(measure, ranking, JUDGED) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("measure", "ranking", "expected"),
    [
        # a > b, a > x, b > x, and two more with a document that no ranking has.
        ("PrefGroup(balanced=True)", "xab", (1 + 2) / 5),
        ("PrefGroup(balanced=True)", "xb", 1 / 5),  # b stands above what nobody retrieves; a is not there
        ("PrefGroup(balanced=True,count='either')", "xb", 1 / (3 + 1)),
        ("PrefGroup(balanced=True,count='both')", "ab", (1 + 2 * 2) / (1 + 2 * 2)),
        ("PrefGroup(balanced=True,count='both')", "xb", 0 / 1),
    ],
)
def test_nonrelevant_documents_that_lack_are_made_up(measure: str, ranking: str, expected: float) -> None:
    assert value(measure, ranking, FEW) == pytest.approx(expected)


def test_groups_are_balanced_one_by_one() -> None:
    other = [("t", "two", "0", "x", 1.0), ("t", "two", "0", "a", 0.0)]
    assert value("PrefGroup(balanced=True)", "xaybz", [*JUDGED, *other]) == pytest.approx((2 / 5 + 1) / 2)


def test_what_follows_from_two_parts_counts() -> None:
    rows = [("t", "g", "0", "a", 2.0), ("t", "g", "0", "b", 1.0), ("t", "g", "1", "b", 5.0), ("t", "g", "1", "c", 0.0)]
    assert read_preferences(rows).wins["t"].sum() == 3  # a > b, b > c, and so a > c
    assert value("PrefSimp", "acb", rows) == pytest.approx(2 / 3)


def test_values_are_tested_as_others_are() -> None:
    rows = [(topic, "g", "0", document, level) for topic in "12345" for document, level in (("a", 1.0), ("b", 0.0))]
    good = {topic: {"a": 2.0, "b": 1.0} for topic in "12345"}
    bad = {topic: {"b": 2.0, "a": 1.0} for topic in "1234"}
    values = preference_values(rows, {"good": good, "bad": bad}, "PrefSimp")
    assert values.matrix("PrefSimp").tolist() == [[1.0, 0.0]] * 5
    assert values.missing.sum() == 1
    assert cf.test(values, "sign")["tests"].rows()[0]["p"] == pytest.approx(2 / 2**5)


def test_what_contradicts_itself_is_refused() -> None:
    circle = [
        ("t", "g", "0", "a", 1.0),
        ("t", "g", "0", "b", 0.0),
        ("t", "g", "1", "b", 1.0),
        ("t", "g", "1", "a", 0.0),
    ]
    with pytest.raises(InputError, match="contradicts itself"):
        read_preferences(circle)
    with pytest.raises(InputError, match="two levels"):
        read_preferences([("t", "g", "0", "a", 1.0), ("t", "g", "0", "a", 0.0)])
    with pytest.raises(InputError, match="no preferences"):
        read_preferences([])
    with pytest.raises(ParameterError, match="rows or a file"):
        preference_values({"t": {"a": 1}}, {"run": {"t": {"a": 1.0}}})


@pytest.mark.parametrize(("line", "said"), [("t g a", "3 fields"), ("t g 0 a high", '"high" is not a number')])
def test_lines_that_cannot_be_read_are_named(line: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "prefs.txt").write_text(f"t g 0 b 1\n{line}\n")
    with pytest.raises(InputError, match=said) as caught:
        read_preferences(tmp_path / "prefs.txt")
    assert caught.value.line == 2


def test_the_catalogue_goes_round() -> None:
    made = [cls(count=count) for cls in PREFERENCES for count in ("all", "either", "both")]
    for one in [*made, PrefGroup(balanced=True), PrefGroup(balanced=True, count="both")]:
        assert parse_preference_measure(str(one)) == one
