"""Every check of runs and judgments gives the same codes for the same data, whatever source they come from."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import polars as pl
import pyarrow as pa
import pytest

import cranfield as cf
from cranfield.core import InputError
from cranfield.data import find_runs, read_qrels, read_run
from cranfield.studies import convert, interleaved_page
from tests.support.input_cases import JUDGMENTS, RUNS, Case, qrels_rows, run_rows
from tests.support.input_sources import FILES, SOURCES, Rows, make_source

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from cranfield.data import Source


CODES = set().union(*(case.codes for case in (*RUNS, *JUDGMENTS)))


def cells(cases: Iterable[Case]) -> list[Any]:
    """Every case in every source that can hold it."""
    return [
        pytest.param(case, source, id=f"{case.name}-{source}")
        for case in cases
        for source in SOURCES
        if source not in case.cannot
    ]


def codes(read: Callable[[], Iterable[Source]]) -> set[str]:
    """The codes of an error, or of all warnings."""
    try:
        return {one.code for source in read() for one in source.problems.kept}
    except InputError as error:
        return {str(error.code)}


def lint_codes(*files: Path) -> set[str]:
    return {str(row["code"]) for row in cf.lint(files)["problems"].rows()}


@pytest.mark.parametrize(("case", "source"), cells(RUNS))
def test_runs(case: Case, source: str, tmp_path: Path) -> None:
    data = make_source(source, case.rows, tmp_path, "run")
    assert codes(lambda: [read_run(run).source for run in find_runs(data)]) == case.codes
    if source in FILES and case.codes != {"E-SWAPPED"}:  # lint reads what looks like judgments as such
        assert lint_codes(data) == case.codes
        assert codes(lambda: [convert(data, tmp_path / "out.parquet").source]) == case.codes


@pytest.mark.parametrize(("case", "source"), cells(JUDGMENTS))
def test_judgments(case: Case, source: str, tmp_path: Path) -> None:
    data = make_source(source, case.rows, tmp_path, "qrels")
    assert codes(lambda: [read_qrels(data).source]) == case.codes
    if source in FILES and case.codes != {"E-SWAPPED"}:  # lint reads what looks like a run as such
        assert lint_codes(data) == case.codes
        assert codes(lambda: [convert(data, tmp_path / "out.parquet", kind="qrels").source]) == case.codes


NOT_NOTED = {"W-TIES", "W-FLOAT32", "W-SHORT"}  # usual in good data: `lint` alone lists them


@pytest.mark.parametrize(("case", "source"), cells(case for case in RUNS if not any(c[0] == "E" for c in case.codes)))
def test_every_command_that_reads_runs_notes_the_same(case: Case, source: str, tmp_path: Path) -> None:
    data, judged = make_source(source, case.rows, tmp_path, "run"), make_source(source, qrels_rows(), tmp_path, "qrels")
    good = {"1": {"d3": 3.5, "d2": 2.5, "d1": 1.5}, "2": {"d1": 2.5}}
    runs = {"mine": data, "good": good}
    values = cf.evaluate(judged, runs, "AP")
    studies = [
        *(study(values) for study in (cf.compare, cf.test, cf.leaderboard)),
        cf.reproduce(judged, {"mine": data}, "AP", originals={"good": good}),
        cf.pool(runs),
        interleaved_page(runs, "1"),
    ]
    for study in studies:
        notes = " ".join(note for table in study.tables.values() for note in table.notes)
        assert {code for code in CODES if f"({code})" in notes} == case.codes - NOT_NOTED, study.name
    fused = {problem.code for problem in cf.fuse(runs).source.problems.kept}
    assert fused - {"W-MISSING"} == case.codes - NOT_NOTED


def mixed(rows: Rows, change: Callable[[str], str], column: str) -> Rows:
    return [row | {column: change(row[column])} for row in rows]


Change = Callable[[str], str]
MISMATCHES: dict[str, tuple[Change, Change]] = {
    "letter case": (str.upper, str),
    "a prefix of the run": (lambda text: f"corpus/{text}", str),
    "a prefix of the judgments": (str, lambda text: f"msmarco_{text}"),
    "a suffix": (lambda text: f"{text}.txt", str),
    "leading zeros": (lambda text: text.replace("d", "d00"), str),
    "a decimal point": (lambda text: text.replace("d", "1") + ".0", lambda text: text.replace("d", "1")),
}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("kind", MISMATCHES)
def test_ids_that_do_not_match(source: str, kind: str, tmp_path: Path) -> None:
    own, theirs = MISMATCHES[kind]
    judged = make_source(source, mixed(qrels_rows(), theirs, "document"), tmp_path, "qrels")
    data = make_source(source, mixed(run_rows(), own, "document"), tmp_path, "run")
    found = cf.evaluate(judged, data, "AP")
    (note,) = [note for note in found.notes if "W-IDS" in note]
    assert found.cube.sum() == 0
    assert "0 of 6" in note  # retrieved documents, three in each of two topics
    assert "(6 of 6)" in note  # all match after the change that is guessed
    if source in FILES:
        assert lint_codes(judged, data) == {"W-IDS"}


def dense_data(own: Callable[[int, str], str]) -> tuple[Rows, Rows]:
    """Judge twelve documents of four topics; the run has the same ones, with ids that ``own`` changes by rank."""
    documents = [(str(topic), rank, f"{topic}d{rank:02}") for topic in range(1, 5) for rank in range(1, 13)]
    judged = [{"topic": topic, "document": name, "grade": rank % 2} for topic, rank, name in documents]
    run = [{"topic": topic, "document": own(rank, name), "score": 20.5 - rank} for topic, rank, name in documents]
    return judged, run


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(
    ("own", "judged", "matching"),
    [
        (lambda rank, name: name if name.startswith("1") else name.upper(), 10, 40),  # ten documents of one topic
        (lambda rank, name: name if rank % 3 == 0 else name.upper(), 12, 40),  # three of ten in four topics
        (lambda rank, name: name if rank % 3 == 0 else f"{name}.0", 12, 40),
        (lambda rank, name: name if rank % 3 == 0 else f"x{rank}", 12, None),  # unlike the pool: no form matches
    ],
    ids=["most topics", "most documents", "a decimal point", "other documents"],
)
def test_ids_that_match_in_part(
    source: str, own: Callable[[int, str], str], judged: int, matching: int | None, tmp_path: Path
) -> None:
    rows, run = dense_data(own)
    qrels, data = make_source(source, rows, tmp_path, "qrels"), make_source(source, run, tmp_path, "run")
    notes = [note for note in cf.evaluate(qrels, data, "AP").notes if "W-IDS" in note]
    expected = {"W-IDS"} if matching else set()
    assert len(notes) == len(expected)
    if matching:
        assert f"{judged} of 40 are judged" in notes[0]
        assert f"({matching} of 40)" in notes[0]
    if source in FILES:
        assert lint_codes(qrels, data) & {"W-IDS"} == expected


@pytest.mark.parametrize("source", SOURCES)
def test_examples_of_ids_are_the_best_documents_of_the_first_topic(source: str, tmp_path: Path) -> None:
    rows = mixed(run_rows({"2": (9.25, 8.5, 7.75), "1": (1.5, 3.5, 2.5)}), str.upper, "document")
    judged = make_source(source, qrels_rows(), tmp_path, "qrels")
    data = make_source(source, rows, tmp_path, "run")
    (note,) = [note for note in cf.evaluate(judged, data, "AP").notes if "W-IDS" in note]
    assert "D2, D3, D1, the judgments d1, d2, d3" in note  # of topic 1, by score
    if source in FILES:
        (row,) = cf.lint([judged, data])["problems"].rows()
        assert str(row["hint"]) in note


@pytest.mark.parametrize("source", SOURCES)
def test_other_documents_have_no_guess(source: str, tmp_path: Path) -> None:
    judged = make_source(source, qrels_rows(), tmp_path, "qrels")
    data = make_source(source, mixed(run_rows(), lambda text: f"{ord(text[1])}x", "document"), tmp_path, "run")
    (note,) = [note for note in cf.evaluate(judged, data, "AP").notes if "W-IDS" in note]
    assert "ids match" not in note


@pytest.mark.parametrize("source", SOURCES)
def test_topics_that_do_not_match(source: str, tmp_path: Path) -> None:
    judged = make_source(source, qrels_rows(), tmp_path, "qrels")
    data = make_source(source, mixed(run_rows(), lambda text: f"q{text}", "topic"), tmp_path, "run")
    with pytest.raises(InputError) as caught:
        cf.evaluate(judged, data, "AP")
    assert caught.value.code == "E-TOPICS"
    assert "(2 of 2)" in caught.value.hint
    if source in FILES:
        assert lint_codes(judged, data) == {"E-TOPICS"}


@pytest.mark.parametrize("source", SOURCES)
def test_clean_data_have_no_note(source: str, tmp_path: Path) -> None:
    judged = make_source(source, qrels_rows(), tmp_path, "qrels")
    data = make_source(source, run_rows(), tmp_path, "run")
    assert cf.evaluate(judged, data, "AP").notes == ()
    if source in FILES:
        assert lint_codes(judged, data) == set()


TABLES = tuple(source for source in SOURCES if source not in ("text", "gz", "dict"))
# d1 to d3 by bm25, then by dense in another order, in both topics.
SEVERAL = [
    row | {"run": run, "score": -row["score"] if run == "dense" else row["score"]}
    for run in ("bm25", "dense")
    for row in run_rows()
]


@pytest.mark.parametrize("column", ["run", "run_id", "system", "tag"])
@pytest.mark.parametrize("source", TABLES)
def test_a_table_with_a_column_of_runs_is_several(source: str, column: str, tmp_path: Path) -> None:
    rows = [{(column if name == "run" else name): cell for name, cell in row.items()} for row in SEVERAL]
    data = make_source(source, rows, tmp_path, "run")
    values = cf.evaluate({"1": {"d1": 1}, "2": {"d1": 1}}, data, "RR")
    assert values.runs == ("bm25", "dense")
    assert values.cube[:, :, 0].tolist() == [[1, 1], [1 / 3, 1 / 3]]  # d1 is the first, then the last of three
    assert [run.name for run in find_runs({"mine": data})] == ["mine/bm25", "mine/dense"]
    assert len(cf.fuse(data)) == 6
    if source in FILES:
        assert lint_codes(data) == set()
        assert read_run(convert(data, tmp_path / "one.txt", run="dense")).document.to_list()[0] == "d3"


@pytest.mark.parametrize("source", TABLES)
@pytest.mark.parametrize("constant", ["run", "system", "tag"])
def test_of_two_columns_of_runs_the_finer_one_names_them(source: str, constant: str, tmp_path: Path) -> None:
    """The runs share no document, so that as one run they would have other values and no error."""
    own = "tag" if constant == "run" else "run"
    rows = [
        {constant: "2026", own: run, "topic": topic, "document": f"{run}-{topic}", "score": 1.5}
        for run in ("bm25", "dense")
        for topic in "12"
    ]
    values = cf.evaluate({"1": {"dense-1": 1}, "2": {"dense-2": 1}}, make_source(source, rows, tmp_path, "run"), "AP")
    assert (values.runs, values.cube[:, :, 0].tolist()) == (("bm25", "dense"), [[0, 0], [1, 1]])


@pytest.mark.parametrize("source", TABLES)
def test_columns_that_name_the_runs_together_alone_are_refused(source: str, tmp_path: Path) -> None:
    rows = [
        {"system": system, "run_id": seed, "topic": "1", "document": f"{system}{seed}", "score": 1.5}
        for system in ("bm25", "dense")
        for seed in ("s1", "s2")
    ]
    with pytest.raises(InputError, match="run_id and system name different runs, 4 together") as caught:
        find_runs(make_source(source, rows, tmp_path, "run"))
    assert caught.value.code == "E-COLUMNS"


@pytest.mark.parametrize("source", TABLES)
def test_an_empty_column_next_to_that_of_the_runs_is_ignored(source: str, tmp_path: Path) -> None:
    data = make_source(source, [row | {"tag": None} for row in SEVERAL], tmp_path, "run")
    assert [run.name for run in find_runs(data)] == ["bm25", "dense"]


@pytest.mark.parametrize("source", TABLES)
def test_notes_name_the_run_of_a_table_of_several(source: str, tmp_path: Path) -> None:
    rows = [row | ({"document": row["document"].upper()} if row["run"] == "dense" else {}) for row in SEVERAL]
    rows += [{"topic": "3", "document": f"d{i}", "score": 1.5, "run": "bm25"} for i in (1, 2)]
    data, judged = make_source(source, rows, tmp_path, "run"), make_source(source, qrels_rows(), tmp_path, "qrels")
    notes = cf.evaluate(judged, data, "AP").notes
    assert all("run bm25" in note for note in notes if "W-CONSTANT" in note)
    assert all("run dense" in note for note in notes if "W-IDS" in note)
    assert sum("W-CONSTANT" in note or "W-IDS" in note for note in notes) == 2
    if source in FILES:
        messages = {row["code"]: str(row["message"]) for row in cf.lint([judged, data])["problems"].rows()}
        assert messages["W-UNKNOWN"].startswith("run bm25: ")
        assert messages["W-IDS"].startswith("run dense: ")


@pytest.mark.parametrize("source", TABLES)
def test_where_one_run_is_meant_several_are_refused_by_name(source: str, tmp_path: Path) -> None:
    data = make_source(source, SEVERAL, tmp_path, "run")
    with pytest.raises(cf.ParameterError, match="bm25, dense"):
        read_run(data)
    with pytest.raises(cf.ParameterError, match="bm25, dense"):
        convert(data, tmp_path / "out.txt", kind="run")


@pytest.mark.parametrize("source", TABLES)
def test_problems_of_several_runs_name_the_run_and_the_row(source: str, tmp_path: Path) -> None:
    again = [*SEVERAL, SEVERAL[7]]  # the thirteenth row repeats the eighth
    data = make_source(source, again, tmp_path, "run")
    with pytest.raises(InputError) as caught:
        cf.evaluate({"1": {"d1": 1}}, data, "AP")
    header = source in ("csv", "tsv")
    assert (caught.value.code, caught.value.line) == ("E-DUPDOC", 13 + header)
    if source in FILES:
        (row,) = [row for row in cf.lint([data])["problems"].rows() if row["severity"] == "error"]
        assert (row["code"], row["line"], "dense" in str(row["message"])) == ("E-DUPDOC", 13 + header, True)


@pytest.mark.parametrize("source", ["text", "gz"])
def test_two_tags_in_a_text_are_one_run_unless_they_share_documents(source: str, tmp_path: Path) -> None:
    apart = [row for row in SEVERAL if (row["run"] == "bm25") == (row["topic"] == "1")]
    data = make_source(source, apart, tmp_path, "run")
    assert lint_codes(data) == {"W-TAG"}
    assert len(find_runs(data)) == 1
    data = make_source(source, SEVERAL, tmp_path, "run")
    with pytest.raises(InputError) as caught:
        read_run(data)
    assert caught.value.code == "E-DUPDOC"
    assert "bm25" in caught.value.hint
    assert "dense" in caught.value.hint


DATES = [datetime.date(2026, 7, day) for day in (3, 2, 1)] * 2


@pytest.mark.parametrize("source", ["csv", "tsv", "parquet", "pandas", "polars", "arrow", "columns", "duckdb"])
def test_dates_are_no_scores(source: str, tmp_path: Path) -> None:
    data = make_source(source, run_rows(score=DATES), tmp_path, "run")
    assert codes(lambda: [read_run(data).source]) == {"E-SCORE"}


def test_whole_numbers_of_128_bits_are_scores() -> None:
    """DuckDB's sum of whole numbers is HUGEINT; 2^53 and 2^53 + 1 are one number as float64."""
    score = pl.Series([2**53 + 1, 2**53, 1], dtype=pl.Int128)
    run = read_run(pl.DataFrame({"topic": ["1"] * 3, "document": ["d1", "d2", "d3"], "score": score}))
    assert run.score.tolist() == [2**53, 2**53, 1]
    assert {one.code for one in run.source.problems.kept} == {"W-PRECISION", "W-TIES"}


