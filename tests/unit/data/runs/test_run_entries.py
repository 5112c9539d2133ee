"""What is known about runs: groups, dates, baselines and costs out of the tables that boards keep."""

import gzip
import pickle
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from cranfield.core import ParameterError
from cranfield.data import Entries, Entry, read_entries
from tests.support.expected_errors import check

TEXT = """Run,Team,date,official,title,latency_ms,notes
bm25,anserini,2020-08-11,x,the old one,12,fast
ance,msr,2020/08/12,,dense,250.5,
t5, h2oloo ,20200830,no,,,big
"""
ROWS: dict[str, list[Any]] = {
    "run": ["bm25", "ance", "t5"],
    "group": ["anserini", "msr", "h2oloo"],
    "date": ["2020-08-11", "2020-08-12", "2020-08-30"],
    "baseline": [True, False, False],
    "description": ["the old one", "dense", None],
    "latency_ms": [12.0, 250.5, None],
    "notes": ["fast", None, "big"],
}
LINES = "".join(line + "\n" for line in pl.DataFrame(ROWS).write_ndjson().splitlines())
EXPECTED = (
    Entry("bm25", "anserini", date(2020, 8, 11), baseline=True, description="the old one", costs={"latency_ms": 12.0}),
    Entry("ance", "msr", date(2020, 8, 12), description="dense", costs={"latency_ms": 250.5}),
    Entry("t5", "h2oloo", date(2020, 8, 30)),
)
FILES: dict[str, Callable[[Path], object]] = {
    "board.csv": lambda path: path.write_text(TEXT),
    "board.tsv": lambda path: path.write_text(TEXT.replace(",", "\t")),
    "board.csv.gz": lambda path: path.write_bytes(gzip.compress(TEXT.encode())),
    "board.parquet": lambda path: pl.DataFrame(ROWS).write_parquet(path),
    "board.jsonl": lambda path: path.write_text(LINES),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_tells_who_when_and_at_what_cost(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    FILES[name](path)
    found = read_entries(path)
    assert tuple(found) == found.entries == EXPECTED
    assert (found.source.name, found.source.kind) == (str(path), "entries")
    assert repr(found) == f"Entries({str(path)!r}: 3 runs of 3 groups)"


def test_so_do_frames_and_columns() -> None:
    frame = pl.DataFrame(ROWS)
    found = [read_entries(data) for data in (ROWS, frame, frame.lazy(), frame.to_pandas())]
    assert all(one.entries == EXPECTED for one in found)
    assert found[0].source.digest == found[1].source.digest
    assert found[0].source.digest != read_entries(ROWS | {"group": ["a", "b", "c"]}).source.digest
    renamed = read_entries({("team" if name == "group" else name): cells for name, cells in ROWS.items()})
    assert (renamed.entries, renamed.source.digest != found[0].source.digest) == (EXPECTED, True)
    assert read_entries(found[0]) is found[0]


def test_entries_are_found_by_run() -> None:
    found = read_entries(ROWS)
    assert found.of("ance") == EXPECTED[1]
    assert found.of("nobody") == Entry("nobody")
    assert "ance" in found
    assert "nobody" not in found
    assert (len(found), found.costs) == (3, ("latency_ms",))
    assert found.groups() == {"bm25": "anserini", "ance": "msr", "t5": "h2oloo"}
    assert found.inputs == (found.source.as_input(),)
    assert found.values == {}
    assert read_entries({"run": ["a", "b", "c"], "ap": [0.5, None, 0.0]}, value="ap").values == {"a": 0.5, "c": 0.0}


def test_baselines_can_be_named() -> None:
    found = read_entries(ROWS).with_baselines(["t5", "new", "new"])
    assert [(entry.run, entry.baseline) for entry in found] == [
        ("bm25", True),
        ("ance", False),
        ("t5", True),
        ("new", True),
    ]
    assert found.of("t5").group == "h2oloo"
    assert read_entries(ROWS).with_baselines([]).entries == EXPECTED


def test_entries_are_values() -> None:
    entry = EXPECTED[1]
    assert pickle.loads(pickle.dumps(entry)) == entry
    assert hash(entry) == hash(pickle.loads(pickle.dumps(entry)))
    with pytest.raises(TypeError):
        entry.costs["latency_ms"] = 0.0  # type: ignore[index]  # that is what is tested


def test_what_was_not_met_is_said() -> None:
    found = read_entries(ROWS)
    assert found.meet(["t5", "bm25", "ance"]) == ()
    assert found.meet(["bm25", "ance", "t5", "x"]) == ("1 run is not in entries (x): no group and no date",)
    assert found.meet(["a", "b", "c", "d", "ance", "t5"]) == (
        "4 runs are not in entries (a, b, c and 1 more): no group and no date",
        "1 run is in entries alone (bm25): left out",
    )
    told = Entries(found.entries, found.source, ("something",))
    assert told.meet(["bm25", "ance", "t5"]) == ("something",)


@pytest.mark.parametrize("name", ["RUN", "Id", "runid", "run_id", "Name", "System", "tag"])
def test_a_run_has_many_names(name: str) -> None:
    assert [entry.run for entry in read_entries({name: ["a", "b"]})] == ["a", "b"]


@pytest.mark.parametrize(
    ("what", "name"),
    [
        *(("group", name) for name in ("Group", "team", "institution", "participant", "organisation")),
        *(("description", name) for name in ("description", "Title")),
    ],
)
def test_so_has_a_group(what: str, name: str) -> None:
    assert getattr(read_entries({"run": ["a"], name: ["x"]}).of("a"), what) == "x"


def test_the_first_name_of_ours_wins_and_the_others_are_no_costs() -> None:
    found = read_entries({"id": [7], "run": ["a"], "Run": ["b"], "size": [3]})
    assert found.entries == (Entry("a", costs={"size": 3.0}),)
    assert read_entries({"team": ["t"], "description": ["d"], "id": ["a"]}, columns={"run": "description"}).entries == (
        Entry("d", "t", description="d"),
    )


@pytest.mark.parametrize("cell", ["1", "true", "TRUE", "Yes", "x", "Baseline", "🏛", "🏛\ufe0f"])
def test_these_mark_a_baseline(cell: str) -> None:
    assert read_entries({"run": ["a"], "baseline": [cell]}).of("a").baseline


@pytest.mark.parametrize("cell", ["0", "", "no", "false", "🏆", None])
def test_these_do_not(cell: str | None) -> None:
    assert not read_entries({"run": ["a"], "baseline": [cell]}).of("a").baseline


@pytest.mark.parametrize(
    "cell",
    ["2020-08-11", "2020/08/11", "2020/8/11", "20200811", "2020-08-11T10:00:00Z", "2020-08-11 10:00"],
)
def test_dates_are_written_in_three_ways(cell: str) -> None:
    assert read_entries({"run": ["a"], "submitted": [cell]}).of("a").date == date(2020, 8, 11)


def test_frames_have_dates_of_their_own() -> None:
    days = [date(2020, 8, 11), None]
    assert [entry.date for entry in read_entries({"run": ["a", "b"], "date": days})] == days
    moment = datetime(2020, 8, 11, 23, 30)
    assert read_entries({"run": ["a"], "submission_date": [moment]}).of("a").date == date(2020, 8, 11)


@pytest.mark.parametrize(
    "cell", ["11.08.2020", "2020-02-30", "2020-8", "08/11/2020", "yesterday", "2020081", "202008111"]
)
def test_other_dates_are_refused(cell: str, tmp_path: Path) -> None:
    path = tmp_path / "board.csv"
    path.write_text(f"run,date\na,2020-08-11\nb,{cell}\n")
    hint = "write dates as 2020-08-11, 2020/08/11 or 20200811"
    error = check(lambda: read_entries(path), "E-TYPE", f'{path}:3: date "{cell}" is none', hint)
    assert (error.file, error.line) == (str(path), 3)


def test_lines_of_json_are_counted_from_one(tmp_path: Path) -> None:
    path = tmp_path / "board.jsonl"
    path.write_text('{"run": "a", "date": "2020-08-11"}\n{"run": "b", "date": "soon"}\n')
    hint = "write dates as 2020-08-11, 2020/08/11 or 20200811"
    check(lambda: read_entries(path), "E-TYPE", f'{path}:2: date "soon" is none', hint)


RUNS = "run, id, runid, run_id, name, system, tag"
EACH = "keep one row for each run; if names are titles, read with repeated='number'"
NAMED = "give every row a run, or say with columns= which column names it"
ROW = "a row is one run: its name, its group, its date, and what it cost"


@pytest.mark.parametrize(
    ("text", "options", "code", "problem", "hint"),
    [
        ("", {}, "E-EMPTY", "{}: the file has no rows", "is it the right file?"),
        ("run,team\n", {}, "E-EMPTY", "{}: there is no run", ROW),
        (
            "who,,when\na,b,c\n",
            {},
            "E-COLUMNS",
            "{}: there is no column for the run",
            f"there are: who, (one without a name), when; it may be called {RUNS}",
        ),
        ("run,x\n\n,\n", {}, "E-EMPTY", "{}: there is no run", ROW),
        ("run,x\na,1\n\nb,2\na,3\n\n", {}, "E-NAMES", "{}:5: run a stands here and in line 2", EACH),
        ("run,x\na,1\nb,2\na,3\n", {}, "E-NAMES", "{}:4: run a stands here and in line 2", EACH),
        ("run,x\na,1\n,2\n", {}, "E-NULL", "{}:3: the row has nothing under 'run'", NAMED),
        (
            "run,x\na,1\n",
            {"columns": {"group": "team"}},
            "E-COLUMNS",
            "{}: there is no column named 'team'",
            "there are: run, x",
        ),
        ("run,x\na,1\n", {"value": "ap"}, "E-COLUMNS", "{}: there is no column named 'ap'", "there are: run, x"),
        (
            "run,ap\na,.5\nb,high\n",
            {"value": "ap"},
            "E-TYPE",
            '{}:3: ap "high" is not a finite number',
            "leave the cell empty",
        ),
        (
            "run,ap\na,inf\n",
            {"value": "ap"},
            "E-TYPE",
            '{}:2: ap "inf" is not a finite number',
            "leave the cell empty",
        ),
    ],
)
def test_tables_that_are_none_are_refused(
    text: str, options: dict[str, Any], code: str, problem: str, hint: str, tmp_path: Path
) -> None:
    path = tmp_path / "board.csv"
    path.write_text(text)
    check(lambda: read_entries(path, **options), code, problem.format(path), hint)


def test_objects_that_are_no_tables_are_refused() -> None:
    with pytest.raises(ValueError, match=r"entries: an object of type object holds no entries \(.+\)") as caught:
        read_entries(object())
    assert "hint: give a file name, a frame, or a dict of columns" in str(caught.value)
    with pytest.raises(ValueError, match="holds no entries"):
        read_entries({"run": ["a", "b"], "group": ["x", "y", "z"]})


def test_what_is_asked_is_checked() -> None:
    with pytest.raises(ParameterError, match="a board has no 'team'") as caught:
        read_entries(ROWS, columns={"team": "group"})
    assert caught.value.hint == "columns may name: run, group, date, baseline, description"
    with pytest.raises(ParameterError, match="repeated cannot be 'keep'"):
        read_entries(ROWS, repeated="keep")  # type: ignore[arg-type]  # that is what is tested


def test_titles_that_come_again_are_numbered() -> None:
    found = read_entries({"title": ["t", "u", "t", "t (2)", "t"]}, columns={"run": "title"}, repeated="number")
    assert [entry.run for entry in found] == ["t", "u", "t (3)", "t (2)", "t (4)"]
    assert [entry.description for entry in found] == ["t", "u", "t", "t (2)", "t"]


def test_rows_without_anything_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "board.csv"
    path.write_text("run,x\na,1\n\n , \nb,2\n\n")
    assert read_entries(path).entries == (Entry("a", costs={"x": 1.0}), Entry("b", costs={"x": 2.0}))


def test_a_column_is_a_cost_if_all_of_it_is_numbers() -> None:
    found = read_entries({"run": ["a", "b"], "x": ["1", "two"], "y": [None, None], "z": ["1e3", ""], "w": ["nan", "1"]})
    assert found.costs == ("z",)
    assert [dict(entry.costs) for entry in found] == [{"z": 1000.0}, {}]


def test_the_document_board_of_ms_marco(shared_data: Path) -> None:
    path = shared_data / "leaderboards" / "msmarco-document.csv"
    found = read_entries(path, columns={"baseline": ""}, value="MRR@100 (Eval)")
    assert len(found) == 117
    assert [entry.run for entry in found if entry.baseline] == ["20200811a", "20200811b", "20200811c"]
    assert found.of("20220208-cmu") == found.entries[-2]
    last = found.of("20220208-cmu")
    assert (last.date, last.value, last.description) == (date(2022, 2, 8), 0.446, "coCondenser(maxp) + MORES+")
    assert "MRR@100 (Dev)" in found.costs
    assert "MRR@100 (Eval)" not in found.costs


def test_the_passage_board_of_ms_marco_has_titles(shared_data: Path) -> None:
    path = shared_data / "leaderboards" / "msmarco-passage.csv"
    check(lambda: read_entries(path, value="eval"), "E-NULL", f"{path}:2: the row has nothing under 'id'", NAMED)
    columns = {"run": "description", "baseline": ""}
    with pytest.raises(ValueError, match=f"{path}:8: run UED-Large stands here and in line 3"):
        read_entries(path, columns=columns, value="eval")
    found = read_entries(path, columns=columns, value="eval", repeated="number")
    assert len(found) == len(found.values) == 168
    assert sum(entry.description == "Anonymous" for entry in found) == 22
    assert found.of("Anonymous (22)").description == "Anonymous"
    assert sorted(entry.value or 0 for entry in found if entry.baseline) == [0.165, 0.245, 0.253]


def test_the_board_of_trec_covid_gives_teams(shared_data: Path) -> None:
    found = read_entries(shared_data / "trec-covid" / "leaderboard-round1.csv", value="MAP")
    runs = [path.name.removesuffix(".gz") for path in (shared_data / "trec-covid" / "runs").iterdir()]
    assert len({found.of(run).group for run in runs}) == 9  # as the index of the data says
    assert (found.of("T5R1").group, found.of("run1").value) == ("covidex", 0.2663)
    met = found.meet(runs)
    assert len(met) == 1  # every run is there
    assert met[0].startswith(f"{len(found) - 22} runs are in leaderboard-round1.csv alone (")
