"""Judged answers: what is read, and what is refused with its file and line."""

import json
from pathlib import Path

import polars as pl
import pytest

from cranfield.core import InputError
from cranfield.data import read_answers
from tests.support.expected_errors import check

KEY = "topic,nugget,importance\n1,a,vital\n1,b,okay\n"
ASSIGNED = "topic,run,nugget,support\n1,x,a,support\n1,x,b,not_support\n"
A_SUPPORT = "support, partial_support, not_support; full, partial, none; or a number from 0 to 1"


@pytest.mark.parametrize("suffix", ["csv", "tsv", "txt", "jsonl", "jl", "json", "parquet"])
def test_every_format_says_the_same(tmp_path: Path, suffix: str) -> None:
    rows = [line.split(",") for line in ASSIGNED.splitlines()[1:]]
    names = ("topic", "run", "nugget", "support")
    file = tmp_path / f"assigned.{suffix}"
    if suffix == "parquet":
        pl.DataFrame(rows, schema=names, orient="row").write_parquet(file)
    elif suffix in ("jsonl", "jl"):
        file.write_text("".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows))
    elif suffix == "json":
        file.write_text(json.dumps([dict(zip(names, row, strict=True)) for row in rows]))
    elif suffix == "txt":
        file.write_text("".join(" ".join(row) + "\n" for row in rows))
    else:
        file.write_text(ASSIGNED.replace(",", "\t" if suffix == "tsv" else ","))
    found = read_answers(file)
    assert (found.runs, found.topics, found.support.tolist()) == (("x",), ("1",), [[1, 0]])
    assert [one.kind for one in found.inputs] == ["assignments"]


def test_a_run_that_is_not_named_has_the_name_of_its_file(tmp_path: Path) -> None:
    for name, support in (("bm25", "support"), ("dense", "partial")):
        (tmp_path / f"{name}.jsonl").write_text(
            json.dumps({"qid": "1", "query": "why?", "nuggets": [{"text": "a", "assignment": support}]})
        )
    found = read_answers([tmp_path / "bm25.jsonl", tmp_path / "dense.jsonl"])
    assert (found.runs, found.topics, found.support.tolist()) == (("bm25", "dense"), ("1",), [[1], [0.5]])


def test_nuggets_of_one_text_are_two(tmp_path: Path) -> None:
    nuggets = [{"text": "a", "importance": "vital", "assignment": word} for word in ("support", "not_support")]
    (tmp_path / "x.jsonl").write_text(json.dumps({"qid": "1", "nuggets": nuggets}))
    found = read_answers(tmp_path / "x.jsonl")
    assert found.nuggets is not None
    assert (found.nuggets.names, found.support.tolist()) == (("a", "a (2)"), [[1, 0]])


def test_topics_without_nuggets_are_left_out() -> None:
    assigned = {"topic": ["1", "9"], "run": ["x", "x"], "nugget": ["a", "z"], "support": ["1", "0"]}
    found = read_answers(assigned, nuggets={"topic": ["1"], "nugget": ["a"], "importance": ["vital"]})
    assert found.topics == ("1",)
    assert found.notes == ("1 topic has no nuggets (9): left out",)


CITED = "topic,run,sentence,document,support\n1,x,1,d,full\n"
# The file, its content, the code, the first line of the error behind the file, how the hint begins.
REFUSED = [
    ("assigned", "topic,run,nugget,support\n", "E-EMPTY", ": there are no assignments", "a line reads: topic run"),
    ("assigned", "", "E-EMPTY", ": the file has no rows", ""),
    ("assigned", "topic,run,nugget\n1,x,a\n", "E-COLUMNS", ": there is no column for the support", "support may be"),
    (
        "assigned",
        ASSIGNED + "1,y,a,maybe\n",
        "E-SUPPORT",
        ':4: "maybe" is no support',
        f"a support is one of: {A_SUPPORT}",
    ),
    ("assigned", ASSIGNED + "1,y,a,2\n", "E-SUPPORT", ':4: "2" is no support', "a support is one of"),
    ("assigned", ASSIGNED + "1,y,a,\n", "E-NULL", ":4: there is no support", "fill or drop the row"),
    ("assigned", ASSIGNED + "1,x,a,1\n", "E-NUGGET", ":4: nugget a of topic 1 is assigned to x twice", "keep one row"),
    ("assigned", ASSIGNED + "1,x,c,1\n", "E-NUGGET", ":4: topic 1 has no nugget c", "the file of nuggets names every"),
    (
        "assigned",
        "topic,run,nugget,support\n7,x,a,1\n",
        "E-TOPICS",
        ": no topic of the assignments has nuggets",
        "nuggets are of: 1",
    ),
    ("nuggets", KEY + "1,a,okay\n", "E-NUGGET", ":4: nugget a of topic 1 is there twice", "keep one row"),
    ("nuggets", KEY + "1,c,high\n", "E-NUGGET", ':4: "high" is no importance', "an importance is vital or okay"),
    ("nuggets", "topic,nugget,weight\n1,a,-1\n", "E-NUGGET", ":2: weight -1 is below 0", "a weight is 0 or more"),
    ("nuggets", "topic,nugget,weight\n1,a,much\n", "E-TYPE", ':2: weight "much" is not a finite number', ""),
    ("citations", CITED + "1,x,1,e,\n", "E-NULL", ":3: nothing is said of the citation of e", "say how far"),
    ("citations", CITED + "1,x,1,d,none\n", "E-DUPDOC", ":3: sentence 1 of x in topic 1 cites d twice", "keep one row"),
    ("answers", "topic,run,words\n1,x,3\n1,x,4\n", "E-CONFLICT", ":3: the answer of x to topic 1 has two lengths", ""),
]


@pytest.mark.parametrize(("name", "text", "code", "problem", "hint"), REFUSED)
def test_what_is_wrong_is_told_with_its_line(
    tmp_path: Path, name: str, text: str, code: str, problem: str, hint: str
) -> None:
    for own, content in ({"assigned": ASSIGNED, "nuggets": KEY} | {name: text}).items():
        (tmp_path / f"{own}.csv").write_text(content)
    given = {own: tmp_path / f"{own}.csv" for own in ("nuggets", "citations", "answers") if own in (name, "nuggets")}
    with pytest.raises(InputError) as caught:
        read_answers(tmp_path / "assigned.csv", **given)
    said, _, told = str(caught.value).partition("\nhint: ")
    assert (said.startswith(f"{tmp_path / name}.csv{problem}"), caught.value.code) == (True, code)
    assert told.startswith(hint)
    assert told


def test_nested_nuggets_that_are_none_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"qid": "1", "nuggets": ["a", "b"]}\n')
    hint = 'nuggets read: [{"text": …, "importance": "vital", "assignment": "support"}, …]'
    problem = f"{tmp_path}/x.jsonl:1: the nuggets are no list of objects"
    check(lambda: read_answers(tmp_path / "x.jsonl"), "E-TYPE", problem, hint)


def test_one_nugget_has_one_importance(tmp_path: Path) -> None:
    records = [
        {"qid": "1", "run_id": run, "nuggets": [{"text": "a", "importance": importance, "assignment": "support"}]}
        for run, importance in (("x", "vital"), ("y", "okay"))
    ]
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    problem = f"{tmp_path}/x.jsonl:2: nugget a of topic 1 has another importance than before"
    hint = "one nugget has one importance, whoever answers"
    check(lambda: read_answers(tmp_path / "x.jsonl"), "E-NUGGET", problem, hint)
