"""cranfield leaderboard, as a user runs it."""

from pathlib import Path

import pytest

from tests.support.cli.commands import Command, expect_refusal, read_json

BOARD = """id,date,,team,MRR
base,2020/01/01,🏛,organisers,0.2
one,2020/02/01,,a team,0.1
two,2020/03/01,🏆,a team,0.3
three,2020/03/01,,others,0.25
four,2020/04/01,🏆,others,0.35
"""


@pytest.fixture
def words(campaign: Path) -> tuple[str, str]:
    return str(campaign / "qrels.txt"), str(campaign / "runs")


def test_the_board_as_text(cranfield: Command, words: tuple[str, str], campaign: Path) -> None:
    ended = cranfield("leaderboard", *words, "-m", "AP nDCG@10", "--entries", str(campaign / "runs.csv"))
    assert ended.code == 0
    assert "has the highest mean AP" in " ".join(ended.out.split())
    head = next(line for line in ended.out.splitlines() if line.startswith("run "))
    assert head.split() == ["run", "group", "mean", "rank", "rank_mean", "p_first", "letters"]
    assert "steps of the state of the art" in ended.out
    assert "stability" not in ended.out  # for charts and programs


def test_the_json_contract(cranfield: Command, words: tuple[str, str], campaign: Path) -> None:
    ended = cranfield("leaderboard", *words, "--entries", str(campaign / "runs.csv"), "--format", "json")
    found = read_json(ended.out)
    ranks = "run group mean low high rank rank_low rank_high rank_mean p_first letters".split()
    assert list(found["tables"]["ranks"][0]) == ranks
    assert list(found["tables"]["stability"][0]) == ["run", "rank", "share"]
    assert {"run", "date", "mean", "step", "p", "significant"} <= set(found["tables"]["sota"][0])
    for run in {row["run"] for row in found["tables"]["stability"]}:
        assert sum(row["share"] for row in found["tables"]["stability"] if row["run"] == run) == pytest.approx(1)
    assert found["verdict"]["first"] == found["tables"]["ranks"][0]["run"]
    kinds = [source["kind"] for source in found["made_by"]["inputs"]]
    assert kinds[0] == "qrels"
    assert "entries" in kinds
    assert found["made_by"]["seed"] == 0


def test_the_same_twice_and_another_seed(cranfield: Command, words: tuple[str, str]) -> None:
    asked = ("leaderboard", *words, "--table", "stability", "--draws", "500")
    assert cranfield(*asked).out == cranfield(*asked).out
    assert cranfield(*asked).out != cranfield(*asked, "--seed", "1").out


def test_a_board_of_means(cranfield: Command, here: Path) -> None:
    (here / "b.csv").write_text(BOARD)
    ended = cranfield(
        "leaderboard", "--entries", "b.csv", "--column", "baseline=", "--value", "MRR", "--format", "json"
    )
    found = read_json(ended.out)
    assert [row["run"] for row in found["tables"]["sota"]] == ["two", "four"]
    assert [row["step"] for row in found["tables"]["sota"]] == pytest.approx([0.1, 0.05])
    assert found["made_by"]["command"].startswith("cranfield leaderboard --entries b.csv")
    drawn = cranfield(
        "leaderboard", "--entries", "b.csv", "--column", "baseline=", "--value", "MRR", "--chart", "s.svg"
    )
    assert drawn.code == 0
    assert (here / "s.svg").read_text().startswith("<svg")


def test_private_topics(cranfield: Command, words: tuple[str, str], campaign: Path, here: Path) -> None:
    topics = sorted({line.split()[0] for line in (campaign / "qrels.txt").read_text().splitlines()})
    (here / "p.txt").write_text("\n".join(topics[:3]))
    entries = ("--entries", str(campaign / "runs.csv"))
    ended = cranfield("leaderboard", *words, *entries, "--private", "@p.txt", "--format", "json")
    found = read_json(ended.out)["tables"]
    assert {row["topics"] for row in found["conditions"]} == {3, len(topics) - 3}
    assert len(found["moves"]) == 6
    named = cranfield("leaderboard", *words, *entries, "--private", ",".join(topics[:3]), "--format", "json")
    assert read_json(named.out)["tables"] == found
    lines = (campaign / "qrels.txt").read_text().splitlines()
    (here / "pub.txt").write_text("\n".join(line for line in lines if line.split()[0] in topics[3:]) + "\n")
    (here / "pri.txt").write_text("\n".join(line for line in lines if line.split()[0] in topics[:3]) + "\n")
    apart = cranfield(
        "leaderboard",
        "pub.txt",
        words[1],
        *entries,
        "--private-qrels",
        "pri.txt",
        "--format",
        "json",
        "--labels",
        "x=pri.txt",
    )
    assert read_json(apart.out)["tables"]["moves"] == found["moves"]


