"""cranfield anova, as a user runs it."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from tests.support.cli.commands import Command, Ended, expect_refusal, read_json
from tests.support.cli.latex_characters import KNOWN

drawn = np.random.default_rng(2)
NAMES = ("bm25", "rm3", "lm_d&i", "dense")
MATRIX = (drawn.random((9, 1)) / 2 + drawn.uniform(0, 0.15, (9, 4)) + [0, 0.05, 0.1, 0.3]).round(4)
CUBE = (drawn.random((2, 5, 3)) / 3 + np.array([0, 0.1, 0.5])).round(4)
ANOVA = ["source", "ss", "df", "ms", "f", "p", "log10_p", "omega2"]
SYSTEMS = ["run", "mean", "low", "high", "letters"]
PAIRS = ["a", "b", "difference", "q", "p", "significant"]


def table(header: Sequence[object], rows: Sequence[Sequence[object]]) -> str:
    return "\n".join(",".join(map(str, row)) for row in [header, *rows])


@pytest.fixture
def scores(here: Path) -> Path:
    """Scores of four runs; of three with replicates; what runs are made of."""
    rows = [[f"t{i}", *row] for i, row in enumerate(MATRIX.tolist())]
    (here / "s.csv").write_text(table(["topic", *NAMES], rows))
    shards = [[f"t{t}", f"s{r}", *CUBE[r, t].tolist()] for t in range(5) for r in range(2)]
    (here / "shards.csv").write_text(table(["topic", "shard", "a", "b", "c"], shards))
    (here / "shards_cut.csv").write_text(table(["topic", "shard", "a", "b", "c"], shards[:-1]))
    kinds = [["bm25", "sparse"], ["rm3", "sparse"], ["lm_d&i", "dense"], ["dense", "dense"]]
    (here / "factors.csv").write_text(table(["run", "kind"], kinds))
    (here / "factors_cut.csv").write_text(table(["run", "kind"], kinds[:-1]))
    return here


def ask(cranfield: Command, *words: str, scores: str = "s.csv") -> dict[str, Any]:
    ended = cranfield("anova", "--scores", scores, *words, "--format", "json")
    assert ended.code == 0, ended.err
    return read_json(ended.out)


# What is shown


@pytest.mark.usefixtures("scores")
def test_json_is_the_contract(cranfield: Command) -> None:
    found = ask(cranfield)
    assert (found["contract"], found["study"]) == (2, "anova")
    assert {"anova", "systems", "pairs"} <= set(found["tables"])
    assert list(found["tables"])[-1] == "pairs"  # what one table of a table format holds
    for name, columns in (("anova", ANOVA), ("systems", SYSTEMS), ("pairs", PAIRS)):
        assert all(list(row)[: len(columns)] == columns for row in found["tables"][name])
    assert {"pairs", "significant", "half_width", "sentence"} <= set(found["verdict"])
    assert found["verdict"]["pairs"] == len(found["tables"]["pairs"]) == 6
    assert found["verdict"]["significant"] == sum(row["significant"] for row in found["tables"]["pairs"])
    assert [row["source"] for row in found["tables"]["anova"]] == ["topic", "system", "error", "total"]
    assert (found["tables"]["anova"][2]["f"], found["tables"]["anova"][3]["ms"]) == (None, None)


@pytest.mark.usefixtures("scores")
def test_text_has_the_paragraph_the_table_and_the_groups(cranfield: Command) -> None:
    ended = cranfield("anova", "--scores", "s.csv", "--scale-of", "AP")
    paragraph, *tables = ended.out.split("\n\n")
    assert paragraph.startswith("A two-way ANOVA without interaction of AP (4 runs, 9 topics) gives topic: F(8, 24) = ")
    assert "ANOVA and tukey need interval numbers; AP is ordinal (ferrante2021)" in " ".join(paragraph.splitlines())
    assert max(map(len, paragraph.splitlines())) <= 100
    assert tables[0].startswith("analysis of variance of AP\nsource ")
    assert " ± " in tables[1]
    assert [line.split()[0] for line in tables[1].splitlines()[2:]] == [
        NAMES[run] for run in np.argsort(-MATRIX.mean(axis=0))
    ]
    assert "all pairs:" not in ended.out  # for programs
    assert ended.err == ""


@pytest.mark.usefixtures("scores")
@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_tables_hold_all_pairs(form: str, cranfield: Command) -> None:
    ended = cranfield("anova", "--scores", "s.csv", "--format", form)
    rows = list(csv.DictReader(io.StringIO(ended.out), delimiter="," if form == "csv" else "\t"))
    assert list(rows[0])[: len(PAIRS)] == PAIRS
    assert len(rows) == 6
    assert rows[0]["significant"] in ("true", "false")
    assert f"note: {form} holds one table, here pairs; --table gives another: anova, systems, " in ended.err


@pytest.mark.usefixtures("scores")
def test_every_table_can_be_asked_for(cranfield: Command) -> None:
    for name, rows in ask(cranfield, "--factors", "factors.csv")["tables"].items():
        words = ("anova", "--scores", "s.csv", "--factors", "factors.csv", "--table", name, "--format", "csv")
        text = cranfield(*words).out
        assert text.splitlines()[0].split(",") == list(rows[0])
        assert len(list(csv.reader(io.StringIO(text)))) == 1 + len(rows)


@pytest.mark.parametrize("name", ["a.txt", "a.json", "a.tsv", "a.csv", "a.tex", "a.md", "a.html", "a.parquet"])
def test_files(name: str, scores: Path, cranfield: Command) -> None:
    assert cranfield("anova", "--scores", "s.csv", "-o", name).code == 0
    if name == "a.parquet":
        assert pl.read_parquet(scores / name).columns[: len(PAIRS)] == PAIRS
    else:
        assert "dense" in (scores / name).read_text()


WITH = [
    ["--scale-of", "AP", "--ranks"],
    ["--df", "inf", "--factors", "factors.csv", "--interactions"],
    ["--after", "t", "--correct", "bh"],
    ["--bootstrap", "--draws", "30"],
    ["--model", "one-way"],
    ["--table", "pairs", "--df", "inf"],
    ["--table", "dependability"],
    ["--table", "assumptions"],
]


@pytest.mark.usefixtures("scores")
@pytest.mark.parametrize("words", WITH, ids=str)
def test_latex_has_only_signs_that_it_knows(words: list[str], cranfield: Command) -> None:
    text = cranfield("anova", "--scores", "s.csv", *words, "--format", "latex").out
    latex = "\n".join(line for line in text.splitlines() if not line.startswith("% note: "))
    assert {sign for sign in latex if not sign.isascii()} <= KNOWN
    assert r"$\omega$$^2$ = " in latex
    assert r"lm\_d\&i" in latex or words[-1] in ("dependability", "assumptions")
    outside = latex.replace(r"\&", "").replace(r"\_", "").replace(r"\%", "").replace(r"\#", "")
    assert not set(outside) & set("%#")
    assert latex.count(r"\begin{table}") == latex.count(r"\end{table}") > 0
    if "--table" not in words:
        assert r"4 runs, 9 topics) gives" in latex
        assert r"$\times$" in latex or "factors.csv" not in words


@pytest.mark.usefixtures("scores")
def test_percent_is_escaped_in_the_paragraph(cranfield: Command) -> None:
    latex = cranfield("anova", "--scores", "s.csv", "--format", "latex").out
    assert r"\%)" in latex.partition(r"\begin{table}")[0]
    assert r"pairs apart (" in latex.partition(r"\begin{table}")[0]


# What is asked


@pytest.mark.usefixtures("scores")
def test_every_option(cranfield: Command) -> None:
    one_way = ask(cranfield, "--model", "one-way")["tables"]["anova"]
    peer = stats.f_oneway(*MATRIX.T)
    assert (one_way[0]["f"], one_way[0]["p"]) == pytest.approx((peer.statistic, peer.pvalue))
    ranks = {row["source"]: row for row in ask(cranfield, "--ranks")["tables"]["anova"]}
    assert ranks["friedman: system"]["p"] == pytest.approx(stats.friedmanchisquare(*MATRIX.T).pvalue)
    plain, known = ask(cranfield), ask(cranfield, "--df", "inf")
    assert known["verdict"]["half_width"] < plain["verdict"]["half_width"]
    assert ask(cranfield, "--df", "error")["tables"] == plain["tables"]
    t = ask(cranfield, "--after", "t", "--correct", "none")["tables"]["pairs"]
    assert t[0]["p"] == pytest.approx(stats.ttest_rel(MATRIX[:, 1].tolist(), MATRIX[:, 0].tolist()).pvalue)
    narrow = ask(cranfield, "--level", ".5")["verdict"]["half_width"]
    assert narrow < plain["verdict"]["half_width"]
    bent = ask(cranfield, "--transform", "arcsine-root")["tables"]["systems"]
    assert bent[0]["mean"] == pytest.approx(np.arcsin(np.sqrt(MATRIX)).mean(axis=0).max())
    drawn = [
        ask(cranfield, "--bootstrap", "--draws", "200", *words)["tables"]["pairs"]
        for words in ((), ("--threads", "2"), ("--seed", "3"))
    ]
    assert drawn[0] == drawn[1]
    assert drawn[0] != drawn[2]
    some = ask(cranfield, "--topics", "t0,t1,t2,t3")["tables"]["anova"]
    assert some[0]["df"] == 3


@pytest.mark.usefixtures("scores")
def test_factors(cranfield: Command) -> None:
    def sources(*words: str) -> list[str]:
        found = ask(cranfield, "--factors", "factors.csv", *words)
        assert [source["kind"] for source in found["made_by"]["inputs"]] == ["scores", "factors"]
        return [row["source"] for row in found["tables"]["anova"]]

    assert sources() == ["topic", "kind", "system(kind)", "error", "total"]
    assert sources("--nested") == sources()
    assert sources("--crossed") == ["topic", "kind", "rest of system", "error", "total"]
    assert "topic×kind" in sources("--interactions")


@pytest.mark.usefixtures("scores")
def test_replicates(cranfield: Command) -> None:
    def sources(*words: str) -> list[str]:
        return [row["source"] for row in ask(cranfield, *words, scores="shards.csv")["tables"]["anova"]]

    assert sources() == ["topic", "system", "topic×system", "error", "total"]
    assert "replicate" in sources("--replicates", "factor")
    assert "topic×replicate" in sources("--replicates", "interacting")
    made_by = ask(cranfield, scores="shards.csv")["made_by"]
    assert made_by["command"] == "cranfield anova --scores shards.csv --format json"


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf", "html"])
def test_charts(suffix: str, scores: Path, cranfield: Command) -> None:
    words = ("--chart", f"runs.{suffix}", "--boxes", f"boxes.{suffix}", "--format", "csv")
    assert cranfield("anova", "--scores", "s.csv", *words).code == 0
    start = {"svg": b"<svg", "png": b"\x89png", "pdf": b"%pdf", "html": b"<!doctype html>"}[suffix]
    for name in ("runs", "boxes"):
        assert start in (scores / f"{name}.{suffix}").read_bytes()[:200].lower()


def test_judged_runs(campaign: Path, cranfield: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(campaign)
    found = read_json(cranfield("anova", "qrels.txt", "runs", "-m", "nDCG@10", "--format", "json").out)
    assert [row["df"] for row in found["tables"]["anova"]] == [7, 5, 35, 47]
    several = cranfield("anova", "qrels.txt", "runs", "-m", "AP P@5")
    assert several == Ended(1, "", "error: which measure?\nhint: there are: AP, P@5\n")


def test_trec_8(shared_data: Path, cranfield: Command) -> None:
    """After ferro2024, Table 1."""
    file = str(shared_data / "score-matrices" / "adhoc8_ap.csv")
    text = cranfield("anova", "--scores", file, "--scale-of", "AP").out
    said = " ".join(text.partition("\n\n")[0].split())
    assert "topic: F(49, 6272) = 251.9, p < 1e-1426, ω² = 0.656 (large)" in said
    assert "system: F(128, 6272) = 34.46, p < 1e-616, ω² = 0.399 (large)" in said
    assert "tells 3,423 of 8,256 pairs apart (41.5%): those whose means are more than 0.1030 apart." in said
    assert "± 0.0515: runs whose" in text
    known = cranfield("anova", "--scores", file, "--df", "inf", "--format", "json")
    assert read_json(known.out)["verdict"]["pairs"] == 8256


# What is refused

REFUSED = [
    (["--after", "tuckey"], 1, "there is no test named 'tuckey'", None),
    (["--after", "tost"], 1, "tost looks for equality, not for differences", "choose tukey or nemenyi"),
    (["--after", "nemenyi", "--df", "inf"], 1, "nemenyi has no degrees of freedom to choose", "df goes with tukey"),
    (["--correct", "xx"], 1, "there is no correction named 'xx'", None),
    (["--model", "x"], 2, "--model cannot be x", "choose one of: two-way, one-way"),
    (["--df", "5"], 2, "--df cannot be 5", "choose one of: error, inf"),
    (["--level", "2"], 2, "--level cannot be 2", "give a number between 0 and 1, such as .05"),
    (["--draws", "0"], 2, "--draws cannot be 0", "give a whole number, 1 or more"),
    (
        ["--factors", "factors_cut.csv"],
        1,
        "factors_cut.csv: there is no row for run dense",
        "give every run a row; there are rows for bm25, rm3, lm_d&i",
    ),
    (["--factors", "none.csv"], 1, "none.csv: there is no such file", None),
    (["--factors", "s.csv"], 1, "s.csv: there is no column for the run", "there are: topic, bm25, rm3, lm_d&i, dense"),
    (
        ["--nested"],
        1,
        "nested, crossed, interactions, random and covariates need factors of runs",
        "give them: --factors FILE",
    ),
    (["--interactions"], 1, "nested, crossed, interactions, random and covariates need factors of runs", None),
    (
        ["--replicates", "factor"],
        1,
        "the scores have no column for the replicate",
        "add one beside the topic, called replicate, shard, seed or variant",
    ),
    (
        ["--factors", "factors.csv", "--model", "one-way"],
        1,
        "the one-way model has no place for factors",
        "take the two-way model, or leave them out",
    ),
    (["--norms", "n.csv"], 1, "there are norms, but no transform that goes by them", None),
    (["--transform", "x"], 1, "there is no transform named 'x'", None),
    (
        ["--scale-of", "AP", "--scale", "refuse"],
        1,
        "ANOVA and tukey need interval numbers; AP is ordinal (ferrante2021)",
        None,
    ),
    (["--chart", "a.bmp"], 1, "a.bmp: no picture ends in .bmp", "end the name in .svg .png .pdf .html"),
    (["--boxes", "no/a.svg"], 1, "no/a.svg: there is no folder no", "make it first: mkdir -p no"),
    (["--boxes", "a"], 1, "a: the name does not say which kind of picture", "end the name in .svg .png .pdf .html"),
]


@pytest.mark.parametrize(("words", "code", "error", "hint"), REFUSED, ids=[" ".join(words) for words, *_ in REFUSED])
def test_refused(words: list[str], code: int, error: str, hint: str | None, scores: Path, cranfield: Command) -> None:
    before = sorted(scores.iterdir())
    ended = cranfield("anova", "--scores", "s.csv", *words)
    expect_refusal(ended, code, error, hint)
    assert sorted(scores.iterdir()) == before


@pytest.mark.usefixtures("scores")
@pytest.mark.parametrize(
    ("file", "words", "error"),
    [
        ("shards_cut.csv", [], "shards_cut.csv: topic t4 has no row for replicate s1"),
        ("shards.csv", ["--factors", "factors.csv"], "replicates go with neither factors nor transforms"),
        ("shards.csv", ["--transform", "logit"], "replicates go with neither factors nor transforms"),
        ("shards.csv", ["--model", "one-way"], "the one-way model has no place for replicates"),
        ("shards.csv", ["--scale-of", "AP"], "--scale-of is not for scores with replicates"),
        ("shards.csv", ["--topics", "t1"], "--topics is not for scores with replicates"),
    ],
    ids=str,
)
def test_refused_with_replicates(file: str, words: list[str], error: str, cranfield: Command) -> None:
    ended = cranfield("anova", "--scores", file, *words)
    first, second = ended.err.splitlines()
    assert first == f"error: {error}"
    assert second.startswith("hint: ")
    assert ended.code in (1, 2)
