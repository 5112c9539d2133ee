"""Nugget recall beside nuggetizer."""

import json
from pathlib import Path

import pytest

import cranfield as cf
from tests.support.golden.golden_values import golden
from tests.support.golden.nugget_inputs import assigned

SCORES = ("strict_vital_score", "strict_all_score", "vital_score", "all_score")


@pytest.mark.parametrize("score", SCORES)
def test_every_answer_has_the_score_that_nuggetizer_gives(tmp_path: Path, score: str) -> None:
    theirs = golden("nuggetizer")
    file = tmp_path / "assigned.jl"
    file.write_text("".join(f"{json.dumps(one)}\n" for one in assigned()))
    values = cf.nuggets(file, score, scale="ignore")
    assert values.runs == ("careful", "vague", "silent")
    for run, answers in enumerate(values.cube[:, :, 0].tolist()):
        said = theirs[values.runs[run]]
        assert dict(zip(values.topics, answers, strict=True)) == pytest.approx(
            {one["qid"]: one[score] for one in said["answers"]}, abs=1e-15
        )
        assert values.aggregate()[run, 0] == pytest.approx(said["all"][score], abs=1e-15)
