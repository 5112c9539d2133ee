"""cranfield test, as a user runs it."""

import csv
import io
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from tests.support.cli.commands import Command, Ended, read_json
from tests.support.cli.latex_characters import KNOWN

TESTS = [
    "a",
    "b",
    "measure",
    "test",
    "n",
    "difference",
    "estimate",
    "statistic",
    "p",
    "p_adjusted",
    "effect",
    "low",
    "high",
    "note",
]
RUNS = {
    "bm25": [0.10, 0.35, 0.20, 0.55, 0.40, 0.05, 0.30, 0.25],
    "rm3": [0.30, 0.45, 0.35, 0.60, 0.70, 0.25, 0.30, 0.45],
    "lm_d&i": [0.20, 0.30, 0.15, 0.70, 0.35, 0.10, 0.20, 0.40],
}
HEAD = ",".join(["topic", *RUNS])
SCORES = "\n".join(
    [HEAD, *(f"t{i},{','.join(map(str, row))}" for i, row in enumerate(zip(*RUNS.values(), strict=True)))]
)
NOTE = (
    "note: t and the mean need interval numbers; AP is ordinal (ferrante2021). "
    "The sign test is safe, and the median (--aggregate median); --scale ignore silences this"
)


@pytest.fixture
def scores(here: Path) -> Path:
    """A table of scores: eight topics, three runs."""
    (here / "s.csv").write_text(SCORES)
    return here


def ask(cranfield: Command, *words: str) -> dict[str, Any]:
    ended = cranfield("test", "--scores", "s.csv", *words, "--format", "json")
    assert ended.code == 0, ended.err
    return read_json(ended.out)


# What is shown


@pytest.mark.usefixtures("scores")
def test_json_is_the_contract(cranfield: Command) -> None:
    found = ask(cranfield, "--scale-of", "AP")
    assert list(found) == ["contract", "study", "verdict", "tables", "made_by"]
    assert (found["contract"], found["study"]) == (2, "test")
    assert list(found["tables"]) == ["summary", "effects", "tests"]
    rows = found["tables"]["tests"]
    assert all(list(row) == TESTS for row in rows)
    assert [(row["a"], row["b"], row["measure"], row["test"]) for row in rows] == [
        (a, b, "AP", test)
        for test in ("t", "sign")
        for a, b in (("bm25", "rm3"), ("bm25", "lm_d&i"), ("rm3", "lm_d&i"))
    ]
    peer = stats.ttest_rel(RUNS["rm3"], RUNS["bm25"])
    assert (rows[0]["statistic"], rows[0]["p"]) == pytest.approx((peer.statistic, peer.pvalue))
    assert rows[0]["difference"] == pytest.approx(0.15)
    assert rows[3]["estimate"] == pytest.approx(7 / 8)  # rm3 is ahead in seven topics of eight
    assert rows[3]["low"] <= rows[3]["estimate"] <= rows[3]["high"]
    made_by = found["made_by"]
    assert list(made_by) == ["version", "command", "inputs", "measures", "seed"]
    assert made_by["command"] == "cranfield test --scores s.csv --scale-of AP --format json"
    assert (made_by["measures"], made_by["seed"]) == (["AP"], 0)
    assert [source["name"] for source in made_by["inputs"]] == ["s.csv"]


@pytest.mark.usefixtures("scores")
def test_text_is_for_people(cranfield: Command) -> None:
    ended = cranfield("test", "--scores", "s.csv", "--pair", "bm25", "rm3", "-t", "t")
    lines = ended.out.splitlines()
    assert (
        " ".join(lines[:2])
        == "rm3 is higher than bm25 on score (+0.1500, 95% CI [0.0694, 0.2306], p = 0.003, paired t-test, 8 topics)."
    )
    peer = stats.ttest_rel(RUNS["rm3"], RUNS["bm25"])
    numbers = (0.15, *peer.confidence_interval(0.95), peer.statistic, peer.pvalue, peer.pvalue, peer.statistic / 8**0.5)
    assert lines[-1].split() == ["bm25", "rm3", "score", "t", "8", *(f"{number:.4f}" for number in numbers)]
    assert ended.err == ""


@pytest.mark.usefixtures("scores")
def test_notes_stand_beside_data_and_in_text(cranfield: Command) -> None:
    text = cranfield("test", "--scores", "s.csv", "--scale-of", "AP", "--format", "text")
    assert NOTE in text.out.splitlines()
    assert text.err == ""
    table = cranfield("test", "--scores", "s.csv", "--scale-of", "AP", "--format", "tsv")
    assert NOTE in table.err.splitlines()
    assert "note: tsv holds one table, here tests; --table gives another: summary, effects" in table.err.splitlines()
    assert "note:" not in table.out


