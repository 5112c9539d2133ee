"""Splits of topics: drawn, written, read, refused."""

import json
from pathlib import Path

import numpy as np
import pytest

from cranfield.core import ParameterError
from cranfield.data import Splits, draw_splits, read_splits, write_splits
from tests.support.expected_errors import check

SHAPE = "expected a list of pairs of lists of topic positions, from 0: [[[0, 2], [1, 3]], …]"


def halves(splits: Splits) -> list[list[list[int]]]:
    return [[half.tolist() for half in pair] for pair in splits.halves]


@pytest.mark.parametrize(("topics", "first", "second"), [(2, 1, 1), (7, 4, 3), (50, 25, 25), (51, 26, 25)])
def test_every_topic_is_in_one_half_and_an_odd_one_in_the_first(topics: int, first: int, second: int) -> None:
    splits = draw_splits(topics, 30, seed=5)
    assert len(splits) == 30
    for one, other in halves(splits):
        assert (len(one), len(other)) == (first, second)
        assert sorted(one + other) == list(range(topics))
        assert one == sorted(one)


def test_the_seed_decides_and_more_splits_begin_with_the_same() -> None:
    many = halves(draw_splits(20, 130, seed=1))
    assert halves(draw_splits(20, 70, seed=1)) == many[:70]
    assert halves(draw_splits(20, 130, seed=2)) != many
    assert len({str(pair) for pair in many}) > 120  # of 184,756 halves


def test_a_hundred_splits_by_default() -> None:
    assert len(draw_splits(8)) == 100
    assert repr(draw_splits(8)) == "Splits(100 of 8 topics)"


def test_every_topic_is_as_often_in_the_first_half() -> None:
    often = draw_splits(10, 4000, seed=3).members()[:4000].mean(axis=0)
    # A share of 4,000 with chance 1/2 has a standard error of .0079; ten topics, five of them.
    assert np.abs(often - 0.5).max() < 0.04


def test_members_are_the_first_halves_and_then_the_second() -> None:
    splits = Splits(4, ((np.array([0, 3], np.int32), np.array([1], np.int32)), (np.array([1, 2]), np.array([0, 3]))))
    assert splits.members().astype(int).tolist() == [[1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 0, 0], [1, 0, 0, 1]]


def test_what_is_written_is_read(tmp_path: Path) -> None:
    splits = draw_splits(9, 12, seed=4)
    write_splits(splits, tmp_path / "s.json")
    again = read_splits(tmp_path / "s.json", 9)
    assert halves(again) == halves(splits)
    assert json.loads((tmp_path / "s.json").read_text()) == halves(splits)
    assert again.source is not None
    assert (again.source.kind, again.source.name) == ("splits", str(tmp_path / "s.json"))
    other = draw_splits(9, 12, seed=5)
    write_splits(other, tmp_path / "t.json")
    read = read_splits(tmp_path / "t.json", 9).source
    assert read is not None
    assert read.digest != again.source.digest


def test_halves_need_not_hold_every_topic_nor_stand_in_order(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text("[[[3, 0], [1]]]")
    assert halves(read_splits(tmp_path / "s.json", 6)) == [[[0, 3], [1]]]


REFUSED = {
    "{}": ("E-SPLIT", "JSON of this shape holds no splits", SHAPE),
    "[]": ("E-SPLIT", "there is no split", SHAPE),
    "[[[0], [1]], [[0], [1], [2]]]": ("E-SPLIT", "split 2 is not a pair of lists", SHAPE),
    "[[[0], 1]]": ("E-SPLIT", "split 1 is not a pair of lists", SHAPE),
    "[[0, 1], [2, 3]]": ("E-SPLIT", "split 1 is not a pair of lists", SHAPE),
    "[3]": ("E-SPLIT", "split 1 is not a pair of lists", SHAPE),
    "[[[0, 1], []]]": ("E-SPLIT", "the second half of split 1 is empty", "give every half a topic or more"),
    "[[[], [0]]]": ("E-SPLIT", "the first half of split 1 is empty", "give every half a topic or more"),
    "[[[0, 1], [2, 1]]]": (
        "E-SPLIT",
        "topic position 1 is in both halves of split 1",
        "put every topic into one half, once",
    ),
    "[[[0], [1]], [[2, 2], [1]]]": (
        "E-SPLIT",
        "topic position 2 is in the first half of split 2 twice",
        "put every topic into one half, once",
    ),
}
NO_POSITION = "positions are whole numbers from 0 to 3: there are 4 topics"
REFUSED |= {
    f"[[[0], [{cell}]]]": ("E-SPLIT", f"{cell} in the second half of split 1 is no topic position", NO_POSITION)
    for cell in ("4", "-1", "1.0", "true", "null", '"301"', "[2]", "NaN")
}


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "s.json"
    file.write_text(text)
    code, problem, hint = REFUSED[text]
    check(lambda: read_splits(file, 4), code, f"{file}: {problem}", hint)


def test_what_is_no_json_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "s.json"
    file.write_text("[[[0],\n [1]]")
    problem = f"{file}:2: this is not JSON: Expecting ',' delimiter"
    check(lambda: read_splits(file, 4), "E-JSON", problem, SHAPE)
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match="this is not JSON"):
        read_splits(file, 4)
    file.write_text("[" * 100_000)
    with pytest.raises(ValueError, match="this is not JSON"):
        read_splits(file, 4)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    file = tmp_path / "s.json"
    check(lambda: read_splits(file, 4), "E-MISSING", f"{file}: there is no such file", "check the name of the file")
    check(
        lambda: read_splits(tmp_path, 4),
        "E-READ",
        f"{tmp_path}: reading failed: Is a directory",
        "name a file of splits",
    )


@pytest.mark.parametrize(
    ("topics", "splits", "problem"),
    [
        (1, 5, "1 topic cannot be split in two"),
        (0, 5, "0 topics cannot be split in two"),
        (4, 0, "there cannot be 0 splits"),
    ],
)
def test_what_cannot_be_drawn(topics: int, splits: int, problem: str) -> None:
    with pytest.raises(ParameterError) as caught:
        draw_splits(topics, splits)
    assert caught.value.problem == problem
