"""cranfield crowd, as a user runs it."""

import csv
import gzip
import io
import json
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

import cranfield as cf
from cranfield.core import VERSION
from tests.support.cli.commands import Command, expect_refusal, read_json

Row = tuple[str, str, str, int]  # topic, document, worker, grade
# Each knows the right grade so often, and otherwise guesses.
KNOWS = {"ann": 0.95, "bob": 0.9, "cat": 0.8, "dan": 0.7, "uma": 0.0}
NAMES = ("topic", "document", "worker", "grade")
TABLES = ["aggregations", "agreement", "workers", "confusion", "drift", "labels"]


@pytest.fixture(scope="session")
def judged(campaign: Path) -> list[tuple[str, str, int]]:
    """Topics, documents and true grades of the campaign: some of each topic."""
    found: dict[str, list[tuple[str, str, int]]] = {}
    for line in (campaign / "qrels.txt").read_text().splitlines():
        topic, _, document, grade = line.split()
        found.setdefault(topic, []).append((topic, document, int(grade)))
    return [row for rows in found.values() for row in rows[::2][:40]]


@pytest.fixture(scope="session")
def rows(judged: list[tuple[str, str, int]]) -> list[Row]:
    """Three labels of each document."""
    random = Random(6)
    return [
        (topic, document, worker, grade if random.random() < KNOWS[worker] else random.randrange(3))
        for topic, document, grade in judged
        for worker in random.sample(sorted(KNOWS), 3)
    ]


def as_csv(rows: Sequence[Sequence[object]], *names: str) -> str:
    return "\n".join([",".join(names or NAMES), *(",".join(map(str, row)) for row in rows), ""])


@pytest.fixture(autouse=True)
def files(here: Path, campaign: Path, judged: list[tuple[str, str, int]], rows: list[Row]) -> None:
    """Labels, gold, machines and votes, in the folder to stand in."""
    (here / "labels.csv").write_text(as_csv(rows))
    (here / "few.csv").write_text(as_csv(rows[:60]))
    (here / "gold.qrels").write_text("".join(f"{t} 0 {d} {g}\n" for t, d, g in judged))
    (here / "llm.qrels").write_text("".join(f"{t} 0 {d} {2 - g}\n" for t, d, g in judged))
    (here / "runs").symlink_to(campaign / "runs")
    pairs = [
        (topic, a, b, worker, vote)
        for topic in ("1", "2")
        for a, b, votes in (("p", "q", "aaab"), ("q", "r", "aanb"), ("r", "p", "bbbb"))
        for worker, vote in zip(("ann", "bob", "cat", "dan"), votes, strict=True)
    ]
    (here / "pairs.csv").write_text(as_csv(pairs, "topic", "a", "b", "worker", "vote"))


def asked(*words: str) -> tuple[str, ...]:
    """Few draws, for speed."""
    return ("crowd", *words, "--draws", "20")


def flat(text: str) -> str:
    return " ".join(text.split())


def merged_rows(text: str) -> list[tuple[str, str, str]]:
    return [(row["topic"], row["document"], row["grade"]) for row in csv.DictReader(io.StringIO(text))]


def majority_of(rows: Sequence[Row]) -> dict[tuple[str, str], int]:
    said: dict[tuple[str, str], list[int]] = {}
    for topic, document, _, grade in rows:
        said.setdefault((topic, document), []).append(grade)
    return {item: max(grades, key=lambda grade: (grades.count(grade), grade)) for item, grades in said.items()}


def test_as_text(cranfield: Command, rows: list[Row]) -> None:
    ended = cranfield(*asked("labels.csv"))
    assert (ended.code, ended.err) == (0, "")
    start = f"{len(rows):,} labels of {len(rows) // 3:,} items by 5 workers; votes are tied for "
    assert flat(ended.out).startswith(start)
    assert "uma (1 worker, " in flat(ended.out)
    assert "of the labels) answers as if without looking." in flat(ended.out)
    heads = [line.split() for line in ended.out.splitlines()]
    assert ["method", "items", "tied", "changed"] in heads  # no gold, so nothing is said of it
    assert ["worker", "labels", "accuracy", "informed", "spammer", "why"] in heads
    assert not [line for line in ended.out.splitlines() if len(line) > 110 and not line.startswith("note:")]
    (uma,) = [line for line in ended.out.splitlines() if line.startswith("uma ") and "yes" in line]
    assert "no better than chance" in uma
    assert "note: spammer: " in ended.out


