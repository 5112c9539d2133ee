"""Pages and cells from rows of a log."""

from typing import Any

import numpy as np
import pytest

from cranfield.core import ParameterError
from cranfield.online import Cells, Pages, Pairs
from tests.support.simulations.click_logs import drawn, written

ROWS: tuple[Any, ...] = (
    [1, 1, 2, 2, 3],
    ["t", "t", "t", "t", "u"],
    [1, 2, 2, 1, 1],
    ["a", "b", "b", "a", "a"],
    [0, 1, 1, 0, 1],
)


def test_the_same_page_with_the_same_clicks_stands_once() -> None:
    pages = Pages.from_rows(*ROWS)
    found = {
        tuple(
            (
                pages.pairs.topics[pages.pairs.topic[pair]],
                pages.pairs.documents[pages.pairs.document[pair]],
                bool(click),
            )
            for pair, click in zip(page, clicks, strict=True)
            if pair >= 0
        ): count
        for page, clicks, count in zip(pages.pair.tolist(), pages.clicked.tolist(), pages.count.tolist(), strict=True)
    }
    assert found == {(("t", "a", False), ("t", "b", True)): 2, (("u", "a", True),): 1}
    assert pages.impressions == 3
    assert pages.last.tolist() == [2, 1]
    assert repr(pages) == "Pages(2 distinct of 3 impressions)"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({2: [1, 2, 2, 2, 1]}, "impression 2 has rank 2 twice"),
        ({2: [1, 3, 2, 1, 1]}, "impression 1 has rank 3 but 2 documents"),
        ({2: [1, 0, 2, 1, 1]}, "impression 1 has rank 0 but 2 documents"),
        ({2: [1, 1.5, 2, 1, 1]}, "rank is not a whole number"),
        ({2: [1, None, 2, 1, 1]}, "rank is not a whole number"),
        ({2: ["first", 2, 2, 1, 1]}, "rank is not a number"),
        ({4: [0, 1, 1, 0, float("nan")]}, "clicked is not a whole number"),
        ({4: [0, 1, 2, 0, 1]}, "clicked is neither 0 nor 1"),
        ({1: ["t", "u", "t", "t", "u"]}, "impression 1 has two topics"),
        ({3: ["a", None, "b", "a", "a"]}, "a name is missing"),
        ({5: [2, 3, 1, 1, 1]}, "impression is counted in two ways"),
        ({5: [2, 2, 0, 0, 1]}, "seen by nobody"),
        ({0: [1, 1, "1", "1", 3]}, "written alike"),
        ({0: [1, 1]}, "rows"),
        ({index: [] for index in range(5)}, "rows"),
    ],
)
def test_a_bad_log_is_refused(change: dict[int, list[object]], message: str) -> None:
    rows = [change.get(index, column) for index, column in enumerate([*ROWS, None])]
    with pytest.raises(ParameterError, match=message):
        Pages.from_rows(*rows)


def test_bad_pages_are_refused() -> None:
    pairs = Pairs.groups(["a", "b"])
    one, no = np.ones(1), np.zeros((1, 2), dtype=np.bool_)
    with pytest.raises(ParameterError, match="gap"):
        Pages(pairs, np.array([[-1, 0]]), no, one)
    with pytest.raises(ParameterError, match="below the end"):
        Pages(pairs, np.array([[0, -1]]), ~no, one)
    with pytest.raises(ParameterError, match="not known"):
        Pages(pairs, np.array([[0, 2]]), no, one)
    with pytest.raises(ParameterError, match="nobody"):
        Pages(pairs, np.array([[0, 1]]), no, np.array([np.nan]))
    with pytest.raises(ParameterError, match="do not fit"):
        Pages(pairs, np.array([[0, 1]]), no, np.ones(2))
    with pytest.raises(ParameterError, match="no result page"):
        Pages(pairs, np.empty((0, 2), dtype=np.int64), np.empty((0, 2), dtype=np.bool_), np.empty(0))


def test_ranks_that_no_page_has_are_cut_off() -> None:
    pages = written("1 A b c", "1 a", "2 B a")
    assert pages.kept(pages.pair[:, 2] < 0).depth == 2
    assert pages.kept(pages.pair[:, 1] < 0).clicked.shape == (1, 1)


