"""cranfield agreement, as a user runs it."""

import csv
import io
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tests.support.cli.commands import Command, expect_refusal, read_json

COLUMNS = ["measure", "test", "aggregate", "agree", "partial", "disagree", "significant", "ties"]
COLUMNS += ["agree_significant", "disagree_significant", "separated"]
# As tests/unit/stats/reliability/test_split_half.py works it out by hand.
SCORES = "topic,a,b,c\nt1,.1,.2,.1\nt2,.1,.3,.2\nt3,.1,.2,0\nt4,.1,.2,0\nt5,.1,.2,0\nt6,.1,0,.3\n"
SPLITS = "[[[0, 1, 2], [3, 4, 5]], [[0, 1, 5], [2, 3, 4]]]"
BY_HAND = ("--splits-file", "splits.json", "--level", ".3", "-t", "sign")


@pytest.fixture
def scores(here: Path) -> Path:
    """A table of scores, six topics and three runs, and two splits of them."""
    (here / "s.csv").write_text(SCORES)
    (here / "splits.json").write_text(SPLITS)
    return here


@pytest.mark.usefixtures("scores")
def test_json_is_the_contract(cranfield: Command) -> None:
    ended = cranfield("agreement", "--scores", "s.csv", "--scale-of", "AP", *BY_HAND, "--format", "json")
    found = read_json(ended.out)
    assert list(found) == ["contract", "study", "verdict", "tables", "made_by"]
    assert (found["contract"], found["study"]) == (2, "agreement")
    assert list(found["verdict"]) == ["splits", "pairs", "best", "sentence"]
    rows = found["tables"]["agreement"]
    assert all(list(row) == COLUMNS for row in rows)
    assert [(row["measure"], row["test"], row["aggregate"]) for row in rows] == [
        ("AP", "sign", "mean"),
        ("AP", "sign", "median"),
    ]
    assert list(rows[0].values())[3:] == pytest.approx([1 / 6, 3 / 6, 2 / 6, 5 / 6, 1 / 6, 0, 2 / 5, 0])
    assert list(rows[1].values())[3:] == pytest.approx([0, 4 / 6, 2 / 6, 5 / 6, 2 / 6, 0, 2 / 5, 0])
    made_by = found["made_by"]
    assert made_by["command"].startswith("cranfield agreement --scores s.csv --scale-of AP --splits-file splits.json")
    assert [(source["name"], source["kind"]) for source in made_by["inputs"]] == [
        ("s.csv", "scores"),
        ("splits.json", "splits"),
    ]
    scale, few = ended.err.splitlines()
    assert scale.startswith("note: the mean needs interval numbers; AP is ordinal (ferrante2021).")
    assert few.startswith("note: halves of 3 topics: ")


@pytest.mark.usefixtures("scores")
def test_text_is_for_people_and_a_pipe_gets_tsv(cranfield: Command) -> None:
    text = cranfield("agreement", "--scores", "s.csv", *BY_HAND, "--format", "text")
    lines = text.out.splitlines()
    assert lines[0].startswith("Over 2 splits of the topics and 3 pairs of runs, ")
    numbers = ["0.0000", "0.6667", "0.3333", "0.8333", "0.3333", "0.0000", "0.4000", "0.0000"]
    assert lines[-2].split() == ["score", "sign", "median", *numbers]
    assert lines[-1].startswith("note: halves of 3 topics: ")
    assert text.err == ""
    table = cranfield("agreement", "--scores", "s.csv", *BY_HAND)
    assert table.out.splitlines()[0].split("\t") == COLUMNS
    assert len(table.out.splitlines()) == 3


@pytest.mark.usefixtures("scores")
def test_the_columns_of_the_paper_by_default(cranfield: Command) -> None:
    rows = list(csv.DictReader(io.StringIO(cranfield("agreement", "--scores", "s.csv", "--format", "csv").out)))
    assert [f"{row['test']} {row['aggregate']}" for row in rows] == [
        "sign mean",
        "rank-sum mean",
        "signed-rank mean",
        "t mean",
        "sign median",
        "rank-sum median",
        "signed-rank median",
    ]
    for row in rows:
        assert sum(float(row[name]) for name in ("agree", "partial", "disagree")) == pytest.approx(1)