def test_workers_with_gold_and_machines_in_the_text(cranfield: Command, rows: list[Row], here: Path) -> None:
    words = ("--method", "majority", "--include-machines", "--machine-qrels", "llm=llm.qrels", "--gold", "gold.qrels")
    heads = [line.split() for line in cranfield(*asked("labels.csv", *words)).out.splitlines()]
    assert ["worker", "kind", "labels", "accuracy", "gold_accuracy", "spammer", "why"] in heads
    assert ["method", "items", "tied", "changed", "accuracy", "low", "high", "gold"] in heads
    good = [row for row in rows if row[2] in ("ann", "bob")]
    (here / "good.csv").write_text(as_csv(good))
    ended = cranfield(*asked("good.csv", "--method", "majority"))
    assert ["worker", "labels", "accuracy", "informed"] in [line.split() for line in ended.out.splitlines()]
    assert "spammer" not in ended.out  # nobody is one
    told = cranfield(*asked("good.csv", "--method", "majority", "--table", "workers", "--format", "text"))
    assert "spammer" in told.out
    assert "note: " in told.out


def test_the_json_contract(cranfield: Command, rows: list[Row]) -> None:
    found = read_json(cranfield(*asked("labels.csv", "--method", "majority mace", "--format", "json")).out)
    assert (found["contract"], found["study"]) == (2, "crowd")
    assert list(found["tables"]) == TABLES
    assert found["verdict"]["method"] == "majority"
    labels, workers, agreement = (found["tables"][name] for name in ("labels", "workers", "agreement"))
    assert {"topic", "document", "grade", "confidence"} <= set(labels[0])
    assert {"worker", "labels", "accuracy", "weight"} <= set(workers[0])
    assert {"statistic", "value", "low", "high"} <= set(agreement[0])
    assert {(row["topic"], row["document"]): row["grade"] for row in labels} == majority_of(rows)
    assert all(0 < row["confidence"] <= 1 for row in labels)
    assert {row["worker"]: row["labels"] for row in workers} == {
        name: sum(who == name for *_, who, _ in rows) for name in KNOWS
    }
    assert all(row["low"] <= row["value"] <= row["high"] for row in agreement)
    assert found["made_by"]["command"].startswith("cranfield crowd labels.csv")
    assert found["made_by"]["version"] == VERSION
    assert [one["kind"] for one in found["made_by"]["inputs"]] == ["labels"]


def test_json_with_all_that_can_be_asked_for(cranfield: Command) -> None:
    words = ("labels.csv", "--method", "majority", "--gold", "gold.qrels", "--use-gold", "--stopping")
    more = ("--machine-qrels", "llm=llm.qrels", "--runs", "runs", "-m", "nDCG@10", "-m", "AP", "--format", "json")
    found = read_json(cranfield(*asked(*words, *more)).out)
    assert list(found["tables"]) == [
        *TABLES[:-1], "machines", "machine_confusion", "stopping", "order_changes", "orders", "label_noise", "aware",
        "machine_runs", "labels",
    ]  # fmt: skip
    assert set(found["made_by"]["measures"]) == {"nDCG@10", "AP"}
    assert {one["kind"] for one in found["made_by"]["inputs"]} == {"labels", "qrels", "run"}


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet", "txt", "csv.gz"])
def test_labels_come_in_many_forms(suffix: str, cranfield: Command, here: Path, rows: list[Row]) -> None:
    frame = pl.DataFrame(rows, schema=list(NAMES), orient="row")
    file = here / f"other.{suffix}"
    if suffix == "parquet":
        frame.write_parquet(file)
    elif suffix == "jsonl":
        frame.write_ndjson(file)
    elif suffix == "csv.gz":
        file.write_bytes(gzip.compress(as_csv(rows).encode()))
    else:
        between = {"csv": ",", "tsv": "\t", "txt": " "}[suffix]
        frame.write_csv(file, separator=between, include_header=suffix != "txt")
    ended = cranfield("crowd", f"other.{suffix}", "--method", "majority", "--table", "labels", "--format", "csv")
    same = cranfield("crowd", "labels.csv", "--method", "majority", "--table", "labels", "--format", "csv")
    assert ended == same
    assert ended.code == 0


