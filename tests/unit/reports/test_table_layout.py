"""Tables as a page has room for them."""

from cranfield.core import Table
from cranfield.reports.table_layout import first_rows, lay

NOTES = ["paired t, n − 1 degrees of freedom", "exact binomial, ties left out"]
TESTS = Table(
    {
        "a": ["bm25"] * 4,
        "b": ["dense", "dense", "fused", "fused"],
        "test": ["t", "sign"] * 2,
        "difference": [0.1, 0.2, 0.3, 0.4],
        "p": [0.01, 0.02, 0.03, 0.04],
        "low": [0.0, 0.1, 0.2, 0.3],
        "high": [0.2, 0.3, 0.4, 0.5],
        "note": NOTES * 2,
    },
    "tests",
    notes=("careful",),
    best=frozenset({(3, "difference"), (0, "a")}),
)


def test_what_every_row_says_is_said_once() -> None:
    laid = lay(TESTS)
    assert laid.same == (("a", "bm25"),)
    assert "a" not in laid.table.columns
    assert laid.table.best == {(3, "difference")}


def test_numbers_that_are_the_same_or_do_not_exist_stay() -> None:
    table = Table({"x": ["p", "q"], "n": [25, 25], "p": [None, None], "note": [None, "x"]})
    assert lay(table).table.columns == ("x", "n", "p", "note")


def test_columns_in_which_nobody_wrote_anything_are_left_out() -> None:
    table = Table({"x": ["p", "q"], "group": [None, None], "note": ["", ""], "y": [1, 2]})
    assert lay(table).table.columns == ("x", "y")
    assert lay(table, ("x", "group")).table.columns == ("x", "group")
    assert lay(Table({"a": [], "b": []})).table.columns == ("a", "b")


def test_two_columns_are_always_left() -> None:
    assert lay(Table({"a": ["x"], "b": ["y"], "c": ["z"]})).table.columns == ("b", "c")
    assert lay(Table({"a": ["x", "x"], "b": ["y", "y"]})).same == ()


def test_ends_stand_beside_the_number_between_them() -> None:
    assert lay(TESTS).table.ends == {"difference": ("low", "high")}
    ranks = Table(
        {"run": ["x"], "mean": [1.0], "low": [0.5], "high": [2.0], "rank": [3], "rank_low": [2], "rank_high": [4]}
    )
    assert lay(ranks).table.ends == {"mean": ("low", "high"), "rank": ("rank_low", "rank_high")}


def test_low_and_high_that_are_no_ends_stay_columns() -> None:
    boxes = Table({"run": ["x"], "mean": [1.0], "low": [0.0], "q1": [0.5], "high": [2.0]})
    assert lay(boxes).table.ends == {}
    alone = Table({"run": ["x"], "low": [0.0], "high": [2.0]})
    assert lay(alone).table.ends == {}


def test_ends_that_a_table_names_itself_are_kept() -> None:
    table = Table({"v": [1.0], "from": [0.0], "to": [2.0]}, ends={"v": ("from", "to")})
    assert lay(table).table.ends == {"v": ("from", "to")}
    assert lay(table, ("v", "from")).table.ends == {}


def test_long_texts_that_come_again_stand_below() -> None:
    laid = lay(TESTS)
    assert laid.below == (f"note 1: {NOTES[0]}", f"note 2: {NOTES[1]}")
    assert laid.table.cells("note") == ["1", "2", "1", "2"]


def test_texts_that_are_short_or_different_stay_in_their_rows() -> None:
    short = Table({"x": [1, 2, 3, 4], "note": ["exact", "drawn"] * 2})
    assert lay(short).below == ()
    own = Table({"x": [1, 2, 3], "note": [f"a text of some length, of row {i}" for i in range(3)]})
    assert lay(own).below == ()
    some = Table({"x": [1, 2, 3, 4], "note": [NOTES[0], None] * 2})
    assert lay(some).below == ()


def test_columns_can_be_chosen() -> None:
    assert lay(TESTS, ("p", "test", "b")).table.columns == ("p", "test", "b")


def test_on_paper_the_words_are_in_caption_and_notes() -> None:
    paper = lay(TESTS).on_paper()
    assert paper.caption == "tests (a: bm25)"
    assert paper.notes == (f"note 1: {NOTES[0]}", f"note 2: {NOTES[1]}", "careful")
    assert lay(Table({"x": [1]}, "plain")).on_paper().caption == "plain"


def test_the_first_rows_keep_their_marks() -> None:
    part = first_rows(TESTS, 3)
    assert len(part) == 3
    assert part.best == {(0, "a")}
    assert first_rows(TESTS, 4) is TESTS
