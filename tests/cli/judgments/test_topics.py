"""cranfield topics, as a user runs it."""

from pathlib import Path

import pytest

from tests.support.cli.commands import Command, expect_refusal, read_json

TREC = """<top>
<num> Number: 1
<title> Bees
<desc> Description:
What do bees do in winter, in the cold, in the dark, when there are no flowers?
<narr> Narrative:
Wasps are not relevant.
</top>
"""
CLEF = """<topic><identifier>1</identifier>
<title lang="en">Bees</title><title lang="de">Bienen</title></topic>
"""


@pytest.fixture
def files(here: Path) -> Path:
    (here / "topics.txt").write_text(TREC)
    (here / "clef.xml").write_text(CLEF)
    (here / "ap.csv").write_text("topic,x,y\n1,0.5,0.25\n2,0.75,1\n3,0,0\n")
    return here


def test_texts_as_people_read_them(cranfield: Command, files: Path) -> None:
    del files
    ended = cranfield("topics", "topics.txt", "--format", "text")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == (
        "1 topic, 1 text; titles: all, descriptions: all, narratives: all.\n"
        "\n"
        "1 topic\n"
        "topic  title  description\n"
        "1      Bees   What do bees do in winter, in the cold, in the dark, when t…\n"
    )


def test_texts_for_programs(cranfield: Command, files: Path) -> None:
    lines = cranfield("topics", "topics.txt").out.splitlines()  # in a pipe
    assert lines[0] == "topic\tlanguage\ttitle\tdescription\tnarrative"
    assert lines[1].endswith("when there are no flowers?\tWasps are not relevant.")
    assert cranfield("topics", "clef.xml", "-o", "again.csv").code == 0
    assert (files / "again.csv").read_text().splitlines()[1:] == ["1,en,Bees,,", "1,de,Bienen,,"]
    assert cranfield("topics", "again.csv", "--language", "de").out.splitlines()[1:] == ["1\tde\tBienen\t\t"]


def test_the_json_contract(cranfield: Command, files: Path) -> None:
    del files
    found = read_json(cranfield("topics", "topics.txt", "--scores", "ap.csv", "--format", "json").out)
    assert (found["contract"], found["study"], list(found["tables"])) == (2, "topics", ["topics", "difficulty"])
    assert found["tables"]["topics"][0] == {
        "topic": "1",
        "language": None,
        "title": "Bees",
        "description": "What do bees do in winter, in the cold, in the dark, when there are no flowers?",
        "narrative": "Wasps are not relevant.",
    }
    first, *_, last = found["tables"]["difficulty"]
    names = "topic measure mean median sd lowest highest best worst failed hardness title".split()
    assert list(first) == names
    assert (first["topic"], first["failed"], first["best"]) == ("3", 1.0, None)
    assert (last["topic"], last["mean"], last["best"], last["worst"]) == ("2", 0.875, "y", "x")
    assert [row["title"] for row in found["tables"]["difficulty"]] == [None, "Bees", None]
    keys = {"measure", "hardest", "easiest", "hard_for_all", "hard_for_some", "topic_share", "run_share", "sentence"}
    assert set(found["verdict"]) == keys
    assert [one["kind"] for one in found["made_by"]["inputs"]] == ["topics", "scores"]
    assert found["made_by"]["command"] == "cranfield topics topics.txt --scores ap.csv --format json"