def test_private_scores(cranfield: Command, here: Path) -> None:
    (here / "pub.csv").write_text("topic,x,y\n1,.5,.6\n2,.2,.4\n3,.1,.2\n")
    (here / "pri.csv").write_text("topic,x,y\n8,.5,.1\n9,.2,.1\n")
    ended = cranfield("leaderboard", "--scores", "pub.csv", "--private-scores", "pri.csv", "--format", "json")
    assert [row["move"] for row in read_json(ended.out)["tables"]["moves"]] == [-1, 1]


def test_everything_at_once(cranfield: Command, words: tuple[str, str], campaign: Path, here: Path) -> None:
    runs = [path.stem for path in sorted((campaign / "runs").iterdir())]
    (here / "e.csv").write_text("run,latency\n" + "".join(f"{run},{i + 1}\n" for i, run in enumerate(runs)))
    ended = cranfield(
        "leaderboard", *words, "-m", "AP RR", "--entries", "e.csv", "--cost", "latency", "--flip", ".1,.3", "--robust"
    )
    assert ended.code == 0
    for heading in (
        "when a share of the labels is wrong",
        "without one topic",
        "how alike the orders",
        "doing no harm",
    ):
        assert heading in ended.out


@pytest.mark.parametrize("chart", ["board", "stability", "sizes", "orders", "facets"])
def test_charts(cranfield: Command, words: tuple[str, str], here: Path, chart: str) -> None:
    ended = cranfield("leaderboard", *words, "-m", "AP RR", "--robust", "--draw", chart, "--chart", "c.svg")
    assert ended.code == 0, ended.err
    assert (here / "c.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("words", "code", "error"),
    [
        ((), 2, "QRELS and a RUN are missing"),
        (("q.txt", "r.txt", "--value", "x"), 2, "--value is about a table of runs"),
        (("q.txt", "r.txt", "--column", "group=team"), 2, "--column is about a table of runs"),
        (("q.txt", "r.txt", "--column", "group"), 2, "--column cannot be group"),
        (("q.txt", "r.txt", "--flip", "2"), 2, "--flip cannot be 2"),
        (("q.txt", "r.txt", "--labels", "x"), 2, "--labels cannot be x"),
        (("q.txt", "r.txt", "--private", "1", "--private-qrels", "q.txt"), 2, "both say what is private"),
        (("q.txt", "r.txt", "--private", "both"), 2, "--private names topics"),
        (("q.txt", "r.txt", "--private-scores", "s.csv"), 2, "--private-scores stands beside --scores"),
        (("q.txt", "r.txt", "--private", "7"), 1, "there is no topic 7"),
        (("q.txt", "r.txt", "--entries", "none.csv"), 1, "none.csv"),
        (("q.txt", "r.txt", "--entries", "bad.csv"), 1, "bad.csv:3"),
        (("q.txt", "r.txt", "--cost", "latency"), 1, "no run has a cost named 'latency'"),
        (("q.txt", "r.txt", "-t", "foo"), 1, "no test named"),
        (("q.txt", "r.txt", "--baseline", "nobody"), 1, "there is no run named nobody"),
        (
            ("q.txt", "r.txt", "--entries", "cost.csv", "--cost", "slow"),
            1,
            'cost.csv:3: slow "very" is not a finite number',
        ),
        (("q.txt", "r.txt", "--entries", "cost.csv", "--cost", "fast"), 1, "cost.csv: there is no column 'fast'"),
        (("--entries", "e.csv", "--value", "nothing"), 1, "nothing"),
    ],
)
def test_refusals(cranfield: Command, here: Path, words: tuple[str, ...], code: int, error: str) -> None:
    (here / "q.txt").write_text("1 0 a 1\n2 0 b 1\n")
    (here / "r.txt").write_text("1 Q0 a 1 2 r\n2 Q0 b 1 2 r\n")
    (here / "e.csv").write_text("run,date\nr,2020-01-01\n")
    (here / "cost.csv").write_text("run,slow\nr,1\ns,very\n")
    (here / "bad.csv").write_text("run,date\nx,2020-01-01\ny,yesterday\n")
    ended = cranfield("leaderboard", *words)
    assert (ended.code, ended.out) == (code, "")
    first, second = ended.err.splitlines()
    assert error in first
    assert second.startswith("hint: ")


def test_a_run_twice_in_the_entries(cranfield: Command, here: Path) -> None:
    (here / "e.csv").write_text("run,date\nr,2020-01-01\nr,2020-01-02\n")
    expect_refusal(
        cranfield("leaderboard", "qrels.txt", "run.txt", "--entries", "e.csv"),
        1,
        "e.csv:3: run r stands here and in line 2",
        None,
    )
