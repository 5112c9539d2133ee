"""Rows of a log that cannot be used, and doubtful cells: clicks, ranks and times."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from cranfield.core import CranfieldError, InputError
from cranfield.data import Log, read_log

if TYPE_CHECKING:
    from pathlib import Path

PAGES = 6
SHOWN = 1_714_557_600  # 2024-05-01 10:00 UTC


def log(**cells: Any) -> dict[str, list[Any]]:
    """Return pages of three documents; a cell is one for all rows, or a function of page and rank."""
    usual = {"impression": lambda page, _: f"i{page}", "user": lambda page, _: f"u{page}", "topic": "q"}
    usual |= {"rank": lambda _, rank: rank, "document": lambda _, rank: f"d{rank}"}
    usual |= {"clicked": lambda _, rank: int(rank == 1)}
    return {
        name: [cell(page, rank) if callable(cell) else cell for page in range(PAGES) for rank in (1, 2, 3)]
        for name, cell in (usual | cells).items()
    }


def clicks(read: Log) -> list[int]:
    """Return the number of clicks of each page."""
    return list(read.fetch(read.impressions().order_by("impression"))["clicks"])


@pytest.mark.parametrize("cell", [2, 2.0, 0.5, "2", "3.0", " 1 ", "Yes", "TRUE", True])
def test_anything_above_0_is_a_click(cell: Any) -> None:
    none = type(cell)(0) if not isinstance(cell, str) else "0"
    read = read_log(log(clicked=lambda _, rank: cell if rank == 1 else none))
    assert clicks(read) == [1] * PAGES
    assert read.excluded.rows == 0
    assert read.notes == ()


@pytest.mark.parametrize("one", [1, 1.0, "1", True])
@pytest.mark.parametrize("nan", [False, True])
def test_an_empty_cell_next_to_1_is_no_click(one: Any, nan: bool) -> None:
    import pandas as pd

    data: Any = log(clicked=lambda _, rank: one if rank == 1 else None)
    read = read_log(pd.DataFrame(data) if nan else data)
    assert clicks(read) == [1] * PAGES
    assert read.excluded.rows == 0
    assert len(read.notes) == 1
    assert str(2 * PAGES) in read.notes[0]


def test_an_empty_cell_next_to_0_and_1_excludes_its_row() -> None:
    read = read_log(log(clicked=lambda _, rank: {1: 1, 2: 0, 3: None}[rank]))
    assert read.excluded.reasons == {"neither clicked nor not": PAGES}
    assert read.notes == ()


def test_a_word_that_is_no_answer_is_not_an_empty_cell() -> None:
    read = read_log(log(clicked=lambda _, rank: "1" if rank == 1 else "perhaps"))
    assert read.excluded.reasons == {"neither clicked nor not": 2 * PAGES}


def test_pages_without_results_do_not_count_as_empty_clicks() -> None:
    nothing = dict.fromkeys(("rank", "document", "clicked"))
    usual = log()
    cells = {name: lambda page, rank, name=name: usual[name][3 * page + rank - 1] for name in nothing}
    data = log(
        **{name: lambda page, rank, cell=cell: None if page == 0 else cell(page, rank) for name, cell in cells.items()}
    )
    data = {name: [cell for place, cell in enumerate(column) if place not in (1, 2)] for name, column in data.items()}
    read = read_log(data | {"clicked": [None if cell is None else 1 for cell in data["clicked"]]})
    assert clicks(read) == [0, *[3] * (PAGES - 1)]
    assert read.notes == ()


def test_ranks_from_0_are_refused_or_read_as_such() -> None:
    data = log(rank=lambda _, rank: rank - 1)
    with pytest.raises(InputError) as caught:
        read_log(data)
    assert caught.value.code == "E-RANKS"
    assert "--ranks-from 0" in caught.value.hint
    shown, right = (
        read.fetch(read.rows.order_by(["impression", "rank"]))
        for read in (read_log(data, ranks_from=0), read_log(log()))
    )
    assert list(shown["rank"]) == list(right["rank"])
    assert shown["document"] == right["document"]
    with pytest.raises(InputError) as caught:
        read_log(log(), ranks_from=0)
    assert caught.value.code == "E-RANKS"
    with pytest.raises(CranfieldError):
        read_log(log(), ranks_from=2)


def test_a_single_rank_0_is_excluded() -> None:
    read = read_log(log(rank=lambda page, rank: 0 if page == 0 and rank == 3 else rank))
    assert read.excluded.reasons == {"rank below 1": 1}


def test_excluded_rows_are_counted_by_arm() -> None:
    read = read_log(log(arm=lambda page, _: "ab"[page % 2], user=lambda page, _: None if page == 1 else f"u{page}"))
    assert read.excluded.counts == (("no user", "b", 3),)
    assert read.excluded.arm_totals == {"a": 9, "b": 9}
    assert read.excluded.total == 18
    assert read.excluded.rows_per_page == 3
    teams = read_log(log(team=lambda _, rank: "ab"[rank % 2], user=lambda page, _: None if page == 1 else f"u{page}"))
    assert teams.excluded.arm_shares == {"a": 1 / 6, "b": 1 / 6}


@pytest.mark.parametrize(
    ("cells", "reason", "rows"),
    [
        ({"dwell": lambda page, _: -3.0 if page == 2 else 4.0}, "negative dwell", 1),
        ({"dwell": lambda _, rank: -1.0 if rank > 1 else 4.0}, "", 0),  # no click, no dwell
        (
            {"time": SHOWN, "click_time": lambda page, _: SHOWN - 3600 if page == 2 else SHOWN + 5},
            "clicked before the page was shown",
            1,
        ),
        ({"time": SHOWN + 0.9, "click_time": SHOWN}, "", 0),  # clocks are rounded to seconds
        ({"time": lambda page, _: 0 if page == 2 else SHOWN}, "time before 1990 or after 2100", 3),
        ({"time": lambda page, _: 9e9 if page == 2 else SHOWN}, "time before 1990 or after 2100", 3),
        ({"time": lambda page, _: SHOWN * (1000 if page == 2 else 1)}, "", 0),  # milliseconds next to seconds
        ({"time": lambda page, _: 10 * page}, "", 0),  # seconds of a clock without a date
        (
            {"time": lambda page, _: "2024-05-01T10:00:00" + "Z" * (page != 2)},
            "time without a time zone",
            3,
        ),
        (
            {"time": lambda page, _: "2024-05-01T10:00:00" + "+02:00" * (page == 2)},
            "time with a time zone",
            3,
        ),
        ({"time": lambda page, _: f"2024-05-0{page + 1}"}, "", 0),
        ({"time": lambda page, _: f"2024-05-01T10:00:0{page}-05:00"}, "", 0),
    ],
)
def test_impossible_times_are_excluded(cells: Any, reason: str, rows: int) -> None:
    assert read_log(log(**cells)).excluded.reasons == ({reason: rows} if reason else {})


def test_clicks_without_the_zone_of_their_pages_are_noted() -> None:
    read = read_log(log(time="2024-05-01T10:00:00Z", click_time="2024-05-01T10:00:05"))
    assert len(read.notes) == 1
    both = read_log(log(time="2024-05-01T10:00:00Z", click_time="2024-05-01T12:00:05+02:00"))
    assert both.notes == ()


def test_json_may_mix_words_and_numbers(tmp_path: Path) -> None:
    columns = log(clicked=lambda page, rank: ["no", "yes"][rank == 1] if page else int(rank == 1))
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert clicks(read_log(tmp_path / "log.jsonl")) == [1] * PAGES