@pytest.mark.parametrize("frame", [pl.DataFrame, pa.table])
def test_decimals_are_scores(frame: Callable[[Any], Any]) -> None:
    """A decimal of 20 digits is exact until it becomes float64, in which 2^53 + 1 is 2^53."""
    score = pa.array([Decimal(2**53 + 1), Decimal(2**53), Decimal(1)], pa.decimal128(20, 0))
    run = read_run(frame({"topic": ["1"] * 3, "document": ["d1", "d2", "d3"], "score": score}))
    assert run.score.tolist() == [2**53, 2**53, 1]
    assert {one.code for one in run.source.problems.kept} == {"W-PRECISION", "W-TIES"}


def test_three_columns_with_the_last_rank_first_are_noted(tmp_path: Path) -> None:
    """Three columns are topic, document and rank; scores of the best document first would fall from row to row."""
    path = tmp_path / "run.txt"
    path.write_text("".join(f"1 d{i} {score}\n" for i, score in enumerate(range(80, 0, -10))))
    assert codes(lambda: [read_run(path).source]) == lint_codes(path) == {"W-INVERTED"}
    path.write_text("".join(f"1 d{i} {rank}\n" for i, rank in enumerate(range(10, 90, 10))))
    assert codes(lambda: [read_run(path).source]) == lint_codes(path) == set()


