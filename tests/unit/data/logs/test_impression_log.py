"""Logs of result pages: read from anything, checked, cut into pages and sessions."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from cranfield.core import CranfieldError, InputError
from cranfield.data import FIELDS, Log, connect, read_log
from tests.support.simulations import search_logs

if TYPE_CHECKING:
    from pathlib import Path

HEADER = "impression,user,time,topic,rank,document,clicked\n"
LINES = "i1,u1,2024-05-01T10:00:00Z,q,1,a,1\ni1,u1,2024-05-01T10:00:00Z,q,2,b,0\n"


def pages(log: Any) -> list[dict[str, Any]]:
    """A row for each page, sorted by its name."""
    found: list[dict[str, Any]] = log.engine.fetch(log.impressions().order_by("impression")).to_pylist()
    return found


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_pages_and_sessions_are_those_of_plain_python(seed: int) -> None:
    rows = search_logs.made_up(400, seed)
    log = read_log(search_logs.as_arrow(rows))
    stays, dropped = search_logs.cleaned(rows)
    assert log.excluded.reasons == dropped
    assert sum(dropped.values()) > 20
    expected = search_logs.impressions(stays)
    found = pages(log)
    assert found == [{name: row[name] for name in found[0]} for row in expected]
    assert {row["session"] for row in expected} > {f"{row['user']}#0" for row in expected}


def test_every_file_and_frame_gives_the_same(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    rows = search_logs.made_up(60, 5)
    table = search_logs.as_arrow(rows)
    pq.write_table(table, tmp_path / "log.parquet")
    with gzip.open(tmp_path / "log.jsonl.gz", "wt") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    for suffix, apart in ((".csv", ","), (".tsv", "\t")):
        lines = [
            apart.join("" if row[name] is None else str(row[name]) for name in search_logs.COLUMNS) for row in rows
        ]
        (tmp_path / f"log{suffix}").write_text("\n".join((apart.join(search_logs.COLUMNS), *lines)) + "\n")
    expected = pages(read_log(table))
    for name in ("log.parquet", "log.jsonl.gz", "log.csv", "log.tsv"):
        assert pages(read_log(tmp_path / name)) == expected, name
    for frame in (table.to_pandas(), table.to_pydict(), read_log(table)):
        assert pages(read_log(frame)) == expected
    pq.write_table(table.slice(0, 100), tmp_path / "part-1.parquet")
    pq.write_table(table.slice(100), tmp_path / "part-2.parquet")
    assert pages(read_log(str(tmp_path / "part-*.parquet"))) == expected
    assert pages(read_log([tmp_path / "part-1.parquet", tmp_path / "part-2.parquet"])) == expected


def test_columns_are_found_by_the_names_people_use(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("Impression_ID,query,position,url,click,client_id\ni1,q,1,a,true,u\n")
    log = read_log(tmp_path / "a.csv")
    assert log.known == {"impression", "topic", "rank", "document", "clicked", "user"}
    (tmp_path / "b.csv").write_text("page,phrase,rank,doc,hit\ni1,q,1,a,yes\n")
    log = read_log(tmp_path / "b.csv", columns={"impression": "page", "topic": "phrase", "clicked": "hit"})
    assert pages(log) == [{"impression": "i1", "topic": "q", "shown": 1, "clicks": 1, "first_rank": 1, "last_rank": 1}]


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("2024-05-01T10:00:00.250Z", 1714557600.25),  # 19,844 days and 10 hours after 1970
        ("2024-05-01 12:00:00+02:00", 1714557600.0),
        ("2024-05-01 10:00:00", 1714557600.0),
        ("1714557600", 1714557600.0),
        ("1714557600250", 1714557600.25),
        ("1714557600250000", 1714557600.25),
    ],
)
def test_times_are_seconds_whatever_they_are_written_in(tmp_path: Path, written: str, seconds: float) -> None:
    assert 1714557600 == (19_844 * 24 + 10) * 3600
    (tmp_path / "a.csv").write_text(HEADER + LINES.replace("2024-05-01T10:00:00Z", written))
    assert [page["time"] for page in pages(read_log(tmp_path / "a.csv"))] == [seconds]


def test_a_page_whose_rows_contradict_each_other_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(HEADER + LINES + LINES.replace("i1", "i2").replace("q,2", "other,2"))
    log = read_log(tmp_path / "a.csv")
    reason = "rows of a page differ in topic or user"
    assert log.excluded.table().rows() == [{"reason": reason, "arm": None, "rows": 2, "share": 0.5}]
    assert read_log(tmp_path / "a.csv", whole=False).excluded.rows == 0


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.csv", "", "the file is empty"),
        ("a.csv", HEADER, "the log has no rows"),
        ("a.csv", "impression,topic,rank,document\ni,q,1,a\n", "there is no column for clicked"),
        ("a.csv", HEADER + "i1,u1,2024-05-01,q,first,a,1\n", "no row can be used: no rank"),
        ("a.csv", HEADER + "i1,u1,2024-05-01,q,NaN,a,1\n", "no row can be used: no rank"),
        ("a.csv", HEADER + "i1,u1,2024-05-01,q,inf,a,1\n", "no row can be used: no rank"),
        ("a.csv", HEADER + "i1,u1,2024-05-01,q,1e300,a,1\n", "no row can be used: no rank"),
        ("a.csv", HEADER + "i1,u1,yesterday,q,1,a,1\n", "no row can be used: no time"),
        ("a.csv", HEADER + "i1,u1,2024-05-01,q,1,a,perhaps\n", "no row can be used: neither clicked nor not"),
        ("a.parquet", "no Parquet", "the file cannot be read"),
        ("a.jsonl", '{"impression": "i"}\n{"impression": ', "a.jsonl:2: this is not JSON"),
        ("a.csv", HEADER + "i1,u1\n", "a.csv:2: the line has 2 columns, the first has 7"),
        ("a.csv", (HEADER + LINES).replace(",", ";"), "a.csv:1: columns are separated by semicolons, not by commas"),
        ("a.csv", HEADER.strip() + ",clicked\n", "a.csv:1: two columns are called clicked"),
        ("a.csv", (HEADER + LINES).encode("utf-16"), "a.csv: the text is UTF-16"),
        ("a.doc", "x", "nobody knows what this file is"),
    ],
)
def test_what_is_no_log_is_refused_in_words(tmp_path: Path, name: str, text: str | bytes, said: str) -> None:
    (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(CranfieldError, match=said) as caught:
        read_log(tmp_path / name)
    assert caught.value.hint


def test_a_rank_that_is_no_number_is_left_out_alone() -> None:
    rows = {"impression": ["i", "i", "i"], "topic": ["q"] * 3, "document": ["a", "b", "c"], "clicked": [1, 0, 0]}
    log = read_log(rows | {"rank": [1.0, 2.0, float("nan")]})
    assert log.excluded.reasons == {"no rank": 1}


LATE = 30_000  # rows: more than the engine looks at before it begins


@pytest.mark.parametrize(
    ("name", "last", "said"),
    [
        ("a.csv", b"i9,u9\n", ":30002: the line has 2 columns, the first has 7"),
        ("a.csv", "i9,ü,2024-05-01,q,1,a,1\n".encode("latin-1"), ":30002: the line is not UTF-8"),
        ("a.csv", b'"i9,u9,2024-05-01,q,1,a,1\n', ":30002: a quote does not end"),
        ("a.jsonl", b"{oops\n", ":30001: this is not JSON"),
    ],
)
def test_what_is_wrong_far_down_has_its_line(tmp_path: Path, name: str, last: bytes, said: str) -> None:
    line = HEADER + "i1,u1,2024-05-01,q,1,a,1\n" * LATE
    if name == "a.jsonl":
        row = dict(zip(HEADER.strip().split(","), "i1,u1,2024-05-01,q,1,a,1".split(","), strict=True))
        line = (json.dumps(row) + "\n") * LATE
    (tmp_path / name).write_bytes(line.encode() + last)
    with pytest.raises(InputError) as caught:
        read_log(tmp_path / name)
    assert caught.value.problem.endswith(f"{name}{said}")
    assert caught.value.hint


def test_a_quote_may_come_late(tmp_path: Path) -> None:
    rows = "".join(f"i{row},u1,2024-05-01,q,1,a,1\n" for row in range(LATE))
    (tmp_path / "a.csv").write_text(HEADER + rows + 'i,u1,2024-05-01,"jazz, ""cool""",1,a,1\n')
    log = read_log(tmp_path / "a.csv")
    shown = log.documents
    found = log.engine.fetch(shown.filter(shown.impression == "i").select("topic", "rank")).to_pylist()
    assert found == [{"topic": 'jazz, "cool"', "rank": 1}]


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    for data, said in ((tmp_path / "no.csv", "no such file"), (tmp_path, "no file of a log"), (3, "holds no log")):
        with pytest.raises(CranfieldError, match=said):
            read_log(data)
    (tmp_path / "a.csv").write_text(HEADER + LINES)
    with pytest.raises(CranfieldError, match="there is no column page"):
        read_log(tmp_path / "a.csv", columns={"topic": "page"})
    with pytest.raises(CranfieldError, match="a log has no query"):
        read_log(tmp_path / "a.csv", columns={"query": "topic"})
    with pytest.raises(CranfieldError, match="clicks by arm needs the column arm"):
        read_log(tmp_path / "a.csv").require("arm", why="clicks by arm")


