"""cranfield reproduce, and results that are made again."""

import json
from pathlib import Path

import pytest

from tests.support.cli.commands import Command, expect_refusal, read_json


@pytest.fixture(autouse=True)
def files(campaign: Path, here: Path) -> None:
    """Judgments and four runs."""
    (here / "qrels.txt").write_bytes((campaign / "qrels.txt").read_bytes())
    for mine, theirs in (("a", "aurora-1"), ("b", "basalt-1"), ("c", "cedar-1"), ("d", "aurora-1")):
        (here / f"{mine}.txt").write_bytes((campaign / "runs" / f"{theirs}.txt").read_bytes())


def test_text_says_the_verdict_first(cranfield: Command) -> None:
    ended = cranfield("reproduce", "qrels.txt", "d.txt", "--original", "a.txt", "-m", "AP", "--format", "text")
    assert ended.code == 0
    assert ended.out.startswith("d is not shown to differ from a in AP: +0.0000 (paired t, p = 1)")
    assert "by_depth" not in ended.out


def test_json_is_a_contract(cranfield: Command) -> None:
    originals = ("--original", "c.txt", "--original", "a.txt")
    ended = cranfield("reproduce", "qrels.txt", "c.txt", "b.txt", *originals, "-m", "P@5", "--format", "json")
    found = read_json(ended.out)
    assert (found["study"], list(found["tables"])) == ("reproduce", ["by_depth", "reproduce"])
    rows = found["tables"]["reproduce"]
    assert list(rows[0]) == ["original", "run", "measure", "statistic", "value", "low", "high", "p"]
    assert [(row["run"], row["statistic"]) for row in rows] == [
        *(("c", "tau-union"), ("c", "rbo"), ("b", "tau-union"), ("b", "rbo")),
        *(("c", "difference"), ("c", "rmse"), ("b", "difference"), ("b", "rmse")),
        *(("b", "effect-ratio"), ("b", "delta-ri")),
    ]
    assert list(found["tables"]["by_depth"][0])[:4] == ["original", "run", "depth", "tau"]
    assert found["made_by"]["command"].startswith("cranfield reproduce qrels.txt c.txt b.txt")


def test_charts(here: Path, cranfield: Command) -> None:
    given = ("reproduce", "qrels.txt", "c.txt", "b.txt", "--original", "c.txt", "--original", "a.txt", "-m", "AP")
    for name in ("rankings-by-depth", "effect-ratio"):
        ended = cranfield(*given, "--chart", f"{name}.svg", "--draw", name, "--draws", "100")
        assert ended.code == 0
        assert (here / f"{name}.svg").read_text().startswith("<svg")


def test_runs_that_do_not_go_together_are_refused(cranfield: Command) -> None:
    ended = cranfield("reproduce", "qrels.txt", "c.txt", "--original", "a.txt", "--original", "b.txt")
    hint = "with two originals runs come in twos: a baseline, then the run that improves on it"
    expect_refusal(ended, 1, "1 runs do not go with 2 originals", hint)


RESULTS = [
    ("evaluate", "qrels.txt", "a.txt", "b.txt", "-m", "AP P@5", "-q"),
    ("compare", "qrels.txt", "a.txt", "b.txt"),
    ("test", "qrels.txt", "a.txt", "b.txt", "c.txt", "-t", "t randomisation", "--table", "tests"),
    ("leaderboard", "qrels.txt", "a.txt", "b.txt", "c.txt", "--draws", "200"),
    ("reproduce", "qrels.txt", "b.txt", "--original", "a.txt", "--draws", "100"),
    ("anova", "qrels.txt", "a.txt", "b.txt", "c.txt"),
    ("novelty", "qrels.txt", "a.txt", "b.txt"),
    ("topics", "--qrels", "qrels.txt", "--runs", "a.txt", "--runs", "b.txt"),
]


