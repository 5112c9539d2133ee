"""cranfield test --paper: ten runs, three baselines, one command."""

import csv
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from markdown_it import MarkdownIt
from scipy import stats

from tests.support.cli.commands import Command, read_json

BASELINES = ["bm_25", "rm3&", "lm%"]
RUNS = [*BASELINES, *(f"run{i}" for i in range(1, 11))]
OPTIONS = ("-t", "t", "--correct", "holm", "--scale", "ignore", "--paper")
AGAINST = tuple(word for name in BASELINES for word in ("--baseline", name))
COLUMNS = ["run", "measure", "mean", "best", "better_than", "worse_than"]


@pytest.fixture
def matrices(here: Path) -> dict[str, np.ndarray[Any, Any]]:
    """(topic, run) of two measures, also written as a long table of scores; of ESL less is better."""
    draw = np.random.default_rng(3)
    shape, spread = (30, len(RUNS)), np.roll(np.linspace(-0.2, 0.2, len(RUNS)), -5)  # baselines in the middle
    found = {
        "AP": draw.uniform(0.3, 0.6, (30, 1)) + spread + draw.normal(0, 0.1, shape),
        "ESL": 5 + 10 * spread + draw.normal(0, 2, shape),
    }
    lines = [
        f"{run},t{topic},{measure},{float(matrix[topic, place])!r}"
        for measure, matrix in found.items()
        for place, run in enumerate(RUNS)
        for topic in range(30)
    ]
    (here / "s.csv").write_text("\n".join(["run,topic,measure,value", *lines]))
    return found


def significant(matrix: np.ndarray[Any, Any], good: int) -> dict[str, dict[str, int]]:
    """By run and baseline, 1 where the run is significantly better, −1 where it is worse: scipy, and Holm by hand."""
    pairs = [(run, base) for run in RUNS if run not in BASELINES for base in BASELINES]
    tests = [stats.ttest_rel(matrix[:, RUNS.index(run)], matrix[:, RUNS.index(base)]) for run, base in pairs]
    said: dict[str, dict[str, int]] = {}
    largest = 0.0
    for place, i in enumerate(sorted(range(len(pairs)), key=lambda i: tests[i].pvalue)):
        largest = max(largest, (len(pairs) - place) * tests[i].pvalue)
        run, base = pairs[i]
        said.setdefault(run, {})[base] = good * int(np.sign(tests[i].statistic)) if largest <= 0.05 else 0
    return said


def mark(signs: dict[str, int]) -> str:
    better, worse = (
        "".join(letter for letter, base in zip("abc", BASELINES, strict=True) if signs[base] == sign)
        for sign in (1, -1)
    )
    return better + (f"$\\downarrow${worse}" if worse else "")


def test_latex_of_ten_runs_and_three_baselines(matrices: dict[str, np.ndarray[Any, Any]], cranfield: Command) -> None:
    ended = cranfield("test", "--scores", "s.csv", *AGAINST, *OPTIONS, "--format", "latex", "--digits", "3")
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert lines[0] == "\\begin{table}"
    assert lines[-1] == "\\end{table}"
    assert lines[2].startswith("\\caption{Means over 30 topics, ")
    assert "Holm over the 30 comparisons of each measure" in lines[2]
    assert "p $\\leq$ 0.05" in lines[2]
    body = lines[lines.index("\\midrule") + 1 : lines.index("\\bottomrule")]
    assert lines.index("\\toprule") < lines.index("\\midrule")
    names = ["bm\\_25", "rm3\\&", "lm\\%"]
    named = [f"{name}\\textsuperscript{{{letter}}}" for name, letter in zip(names, "abc", strict=True)]
    rows = [line.removesuffix(" \\\\").split(" & ") for line in body]
    assert [row[0] for row in rows] == [*named, *RUNS[3:]]
    for column, (measure, good) in enumerate({"AP": 1, "ESL": -1}.items(), 1):
        means = matrices[measure].mean(axis=0)
        wanted = significant(matrices[measure], good)
        assert {sign for signs in wanted.values() for sign in signs.values()} == {-1, 0, 1}
        for place, run in enumerate(RUNS):
            value = f"{means[place]:.3f}"
            value = f"\\textbf{{{value}}}" if place == np.argmax(good * means) else value
            text = mark(wanted[run]) if run in wanted else ""
            assert rows[place][column] == (f"{value}\\textsuperscript{{{text}}}" if text else value)


@pytest.mark.usefixtures("matrices")
def test_latex_is_well_formed(cranfield: Command) -> None:
    out = cranfield("test", "--scores", "s.csv", *AGAINST, *OPTIONS, "--format", "latex").out
    bare = re.sub(r"\\[%&_{}$#]", "", out)  # what is escaped is text
    assert bare.count("{") == bare.count("}")
    assert bare.count("$") % 2 == 0
    assert "%" not in bare
    spec = re.search(r"\\begin\{tabular\}\{(\w+)\}", out)
    assert spec is not None
    assert {line.count("&") for line in bare.splitlines() if line.endswith("\\\\")} == {len(spec[1]) - 1}
    assert sorted(re.findall(r"\\begin\{(\w+)\}", out)) == sorted(re.findall(r"\\end\{(\w+)\}", out))
    assert out.isascii()


