"""cranfield bridge: what it prints, writes and refuses."""

from pathlib import Path

import pytest

from tests.support.cli.commands import Command, expect_refusal, read_json

# AP of x is 1 and 1, of y 1 and 0, of z 0 and 0.
FOUND = {"x": ("a", "c"), "y": ("a", "d"), "z": ("d", "e")}


@pytest.fixture(autouse=True)
def runs(here: Path) -> None:
    """Three runs of two topics, and what users made of them."""
    (here / "qrels.txt").write_text("1 0 a 1\n2 0 c 1\n")
    (here / "runs").mkdir()
    for run, (first, second) in FOUND.items():
        (here / "runs" / f"{run}.txt").write_text(f"1 Q0 {first} 1 1.0 {run}\n2 Q0 {second} 1 1.0 {run}\n")
    (here / "ctr.csv").write_text("run,value,error\nx,0.3,0.01\ny,0.2,0.01\nz,0.1,0.01\n")


BRIDGE = ("bridge", "qrels.txt", "runs")


def test_text_says_the_verdict_first(cranfield: Command) -> None:
    ended = cranfield(*BRIDGE, "-m", "AP NumRet", "--online", "ctr.csv", "--format", "text")
    assert ended.code == 0
    assert ended.out.startswith("AP agrees best with what users did (kendall 1.00 over 3 runs), in ")
    assert "what measures say offline, beside what users did" in ended.out
    assert "pearson" not in ended.out  # as text it has to fit
    assert "beside what measures say" not in ended.out  # the points are for the chart


def test_json_is_a_contract(cranfield: Command) -> None:
    found = read_json(cranfield(*BRIDGE, "-m", "AP", "--online", "ctr.csv", "--format", "json").out)
    assert (found["study"], list(found["tables"])) == ("bridge", ["bridge", "points"])
    row = found["tables"]["bridge"][0]
    ends = [f"{name}{end}" for name in ("pearson", "spearman", "kendall", "agreement") for end in ("", "_low", "_high")]
    assert list(row) == ["measure", "runs", *ends, "apart", "agreement_apart", "p_best"]
    assert (row["kendall"], row["agreement"], row["runs"]) == (pytest.approx(1), pytest.approx(1), 3)
    assert found["tables"]["points"][0] == {
        "measure": "AP",
        "run": "x",
        "offline": 1.0,
        "online": 0.3,
        "online_low": pytest.approx(0.3 - 0.0195996),
        "online_high": pytest.approx(0.3 + 0.0195996),
    }
    assert [one["kind"] for one in found["made_by"]["inputs"]] == ["qrels", "run", "run", "run", "outcomes"]


def test_a_log_whose_arms_are_runs(cranfield: Command, here: Path) -> None:
    clicks = {"x": (1, 1, 1, 0), "y": (1, 1, 0, 0), "z": (1, 0, 0, 0)}
    rows = [f"{run}{i},{run}{i},{run},1,1,a,{c}" for run, each in clicks.items() for i, c in enumerate(each)]
    (here / "log.csv").write_text("\n".join(["impression,user,arm,topic,rank,document,clicked", *rows, ""]))
    ended = cranfield(*BRIDGE, "-m", "AP", "--online", "log.csv", "--outcome", "ctr", "--format", "json")
    found = read_json(ended.out)
    assert [row["online"] for row in found["tables"]["points"]] == [0.75, 0.5, 0.25]
    assert found["verdict"]["online"] == "ctr"


def test_options_reach_the_study(cranfield: Command, here: Path) -> None:
    (here / "slow.tsv").write_text("system\tseconds\nx\t1\ny\t2\nz\t3\n")
    words = ("--online", "slow.tsv", "--column", "value=seconds", "--lower", "--by", "pearson", "--draws", "20")
    found = read_json(cranfield(*BRIDGE, "-m", "AP", *words, "--format", "json").out)
    assert found["verdict"] | {"sentence": ""} == {
        "measure": "AP",
        "online": "seconds",
        "runs": 3,
        "by": "pearson",
        "value": pytest.approx(1),
        "sentence": "",
    }
    ended = cranfield(*BRIDGE, "-m", "AP", "--online", "ctr.csv", "--chart", "bridge.svg", "-o", "found.csv")
    assert (ended.code, (here / "bridge.svg").read_text()[:4]) == (0, "<svg")
    assert (here / "found.csv").read_text().startswith("measure,run,offline")


def test_scores_from_a_table(cranfield: Command, here: Path) -> None:
    (here / "ap.csv").write_text("topic,x,y,z\n1,1,1,0\n2,1,0,0\n")
    ended = cranfield("bridge", "--scores", "ap.csv", "--scale-of", "AP", "--online", "ctr.csv", "--format", "json")
    assert read_json(ended.out)["verdict"]["value"] == pytest.approx(1)


@pytest.mark.parametrize(
    ("words", "code", "error", "hint"),
    [
        ((), 2, "there is nothing to predict: --online is missing", None),
        (("--online", "no.csv"), 1, "no.csv: there is no such file", "check the name of the file"),
        (
            ("--online", "two.csv"),
            1,
            "2 runs have offline and online values",
            "it takes 3 by the same names; offline: x, y, z; online: x, y",
        ),
        (
            ("--online", "odd.csv"),
            1,
            'odd.csv:1: value "ctr" is not a finite number',
            "a value is a number; if the line names columns, none is called value",
        ),
        (("--online", "huge.csv"), 1, "huge.csv:2: value 1e+300 is too large to be summed up", None),
        (("--online", "ctr.csv", "--outcome", "luck"), 1, "there is no online measure named 'luck'", None),
        (
            ("--online", "ctr.csv", "--engine", "duckdb"),
            2,
            "--engine is about a log",
            "add --outcome, or leave it out",
        ),
        (
            ("--online", "ctr.csv", "--outcome", "ctr"),
            1,
            "ctr.csv: there is no column for impression (a page that was shown)",
            None,
        ),
        (
            ("--online", "ctr.csv", "--by", "chance"),
            2,
            "--by cannot be chance",
            None,
        ),
    ],
)
def test_refused(
    cranfield: Command, here: Path, words: tuple[str, ...], code: int, error: str, hint: str | None
) -> None:
    (here / "two.csv").write_text("run,value\nx,0.3\ny,0.2\n")
    (here / "odd.csv").write_text("which,ctr\nx,0.3\ny,0.2\nz,0.1\n")
    (here / "huge.csv").write_text("run,value\nx,1e300\ny,0.2\nz,0.1\n")
    expect_refusal(cranfield(*BRIDGE, *words), code, error, hint)
