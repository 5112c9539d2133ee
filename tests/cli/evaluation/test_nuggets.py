"""cranfield nuggets."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.cli.commands import Command, expect_refusal, read_json


@pytest.fixture(autouse=True)
def files(here: Path) -> None:
    """Two runs as nuggetizer writes them, and the same as rows with a file of nuggets."""
    assigned = {"a": ("support", "partial_support", "not_support"), "b": ("not_support", "support", "support")}
    important = ("vital", "vital", "okay")
    lines: dict[str, list[dict[str, Any]]] = {}
    for run, words in assigned.items():
        nuggets = [{"text": f"n{i}", "importance": important[i], "assignment": word} for i, word in enumerate(words)]
        lines[run] = [
            {"qid": topic, "query": "?", "run_id": run, "answer_text": "So it is.", "nuggets": nuggets}
            for topic in ("1", "2")
        ]
        (here / f"{run}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines[run]))
    rows = [
        f"{line['qid']},{run},{nugget['text']},{nugget['assignment']}\n"
        for run, several in lines.items()
        for line in several
        for nugget in line["nuggets"]
    ]
    (here / "assigned.csv").write_text("topic,run,nugget,support\n" + "".join(rows))
    key = "".join(f"{topic},n{i},{important[i]}\n" for topic in (1, 2) for i in range(3))
    (here / "nuggets.csv").write_text("topic,nugget,importance\n" + key)
    (here / "cited.csv").write_text("topic,run,sentence,document,support\n1,a,1,d,full\n1,a,2,,\n2,a,1,d,partial\n")


def test_json_is_a_contract(cranfield: Command) -> None:
    found = read_json(cranfield("nuggets", "a.jsonl", "b.jsonl", "-m", "NuggetVital", "-q", "--format", "json").out)
    assert (found["study"], list(found["tables"])) == ("nuggets", ["values", "per_topic"])
    assert [(row["run"], row["measure"], row["value"], row["topics"]) for row in found["tables"]["values"]] == [
        *(("a", "NuggetVital", 0.75, 2), ("b", "NuggetVital", 0.5, 2)),
    ]
    assert list(found["tables"]["per_topic"][0]) == ["run", "topic", "measure", "value"]
    assert found["made_by"]["command"] == "cranfield nuggets a.jsonl b.jsonl -m NuggetVital -q --format json"
    assert [one["kind"] for one in found["made_by"]["inputs"]] == ["assignments", "assignments"]


def test_rows_and_lines_say_the_same(cranfield: Command) -> None:
    asked = ("-m", "NuggetVital NuggetAll(strict=True)", "--format", "tsv")
    lines = cranfield("nuggets", "a.jsonl", "b.jsonl", *asked)
    rows = cranfield("nuggets", "assigned.csv", "--nuggets", "nuggets.csv", *asked)
    assert lines.code == 0
    assert lines.out == rows.out


def test_text_has_a_column_for_each_measure(cranfield: Command) -> None:
    ended = cranfield("nuggets", "a.jsonl", "--citations", "cited.csv", "-q", "--scale", "ignore", "--format", "text")
    assert ended.code == 0
    head = ended.out.splitlines()[1].split()
    assert head[1:] == [
        *("NuggetVital(strict=True)", "NuggetVital", "NuggetAll(strict=True)", "NuggetAll"),
        *("CitationPrecision", "CitationRecall", "AnswerLength"),
    ]
    # Two sentences in topic 1, one of them supported in full; one in topic 2, in part.
    assert ended.out.splitlines()[2].split()[-3:] == ["0.7500", "0.5000", "3.0000"]


def test_scores_go_on_to_other_commands(here: Path, cranfield: Command) -> None:
    ended = cranfield("nuggets", "a.jsonl", "b.jsonl", "-m", "NuggetAll", "--table", "scores", "-o", "scores.csv")
    assert ended.code == 0
    assert (here / "scores.csv").read_text() == "topic,a,b\n1,0.5,0.6666666666666666\n2,0.5,0.6666666666666666\n"
    assert cranfield("test", "--scores", "scores.csv", "--format", "json").code == 0


def test_what_is_missing_is_asked_for(cranfield: Command) -> None:
    hint = "cranfield nuggets assigned.jsonl, or --citations citations.csv"
    expect_refusal(cranfield("nuggets"), 2, "there are no ASSIGNMENTS", hint)
    ended = cranfield("nuggets", "a.jsonl", "b.jsonl", "--table", "scores")
    assert (ended.code, ended.err.startswith("error: which measure?\nhint: there are: NuggetVital(strict=True)")) == (
        *(1, True),
    )


def test_results_can_be_made_again(here: Path, cranfield: Command) -> None:
    assert cranfield("nuggets", "assigned.csv", "--nuggets", "nuggets.csv", "-q", "-o", "result.json").code == 0
    ended = cranfield("rerun", "result.json", "--require")
    assert (ended.code, ended.out) == (0, "Nothing changed: every number is the same to the last digit.\n")
    text = (here / "nuggets.csv").read_text()
    (here / "nuggets.csv").write_text(text.replace("1,n0,vital", "1,n0,okay"))
    ended = cranfield("rerun", "result.json", "--require", "--format", "json")
    changes = read_json(ended.out)["tables"]["changes"]
    assert ended.code == 3
    assert ("made_by", "nuggets.csv", "digest") in [(row["table"], row["row"], row["column"]) for row in changes]


def test_scores_are_told_of_what_they_are_values(cranfield: Command) -> None:
    for measure, said in (("CitationRecall", True), ("NuggetAll", False), ("strict_all_score", False)):
        cranfield("nuggets", "a.jsonl", "b.jsonl", "-m", "NuggetAll", "--table", "scores", "-o", "scores.csv")
        ended = cranfield("test", "--scores", "scores.csv", "--scale-of", measure, "-t", "t", "--format", "json")
        assert ended.code == 0
        assert (f"{measure} is ordinal (ferrante2021)" in ended.err) is said
        named = {row["measure"] for row in read_json(ended.out)["tables"]["tests"]}
        assert named == {"NuggetAll(strict=True)" if measure.startswith("strict") else measure}
        refused = cranfield("anova", "--scores", "scores.csv", "--scale-of", measure, "--scale", "refuse")
        assert (refused.code == 1) is said


def test_rows_keep_what_they_are_values_of(cranfield: Command) -> None:
    asked = ("-m", "NuggetAll", "-m", "AnswerLength", "-q", "--table", "per_topic", "-o", "rows.csv")
    assert cranfield("nuggets", "a.jsonl", "b.jsonl", *asked).code == 0
    for name in ("NuggetAll", "all_score"):
        ended = cranfield("test", "--scores", "rows.csv", "-m", name, "--scale", "refuse", "--format", "json")
        assert {row["measure"] for row in read_json(ended.out)["tables"]["tests"]} == {"NuggetAll"}


def test_support_is_counted_and_drawn(here: Path, cranfield: Command) -> None:
    asked = ("--citations", "cited.csv", "--scale", "ignore", "--support", "--chart", "support.svg")
    ended = cranfield("nuggets", "a.jsonl", "b.jsonl", *asked, "--format", "json")
    assert ended.code == 0
    tables = read_json(ended.out)["tables"]
    assert list(tables) == ["values", "support"]
    assert list(tables["support"][0]) == [
        *("of", "run", "full", "partial", "none", "uncited", "number", "topics"),
    ]
    assert [(row["of"], row["run"], row["full"]) for row in tables["support"]] == [
        *(("vital nuggets", "a", 0.5), ("vital nuggets", "b", 0.5)),
        *(("okay nuggets", "b", 1.0), ("okay nuggets", "a", 0.0)),
        *(("sentences", "a", 0.25), ("sentences", "b", 0.0)),
    ]
    assert "2 runs: 50" in (here / "support.svg").read_text()


def test_a_chart_alone_adds_no_table(here: Path, cranfield: Command) -> None:
    ended = cranfield("nuggets", "a.jsonl", "-m", "NuggetAll", "--chart", "support.png", "--format", "json")
    assert list(read_json(ended.out)["tables"]) == ["values"]
    assert (here / "support.png").read_bytes().startswith(b"\x89PNG")
    refused = cranfield("nuggets", "a.jsonl", "--chart", "support.gif")
    assert refused.code == 1
