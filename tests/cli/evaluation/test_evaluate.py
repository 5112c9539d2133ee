"""cranfield evaluate, as a user runs it."""

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import cranfield as cf
from tests.support.cli.commands import QRELS, RUN, Command

DEFAULT = ["AP", "nDCG@10", "RR", "P@10", "R@1000", "Judged@10"]
VALUES = ["run", "measure", "aggregate", "value", "topics", "missing", "without_relevant"]
PER_TOPIC = ["run", "topic", "measure", "value"]


def read_json(text: str) -> dict[str, Any]:
    """The object, if it is JSON as the world knows it: no NaN, no Infinity."""

    def never(word: str) -> object:
        raise AssertionError(word)

    return json.loads(text, parse_constant=never)


def evaluate(cranfield: Command, *words: str) -> dict[str, Any]:
    ended = cranfield("evaluate", *words, "--format", "json")
    assert ended.code == 0, ended.err
    return read_json(ended.out)


# What is shown


def test_text_is_for_people(cranfield: Command) -> None:
    ended = cranfield("evaluate", "qrels.txt", "run.txt", "-m", "AP P@2 NumRet", "--format", "text")
    assert ended.out == "2 topics\nrun      AP     P@2  NumRet\nrun  1.0000  0.5000       4\n"
    assert ended.err == ""


def test_text_topic_by_topic(cranfield: Command) -> None:
    ended = cranfield("evaluate", "qrels.txt", "run.txt", "-m", "AP NumRet", "--format", "text", "-q")
    assert ended.out.splitlines()[4:] == [
        "by topic",
        "run  topic      AP  NumRet",
        "run  1      1.0000       2",
        "run  2      1.0000       2",
    ]


def test_a_pipe_gets_exact_tsv(cranfield: Command) -> None:
    ended = cranfield("evaluate", "qrels.txt", "run.txt", "-m", "P@3")
    third = repr(1 / 3)
    assert ended.out == "\t".join(VALUES) + f"\nrun\tP@3\tmean\t{third}\t2\t0\t0\n"
    assert cranfield("evaluate", "qrels.txt", "run.txt", "-m", "P@3", "--format", "tsv").out == ended.out


def test_csv(cranfield: Command) -> None:
    ended = cranfield("evaluate", "qrels.txt", "run.txt", "--format", "csv")
    rows = list(csv.reader(io.StringIO(ended.out)))
    assert rows[0] == VALUES
    assert [row[1] for row in rows[1:]] == DEFAULT


@pytest.mark.parametrize(
    ("form", "holds"),
    [
        ("latex", [r"\begin{tabular}{rrr}".replace("rrr", "lrr"), r"run & 1.0000 & 0.5000 \\", r"\end{table}"]),
        ("markdown", ["| run | AP | P@2 |", "| :--- | ---: | ---: |", "| run | 1.0000 | 0.5000 |"]),
        ("html", ["<table>", '<td class="number">0.5000</td>', "</table>"]),
    ],
)
def test_markup(form: str, holds: list[str], cranfield: Command) -> None:
    out = cranfield("evaluate", "qrels.txt", "run.txt", "-m", "AP P@2", "--format", form).out
    assert [text for text in holds if text not in out] == []


def test_trec_eval(cranfield: Command) -> None:
    ended = cranfield("evaluate", "qrels.txt", "run.txt", "--format", "trec_eval")
    lines = ended.out.splitlines()
    assert lines[0] == "runid                 \tall\tmine"
    assert lines[1] == "num_q                 \tall\t2"
    assert "map                   \tall\t1.0000" in lines
    asked = cranfield("evaluate", "qrels.txt", "run.txt", "--format", "trec_eval", "-q", "-m", "P@5")
    assert asked.out == "".join(f"P_5                   \t{topic}\t0.2000\n" for topic in ("1", "2", "all"))


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("values.txt", "text"),
        ("values.json", "json"),
        ("values.tsv", "tsv"),
        ("values.csv", "csv"),
        ("values.tex", "latex"),
        ("values.md", "markdown"),
        ("values.html", "html"),
        ("VALUES.JSON", "json"),
        ("values", "csv"),
        ("values.out", "trec_eval"),
    ],
)
def test_a_file_holds_what_stdout_would(name: str, form: str, here: Path, cranfield: Command) -> None:
    ask = ["evaluate", "qrels.txt", "run.txt", "-m", "AP"]
    shown = cranfield(*ask, "--format", form)
    told = ["--format", form] if name in ("values", "values.out") else []
    written = cranfield(*ask, *told, "-o", name)
    assert (written.code, written.out, written.err) == (0, "", "")
    text = (here / name).read_text()
    if form == "json":  # which knows how it was asked for
        assert read_json(text)["tables"] == read_json(shown.out)["tables"]
    else:
        assert text == shown.out