def test_hard_topics_as_people_read_them(cranfield: Command, campaign: Path, here: Path) -> None:
    given = ("--qrels", str(campaign / "qrels.txt"), "--runs", str(campaign / "runs"))
    ended = cranfield("topics", str(campaign / "topics.tsv"), *given, "--format", "text", "--chart", "hard.svg")
    assert ended.code == 0
    assert ended.out.startswith("By mean AP the hardest topic is ")
    assert "8 topics by AP over 6 runs, the hardest first" in ended.out
    assert "note: the mean over runs needs interval numbers; AP is ordinal" in ended.out
    assert (here / "hard.svg").read_text().startswith("<svg")
    some = cranfield("topics", *given, "--topics", "301,302", "--format", "tsv").out.splitlines()
    assert {line.split("\t")[0] for line in some[1:]} == {"301", "302"}
    quiet = cranfield("topics", *given, "-m", "P@10 nDCG@10", "--scale", "ignore", "--format", "text")
    assert "topics by P@10 and nDCG@10, the hardest first" in quiet.out
    assert "interval numbers" not in quiet.out
    rows = cranfield("topics", *given, "-m", "P@10 nDCG@10", "--format", "tsv").out.splitlines()
    assert len(rows) == 1 + 2 * 8


def test_scores_may_be_better_when_lower(cranfield: Command, files: Path) -> None:
    del files
    told = cranfield("topics", "--scores", "ap.csv", "--scale-of", "ESL", "--table", "difficulty", "--format", "tsv")
    assert [line.split("\t")[0] for line in told.out.splitlines()[1:]] == ["2", "1", "3"]


def test_what_is_wrong_with_the_file_is_said(cranfield: Command, files: Path) -> None:
    (files / "latin.txt").write_bytes(TREC.replace("Bees", "Bées").encode("latin-1"))
    ended = cranfield("topics", "latin.txt")
    assert "Bées" in ended.out
    assert ended.err == "note: the text is not UTF-8: it is read as Latin-1\n"


ENTITY = '<!DOCTYPE t [\n<!ENTITY a "b">]><topic number="1"><title>&a;</title></topic>'


@pytest.mark.parametrize(
    ("options", "code", "error", "hint"),
    [
        ((), 2, "there are neither topics nor runs", "cranfield topics topics.txt"),
        (("topics.txt", "--qrels", "qrels.txt"), 2, "--qrels and --runs belong together", None),
        (("topics.txt", "--runs", "run.txt"), 2, "--qrels and --runs belong together", None),
        (("topics.txt", "-m", "AP"), 2, "there is nothing to measure", "give --qrels and --runs"),
        (("topics.txt", "--topics", "301"), 2, "there is nothing to measure", "give --qrels and --runs"),
        (("topics.txt", "--chart", "x.svg"), 2, "how hard topics are is not known", None),
        (
            ("topics.txt", "--scores", "ap.csv", "-m", "AP"),
            2,
            "ap.csv has one value in each cell, and does not say of what",
            None,
        ),
        (("topics.txt", "--scale-of", "AP"), 2, "--scale-of is about a table of scores", "give one with --scores"),
        (("topics.txt", "run.txt"), 2, "got unexpected extra argument (run.txt)", None),
        (("--scores", "ap.csv", "--language", "en"), 1, "there are no texts that could be in a language", None),
        (("clef.xml", "--language", "fr"), 1, "clef.xml: no topic is in fr", "there are: en, de"),
        (("topic.txt",), 1, "topic.txt: there is no such file", "did you mean topics.txt?"),
        (("run.txt",), 1, "run.txt:1: there is no column for the topic", None),
        (("entity.xml",), 1, "entity.xml:2: the file declares an entity", None),
        (("open.xml",), 1, "open.xml:1: <top> is never closed", "write </top> at the end of the topic"),
        (("other.tsv", "--scores", "ap.csv"), 1, "other.tsv: no topic that has values is in it", None),
        (("topics.txt", "--chart", "x.gif"), 1, "x.gif: no picture ends in .gif", None),
        (("topics.txt", "--table", "difficulty"), 1, "the study topics has no table named 'difficulty'", None),
    ],
)
def test_what_is_refused(
    cranfield: Command, files: Path, options: tuple[str, ...], code: int, error: str, hint: str | None
) -> None:
    (files / "entity.xml").write_text(ENTITY)
    (files / "open.xml").write_text("<top><num>1")
    (files / "other.tsv").write_text("301\tbees\n")
    expect_refusal(cranfield("topics", *options), code, error, hint)
