"""trec_eval's own test files: every number it prints, and what we print byte for byte."""

import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable
from itertools import groupby, islice
from pathlib import Path
from typing import Literal

import pytest

from cranfield.measures import Line, trec_eval_text
from cranfield.studies import evaluate
from tests.support.golden.ranking_inputs import GEOMETRIC, all_trec, notation

Topics = Literal["qrels", "both"]
Printed = dict[str, str]  # topic → number

# What trec_eval printed of which judgments and run, about which topics.
NINE: dict[str, tuple[str, str, Topics]] = {
    "v9.0.8.q.out": ("qrels.test", "results.test", "both"),
    "v9.0.8.q_c.results.trunc.out": ("qrels.test", "results.trunc", "qrels"),
}
# The same from version 10, which keeps scores as float64 and rounds recall levels in another way.
TEN: dict[str, tuple[str, str, Topics]] = {
    "out.test.aq": ("qrels.test", "results.test", "both"),
    "out.test.aqc": ("qrels.test", "results.trunc", "qrels"),
    "out.test.aqcM": ("qrels.test", "results.trunc", "qrels"),
    "out.test.aql": ("qrels.rel_level", "results.test", "both"),
}
UNJUDGED = {f"unj_{k}": f"Unjudged@{k}" for k in (5, 10, 20)}
# No measures, or (rbp) made of numbers that trec_eval 10.0-rc3 does not set.
NOT_OURS = {"runid", "num_q", "relstring", "relstring_20", "rbp", "rbp_resid"}
# -m with parameters; 11pt_avg takes the mean of the levels it is given, whatever its name says.
PARAMETERS = {
    **{f"iprec_at_recall_{x:.2f}": f"IPrec(rounding='trec_eval-10')@{x}" for x in (0.1, 0.2, 0.25, 0.5, 0.75)},
    **{f"P_{k}": f"P@{k}" for k in (3, 5, 7)},
    **{f"recall_{k}": f"R@{k}" for k in (20, 2000)},
    **{f"Rprec_mult_{x:.2f}": f"Rprec(times={x})" for x in (0.2, 0.35, 5.0)},
    "utility_2,-1,0,0": "Utility(a=2)",
    "ndcg_1=3,2=9,4=4.5": "nDCG(gains={1:3,2:9,4:4.5})",
    **{f"ndcg_cut_{k}": f"nDCG@{k}" for k in (10, 20, 23)},
    **{f"success_{k}": f"Success@{k}" for k in (2, 5, 20)},
}


@pytest.fixture(scope="module")
def folder(shared_data: Path) -> Path:
    return shared_data / "small-collections" / "trec_eval-test"


def printed(text: str) -> dict[str, Printed]:
    """The numbers of trec_eval, or of our text of that form, by measure and topic."""
    found: dict[str, Printed] = defaultdict(dict)
    for measure, topic, number in (line.split("\t") for line in text.splitlines()):
        found[measure.strip()][topic] = number
    return found


def ours(measure: str, qrels: Path, run: Path, topics: Topics, compat: str | None) -> Printed:
    """Our numbers for one measure, as we print them for trec_eval."""
    values = evaluate(qrels, run, [measure], topics=topics, compat=compat)
    (found,) = printed(trec_eval_text(values, [Line("", str(values.measures[0]))], per_topic=True)).values()
    # trec_eval 10 prints topics that the run misses too.
    missing = (topic for i, topic in enumerate(values.topics) if values.missing[0, i])
    whole = values.measures[0].aggregate == "sum"
    worst = {topic: values.cube[0, values.topics.index(topic), 0] for topic in missing}
    return found | {topic: f"{value:.0f}" if whole else f"{value:.4f}" for topic, value in worst.items()}


def same(theirs: Printed, found: Printed, *, geometric: bool) -> None:
    """Compare what trec_eval prints: geometric means of all topics only, and in version 9 no topic that is missing."""
    assert "all" in theirs
    assert theirs == {topic: number for topic, number in found.items() if topic in theirs}
    assert geometric == (len(theirs) == 1)


def names(theirs: Iterable[str]) -> set[str]:
    return set(theirs) - NOT_OURS


@pytest.mark.parametrize("file", NINE)
@pytest.mark.parametrize("trec", all_trec())
def test_every_number_is_that_of_trec_eval_9(folder: Path, file: str, trec: str) -> None:
    qrels, run, topics = NINE[file]
    found = ours(notation(trec), folder / qrels, folder / run, topics, "trec_eval-9")
    same(printed((folder / file).read_text())[trec], found, geometric=trec in GEOMETRIC)