@pytest.mark.parametrize("words", RESULTS, ids=lambda words: words[0])
def test_results_in_json_can_be_made_again(words: tuple[str, ...], here: Path, cranfield: Command) -> None:
    assert cranfield(*words, "-o", "result.json").code == 0
    ended = cranfield("rerun", "result.json", "--require")
    assert (ended.code, ended.out) == (0, "Nothing changed: every number is the same to the last digit.\n")
    first, *others = (here / "qrels.txt").read_text().splitlines(keepends=True)
    (here / "qrels.txt").write_text("".join([f"{first.rsplit(maxsplit=1)[0]} 0\n", *others[1:]]))
    ended = cranfield("rerun", "result.json", "--require", "--save", "new.json", "--format", "json")
    assert ended.code == 3
    changes = read_json(ended.out)["tables"]["changes"]
    assert ("made_by", "qrels.txt", "digest") in [(row["table"], row["row"], row["column"]) for row in changes]
    assert json.loads((here / "new.json").read_text())["study"] == words[0]


def test_what_was_shown_otherwise_is_shown_as_json(cranfield: Command, here: Path) -> None:
    ended = cranfield("evaluate", "qrels.txt", "a.txt", "-m", "AP", "--format=json")
    (here / "said.json").write_text(ended.out)
    assert cranfield("rerun", "said.json").out.startswith("Nothing changed")


def test_other_files_are_refused(cranfield: Command, here: Path) -> None:
    (here / "other.json").write_text('{"contract": 1}')
    expect_refusal(cranfield("rerun", "other.json"), 1, "other.json is no study that says how it was made", None)
    made = {"contract": 2, "study": "serve", "tables": {}, "made_by": {"command": "cranfield serve --port 80"}}
    (here / "serve.json").write_text(json.dumps(made))
    expect_refusal(cranfield("rerun", "serve.json"), 1, "serve.json does not say which command made it", None)
    made["made_by"] = {"command": "cranfield evaluate qrels.txt - -m AP"}
    (here / "piped.json").write_text(json.dumps(made))
    ended = cranfield("rerun", "piped.json")
    expect_refusal(ended, 1, "piped.json was made from standard input, which is gone", None)


def test_metadata_goes_round(cranfield: Command, here: Path) -> None:
    (here / "about.yaml").write_text("tag: mine\nactor:\n  team: ours\nmethod:\n  retrieval: [bm25, dense]\n")
    assert cranfield("convert", "a.txt", "told.run", "--metadata", "about.yaml").code == 0
    text = (here / "told.run").read_text()
    assert text.startswith("# ir_metadata.start\n# tag: mine\n")
    assert cranfield("convert", "told.run", "again.txt").code == 0
    assert (here / "again.txt").read_text() == text  # what a run says of itself is kept
    assert cranfield("convert", "told.run", "plain.csv").code == 0
    ended = cranfield("convert", "a.txt", "no.csv", "--metadata", "about.yaml")
    assert ended.code == 1
    assert "only a run of TREC text has a header for metadata" in ended.err
    ended = cranfield("convert", "a.txt", "no.txt", "--metadata", "none.yaml")
    assert (ended.code, "there is no such file" in ended.err) == (1, True)


def test_ties_mean_what_one_says(here: Path, cranfield: Command) -> None:
    (here / "j.txt").write_text("1 0 a 1\n2 0 a 1\n")
    (here / "one.txt").write_text("".join(f"{t} Q0 a 1 2 m\n{t} Q0 b 2 2 m\n" for t in (1, 2)))
    (here / "two.txt").write_text("".join(f"{t} Q0 b 1 2 m\n{t} Q0 a 2 1 m\n" for t in (1, 2)))
    asked = ("reproduce", "j.txt", "one.txt", "--original", "two.txt", "-m", "RR", "-p", ".5", "--format", "json")
    rbo = {}
    for tied in ((), ("--tied", "w"), ("--tied", "a")):
        rows = read_json(cranfield(*asked, *tied).out)["tables"]["reproduce"]
        rbo[tied[-1:]] = next(row["value"] for row in rows if row["statistic"] == "rbo")
    # The order of trec_eval puts b first, as the original does; equal documents are both at rank 1, 2 · 1 / (2 + 1).
    assert rbo == pytest.approx({(): 1, ("w",): 1 / 2 * 2 / 3 + 1 / 2, ("a",): 1 / 2 * 1 / 2 + 1 / 2})
