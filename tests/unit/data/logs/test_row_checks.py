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
    read = read_log(log(rank=lambda page, rank: 0 if page == 0 and rank == 1 else rank))
    assert read.excluded.reasons == {"rank below 1": 1}


def test_pages_with_ranks_from_0_are_excluded_as_a_whole() -> None:
    """On such a page the second document has rank 1."""
    read = read_log(log(rank=lambda page, rank: rank - 1 if page == 4 else rank))
    assert read.excluded.reasons == {"rank below 1": 1, "ranks of a page from 0": 2}
    assert set(read.fetch(read.rows)["impression"]) == {"i0", "i1", "i2", "i3", "i5"}


def test_excluded_rows_are_counted_by_arm() -> None:
    read = read_log(log(arm=lambda page, _: "ab"[page % 2], user=lambda page, _: None if page == 1 else f"u{page}"))
    assert read.excluded.counts == (("no user", "b", 3),)
    assert read.excluded.arm_totals == {"a": 9, "b": 9}
    assert read.excluded.total == 18
    assert read.excluded.rows_together == 3
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
        ({"time": lambda page, _: "2024-05-01" + "T10:00:00" * (page != 2)}, "time without a time of day", 3),
        ({"time": lambda page, _: "2024-05-01" + " 10:00" * (page == 2)}, "time with a time of day", 3),
        (  # words for a missing cell
            {"time": "2024-05-01T10:00:00Z", "click_time": lambda _, rank: ["null", "2024-05-01T10:00:05Z"][rank == 1]},
            "",
            0,
        ),
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


def test_dates_of_pages_next_to_times_of_clicks_are_noted() -> None:
    """The time to the first click would be 10 hours."""
    (note,) = read_log(log(time="2024-05-01", click_time="2024-05-01T10:00:05")).notes
    assert note.startswith("time has dates without a time of day")
    assert read_log(log(time="2024-05-01")).notes == ()


def test_json_may_mix_words_and_numbers(tmp_path: Path) -> None:
    columns = log(clicked=lambda page, rank: ["no", "yes"][rank == 1] if page else int(rank == 1))
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert clicks(read_log(tmp_path / "log.jsonl")) == [1] * PAGES


@pytest.mark.parametrize("word", ["null", "NULL", "NaN", "None", "N/A", " ", "undefined", "-", r"\N"])
def test_a_word_for_a_missing_user_is_no_user(word: str) -> None:
    """Such users would be one user in all arms."""
    read = read_log(log(user=lambda page, _: word if page == 2 else f"u{page}"))
    assert read.excluded.reasons == {"no user": 3}


def test_a_query_may_be_any_word() -> None:
    assert read_log(log(topic="null")).excluded.rows == 0


def test_blanks_around_names_do_not_matter() -> None:
    read = read_log(log(arm=lambda page, _: "ab"[page % 2] + " " * (page % 3), user=lambda page, _: f" u{page % 2}"))
    assert read.excluded.arm_totals == {"a": 9, "b": 9}
    assert set(read.fetch(read.rows)["user"]) == {"u0", "u1"}


@pytest.mark.parametrize(
    ("cells", "reason", "rows"),
    [
        ({"dwell": lambda page, _: float("inf") if page == 2 else 4.0}, "unreadable dwell", 1),
        ({"dwell": lambda page, _: "12 s" if page == 2 else "4"}, "unreadable dwell", 1),
        ({"dwell": lambda page, rank: "12 s" if rank > 1 else "-"}, "", 0),  # no click, no dwell
        ({"click_time": lambda page, _: "later" if page == 2 else "2024-05-01"}, "unreadable click_time", 1),
        ({"revenue": lambda page, _: "1,50" if page == 2 else "-"}, "unreadable revenue", 3),
        ({"converted": lambda page, _: "perhaps" if page == 2 else "no"}, "unreadable converted", 3),
    ],
)
def test_unreadable_cells_are_excluded(cells: Any, reason: str, rows: int) -> None:
    assert read_log(log(**cells)).excluded.reasons == ({reason: rows} if reason else {})


def test_pages_that_start_at_different_ranks_are_refused() -> None:
    """Neither ranks from 0 nor ranks from 1 would read both arms."""
    with pytest.raises(InputError) as caught:
        read_log(log(rank=lambda page, rank: rank - page % 2))
    assert caught.value.code == "E-RANKS"
    assert "--ranks-from" not in caught.value.hint