@pytest.mark.usefixtures("matrices")
def test_markdown_html_and_text_have_marks_of_their_own(cranfield: Command) -> None:
    words = ("test", "--scores", "s.csv", *AGAINST, *OPTIONS, "--format")
    markdown = cranfield(*words, "markdown").out
    tokens = [
        child for token in MarkdownIt("commonmark").enable("table").parse(markdown) for child in token.children or ()
    ]
    assert [token.type for token in tokens].count("strong_open") == 2
    assert "bm\\_25<sup>a</sup>" in markdown
    html = cranfield(*words, "html").out
    assert html.count("<b>") == 2
    assert html.count("<sup>") == html.count("</sup>") == markdown.count("<sup>")
    assert "rm3&amp;<sup>b</sup>" in html
    text = cranfield(*words, "text").out.splitlines()
    assert text[0] == "Means over 30 topics, * best"
    assert text[2].split()[:2] == ["bm_25", "a"]
    assert sum("*" in line for line in text[2:15]) in {1, 2}
    assert "Holm over the 30 comparisons of each" in " ".join(text[15:])


@pytest.mark.usefixtures("matrices")
def test_programs_get_exact_rows(cranfield: Command, here: Path) -> None:
    words = ("test", "--scores", "s.csv", *AGAINST, *OPTIONS)
    found = read_json(cranfield(*words, "--format", "json", "--digits", "2").out)
    assert found["study"] == "paper"
    assert list(found["tables"]) == ["tests", "paper"]
    assert [list(row) for row in found["tables"]["paper"]] == [COLUMNS] * 26
    assert len(found["tables"]["tests"]) == 60
    assert found["verdict"]["baselines"] == BASELINES
    rows = list(csv.DictReader(io.StringIO(cranfield(*words, "--format", "tsv").out), delimiter="\t"))
    assert list(rows[0]) == COLUMNS
    assert [float(row["mean"]) for row in rows] == [row["mean"] for row in found["tables"]["paper"]]
    assert [row["better_than"] for row in rows] == [row["better_than"] or "" for row in found["tables"]["paper"]]
    assert cranfield(*words, "-o", "t.csv").code == 0
    assert (here / "t.csv").read_text().splitlines()[0] == ",".join(COLUMNS)


@pytest.mark.usefixtures("matrices")
def test_notes_are_never_in_the_table(cranfield: Command, here: Path) -> None:
    words = ("test", "--scores", "s.csv", "--baseline", "bm_25", "--paper")
    for form in ("latex", "markdown", "html", "text"):
        ended = cranfield(*words, "--format", form)
        assert "note:" not in ended.out
        assert ended.err.startswith("note: t and the mean need interval numbers")
    written = cranfield(*words, "-o", "table.tex")
    assert written.out == ""
    assert written.err.startswith("note: ")
    lines = (here / "table.tex").read_text().splitlines()
    comments = [line for line in lines if line.startswith("%")]
    assert comments == lines[: len(comments)]
    assert "cranfield test --scores s.csv --baseline bm_25 --paper -o table.tex" in comments[0]
    assert [line for line in comments if line.startswith("% note: ")]
    assert lines[len(comments)] == "\\begin{table}"
    assert "$\\dagger$" in "".join(lines)


@pytest.mark.usefixtures("matrices")
def test_the_tests_behind_the_marks_can_be_asked_for(cranfield: Command) -> None:
    ended = cranfield("test", "--scores", "s.csv", *AGAINST, *OPTIONS, "--table", "tests", "--format", "tsv")
    rows = list(csv.DictReader(io.StringIO(ended.out), delimiter="\t"))
    assert len(rows) == 60
    assert {row["a"] for row in rows} == set(BASELINES)


@pytest.mark.usefixtures("matrices")
@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        ((), "--paper"),
        (("--baseline", "bm_25", "-t", "t sign"), "--paper"),
        (("--baseline", "bm_25", "--rope", ".1"), "--rope"),
        (("--baseline", "bm_25", "--pair", "run1", "run2"), "--pair"),
        (("--baseline", "bm_25", "--chart", "x.svg"), "--chart"),
        (("--baseline", "bm_25", "--transform", "z-score"), "--transform"),
        (("--baseline", "bm_25", "--digits", "16"), "--digits"),
    ],
)
def test_what_the_table_has_no_room_for_is_refused(words: tuple[str, ...], wrong: str, cranfield: Command) -> None:
    ended = cranfield("test", "--scores", "s.csv", "--paper", *words)
    assert (ended.code, ended.out) == (2, "")
    problem, hint = ended.err.splitlines()
    assert problem.startswith(f"error: {wrong}")
    assert hint.startswith("hint: ")


@pytest.mark.usefixtures("matrices")
def test_several_baselines_without_a_paper(cranfield: Command) -> None:
    ended = cranfield("test", "--scores", "s.csv", *AGAINST, "-m", "AP", "-t", "t", "--format", "json")
    rows = read_json(ended.out)["tables"]["tests"]
    assert [(row["a"], row["b"]) for row in rows] == [(base, run) for base in BASELINES for run in RUNS[3:]]


@pytest.mark.shared
def test_ten_runs_of_trec_covid(cranfield: Command, shared_data: Path) -> None:
    folder = shared_data / "trec-covid"
    words = ("test", str(folder / "qrels-rnd1.txt"), str(folder / "runs"), "-m", "AP nDCG@10", "--baseline", "BERT")
    ended = cranfield(*words, *OPTIONS, "--format", "latex")
    assert ended.code == 0
    assert "Means over 30 topics" in ended.out
    assert "Holm over the 21 comparisons of each measure" in ended.out
    assert "\\textsuperscript{$\\dagger$}" in ended.out