def three_columns(path: Path, numbers: Sequence[int]) -> Path:
    """Write lines of topic, document and number, with all numbers in each of two topics."""
    path.write_text("".join(f"{topic} d{i} {number}\n" for topic in "12" for i, number in enumerate(numbers)))
    return path


def test_three_columns_with_grades_are_no_run(tmp_path: Path) -> None:
    """Only text has a third column without a name; a column of a table is called rank, or it holds no ranks."""
    judged = three_columns(tmp_path / "judged.txt", [1, 0, 2, 0, 0, 1])  # five of six equal another of the topic
    run = three_columns(tmp_path / "run.txt", range(1, 7))
    for read in (
        lambda: read_run(judged),
        lambda: cf.evaluate(run, judged, "AP"),
        lambda: cf.fuse([run, judged]),
        lambda: cf.pool([run, judged]),
        lambda: interleaved_page([run, judged], "1"),
        lambda: convert(judged, tmp_path / "out.txt", kind="run"),
    ):
        with pytest.raises(InputError) as caught:
            read()
        assert caught.value.code == "E-SWAPPED"
    assert [row["code"] for row in cf.lint([judged], qrels=judged)["problems"].rows()] == ["E-SWAPPED"]
    assert lint_codes(judged) == set()  # they are good judgments
    run = three_columns(tmp_path / "run.txt", [1, 2, 2, 4, 4, 6])  # four of six
    assert codes(lambda: [read_run(run).source]) == {"E-SWAPPED"}
    run = three_columns(tmp_path / "run.txt", [1, 2, 2, 4, 5, 6])  # two of six
    assert codes(lambda: [read_run(run).source]) == {"W-TIES"}


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ([8100, 2500, 9700, 5200], {"W-INVERTED"}),
        ([-3, -9, 4, 7], {"W-INVERTED"}),
        ([2500, 5200, 8100, 9700], set()),  # ranks of a longer run, in order
        ([90, 3, 40, 5], set()),  # ranks of a longer run, the third among them
        ([4, 1, 3, 2], set()),
    ],
)
def test_three_columns_with_scores_are_noted(numbers: list[int], expected: set[str], tmp_path: Path) -> None:
    run = three_columns(tmp_path / "run.txt", numbers)
    assert codes(lambda: [read_run(run).source]) == lint_codes(run) == expected
    notes = " ".join(cf.evaluate({"1": {"d1": 1}, "2": {"d1": 1}}, run, "AP").notes)
    assert ("W-INVERTED" in notes) == bool(expected)


