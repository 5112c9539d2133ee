"""What reading takes, from the times of a log: by hand, and of made-up readers whose speed is known."""

from __future__ import annotations

import random
from typing import Any

import pytest

from cranfield.core import ParameterError
from cranfield.data import read_lengths, read_log, read_qrels
from cranfield.online import calibrate_measure, read_pages, read_times

SUMMARY, OPENING, READING = 3.0, 8.0, 0.05  # seconds, and for each word
WORDS = {f"d{place}": 100.0 * (1 + place) for place in range(20)}
QRELS = {"q": {document: int(place % 3 == 0) for place, document in enumerate(WORDS)}}


def log_of(pages: int, *, seed: int = 1) -> dict[str, list[Any]]:
    """Readers who look at every summary from the top, click one in four, and read it at one speed, give or take."""
    draw = random.Random(seed)
    rows = []
    for page in range(pages):
        at = start = 1_714_521_600.0 + 10_000 * page
        for rank, document in enumerate(draw.sample(sorted(WORDS), 5), 1):
            at += SUMMARY * draw.uniform(0.5, 1.5)
            clicked = draw.random() < 0.25
            dwell = max(0.5, OPENING + READING * WORDS[document] + draw.gauss(0, 4)) if clicked else None
            same = (f"i{page}", f"u{page % 9}", start, "q", rank, document, int(clicked))
            rows.append((*same, at if clicked else None, dwell))
            at += dwell or 0.0
    names = ("impression", "user", "time", "topic", "rank", "document", "clicked", "click_time", "dwell")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def values(found: Any) -> dict[str, Any]:
    return {one.parameter: one for one in found.estimates}


def test_the_speed_of_readers_is_found_again() -> None:
    log = read_log(log_of(2000))
    times = read_times(log, read_lengths(WORDS))
    found = calibrate_measure("TBG", read_pages(log), qrels=read_qrels(QRELS), times=times)
    told = values(found)
    for name, true in (("summary", SUMMARY), ("opening", OPENING), ("reading", READING)):
        # 95 % intervals, widened to what one in ten thousand would miss: 3.89 / 1.96 of the half.
        half = 2 * (told[name].high - told[name].value)
        assert abs(told[name].value - true) < half, name
        assert f"{name}={round(told[name].value, 4)}" in str(found)
    assert found.notes == ()


def test_times_by_hand() -> None:
    """Two pages: a click on rank 2 after 8 seconds, and one on rank 1 after 3 with another on rank 3."""
    columns = {
        "impression": ["i", "i", "j", "j", "j"],
        "user": ["u", "u", "v", "v", "v"],
        "topic": ["q"] * 5,
        "rank": [1, 2, 1, 2, 3],
        "document": ["a", "b", "c", "d", "e"],
        "clicked": [0, 1, 1, 0, 1],
        "time": [100.0, 100.0, 200.0, 200.0, 200.0],
        "click_time": [None, 108.0, 203.0, None, 240.0],
    }
    times = read_times(read_log(columns), read_lengths({"c": 500, "x": 1}))
    assert times.summary is not None
    assert times.summary.tolist() == [3 / 1, 8 / 2]
    # b and e are the last sign of their users: nobody knows how long they took. c was read until the next click.
    assert times.dwell is not None
    assert [column.tolist() for column in times.dwell] == [[500.0], [37.0]]
    assert times.notes == ()
    logged = read_log(columns | {"dwell": [None, 9.0, 12.0, None, 20.0]})
    times = read_times(logged, read_lengths({"b": 50, "c": 500}))
    assert times.dwell is not None
    assert [column.tolist() for column in times.dwell] == [[50.0, 500.0], [9.0, 12.0]]
    assert times.notes == ("33.3% of the documents read are left out: nobody knows how long they are",)


def test_what_is_missing_is_said() -> None:
    columns = log_of(20)
    assert read_times(read_log(columns)).notes == (
        "reading and opening are as published: give the lengths of documents",
    )
    for name in ("dwell", "click_time", "time"):
        del columns[name]
    bare = read_times(read_log(columns), read_lengths(WORDS))
    assert (bare.summary, bare.dwell) == (None, None)
    assert bare.notes == (
        "summary is as published: the log has no time and click_time",
        "reading and opening are as published: the log has no dwell",
    )
    with pytest.raises(ParameterError, match="has the length of no document that was read"):
        read_times(read_log(log_of(20)), read_lengths({"other": 7}))
