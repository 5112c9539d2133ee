"""cranfield clicks, as a user runs it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from cranfield.core import VERSION
from tests.support.cli.commands import Command, expect_refusal, read_json
from tests.support.simulations import position_biased_log

if TYPE_CHECKING:
    from pathlib import Path

LOG = position_biased_log.columns(400)
CONTRACT = {
    "fit": {"model", "log_likelihood", "perplexity", "conditional_perplexity", "impressions"},
    "parameters": {"model", "name", "key", "value", "low", "high"},
}


@pytest.fixture(autouse=True)
def files(here: Path) -> None:
    """A log, judgments and a run, in the folder to stand in."""
    (here / "log.csv").write_text(position_biased_log.as_csv(LOG))
    lines = [
        (topic, document, grade) for topic, of in position_biased_log.QRELS.items() for document, grade in of.items()
    ]
    (here / "qrels.txt").write_text("".join(f"{topic} 0 {document} {grade}\n" for topic, document, grade in lines))
    run = (f"{topic} Q0 {document} 1 {score} mine\n" for score, (topic, document, _) in enumerate(lines))
    (here / "run.txt").write_text("".join(run))


def flat(text: str) -> str:
    return " ".join(text.split())


def asked(*words: str) -> tuple[str, ...]:
    return ("clicks", "log.csv", "--model", "RCTR PBM", *words)


def test_as_text(cranfield: Command) -> None:
    ended = cranfield(*asked())
    assert (ended.code, ended.err) == (0, "")
    assert flat(ended.out).startswith("rows excluded: none of 2,000 400 impressions of 40 users; ")
    heads = [line.split() for line in ended.out.splitlines()]
    assert ["measure", "unit", "value", "low", "high", "users"] in heads
    assert any(head[:4] == ["rank", "impressions", "observed", "PBM"] for head in heads)
    assert ["name", "key", "value"] in heads
    assert "--table parameters has all" in ended.out
    assert not [line for line in ended.out.splitlines() if len(line) > 110 and not line.startswith("note:")]


def test_the_json_contract(cranfield: Command) -> None:
    found = read_json(cranfield(*asked("--format", "json")).out)
    assert (found["contract"], found["study"]) == (2, "clicks")
    assert list(found["tables"]) == ["dropped", "online", "fit", "ranks", "parameters"]
    for table, columns in CONTRACT.items():
        assert columns <= set(found["tables"][table][0])
    names = {"impressions", "users", "click_through", "model", "measures", "not_converged", "trusted", "sentence"}
    assert names | {"rows", "rows_excluded", "excluded"} == set(found["verdict"])
    # 5 rates and 5 examinations by rank, and the attraction of 2 · 5 documents.
    assert len(found["tables"]["parameters"]) == 5 + 5 + 10
    assert found["made_by"]["command"].startswith("cranfield clicks log.csv")
    assert found["made_by"]["version"] == VERSION
    assert [one["kind"] for one in found["made_by"]["inputs"]] == ["log"]


@pytest.mark.parametrize("name", ["RBP", "CWL", "MP", "ERR", "TBG", "uPBM", "uUBM", "rrDBN"])
def test_what_calibrate_prints_evaluate_reads(name: str, cranfield: Command) -> None:
    ended = cranfield(*asked("--calibrate", name, "--qrels", "qrels.txt", "--format", "json"))
    assert ended.code == 0, ended.err
    (measure,) = read_json(ended.out)["verdict"]["measures"]
    text = cranfield(*asked("--calibrate", name, "--qrels", "qrels.txt"))
    assert any(line.endswith(measure) for line in text.out.splitlines())
    valued = cranfield("evaluate", "qrels.txt", "run.txt", "-m", measure, "--format", "json")
    assert valued.code == 0, valued.err
    assert read_json(valued.out)["tables"]["values"][0]["value"] > 0


def test_lengths_tell_what_reading_takes(cranfield: Command, here: Path) -> None:
    """In this log a click comes ten seconds after another for each rank between: 10 seconds for a summary."""
    documents = [f"{topic}-{letter}" for topic in position_biased_log.TOPICS for letter in position_biased_log.GRADES]
    lines = [f"{document},{100 + 10 * place}" for place, document in enumerate(documents)]
    (here / "lengths.csv").write_text("\n".join(["document,length", *lines, ""]))
    words = ("--calibrate", "TBG", "--qrels", "qrels.txt", "--lengths", "lengths.csv", "--format", "json")
    ended = cranfield(*asked(*words))
    assert ended.code == 0, ended.err
    found = read_json(ended.out)
    fitted = {row["parameter"]: row["value"] for row in found["tables"]["calibrated"]}
    assert set(fitted) == {"click_relevant", "click_other", "summary", "reading", "opening"}
    assert fitted["summary"] == 10
    assert [one["kind"] for one in found["made_by"]["inputs"]] == ["log", "qrels", "lengths"]


def test_judgments_are_written(cranfield: Command, here: Path) -> None:
    ended = cranfield(*asked("--infer", "clicked.qrels", "--cuts", "0.3,0.65", "--table", "fit"))
    assert (ended.code, ended.err) == (0, "clicked.qrels: 10 rows\n")
    lines = [line.split() for line in (here / "clicked.qrels").read_text().splitlines()]
    assert {topic for topic, *_ in lines} == set(position_biased_log.TOPICS)
    valued = cranfield("evaluate", "clicked.qrels", "run.txt", "-m", "nDCG@5", "--format", "json")
    assert valued.code == 0, valued.err
    ended = cranfield(*asked("--infer", "gains.qrels", "--table", "fit"))
    assert "note: gains.qrels has grades with decimals: cranfield evaluate --gains reads them" in ended.err
    assert cranfield("evaluate", "--gains", "gains.qrels", "run.txt", "-m", "nDCG@5").code == 0


def test_columns_measures_and_sets(cranfield: Command, here: Path) -> None:
    text = (here / "log.csv").read_text().replace("topic", "search_phrase", 1)
    (here / "other.csv").write_text(text)
    words = ("clicks", "other.csv", "--column", "topic=search_phrase", "--model", "RCTR", "--table", "online")
    found = read_json(cranfield(*words, "-m", "ctr", "-m", "dwell", "--format", "json").out)
    assert [row["measure"] for row in found["tables"]["online"]] == ["ctr", "dwell"]
    ended = cranfield(*words, "--set", "HEART")
    assert "queries_per_session" in ended.out
    assert "note: the log does not say: satisfaction" in ended.err


def test_rows_that_are_left_out_are_told(cranfield: Command, here: Path) -> None:
    bad = (here / "log.csv").read_text() + "i9999,u1,1714557600,301,0,x,0,\n"
    (here / "bad.csv").write_text(bad)
    ended = cranfield("clicks", "bad.csv", "--model", "RCTR")
    assert ended.out.startswith("rows excluded: 1 of 2,001 (rank below 1: 1)\n")
    table = cranfield("clicks", "bad.csv", "--model", "RCTR", "--table", "dropped", "--format", "csv")
    assert table.out.splitlines()[1].startswith("rank below 1,,1,")


def test_several_files_are_one_log(cranfield: Command, here: Path) -> None:
    head, *lines = (here / "log.csv").read_text().splitlines()
    for name, some in (("one.csv", lines[:1000]), ("two.csv", lines[1000:])):
        (here / name).write_text("\n".join([head, *some, ""]))
    words = ("--model", "RCTR", "--table", "fit", "--format", "csv")
    assert cranfield("clicks", "one.csv", "two.csv", *words) == cranfield("clicks", "log.csv", *words)


def write_ubi(here: Path) -> None:
    """The same log as User Behavior Insights would keep it."""
    queries: dict[str, dict[str, Any]] = {}
    events = []
    for row in zip(*LOG.values(), strict=True):
        impression, user, at, topic, _, document, click, then = row
        first = {"query_id": impression, "client_id": user, "user_query": topic, "timestamp": at * 1000}
        queries.setdefault(impression, first | {"query_response_hit_ids": []})["query_response_hit_ids"].append(
            document
        )
        if click:
            about = {"object": {"object_id": document}, "position": {"ordinal": row[4]}}
            event = {"action_name": "click", "query_id": impression, "timestamp": then * 1000}
            events.append(event | {"event_attributes": about})
    for name, rows in (("ubi_queries.jsonl", queries.values()), ("ubi_events.jsonl", events)):
        (here / name).write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_a_log_of_user_behavior_insights(cranfield: Command, here: Path) -> None:
    write_ubi(here)
    words = ("--model", "PBM", "--format", "csv", "--table")
    plain = {table: cranfield("clicks", "log.csv", *words, table) for table in ("fit", "parameters")}
    for table, ended in plain.items():
        files = ("ubi_queries.jsonl", "ubi_events.jsonl")
        assert cranfield("clicks", "--ubi", *files, *words, table) == ended
    (here / "log.csv").unlink()
    assert cranfield("clicks", "--ubi", ".", *words, "fit") == plain["fit"]


def test_actions_of_user_behavior_insights_may_be_clicks(cranfield: Command, here: Path) -> None:
    write_ubi(here)
    events = here / "ubi_events.jsonl"
    lines = events.read_text().splitlines()
    events.write_text("\n".join([lines[0], *(line.replace('"click"', '"item_click"') for line in lines[1:])]))
    words = (
        "clicks",
        "--ubi",
        "ubi_queries.jsonl",
        "ubi_events.jsonl",
        "--model",
        "RCTR",
        "-m",
        "ctr",
        "--table",
        "online",
    )
    ended = cranfield(*words, "--format", "csv")
    assert f"item_click ({len(lines) - 1:,})" in ended.err
    both = cranfield(*words, "--format", "csv", "--clicks", "click", "--clicks", "item_click")
    assert both.err == ""
    assert both.out == cranfield("clicks", "log.csv", *words[4:], "--format", "csv").out


def changed(here: Path, change: Any) -> None:
    """Write the log with cells that ``change`` returns for the columns of a row."""
    rows = [dict(zip(LOG, row, strict=True)) for row in zip(*LOG.values(), strict=True)]
    made = {name: [(row | change(row))[name] for row in rows] for name in LOG}
    (here / "changed.csv").write_text(position_biased_log.as_csv(made))


def verdict(cranfield: Command, *words: str) -> dict[str, Any]:
    ended = cranfield("clicks", *words, "--model", "RCTR", "-m", "ctr", "--format", "json")
    assert ended.code == 0, ended.err
    found: dict[str, Any] = read_json(ended.out)["verdict"]
    return found


def test_clicks_and_ranks_in_other_forms_give_the_same_verdict(cranfield: Command, here: Path) -> None:
    usual = verdict(cranfield, "log.csv")
    changed(here, lambda row: {"clicked": 2 * row["clicked"]})
    assert verdict(cranfield, "changed.csv") == usual
    changed(here, lambda row: {"clicked": 1 if row["clicked"] else ""})
    assert verdict(cranfield, "changed.csv") == usual
    assert "note: " in cranfield("clicks", "changed.csv", "--model", "RCTR", "--table", "fit", "--format", "csv").err
    changed(here, lambda row: {"rank": row["rank"] - 1})
    assert cranfield("clicks", "changed.csv").code == 1
    assert verdict(cranfield, "changed.csv", "--ranks-from", "0") == usual


def test_pages_without_a_user_make_the_verdict_doubtful(cranfield: Command, here: Path) -> None:
    pages = sorted(set(LOG["impression"]))
    lost = set(pages[::4])
    changed(here, lambda row: {"user": "" if row["impression"] in lost else row["user"]})
    found = verdict(cranfield, "changed.csv")
    rows = sum(page in lost for page in LOG["impression"])
    assert (found["rows_excluded"], found["trusted"]) == (rows, False)
    assert verdict(cranfield, "log.csv")["trusted"]
    words = ("--model", "RCTR", "-m", "ctr", "--table", "online", "--format", "csv")
    first, second = cranfield("clicks", "changed.csv", *words).err.splitlines()
    assert first == f"note: {found['excluded']}"
    assert second == f"note: {found['sentence']}"
    assert cranfield("clicks", "log.csv", *words).err == ""


@pytest.mark.parametrize("name", ["click-curves", "examination"])
def test_charts(name: str, cranfield: Command, here: Path) -> None:
    ended = cranfield(*asked("--chart", "chart.svg", "--draw", name, "--table", "fit"))
    assert ended.code == 0, ended.err
    assert (here / "chart.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("words", "code", "error", "hint"),
    [
        (("nothing.csv",), 1, "nothing.csv: there is no such file", None),
        (("log.csv", "--model", "PDM"), 1, "there is no click model named 'PDM'", None),
        (("log.csv", "--calibrate", "ERR"), 1, "ERR is fitted by grade", "give judgments: --qrels QRELS"),
        (("log.csv", "--cuts", "0.1"), 2, "--cuts needs --infer", "give --infer FILE too, or leave it out"),
        (("log.csv", "--set", "HEART", "-m", "ctr"), 2, "--measure and --set are both given", "give one of both"),
        (("log.csv", "--test", "1"), 1, "a share of 1.0 cannot be held out", "give a share from 0 up and below 1"),
        (("log.csv", "--engine", "oracle"), 1, "there is no engine 'oracle'", None),
        (("log.csv", "--memory", "much"), 1, "'much' is no amount of memory", "for example: 4GB"),
        (("a", "b", "c", "--ubi"), 2, "--ubi takes two files or a folder, not 3", "--ubi QUERIES EVENTS"),
        (("log.csv", "--ubi", "--column", "topic=x"), 2, "--column is not for --ubi", None),
        (("log.csv", "--clicks", "tap"), 2, "--clicks is for --ubi", None),
        (("log.csv", "--ranks-from", "2"), 2, "--ranks-from cannot be 2", "choose one of: 0, 1"),
        (("log.csv", "--ubi"), 1, "log.csv: this is no folder with an export of UBI", None),
    ],
)
def test_refusals(words: tuple[str, ...], code: int, error: str, hint: str | None, cranfield: Command) -> None:
    expect_refusal(cranfield("clicks", *words), code, error, hint)


def test_the_chart_of_examination_needs_a_model_that_has_one(cranfield: Command) -> None:
    ended = cranfield("clicks", "log.csv", "--model", "RCTR", "--chart", "x.svg", "--draw", "examination")
    hint = "add a model: PBM, UBM, DBN, …"
    expect_refusal(ended, 2, "click-through rates say nothing of what is looked at", hint)