@pytest.mark.usefixtures("scores")
@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_tables_are_exact(form: str, cranfield: Command) -> None:
    text = cranfield("test", "--scores", "s.csv", "--format", form).out
    rows = list(csv.DictReader(io.StringIO(text), delimiter="," if form == "csv" else "\t"))
    assert list(rows[0]) == TESTS
    assert len(rows) == 6
    wanted = ask(cranfield)["tables"]["tests"]
    assert [float(row["p"]) for row in rows] == [row["p"] for row in wanted]
    assert float(rows[3]["low"]) == wanted[3]["low"]


@pytest.mark.usefixtures("scores")
def test_every_table_can_be_asked_for(cranfield: Command) -> None:
    tables = ask(cranfield, "--rope", ".01", "--swaps", "--draws", "50")["tables"]
    assert list(tables) == ["summary", "effects", "beliefs", "swaps", "tests"]
    for name, rows in tables.items():
        words = ("--rope", ".01", "--swaps", "--draws", "50", "--table", name)
        text = cranfield("test", "--scores", "s.csv", *words, "--format", "tsv").out
        assert text.splitlines()[0].split("\t") == list(rows[0])
        assert len(text.splitlines()) == 1 + len(rows)
    summary = cranfield("test", "--scores", "s.csv", "--table", "summary", "--format", "text").out
    assert "significant pairs at level 0.05" in summary
    assert "how large the differences are" not in summary


def test_parquet(scores: Path, cranfield: Command) -> None:
    ended = cranfield("test", "--scores", "s.csv", "-o", "t.parquet")
    assert (ended.code, ended.out) == (0, "")
    frame = pl.read_parquet(scores / "t.parquet")
    assert frame.columns == TESTS
    assert frame["p"].to_list() == [row["p"] for row in ask(cranfield)["tables"]["tests"]]
    refused = cranfield("test", "--scores", "s.csv", "--format", "parquet")
    assert refused == Ended(
        1, "", "error: Parquet is not for a terminal or a pipe\nhint: name a file: -o tests.parquet\n"
    )


@pytest.mark.parametrize("name", ["t.txt", "t.json", "t.tsv", "t.csv", "t.tex", "t.md", "t.html"])
def test_a_file_holds_what_stdout_would(name: str, scores: Path, cranfield: Command) -> None:
    forms = {"txt": "text", "tex": "latex", "md": "markdown"}
    form = forms.get(name.partition(".")[2], name.partition(".")[2])
    written = cranfield("test", "--scores", "s.csv", "-o", name)
    assert (written.code, written.out) == (0, "")
    shown = cranfield("test", "--scores", "s.csv", "--format", form)
    text = (scores / name).read_text()
    if form == "json":
        assert read_json(text)["tables"] == read_json(shown.out)["tables"]
    else:
        assert text == shown.out


@pytest.mark.usefixtures("scores")
def test_markup_is_escaped(cranfield: Command) -> None:
    words = ("test", "--scores", "s.csv", "-t", "t(alternative='less')", "--format")
    latex = cranfield(*words, "latex").out
    assert r"lm\_d\&i" in latex
    assert "lm_d" not in latex
    assert latex.count(r"\begin{table}") == latex.count(r"\end{table}") == 3
    assert "lm_d&amp;i" in cranfield(*words, "html").out
    assert r"lm\_d&amp;i" in cranfield(*words, "markdown").out


@pytest.mark.usefixtures("scores")
@pytest.mark.parametrize(
    "words",
    [
        ["-t", "t sign max-t tukey", "--scale-of", "AP", "--rope", ".01", "--swaps", "--draws", "30"],
        ["--pair", "bm25", "rm3", "-t", "t"],
        ["-t", "tukey(df='inf') nemenyi rank-tukey scheffe", "--table", "tests"],
        ["-t", "t sign rank-sum signed-rank tost bootstrap randomisation", "--table", "tests", "--draws", "30"],
        ["--table", "effects"],
    ],
    ids=str,
)
def test_latex_has_only_signs_that_it_knows(words: list[str], cranfield: Command) -> None:
    latex = cranfield("test", "--scores", "s.csv", *words, "--format", "latex").out
    assert {sign for sign in latex if not sign.isascii()} <= KNOWN
    if "--pair" in words:
        assert "(+0.1500, 95\\% CI {[}0.0694, 0.2306{]}, p = 0.003, paired t-test, 8 topics)" in latex


# What is asked