def test_columns_of_other_names(cranfield: Command, here: Path, rows: list[Row]) -> None:
    (here / "odd.csv").write_text(as_csv(rows, "set", "paper", "who", "mark"))
    named = [f"--column={mine}={theirs}" for mine, theirs in zip(NAMES, ("set", "paper", "who", "mark"), strict=True)]
    lines = [f"{i}\t{t}_{d}\tx\t{w}\t{g}" for i, (t, d, w, g) in enumerate(rows)]
    (here / "votes").write_text("\n".join([*lines, ""]))
    words = ("--method", "majority", "--table", "labels", "--format", "csv")
    expected = cranfield("crowd", "labels.csv", *words).out
    assert cranfield("crowd", "odd.csv", *named, *words).out == expected
    assert cranfield("crowd", "votes", "--columns", "time, item,-,worker,grade", *words).out == expected


def test_methods(cranfield: Command) -> None:
    def methods(*words: str) -> list[str]:
        found = read_json(cranfield(*asked("few.csv", *words, "--format", "json")).out)
        return [row["method"] for row in found["tables"]["aggregations"]]

    assert methods()[0] == "dawid-skene"
    assert sorted(methods()) == sorted(methods("--method", "all"))
    assert len(methods()) == 7
    assert methods("--method", "weighted all")[0] == "weighted"
    assert methods("--method", "MACE, majority") == ["mace", "majority"]
    assert methods("--method", "mace(starts=2)", "--method", "one-coin") == ["mace(starts=2)", "one-coin"]


def test_which_grade_a_label_is(cranfield: Command, here: Path) -> None:
    said = [("1", "a", worker, grade) for worker, grade in zip("vwxyz", (0, 0, 1, 2, 2), strict=True)]
    (here / "five.csv").write_text(as_csv(said))
    for by, grade in (("likeliest", 2.0), ("median", 1.0), ("mean", 1.0)):
        words = ("--method", "majority", "--grade", by, "--table", "labels", "--format", "csv")
        ((_, _, found),) = merged_rows(cranfield("crowd", "five.csv", *words).out)
        assert float(found) == grade


def test_machines_are_never_merged_silently(cranfield: Command, here: Path, rows: list[Row]) -> None:
    contrary = [(t, d, "contrary", 5 if g == 0 else 0) for t, d, _, g in rows]
    (here / "mixed.csv").write_text(as_csv([*rows, *contrary]))
    words = ("--method", "dawid-skene", "--table", "labels", "--format", "csv")
    alone = cranfield("crowd", "labels.csv", *words).out
    assert cranfield("crowd", "mixed.csv", "--machine", "contr*", *words).out == alone
    assert cranfield("crowd", "labels.csv", "--machine-qrels", "llm=llm.qrels", *words).out == alone
    both = cranfield("crowd", "labels.csv", "--machine-qrels", "llm=llm.qrels", "--include-machines", *words).out
    assert both != alone
    kinds = [(*row, "llm" if row[2] == "contrary" else "human") for row in [*rows, *contrary]]
    (here / "kinds.csv").write_text(as_csv(kinds, *NAMES, "kind"))
    assert cranfield("crowd", "kinds.csv", *words).out == alone


def test_machines_beside_people(cranfield: Command, rows: list[Row], judged: list[tuple[str, str, int]]) -> None:
    words = ("--method", "majority", "--machine-qrels", "llm=llm.qrels", "--machine-qrels", "same=gold.qrels")
    found = read_json(cranfield(*asked("labels.csv", *words, "--runs", "runs", "--format", "json")).out)
    people = majority_of(rows)
    for row, turn in zip(found["tables"]["machines"], (True, False), strict=True):
        equal = sum(people[t, d] == (2 - g if turn else g) for t, d, g in judged)
        assert (row["machine"], row["items"]) == ("llm" if turn else "same", len(judged))
        assert row["equal"] == pytest.approx(equal / len(judged))
    assert {row["machine"] for row in found["tables"]["machine_runs"]} == {"llm", "same"}
    text = flat(cranfield(*asked("labels.csv", *words)).out)
    assert "llm says what people say of " in text
    assert "ways to merge labels.csv method" in text  # and of nothing else


