"""`cranfield evaluate --engine`, as far as it goes without Spark: what is refused, and addresses where nobody is."""

from __future__ import annotations

import pytest

import cranfield as cf
from cranfield.data import connect
from tests.support.cli.commands import Command, expect_refusal


@pytest.mark.parametrize("option", ["--residual", "--prefs", "--subtopics", "--lengths=words.tsv", "--curve=pr"])
def test_what_needs_one_machine_is_refused(cranfield: Command, option: str) -> None:
    ended = cranfield("evaluate", "qrels.parquet", "runs.parquet", "--engine", "local[2]", option)
    name = option.partition("=")[0]
    error = f"{name} is for one machine, and --engine asks others"
    expect_refusal(ended, 2, error, f"leave out {name}, or --engine")


def test_values_land_of_all_topics(cranfield: Command) -> None:
    words = ("qrels.parquet", "runs.parquet", "--engine", "local[2]", "--topics", "1", "-o", "values.parquet")
    ended = cranfield("evaluate", *words)
    error = "the values of all topics land in Parquet, and --topics names some"
    expect_refusal(ended, 2, error, "leave out the names of topics, or write another format")


@pytest.mark.parametrize("command", [("evaluate", "qrels.txt", "run.txt"), ("clicks", "run.txt"), ("ab", "run.txt")])
def test_a_machine_where_nobody_listens_ends_in_two_lines(cranfield: Command, command: tuple[str, ...]) -> None:
    ended = cranfield(*command, "--engine", "spark://nowhere.invalid:7077")
    assert ended.code == 1
    first, second = ended.err.splitlines()
    assert first.startswith("error: spark://nowhere.invalid:7077: Spark does not answer: ")
    assert second.startswith("hint: engines: ")


@pytest.mark.parametrize(
    "address", ["spark://nowhere.invalid:7077", "spark://127.0.0.1:1", "sc://nowhere.invalid", "spark://"]
)
def test_an_address_where_nobody_listens_is_said_in_two_lines(address: str) -> None:
    with pytest.raises(cf.InputError) as refused:
        connect(address)
    assert refused.value.code == "E-ENGINE"
    problem, hint = str(refused.value).split("\n")
    assert problem.startswith(f"{address}: Spark does not answer: ")
    assert hint.startswith("hint: engines: duckdb, spark://HOST:PORT")