@pytest.mark.usefixtures("scores")
def test_tests_and_aggregates_as_asked(cranfield: Command) -> None:
    words = ("-t", "t sign", "-t", "randomisation(exact='never')", "--draws", "50", "--aggregate", "median")
    ended = cranfield("agreement", "--scores", "s.csv", *words, "--splits", "3", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(ended.out)))
    assert [(row["test"], row["aggregate"]) for row in rows] == [
        ("t", "median"),
        ("sign", "median"),
        ("randomisation(draws=50,exact='never')", "median"),
    ]
    both = ("-t", "t", "--aggregate", "median", "--aggregate", "mean")
    ended = cranfield("agreement", "--scores", "s.csv", *both, "--splits", "3", "--format", "csv")
    assert [row["aggregate"] for row in csv.DictReader(io.StringIO(ended.out))] == ["median", "mean"]


def test_saved_splits_give_the_same_answer(scores: Path, cranfield: Command) -> None:
    ask = ("agreement", "--scores", "s.csv", "--format", "csv")
    first = cranfield(*ask, "--splits", "9", "--seed", "3", "--save-splits", "mine.json")
    assert len(json.loads((scores / "mine.json").read_text())) == 9
    assert cranfield(*ask, "--splits-file", "mine.json").out == first.out
    assert cranfield(*ask, "--splits", "9", "--seed", "3", "--threads", "1").out == first.out
    assert cranfield(*ask, "--splits", "9", "--seed", "4").out != first.out
    cranfield(*ask, "--splits-file", "mine.json", "--save-splits", "again.json")
    assert (scores / "again.json").read_text() == (scores / "mine.json").read_text()


def test_judgments_and_runs(campaign: Path, cranfield: Command) -> None:
    words = ("agreement", str(campaign / "qrels.txt"), str(campaign / "runs"), "-m", "AP P@10", "--splits", "5")
    found = read_json(cranfield(*words, "--format", "json").out)
    assert [row["measure"] for row in found["tables"]["agreement"]] == ["AP"] * 7 + ["P@10"] * 7
    assert found["verdict"]["pairs"] == 15
    holes = read_json(cranfield(*words, "--topics", "both", "--format", "json").out)
    assert len(holes["tables"]["agreement"]) == 14
    assert "not every run has a value in every topic" in cranfield(*words, "--topics", "both").err


def test_written_to_files(scores: Path, cranfield: Command) -> None:
    for name in ("a.json", "a.csv", "a.tex", "a.md", "a.html", "a.parquet"):
        ended = cranfield("agreement", "--scores", "s.csv", "--splits", "2", "-o", name)
        assert (ended.code, ended.out) == (0, "")
        assert (scores / name).stat().st_size > 100
    assert (scores / "a.tex").read_text().count(r"\toprule") == 1


SHAPE = "expected a list of pairs of lists of topic positions, from 0: [[[0, 2], [1, 3]], …]"
ALONE = "agreement is about tests of one pair, such as t, sign or randomisation"
REFUSED = [
    (["-t", "tt"], 1, "there is no test named 'tt'", "did you mean tost or t or t-test?"),
    (["-t", "tukey"], 1, "tukey looks at all pairs at once", ALONE),
    (["-t", "t max-t"], 1, "max-t looks at all pairs at once", ALONE),
    (["-t", "tost(margin=0.1)"], 1, "tost(margin=0.1) looks for equality", ALONE),
    (["--aggregate", "sum"], 2, "--aggregate cannot be sum", "choose one of: mean, median"),
    (["--splits", "0"], 2, "--splits cannot be 0", "give a whole number, 1 or more"),
    (["--splits", "1.5"], 2, "--splits cannot be 1.5", "give a whole number, 1 or more"),
    (
        ["--splits", "5", "--splits-file", "splits.json"],
        2,
        "--splits-file stands alone, but there is --splits too",
        "the file says how many there are: leave one of them out",
    ),
    (["--splits-file", "no.json"], 1, "no.json: there is no such file", "check the name of the file"),
    (["--splits-file", "split.json"], 1, "split.json: there is no such file", "did you mean splits.json?"),
    (["--splits-file", "empty.json"], 1, "empty.json: there is no split", SHAPE),
    (["--splits-file", "s.csv"], 1, "s.csv:1: this is not JSON: Expecting value", SHAPE),
    (
        ["--splits-file", "far.json"],
        1,
        "far.json: 6 in the second half of split 2 is no topic position",
        "positions are whole numbers from 0 to 5: there are 6 topics",
    ),
    (
        ["--splits-file", "splits.json", "--topics", "t1,t2,t3,t4"],
        1,
        "splits.json: 4 in the second half of split 1 is no topic position",
        "positions are whole numbers from 0 to 3: there are 4 topics",
    ),
    (["--save-splits", "no/s.json"], 1, "no/s.json: there is no folder no", "make it first: mkdir -p no"),
    (["--topics", "t1,t2,t3"], 1, "3 topics are too few to be split in two", "give 4 topics or more"),
    (["--level", "1"], 2, "--level cannot be 1", "give a number between 0 and 1, such as .05"),
    (["--seed", "-1"], 2, "--seed cannot be -1", "give a whole number, 0 or more"),
    (["--table", "tests"], 1, "the study agreement has no table named 'tests'", "there are: agreement"),
    (["-o", "no/t.json"], 1, "no/t.json: there is no folder no", "make it first: mkdir -p no"),
    (["-m", "AP"], 2, "s.csv has one value in each cell, and does not say of what", "--scale-of AP says what they are"),
    (
        ["--scale-of", "AP", "--scale", "refuse"],
        1,
        "signed-rank, t and the mean need interval numbers; AP is ordinal (ferrante2021)",
        "the sign test is safe, and the median (--aggregate median); --scale note goes on",
    ),
]


