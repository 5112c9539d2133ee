"""cranfield evaluate with levels, topics, aggregates and a baseline."""

import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

import cranfield as cf
from cranfield.cli.output.command_output import Bar
from tests.support.cli.commands import OTHER, RUN, Command, read_json
from tests.support.cli.two_run_evaluation import ASK, error, tables

pytestmark = pytest.mark.usefixtures("other")


# The best


def test_the_best_is_marked_where_people_read(cranfield: Command) -> None:
    ask = ["evaluate", "qrels.txt", "run.txt", "other.txt", "-m", "AP ESL NumRet", "--scale", "ignore"]
    assert cranfield(*ask, "--format", "text").out.splitlines() == [
        "2 topics, * best",
        "run        AP      ESL   NumRet",
        "run    1.0000*  1.0000*       4",
        "other  0.7500   1.5000        4",
    ]
    assert "| run | **1.0000** | **1.0000** | 4 |" in cranfield(*ask, "--format", "markdown").out
    assert r"run & \textbf{1.0000} & \textbf{1.0000} & 4 \\" in cranfield(*ask, "--format", "latex").out
    assert '<td class="number"><b>1.0000</b></td>' in cranfield(*ask, "--format", "html").out
    for form in ("tsv", "csv", "json"):
        assert "*" not in cranfield(*ask, "--format", form).out


def test_one_run_and_scores_have_no_best(here: Path, cranfield: Command) -> None:
    assert "*" not in cranfield("evaluate", "qrels.txt", "run.txt", "--format", "text").out
    (here / "ap.csv").write_text("topic,bm25,dense\n301,0.25,0.5\n")
    assert "*" not in cranfield("evaluate", "--scores", "ap.csv", "--format", "text").out


@pytest.mark.parametrize(
    ("environment", "bold"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False), ({"NO_COLOR": ""}, True)],
)
def test_a_terminal_shows_the_best_in_bold_unless_asked_not_to(
    environment: dict[str, str], bold: bool, here: Path
) -> None:
    ours, theirs = pty.openpty()
    start = {key: value for key, value in os.environ.items() if key != "NO_COLOR"} | {"TERM": "xterm"} | environment
    command = [sys.executable, "-c", "from cranfield.cli import main; main()", *ASK]
    with subprocess.Popen(command, cwd=here, env=start, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 4096):
                shown += part
        except OSError:  # Linux says so where nobody holds the other end any more
            pass
        os.close(ours)
        assert process.wait(timeout=60) == 0
    assert (b"\x1b[1m1.0000*\x1b[22m" in shown) is bold
    assert b"1.0000*" in shown
    assert (b"\x1b" in shown) is bold


# Levels


def test_levels_of_relevance(cranfield: Command) -> None:
    for words in (["--rel", "1", "--rel", "2"], ["--rel", "1,2"]):
        found = tables(cranfield("evaluate", "qrels.txt", "run.txt", "-m", "AP nDCG", *words, "--format", "json"))
        # Topic 1 has nothing of grade 2.
        assert [(row["measure"], row["value"], row["without_relevant"]) for row in found["values"]] == [
            ("AP", 1.0, 0),
            ("AP(rel=2)", 0.5, 1),
            ("nDCG", 1.0, 0),
        ]


@pytest.mark.parametrize("level", ["-1", "x", "1,,2", "", "1;2", "nan"])
def test_a_level_that_is_no_grade(level: str, cranfield: Command) -> None:
    assert cranfield(*ASK, "--rel", level) == error(
        f"--rel cannot be {level}", "give a grade, or several: --rel 1,2", code=2
    )


def test_a_level_that_nobody_asks_for(cranfield: Command) -> None:
    assert cranfield("evaluate", "qrels.txt", "run.txt", "-m", "nDCG@10", "--rel", "2") == error(
        "the measure does not ask from which grade on a document is relevant",
        "a level is for measures such as AP, P@10 and RR that do not name their own",
    )


# Topics