def test_gold(cranfield: Command, rows: list[Row], judged: list[tuple[str, str, int]]) -> None:
    found = read_json(
        cranfield(*asked("labels.csv", "--method", "majority", "--gold", "gold.qrels", "--format", "json")).out
    )
    (row,) = found["tables"]["aggregations"]
    people = majority_of(rows)
    right = sum(people[topic, document] == grade for topic, document, grade in judged)
    assert (row["gold"], row["accuracy"]) == (len(judged), right / len(judged))


def test_gold_with_grades_for_yes_and_no(cranfield: Command, here: Path, rows: list[Row]) -> None:
    (here / "yes.csv").write_text(as_csv([(t, d, w, min(g, 1)) for t, d, w, g in rows]))
    words = ("yes.csv", "--method", "majority", "--gold", "gold.qrels", "--table", "aggregations", "--format", "csv")
    ended = cranfield(*asked(*words))
    assert ended.err == (
        "note: gold.qrels has grades up to 2: from 1 on they count as 1, below as 0; --gold-rel sets another bound\n"
    )
    again = cranfield(*asked(*words, "--gold-rel", "1"))
    assert (again.out, again.err) == (ended.out, "")
    assert cranfield(*asked(*words, "--gold-rel", "2")).out != ended.out


def test_gold_that_is_used(cranfield: Command, judged: list[tuple[str, str, int]]) -> None:
    words = ("--gold", "gold.qrels", "--use-gold", "--table", "labels", "--format", "csv")
    found = merged_rows(cranfield("crowd", "labels.csv", "--method", "majority", *words).out)
    assert sorted(found) == sorted((topic, document, str(grade)) for topic, document, grade in judged)


@pytest.mark.parametrize("name", ["merged.qrels", "merged.qrels.gz", "MERGED.TREC"])
def test_merged_labels_are_judgments(name: str, cranfield: Command, here: Path, rows: list[Row]) -> None:
    ended = cranfield(*asked("labels.csv", "--method", "majority", "--runs", "runs", "-o", name, "--format", "json"))
    assert (ended.code, ended.err.splitlines()[0]) == (0, f"{name}: {len(rows) // 3} rows")
    text = (
        gzip.decompress((here / name).read_bytes()) if name.endswith(".gz") else (here / name).read_bytes()
    ).decode()
    said = majority_of(rows)
    assert [line.split() for line in text.splitlines()] == [[t, "0", d, str(g)] for (t, d), g in said.items()]
    # What evaluate says of the runs by that file is what the study said.
    again = read_json(cranfield("evaluate", name, "runs", "-m", "nDCG@10", "--format", "json").out)
    values = {row["run"]: row["value"] for row in again["tables"]["values"]}
    orders = read_json(ended.out)["tables"]["orders"]
    assert values == pytest.approx({row["run"]: row["value"] for row in orders if row["method"] == "majority"})


def test_decimals_are_told_of(cranfield: Command, here: Path, rows: list[Row]) -> None:
    words = ("labels.csv", "--method", "binomial", "--runs", "runs", "-o", "m.qrels", "--format", "json")
    ended = cranfield(*asked(*words))
    said = ended.err.splitlines()[:2]
    assert said == [
        f"m.qrels: {len(rows) // 3} rows",
        "note: m.qrels has grades with decimals: cranfield evaluate --gains reads them",
    ]
    again = read_json(cranfield("evaluate", "m.qrels", "runs", "--gains", "-m", "nDCG@10", "--format", "json").out)
    values = {row["run"]: row["value"] for row in again["tables"]["values"]}
    orders = read_json(ended.out)["tables"]["orders"]
    assert values == pytest.approx({row["run"]: row["value"] for row in orders if row["method"] == "binomial"})
    assert cf.read_qrels(here / "m.qrels", gains=True).grade.max() <= 2


