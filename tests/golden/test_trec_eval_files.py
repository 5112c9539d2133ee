"""trec_eval's own test files: what it prints, byte for byte."""

import subprocess
import sys
from pathlib import Path

import pytest

from cranfield.measures import OFFICIAL, trec_eval_text
from cranfield.studies import evaluate

CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
ALL = [*OFFICIAL, "nDCG", "Success@1", "Success@5", "Success@10"]
ALL += [f"{measure}@{k}" for measure in ("R", "nDCG", "AP") for k in CUTS]


@pytest.fixture(scope="module")
def folder(shared_data: Path) -> Path:
    return shared_data / "small-collections" / "trec_eval-test"


def ours(text: str, *, like: str) -> str:
    """The lines of a reference that are of measures which ``like`` has too, in the order they stand."""
    names = {line.split("\t")[0] for line in like.splitlines()}
    return "".join(line for line in text.splitlines(keepends=True) if line.split("\t")[0] in names)


def test_all_measures_are_printed_as_trec_eval_prints_them(folder: Path) -> None:
    values = evaluate(folder / "qrels.test", folder / "results.test", ALL, topics="both", compat="trec_eval-9")
    text = trec_eval_text(values, per_topic=True)
    assert text == ours((folder / "v9.0.8.q.out").read_text(), like=text)
    assert len(text.splitlines()) == 3 * (len(ALL) - 1) + len(ALL) + 1  # num_q and runid in the summary only


def test_missing_topics_count_as_they_do_with_c(folder: Path) -> None:
    # Some of its lines have words after the sixth column, which trec_eval does not look at.
    values = evaluate(folder / "qrels.test", folder / "results.trunc", ALL, topics="qrels", compat="trec_eval-9")
    text = trec_eval_text(values, per_topic=True)
    assert text == ours((folder / "v9.0.8.q_c.results.trunc.out").read_text(), like=text)
    assert values.missing.sum() == 1


def test_the_command_prints_what_trec_eval_prints(folder: Path) -> None:
    command = [Path(sys.executable).with_name("cranfield"), "evaluate", folder / "qrels.test", folder / "results.test"]
    options = ["-q", "--format", "trec_eval", "--topics", "both", "--compat", "trec_eval-9"]
    done = subprocess.run([*map(str, command), *options], check=True, capture_output=True, text=True)
    assert done.stdout == ours((folder / "v9.0.8.q.out").read_text(), like=done.stdout)
    assert {line.split()[0] for line in done.stdout.splitlines()} >= {"runid", "num_q", "map", "P_1000"}