def test_rows_of_a_user_are_excluded_together() -> None:
    """Of two users 3 and 9 rows: Σ r² / Σ r = (9 + 81) / 12."""
    who = {0: "a", 1: "b", 2: "b", 3: "b", 4: "c", 5: "d"}
    data = log(
        user=lambda page, _: who[page],
        clicked=lambda page, rank: None if page < 4 else int(rank == 1),
        arm=lambda page, _: "AB"[page in (0, 4)],
    )
    assert read_log(data).excluded.rows_together == pytest.approx((9 + 81) / 12)


def test_times_of_types_without_the_same_zone_are_noted() -> None:
    import polars as pl

    shown = pl.Series([SHOWN] * 18).cast(pl.Int64) * 1_000_000
    times = {
        "time": shown.cast(pl.Datetime("us", "Europe/Berlin")),
        "click_time": (shown + 5_000_000).cast(pl.Datetime("us")),
    }
    assert len(read_log(pl.DataFrame(log() | times)).notes) == 1
    alike = {name: column.cast(pl.Datetime("us", "UTC")) for name, column in times.items()}
    assert read_log(pl.DataFrame(log() | alike)).notes == ()


def test_click_times_of_documents_without_a_click_do_not_matter() -> None:
    """Each page has two clicks, whose times have a date, and one document without, whose time is 0: 1970."""

    def clicked(_: int, rank: int) -> int:
        return int(rank < 3)

    for none in (0, "1970-01-01", "0"):
        seen = "2024-05-01 10:00:00" if isinstance(none, str) else SHOWN
        read = read_log(
            log(clicked=clicked, time=seen, click_time=lambda _, rank, none=none, seen=seen: [seen, none][rank == 3])
        )
        assert read.excluded.rows == 0
        assert read.notes == ()
        assert clicks(read) == [2] * PAGES
    early = read_log(
        log(clicked=clicked, time=SHOWN, click_time=lambda page, rank: 0 if rank == 3 or page == 0 else SHOWN)
    )
    assert early.excluded.reasons == {"click time before 1990 or after 2100": 2}


def test_empty_cells_next_to_no_are_noted() -> None:
    """Of 18 cells six are empty; where no cell says no or 0, an empty cell is the usual way to say so."""
    for name, no, yes in (("converted", 0, 1), ("revenue", 0.0, 9.5), ("answered", False, True)):
        (note,) = read_log(log(**{name: lambda _, rank, no=no, yes=yes: [yes, no, None][rank - 1]})).notes
        assert note.startswith(f"{PAGES} empty cells of {name} ")
        assert read_log(log(**{name: lambda _, rank, yes=yes: yes if rank == 1 else None})).notes == ()
        assert read_log(log(**{name: no})).notes == ()


def test_clicks_without_dwell_are_noted() -> None:
    (note,) = read_log(log(dwell=lambda page, rank: 40.0 if page and rank == 1 else None)).notes
    assert note.startswith(f"1 of {PAGES} clicks ")
    assert read_log(log(dwell=lambda _, rank: 40.0 if rank == 1 else None)).notes == ()


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet"])
@pytest.mark.parametrize("lacking", ["a", "b"])
def test_files_of_a_log_have_the_same_columns(tmp_path: Path, kind: str, lacking: str) -> None:
    import polars as pl

    for name in "ab":
        frame = pl.DataFrame(log(impression=lambda page, _, name=name: f"{name}{page}", dwell=40.0))
        frame = frame.drop("dwell") if name == lacking else frame.select(sorted(frame.columns, reverse=name == "a"))
        path = tmp_path / f"{name}.{kind}"
        frame.write_parquet(path) if kind == "parquet" else frame.write_csv(path, separator=",\t"[kind == "tsv"])
    with pytest.raises(InputError, match="dwell") as caught:
        read_log(tmp_path)
    assert caught.value.code == "E-COLUMNS"
    assert caught.value.file == str(tmp_path / f"{lacking}.{kind}")
    (tmp_path / f"{lacking}.{kind}").unlink()
    assert clicks(read_log(tmp_path)) == [1] * PAGES
