"""Reports read back, and what is different when they are made again."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cranfield.core import InputError
from cranfield.reports import Kept, Section, changes, changes_sentence, compose, keep, read_report, to_html
from cranfield.reports.embedded_data import MARK
from tests.support.sample_reports import compared, sample

Rows = list[dict[str, Any]]


def kept(tables: dict[str, Rows], *, name: str = "x", verdict: dict[str, Any] | None = None, **made_by: Any) -> Kept:
    study = {"contract": 2, "study": name, "verdict": verdict, "tables": tables, "made_by": None}
    return Kept(title="t", command=("report",), made_by=made_by, studies=(study,))


def differences(before: Rows, after: Rows) -> list[tuple[Any, ...]]:
    """What changes in one table: row, column, before, after."""
    found = changes(kept({"t": before}), kept({"t": after})).rows()
    assert all((row["study"], row["table"]) == ("x", "t") for row in found)
    return [(row["row"], row["column"], row["before"], row["after"]) for row in found]


def test_a_page_read_back_is_what_was_kept(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(to_html(sample()), encoding="utf-8")
    read = read_report(path)
    assert read == keep(sample())
    assert read.command == ("report", "qrels.txt", "bm25", "dense", "-m", "RR@10 nDCG@10", "-o", "report.html")
    assert len(changes(read, keep(sample()))) == 0


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is no report"),
        ("<html><body>A page</body></html>", "is no report"),
        ("%PDF-1.7 …", "is a PDF"),
        (MARK + "{nothing}</script>", "is damaged"),
        (MARK + "[]</script>", "is damaged"),
        (MARK + '{"contract": 2}</script>', "is damaged"),
        (MARK + '{"contract": 2, "title": "", "command": [], "made_by": 3, "studies": []}</script>', "is damaged"),
        (
            MARK + '{"contract": 2, "title": "", "command": [], "made_by": {}, '
            '"studies": [{"study": "x", "tables": {"t": [3]}}]}</script>',
            "is damaged",
        ),
        (
            MARK + '{"contract": 2, "title": "", "command": [], "made_by": {}, "studies": [{"tables": {}}]}</script>',
            "is damaged",
        ),
        (MARK + '{"contract": 3, "studies": []}</script>', "contract 3, this is 2"),
        (MARK + '{"contract": 2, "title": ""', "is no report"),
    ],
)
def test_a_file_that_is_no_report_is_refused_in_two_lines(text: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=why) as caught:
        read_report(path)
    assert caught.value.hint
    assert caught.value.file == str(path)
    assert str(caught.value).count("\n") == 1


def test_bytes_that_are_no_text_are_no_report(tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    path.write_bytes(bytes(range(256)))
    with pytest.raises(InputError, match="is no report"):
        read_report(path)


def test_a_number_counts_to_its_last_digit() -> None:
    old = [{"run": "a", "mean": 0.3}, {"run": "b", "mean": 0.5}]
    new = [{"run": "a", "mean": 0.1 + 0.2}, {"run": "b", "mean": 0.5}]
    assert differences(old, new) == [("a", "mean", "0.3", "0.30000000000000004")]


def test_the_order_of_rows_is_no_change() -> None:
    old = [{"run": "a", "mean": 1.0}, {"run": "b", "mean": 2.0}]
    assert differences(old, old[::-1]) == []


def test_rows_are_matched_by_what_they_are_about() -> None:
    old = [
        {"a": "x", "b": "y", "topic": "1", "measure": "AP", "outcome": "both", "value": 1.0},
        {"a": "x", "b": "y", "topic": "2", "measure": "AP", "outcome": "neither", "value": 0.0},
    ]
    new = [old[0] | {"outcome": "only_a", "value": None}, old[1]]
    assert differences(old, new) == [
        ("x, y, 1, AP", "outcome", "both", "only_a"),
        ("x, y, 1, AP", "value", "1.0", None),
    ]


def test_where_these_do_not_tell_rows_apart_other_columns_do() -> None:
    old = [{"a": "x", "b": "y", "level": "all", "outcome": word, "topics": 3} for word in ("a", "b", "equal")]
    new = [old[0], old[1] | {"topics": 4}, old[2] | {"topics": 2}]
    assert differences(old, new) == [("x, y, b", "topics", "3", "4"), ("x, y, equal", "topics", "3", "2")]
    sizes = [{"topics": count, "tau": 0.5} for count in (10, 20)]
    assert differences(sizes, [sizes[0], sizes[1] | {"tau": 0.75}]) == [("20", "tau", "0.5", "0.75")]


def test_rows_that_nothing_tells_apart_are_counted() -> None:
    old = [{"run": "a"}, {"run": "a"}, {"run": "a"}]
    assert differences(old, old[:2]) == [("a (3)", "rows missing", "1", None)]


def test_rows_that_come_and_go_are_counted() -> None:
    old = [{"run": name, "mean": 1.0} for name in "abcdef"]
    new = [{"run": name, "mean": 1.0} for name in "efg"]
    assert differences(old, new) == [
        ("a; b; c and 1 more", "rows missing", "4", None),
        ("g", "rows added", None, "1"),
    ]
    assert differences([], new) == [("e; f; g", "rows added", None, "3")]
    assert differences(new, []) == [("e; f; g", "rows missing", "3", None)]
    assert differences([], []) == []


def test_truth_values_and_new_columns_are_told() -> None:
    old = [{"run": "a", "front": True}]
    assert differences(old, [{"run": "a", "front": False, "cost": 2}]) == [
        ("a", "front", "true", "false"),
        ("a", "cost", None, "2"),
    ]


def test_inputs_program_and_verdict() -> None:
    inputs = [{"name": "q", "digest": "1", "kind": "qrels"}, {"name": "r", "digest": "2", "kind": "run"}]
    before = kept({}, verdict={"better": "a", "sentence": "A."}, version="1", seed=0, measures=["AP"], inputs=inputs)
    newer = [inputs[0] | {"digest": "9"}, {"name": "s", "digest": "3", "kind": "run"}]
    after = kept(
        {}, verdict={"better": "b", "sentence": "A."}, version="2", seed=0, measures=["AP", "RR"], inputs=newer
    )
    found = changes(before, after)
    assert [tuple(row.values()) for row in found.rows()] == [
        ("", "made_by", "q", "digest", "1", "9"),
        ("", "made_by", "r", "digest", "2", None),
        ("", "made_by", "s", "digest", None, "3"),
        ("", "made_by", "", "version", "1", "2"),
        ("", "made_by", "", "measures", "AP", "AP, RR"),
        ("x", "verdict", "", "better", "a", "b"),
    ]
    assert changes_sentence(found) == (
        "The verdict of x changed; 3 inputs changed (q, r, s); version and measures changed."
    )


def test_studies_and_tables_that_come_and_go() -> None:
    before = kept({"t": [], "u": []})
    after = kept({"t": [], "w": []})
    after = replace(after, studies=(*after.studies, after.studies[0], dict(after.studies[0]) | {"study": "y"}))
    found = changes(before, after)
    assert [tuple(row.values()) for row in found.rows()] == [
        ("x", "u", "", "table", "there", None),
        ("x", "w", "", "table", None, "there"),
        ("x 2", "", "", "study", None, "there"),
        ("y", "", "", "study", None, "there"),
    ]
    assert changes_sentence(found) == "The table u, the table w, the study x 2 and the study y came or went."


def test_a_report_on_other_numbers_says_so() -> None:
    before, after = (compose([Section("t", compared(topics=4, shift=shift))], title="t") for shift in (0.0, 0.5))
    found = changes(keep(before), keep(after))
    assert changes_sentence(found) == "6 cells in 2 tables changed."  # 2 differences, 4 values of b
    fewer = compose([Section("t", compared(topics=3))], title="t")
    assert changes_sentence(changes(keep(before), keep(fewer))) == "1 row went from topics."
    more = changes(keep(fewer), keep(compose([Section("t", compared(topics=5))], title="t")))
    assert changes_sentence(more) == "2 rows came to topics."
    one = changes(kept({"t": [{"run": "a", "v": 1}]}), kept({"t": [{"run": "a", "v": 2}]}))
    assert changes_sentence(one) == "1 cell in 1 table changed."


def test_no_change_is_a_sentence() -> None:
    assert changes_sentence(changes(keep(sample()), keep(sample()))).startswith("Nothing changed")


def test_numbers_survive_the_page(tmp_path: Path) -> None:
    report = compose([Section("t", compared(shift=1e-16))], title="t")
    path = tmp_path / "r.html"
    path.write_text(to_html(report), encoding="utf-8")
    assert json.loads(json.dumps(keep(report).as_dict())) == read_report(path).as_dict()