def test_engines_that_do_not_exist_are_refused() -> None:
    for engine, said in (("mysql", "there is no engine"), (3, "is no engine")):
        with pytest.raises(CranfieldError, match=said):
            connect(engine)
    with pytest.raises(CranfieldError, match="'much' is no amount of memory"):
        connect(memory="much")


def test_every_field_says_what_it_is() -> None:
    assert all(field.means and field.names[0] == name for name, field in FIELDS.items())
    names = [name for field in FIELDS.values() for name in field.names]
    assert len(names) == len(set(names))


HOUR = 3600
VISITS = {
    "impression": [f"i{i}" for i in range(8)],
    "user": ["a", "a", "a", "a", "b", "b", "c", "c"],
    "session": ["1", "1", "2", "2", "1", "2", None, None],
    "time": [1_714_557_600 + second for second in (0, 60, 9 * HOUR, 9 * HOUR + 60, 30, 9 * HOUR + 30, 10, 9 * HOUR)],
    "topic": ["q"] * 8,
    "rank": [1] * 8,
    "document": ["d"] * 8,
    "clicked": [1] * 8,
    "click_time": [
        1_714_557_600 + second for second in (5, 65, 9 * HOUR + 5, 9 * HOUR + 65, 35, 9 * HOUR + 35, 15, 9 * HOUR + 5)
    ],
}