def test_some_topics(here: Path, cranfield: Command) -> None:
    (here / "chosen.txt").write_text("# the easy one\n\n2  # as said\n")
    for topics in ("2", "2, 2", "@chosen.txt"):
        found = tables(cranfield(*ASK, "--topics", topics, "-q", "--format", "json"))
        assert [(row["value"], row["topics"]) for row in found["values"]] == [(1.0, 1), (1.0, 1)]
        assert {row["topic"] for row in found["per_topic"]} == {"2"}
    assert cranfield(*ASK, "--topics", "1", "--topics", "@chosen.txt").out == cranfield(*ASK).out


def test_some_topics_and_only_what_both_have(here: Path, cranfield: Command) -> None:
    (here / "other.txt").write_bytes(OTHER[: OTHER.index(b"2 Q0")])
    ended = cranfield(*ASK, "--topics", "both", "--topics", "1,2", "--format", "json")
    assert [(row["topics"], row["missing"]) for row in tables(ended)["values"]] == [(2, 0), (1, 1)]
    assert ended.err == "note: other: 1 of 2 topics is missing (2), left out\n"
    one = cranfield(*ASK, "--topics", "1", "--topics", "both", "--format", "json")
    assert [(row["topics"], row["missing"]) for row in tables(one)["values"]] == [(1, 0), (1, 0)]
    assert one.err == ""


def test_trec_eval_prints_some_topics_too(cranfield: Command) -> None:
    ended = cranfield("evaluate", "qrels.txt", "other.txt", "-m", "AP", "-q", "--topics", "1", "--format", "trec_eval")
    assert ended.out == "".join(f"map                   \t{topic}\t0.5000\n" for topic in ("1", "all"))


def test_topics_that_are_not_there(here: Path, cranfield: Command) -> None:
    (here / "empty.txt").write_text("")
    (here / "words.txt").write_text("# nothing\n  \n")
    (here / "two.txt").write_text("1\n1 2\n")
    line = "one topic on each line; # starts a comment"
    for topics, expected in {
        "21": error("there is no topic 21", "did you mean 2 or 1?"),
        "1,xyz,q": error("there is no topic xyz (nor q)", "there are: 1, 2"),
        "@empty.txt": error("empty.txt: there is no topic in it", line),
        "@words.txt": error("words.txt: there is no topic in it", line),
        "@two.txt": error("two.txt:2: '1 2' is not one topic", line),
        "@xyz": error("xyz: there is no such file", "check the name"),
        "@empty.tx": error("empty.tx: there is no such file", "did you mean empty.txt?"),
        "@.": error(".: this is a folder, not a file", "name a file in it"),
        ",": error("--topics names no topic", "qrels, both, topics (301,302) or a file (@topics.txt)", code=2),
    }.items():
        assert cranfield(*ASK, "--topics", topics) == expected
    assert cranfield(*ASK, "--topics", "qrels", "--topics", "both") == error(
        "--topics cannot be qrels and both", "choose one; topics may be named beside it", code=2
    )


# Aggregates


def test_another_aggregate(cranfield: Command) -> None:
    ask = ["evaluate", "qrels.txt", "other.txt", "-m", "AP NumRet", "--aggregate", "gmean"]
    found = tables(cranfield(*ask, "--format", "json"))["values"]
    assert [(row["aggregate"], row["value"]) for row in found] == [("gmean", pytest.approx(0.5**0.5)), ("sum", 4)]
    text = cranfield(*ask, "--format", "text").out
    assert text == "2 topics, geometric mean\nrun        AP  NumRet\nother  0.7071       4\n"


def test_a_geometric_mean_says_what_it_did_with_zeros(here: Path, cranfield: Command) -> None:
    (here / "other.txt").write_bytes(OTHER.replace(b" a ", b" z "))
    ended = cranfield("evaluate", "qrels.txt", "other.txt", "-m", "AP", "--aggregate", "gmean")
    assert ended.err == "note: geometric mean: 1 value below 1e-05 counts as 1e-05\n"
    assert cranfield("evaluate", "qrels.txt", "other.txt", "-m", "AP", "--aggregate", "median").err == ""