@pytest.mark.parametrize("file", TEN)
@pytest.mark.parametrize("trec", [*all_trec(), *UNJUDGED])
def test_every_number_is_that_of_trec_eval_10(folder: Path, tmp_path: Path, file: str, trec: str) -> None:
    qrels, run, topics = TEN[file]
    measure = UNJUDGED.get(trec) or notation(trec, rel=2 if file.endswith("l") else 1).replace("eval-9", "eval-10")
    words = (line.split()[:6] for line in (folder / run).read_text().splitlines())
    lines = sorted(words, key=lambda line: (line[0], float(line[4]), line[2].encode()), reverse=True)
    depth = 100 if file.endswith("M") else None  # -M100
    best = [line for _, ranking in groupby(lines, lambda line: line[0]) for line in islice(ranking, depth)]
    (tmp_path / run).write_text("".join(f"{' '.join(line)}\n" for line in best))
    found = ours(measure, folder / qrels, tmp_path / run, topics, None)
    same(printed((folder / file).read_text())[trec], found, geometric=trec in GEOMETRIC)


@pytest.mark.parametrize("trec", PARAMETERS)
def test_parameters_mean_what_they_mean_to_trec_eval(folder: Path, trec: str) -> None:
    found = ours(PARAMETERS[trec], folder / "qrels.test", folder / "results.test", "both", None)
    same(printed((folder / "out.test.meas_params").read_text())[trec], found, geometric=False)


def test_average_over_three_points_of_recall(folder: Path) -> None:
    theirs = printed((folder / "out.test.meas_params").read_text())["11pt_avg_.25,.5,.75"]
    points = [f"IPrec(rounding='trec_eval-10')@{x}" for x in (0.25, 0.5, 0.75)]
    values = evaluate(folder / "qrels.test", folder / "results.test", points, topics="both")
    found = dict(zip(values.topics, values.cube[0].mean(axis=1).tolist(), strict=True))
    found["all"] = values.aggregate()[0].mean()
    assert theirs == {topic: f"{value:.4f}" for topic, value in found.items()}


def test_every_measure_of_the_files_is_looked_at(folder: Path) -> None:
    for file in NINE:
        assert names(printed((folder / file).read_text())) == set(all_trec())
    for file in TEN:
        assert names(printed((folder / file).read_text())) == {*all_trec(), *UNJUDGED}
    parameters = printed((folder / "out.test.meas_params").read_text())
    assert names(parameters) == {*PARAMETERS, "11pt_avg_.25,.5,.75"}


def without_relstring(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("relstring"))


@pytest.mark.parametrize("file", NINE)
def test_everything_is_printed_as_trec_eval_prints_it(folder: Path, file: str) -> None:
    # Some lines of results.trunc have words after the sixth column, which trec_eval does not look at.
    qrels, run, topics = NINE[file]
    values = evaluate(folder / qrels, folder / run, "all_trec", topics=topics, compat="trec_eval-9")
    assert trec_eval_text(values, per_topic=True) == without_relstring((folder / file).read_text())
    assert values.missing.sum() == (1 if run == "results.trunc" else 0)


def command(folder: Path, *options: str) -> str:
    program = Path(sys.executable).with_name("cranfield")
    files = [str(folder / "qrels.test"), str(folder / "results.test")]
    how = ["-q", "--format", "trec_eval", "--topics", "both", "--compat", "trec_eval-9"]
    call = [str(program), "evaluate", *files, *how, *options]
    return subprocess.run(call, check=True, capture_output=True, text=True).stdout


def test_the_command_prints_what_trec_eval_prints(folder: Path) -> None:
    text = command(folder)
    names = {line.split("\t")[0] for line in text.splitlines()}
    reference = (folder / "v9.0.8.q.out").read_text().splitlines(keepends=True)
    assert text == "".join(line for line in reference if line.split("\t")[0] in names)
    official = printed((folder / "out.test").read_text())
    assert {name.strip() for name in names} == set(official)


def test_the_command_prints_all_that_trec_eval_calls_all_trec(folder: Path) -> None:
    assert command(folder, "-m", "all_trec") == (folder / "v9.0.8.q.out").read_text()