def test_parquet(here: Path, cranfield: Command) -> None:
    assert cranfield("evaluate", "qrels.txt", "run.txt", "-o", "values.parquet").code == 0
    frame = pl.read_parquet(here / "values.parquet")
    assert frame.columns == VALUES
    assert frame["measure"].to_list() == DEFAULT
    ended = cranfield("evaluate", "qrels.txt", "run.txt", "-q", "-o", "topics.parquet")
    assert ended.err == "note: parquet holds one table, here per_topic; --table values gives the other\n"
    assert pl.read_parquet(here / "topics.parquet").columns == PER_TOPIC


def test_an_old_file_is_replaced_whole(here: Path, cranfield: Command) -> None:
    (here / "values.tsv").write_text("old\n" * 1000)
    (here / "link.tsv").symlink_to("values.tsv")
    ended = cranfield("evaluate", "qrels.txt", "run.txt", "-m", "AP", "-o", "link.tsv")
    assert ended.code == 0
    assert (here / "link.tsv").is_symlink()
    assert (here / "values.tsv").read_text().splitlines()[1].startswith("run\tAP\tmean\t1.0")
    assert sorted(path.name for path in here.iterdir()) == ["link.tsv", "qrels.txt", "run.txt", "values.tsv"]


def test_one_table_of_two(cranfield: Command) -> None:
    ask = ["evaluate", "qrels.txt", "run.txt", "-m", "AP", "-q"]
    assert cranfield(*ask, "--table", "values").out.splitlines()[0] == "\t".join(VALUES)
    assert cranfield(*ask, "--table", "per_topic").out.splitlines()[0] == "\t".join(PER_TOPIC)
    assert list(read_json(cranfield(*ask, "--table", "per_topic", "--format", "json").out)["tables"]) == ["per_topic"]
    both = cranfield(*ask, "--format", "tsv")
    assert both.out.splitlines()[0] == "\t".join(PER_TOPIC)
    assert both.err == "note: tsv holds one table, here per_topic; --table values gives the other\n"


# The contract


def test_json_is_the_contract(campaign: Path, cranfield: Command) -> None:
    runs, qrels = campaign / "runs", campaign / "qrels.txt"
    ask = ["evaluate", str(qrels), str(runs), "-m", "map ndcg@10 ESL@1", "-q", "--format", "json"]
    first, second = cranfield(*ask), cranfield(*ask)
    assert first.out == second.out
    found = read_json(first.out)
    assert list(found) == ["contract", "study", "verdict", "tables", "made_by"]
    assert (found["contract"], found["study"], found["verdict"]) == (2, "evaluate", None)
    assert list(found["tables"]) == ["values", "per_topic"]
    assert all(list(row) == VALUES for row in found["tables"]["values"])
    assert all(list(row) == PER_TOPIC for row in found["tables"]["per_topic"])
    assert {row["measure"] for row in found["tables"]["values"]} == {"AP", "nDCG@10", "ESL@1"}
    assert {row["aggregate"] for row in found["tables"]["values"]} == {"mean"}
    made_by = found["made_by"]
    assert list(made_by) == ["version", "command", "inputs", "measures", "seed"]
    assert made_by["command"].startswith(f"cranfield evaluate {qrels} {runs} -m 'map ndcg@10 ESL@1' -q")
    assert made_by["measures"] == ["AP", "nDCG@10", "ESL@1"]
    assert made_by["seed"] is None
    assert [source["kind"] for source in made_by["inputs"]] == ["qrels"] + ["run"] * 6
    assert all(list(source) == ["name", "digest", "kind"] for source in made_by["inputs"])
    assert all(len(source["digest"]) == 64 for source in made_by["inputs"])