@pytest.mark.parametrize("aggregate", ["sum", "mode"])
def test_an_aggregate_that_is_none(aggregate: str, cranfield: Command) -> None:
    assert cranfield(*ASK, "--aggregate", aggregate) == error(
        f"--aggregate cannot be {aggregate}", "choose one of: mean, median, gmean", code=2
    )


# The baseline


def test_differences_to_a_baseline(cranfield: Command) -> None:
    found = tables(cranfield(*ASK, "--baseline", "run", "-q", "--format", "json"))
    assert list(found) == ["values", "against", "per_topic", "differences"]
    assert found["against"] == [
        {
            "run": "other",
            "measure": "AP",
            "value": 0.75,
            "baseline": 1.0,
            "difference": -0.25,
            "better": 0,
            "equal": 1,
            "worse": 1,
            "topics": 2,
        }
    ]
    assert found["differences"] == [
        {"run": "other", "topic": "1", "measure": "AP", "value": 0.5, "baseline": 1.0, "difference": -0.5},
        {"run": "other", "topic": "2", "measure": "AP", "value": 1.0, "baseline": 1.0, "difference": 0.0},
    ]
    by_file = cranfield(*ASK, "--baseline", "./run.txt", "--format", "json")
    assert tables(by_file)["against"] == found["against"]
    assert list(tables(by_file)) == ["values", "against"]


def test_differences_for_people(cranfield: Command) -> None:
    assert cranfield(*ASK, "--baseline", "run", "-q", "--format", "text").out.split("\n\n")[1:] == [
        "against run\n"
        "run    measure   value  baseline  difference  better  equal  worse  topics\n"
        "other  AP       0.7500    1.0000     -0.2500       0      1      1       2",
        "by topic\n"
        "run    topic      AP\n"
        "run    1      1.0000\n"
        "run    2      1.0000\n"
        "other  1      0.5000\n"
        "other  2      1.0000",
        "differences to run\nrun    topic       AP\nother  1      -0.5000\nother  2       0.0000\n",
    ]


def test_many_tables_and_a_format_for_one(here: Path, cranfield: Command) -> None:
    ended = cranfield(*ASK, "--baseline", "run", "-q", "-o", "all.parquet")
    assert ended.err == (
        "note: parquet holds one table, here differences; --table gives another: values, against, per_topic\n"
    )
    assert pl.read_parquet(here / "all.parquet")["difference"].to_list() == [-0.5, 0.0]
    assert cranfield(*ASK, "--baseline", "run", "--table", "against").out.splitlines()[0].startswith("run\tmeasure\t")


def test_a_baseline_that_is_not_there(here: Path, cranfield: Command) -> None:
    assert cranfield(*ASK, "--baseline", "othr") == error("there is no run named othr", "did you mean other?")
    assert cranfield(*ASK, "--baseline", "qrels.txt") == error(
        "there is no run named qrels.txt", "there are: run, other"
    )
    assert cranfield("evaluate", "qrels.txt", "run.txt", "--baseline", "run") == error(
        "there is no run beside the baseline run", "give one more run"
    )
    for folder in ("one", "two"):
        (here / folder).mkdir()
        (here / folder / "bm25.txt").write_bytes(RUN)
    assert cranfield("evaluate", "qrels.txt", "one", "two", "--baseline", "bm25.txt") == error(
        "2 runs have a file named bm25.txt", "did you mean one/bm25 or two/bm25?"
    )


def test_an_unknown_baseline_is_refused_before_anything_is_read(here: Path, cranfield: Command) -> None:
    (here / "other.txt").write_bytes(b"no run at all\n")
    assert cranfield(*ASK, "--baseline", "nobody").err.startswith("error: there is no run named nobody\n")


# With scores, with trec_eval's form


def test_scores_have_topics_aggregates_and_a_baseline(here: Path, cranfield: Command) -> None:
    (here / "ap.csv").write_text("topic,bm25,dense\n301,0.25,0.5\n302,0.5,1.0\n303,0.75,0.0\n")
    ask = ["evaluate", "--scores", "ap.csv", "--format", "json"]
    found = tables(cranfield(*ask, "--aggregate", "median", "--topics", "301,302", "--baseline", "bm25", "-q"))
    assert [(row["aggregate"], row["value"], row["topics"]) for row in found["values"]] == [
        ("median", 0.375, 2),
        ("median", 0.75, 2),
    ]
    assert [row["difference"] for row in found["differences"]] == [0.25, 0.5]
    assert (found["against"][0]["difference"], found["against"][0]["better"]) == (0.375, None)
    assert cranfield(*ask, "--baseline", "bm52") == error("there is no run named bm52", "did you mean bm25?")
    assert cranfield(*ask, "--topics", "304") == error("there is no topic 304", "did you mean 303 or 302?")


