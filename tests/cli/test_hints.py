"""Hints on the command line speak of options, not of arguments in Python."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from cranfield.cli.options.usage_errors import in_options
from tests.support.cli.commands import Command, expect_refusal
from tests.support.source_tree import SOURCE, files


@pytest.mark.parametrize(
    ("python", "typed"),
    [
        ('or say where it is: columns={"topic": "…"}', "or say where it is: --column topic=NAME"),
        ("or say where it is: columns={'topic': …}", "or say where it is: --column topic=NAME"),
        ('say where to look: columns={"worker": "who"}', "say where to look: --column worker=who"),
        ("say so: --subtopics (subtopics=True)", "say so: --subtopics (subtopics=True)"),
        ("--gains (in Python gains=True)", "--gains (in Python gains=True)"),
        ("if decimals are meant: gains=True", "if decimals are meant: --gains"),
        ("keep one row; if names are titles, read with repeated='number'", "keep one row"),
        ("write MP(states='all')@10", "write MP(states='all')@10"),
        ("as in gains={1:1,2:5}", "as in gains={1:1,2:5}"),
    ],
)
def test_arguments_become_options(python: str, typed: str) -> None:
    assert in_options(python, {"--column"}) == typed


def test_only_options_of_the_command_are_named() -> None:
    said = 'a line reads: topic document; or name the columns, in order: columns=("topic", …)'
    assert (
        in_options(said, {"--columns"})
        == "a line reads: topic document; or name the columns, in order: --columns topic,…"
    )
    assert in_options(said, {"--column"}) == "a line reads: topic document"
    assert in_options('topic may be called qid; or say where it is: columns={"topic": "…"}', {"--gains"}) == (
        "topic may be called qid"
    )


def test_a_column_that_is_not_found(here: Path, cranfield: Command) -> None:
    (here / "log.csv").write_text("user,what\nu1,1\n")
    line = "a line reads: impression document reward propensity target"
    expect_refusal(cranfield("counterfactual", "log.csv"), 1, "log.csv:1: the line has 2 columns", line)
    (here / "labels.csv").write_text("topic,document,grade\n1,a,1\n")
    ended = cranfield("crowd", "labels.csv")
    assert ended.code == 1
    assert "--column worker=NAME" in ended.err


def test_a_command_without_the_option_does_not_name_it(here: Path, cranfield: Command) -> None:
    (here / "assigned.tsv").write_text("run\ttopic\tnugget\na\t1\tn1\n")
    hint = "support may be called support, assignment, label"
    expect_refusal(cranfield("nuggets", "assigned.tsv"), 1, "assigned.tsv: there is no column for the support", hint)


def test_grades_with_decimals_in_a_table(here: Path, cranfield: Command) -> None:
    pl.DataFrame({"topic": ["1"], "document": ["a"], "grade": [0.5]}).write_parquet(here / "q.parquet")
    problem = 'q.parquet:1: grade "0.5" is not a whole number'
    expect_refusal(
        cranfield("evaluate", "q.parquet", "run.txt"),
        1,
        problem,
        "if decimals are meant: --gains (in Python gains=True)",
    )


# Errors that bring no hint of their own: the page of the server that shows them has the hint.
WITHOUT = {"server/submissions/pages/public_runs.py"}
ERRORS = {"InputError", "ParameterError", "UnknownName", "ScaleError", "CranfieldError", "MissingExtra", "ChecksFailed"}


def calls() -> Iterator[tuple[Path, ast.Call]]:
    for path in files():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                yield path.relative_to(SOURCE), node


def test_every_error_has_a_hint() -> None:
    silent = set()
    for path, call in calls():
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        given = {keyword.arg for keyword in call.keywords}
        if name in ERRORS and not given & {"hint", None}:
            silent.add(str(path))
        if name == "UsageError" and "hint: " not in ast.unparse(call):
            silent.add(str(path))
    assert silent == WITHOUT


def test_no_hint_ends_with_a_full_stop_and_all_begin_small() -> None:
    hints = [
        (path, call.lineno, keyword.value.value)
        for path, call in calls()
        for keyword in call.keywords
        if keyword.arg == "hint" and isinstance(keyword.value, ast.Constant) and isinstance(keyword.value.value, str)
    ]
    assert len(hints) > 100
    assert not [found for found in hints if re.search(r"^[A-Z][a-z]|[^.]\.$", found[2])]