def test_a_number_that_does_not_exist_is_null(here: Path, cranfield: Command) -> None:
    (here / "run.txt").write_bytes(RUN.replace(b" a ", b" q ").replace(b" c ", b" r "))
    found = evaluate(cranfield, "qrels.txt", "run.txt", "-m", "ESL AP", "-q")
    assert [row["value"] for row in found["tables"]["values"]] == [None, 0.0]
    assert found["tables"]["values"][0]["topics"] == 0
    assert {row["value"] for row in found["tables"]["per_topic"] if row["measure"] == "ESL"} == {None}
    text = cranfield("evaluate", "qrels.txt", "run.txt", "-m", "ESL AP", "--format", "text").out
    assert "nan" not in text


def test_numbers_keep_every_digit(campaign: Path, cranfield: Command) -> None:
    found = evaluate(cranfield, str(campaign / "qrels.txt"), str(campaign / "runs"), "-m", "AP")
    values = cf.evaluate(campaign / "qrels.txt", campaign / "runs", "AP").aggregate()[:, 0]
    assert [row["value"] for row in found["tables"]["values"]] == values.tolist()
    assert all(math.isfinite(value) for value in values)


# What is asked


def test_measures_in_any_way(cranfield: Command) -> None:
    def asked(*words: str) -> list[str]:
        return [row["measure"] for row in evaluate(cranfield, "qrels.txt", "run.txt", *words)["tables"]["values"]]

    assert asked() == DEFAULT
    assert asked("-m", "P@2", "-m", "AP") == ["P@2", "AP"]
    assert asked("-m", "P@2 AP, RR") == ["P@2", "AP", "RR"]
    assert asked("-m", "mrr", "--measure", "Precision(rel=1)@5", "-m", "RR") == ["RR", "P@5"]
    assert asked("-m", "nDCG(gains={1:3},dcg='log2') @ 5") == ["nDCG(gains={1:3})@5"]


def test_runs_stand_as_they_were_given(here: Path, cranfield: Command) -> None:
    for name in ("b.txt", "a.txt", "c.run.gz"):
        (here / name).write_bytes(RUN)
    found = evaluate(cranfield, "qrels.txt", "b.txt", "a.txt", "c.run.gz", "-m", "AP")
    assert [row["run"] for row in found["tables"]["values"]] == ["b", "a", "c"]


def test_folders_and_patterns(here: Path, cranfield: Command) -> None:
    for name in ("runs/b.txt", "runs/a.txt", "runs/.hidden", "more/x.res", "more/y.json"):
        (here / name).parent.mkdir(exist_ok=True)
        (here / name).write_bytes(RUN)
    (here / "more/y.json").write_text('{"1": {"a": 1.5}, "2": {"c": 0.5}}')

    def runs(*words: str) -> list[str]:
        return [row["run"] for row in evaluate(cranfield, "qrels.txt", *words, "-m", "AP")["tables"]["values"]]

    assert runs("runs") == ["a", "b"]
    assert runs("runs/", "more") == ["a", "b", "x", "y"]
    assert runs("*/?.txt") == ["a", "b"]


def test_runs_of_one_name_are_told_apart(here: Path, cranfield: Command) -> None:
    for name in ("one/bm25.txt", "two/bm25.txt", "two/dense.txt"):
        (here / name).parent.mkdir(exist_ok=True)
        (here / name).write_bytes(RUN)
    found = evaluate(cranfield, "qrels.txt", "one", "two", "-m", "AP")
    assert [row["run"] for row in found["tables"]["values"]] == ["one/bm25", "two/bm25", "dense"]


def test_standard_input(process: Command) -> None:
    by_name = process("evaluate", "qrels.txt", "run.txt", "-m", "AP P@2")
    piped = process("evaluate", "qrels.txt", "-", "-m", "AP P@2", stdin=RUN)
    assert (piped.code, piped.err) == (0, "")
    assert piped.out == by_name.out.replace("\nrun\t", "\n-\t")
    assert process("evaluate", "-", "run.txt", "-m", "AP P@2", stdin=QRELS).out == by_name.out