def visits(log: Log) -> list[list[str]]:
    """Return the pages of each session."""
    pages = log.fetch(log.impressions().order_by("impression").select("impression", "session"))
    sessions: dict[str, list[str]] = {}
    for page, session in zip(pages["impression"], pages["session"], strict=True):
        sessions.setdefault(session, []).append(page)
    return list(sessions.values())


def test_a_session_is_of_one_user_and_none_is_no_session() -> None:
    """Counters 1 and 2 of users a and b are four sessions; user c has none, and two pages nine hours apart."""
    log = read_log(VISITS)
    assert visits(log) == [["i0", "i1"], ["i2", "i3"], ["i4"], ["i5"], ["i6"], ["i7"]]
    assert [note.split(" ", 3)[:3] for note in log.notes] == [["2", "of", "2"], ["2", "of", "8"]]
    plain = VISITS | {"session": ["1", "1", "2", "2", "3", "4", "5", "6"]}
    assert visits(read_log(plain)) == visits(log)
    assert read_log(plain).notes == ()


def test_time_on_a_document_ends_with_a_sign_of_the_same_user() -> None:
    """The first click of user a is at 5 s and her next page at 60 s; the page of user b at 30 s is no sign of hers."""
    log = read_log(VISITS)
    rows = log.with_dwell()
    found = log.fetch(rows.order_by("impression").select("impression", "dwell"))["dwell"]
    assert [None if cell != cell else cell for cell in found] == [55, None, 55, None, None, None, 1800, None]


def test_without_users_a_page_without_a_session_is_one() -> None:
    log = read_log({name: cells for name, cells in VISITS.items() if name != "user"})
    assert visits(log) == [["i0", "i1", "i4"], ["i2", "i3", "i5"], ["i6"], ["i7"]]
    assert [note.split(" ", 3)[:3] for note in log.notes] == [["2", "of", "8"]]
