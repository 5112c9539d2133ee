"""Judgments by an id of ir_datasets, in every command that takes judgments."""

import json
from pathlib import Path

import pytest

from tests.support.cli.commands import QRELS, RUN, Command
from tests.support.ir_datasets_catalogue import Catalogue


@pytest.fixture
def named(catalogue: Catalogue, here: Path) -> str:
    """The judgments of ``qrels.txt`` as a dataset, and a second run."""
    (here / "other.txt").write_bytes(RUN.replace(b" a ", b" ? ").replace(b" x ", b" a ").replace(b" ? ", b" x "))
    judged = catalogue.package.formats.TrecQrels(
        catalogue.file("judged", QRELS.decode()), {0: "no", 1: "yes", 2: "good"}
    )
    return catalogue.add("cranfield-test/judged", judged)


@pytest.mark.parametrize(
    "words",
    [
        "evaluate QRELS run.txt -m AP",
        "test QRELS run.txt other.txt -m AP",
        "anova QRELS run.txt other.txt -m AP",
        "compare QRELS run.txt other.txt",
        "leaderboard QRELS run.txt other.txt -m AP --draws 100",
        "leaderboard qrels.txt run.txt other.txt -m AP --draws 100 --private-qrels QRELS",
        "novelty QRELS run.txt other.txt -m nDCG@10",
        "power QRELS run.txt other.txt -m AP --difference .1",
        "reproduce QRELS run.txt --original other.txt -m AP",
        "scale AP@2 --qrels QRELS --runs run.txt --runs other.txt",
        "pool run.txt other.txt --judged QRELS",
        "lint QRELS run.txt",
    ],
)
def test_a_dataset_stands_where_judgments_do(words: str, named: str, cranfield: Command) -> None:
    asked = [*words.replace("QRELS", named).split(), "--format", "json"]
    by_id = cranfield(*asked)
    by_file = cranfield(*words.replace("QRELS", "qrels.txt").split(), "--format", "json")
    assert by_file.code in (0, 3), by_file.err
    assert by_id.code == by_file.code, by_id.err
    assert json.loads(by_id.out)["tables"] == json.loads(by_file.out)["tables"]


def test_a_dataset_is_converted(named: str, here: Path, cranfield: Command) -> None:
    assert cranfield("convert", named, "judged.txt").code == 0
    assert (here / "judged.txt").read_bytes() == QRELS


def test_judgments_by_subtopic_keep_their_subtopics(catalogue: Catalogue, cranfield: Command) -> None:
    lines = "1 1 a 1\n1 2 a 0\n1 2 x 1\n2 1 c 1\n"
    formats = catalogue.package.formats
    judged = formats.TrecSubQrels(catalogue.file("div", lines), {0: "no", 1: "yes"})
    named = catalogue.add("cranfield-test/diverse", judged)
    ended = cranfield("evaluate", named, "run.txt", "-m", "StRecall@1", "-q", "--format", "json")
    found = {row["topic"]: row["value"] for row in json.loads(ended.out)["tables"]["per_topic"]}
    assert found == {"1": 0.5, "2": 1.0}