@pytest.mark.parametrize(("words", "code", "error", "hint"), REFUSED, ids=[" ".join(words) for words, *_ in REFUSED])
def test_refused(words: list[str], code: int, error: str, hint: str, scores: Path, cranfield: Command) -> None:
    (scores / "empty.json").write_text("[]")
    (scores / "far.json").write_text("[[[0], [1]], [[2], [6]]]")
    before = sorted(scores.iterdir())
    expect_refusal(cranfield("agreement", "--scores", "s.csv", *words), code, error, hint)
    assert sorted(scores.iterdir()) == before


def test_nothing_and_one_run_are_refused(cranfield: Command) -> None:
    assert cranfield("agreement").err == (
        "error: QRELS and a RUN are missing\nhint: cranfield agreement qrels.txt run.txt -m nDCG@10\n"
    )
    lines = "topic,a\n" + "".join(f"t{i},.{i}\n" for i in range(6))
    Path("one.csv").write_text(lines)
    expect_refusal(
        cranfield("agreement", "--scores", "one.csv"),
        1,
        "there is only one run",
        "a comparison needs two runs or more",
    )


def test_help_teaches(cranfield: Command) -> None:
    text = cranfield("agreement", "--help").out
    assert "cranfield agreement qrels.txt runs/ -m RR@100" in text
    assert "a test that is never significant never disagrees" in " ".join(text.split())


def test_interrupted(here: Path) -> None:
    values = np.random.default_rng(1).random((60, 30))
    lines = [",".join(f"r{i}" for i in range(30)), *(",".join(map(str, row)) for row in values)]
    (here / "s.csv").write_text("\n".join(lines))
    command = [sys.executable, "-c", "from cranfield.cli import main; main()", "agreement", "--scores", "s.csv"]
    words = ["-t", "randomisation(exact='never')", "--draws", "200000", "-o", "a.json", "--save-splits", "mine.json"]
    with subprocess.Popen([*command, *words], cwd=here, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        time.sleep(2.5)  # it draws by now, and for minutes
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said == b"error: interrupted\n"
    assert sorted(path.name for path in here.iterdir()) == ["qrels.txt", "run.txt", "s.csv"]


def test_a_chart(cranfield: Command, scores: Path) -> None:
    ended = cranfield("agreement", "--scores", "s.csv", "--splits", "5", "--chart", "a.svg")
    assert ended.code == 0, ended.err
    assert (scores / "a.svg").read_text().startswith("<svg")


def test_the_order_of_lines_changes_no_draw(here: Path, cranfield: Command) -> None:
    random = np.random.default_rng(4)
    lines = [f"q{topic},{','.join(f'{value:.3f}' for value in random.random(3))}" for topic in range(20)]
    outputs = []
    for name, order in (("plain", range(20)), ("mixed", random.permutation(20).tolist())):
        (here / f"{name}.csv").write_text("\n".join(["topic,a,b,c", *(lines[i] for i in order)]) + "\n")
        words = ("agreement", "--scores", f"{name}.csv", "-t", "t bootstrap", "--draws", "50", "--format", "csv")
        drawn = cranfield(*words, "--splits", "12", "--save-splits", f"{name}.json").out
        assert cranfield(*words, "--splits-file", f"{name}.json").out == drawn
        outputs.append(drawn)
    assert outputs[0] == outputs[1]
    # Splits are positions of rows, which differ.
    assert (here / "plain.json").read_text() != (here / "mixed.json").read_text()