# Topics


def test_missing_topics_count_as_worst_and_are_named(here: Path, cranfield: Command) -> None:
    (here / "run.txt").write_bytes(RUN[: RUN.index(b"2 Q0")])
    ended = cranfield("evaluate", "qrels.txt", "run.txt", "-m", "AP", "--format", "json")
    assert read_json(ended.out)["tables"]["values"] == [
        {
            "run": "run",
            "measure": "AP",
            "aggregate": "mean",
            "value": 0.5,
            "topics": 2,
            "missing": 1,
            "without_relevant": 0,
        }
    ]
    assert ended.err.startswith("note: run: 1 of 2 topics ")
    assert ended.err.endswith("(2), counted as worst; trec_eval without -c leaves them out: --topics both\n")
    both = cranfield("evaluate", "qrels.txt", "run.txt", "-m", "AP", "--topics", "both", "--format", "json")
    assert [(row["value"], row["topics"], row["missing"]) for row in read_json(both.out)["tables"]["values"]] == [
        (1.0, 1, 1)
    ]
    assert both.err.endswith("(2), left out\n")
    assert cranfield("evaluate", "qrels.txt", "run.txt", "--format", "trec_eval").err == ended.err


def test_many_runs_that_miss_topics_are_one_note(here: Path, cranfield: Command) -> None:
    short = RUN[: RUN.index(b"2 Q0")]
    for number in range(5):
        (here / f"run{number}.txt").write_bytes(short if number else RUN)
    many = cranfield("evaluate", "qrels.txt", "run[0-9].txt", "-m", "AP", "--scale", "ignore")
    assert many.err == (
        "note: 4 of 5 runs miss topics (most: run1, 1 of 2), counted as worst; "
        "trec_eval without -c leaves them out: --topics both\n"
    )
    both = cranfield("evaluate", "qrels.txt", "run[0-9].txt", "-m", "AP", "--scale", "ignore", "--topics", "both")
    assert both.err == (
        "note: 4 of 5 runs miss topics (most: run1, 1 of 2), left out: their values are of different topics\n"
    )
    few = cranfield("evaluate", "qrels.txt", "run[0-3].txt", "-m", "AP", "--scale", "ignore")
    assert len(few.err.splitlines()) == 3


def test_many_runs_with_unknown_topics_are_one_note(here: Path, cranfield: Command) -> None:
    for number in range(5):
        (here / f"run{number}.txt").write_bytes(RUN + b"7 Q0 a 1 1.0 mine\n7 Q0 b 2 0.5 mine\n")
    ended = cranfield("evaluate", "qrels.txt", "run[0-9].txt", "-m", "AP", "--scale", "ignore")
    assert len(ended.err.splitlines()) == 1
    assert ended.err.startswith("note: run0: 1 topic")
    assert ended.err.endswith("(7); 4 more runs have such topics\n")


def test_topics_without_anything_relevant_are_noted(here: Path, cranfield: Command) -> None:
    (here / "qrels.txt").write_bytes(QRELS.replace(b"c 2", b"c 0"))
    ended = cranfield("evaluate", "qrels.txt", "run.txt", "-m", "AP")
    assert len(ended.err.splitlines()) == 1
    assert ended.err.startswith("note: 1 topic")
    assert "no relevant document" in ended.err
    assert "(2)" in ended.err


def test_a_note_is_said_once(here: Path, cranfield: Command) -> None:
    (here / "run.txt").write_bytes(RUN[: RUN.index(b"2 Q0")])
    for form in ("text", "markdown", "latex", "html"):
        ended = cranfield("evaluate", "qrels.txt", "run.txt", "-m", "AP", "--format", form)
        assert ended.out.count("missing") == 1
        assert ended.err == ""
    written = cranfield("evaluate", "qrels.txt", "run.txt", "-m", "AP", "-o", "values.md")
    assert written.err.count("missing") == 1  # the file is not on the screen