@pytest.mark.parametrize("suffix", ["csv", "tsv", "json", "parquet", "md", "tex", "html", "txt"])
def test_files_to_write(suffix: str, cranfield: Command, here: Path, rows: list[Row]) -> None:
    ended = cranfield(*asked("labels.csv", "--method", "majority", "-o", f"out.{suffix}"))
    assert (ended.code, ended.out) == (0, "")
    file = here / f"out.{suffix}"
    if suffix == "json":
        assert list(read_json(file.read_text())["tables"]) == TABLES
    elif suffix in ("csv", "tsv", "parquet"):
        read = pl.read_parquet(file) if suffix == "parquet" else pl.read_csv(file, separator=",\t"[suffix == "tsv"])
        assert read.height == len(rows) // 3
        assert read.columns[:4] == ["topic", "document", "grade", "confidence"]
        assert f"{suffix} holds one table, here labels; --table gives another: aggregations, " in ended.err
    else:
        assert "majority" in file.read_text()
        assert "labels of " in flat(file.read_text())


def test_one_table(cranfield: Command) -> None:
    ended = cranfield(*asked("labels.csv", "--method", "majority", "--table", "confusion"))
    assert ended.out.splitlines()[0].split("\t") == ["worker", "said", "merged", "labels", "share"]


def test_runs(cranfield: Command, campaign: Path) -> None:
    ended = cranfield(*asked("labels.csv", "--method", "majority weighted", "--runs", "runs", "-m", "AP nDCG@10"))
    assert ended.code == 0
    assert "how the order of runs changes with the way to merge labels" in ended.out
    assert " first by AP " in flat(ended.out).lower() or "First by AP is " in flat(ended.out)
    one, *others = sorted((campaign / "runs").iterdir())
    words = [word for run in (one, *others[:2]) for word in ("--runs", str(run))]
    found = read_json(cranfield(*asked("labels.csv", "--method", "majority", *words, "--format", "json")).out)
    assert {row["run"] for row in found["tables"]["orders"]} == {run.stem for run in (one, *others[:2])}


def test_aware(cranfield: Command) -> None:
    words = ("labels.csv", "--method", "majority", "--runs", "runs", "--table", "aware", "--format", "csv")
    plain = list(csv.DictReader(io.StringIO(cranfield(*asked(*words, "--aware", "AWARE(distance='none')")).out)))
    assert [float(row["weight"]) for row in plain] == pytest.approx([1 / 5] * 5)
    squared = list(csv.DictReader(io.StringIO(cranfield(*asked(*words, "--aware", "AWARE(power=2)")).out)))
    far = {row["worker"]: float(row["distance"]) ** 2 for row in squared}
    assert {row["worker"]: float(row["weight"]) for row in squared} == pytest.approx(
        {worker: square / sum(far.values()) for worker, square in far.items()}
    )


def test_stopping(cranfield: Command, rows: list[Row]) -> None:
    ended = cranfield(*asked("labels.csv", "--method", "majority", "--stopping"))
    assert f"stopping early among {len(rows):,} labels of {len(rows) // 3:,} items" in ended.out


def test_what_is_odd_about_the_file_is_noted(cranfield: Command, here: Path) -> None:
    (here / "odd.csv").write_text(as_csv([("1", "a", "x", 1), ("1", "a", "x", 1), ("1", "b", "x", -1)]))
    ended = cranfield(*asked("odd.csv", "--method", "majority", "--format", "json"))
    assert ended.code == 0
    notes = [line for line in ended.err.splitlines() if line.startswith("note: odd.csv:")]
    assert notes == [
        'note: odd.csv:4: grades below 0: 1, left out; write 0 for "not relevant"',
        "note: odd.csv:3: rows that are there again: 1, the first by worker x on document a; "
        "drop them if rows were copied; if workers answered twice, a time says so",
    ]


def test_votes_between_documents(cranfield: Command, here: Path) -> None:
    ended = cranfield(*asked("pairs.csv", "--pairs", "--method", "majority"))
    assert (ended.code, ended.err) == (0, "")
    assert flat(ended.out).startswith("24 votes on 6 pairs by 4 workers; votes are tied for 0.0% of the pairs.")
    words = ("--table", "strengths", "--format", "json")
    found = read_json(cranfield(*asked("pairs.csv", "--pairs", "--method", "majority", *words)).out)
    strengths = found["tables"]["strengths"]
    # p wins 3 of 4 against q and all of 4 against r.
    assert [(row["topic"], row["document"], row["wins"], row["losses"], row["ties"]) for row in strengths] == [
        (topic, *rest) for topic in "12" for rest in (("p", 7, 1, 0), ("q", 3, 4, 1), ("r", 1, 6, 1))
    ]
    assert [row["rank"] for row in strengths] == [1, 2, 3, 1, 2, 3]
    (here / "pairs.txt").write_text((here / "pairs.csv").read_text().replace(",", " ").partition("\n")[2])
    assert cranfield(*asked("pairs.txt", "--pairs", "--method", "majority", *words)).out.count('"p"') == 2