@pytest.mark.parametrize("words", [["--curve", "pr"], ["--rel", "2"]])
def test_scores_have_no_curve_and_no_levels(words: list[str], here: Path, cranfield: Command) -> None:
    (here / "ap.csv").write_text("topic,bm25,dense\n301,0.25,0.5\n")
    assert cranfield("evaluate", "--scores", "ap.csv", *words) == error(
        f"--scores stands alone, but there is {words[0]} too", "leave one of them out", code=2
    )


@pytest.mark.parametrize("words", [["--curve", "pr"], ["--aggregate", "mean"], ["--baseline", "run"]])
def test_trec_eval_has_no_form_for_more(words: list[str], cranfield: Command) -> None:
    assert cranfield(*ASK, *words, "--format", "trec_eval") == error(
        f"trec_eval has no form for {words[0]}", "--format text and json have", code=2
    )


# Long work


def test_long_work_has_a_bar_of_its_own(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    bar = Bar("measuring")
    now[0] += 50  # reading took long: that is not its time
    bar(1, 10)
    now[0] += 0.9
    bar(2, 10)
    assert capsys.readouterr().err == ""
    now[0] += 0.2
    bar(3, 10)
    bar(10, 10)
    assert "measuring" in capsys.readouterr().err
    bar(5, 10)
    bar.close()
    assert capsys.readouterr().err == ""


def test_no_bar_for_quick_work(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(time, "monotonic", lambda: 7.0)
    bar = Bar("measuring")
    for done in range(1, 11):
        bar(done, 10)
    bar.close()
    assert capsys.readouterr().err == ""


def test_the_command_says_the_same_as_the_library(campaign: Path, cranfield: Command) -> None:
    qrels, runs = campaign / "qrels.txt", campaign / "runs"
    found = tables(
        cranfield(
            "evaluate", str(qrels), str(runs), "-m", "AP nDCG@10", "--rel", "2", "--format", "json", "--curve", "pr"
        )
    )
    values = cf.evaluate(qrels, runs, "AP nDCG@10", rel=2, curve="pr")
    assert [row["value"] for row in found["values"]] == values.summary().cells("value")
    assert [row["precision"] for row in found["curve"]] == values.curve_table().cells("precision")


def test_the_library_knows_runs_by_their_files(here: Path) -> None:
    values = cf.evaluate(here / "qrels.txt", [here / "run.txt", here / "other.txt"], "AP")
    assert values.against("other.txt").cells("run") == ["run"]


def test_preferences_take_the_place_of_judgments(here: Path, cranfield: Command) -> None:
    (here / "prefs.txt").write_text("1 me 0 a 2\n1 me 0 x 1\n2 me 0 y 1\n2 me 0 c 0\n")
    (here / "run.txt").write_text("1 Q0 a 1 2.5 mine\n1 Q0 x 2 1.5 mine\n2 Q0 c 1 9.0 mine\n2 Q0 y 2 8.0 mine\n")
    ended = cranfield("evaluate", "prefs.txt", "run.txt", "--prefs", "-m", "prefs_simp", "-q", "--format", "tsv")
    rows = [line.split("\t") for line in ended.out.splitlines()]
    assert [row[1:] for row in rows[1:]] == [["1", "PrefSimp", "1.0"], ["2", "PrefSimp", "0.0"]]
    assert "the mean needs interval numbers; PrefSimp is ordinal" in ended.err
    assert cranfield("evaluate", "prefs.txt", "run.txt", "--prefs", "--scale", "refuse").code == 1
    safe = cranfield("evaluate", "prefs.txt", "run.txt", "--prefs", "--aggregate", "median", "--scale", "refuse")
    assert (safe.code, safe.err) == (0, "")
    assert cranfield("evaluate", "--prefs").code == 2


def test_several_rankings_of_a_topic(here: Path, cranfield: Command) -> None:
    (here / "judged.txt").write_text("1 0 a 1\n1 0 b 1\n")
    (here / "turns.txt").write_text("1 x a 1 0 m\n1 x b 2 0 m\n1 y b 1 0 m\n1 y a 2 0 m\n")
    (here / "groups.tsv").write_text("a\tnorth\nb\tsouth\n")
    asked = ("evaluate", "judged.txt", "turns.txt", "--series", "--attributes", "groups.tsv", "--scale", "ignore")
    found = read_json(cranfield(*asked, "-m", "EE_L EE_D", "--equity", "--format", "json").out)
    assert [row["value"] for row in found["tables"]["values"]] == [0, 2 * (3 / 4) ** 2]
    assert found["tables"]["equity"] == [{"run": "turns", "rankings": 2, "unfairness": 0, "per_ranking": 0}]
    assert cranfield(*asked, "--format", "tsv").out.count("EE_") == 3
    ended = cranfield("evaluate", "judged.txt", "turns.txt", "--series", "--equity")
    assert (ended.code, ended.err.splitlines()[-2]) == (2, "error: --equity needs groups of documents")


@pytest.mark.parametrize("option", ["-c", "-l", "-n", "-J", "-M", "-N", "-R", "-T", "-Z"])
def test_an_option_of_trec_eval_is_refused_with_what_to_write(cranfield: Command, option: str) -> None:
    ended = cranfield("evaluate", "qrels.txt", "run.txt", option, "2")
    first, second = ended.err.splitlines()
    assert (ended.code, first) == (2, f"error: there is no option {option}")
    assert second.startswith(f"hint: trec_eval's {option}")


@pytest.mark.parametrize("name", ["all_prefs", "prefs", "prefs_simp", "prefs_num_prefs_poss", "map_avgjg", "qrels_jg"])
def test_a_measure_of_trec_eval_that_is_not_offered_is_refused(cranfield: Command, name: str) -> None:
    ended = cranfield("evaluate", "qrels.txt", "run.txt", "--compat", "trec_eval-10", "-m", name)
    first, second = ended.err.splitlines()
    assert (ended.code, first) == (1, f"error: there is no {name} here")
    assert second.startswith("hint: ")


def test_preferences_are_printed_under_the_names_of_trec_eval(cranfield: Command, here: Path) -> None:
    (here / "prefs.txt").write_text("1 ann 0 a 2\n1 ann 0 b 1\n1 ann 0 x 0\n")
    asked = ("--prefs", "--scale", "ignore", "--format", "trec_eval", "-m", "prefs_simp prefs_pair_ret")
    ended = cranfield("evaluate", "prefs.txt", "run.txt", *asked)
    # run.txt has a above x, and not b: of a>b, a>x and b>x the first two are fulfilled, of a>x the one there is.
    lines = [line.split() for line in ended.out.splitlines()]
    assert lines == [["prefs_simp", "all", "0.6667"], ["prefs_pair_ret", "all", "1.0000"]]
    assert "prefs_avgjg_Rnonrel" not in ended.err
    balanced = cranfield("evaluate", "prefs.txt", "run.txt", *asked[:-1], "prefs_avgjg_Rnonrel")
    assert "note: prefs_avgjg_Rnonrel of trec_eval is another number" in balanced.err


@pytest.mark.parametrize("name", ["prefs", "all_prefs", "prefs_num_prefs_poss", "prefs_num_prefs_ful_ret"])
def test_a_list_of_preference_measures_is_refused(cranfield: Command, here: Path, name: str) -> None:
    (here / "prefs.txt").write_text("1 ann 0 a 2\n1 ann 0 x 0\n")
    ended = cranfield("evaluate", "prefs.txt", "run.txt", "--prefs", "-m", name)
    first, second = ended.err.splitlines()
    assert (ended.code, first) == (1, f"error: there is no {name} here")
    assert "prefs_simp" in second