@pytest.mark.usefixtures("scores")
@pytest.mark.parametrize(
    ("words", "tests"),
    [
        (["-t", "t"], {"t"}),
        (["-t", "t", "-t", "sign"], {"t", "sign"}),
        (["-t", "t, signed-rank wilcoxon"], {"t", "signed-rank"}),
        (["--test", "max-t", "--draws", "100"], {"max-t(draws=100)"}),
        (["-t", "t sign", "--alternative", "less"], {"t(alternative='less')", "sign(alternative='less')"}),
        (["-t", "tost(margin=0.02)"], {"tost(margin=0.02)"}),
    ],
    ids=lambda given: str(sorted(given)),
)
def test_tests(words: list[str], tests: set[str], cranfield: Command) -> None:
    assert {row["test"] for row in ask(cranfield, *words)["tables"]["tests"]} == tests


@pytest.mark.usefixtures("scores")
def test_pairs_and_baselines(cranfield: Command) -> None:
    def pairs(*words: str) -> list[tuple[str, str]]:
        return [(row["a"], row["b"]) for row in ask(cranfield, "-t", "t", *words)["tables"]["tests"]]

    assert pairs("--baseline", "rm3") == [("rm3", "bm25"), ("rm3", "lm_d&i")]
    assert pairs("--pair", "rm3", "bm25") == [("rm3", "bm25")]
    assert pairs("--pair", "rm3", "bm25", "--pair", "bm25", "lm_d&i") == [("rm3", "bm25"), ("bm25", "lm_d&i")]


@pytest.mark.usefixtures("scores")
def test_every_other_option(cranfield: Command) -> None:
    plain = ask(cranfield, "-t", "t")["tables"]["tests"]
    raw = ask(cranfield, "-t", "t", "--correct", "none")["tables"]["tests"]
    assert [row["p_adjusted"] for row in raw] == [row["p"] for row in plain]
    every = ask(cranfield, "-t", "t sign", "--family", "all", "--correct", "bonferroni")["tables"]["tests"]
    assert [row["p_adjusted"] for row in every] == pytest.approx([min(1, 6 * row["p"]) for row in every])
    bca = ask(cranfield, "--interval", "bca", "--draws", "99", "--level", ".1")["tables"]["tests"]
    assert {row["test"] for row in bca} == {"bootstrap(draws=99)"}
    assert all(row["low"] <= row["difference"] <= row["high"] for row in bca)
    median = ask(cranfield, "-t", "t", "--aggregate", "median")["tables"]["tests"]
    assert median[0]["difference"] == pytest.approx(np.median(RUNS["rm3"]) - np.median(RUNS["bm25"]))
    z = ask(cranfield, "-t", "t", "--transform", "z-score")["tables"]["tests"]
    assert z[0]["difference"] != plain[0]["difference"]
    some = ask(cranfield, "-t", "t", "--topics", "t1,t2,t5")["tables"]["tests"]
    assert {row["n"] for row in some} == {3}
    drawn = [
        ask(cranfield, "-t", "bootstrap(exact='never')", "--draws", "300", *words)["tables"]["tests"]
        for words in ((), ("--threads", "2"), ("--seed", "1"))
    ]
    assert drawn[0] == drawn[1]
    assert drawn[0] != drawn[2]
    assert ask(cranfield, "--seed", "5")["made_by"]["seed"] == 5


def test_norms_out_and_in(scores: Path, cranfield: Command) -> None:
    written = cranfield("test", "--scores", "s.csv", "--save-norms", "norms.csv", "--format", "csv")
    assert written.code == 0
    matrix = np.array(list(RUNS.values()))
    norms = pl.read_csv(scores / "norms.csv")
    assert norms["mean"].to_list() == pytest.approx(matrix.mean(axis=0).tolist())
    assert norms["sd"].to_list() == pytest.approx(matrix.std(axis=0, ddof=1).tolist())
    own = ask(cranfield, "-t", "t", "--transform", "webber")["tables"]["tests"]
    assert ask(cranfield, "-t", "t", "--transform", "webber", "--norms", "norms.csv")["tables"]["tests"] == own


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf", "html"])
def test_charts(suffix: str, scores: Path, cranfield: Command) -> None:
    ended = cranfield("test", "--scores", "s.csv", "--chart", f"p.{suffix}", "--table", "summary", "--format", "csv")
    assert ended.code == 0
    start = (scores / f"p.{suffix}").read_bytes()[:200]
    assert {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF", "html": b"<!doctype html>"}[
        suffix
    ].lower() in start.lower()
    if suffix == "svg":
        assert "rm3" in (scores / "p.svg").read_text()