def test_votes_weighed_by_worker_are_told_of(cranfield: Command) -> None:
    ended = cranfield(*asked("pairs.csv", "--pairs"))
    assert "note: a vote counts for what its worker weighs by mace: --table workers has the weights" in ended.out


def test_votes_of_machines(cranfield: Command, here: Path) -> None:
    text = (here / "pairs.csv").read_text()
    contrary = [(topic, a, b, "gpt", "b") for topic in ("1", "2") for a, b in ("pq", "qr", "pr")]
    (here / "both.csv").write_text(text + as_csv(contrary).partition("\n")[2])
    words = ("--pairs", "--method", "majority", "--table", "strengths", "--format", "csv")
    alone = cranfield(*asked("pairs.csv", *words)).out
    assert cranfield(*asked("both.csv", "--machine", "gpt", *words)).out == alone
    assert cranfield(*asked("both.csv", "--machine", "gpt", "--include-machines", *words)).out != alone
    told = flat(cranfield(*asked("both.csv", "--pairs", "--method", "majority", "--machine", "gpt")).out)
    assert "gpt votes as people together do on 0.0% of 6 pairs" in told
    assert "more of" not in told


def test_all_votes_by_one(cranfield: Command, here: Path) -> None:
    (here / "llm.csv").write_text("topic,a,b,vote\n1,p,q,a\n1,q,r,n\n")
    found = read_json(cranfield(*asked("llm.csv", "--pairs", "--worker", "llm", "--format", "json")).out)
    assert [row["worker"] for row in found["tables"]["workers"]] == ["llm"]


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        ("workers", "labels.csv"),
        ("aggregations", "labels.csv --gold gold.qrels"),
        ("", "labels.csv --runs runs"),
        ("label-noise", "labels.csv --runs runs"),
        ("machines", "labels.csv --machine-qrels llm=llm.qrels"),
        ("stopping", "labels.csv --stopping"),
        ("", "pairs.csv --pairs"),
    ],
)
def test_charts(draw: str, words: str, cranfield: Command, here: Path) -> None:
    chosen = ("--draw", draw) if draw else ()
    ended = cranfield(*asked(*words.split(), "--method", "majority weighted", *chosen, "--chart", "chart.svg"))
    assert ended.code == 0
    assert (here / "chart.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("words", "code", "error", "hint"),
    [
        ("", 2, "LABELS is missing", "write: cranfield crowd [OPTIONS] LABELS"),
        ("label.csv", 1, "label.csv: there is no such file", "did you mean labels.csv?"),
        ("runs", 1, "runs: this is a folder", "name the file with the labels"),
        ("empty.csv", 1, "empty.csv: the file has no rows", "is it the right file?"),
        ("head.csv", 1, "head.csv: there are no labels", None),
        ("below.csv", 1, "below.csv: there are no labels", None),
        ("nan.csv", 1, 'nan.csv:2: grade "nan" is not a finite number', "a grade is a number"),
        ("gold.qrels", 1, "gold.qrels: these are judgments: the second column is 0 in every line", None),
        ("pairs.csv", 1, "pairs.csv: there is no column for the document", None),
        ("labels.csv --pairs", 1, "labels.csv: there is no column for the a", None),
        ("labels.csv --column grade=mark", 1, "labels.csv: there is no column mark for the grade",
         "there are: topic, document, worker, grade"),
        ("labels.csv --column grade", 2, "--column cannot be grade", "write it as worker=annotator"),
        ("labels.csv --column mark=grade", 1, "labels have no column mark", None),
        ("labels.csv --column grade=grade --columns a,b", 2, "--column and --columns are for different files",
         "--columns names all of them"),
        ("labels.csv --columns topic,,grade", 2, "--columns has an empty name",
         "--columns topic,document,worker,grade"),
        ("labels.csv --method majorty", 1, "there is no aggregation named 'majorty'", "did you mean majority?"),
        ("labels.csv --method mace(starts=0)", 1, "mace cannot have starts=0",
         "starts is a whole number from 1 up"),
        ("labels.csv --grade mode", 2, "--grade cannot be mode", "choose one of: likeliest, median, mean"),
        ("labels.csv --gold-rel 1", 2, "--gold-rel needs --gold", "give --gold too, or leave it out"),
        ("labels.csv --gold gold.qrels --gold-rel 0", 2, "--gold-rel cannot be 0",
         "give a number above 0, such as 1"),
        ("labels.csv --gold gold.qrels --gold-rel x", 2, "--gold-rel cannot be x",
         "give a number above 0, such as 1"),
        ("labels.csv --use-gold", 2, "--use-gold needs --gold", "give --gold too, or leave it out"),
        ("labels.csv --gold gone.qrels", 1, "gone.qrels: there is no such file", None),
        ("labels.csv --gold qrels.txt", 1, "qrels.txt: no labelled document is in gold",
         "gold needs topics and documents that were labelled: do they belong together?"),
        ("labels.csv --gold high.qrels", 1, "high.qrels: no worker gave a grade that gold has",
         "--gold-rel GRADE takes gold from that grade on for the highest label, the others for the lowest"),
        ("labels.csv --machine gpt*", 1, "no worker is called gpt*", None),
        ("labels.csv --machine *", 1, "there are labels of machines alone",
         "machines are held against people; --include-machines takes them for workers like any other"),
        ("labels.csv --machine-qrels llm.qrels", 2, "--machine-qrels cannot be llm.qrels",
         "write it as llm=llm.qrels"),
        ("labels.csv --machine-qrels llm=gone.qrels", 1, "gone.qrels: there is no such file", None),
        ("labels.csv --machine-qrels a=llm.qrels --machine-qrels a=gold.qrels", 2, "two machines have one name",
         "give each of --machine-qrels a name of its own"),
        ("labels.csv --machine-qrels ann=llm.qrels", 1,
         "worker ann is a person in one table and a machine in another",
         "give the machine another name, or say of which kind the worker is"),
        ("labels.csv -m AP", 2, "--measure needs --runs", "give --runs too, or leave it out"),
        ("labels.csv --aware AWARE", 2, "--aware needs --runs", "give --runs too, or leave it out"),
        ("labels.csv --runs runs -m nothing", 1, "there is no measure named 'nothing'", None),
        ("labels.csv --runs gone", 1, "gone: there is no such file", None),
        ("labels.csv --runs run.txt", 1, "run.txt: no topic of the run has labels (the run has 1, 2)", None),
        ("labels.csv --runs runs --aware unaware", 1, "there is no weighing named 'unaware'", "did you mean AWARE?"),
        ("labels.csv --runs runs --aware AWARE(against='gold')", 1, "AWARE(against='gold') needs gold labels", None),
        ("labels.csv --worker x", 2, "--worker is about votes between documents", "add --pairs, or leave it out"),
        *((f"pairs.csv --pairs {option}", 2, f"{option.split()[0]} is about labels of documents",
           "leave it out, or leave out --pairs")
          for option in ("--gold gold.qrels", "--gold-rel 1", "--use-gold", "--grade mean", "--stopping",
                         "--machine-qrels llm=llm.qrels", "--runs runs", "--measure AP", "--aware AWARE")),
        ("pairs.csv --pairs -o merged.qrels", 2, "votes between documents are no judgments",
         "write a table: -o strengths.csv"),
        ("maybe.csv --pairs", 1, 'maybe.csv:2: "maybe" is no vote', None),
        ("kinds.csv --pairs --worker x", 1, "kinds.csv:3: worker x is a person and a machine",
         "give every worker one kind, or every machine a name of its own"),
        ("labels.csv --table nothing --method majority", 1, "the study crowd has no table named 'nothing'", None),
        ("labels.csv --chart chart.doc", 1, "chart.doc: no picture ends in .doc", None),
        ("labels.csv --draw stopping --chart c.svg", 2, "the chart stopping needs --stopping",
         "give --stopping, or choose another chart"),
        ("labels.csv --draw label-orders --chart c.svg", 2, "the chart label-orders needs --runs", None),
        ("labels.csv --draw label-noise --chart c.svg", 2, "the chart label-noise needs --runs", None),
        ("labels.csv --draw strengths --chart c.svg", 2, "the chart strengths needs --pairs", None),
        ("labels.csv -o no/merged.qrels", 1, "no/merged.qrels: there is no folder no", "make it first: mkdir -p no"),
        ("labels.csv -o out.doc", 1, "out.doc: no format ends in .doc", None),
        ("labels.csv -o labels.csv", 1, "labels.csv: this file is one of those that are read",
         "write to another file"),
        ("labels.csv --gold gold.qrels -o gold.qrels", 1, "gold.qrels: this file is one of those that are read",
         "write to another file"),
        ("labels.csv --machine-qrels a=llm.qrels -o llm.qrels", 1,
         "llm.qrels: this file is one of those that are read", "write to another file"),
        ("labels.csv --draws 0", 2, "--draws cannot be 0", "give a whole number, 1 or more"),
        ("labels.csv --level 1", 2, "--level cannot be 1", "give a number between 0 and 1, such as .05"),
    ],
    ids=str,
)  # fmt: skip
def test_refusals(words: str, code: int, error: str, hint: str | None, here: Path, cranfield: Command) -> None:
    (here / "empty.csv").write_text("")
    (here / "head.csv").write_text(as_csv([]))
    (here / "below.csv").write_text(as_csv([("1", "a", "x", -1)]))
    (here / "nan.csv").write_text(as_csv([("1", "a", "x", "nan")]))
    (here / "maybe.csv").write_text("topic,a,b,worker,vote\n1,p,q,x,maybe\n")
    (here / "kinds.csv").write_text("topic,a,b,kind,vote\n1,p,q,human,a\n1,p,q,llm,a\n")
    (here / "high.qrels").write_text(
        (here / "gold.qrels").read_text().replace(" 0\n", " 3\n").replace(" 1\n", " 4\n").replace(" 2\n", " 5\n")
    )
    before = {path: path.read_bytes() for path in here.iterdir() if path.is_file()}
    expect_refusal(cranfield("crowd", *words.split()), code, error, hint)
    assert {path: path.read_bytes() for path in here.iterdir() if path.is_file()} == before


