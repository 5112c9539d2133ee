"""Values of stratified samples: those of NIST's sample_eval.pl."""

from functools import cache
from pathlib import Path

import pytest

from cranfield.data import Values, assess, read_qrels
from cranfield.measures import measure_all
from tests.support.golden.golden_values import by_topic, golden
from tests.support.golden.stratified_inputs import sampled

ROUNDED = 1e-11  # twelve decimals, and sums in another order
CASES = [(measure, run) for measure, runs in golden("sample_eval").items() for run in runs]


@cache
def ours() -> Values:
    """What we say of the same judgments and runs."""
    rows = [(topic, document, *row) for topic, judged in sampled().qrels.items() for document, row in judged.items()]
    topics, documents, strata, grades = map(list, zip(*rows, strict=True))
    qrels = {"topic": topics, "document": documents, "iteration": strata, "grade": grades}
    return measure_all(assess(qrels, sampled().runs), "xinfAP infNDCG")


@pytest.mark.parametrize(("measure", "run"), CASES)
def test_every_topic_has_the_value_of_the_script(measure: str, run: str) -> None:
    theirs = golden("sample_eval")[measure][run]
    found = by_topic(ours(), measure, ours().runs.index(run))
    missing = set(sampled().qrels) - set(sampled().runs[run])
    assert set(theirs) == set(found) - missing  # of which the script says nothing
    assert {found[topic] for topic in missing} <= {0.0}
    assert {topic: found[topic] for topic in theirs} == pytest.approx(theirs, rel=0, abs=ROUNDED)


def test_the_input_has_what_is_hard() -> None:
    theirs = golden("sample_eval")
    assert theirs["xinfAP"]["good"]["24"] > 1  # more relevant documents are expected than a run can hold
    assert max(theirs["infNDCG"]["good"].values()) > 1
    assert theirs["xinfAP"]["good"]["23"] == 0
    assert max(len(scores) for scores in sampled().runs["good"].values()) > 1000
    tied = sampled().runs["tied"].values()
    assert all(len(set(scores.values())) < len(scores) for scores in tied)


def test_files_are_read_like_objects(tmp_path: Path) -> None:
    lines = (
        f"{topic} {stratum} {document} {grade}\n"
        for topic, judged in sampled().qrels.items()
        for document, (stratum, grade) in judged.items()
    )
    (tmp_path / "sample.qrels").write_text("".join(lines))
    values = measure_all(assess(read_qrels(tmp_path / "sample.qrels"), sampled().runs), "xinfAP infNDCG")
    assert values.cube.tolist() == ours().cube.tolist()