def test_bad_cells_and_pairs_are_refused() -> None:
    pairs, one = Pairs.groups(["a"]), np.ones(1)
    first, none = np.array([1]), np.array([0])
    with pytest.raises(ParameterError, match="more clicks"):
        Cells(pairs, none, first, none, one, one + 1, after_click=False)
    with pytest.raises(ParameterError, match="a rank is below 1"):
        Cells(pairs, none, first, first, one, one, after_click=True)
    with pytest.raises(ParameterError, match="pair 1"):
        Cells(pairs, first, first, none, one, one, after_click=False)
    with pytest.raises(ParameterError, match="differ"):
        Cells(pairs, none, first, none, np.ones(2), one, after_click=False)
    with pytest.raises(ParameterError, match="no cells"):
        Cells(pairs, none[:0], none[:0], none[:0], one[:0], one[:0], after_click=False)
    with pytest.raises(ParameterError, match="number the documents"):
        Pairs(("t",), ("a",), none, first)
    with pytest.raises(ParameterError, match="do not fit"):
        Pairs(("t",), ("a",), none, np.zeros(2, dtype=np.int64))


def test_cells_count_pairs_at_ranks() -> None:
    pages = written("2 A b", "1 a B", "1 b A")
    cells = pages.cells()
    rows = {
        (pages.pairs.documents[pair], rank): (shown, clicked)
        for pair, rank, shown, clicked in zip(
            cells.pair.tolist(), cells.rank.tolist(), cells.shown.tolist(), cells.clicked.tolist(), strict=True
        )
    }
    assert rows == {("a", 1): (3, 2), ("a", 2): (1, 1), ("b", 1): (1, 0), ("b", 2): (3, 1)}
    assert cells.impressions == 4
    assert cells.depth == 2


def test_counted_rows_stand_for_many() -> None:
    pages = Pages.from_rows(*ROWS[:5], count=[4, 4, 2, 2, 5])  # type: ignore[misc]
    assert sorted(pages.count.tolist()) == [5, 6]


def test_cells_come_from_columns() -> None:
    cells = Cells.from_rows(["t", "u"], ["a", "a"], [1, 2], [3, 4], [1, 0], [0, 1])
    assert cells.pairs.names() == ["t a", "u a"]
    assert (cells.after_click, cells.impressions, cells.previous.tolist()) == (True, 3, [0, 1])
    assert not Cells.from_rows(["t"], ["a"], [1], [3], [1]).after_click


def test_cells_know_the_last_click_above() -> None:
    pages = written("1 A b C d", "1 a b c d", "2 A B c d")
    cells = pages.cells(after_click=True)
    wanted = pages.pairs.documents.index("d")
    of_d = cells.pair == wanted
    assert dict(zip(cells.previous[of_d].tolist(), cells.shown[of_d].tolist(), strict=True)) == {0: 1, 2: 2, 3: 1}


def test_rows_and_counts_are_the_same_pages() -> None:
    pages = written("3 A b", "2 a b")
    rows = pages.row_level()
    assert len(rows) == 5
    again = rows.distinct()
    assert sorted(again.count.tolist()) == [2, 3]
    with pytest.raises(ParameterError, match="fractions"):
        Pages(pages.pairs, pages.pair, pages.clicked, pages.count / 2).row_level()


def test_groups_stand_for_documents_of_all_topics() -> None:
    pages = Pages.from_rows(*ROWS)
    names = pages.pairs.names()
    grade = np.array([{"t a": 0, "t b": 1, "u a": 1}[name] for name in names])
    grouped = pages.grouped(grade, ["poor", "good"])
    assert grouped.pairs.names() == ["any poor", "any good"]
    assert sorted(zip(grouped.pair.tolist(), grouped.count.tolist(), strict=True)) == [([0, 1], 2.0), ([1, -1], 1.0)]
    with pytest.raises(ParameterError, match="groups"):
        pages.grouped(grade, ["poor"])


def test_pairs_are_found_by_name() -> None:
    mine, _ = Pairs.of(["t", "t", "u"], ["a", "b", "a"])
    other, _ = Pairs.of(["u", "v", "t", "u"], ["a", "a", "b", "b"])
    found = mine.find(other)
    told = {name: mine.names()[at] if at >= 0 else None for name, at in zip(other.names(), found.tolist(), strict=True)}
    assert told == {"u a": "u a", "v a": None, "t b": "t b", "u b": None}


def test_a_split_keeps_every_impression_once() -> None:
    pages = drawn(count=300)
    learn, test = pages.split(0.7, seed=1)
    assert learn.impressions + test.impressions == pages.impressions
    assert abs(learn.impressions - 210) < 5 * np.sqrt(300 * 0.7 * 0.3)
    with pytest.raises(ParameterError, match="share"):
        pages.split(1.0)