@pytest.mark.parametrize("source", ["text", "csv"])
def test_blank_lines_and_a_line_without_end(source: str, tmp_path: Path) -> None:
    data = make_source(source, run_rows(), tmp_path, "run")
    first, *rest = data.read_text().splitlines()
    data.write_text("\n".join([first, "", *rest]))
    assert lint_codes(data) == codes(lambda: [read_run(data).source]) == {"W-BLANK", "W-END"}
    assert len(read_run(data)) == 6


@pytest.mark.parametrize("source", [source for source in SOURCES if source != "dict"])
def test_ranks_that_give_the_order_do_not_contradict_it(source: str, tmp_path: Path) -> None:
    data = make_source(source, run_rows(rank=[3, 2, 1, 1, 2, 3]), tmp_path, "run")
    run = read_run(data, ties="rank")
    assert run.document.to_list()[:3] == ["d3", "d2", "d1"]  # of topic 1, by rank
    assert codes(lambda: [run.source]) == set()
    assert codes(lambda: [read_run(data).source]) == {"W-RANK"}


@pytest.mark.parametrize("target", ["out.txt", "out.tsv"])
def test_an_id_with_white_space_is_not_written_as_text(target: str, tmp_path: Path) -> None:
    rows = [row | {"document": row["document"] + " b"} for row in run_rows()]
    with pytest.raises(InputError) as caught:
        convert(make_source("csv", rows, tmp_path, "run"), tmp_path / target)
    assert caught.value.code == "E-FIELDS"


@pytest.mark.parametrize(("line", "noted"), [("#7 Q0 d1 1 8.5 tag", True), ("# made in 2020 by me 1", False)])
def test_a_topic_that_starts_with_a_hash_is_not_dropped_in_silence(line: str, noted: bool, tmp_path: Path) -> None:
    run = make_source("text", run_rows(), tmp_path, "run")
    run.write_text(f"{line}\n{run.read_text()}")
    notes = cf.evaluate(make_source("text", qrels_rows(), tmp_path, "qrels"), run, "AP").mean().notes
    assert any("W-COMMENT" in note for note in notes) == noted