def test_bad_words_are_found_before_the_work(cranfield: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def merge(*_: Any, **__: Any) -> None:
        raise AssertionError

    from cranfield.collections import Majority

    monkeypatch.setattr(Majority, "merge", merge)
    for words in ("--runs runs -m nothing", "--runs run.txt", "--runs runs --aware unaware", "--gold qrels.txt"):
        ended = cranfield("crowd", "labels.csv", "--method", "majority", *words.split())
        assert (ended.code, len(ended.err.splitlines())) == (1, 2)
        assert "this should not happen" not in ended.err


def test_interrupted(here: Path) -> None:
    items = [("1", f"d{i}", f"w{i * 7 % 1000 + k}", (i + k) % 3) for i in range(60_000) for k in range(3)]
    (here / "many.csv").write_text(as_csv(items))
    # polars is there before: interrupted while it is imported, it panics.
    script = (
        "from cranfield.cli import main; import cranfield.cli.commands.judgments.crowd, polars; "
        "print('ready', flush=True); main()"
    )
    command = [sys.executable, "-c", script, "crowd", "many.csv", "-o", "merged.qrels"]
    with subprocess.Popen(command, cwd=here, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "ready\n"
        time.sleep(0.5)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert (running.returncode, out, err) == (130, "", "error: interrupted\n")
    assert not (here / "merged.qrels").exists()


def test_the_help_lists_the_methods(cranfield: Command) -> None:
    text = cranfield("crowd", "--help").out
    for written in (
        "majority(ties='highest')",
        "dawid-skene(smoothing=0.01",
        "mace(",
        "glad(",
        "one-coin(",
        "binomial(",
    ):
        assert written in text


@pytest.mark.shared
def test_the_crowd_of_trec_2011(cranfield: Command, shared_data: Path) -> None:
    file = str(shared_data / "crowd-trec11" / "votes.gz")
    words = ("--columns", "time,item,worker,grade", "--method", "majority", "--stopping", "--format", "json")
    found = read_json(cranfield(*asked(file, *words)).out)
    assert found["verdict"]["sentence"].startswith("17,395 labels of 2,165 items by 445 workers; ")
    assert sum(row["labels"] for row in found["tables"]["workers"]) == 17395
    assert json.dumps(found).count("null") > 0  # what does not exist is null, never NaN