@pytest.mark.parametrize(
    ("content", "tells"),
    [
        (RUN.replace(b"c 1", b"c 2").replace(b"y 2", b"y 1"), "a rank column that disagrees with its scores (W-RANK)"),
        (b"1 Q0 a 1 0 me\n1 Q0 b 2 0 me\n2 Q0 c 1 0 me\n", "topics in which all scores are equal (W-CONSTANT)"),
        (RUN.replace(b"8.0 mine", b"8.0 yours"), "more than one tag (W-TAG)"),
        (RUN[:-1], "no end of the last line (W-END)"),
    ],
)
def test_what_makes_values_doubtful_is_noted(content: bytes, tells: str, here: Path, cranfield: Command) -> None:
    (here / "run.txt").write_bytes(content)
    ended = cranfield("evaluate", "qrels.txt", "run.txt", "-m", "AP")
    assert ended.err == f"note: run.txt: {tells}; `cranfield lint` says where\n"


# Scores


def test_scores_from_a_table(here: Path, cranfield: Command) -> None:
    (here / "ap.csv").write_text("topic,bm25,dense\n301,0.25,0.5\n302,0.5,0.75\n")
    found = evaluate(cranfield, "--scores", "ap.csv", "-q")
    assert [(row["run"], row["value"], row["topics"]) for row in found["tables"]["values"]] == [
        ("bm25", 0.375, 2),
        ("dense", 0.625, 2),
    ]
    assert found["tables"]["per_topic"][0] == {"run": "bm25", "topic": "301", "measure": "score", "value": 0.25}
    assert found["made_by"]["command"] == "cranfield evaluate --scores ap.csv -q --format json"
    assert [source["kind"] for source in found["made_by"]["inputs"]] == ["scores"]


def test_scores_from_what_evaluate_wrote(campaign: Path, here: Path, cranfield: Command) -> None:
    qrels, runs = str(campaign / "qrels.txt"), str(campaign / "runs")
    first = evaluate(cranfield, qrels, runs, "-m", "AP", "-q")
    frame = pl.DataFrame(first["tables"]["per_topic"]).pivot("run", index="topic", values="value")
    frame.write_parquet(here / "ap.parquet")
    again = evaluate(cranfield, "--scores", "ap.parquet")
    assert [row["value"] for row in again["tables"]["values"]] == pytest.approx(
        [row["value"] for row in first["tables"]["values"]], rel=1e-12
    )


# Orders of ties and grades


def test_ties_and_compat_reach_the_reader(here: Path, cranfield: Command) -> None:
    (here / "run.txt").write_bytes(b"1 Q0 a 1 1.0 me\n1 Q0 b 2 1.00000001 me\n2 Q0 c 2 1 me\n2 Q0 x 1 1 me\n")

    def found(*words: str) -> list[float]:
        rows = evaluate(cranfield, "qrels.txt", "run.txt", "-m", "RR", "-q", *words)["tables"]["per_topic"]
        return [row["value"] for row in rows]

    assert found() == [0.5, 0.5]
    assert found("--compat", "trec_eval-9", "--ties", "docno-asc") == [1.0, 1.0]
    assert found("--ties", "input") == [0.5, 1.0]
    assert found("--ties", "rank") == [1.0, 0.5]


def test_decimal_grades(here: Path, cranfield: Command) -> None:
    (here / "qrels.txt").write_bytes(QRELS.replace(b"a 1", b"a 0.5"))
    assert cranfield("evaluate", "qrels.txt", "run.txt").code == 1
    assert evaluate(cranfield, "qrels.txt", "run.txt", "--gains", "-m", "DCG")["tables"]["values"][0]["value"] == 1.25


def test_a_hostile_name_reaches_no_terminal(here: Path, cranfield: Command) -> None:
    (here / "run.txt").write_bytes(RUN.replace(b"1 Q0", b"\x1b[31m1 Q0").replace(b"2 Q0", b"\x1b]0;you2 Q0"))
    ended = cranfield("evaluate", "qrels.txt", "run.txt")
    assert ended.code == 1
    assert "\x1b" not in ended.err
    (here / "\x1b[31mrun.txt").write_bytes(RUN)
    assert "\x1b" not in cranfield("evaluate", "qrels.txt", "\x1b[31mrun.txt", "--format", "text").out