def test_judged_runs(campaign: Path, cranfield: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(campaign)
    words = ("test", "qrels.txt", "runs", "-m", "AP P@5", "-t", "t", "--format", "json")
    found = read_json(cranfield(*words).out)
    rows = found["tables"]["tests"]
    assert len(rows) == 2 * 6 * 5 / 2
    assert {row["measure"] for row in rows} == {"AP", "P@5"}
    assert {row["n"] for row in rows} == {8}
    values = read_json(cranfield("evaluate", "qrels.txt", "runs", "-m", "AP", "--format", "json").out)
    mean = {row["run"]: row["value"] for row in values["tables"]["values"]}
    for row in rows[:15]:
        assert row["difference"] == pytest.approx(mean[row["b"]] - mean[row["a"]], abs=1e-12)


def test_topics_that_runs_lack(here: Path, cranfield: Command) -> None:
    (here / "q.txt").write_text("".join(f"{t} 0 x 1\n{t} 0 y 0\n" for t in range(1, 6)))
    for name, topics in {"one": range(1, 6), "two": range(1, 4), "three": range(4, 6)}.items():
        lines = (f"{t} Q0 {d} {r} {2 - r - (t % 2) * r} {name}\n" for t in topics for r, d in ((1, "y"), (2, "x")))
        (here / f"{name}.txt").write_text("".join(lines))
    both = read_json(
        cranfield("test", "q.txt", "one.txt", "two.txt", "three.txt", "--topics", "both", "--format", "json").out
    )
    assert [row["n"] for row in both["tables"]["tests"][:3]] == [3, 2, 0]
    last = both["tables"]["tests"][2]
    assert (last["difference"], last["p"], last["note"]) == (
        None,
        None,
        "no topic in which both have a value; holm over 2 tests",
    )
    for words in (["-t", "t"], ["-t", "t sign"], ["--aggregate", "median"], ["--rope", ".01", "--draws", "20"]):
        alone = cranfield("test", "q.txt", "two.txt", "three.txt", "--topics", "both", *words, "--format", "text")
        assert alone.code == 0
        assert alone.out.startswith("two and three have no value of AP in the same topic; ")
        assert "Warning" not in alone.err
    joint = cranfield("test", "q.txt", "one.txt", "two.txt", "three.txt", "--topics", "both", "-t", "max-t")
    assert joint == Ended(
        1,
        "",
        "error: there is no topic in which every run has a value\n"
        "hint: leave out the run that lacks most, or use a test of pairs such as t\n",
    )


def test_very_many_rows_are_shortened_for_people(here: Path, cranfield: Command) -> None:
    values = np.random.default_rng(0).random((3, 12)).round(3)
    lines = [",".join(f"r{i}" for i in range(12)), *(",".join(map(str, row)) for row in values)]
    (here / "s.csv").write_text("\n".join(lines))
    text = cranfield("test", "--scores", "s.csv", "-t", "t", "--format", "text").out
    assert "tests: the first 60 of 66; --table tests has all" in text
    assert "how large the differences are: the first 60 of 66; --table effects has all" in text
    assert len(cranfield("test", "--scores", "s.csv", "-t", "t", "--format", "tsv").out.splitlines()) == 67
    whole = cranfield("test", "--scores", "s.csv", "-t", "t", "--table", "tests", "--format", "text").out
    assert "the first 60" not in whole


# Real values, and much work


def test_trec_8(shared_data: Path, cranfield: Command) -> None:
    file = str(shared_data / "score-matrices" / "adhoc8_ap.csv")
    words = ("test", "--scores", file, "--scale-of", "AP", "-t", "tukey tukey(df='inf')", "--table", "summary")
    rows = list(csv.DictReader(io.StringIO(cranfield(*words, "--format", "csv").out)))
    assert (rows[0]["pairs"], rows[0]["significant"]) == ("8256", "3423")
    assert rows[1]["test"] == "tukey(df='inf')"


@pytest.mark.parametrize("test", ["max-t", "bootstrap(exact='never')", "randomisation(exact='never')"])
def test_interrupted_while_drawing(test: str, here: Path) -> None:
    values = np.random.default_rng(1).random((60, 5))
    lines = [",".join(f"r{i}" for i in range(5)), *(",".join(map(str, row)) for row in values)]
    (here / "s.csv").write_text("\n".join(lines))
    command = [sys.executable, "-c", "from cranfield.cli import main; main()", "test", "--scores", "s.csv"]
    with subprocess.Popen(
        [*command, "-t", test, "--draws", "20000000", "-o", "t.json"],
        cwd=here,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        time.sleep(2.5)  # it draws by now, and for minutes
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, words = process.communicate(timeout=60)
    assert process.returncode == 130
    assert words == b"error: interrupted\n"
    assert not (here / "t.json").exists()
