"""Where words stand: no two over each other, none over a point."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.charts.label_placement import LETTER, LINE, POLE, Axis, flags, labels, rank_ticks, spread


@pytest.mark.parametrize("axis", [Axis(0, 10, 100), Axis(10, 0, 100), Axis(1, 1000, 90, log=True), Axis(9, 2, 50)])
def test_places_and_numbers_are_each_others_inverse(axis: Axis) -> None:
    assert [axis.at(axis.low), axis.at(axis.high)] == pytest.approx([0, axis.length])
    for place in (0.0, 13.0, axis.length):
        assert axis.at(axis.value(place)) == pytest.approx(place)


def test_an_axis_has_room_around_its_values() -> None:
    assert Axis.around([0.0, 100.0], 10) == Axis(-6, 106, 10)
    assert Axis.around([0.0, 100.0], 10, flip=True) == Axis(106, -6, 10)
    assert Axis.around([5.0], 10) == Axis(4.5, 5.5, 10)
    assert Axis.around([0.0], 10) == Axis(-1, 1, 10)
    log = Axis.around([1.0, 100.0], 10, log=True)
    assert [log.low, log.high] == pytest.approx([100**-0.06, 100**1.06])
    assert Axis.around([2.0], 10, log=True) == Axis(2 / 1.5, 3, 10, log=True)
    assert log.scale.to_dict()["type"] == "log"
    assert Axis(9, 2, 50).scale.to_dict()["domain"] == [2, 9]


@given(st.lists(st.floats(0, 100), min_size=1, max_size=40), st.floats(0.1, 20))
def test_places_are_spread_in_order_and_as_little_as_needed(places: list[float], gap: float) -> None:
    moved = spread(places, gap)
    order = sorted(range(len(places)), key=lambda i: places[i])
    assert all(moved[b] - moved[a] >= gap - 1e-6 for a, b in pairwise(order))
    assert sum(moved) == pytest.approx(sum(places), abs=1e-6)
    far = [25 * i for i in range(len(places))]
    assert spread(far, 20) == far


def boxes(
    rows: list[dict[str, object]], across: Axis, up: Axis, size: float
) -> list[tuple[float, float, float, float]]:
    found = []
    for row in rows:
        x, y, wide = (
            across.at(float(str(row["x"]))),
            up.at(float(str(row["y"]))),
            LETTER * size * len(str(row["label"])),
        )
        left = x - {"left": 0.0, "right": wide, "center": wide / 2}[str(row["align"])]
        found.append((left, y - LINE * size / 2, left + wide, y + LINE * size / 2))
    return found


def test_labels_cover_neither_words_nor_named_points() -> None:
    draw = np.random.default_rng(4)
    across, up = Axis(0, 100, 460), Axis(0, 100, 300)
    points = [(float(x), float(y), f"system-{i}") for i, (x, y) in enumerate(draw.uniform(5, 95, (40, 2)))]
    rows = labels(points, across, up, most=40)
    found = boxes(rows, across, up, 11)
    assert len(found) > 20
    for one, other in combinations(found, 2):
        assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
    for row, box in zip(rows, found, strict=True):
        for x, y, word in points:
            if word != row["label"]:
                assert not (box[0] < across.at(x) < box[2] and box[1] < up.at(y) < box[3])


def test_a_label_avoids_other_points_where_it_can() -> None:
    across, up = Axis(0, 100, 100), Axis(0, 100, 100)
    (free,) = labels([(50.0, 50.0, "abc")], across, up)
    assert (free["align"], round(free["x"])) == ("left", 58)
    (moved,) = labels([(50.0, 50.0, "abc")], across, up, beside=[(65.0, 50.0)])
    assert (moved["align"], round(moved["x"])) == ("right", 42)
    crowd = [(float(x), float(y)) for x in range(0, 101, 5) for y in range(0, 101, 5)]
    assert len(labels([(50.0, 50.0, "abc")], across, up, beside=crowd)) == 1
    assert labels([(50.0, 50.0, "abc")], across, up, most=0) == []


def test_a_word_without_room_is_left_out() -> None:
    across, up = Axis(0, 100, 100), Axis(0, 100, 100)
    assert labels([(50.0, 50.0, "x" * 100)], across, up) == []


@pytest.mark.parametrize("seed", range(5))
def test_flags_stand_over_the_line_and_cover_no_pole_and_no_word(seed: int) -> None:
    draw = np.random.default_rng(seed)
    across = Axis(0, 1, 460)
    x, y = np.sort(draw.uniform(0, 0.8, 30)), np.sort(draw.uniform(0, 300, 30))
    points = [(float(a), float(b), f"system number {i}") for i, (a, b) in enumerate(zip(x, y, strict=True))]
    rows = flags(points, range(30), across, size=10)
    assert 2 < len(rows) <= 12
    spans = [(across.at(r["x"]), across.at(r["x"]) + LETTER * 10 * len(r["label"]), r["top"]) for r in rows]
    for (left, right, top), (left2, right2, top2) in combinations(spans, 2):
        assert right <= left2 or right2 <= left or abs(top - top2) >= LINE * 10 - 1e-9
    for left, right, top in spans:
        over = all(top >= b + 10 for a, b, _ in points if across.at(a) <= right)
        under = left == across.at(points[0][0]) and top == points[0][1] - 10
        assert over or under
        for row in rows:  # a pole stands between its point and its word
            pole = across.at(row["x"])
            assert not (left < pole < right and row["point"] < top < row["top"])
    assert all(row["top"] - row["point"] <= POLE for row in rows)


def test_the_first_flag_does_not_seem_to_name_another_point() -> None:
    across = Axis(0, 100, 460)
    points = [(5.0, 100.0, "the first"), (8.0, 140.0, "the second"), (40.0, 290.0, "the third")]
    tops = {row["label"]: row["top"] for row in flags(points, [0, 2], across)}
    assert tops == {"the first": 90.0, "the third": 300.0}  # over the second it would be taken for that one's
    tops = {row["label"]: row["top"] for row in flags(points, [0, 1, 2], across)}
    assert tops == {"the first": 150.0 + LINE * 10, "the second": 150.0, "the third": 300.0}


def test_ranks_on_an_axis() -> None:
    assert rank_ticks(3) == [1, 2, 3]
    assert rank_ticks(20) == [1, 5, 10, 15, 20]
    assert rank_ticks(129) == [1, 20, 40, 60, 80, 100, 120]
