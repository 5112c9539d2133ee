"""cranfield novelty, as a user runs it."""

from pathlib import Path

import pytest

from tests.support.cli.commands import Command, expect_refusal, read_json

CONTRACT = "run measure value nrg unique unique_total tasc tasc_mean rareness prior seen_out".split()


@pytest.fixture
def words(campaign: Path) -> tuple[str, str]:
    return str(campaign / "qrels.txt"), str(campaign / "runs")


def test_as_text(cranfield: Command, words: tuple[str, str], campaign: Path) -> None:
    entries = ("--entries", str(campaign / "runs.csv"))
    ended = cranfield("novelty", *words, "--prior", "best-per-group", *entries)
    assert ended.code == 0
    assert "adds most (NRG" in " ".join(ended.out.split())
    assert "prior: best-per-group" in ended.out
    assert "who stands for a group" in ended.out
    head = next(line for line in ended.out.splitlines() if line.startswith("run "))
    assert {"group", "value", "nrg", "unique", "tasc", "rareness", "priors"} <= set(head.split())


def test_the_json_contract(cranfield: Command, words: tuple[str, str]) -> None:
    found = read_json(cranfield("novelty", *words, "-m", "nDCG@10", "--format", "json").out)
    assert found["study"] == "novelty"
    rows = found["tables"]["novelty"]
    assert set(CONTRACT) <= set(rows[0])
    assert {row["prior"] for row in rows} == {"others"}
    assert [row["value"] for row in rows] == sorted((row["value"] for row in rows), reverse=True)
    most = max(rows, key=lambda row: row["nrg"])
    assert (found["verdict"]["most"], found["verdict"]["nrg"]) == (most["run"], most["nrg"])
    assert all(row["low"] <= row["nrg"] <= row["high"] for row in rows)
    assert "novelty" in found["made_by"]["command"]


def test_nothing_known_before_is_the_measure_itself(cranfield: Command, words: tuple[str, str]) -> None:
    for measure in ("nDCG@10", "RR", "ERR@20", "P@5", "RBP", "INST"):
        found = read_json(cranfield("novelty", *words, "-m", measure, "--prior", "none", "--format", "json").out)
        for row in found["tables"]["novelty"]:
            assert row["nrg"] == pytest.approx(row["value"], abs=1e-12)


def test_runs_that_are_known_before(cranfield: Command, words: tuple[str, str], campaign: Path) -> None:
    files = sorted((campaign / "runs").iterdir())
    prior = [word for file in files[1:3] for word in ("--prior", str(file))]
    alone = read_json(cranfield("novelty", words[0], str(files[0]), *prior, "--format", "json").out)
    (row,) = alone["tables"]["novelty"]
    assert row["priors"] == 2
    kinds = [source["kind"] for source in alone["made_by"]["inputs"]]
    assert kinds == ["qrels", "run", "run", "run"]
    named = [word for file in files[1:3] for word in ("--prior", file.stem)]
    together = read_json(cranfield("novelty", *words, *named, "--format", "json").out)
    same = next(other for other in together["tables"]["novelty"] if other["run"] == row["run"])
    assert same["nrg"] == row["nrg"]


def test_evaluate_compare_and_test_take_it_as_a_measure(
    cranfield: Command, words: tuple[str, str], campaign: Path
) -> None:
    files = sorted(str(file) for file in (campaign / "runs").iterdir())
    ended = cranfield("evaluate", words[0], files[0], "-m", "NRG(nDCG@10)", "--prior", files[1], "--format", "json")
    (row,) = read_json(ended.out)["tables"]["values"]
    own = read_json(cranfield("novelty", words[0], files[0], "--prior", files[1], "--format", "json").out)
    assert row["value"] == own["tables"]["novelty"][0]["nrg"]
    assert [source["kind"] for source in read_json(ended.out)["made_by"]["inputs"]] == ["qrels", "run", "prior"]
    assert "against" in ended.err
    tested = cranfield(
        "test", words[0], *files[:3], "-m", "NRG(nDCG@10)", "--prior", files[4], "-t", "t", "--format", "json"
    )
    assert {row["measure"] for row in read_json(tested.out)["tables"]["tests"]} == {"NRG(nDCG@10)"}
    assert len(read_json(tested.out)["tables"]["tests"]) == 3  # pairs of three runs: the prior is none of them
    compared = cranfield("compare", words[0], *files[:2], "-m", "NRG(nDCG@10)", "--format", "json")
    assert compared.code == 0


def test_through_time(cranfield: Command, words: tuple[str, str], campaign: Path, here: Path) -> None:
    entries = ("--entries", str(campaign / "runs.csv"))
    asked = ("novelty", *words, "-m", "RR@10", "--prior", "chronological", *entries)
    ended = cranfield(*asked, "--chart", "time.svg", "--format", "json")
    rows = read_json(ended.out)["tables"]["novelty"]
    assert [row["date"] for row in rows] == sorted(row["date"] for row in rows)
    assert rows[0]["priors"] == 0
    assert rows[0]["nrg"] == rows[0]["value"]
    assert (here / "time.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(("purpose", "table"), [("ensemble", "ensemble"), ("pool", "pool_runs")])
def test_what_it_is_for(cranfield: Command, words: tuple[str, str], here: Path, purpose: str, table: str) -> None:
    ended = cranfield("novelty", *words, "--for", purpose, "--steps", "3", "--chart", "c.svg", "--format", "json")
    found = read_json(ended.out)
    assert [row["step"] for row in found["tables"][table]] == [1, 2, 3]
    assert len({row["run"] for row in found["tables"][table]}) == 3
    assert (here / "c.svg").exists()


@pytest.mark.parametrize(
    ("options", "code", "error"),
    [
        (("-m", "AP"), 1, "AP has no NRG: it has no user who reads down a ranking, rank by rank"),
        (("--prior", "none", "--prior", "others"), 2, "--prior none stands alone"),
        (("--prior", "chronological"), 1, "no run has a date"),
        (("--column", "group=team"), 2, "--column is about a table of runs"),
        (("--for", "soup"), 2, "--for cannot be soup"),
        (("--topics", "nowhere"), 1, "there is no topic nowhere"),
        (("--ties", "average"), 2, "--ties average has no order of documents"),
        (("--alpha", "-1"), 1, "RareP cannot have alpha=-1.0"),
    ],
)
def test_what_is_refused(
    cranfield: Command, words: tuple[str, str], options: tuple[str, ...], code: int, error: str
) -> None:
    expect_refusal(cranfield("novelty", *words, *options), code, error, None)


def test_what_is_missing(cranfield: Command, here: Path) -> None:
    scored = cranfield("novelty", "--scores", "x.csv")
    assert scored.err.startswith("error: a table of scores does not say what runs found")
    expect_refusal(
        cranfield("novelty"), 2, "QRELS and a RUN are missing", "cranfield novelty qrels.txt run.txt -m nDCG@10"
    )
    (here / "empty.txt").write_text("")
    ended = cranfield("novelty", "qrels.txt", "empty.txt")
    assert (ended.code, ended.out) == (1, "")
    no_relative = cranfield("evaluate", "qrels.txt", "run.txt", "-m", "AP", "--prior", "run.txt")
    assert no_relative.err.startswith("error: no measure asks what is known before a run")
    tied = cranfield("evaluate", "qrels.txt", "run.txt", "-m", "NRG(P@1)", "--ties", "average")
    assert tied.err.startswith("error: NRG(P@1) looks at other runs as they are")
    word = cranfield("evaluate", "qrels.txt", "run.txt", "-m", "NRG(P@1)", "--prior", "chronological")
    assert word.code == 1
