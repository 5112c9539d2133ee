"""cranfield evaluate --paper and --digits, as a user runs them."""

import csv
import io
from pathlib import Path

import pytest
from scipy import stats

from tests.support.cli.commands import Command

# Of 12 topics with one relevant document, `good` has it first in all, `bad` second in all but two.
TOPICS = range(1, 13)


@pytest.fixture
def runs(here: Path) -> None:
    """Judgments and two runs."""
    (here / "q.txt").write_text("".join(f"{topic} 0 x 1\n" for topic in TOPICS))
    for name, misses in (("bad_run", set(TOPICS) - {1, 2}), ("good", set[int]())):
        lines = [
            f"{topic} Q0 {document} {rank} {9 - rank} {name}\n"
            for topic in TOPICS
            for rank, document in enumerate(("y", "x") if topic in misses else ("x", "y"), 1)
        ]
        (here / f"{name}.txt").write_text("".join(lines))


# RR of `bad_run` is 1 in two topics and 1/2 in ten; ESL counts the documents above, 0 and 1.
WORSE = [1.0] * 2 + [0.5] * 10


@pytest.mark.usefixtures("runs")
def test_latex_with_daggers(cranfield: Command) -> None:
    assert stats.ttest_rel([1.0] * 12, WORSE).pvalue < 0.05
    words = ("q.txt", "bad_run.txt", "good.txt", "-m", "RR ESL", "--scale", "ignore", "--paper", "--digits", "2")
    ended = cranfield("evaluate", *words, "--baseline", "bad_run", "--format", "latex")
    assert ended.code == 0, ended.err
    lines = ended.out.splitlines()
    body = lines[lines.index("\\midrule") + 1 : lines.index("\\bottomrule")]
    mean = f"{sum(WORSE) / 12:.2f}"
    assert [line.split(" & ")[:2] for line in body] == [
        ["bad\\_run", mean],
        ["good", "\\textbf{1.00}\\textsuperscript{$\\dagger$}"],
    ]
    assert body[1].split(" & ")[2].endswith("\\textsuperscript{$\\dagger$} \\\\")  # a smaller ESL is better
    against = cranfield("evaluate", *words, "--baseline", "good", "--format", "markdown").out.splitlines()
    assert against[-1].startswith(f"| bad\\_run | {mean}<sup>‡</sup> |")


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize("form", ["text", "html", "markdown", "latex"])
def test_without_a_baseline_the_best_is_bold(form: str, cranfield: Command) -> None:
    ended = cranfield("evaluate", "q.txt", "bad_run.txt", "good.txt", "-m", "RR", "--paper", "--format", form)
    best = {"text": "1.0000*", "html": "<b>1.0000</b>", "markdown": "**1.0000**", "latex": "\\textbf{1.0000}"}
    assert best[form] in ended.out
    assert "note:" not in ended.out
    assert "sup" not in ended.out.replace("\\toprule", "")


@pytest.mark.usefixtures("runs")
def test_rows_for_programs(cranfield: Command) -> None:
    words = (
        "q.txt",
        "bad_run.txt",
        "good.txt",
        "-m",
        "RR",
        "--scale",
        "ignore",
        "--paper",
        "--baseline",
        "bad_run.txt",
    )
    ended = cranfield("evaluate", *words, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(ended.out)))
    assert [(row["run"], row["best"], row["better_than"]) for row in rows] == [
        ("bad_run", "false", ""),
        ("good", "true", "bad_run"),
    ]
    assert float(rows[0]["mean"]) == pytest.approx(sum(WORSE) / 12)


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (("--paper", "-q"), "--per-topic"),
        (("--paper", "--residual"), "--residual"),
        (("--paper", "--ties", "bounds"), "--ties bounds"),
        (("--paper", "--format", "trec_eval"), "--format trec_eval"),
        (("--baseline", "good", "--baseline", "bad_run"), "differences are from one baseline"),
    ],
)
def test_what_the_table_has_no_room_for_is_refused(words: tuple[str, ...], wrong: str, cranfield: Command) -> None:
    ended = cranfield("evaluate", "q.txt", "bad_run.txt", "good.txt", *words)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"error: {wrong}")
    assert len(ended.err.splitlines()) == 2


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize("form", ["text", "latex", "markdown", "html", "json", "tsv", "csv"])
def test_digits_round_what_people_read(form: str, cranfield: Command) -> None:
    words = ("evaluate", "q.txt", "bad_run.txt", "good.txt", "-m", "RR", "--scale", "ignore", "--format", form)
    shown, usual = cranfield(*words, "--digits", "2").out, cranfield(*words).out
    if form in {"json", "tsv", "csv"}:
        assert repr(sum(WORSE) / 12) in shown
        assert form == "json" or shown == usual  # JSON names the command
    else:
        assert "0.58" in shown
        assert "0.583" not in shown
        assert "0.5833" in usual


@pytest.mark.usefixtures("runs")
def test_digits_reach_the_text_of_a_comparison(cranfield: Command) -> None:
    words = ("compare", "q.txt", "bad_run.txt", "good.txt", "-m", "RR", "--format", "text")
    assert "0.5833" in cranfield(*words).out
    few = cranfield(*words, "--digits", "2").out
    assert "0.58 " in few
    assert "0.583" not in few
